extension Check {
    /// Least free space for the saved state, bytes.
    private static let leastFreeBytes: UInt64 = 1 << 20

    /// What is kept on the disk.
    static let storage = Check(area: .storage, needs: [.settings]) { facts in
        var findings = [folder(facts)]
        if let closed = facts.state.files.first(where: { !facts.daemonUser.may(4, $0) }) {
            let (target, user) = (Shell.word(closed.path), facts.daemonUser.name)
            findings.append(
                Finding(
                    .stateUnreadable, "\(closed.path): user \(user) of posed may not read it: it is not used",
                    .run("sudo chown \(user) \(target) && sudo chmod u+r \(target)")))
        }
        findings += facts.state.damaged.map {
            Finding(.stateDamaged, "\($0.path): \($0.reason)", .run("sudo rm \(Shell.word($0.path))"))
        }
        if let status = facts.daemon.status {
            if let problem = status.roadsProblem {
                let edit = SettingsEdit(facts).command("roads.file", "null")
                findings.append(Finding(.roadsUnusable, "the road file is not used: \(problem)", .run(edit)))
            }
            if let problem = status.recordingProblem {
                let folder = SettingsEdit.folder(of: facts.daemon.socketPath) ?? "/run/posed"
                let place = folder == "/run/posed" ? "" : " --folder \(Shell.word(folder))"
                findings.append(
                    Finding(.recordingFailed, "the recording ended: \(problem)", .run("posectl record start\(place)")))
            }
        }
        if facts.state.isHidden, let path = facts.state.path, findings.allSatisfy({ $0 == nil }) {
            return .notChecked("not checked: user \(facts.user.name) may not look at \(path)")
        }
        let text = facts.state.path.map { "\($0) can be written to" } ?? "no folder is set: nothing is saved"
        return .of(findings, otherwise: text)
    }

    private static func folder(_ facts: DoctorFacts) -> Finding? {
        let state = facts.state
        guard let path = state.path else { return nil }
        let (target, user) = (Shell.word(path), facts.daemonUser.name)
        guard let folder = state.folder else {
            if state.isHidden { return nil }
            return Finding(
                .stateFolder, "\(path) does not exist: the mount is not saved for the next drive",
                .run("sudo install -d -m 0750 -o \(user) -g \(facts.group(primaryGroup(facts))) \(target)"))
        }
        if state.isReadOnly {
            return Finding(
                .stateUnwritable, "\(path): its disk is mounted for reading only",
                .run("sudo mount -o remount,rw \"$(df --output=target \(target) | tail -1)\""))
        }
        guard facts.daemonUser.may(3, folder) else {
            return Finding(
                .stateUnwritable, "\(path): user \(user) of posed may not write to it",
                .run("sudo chown \(user) \(target) && sudo chmod u+rwx \(target)"))
        }
        if let free = state.freeBytes, free < leastFreeBytes {
            return Finding(
                .stateFull, "\(path): the disk is full, \(free >> 10) KiB are free",
                .run("sudo journalctl --vacuum-size=64M && sudo apt-get clean"))
        }
        return nil
    }

    private static func primaryGroup(_ facts: DoctorFacts) -> UInt32 {
        facts.daemonUser.groups.contains(facts.daemonUser.id) ? facts.daemonUser.id : facts.daemonUser.groups.min() ?? 0
    }
}
