extension Check {
    /// The running daemon and its sockets.
    static let daemon = Check(area: .daemon, needs: [.settings]) { facts in
        let daemon = facts.daemon
        guard daemon.hasGroup else {
            let group = facts.loaded.publishing.group ?? "posed"
            return .found([
                Finding(
                    .daemonGroup, "group \(group) of sockets.group does not exist: posed cannot create its sockets",
                    .run("sudo groupadd --system \(Shell.word(group))"))
            ])
        }
        switch daemon.connection {
        case .answered: return answered(facts)
        case .noSocket:
            return .found([
                Finding(
                    .daemonStopped, "posed does not run: there is no socket \(daemon.socketPath)", .run(start(facts)))
            ])
        case .refused:
            return .found([
                Finding(
                    .daemonStaleSocket, "posed does not run: it ended and left its socket \(daemon.socketPath)",
                    .run(start(facts)))
            ])
        case .denied(let reason, let command):
            return .found([Finding(.daemonAccess, "\(daemon.socketPath): \(reason)", .run(command))])
        case .silent:
            let restart = facts.restart(signal: "KILL") ?? "\(facts.signal("KILL")) && \(start(facts))"
            return .found([
                Finding(
                    .daemonSilent, "posed does not answer on \(daemon.socketPath): it hangs, or is stopped",
                    .run(restart))
            ])
        case .failed(let reason):
            return .found([Finding(.daemonSilent, "\(daemon.socketPath): \(reason)", .run(start(facts)))])
        }
    }

    /// The command that starts the daemon.
    private static func start(_ facts: DoctorFacts) -> String {
        if facts.isManaged { return "sudo systemctl start posed" }
        let config = facts.settings.file.map { " --config \(Shell.word($0.path))" } ?? ""
        let folder = SettingsEdit.folder(of: facts.daemon.socketPath) ?? "/run/posed"
        let place = folder == facts.loaded.publishing.folder ? "" : " --set sockets.folder=\(Shell.word(folder))"
        return "posed\(config)\(place) &"
    }

    private static func answered(_ facts: DoctorFacts) -> Verdict {
        guard let status = facts.daemon.status else { return .notChecked("not checked: the reply is unknown") }
        var findings: [Finding?] = []
        if status.release != facts.daemon.ownRelease {
            findings.append(
                Finding(
                    .daemonRelease, "posed \(status.release) runs, and posectl is \(facts.daemon.ownRelease)",
                    .run(facts.restart() ?? facts.signal("TERM"))))
        }
        if let refusal = status.settingsNotes.first(where: { $0.hasPrefix("settings rejected") }) {
            findings.append(Finding(.daemonSettings, refusal, .run(facts.reload)))
        }
        if status.realTime.hasPrefix("refused") {
            findings.append(
                Finding(
                    .daemonRealTime, "process.real_time_priority: \(status.realTime)",
                    .run(SettingsEdit(facts).command("process.real_time_priority", "null"))))
        }
        if status.lowRateClients > 0 {
            findings.append(
                Finding(
                    .daemonClients, "\(status.lowRateClients) clients get fewer frames than they asked for",
                    .look("posectl status --json")))
        }
        return .of(findings, otherwise: "posed \(status.release) answers on \(facts.daemon.socketPath)")
    }
}
