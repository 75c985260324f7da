import Foundation
import Testing

/// What the clients in C and Python do without a connection, by clocks of their own.
@Suite struct ReconnectionTests {
    private static let package = ExternalProgram.packageFolder
    private static let tests = "\(package)/Tests/IntegrationTests/Clients"
    private static let python = ["PYTHONPATH": "\(package)/clients/python", "PYTHONDONTWRITEBYTECODE": "1"]

    /// A client that is refused waits twice as long each time, one that was served does not; hello is waited for no
    /// longer than the timeout of a call, and for two seconds in all.
    private static let expected = """
        refused: 6 connections in 5 s
        served: again after 1 tenths of a second
        silent: nothing 6 times, then after 2000 ms: no hello message within 2 s

        """

    /// A stored packet, as one word.
    private static func packet(_ name: String) throws -> String {
        let golden = "\(package)/Tests/FramesTests/Golden/version1"
        let text = try String(contentsOfFile: "\(golden)/\(name).hex", encoding: .utf8)
        return text.filter { !$0.isWhitespace }
    }

    @Test(.enabled(if: ExternalProgram.has("gcc"), "gcc is not installed"))
    func theCClientWaitsLongerAfterEachRefusal() throws {
        // GIVEN a daemon that refuses the subscription, one that serves and ends, and one that says nothing WHEN the
        // client in C reads THEN it waits as long as it says
        let folder = try TemporaryFolder()
        let built = try ExternalProgram.run(
            "gcc",
            [
                "-std=c99", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-I\(Self.package)/clients/c",
                "-I\(Self.package)/Sources/CPosed/include", "-O1", "\(Self.tests)/reconnection.c", "-o",
                "\(folder.path)/reconnection",
            ])
        #expect(built.exitCode == 0, "\(built.errors)")
        let result = try ExternalProgram.run("\(folder.path)/reconnection", ["\(folder.path)/frames"])
        #expect(result.exitCode == 0 && result.output == Self.expected, "\(result)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
    func thePythonClientWaitsLongerAfterEachRefusal() throws {
        // GIVEN the same daemons WHEN the client in Python reads THEN it waits as long
        let folder = try TemporaryFolder()
        let result = try ExternalProgram.run(
            "python3",
            [
                "\(Self.tests)/reconnection.py", "\(folder.path)/frames", Self.packet("hello"),
                Self.packet("bye-too-many"),
            ], environment: Self.python)
        #expect(result.exitCode == 0 && result.output == Self.expected, "\(result)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
    func thePythonClientReadsWhereManyDescriptorsAreOpen() throws {
        // GIVEN a program with more than 1024 open descriptors WHEN its client in Python connects THEN it reads hello
        let folder = try TemporaryFolder()
        let result = try ExternalProgram.run(
            "python3", ["\(Self.tests)/descriptors.py", "\(folder.path)/frames", Self.packet("hello")],
            environment: Self.python)
        #expect(result.exitCode == 0, "\(result)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed"))
    func pythonsSharedMemoryEndsWithTheConnection() throws {
        // GIVEN a client in Python that reads shared memory WHEN the daemon ends THEN the memory says so, and it is
        // gone with the connection; AND a subscription that cannot be sent is a lost connection
        let folder = try TemporaryFolder()
        let packets = try ["hello", "shared", "frame"].map { try Self.packet($0) }
        let result = try ExternalProgram.run(
            "python3", ["\(Self.tests)/memory.py", "\(folder.path)/frames"] + packets, environment: Self.python)
        #expect(result.exitCode == 0, "\(result)")
    }
}
