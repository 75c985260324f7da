import CSystem
import Glibc

/// The way to tell the service manager how the daemon is: sd_notify's datagrams, without libsystemd.
///
/// Each call is one send that never waits: where the manager does not take it, it is lost, which for `WATCHDOG=1` is
/// the point. Without a manager (no NOTIFY_SOCKET) every call does nothing. Protocol: sd_notify(3).
package final class ServiceManager: Sendable {
    private let descriptor: Int32
    private let isConnected: Bool

    /// Connects to the socket that `environment` names; a socket that cannot be reached is reported by ``problem`` and
    /// otherwise ignored.
    package init(environment: [String: String] = ProcessEnvironment.current) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else {
            (descriptor, isConnected, problem) = (-1, false, nil)
            return
        }
        let made = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0, let code = Self.connect(made, to: name) else {
            (descriptor, isConnected) = (made, made >= 0)
            problem = made >= 0 ? nil : "NOTIFY_SOCKET: no socket to be had: \(String(cString: strerror(errno)))"
            return
        }
        close(made)
        (descriptor, isConnected) = (-1, false)
        problem =
            "NOTIFY_SOCKET \(name) cannot be reached: \(String(cString: strerror(code))); the service manager hears "
            + "nothing from here"
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Why a manager that is there hears nothing; `nil` where all is well or no manager is there.
    package let problem: String?

    /// Whether somebody listens.
    package var isListening: Bool { isConnected }

    /// The daemon serves; `status` says in one line what it does, and is shown by `systemctl status`.
    package func ready(status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// The engine loop is alive.
    package func watchdog() { send("WATCHDOG=1") }

    /// Settings are being read again; ``ready(status:)`` ends it.
    package func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
    }

    /// The daemon was told to stop and does.
    package func stopping(status: String) { send("STOPPING=1\nSTATUS=\(Self.line(status))") }

    private func send(_ message: String) {
        guard isConnected else { return }
        var message = message
        message.withUTF8 { bytes in
            _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }

    /// A line end would begin another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Connects a socket; returns the error, or `nil` when connected.
    private static func connect(_ descriptor: Int32, to name: String) -> Int32? {
        guard name.hasPrefix("/") || name.hasPrefix("@") else { return EINVAL }
        var bytes = Array(name.utf8)
        // "@" stands for the NUL that begins a name in the abstract namespace.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { path in
            guard bytes.count < path.count else { return false }
            path.copyBytes(from: bytes)
            return true
        }
        guard fits else { return ENAMETOOLONG }
        // The length tells where an abstract name ends; a path ends at its NUL as well.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        return result == 0 ? nil : errno
    }
}
