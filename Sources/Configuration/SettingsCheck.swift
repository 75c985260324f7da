/// A check of more than one key.
struct SettingsCheck: Sendable {
    /// The key named in the error message.
    var path: String
    /// All keys that the check reads, the named one first.
    var keys: [String]
    /// The error text, or `nil` if the check passes.
    var complaint: @Sendable (Settings) -> String?
}

extension SettingsRegistry {
    /// All checks of more than one key.
    static let checks: [SettingsCheck] = daemonChecks + bridgeChecks

    private static let daemonChecks: [SettingsCheck] = [
        vehicleBusCheck,
        SettingsCheck(path: "speed.red_ratio", keys: ["speed.red_ratio", "speed.orange_ratio"]) { settings in
            let (orange, red) = (settings.engine.speedAdvice.orangeRatio, settings.engine.speedAdvice.redRatio)
            guard red < orange else { return nil }
            return
                "\(SettingsNumber.text(red)) is below speed.orange_ratio (\(SettingsNumber.text(orange))); give that "
                + "or more"
        },
        SettingsCheck(path: "imu.reopen_s", keys: ["imu.reopen_s", "imu.stale_s"]) { settings in
            let (stale, reopen) = (settings.imu.staleAfterSeconds, settings.imu.reopenAfterSeconds)
            guard reopen < stale else { return nil }
            return
                "\(SettingsNumber.text(reopen)) is below imu.stale_s (\(SettingsNumber.text(stale))); give that or more"
        },
        SettingsCheck(path: "outputs.gpsd_port", keys: ["outputs.gpsd_port", "gps.port", "gps.receivers"]) { settings in
            let read = settings.gps.perReceiver.first { receiver in
                ["localhost", "127.0.0.1", "::1"].contains(receiver.host)
                    && settings.outputs.gpsdPort == Int(receiver.port)
            }
            guard settings.isGPSEnabled, let read else { return nil }
            let key = settings.gps.receivers.isEmpty ? "gps.port" : "a port of gps.receivers"
            return "\(read.port) is \(key), from which posed reads; give another port, such as 2948"
        },
        SettingsCheck(path: "gps.receivers", keys: ["gps.receivers", "gps.device"]) { settings in
            guard !settings.gps.receivers.isEmpty, let device = settings.gps.device else { return nil }
            return "gps.device (\(device)) names one receiver; take it off, and name it in the list"
        },
    ]
}
