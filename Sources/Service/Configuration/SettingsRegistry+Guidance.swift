extension SettingsRegistry {
    /// Keys of route following.
    static let guidance = SettingsSection(
        name: "guidance", summary: "How the route is followed.",
        keys: [
            .number(
                SettingsKeyLabel("guidance.maneuver_reached_m", "A turn counts as reached this far before it."),
                \.engine.guidance.maneuverReachedMeters, unit: "m", SettingsRange(1...200)),
            .number(
                SettingsKeyLabel("guidance.arrival_m", "The route counts as finished this far before its end."),
                \.engine.guidance.arrivalMeters, unit: "m", SettingsRange(10...50)),
            .number(
                SettingsKeyLabel(
                    "guidance.departure_m", "Farther from the route than this is a departure, if it lasts; more where the position is poor."),
                \.engine.guidance.departureMeters, unit: "m", SettingsRange(5...500)),
            .number(
                SettingsKeyLabel("guidance.departure_s", "How long a departure must last that the direction of travel explains."),
                \.engine.guidance.departureSeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel("guidance.return_s", "How long the route must be followed again to be back on it."),
                \.engine.guidance.returnSeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel("guidance.wrong_way_s", "How long travel against the route must last to be the wrong way."),
                \.engine.guidance.wrongWaySeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel("guidance.map_sigma_m", "How far a vehicle on the road may be from the line drawn for it, 1-sigma."),
                \.engine.guidance.mapSigmaMeters, unit: "m", SettingsRange(above: 0, to: 100)),
            .number(
                SettingsKeyLabel("guidance.worst_sigma_m", "A position with a larger sigma is not followed."),
                \.engine.guidance.maximumPositionSigmaMeters, unit: "m", SettingsRange(1...1000)),
        ])

    /// Keys of the speed's colour.
    static let speed = SettingsSection(
        name: "speed", summary: "When the speed is shown blue, orange or red.",
        keys: [
            .optionalNumber(
                SettingsKeyLabel(
                    "speed.fallback_limit_km_h", "The limit that stands in where none is known. null: none does, and there is no colour."),
                \.engine.speedAdvice.fallbackLimitMetersPerSecond, unit: "km/h", factor: 1 / 3.6, SettingsRange(5...300)),
            .number(
                SettingsKeyLabel("speed.orange_ratio", "From this share of the limit on the colour is orange."),
                \.engine.speedAdvice.orangeRatio, unit: nil, SettingsRange(0.5...2)),
            .number(
                SettingsKeyLabel("speed.red_ratio", "Above this share of the limit the colour is red."),
                \.engine.speedAdvice.redRatio, unit: nil, SettingsRange(0.5...3)),
            .number(
                SettingsKeyLabel("speed.hold_s", "How long the speed must stay just below a bound before the lower colour shows."),
                \.engine.speedAdvice.holdSeconds, unit: "s", SettingsRange(0...60)),
        ])
}
