/// A check of more than one key.
struct SettingsCheck: Sendable {
    /// The key named in the error message.
    var path: String
    /// The error text, or `nil` if the check passes.
    var complaint: @Sendable (Settings) -> String?
}

extension SettingsRegistry {
    /// All checks of more than one key.
    static let checks: [SettingsCheck] = [
        vehicleBusCheck,
        SettingsCheck(path: "speed.red_ratio") { settings in
            let (orange, red) = (settings.engine.speedAdvice.orangeRatio, settings.engine.speedAdvice.redRatio)
            guard red < orange else { return nil }
            return
                "\(SettingsNumber.text(red)) is below speed.orange_ratio (\(SettingsNumber.text(orange))); give that "
                + "or more"
        },
        SettingsCheck(path: "imu.reopen_s") { settings in
            let (stale, reopen) = (settings.imu.staleAfterSeconds, settings.imu.reopenAfterSeconds)
            guard reopen < stale else { return nil }
            return
                "\(SettingsNumber.text(reopen)) is below imu.stale_s (\(SettingsNumber.text(stale))); give that or more"
        },
    ]
}
