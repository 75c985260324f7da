import Glibc

/// Environment variables with which the service manager starts the daemon.
package enum ProcessEnvironment {
    /// The variables the daemon uses, with their values at its start.
    package static let current: [String: String] = {
        let names = [
            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
            "JOURNAL_STREAM", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "XDG_RUNTIME_DIR",
        ]
        return names.reduce(into: [:]) { variables, name in
            if let text = getenv(name) { variables[name] = String(cString: text) }
        }
    }()
}
