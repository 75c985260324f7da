/// The settings in force of a running daemon, and the result of the last reload.
package struct SettingsInForce: Sendable {
    /// The settings.
    package private(set) var loaded: LoadedSettings
    /// Result of the last reload in one line; `nil` before the first. After a rejected file it contains the error until
    /// a valid file is read.
    package private(set) var lastReload: String?
    /// Whether the last reload was rejected.
    package private(set) var isReloadRefused = false
    private var sources: SettingsSources

    /// The settings at the start, and the sources for a reload.
    package init(_ loaded: LoadedSettings, sources: SettingsSources) {
        self.loaded = loaded
        self.sources = sources
        keepFile()
    }

    /// From now on the file that was read is the one to read: where it vanishes, it is missed.
    private mutating func keepFile() { sources.file = sources.file ?? loaded.file }

    /// Reads the settings again. Returns the changes, or all errors; after an error nothing changes.
    package mutating func reload() -> Result<SettingsReload, SettingsFailure> {
        do throws(SettingsFailure) {
            let reload = SettingsReload(current: loaded, fresh: try sources.load())
            loaded = reload.loaded
            keepFile()
            lastReload = reload.summary
            isReloadRefused = false
            return .success(reload)
        } catch {
            let first = error.problems.first?.description ?? "unknown mistake"
            let more = error.problems.count > 1 ? " (and \(error.problems.count - 1) more)" : ""
            lastReload = "settings rejected, the old ones stay in force: \(first)\(more)"
            isReloadRefused = true
            return .failure(error)
        }
    }
}
