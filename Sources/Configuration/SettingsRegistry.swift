/// A group of keys that belong together in a settings file.
package struct SettingsSection: Sendable {
    /// The name the section has in a file; empty for the keys outside any section.
    package let name: String
    /// What its keys are about, one sentence.
    package let summary: String
    /// Its keys, in the order they are shown.
    package let keys: [SettingsKey]
}

/// Every key there is. The reader, `--check`, `--print-config`, the sample file and the reference page all come from
/// here.
package enum SettingsRegistry {
    /// The sections in the order they are shown; the keys outside any section come first.
    package static let sections: [SettingsSection] = [
        general, gps, imu, fusion, guidance, speed, routing, roads, points, scene, sockets, outputs, state, process,
    ]

    /// All keys in the order they are shown.
    package static let keys: [SettingsKey] = sections.flatMap(\.keys)

    /// The key with this path, such as `gps.port`.
    package static func key(_ path: String) -> SettingsKey? { keysByPath[path] }

    private static let keysByPath = Dictionary(keys.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
}
