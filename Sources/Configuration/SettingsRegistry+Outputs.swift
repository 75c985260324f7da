extension SettingsRegistry {
    /// Keys of the output formats for other programs.
    package static let outputs = SettingsSection(
        name: "outputs",
        summary:
            "The fused pose in formats for programs that do not know posed.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "outputs.nmea_path",
                    "Path of the symbolic link to a pseudo-terminal with NMEA 0183 (RMC, GGA, VTG, HDT, "
                        + "PASHR, OHPR), such as /run/posed-outputs/nmea. null: none."
                ),
                \.outputs.nmeaPath, .absoluteFile),
            .number(
                SettingsKeyLabel(
                    "outputs.nmea_rate_hz",
                    "Rate of the NMEA sentences."), \.outputs.nmeaRateHertz,
                unit: "Hz", SettingsRange(1...50)),
            .optionalInteger(
                SettingsKeyLabel(
                    "outputs.gpsd_port",
                    "Port of 127.0.0.1 with gpsd's protocol (TPV and ATT); every user of this machine can "
                        + "read it. null: none."
                ),
                \.outputs.gpsdPort, 1...65535),
            .number(
                SettingsKeyLabel(
                    "outputs.gpsd_rate_hz",
                    "Rate of the reports in gpsd's protocol."),
                \.outputs.gpsdRateHertz, unit: "Hz",
                SettingsRange(1...50)),
        ])
}
