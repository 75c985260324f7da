/// What is kept from one drive to the next, and where.
package struct StateSettings: Sendable, Equatable {
    /// Whether the mount that was found is kept.
    package var keepsMount = true
    /// The folder of the state files; `nil`: the service manager's, and without one nothing is kept.
    package var folder: String?

    /// The defaults.
    package init() {}

    /// The folder in force; `nil`: nothing is kept.
    ///
    /// - Parameter environment: of the process; `STATE_DIRECTORY` is what systemd's StateDirectory= sets, several
    ///   separated by colons.
    package func folder(environment: [String: String]) -> String? {
        guard keepsMount else { return nil }
        if let folder { return folder }
        guard let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") else {
            return nil
        }
        return String(given)
    }
}
