import CSystem
import Glibc

/// Reports the daemon's state to the service manager with sd_notify datagrams; libsystemd is not needed.
///
/// Each call is one non-blocking send. A datagram that the manager does not accept is lost; for `WATCHDOG=1` this is
/// intended. Without a manager (NOTIFY_SOCKET is not set) every call does nothing. Protocol: sd_notify(3).
package final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let isConnected: Bool

    /// Connects to the socket named in NOTIFY_SOCKET of `environment`. A socket that cannot be reached is reported by
    /// ``problem`` and otherwise ignored.
    package init(environment: [String: String] = ProcessEnvironment.current) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else {
            (descriptor, isConnected, problem) = (-1, false, nil)
            return
        }
        let opened = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard opened >= 0, let code = Self.connect(opened, to: name) else {
            (descriptor, isConnected) = (opened, opened >= 0)
            problem = opened >= 0 ? nil : "NOTIFY_SOCKET: cannot create a socket: \(String(cString: strerror(errno)))"
            return
        }
        close(opened)
        (descriptor, isConnected) = (-1, false)
        problem =
            "NOTIFY_SOCKET \(name) cannot be reached: \(String(cString: strerror(code))); the service manager gets no "
            + "status from this process"
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Why the service manager gets no messages although NOTIFY_SOCKET is set; `nil` when connected or when it is not
    /// set.
    package let problem: String?

    /// Whether messages reach a service manager.
    package var isListening: Bool { isConnected }

    /// Reports that the daemon is ready. `status` is one line that `systemctl status` shows.
    package func ready(status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// Replaces the line that `systemctl status` shows.
    package func status(_ text: String) { send("STATUS=\(Self.line(text))") }

    /// Reports that the engine loop is running.
    package func watchdog() { send("WATCHDOG=1") }

    /// Reports that settings are being reloaded; ``ready(status:)`` reports the end of the reload.
    package func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
    }

    /// Reports that the daemon is stopping after a request.
    package func stopping(status: String) { send("STOPPING=1\nSTATUS=\(Self.line(status))") }

    private func send(_ message: String) {
        guard isConnected else { return }
        var message = message
        message.withUTF8 { bytes in
            _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }

    /// Replaces newlines, since a newline would start another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Connects a socket. Returns the error number, or `nil` when connected.
    private static func connect(_ descriptor: Int32, to name: String) -> Int32? {
        guard name.hasPrefix("/") || name.hasPrefix("@") else { return EINVAL }
        var bytes = Array(name.utf8)
        // "@" stands for the NUL byte at the start of a name in the abstract namespace.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { path in
            guard bytes.count < path.count else { return false }
            path.copyBytes(from: bytes)
            return true
        }
        guard fits else { return ENAMETOOLONG }
        // The length marks the end of an abstract name; a path also ends at its NUL.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        return result == 0 ? nil : errno
    }
}
