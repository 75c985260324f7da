extension Check {
    /// The settings file.
    static let settings = Check(area: .settings, needs: []) { facts in
        let settings = facts.settings
        guard let path = settings.path else { return .passed("no settings file: the defaults are in force") }
        let target = Shell.word(path)
        guard let file = settings.file else {
            // What cannot be seen must not be written: the file is probably there.
            guard settings.isReadable else {
                return .found([
                    Finding(
                        .settingsUnreadable, "\(path): user \(facts.user.name) may not enter its folder",
                        .look("sudo posectl doctor --config \(target)"))
                ])
            }
            if settings.isDefault { return .passed("there is no \(path): the defaults are in force") }
            let folder = SettingsEdit.folder(of: path).map { "sudo mkdir -p \(Shell.word($0)) && " } ?? ""
            return .found([
                Finding(
                    .settingsMissing, "\(path) does not exist: posed does not start with it",
                    .run("\(folder)posed --print-sample | sudo tee \(target)"))
            ])
        }
        guard settings.isReadable else {
            let isOpen = facts.user.may(4, file)
            return .found([
                Finding(
                    .settingsUnreadable, "\(path): user \(facts.user.name) may not read it",
                    .run(
                        isOpen
                            ? "sudo chmod a+rX \(Shell.word(SettingsEdit.folder(of: path) ?? "."))"
                            : "sudo chmod a+r \(target)"))
            ])
        }
        return .of([mistake(settings, target), openToAll(file, target)], otherwise: "\(path) is valid")
    }

    private static func mistake(_ settings: SettingsFacts, _ target: String) -> Finding? {
        guard let (first, count) = settings.mistake else { return nil }
        let more = count > 1 ? " (and \(count - 1) more)" : ""
        let included = settings.mistakenFile.map { Shell.word($0) }
        guard !settings.mistakenLines.isEmpty else {
            // Without an included file the settings would be invalid, too.
            let command = included.map { "sudoedit \($0)" } ?? "sudo mv \(target) \(target).refused"
            return Finding(.settingsInvalid, first + more, .run(command))
        }
        // Each line becomes a comment: its key has the default again.
        let script = settings.mistakenLines.map { "\($0)s/^/#/" }.joined(separator: ";")
        return Finding(.settingsInvalid, first + more, .run("sudo sed -i '\(script)' \(included ?? target)"))
    }

    private static func openToAll(_ file: FileFacts, _ target: String) -> Finding? {
        guard file.mode & 0o002 != 0 else { return nil }
        return Finding(
            .settingsWritable, "\(file.path): every user may change it (mode 0\(String(file.mode, radix: 8)))",
            .run("sudo chmod o-w \(target)"))
    }
}
