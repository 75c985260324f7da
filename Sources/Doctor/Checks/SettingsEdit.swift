import Configuration

/// Commands that change one key of the settings file.
struct SettingsEdit {
    /// The settings file.
    let settings: SettingsFacts
    /// What is appended, so that a running daemon uses the change of a key that it reads at a start, or at a reload.
    private let restart: String
    private let reload: String

    /// Edits for the settings of a machine.
    init(_ facts: DoctorFacts) {
        settings = facts.settings
        let isRunning = facts.daemon.connection == .answered
        restart = (isRunning ? facts.restart() : nil).map { " && \($0)" } ?? ""
        reload = isRunning ? " && \(facts.reload)" : ""
    }

    /// The command that gives a key another value.
    func command(_ path: String, _ value: String) -> String {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let file = settings.path, parts.count == 2 else { return "posed --set \(Shell.word("\(path)=\(value)"))" }
        let (section, name) = (parts[0], parts[1])
        let lines = settings.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let target = Shell.word(file)
        let restart = SettingsRegistry.key(path)?.reload == .live ? reload : restart
        if case .file(_, let position)? = settings.loaded?.origins[path], lines.indices.contains(position.line - 1) {
            guard lines[position.line - 1].drop(while: { $0 == " " }).hasPrefix("\(name):") else {
                return "sudoedit \(target)\(restart)"
            }
            return "sudo sed -i \(Shell.word("\(position.line)s|\(name):.*|\(name): \(value)|")) \(target)\(restart)"
        }
        if let line = lines.firstIndex(where: { Self.opens(section, $0) }) {
            let below = lines.dropFirst(line + 1).first { !Self.isBlank($0) }
            let spaces = below.map { String($0.prefix { $0 == " " }) } ?? "  "
            let indent = spaces.isEmpty ? "  " : spaces
            // GNU sed removes the spaces after `a` unless a backslash precedes them.
            let script = "\(line + 1)a\\\(indent)\(name): \(value)"
            return "sudo sed -i \(Shell.word(script)) \(target)\(restart)"
        }
        let text = "\(section):\\n  \(name): \(value)\\n"
        let folder =
            settings.file == nil ? Self.folder(of: file).map { "sudo mkdir -p \(Shell.word($0)) && " } ?? "" : ""
        let start = settings.text.isEmpty || settings.text.hasSuffix("\n") ? "" : "\\n"
        return "\(folder)printf '\(start)\(text)' | sudo tee -a \(target)\(restart)"
    }

    private static func opens(_ section: String, _ line: String) -> Bool {
        guard line.hasPrefix("\(section):") else { return false }
        return isBlank(String(line.dropFirst(section.count + 1)))
    }

    private static func isBlank(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        return text.isEmpty || text.hasPrefix("#")
    }

    /// The folder of a file; `nil` for a name without a folder.
    static func folder(of path: String) -> String? {
        path.lastIndex(of: "/").flatMap { $0 == path.startIndex ? nil : String(path[..<$0]) }
    }
}
