/// A section of the settings file.
package struct SettingsSection: Sendable {
    /// The name of the section; empty for keys outside of sections.
    package let name: String
    /// Description of the section, one sentence.
    package let summary: String
    /// The keys in the order of the file.
    package let keys: [SettingsKey]
}

/// The registry of all keys. The reader, `--check`, `--print-config`, the sample file and the reference page all use
/// it.
package enum SettingsRegistry {
    /// All sections in the order of the file; keys outside of sections come first.
    package static let sections: [SettingsSection] = [
        general, gps, imu, vehicleBus, fusion, magnetic, guidance, speed, routing, roads, points, scene, sockets,
        outputs, state, recording, bridge, process,
    ]

    /// All keys in the order of the file.
    package static let keys: [SettingsKey] = sections.flatMap(\.keys)

    /// The key with a path, such as `gps.port`.
    package static func key(_ path: String) -> SettingsKey? { keysByPath[path] }

    private static let keysByPath = Dictionary(keys.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
}
