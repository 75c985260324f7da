import DriveRecording

/// Result of reading the settings again.
package struct SettingsReload: Sendable {
    /// The new settings: the old ones with all changed live keys.
    package var loaded: LoadedSettings
    /// Paths of the live keys whose value changed.
    package var changed: [String] = []
    /// Paths of the changed keys that take effect at the next start.
    package var waiting: [String] = []

    /// Compares the settings in force with the new ones.
    ///
    /// `current` must be the settings after the last reload, so that each reload names a key that waits for a restart.
    package init(current: LoadedSettings, fresh: LoadedSettings) {
        loaded = current
        loaded.file = fresh.file
        for key in SettingsRegistry.keys where key.show(current.settings) != key.show(fresh.settings) {
            guard key.reload == .live else {
                waiting.append(key.path)
                continue
            }
            key.copy(fresh.settings, &loaded.settings)
            loaded.origins[key.path] = fresh.origins[key.path]
            changed.append(key.path)
            record(key)
        }
    }

    /// For recordings: the file of the start, whose other keys stay in force, and a changed key as an option.
    private mutating func record(_ key: SettingsKey) {
        // The keys of included files are written out.
        guard key.path != SettingsRegistry.includeKey else { return }
        loaded.given.options.removeAll { $0.path == key.path }
        let value = key.show(loaded.settings)
        loaded.given.options.append(RecordedSettings.Option(path: key.path, value: value))
    }

    /// One line for log and status.
    package var summary: String {
        var parts: [String] = []
        if !changed.isEmpty { parts.append("changed \(changed.joined(separator: ", "))") }
        if !waiting.isEmpty { parts.append("a restart is needed for \(waiting.joined(separator: ", "))") }
        return parts.isEmpty
            ? "settings read again, nothing changed" : "settings read again: " + parts.joined(separator: "; ")
    }
}
