/// Settings of the state that is saved from one drive to the next.
package struct StateSettings: Sendable, Equatable {
    /// Whether what a drive finds is saved for the next one: the mount, what was learned of the sensors, the last stop.
    package var keepsMount = true
    /// The folder of the state files; `nil`: the service manager's folder.
    package var folder: String?

    /// The defaults.
    package init() {}

    /// The folder in force; `nil`: none, and nothing is saved.
    ///
    /// - Parameter environment: of the process. systemd's StateDirectory= sets `STATE_DIRECTORY`, with several folders
    ///   separated by colons.
    package func folder(environment: [String: String]) -> String? {
        if let folder { return folder }
        guard let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") else {
            return nil
        }
        return String(given)
    }
}
