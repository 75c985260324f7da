/// A rule that concerns more than one key.
struct SettingsCheck: Sendable {
    /// The key that is named when the rule is broken.
    var path: String
    /// What is wrong, or `nil` when all is right.
    var complaint: @Sendable (Settings) -> String?
}

extension SettingsRegistry {
    /// Every rule that concerns more than one key.
    static let checks: [SettingsCheck] = []
}
