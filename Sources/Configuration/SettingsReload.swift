/// What reading the settings again brought.
package struct SettingsReload: Sendable {
    /// The settings from now on: the old ones with every changed live key taken over.
    package var loaded: LoadedSettings
    /// Live keys whose value changed, by their paths.
    package var changed: [String] = []
    /// Keys whose value changed in the file but takes effect at the next start, by their paths.
    package var waiting: [String] = []

    /// Compares the settings in force with those just read.
    ///
    /// `current` must be what was in force after the last reload, so that a key that waits for a restart is named by
    /// each reload until then.
    package init(current: LoadedSettings, fresh: LoadedSettings) {
        loaded = current
        for key in SettingsRegistry.keys where key.show(current.settings) != key.show(fresh.settings) {
            guard key.reload == .live else {
                waiting.append(key.path)
                continue
            }
            key.copy(fresh.settings, &loaded.settings)
            loaded.origins[key.path] = fresh.origins[key.path]
            changed.append(key.path)
        }
    }

    /// One line for the log and the status.
    package var summary: String {
        var parts: [String] = []
        if !changed.isEmpty { parts.append("changed \(changed.joined(separator: ", "))") }
        if !waiting.isEmpty { parts.append("a restart is needed for \(waiting.joined(separator: ", "))") }
        return parts.isEmpty
            ? "settings read again, nothing changed" : "settings read again: " + parts.joined(separator: "; ")
    }
}
