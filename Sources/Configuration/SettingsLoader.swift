import DriveRecording
import Glibc

/// The origin of a value.
package enum SettingsOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The default.
    case builtIn
    /// A settings file.
    case file(String, TextPosition)
    /// An option of the command line.
    case option(String)

    /// A word or a position.
    package var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let path, let position): "\(path):\(position.line)"
        case .option(let option): option
        }
    }
}

/// Settings that passed all checks, and the origin of each value.
package struct LoadedSettings: Sendable {
    /// The settings.
    package var settings = Settings()
    /// Path of the file; `nil` without a file.
    package var file: String?
    /// Origins of the keys that were set, by path.
    package var origins: [String: SettingsOrigin] = [:]
    /// The content of the file and the options as they were given, for recordings.
    package var given = RecordedSettings()
    /// Whether the file includes others.
    var hasIncludes = false

    /// The defaults.
    package init() {}

    /// The origin of a key's value.
    package func origin(of key: SettingsKey) -> SettingsOrigin { origins[key.path] ?? .builtIn }
}

/// All errors of settings that failed a check.
package struct SettingsFailure: Error, CustomStringConvertible {
    /// The errors in the order of the file.
    package var problems: [SettingsProblem]

    /// One line per error.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A value from the command line.
package struct SettingsOption: Sendable {
    /// The option as the user wrote it, such as `--set gps.port=2950`.
    package var spelling: String
    /// Path of the key.
    package var path: String
    /// The value, as written in a file.
    package var value: String

    /// Creates an option that sets one key.
    package init(spelling: String, path: String, value: String) {
        self.spelling = spelling
        self.path = path
        self.value = value
    }

    /// Parses the `KEY=VALUE` of `--set`; `nil` without an equals sign.
    package init?(assignment: String) {
        guard let equals = assignment.firstIndex(of: "=") else { return nil }
        let path = String(assignment[..<equals]).trimmingSpaces
        self.init(spelling: "--set \(path)", path: path, value: String(assignment[assignment.index(after: equals)...]))
    }
}

/// Loads settings. They are valid only if there is no error.
package enum SettingsLoader {
    /// Reads a file, if there is one, and then the options, which override it. An unreadable file is reported like any
    /// other error.
    package static func load(file: String?, options: [SettingsOption] = []) throws(SettingsFailure) -> LoadedSettings {
        var reading = SettingsReading(followsIncludes: true)
        if let file {
            switch SettingsFile.read(file) {
            case .success(let bytes): reading.take(bytes, source: file)
            case .failure(let problem): reading.problems.append(problem)
            }
        }
        for option in options { reading.take(option) }
        reading.checkTogether()
        reading.finishGiven()
        guard reading.problems.isEmpty else { throw SettingsFailure(problems: reading.problems) }
        return reading.loaded
    }

    /// Reads the settings of a recording, in the same way as the daemon read them; `name` identifies it in messages.
    package static func load(_ recorded: RecordedSettings, name: String) throws(SettingsFailure) -> LoadedSettings {
        var reading = SettingsReading()
        if let bytes = recorded.file { reading.take(bytes, source: "\(name): posed.yaml") }
        for option in recorded.options {
            reading.take(
                SettingsOption(
                    spelling: "\(name): --set \(option.path)", path: option.path, value: option.value))
        }
        reading.checkTogether()
        guard reading.problems.isEmpty else { throw SettingsFailure(problems: reading.problems) }
        return reading.loaded
    }

    /// Reads settings from a text; `name` identifies it in messages, and is its path if it may include files.
    package static func load(
        text: String, name: String, followsIncludes: Bool = false
    ) throws(SettingsFailure) -> LoadedSettings {
        var reading = SettingsReading(followsIncludes: followsIncludes)
        reading.take(Array(text.utf8), source: name)
        reading.checkTogether()
        guard reading.problems.isEmpty else { throw SettingsFailure(problems: reading.problems) }
        return reading.loaded
    }
}
