import CSystem
import Foundation
import Frames
import Glibc
import PosedClient
import SchemaCheck
import Testing

/// A real daemon with sockets in a temporary folder; it is stopped with the test.
final class DaemonProcess {
    /// The folder of its sockets.
    let folder: TemporaryFolder
    private(set) var process: ChildProcess
    private let arguments: [String]
    private let launcher: [String]

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Starts the daemon and waits until both sockets accept connections. `launcher` is a program with its arguments
    /// that replaces itself by the daemon, such as unshare.
    init(
        _ arguments: [String] = ["--source", "simulated"], environment: [String: String] = [:], launcher: [String] = [],
        waits: Bool = true
    ) throws {
        folder = try TemporaryFolder()
        let posed = launcher.isEmpty ? "posed" : "\(ExternalProgram.buildFolder)/posed"
        self.launcher = launcher + [posed]
        self.arguments = ["--set", "sockets.folder=\(folder.path)"] + arguments
        process = try ExternalProgram.start(
            self.launcher[0], self.launcher.dropFirst() + self.arguments, environment: environment,
            output: "\(folder.path)/out", errors: "\(folder.path)/log")
        if waits { try waitUntilServing() }
    }

    deinit { process.kill() }

    var framesPath: String { "\(folder.path)/frames" }
    var streamPath: String { "\(folder.path)/stream" }
    var log: String { folder.text(of: "log") }

    /// Starts the same daemon again after it has ended.
    func restart() throws {
        process = try ExternalProgram.start(
            launcher[0], launcher.dropFirst() + arguments, output: "\(folder.path)/out", errors: "\(folder.path)/log")
        try waitUntilServing()
    }

    /// Waits until both sockets accept connections.
    func waitUntilServing() throws {
        guard
            DaemonProcess.poll(
                seconds: 60, { LineConnection(self.streamPath) != nil && access(self.framesPath, F_OK) == 0 })
        else {
            throw Failure(description: "no sockets after 60 s: \(log)")
        }
    }

    /// Sends a signal and waits for the end. Returns the duration by a ``NapClock`` and the exit code, `nil`
    /// where it ended by a signal or did not end in 60 s.
    func stop(_ signal: Int32 = SIGTERM) -> (seconds: Double, exitCode: Int32?) {
        process.send(signal)
        var clock = NapClock()
        while process.isRunning, clock.seconds < 60 { clock.nap() }
        return (clock.seconds, process.exitCode)
    }

    /// Number of open descriptors of the daemon.
    var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count) ?? -1
    }

    /// A client of the binary socket.
    func frameClient(_ topics: Topics = .all, hertz: Double = 0) -> FrameClient {
        FrameClient(path: framesPath, subscription: .init(topics: topics, rateMillihertz: UInt32(hertz * 1000)))
    }

    /// A client for whom frames of seconds are kept: it loses none where a busy machine holds this program up.
    func loggingClient(_ topics: Topics = .all) -> FrameClient {
        var wish = Message.Subscription(topics: topics, rateMillihertz: 0)
        wish.wantsEvery = true
        return FrameClient(path: framesPath, subscription: wish)
    }

    /// Waits until a client of the binary socket has its hello; a busy machine may need more than one attempt.
    static func connected(_ client: inout FrameClient) -> Message.Hello? {
        var clock = NapClock()
        while clock.seconds < 60 {
            if case .connected(let hello) = client.next(timeoutSeconds: 0) { return hello }
            clock.nap()
        }
        return nil
    }

    /// Checks a condition repeatedly until it holds, at most for the given time.
    static func poll(seconds: Double, _ isSo: () -> Bool) -> Bool {
        NapClock.wait(seconds: seconds, until: isSo)
    }
}

/// A connection to the stream socket that sends and receives lines.
final class LineConnection {
    let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let schema = try? SchemaCheck.frames()

    /// `nil` when no process answers.
    init?(_ path: String, type: Int32 = Int32(SOCK_STREAM.rawValue)) {
        descriptor = posed_unix_socket(type)
        // Closed once with this value: a descriptor number closed twice may belong to another test the second time.
        guard posed_connect(descriptor, path) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Sends bytes. Returns whether all were sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        var clock = NapClock()
        while !rest.isEmpty, clock.seconds < 60 {
            let sent = rest.withUnsafeBytes { posed_send(descriptor, $0.baseAddress, $0.count) }
            if sent < 0, errno != EAGAIN { return false }
            if sent > 0 { rest = rest.dropFirst(sent) } else { clock.nap() }
        }
        return rest.isEmpty
    }

    /// The next line or packet; `nil` at the end, or after that time by a ``NapClock``. `isChecked`: against the
    /// schema, which a reader that must keep up with a daemon does later, with ``check(_:)``.
    func receive(seconds: Double = 60, isChecked: Bool = true) -> String? {
        var clock = NapClock()
        return receive(&clock, until: seconds, isChecked: isChecked)
    }

    /// Every line of every test must match the published schema.
    static func check(_ line: String) {
        let problems = schema.map { (try? $0.problems(line: line)) ?? ["not to be checked"] } ?? ["no schema"]
        if !problems.isEmpty { Issue.record("\(problems): \(line)") }
    }

    private func receive(_ clock: inout NapClock, until seconds: Double, isChecked: Bool = true) -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                if isChecked { Self.check(line) }
                return line
            }
            guard clock.waits(forReading: descriptor, until: seconds) else { return nil }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    /// Sends a command and returns its reply as an object; other lines are skipped. Empty after 60 s without one.
    func ask(_ command: String) -> [String: Any] {
        send(Array((command + "\n").utf8))
        var clock = NapClock()
        // As many come in a quarter of an hour at most.
        for _ in 0..<100_000 {
            guard let line = receive(&clock, until: 60) else { break }
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                return ["garbage": line]
            }
            if object["type"] as? String == "reply" { return object }
        }
        return [:]
    }

    /// Whether the other end closes within the time; also its last message.
    func waitForEnd(seconds: Double = 60) -> (ended: Bool, last: String?) {
        var last: String?
        var clock = NapClock()
        while let line = receive(&clock, until: seconds) { last = line }
        var byte: UInt8 = 0
        return (recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0 || errno == ECONNRESET, last)
    }
}
