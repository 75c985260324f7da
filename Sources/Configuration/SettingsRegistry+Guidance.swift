extension SettingsRegistry {
    /// Keys of route following.
    package static let guidance = SettingsSection(
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
                    "guidance.departure_m",
                    "Farther from the route than this is a departure, if it lasts; more where the position is poor."),
                \.engine.guidance.departureMeters, unit: "m", SettingsRange(5...500)),
            .number(
                SettingsKeyLabel(
                    "guidance.departure_s", "How long a departure must last that the direction of travel explains."),
                \.engine.guidance.departureSeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel(
                    "guidance.unexplained_departure_m",
                    "Farther than this is a departure even if the vehicle was never seen to turn away."),
                \.engine.guidance.unexplainedDepartureMeters, unit: "m", SettingsRange(10...1000)),
            .number(
                SettingsKeyLabel("guidance.unexplained_departure_s", "How long that must last."),
                \.engine.guidance.unexplainedDepartureSeconds, unit: "s", SettingsRange(0...120)),
            .number(
                SettingsKeyLabel(
                    "guidance.approach_m",
                    "Before the route was joined, a vehicle this near to it is on its way there and not off it."),
                \.engine.guidance.approachMeters, unit: "m", SettingsRange(0...5000)),
            .number(
                SettingsKeyLabel("guidance.approach_s", "For how long in motion."), \.engine.guidance.approachSeconds,
                unit: "s",
                SettingsRange(0...3600)),
            .number(
                SettingsKeyLabel(
                    "guidance.coasting_s", "How long the progress goes on by the speed alone; in a tunnel to its end."),
                \.engine.guidance.coastingSeconds, unit: "s", SettingsRange(0...600)),
            .number(
                SettingsKeyLabel("guidance.return_s", "How long the route must be followed again to be back on it."),
                \.engine.guidance.returnSeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel(
                    "guidance.wrong_way_s", "How long travel against the route must last to be the wrong way."),
                \.engine.guidance.wrongWaySeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel(
                    "guidance.u_turn_s",
                    "How long the route's next point must be to the rear until a turn back is needed."),
                \.engine.guidance.uTurnSeconds, unit: "s", SettingsRange(1...120)),
            .number(
                SettingsKeyLabel(
                    "guidance.map_sigma_m",
                    "How far a vehicle on the road may be from the line drawn for it, "
                        + "1-sigma."),
                \.engine.guidance.mapSigmaMeters, unit: "m", SettingsRange(above: 0, to: 100)),
            .number(
                SettingsKeyLabel("guidance.worst_sigma_m", "A position with a larger sigma is not followed."),
                \.engine.guidance.maximumPositionSigmaMeters, unit: "m", SettingsRange(1...1000)),
        ])

    /// Keys of the speed's colour.
    package static let speed = SettingsSection(
        name: "speed", summary: "When the speed is shown blue, orange or red.",
        keys: [
            .optionalNumber(
                SettingsKeyLabel(
                    "speed.fallback_limit_km_h",
                    "The limit that stands in where none is known. null: none does, and there is no colour."),
                \.engine.speedAdvice.fallbackLimitMetersPerSecond, unit: "km/h", factor: 1 / 3.6, SettingsRange(5...300)
            ),
            .number(
                SettingsKeyLabel("speed.orange_ratio", "From this share of the limit on the colour is orange."),
                \.engine.speedAdvice.orangeRatio, unit: nil, SettingsRange(0.5...2)),
            .number(
                SettingsKeyLabel("speed.red_ratio", "Above this share of the limit the colour is red."),
                \.engine.speedAdvice.redRatio, unit: nil, SettingsRange(0.5...3)),
            .speedTable(
                SettingsKeyLabel(
                    "speed.table",
                    "Other bounds by limit, for a country's rule: rows of limit, orange %, orange km/h, red %, red "
                        + "km/h. A row holds for its limit and "
                        + "higher ones up to the next row's; orange from limit + % + km/h on, red above. null: the "
                        + "two ratios."
                ),
                \.engine.speedAdvice.table),
            .number(
                SettingsKeyLabel(
                    "speed.indicated_ratio",
                    "What the vehicle's speedometer shows of the true speed; the colour goes by it."),
                \.engine.speedAdvice.indicatedRatio, unit: nil, SettingsRange(0.8...1.2)),
            .scaledNumber(
                SettingsKeyLabel("speed.indicated_offset_km_h", "How much more it shows while the vehicle moves."),
                \.engine.speedAdvice.indicatedOffsetMetersPerSecond, unit: "km/h", factor: 1 / 3.6,
                SettingsRange(-10...20)),
            .number(
                SettingsKeyLabel("speed.period_s", "How often the colour is decided."),
                \.engine.speedAdvice.periodSeconds, unit: "s", SettingsRange(0...10)),
            .scaledNumber(
                SettingsKeyLabel("speed.hysteresis_km_h", "Below a bound by this much the lower colour shows at once."),
                \.engine.speedAdvice.hysteresisMetersPerSecond, unit: "km/h", factor: 1 / 3.6, SettingsRange(0...20)),
            .number(
                SettingsKeyLabel(
                    "speed.hold_s", "How long the speed must stay just below a bound before the lower colour shows."),
                \.engine.speedAdvice.holdSeconds, unit: "s", SettingsRange(0...60)),
        ])
}
