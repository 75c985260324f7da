import Glibc

/// Where the value of a key comes from.
package enum SettingsOrigin: Hashable, Sendable, CustomStringConvertible {
    /// Nobody set it.
    case builtIn
    /// A settings file.
    case file(String, TextPosition)
    /// An option on the command line.
    case option(String)

    /// One word or a place.
    package var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let path, let position): "\(path):\(position.line)"
        case .option(let option): option
        }
    }
}

/// Settings that passed every check, and where each came from.
package struct LoadedSettings: Sendable {
    /// The settings.
    package var settings = Settings()
    /// The file they were read from; `nil` where there is none.
    package var file: String?
    /// Where each key that somebody set comes from, by its path.
    package var origins: [String: SettingsOrigin] = [:]

    /// The defaults.
    package init() {}

    /// Where a key's value comes from.
    package func origin(of key: SettingsKey) -> SettingsOrigin { origins[key.path] ?? .builtIn }
}

/// Settings that did not pass, with every mistake.
package struct SettingsFailure: Error, CustomStringConvertible {
    /// The mistakes in the order of the file.
    package var problems: [SettingsProblem]

    /// One line a mistake.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A value given on the command line.
package struct SettingsOption: Sendable {
    /// The option as the user knows it, such as `--set gps.port=2950`.
    package var spelling: String
    /// The path of the key.
    package var path: String
    /// The value as it would stand in a file.
    package var value: String

    /// The option that sets one key.
    package init(spelling: String, path: String, value: String) {
        self.spelling = spelling
        self.path = path
        self.value = value
    }

    /// Reads the `KEY=VALUE` of `--set`; `nil` without an equals sign.
    package init?(assignment: String) {
        guard let equals = assignment.firstIndex(of: "=") else { return nil }
        let path = String(assignment[..<equals]).trimmingSpaces
        self.init(spelling: "--set \(path)", path: path, value: String(assignment[assignment.index(after: equals)...]))
    }
}

/// Reads settings, and takes them only when nothing is wrong with them.
package enum SettingsLoader {
    /// Reads a file, if one is given, then the options, which win. A file that cannot be read is a mistake like any
    /// other.
    package static func load(file: String?, options: [SettingsOption] = []) throws(SettingsFailure) -> LoadedSettings {
        var reading = SettingsReading()
        if let file {
            switch SettingsFile.read(file) {
            case .success(let bytes): reading.take(bytes, source: file)
            case .failure(let problem): reading.problems.append(problem)
            }
        }
        for option in options { reading.take(option) }
        reading.checkTogether()
        guard reading.problems.isEmpty else { throw SettingsFailure(problems: reading.problems) }
        return reading.loaded
    }

    /// Reads settings from text that the caller holds; `name` stands for it in messages.
    package static func load(text: String, name: String) throws(SettingsFailure) -> LoadedSettings {
        var reading = SettingsReading()
        reading.take(Array(text.utf8), source: name)
        reading.checkTogether()
        guard reading.problems.isEmpty else { throw SettingsFailure(problems: reading.problems) }
        return reading.loaded
    }
}
