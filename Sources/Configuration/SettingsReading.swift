import DriveRecording
import Files

/// Settings during loading: the values and errors so far.
struct SettingsReading {
    /// Whether files that the text includes are read: not those of a recording, which may come from others.
    let followsIncludes: Bool
    /// The values so far.
    private(set) var loaded = LoadedSettings()
    /// The errors so far.
    var problems: [SettingsProblem] = []
    /// The keys whose values were refused.
    private var refused: Set<String> = []
    /// The files that are being read, from the first one to the one that it includes, and so on.
    private var open: [String] = []
    /// All files in the order of reading.
    private var files: [String] = []

    /// Creates a reading of the defaults.
    init(followsIncludes: Bool = false) { self.followsIncludes = followsIncludes }

    /// Processes the text of a file, and before it those of the files that it includes.
    mutating func take(_ bytes: [UInt8], source: String) {
        if open.isEmpty {
            loaded.file = source
            loaded.given.file = bytes
        }
        open.append(source)
        files.append(source)
        defer { open.removeLast() }
        let (root, mistakes) = SettingsReader.read(bytes)
        problems += mistakes.map { SettingsProblem(source: source, position: $0.0, text: $0.1) }
        if case .mapping(let entries, _) = root {
            for entry in entries where entry.key == SettingsRegistry.includeKey { include(entry, source: source) }
            for entry in entries { take(entry, section: nil, source: source) }
        } else {
            problems.append(
                SettingsProblem(source: source, position: root.position, text: "settings are `key: value` lines"))
        }
        sortByPlace()
    }

    /// Maximum number of files, and of files that include each other.
    private static let fileLimit = 16
    private static let depthLimit = 4

    /// Reads the files that a file includes.
    private mutating func include(_ entry: SettingsEntry, source: String) {
        // A list that cannot be read is reported where the key is.
        guard let paths = try? SettingsCoder<[String]>.paths.decode(entry.value), !paths.isEmpty else { return }
        guard followsIncludes else {
            return report(source, entry.position, "include: files cannot be included here; write their keys")
        }
        // For recordings the keys are written out: their reader does not have these files.
        loaded.hasIncludes = true
        for path in paths {
            let place = path.hasPrefix("/") ? path : "\(AtomicFile.folder(of: source))/\(path)"
            guard !open.contains(place) else {
                report(source, entry.position, "include: \(path) includes this file again; take one of the two off")
                continue
            }
            guard open.count < Self.depthLimit, files.count < Self.fileLimit else {
                let limits = "\(Self.fileLimit) files, \(Self.depthLimit) of them within each other"
                return report(source, entry.position, "include: at most \(limits); write keys into fewer files")
            }
            switch SettingsFile.read(place, isIncluded: true) {
            case .success(let bytes): take(bytes, source: place)
            case .failure(let problem): report(source, entry.position, "include: \(problem)")
            }
        }
    }

    /// Processes a value of the command line.
    mutating func take(_ option: SettingsOption) {
        guard option.path != SettingsRegistry.includeKey else {
            return report(option.spelling, nil, "files are included by a file; give --config, or write a file")
        }
        guard let key = SettingsRegistry.key(option.path) else {
            let guess = Spelling.nearest(to: option.path, in: SettingsRegistry.keys.map(\.path))
            report(
                option.spelling, nil, "there is no key `\(option.path)`\(guess.map { "; did you mean `\($0)`?" } ?? "")"
            )
            return
        }
        let (node, mistakes) = SettingsReader.readValue(option.value)
        for (_, text) in mistakes { report(option.spelling, nil, text) }
        guard mistakes.isEmpty else {
            refused.insert(key.path)
            return
        }
        loaded.given.options.append(RecordedSettings.Option(path: option.path, value: option.value))
        apply(key, node, origin: .option(option.spelling), source: option.spelling)
    }

    /// Runs the checks of more than one key, after all keys were read: each whose keys have the values that were
    /// meant.
    mutating func checkTogether() {
        // A misspelled key or a line that is no YAML may be one of the keys of a check: the check then needs all its
        // keys from the file or the options.
        let isComplete = problems.count == refused.count
        for check in SettingsRegistry.checks where refused.isDisjoint(with: check.keys) {
            guard isComplete || check.keys.allSatisfy({ loaded.origins[$0] != nil }),
                let complaint = check.complaint(loaded.settings)
            else { continue }
            let origin = check.keys.lazy.compactMap { [loaded] in loaded.origins[$0] }.first ?? .builtIn
            switch origin {
            case .file(let file, let position): report(file, position, "\(check.path): \(complaint)")
            case .option(let option): report(option, nil, "\(check.path): \(complaint)")
            case .builtIn: report(loaded.file ?? "settings", nil, "\(check.path): \(complaint)")
            }
        }
        sortByPlace()
    }

    /// The errors of the files in their order, then those of the options.
    private mutating func sortByPlace() {
        let start = TextPosition(line: 0, column: 0)
        var sorted: [SettingsProblem] = []
        for file in files where !sorted.contains(where: { $0.source == file }) {
            sorted += problems.filter { $0.source == file }
                .sorted { ($0.position ?? start) < ($1.position ?? start) }
        }
        problems = sorted + problems.filter { !files.contains($0.source) }
    }

    /// Settings for recordings: the text of the only file and the options, or every key that was set.
    mutating func finishGiven() {
        guard loaded.hasIncludes else { return }
        loaded.given.file = nil
        loaded.given.options = SettingsRegistry.keys.filter {
            loaded.origins[$0.path] != nil && $0.path != SettingsRegistry.includeKey
        }.map { RecordedSettings.Option(path: $0.path, value: $0.show(loaded.settings)) }
    }

    private mutating func take(_ entry: SettingsEntry, section: SettingsSection?, source: String) {
        let path = section.map { "\($0.name).\(entry.key)" } ?? entry.key
        if section == nil, let inner = SettingsRegistry.sections.first(where: { $0.name == entry.key }) {
            takeSection(inner, entry, source: source)
        } else if let key = SettingsRegistry.key(path), section != nil || !path.contains(".") {
            apply(key, entry.value, origin: .file(source, entry.position), source: source)
        } else {
            report(source, entry.position, Self.unknown(entry.key, section: section))
        }
    }

    private mutating func takeSection(_ section: SettingsSection, _ entry: SettingsEntry, source: String) {
        switch entry.value {
        case .mapping(let entries, _):
            for inner in entries { take(inner, section: section, source: source) }
        case .unreadable: break
        case _ where entry.value.isNull: break
        default:
            let text = "`\(section.name)` is a section; write its keys below it, each indented by two spaces"
            report(source, entry.value.position, text)
        }
    }

    private mutating func apply(_ key: SettingsKey, _ node: SettingsNode, origin: SettingsOrigin, source: String) {
        if case .unreadable = node { return }
        do throws(SettingsComplaint) {
            try key.apply(node, &loaded.settings)
            loaded.origins[key.path] = origin
        } catch {
            refused.insert(key.path)
            if case .option = origin {
                // The option names the key.
                report(source, nil, error.text)
            } else {
                report(source, error.position ?? node.position, "\(key.path): \(error.text)")
            }
        }
    }

    private mutating func report(_ source: String, _ position: TextPosition?, _ text: String) {
        problems.append(SettingsProblem(source: source, position: position, text: text))
    }

    /// The error text for an unknown key: its correct section, or the key with a similar name.
    private static func unknown(_ name: String, section: SettingsSection?) -> String {
        let place = section.map { "`\($0.name)` has no key `\(name)`" } ?? "there is no key `\(name)`"
        if section == nil, let key = SettingsRegistry.key(name) {
            return "\(place) here; write `\(key.name)` below `\(key.section):`"
        }
        let near =
            section?.keys.map(\.name) ?? SettingsRegistry.sections.map(\.name)
            + SettingsRegistry.general.keys.map(\.name)
        if let guess = Spelling.nearest(to: name, in: near.filter { !$0.isEmpty }) {
            return "\(place); did you mean `\(guess)`?"
        }
        if let elsewhere = SettingsRegistry.keys.first(where: { $0.name == name }) {
            let home = elsewhere.section.isEmpty ? "outside any section" : "below `\(elsewhere.section):`"
            return "\(place); it belongs \(home)"
        }
        return "\(place); its keys are \(near.filter { !$0.isEmpty }.joined(separator: ", "))"
    }
}
