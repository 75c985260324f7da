import Foundation
import Glibc

/// What became of a program that was run to its end.
struct ProgramResult {
    /// Its exit code; `nil` where a signal ended it, or its time was over.
    var exitCode: Int32?
    /// What it wrote on standard output.
    var output: String
    /// What it wrote on standard error.
    var errors: String
    /// How long it ran by a ``NapClock``, seconds.
    var seconds: Double
}

/// Runs programs for the tests. Each is started by its own id and ended by it alone.
enum ExternalProgram {
    /// The folder the project's programs were built into.
    static let buildFolder: String = {
        _ = EndWithRunner.isSet
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path
    }()

    /// The folder of the package.
    static let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../.."
    ).standardized.path

    /// The path of a tool, or `nil` where it is not installed.
    static func path(of tool: String) -> String? {
        if tool.hasPrefix("/") { return access(tool, X_OK) == 0 ? tool : nil }
        let folders =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + [
                "/usr/sbin", "/sbin", "/usr/bin", "/bin",
            ]
        return folders.map { "\($0)/\(tool)" }.first { access($0, X_OK) == 0 }
    }

    /// Whether all these tools are installed.
    static func has(_ tools: String...) -> Bool { tools.allSatisfy { path(of: $0) != nil } }

    /// Runs a program to its end, at most `seconds` of a ``NapClock``; then it is killed, as it
    /// hangs. Its output goes through files, so that no pipe
    /// can fill up.
    static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], seconds: Double = 300
    ) throws -> ProgramResult {
        let folder = try TemporaryFolder()
        let process = try start(
            program, arguments, environment: environment, output: "\(folder.path)/out", errors: "\(folder.path)/err")
        var clock = NapClock()
        while process.isRunning, clock.seconds < seconds { clock.nap() }
        let isLate = process.isRunning
        process.kill()
        return ProgramResult(
            exitCode: isLate ? nil : process.exitCode, output: folder.text(of: "out"), errors: folder.text(of: "err"),
            seconds: clock.seconds)
    }

    /// Starts a program that the caller ends, with its output in files.
    static func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], output: String, errors: String
    ) throws -> ChildProcess {
        try start(program, arguments, environment: environment, output: .file(output), errors: .file(errors))
    }

    /// Starts a program that the caller ends. `descriptors`: those that it gets with the numbers from 3.
    static func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        input: ChildProcess.Stream = .null, output: ChildProcess.Stream = .null, errors: ChildProcess.Stream = .null,
        descriptors: [Int32] = []
    ) throws -> ChildProcess {
        _ = EndWithRunner.isSet
        return try ChildProcess(
            program.hasPrefix("/") ? program : path(of: program) ?? "\(buildFolder)/\(program)", arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new }, input: input,
            output: output, errors: errors, descriptors: descriptors)
    }
}

/// A folder for one test; goes with it.
final class TemporaryFolder {
    /// Where it is.
    let path: String

    /// Makes an empty folder.
    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("posed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file.
    func write(_ text: String, to name: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    }

    /// The text of a file; empty where there is none.
    func text(of name: String) -> String {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }
}
