extension SettingsRegistry {
    /// Keys of the declination.
    package static let magnetic = SettingsSection(
        name: "magnetic",
        summary:
            "The declination, with which a magnetometer's heading becomes a true one.",
        keys: [
            .optionalPlace(
                SettingsKeyLabel(
                    "magnetic.place_deg",
                    "Where posed is, while no receiver tells it: latitude and longitude. null: without a receiver "
                        + "only the magnetic heading is known."),
                \.magnetic.place),
            .optionalText(
                SettingsKeyLabel(
                    "magnetic.model",
                    "The coefficients of the World Magnetic Model (WMM.COF of NOAA). null: those installed with the "
                        + "program."),
                \.magnetic.modelFile, .file),
        ])
}
