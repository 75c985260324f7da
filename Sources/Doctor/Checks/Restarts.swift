/// Commands that end a program and start it again.
enum Restart {
    /// Ends a process, waits for its end, and starts it by its own command line. Only the last part runs in the
    /// background: what asks for a password must not.
    static func command(
        process: Int32, signal: String? = nil, starting arguments: [String], as user: String, inBackground: Bool
    ) -> String {
        let kill = "sudo kill \(signal.map { "-\($0) " } ?? "")\(process)"
        let words = arguments.map(Shell.word).joined(separator: " ")
        let start = "\(user)\(words)\(inBackground ? " &" : "")"
        return "\(kill) && timeout 5 tail --pid=\(process) -f /dev/null; \(start)"
    }
}

extension DoctorFacts {
    /// The command that sends a signal to the daemon.
    func signal(_ name: String) -> String {
        daemon.process.map { "sudo kill -\(name) \($0)" } ?? "sudo pkill -\(name) -x posed"
    }

    /// The command that starts the daemon again with the arguments that it has; `nil` if no service manager has started
    /// it, and its arguments are unknown.
    func restart(signal: String? = nil) -> String? {
        if isManaged { return "sudo systemctl restart posed" }
        guard let process = daemon.process, !daemon.arguments.isEmpty else { return nil }
        let user = daemonUser.id == self.user.id ? "" : "sudo -u \(Shell.word(daemonUser.name)) "
        return Restart.command(
            process: process, signal: signal, starting: daemon.arguments, as: user, inBackground: true)
    }

    /// The command by which a running daemon reads its settings again.
    var reload: String { isManaged ? "sudo systemctl reload posed" : signal("HUP") }
}

extension GpsdState {
    /// The command that ends a gpsd that hangs, and starts it again.
    func restart(_ facts: DoctorFacts, otherwise start: String) -> String {
        if facts.hasSystemd { return "sudo systemctl restart gpsd" }
        guard let process, !arguments.isEmpty else { return "sudo pkill -KILL -x gpsd; \(start)" }
        // gpsd goes into the background by itself, unless -N keeps it in the foreground.
        return Restart.command(
            process: process, signal: "KILL", starting: arguments, as: "sudo ", inBackground: arguments.contains("-N"))
    }
}
