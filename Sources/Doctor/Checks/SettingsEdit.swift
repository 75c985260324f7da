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
        let lines = settings.text.settingsLines
        let target = Shell.word(file)
        let restart = ending(path)
        if case .file(let origin, let position)? = settings.loaded?.origins[path],
            origin != file || lines.indices.contains(position.line - 1)
        {
            guard origin == file, Self.isOnOneLine(name, at: position.line - 1, in: lines) else {
                return byHand(path, in: file)
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
        // A section in braces: a second one of its name would make the file invalid.
        if lines.contains(where: { $0.hasPrefix("\(section):") }) { return byHand(path, in: file) }
        let text = "\(section):\\n  \(name): \(value)\\n"
        let folder =
            settings.file == nil ? Self.folder(of: file).map { "sudo mkdir -p \(Shell.word($0)) && " } ?? "" : ""
        let start = lines.last == "" ? "" : "\\n"
        return "\(folder)printf '\(start)\(text)' | sudo tee -a \(target)\(restart)"
    }

    /// Gives a key of the receiver another value. Beside a list of receivers the key would not count, or be refused: a
    /// person edits the list.
    func remedy(ofReceiver path: String, _ value: String) -> Remedy {
        guard let file = settings.path, settings.loaded?.settings.gps.receivers.isEmpty == false else {
            return .run(command(path, value))
        }
        return .look(byHand("gps.receivers", in: file))
    }

    /// The command that opens the file with a key: this one, or one that it includes.
    private func byHand(_ path: String, in file: String) -> String {
        var place = file
        if case .file(let origin, _)? = settings.loaded?.origins[path] { place = origin }
        return "sudoedit \(Shell.word(place))\(ending(path))"
    }

    /// What is appended, so that a running daemon uses the change of a key.
    private func ending(_ path: String) -> String {
        SettingsRegistry.key(path)?.reload == .live ? reload : restart
    }

    /// Whether a line has a key with its whole value, so that the line can be replaced. A value goes on in a line that
    /// is indented deeper, or begins with an element of a list.
    private static func isOnOneLine(_ name: String, at index: Int, in lines: [String]) -> Bool {
        let line = lines[index].drop { $0 == " " }
        guard line.hasPrefix("\(name):") else { return false }
        let value = line.dropFirst(name.count + 1)
        guard !isBlank(String(value)), value.count(where: { $0 == "[" }) <= value.count(where: { $0 == "]" }) else {
            return false
        }
        guard let next = lines.dropFirst(index + 1).first(where: { !isBlank($0) }) else { return true }
        let start = next.drop { $0 == " " }
        return next.count - start.count <= lines[index].count - line.count && start.first != "-" && start.first != "["
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
