import Glibc

/// The sources of a daemon's settings, kept for a reload.
package struct SettingsSources: Sendable {
    /// Path of the file; `nil`: the default file, if there is one.
    package var file: String?
    /// Path of the file that is read where no other is given, if it exists by then; `nil` for none.
    package var defaultFile: String?
    /// Options of the command line; they override the file, also after a reload.
    package var options: [SettingsOption]

    /// Creates sources.
    package init(file: String? = nil, defaultFile: String? = nil, options: [SettingsOption] = []) {
        self.file = file
        self.defaultFile = defaultFile
        self.options = options
    }

    /// Loads the current settings.
    package func load() throws(SettingsFailure) -> LoadedSettings {
        let present = defaultFile.flatMap { access($0, F_OK) == 0 ? $0 : nil }
        return try SettingsLoader.load(file: file ?? present, options: options)
    }
}
