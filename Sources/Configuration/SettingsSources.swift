/// The sources of a daemon's settings, kept for a reload.
package struct SettingsSources: Sendable {
    /// Path of the file; `nil` without a file.
    package var file: String?
    /// Options of the command line; they override the file, also after a reload.
    package var options: [SettingsOption]

    /// Creates sources.
    package init(file: String? = nil, options: [SettingsOption] = []) {
        self.file = file
        self.options = options
    }

    /// Loads the current settings.
    package func load() throws(SettingsFailure) -> LoadedSettings {
        try SettingsLoader.load(file: file, options: options)
    }
}
