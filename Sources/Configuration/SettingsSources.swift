/// Where a daemon's settings come from, kept so that they can be read again while it runs.
package struct SettingsSources: Sendable {
    /// The file; `nil` where there is none.
    package var file: String?
    /// What the command line set; it wins over the file, also on a reload.
    package var options: [SettingsOption]

    /// The sources.
    package init(file: String? = nil, options: [SettingsOption] = []) {
        self.file = file
        self.options = options
    }

    /// Reads the settings as they stand now.
    package func load() throws(SettingsFailure) -> LoadedSettings {
        try SettingsLoader.load(file: file, options: options)
    }
}
