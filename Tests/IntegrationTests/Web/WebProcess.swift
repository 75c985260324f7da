import Foundation
import Glibc

/// A real web server, ended with the test.
final class WebProcess {
    private let folder: TemporaryFolder
    let process: ChildProcess
    /// Where the page is.
    let address: String

    /// Starts the server for the daemon whose sockets are in a folder, on a free port, and waits until it serves.
    init(daemon: String, _ arguments: [String] = []) throws {
        let folder = try TemporaryFolder()
        let process = try ExternalProgram.start(
            "posed-web", ["--folder", daemon, "--port", "0"] + arguments, output: "\(folder.path)/out",
            errors: "\(folder.path)/log")
        var found: String?
        _ = DaemonProcess.poll(seconds: 60) {
            found = folder.text(of: "log").firstMatch(of: /the page is at (http:\S+)/).map { String($0.output.1) }
            return found != nil || !process.isRunning
        }
        guard let found else {
            throw DaemonProcess.Failure(description: "posed-web does not serve: \(folder.text(of: "log"))")
        }
        (self.folder, self.process, address) = (folder, process, found)
    }

    deinit { process.kill() }

    /// What it has written.
    var log: String { folder.text(of: "log") }

    /// Its port.
    var port: String { String(address.split(separator: ":").last?.dropLast() ?? "") }

    /// Memory in use, bytes.
    var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Int($0.output.1) }.map { $0 * 1024 } ?? 0
    }

    /// Runs a script of this folder, and returns what it has found.
    static func run(_ script: String, python: String, _ arguments: [String]) throws -> [String: Any] {
        let path = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Web/\(script)"
        let result = try ExternalProgram.run(python, [path] + arguments, seconds: 900)
        guard result.exitCode == 0,
            let found = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        else { throw DaemonProcess.Failure(description: "\(script) \(arguments): \(result)") }
        return found
    }
}
