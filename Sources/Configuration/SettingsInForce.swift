/// The settings a running daemon goes by, and what became of the last try to change them.
package struct SettingsInForce: Sendable {
    /// The settings.
    package private(set) var loaded: LoadedSettings
    /// What the last reload brought, one line; `nil` before the first. A refused file says so here until a good one is
    /// read.
    package private(set) var lastReload: String?
    /// Whether the last reload was refused.
    package private(set) var isReloadRefused = false
    private let sources: SettingsSources

    /// The settings at the start, and where to find them again.
    package init(_ loaded: LoadedSettings, sources: SettingsSources) {
        self.loaded = loaded
        self.sources = sources
    }

    /// Reads the settings again. Returns what changed, or every mistake; with a mistake all stays as it was.
    package mutating func reload() -> Result<SettingsReload, SettingsFailure> {
        do throws(SettingsFailure) {
            let reload = SettingsReload(current: loaded, fresh: try sources.load())
            loaded = reload.loaded
            lastReload = reload.summary
            isReloadRefused = false
            return .success(reload)
        } catch {
            let first = error.problems.first?.description ?? "unknown mistake"
            let more = error.problems.count > 1 ? " (and \(error.problems.count - 1) more)" : ""
            lastReload = "settings refused, the old ones hold: \(first)\(more)"
            isReloadRefused = true
            return .failure(error)
        }
    }
}
