extension SettingsRegistry {
    /// Keys of the satellite receiver.
    static let gps = SettingsSection(
        name: "gps", summary: "The satellite receiver, asked through gpsd.",
        keys: [
            .boolean(SettingsKeyLabel("gps.enabled", "Whether gpsd is asked at all."), \.isGPSEnabled),
            .text(
                SettingsKeyLabel("gps.host", "The host gpsd runs on; another than this one must be allowed in the unit's sandbox too."), \.gps.host,
                .host),
            .port(SettingsKeyLabel("gps.port", "The TCP port of gpsd."), \.gps.port),
            .optionalText(
                SettingsKeyLabel(
                    "gps.device",
                    "The one receiver to listen to, as gpsd names it, such as /dev/ttyACM0. null: the first with a fix, another when that falls silent."
                ),
                \.gps.device, .file),
            .choice(
                SettingsKeyLabel("gps.error_confidence", "What gpsd's error estimates are taken for; automatic knows the u-blox protocol's 1-sigma."),
                \.gps.errorConfidence),
            .number(
                SettingsKeyLabel("gps.latency_s", "How long a fix takes from its time of validity to here, used while the system clock cannot tell."),
                \.gps.nominalLatencySeconds, unit: "s", SettingsRange(0...1.5)),
            .number(
                SettingsKeyLabel("gps.maximum_speed_m_s", "A speed above this is an error of the receiver."),
                \.gps.maximumSpeedMetersPerSecond, unit: "m/s", SettingsRange(1...1000)),
        ])
}
