import CSystem
import Foundation

/// A real gpsd for one test, on its own port.
final class GpsdProcess {
    /// Path of gpsd in Debian.
    static let program = "/usr/sbin/gpsd"
    /// Whether it is installed.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let port: UInt16
    /// Its process.
    private(set) var process: ChildProcess
    private let arguments: [String]
    private let control: String?

    /// `control`: path of its control socket, for ``tell(_:)``.
    init(devices: [String], control: String? = nil) throws {
        port = try Self.freePort()
        arguments = ["-N", "-n", "-S", String(port)] + (control.map { ["-F", $0] } ?? []) + devices
        self.control = control
        process = try ExternalProgram.start(Self.program, arguments)
    }

    /// Starts it after ``kill(_:)`` again, on the same port.
    func start() throws { process = try ExternalProgram.start(Self.program, arguments) }

    /// Sends a line to its control socket, as gpsdctl does for udev: `+/dev/x` adds a receiver, `-/dev/x` removes it.
    /// Returns whether gpsd replied OK.
    func tell(_ word: String) -> Bool {
        let descriptor = posed_unix_socket(1)
        defer { close(descriptor) }
        guard let control, posed_connect(descriptor, control) == 0 else { return false }
        let line = Array("\(word)\r\n".utf8)
        guard posed_send(descriptor, line, line.count) == line.count else { return false }
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var answer = [UInt8](repeating: 0, count: 64)
        return poll(&ready, 1, 60_000) == 1
            && String(decoding: answer[..<max(0, recv(descriptor, &answer, 64, 0))], as: UTF8.self).hasPrefix("OK")
    }

    /// Sends a signal; waits for the end after SIGKILL.
    func kill(_ signal: Int32) {
        process.send(signal)
        if signal == SIGKILL { process.waitUntilExit() }
    }

    /// The gpsd processes with these arguments.
    static func processes(_ arguments: [String]) -> [pid_t] {
        let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
        return ids.filter { id in
            let words = ((try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(id)/cmdline"))) ?? Data())
                .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.first?.hasSuffix("gpsd") == true && arguments.allSatisfy(words.contains)
        }
    }

    /// A port without a listener.
    static func freePort() throws -> UInt16 { try FreePort.take() }
}
