extension SettingsRegistry {
    /// Keys of the forms for other programs.
    package static let outputs = SettingsSection(
        name: "outputs", summary: "The fused pose for programs that do not know posed.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "outputs.nmea_path",
                    "Where a link to a terminal with NMEA 0183 is made (RMC, GGA, VTG, HDT, PASHR, OHPR), such as "
                        + "/run/posed-outputs/nmea. null: none."
                ),
                \.outputs.nmeaPath, .absoluteFile),
            .number(
                SettingsKeyLabel("outputs.nmea_rate_hz", "Instants a second in NMEA."), \.outputs.nmeaRateHertz,
                unit: "Hz", SettingsRange(1...50)),
            .optionalInteger(
                SettingsKeyLabel(
                    "outputs.gpsd_port",
                    "The port of 127.0.0.1 where gpsd's protocol is spoken (TPV and ATT); every user of this machine "
                        + "can read it. null: none."
                ),
                \.outputs.gpsdPort, 1...65535),
            .number(
                SettingsKeyLabel("outputs.gpsd_rate_hz", "Reports a second in gpsd's protocol."),
                \.outputs.gpsdRateHertz, unit: "Hz",
                SettingsRange(1...50)),
        ])
}
