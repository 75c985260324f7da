import Glibc

/// What the service manager tells the daemon through its environment.
package enum ProcessEnvironment {
    /// The variables the daemon knows, with the values it was started with.
    package static let current: [String: String] = {
        let names = [
            "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
            "JOURNAL_STREAM", "STATE_DIRECTORY",
        ]
        return names.reduce(into: [:]) { variables, name in
            if let text = getenv(name) { variables[name] = String(cString: text) }
        }
    }()
}
