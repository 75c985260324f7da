/// Where a daemon's settings come from, kept so that they can be read again while it runs.
public struct SettingsSources: Sendable {
    /// The file; `nil` where there is none.
    public var file: String?
    /// What the command line set; it wins over the file, also on a reload.
    public var options: [SettingsOption]

    /// The sources.
    public init(file: String? = nil, options: [SettingsOption] = []) {
        self.file = file
        self.options = options
    }

    /// Reads the settings as they stand now.
    public func load() throws(SettingsFailure) -> LoadedSettings {
        try SettingsLoader.load(file: file, options: options)
    }
}
