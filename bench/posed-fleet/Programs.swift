import CSystem
import ChildPrograms
import Glibc

/// A program that is ended with this value. Its output is discarded.
struct Program: ~Copyable {
    /// The process id.
    let id: pid_t

    /// Starts a program; `nil` if that fails.
    init?(_ path: String, _ arguments: [String]) {
        guard let child = try? ChildProgram.start(path, arguments) else { return nil }
        id = child
    }

    deinit {
        kill(id, SIGTERM)
        var status: Int32 = 0
        // A broker with ten thousand clients takes a moment.
        for _ in 0..<100 where waitpid(id, &status, WNOHANG) == 0 { usleep(50_000) }
        kill(id, SIGKILL)
        waitpid(id, &status, 0)
    }

    /// Time on the processors, seconds.
    static func processorSeconds(of process: pid_t) -> Double { ChildProgram.processorSeconds(of: process) ?? .nan }

    /// Resident memory now (`VmRSS`), or the largest so far (`VmHWM`), MiB.
    static func mebibytes(of process: pid_t, _ key: String) -> Double {
        (ChildProgram.kibibytes(of: process, key) ?? .nan) / 1024
    }
}

/// A mosquitto of this program, on a port of its own.
final class Broker {
    /// Its port.
    let port: UInt16
    /// A folder for files; removed with this value.
    let folder: String
    private let program: Program

    /// The process id.
    var id: pid_t { program.id }

    /// Starts it and waits until it accepts connections; `nil` if that fails.
    static func start() -> Broker? {
        var template = Array("/tmp/posed-fleet.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let port = freePort() else { return nil }
        let folder = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let file = "\(folder)/mosquitto.conf"
        let lines = ["listener \(port) 127.0.0.1", "allow_anonymous true", "max_queued_messages 0"]
        guard let stream = fopen(file, "we") else { return nil }
        fputs((lines + ["max_inflight_messages 64\n"]).joined(separator: "\n"), stream)
        fclose(stream)
        // Started by root, mosquitto becomes another user.
        chmod(folder, 0o755)
        let paths = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto", "/usr/local/sbin/mosquitto"]
        guard let path = paths.first(where: { access($0, X_OK) == 0 }), let program = Program(path, ["-c", file]) else {
            return nil
        }
        let broker = Broker(port: port, folder: folder, program: program)
        for _ in 0..<200 {
            if isOpen(port) { return broker }
            usleep(20_000)
        }
        return nil
    }

    private init(port: UInt16, folder: String, program: consuming Program) {
        (self.port, self.folder) = (port, folder)
        self.program = program
    }

    deinit {
        guard let program = Program("/bin/rm", ["-rf", folder]) else { return }
        var status: Int32 = 0
        waitpid(program.id, &status, 0)
    }

    private static func freePort() -> UInt16? {
        with(port: 0) { descriptor, address, size in
            guard bind(descriptor, address, size) == 0 else { return nil }
            var (place, length) = (sockaddr_in(), size)
            let result = withUnsafeMutablePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return result == 0 ? in_port_t(bigEndian: place.sin_port) : nil
        }
    }

    private static func isOpen(_ port: UInt16) -> Bool { with(port: port) { connect($0, $1, $2) == 0 } }

    private static func with<R>(port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
