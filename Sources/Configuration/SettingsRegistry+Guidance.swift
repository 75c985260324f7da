extension SettingsRegistry {
    /// Keys of route following.
    package static let guidance = SettingsSection(
        name: "guidance",
        summary:
            "Route following.",
        keys: [
            .number(
                SettingsKeyLabel(
                    "guidance.maneuver_reached_m",
                    "Distance before a maneuver at which it counts as reached."),
                \.engine.guidance.maneuverReachedMeters, unit: "m", SettingsRange(1...200)),
            .number(
                SettingsKeyLabel(
                    "guidance.arrival_m",
                    "Distance before the end of the route at which the vehicle has arrived."),
                \.engine.guidance.arrivalMeters, unit: "m", SettingsRange(10...50)),
            .number(
                SettingsKeyLabel(
                    "guidance.departure_m",
                    "Minimum distance from the route for a departure that the direction of travel explains; "
                        + "larger if the position is inaccurate."),
                \.engine.guidance.departureMeters, unit: "m", SettingsRange(5...500)),
            .number(
                SettingsKeyLabel(
                    "guidance.departure_s",
                    "Minimum duration of a departure that the direction of travel explains."),
                \.engine.guidance.departureSeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel(
                    "guidance.unexplained_departure_m",
                    "Minimum distance from the route for a departure without a visible turn off the route."),
                \.engine.guidance.unexplainedDepartureMeters, unit: "m", SettingsRange(10...1000)),
            .number(
                SettingsKeyLabel(
                    "guidance.unexplained_departure_s",
                    "Minimum duration of a departure without a visible turn off the route."),
                \.engine.guidance.unexplainedDepartureSeconds, unit: "s", SettingsRange(0...120)),
            .number(
                SettingsKeyLabel(
                    "guidance.approach_m",
                    "Before the route is joined, a vehicle within this distance counts as approaching and not "
                        + "as off route."),
                \.engine.guidance.approachMeters, unit: "m", SettingsRange(0...5000)),
            .number(
                SettingsKeyLabel(
                    "guidance.approach_s",
                    "Maximum duration of the approach, counted in motion."), \.engine.guidance.approachSeconds,
                unit: "s",
                SettingsRange(0...3600)),
            .number(
                SettingsKeyLabel(
                    "guidance.coasting_s",
                    "How long the progress continues by the speed alone; in a tunnel, until its end."),
                \.engine.guidance.coastingSeconds, unit: "s", SettingsRange(0...600)),
            .number(
                SettingsKeyLabel(
                    "guidance.return_s",
                    "How long the vehicle must follow the route again to be back on it."),
                \.engine.guidance.returnSeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel(
                    "guidance.wrong_way_s",
                    "Minimum duration of travel against the route for the state wrong way."),
                \.engine.guidance.wrongWaySeconds, unit: "s", SettingsRange(0...60)),
            .number(
                SettingsKeyLabel(
                    "guidance.u_turn_s",
                    "How long the next point of the route must be behind the vehicle before a U-turn is "
                        + "announced."),
                \.engine.guidance.uTurnSeconds, unit: "s", SettingsRange(1...120)),
            .number(
                SettingsKeyLabel(
                    "guidance.map_sigma_m",
                    "Cross-track distance of a vehicle on the road from the route line, 1-sigma."),
                \.engine.guidance.mapSigmaMeters, unit: "m", SettingsRange(above: 0, to: 100)),
            .number(
                SettingsKeyLabel(
                    "guidance.worst_sigma_m",
                    "A position with a larger sigma is not used for guidance."),
                \.engine.guidance.maximumPositionSigmaMeters, unit: "m", SettingsRange(1...1000)),
        ])

    /// Keys of the speed colour.
    package static let speed = SettingsSection(
        name: "speed",
        summary:
            "The speed colour: blue, orange or red.",
        keys: [
            .optionalNumber(
                SettingsKeyLabel(
                    "speed.fallback_limit_km_h",
                    "The limit where none is known. null: no limit and no colour."),
                \.engine.speedAdvice.fallbackLimitMetersPerSecond, unit: "km/h", factor: 1 / 3.6, SettingsRange(5...300)
            ),
            .number(
                SettingsKeyLabel(
                    "speed.orange_ratio",
                    "The colour is orange from this ratio of speed to limit."),
                \.engine.speedAdvice.orangeRatio, unit: nil, SettingsRange(0.5...2)),
            .number(
                SettingsKeyLabel(
                    "speed.red_ratio",
                    "The colour is red above this ratio of speed to limit."),
                \.engine.speedAdvice.redRatio, unit: nil, SettingsRange(0.5...3)),
            .speedTable(
                SettingsKeyLabel(
                    "speed.table",
                    "Thresholds by limit, for the rules of a country: rows of limit, orange %, orange km/h, "
                        + "red %, red km/h. A row applies to its limit and higher ones up to the next row. The "
                        + "colour is orange from limit + orange % + orange km/h, and red above limit + red % + red "
                        + "km/h. null: the two ratios."
                ),
                \.engine.speedAdvice.table),
            .number(
                SettingsKeyLabel(
                    "speed.indicated_ratio",
                    "Ratio of the speedometer's speed to the true speed; the colour uses the speedometer's "
                        + "speed."),
                \.engine.speedAdvice.indicatedRatio, unit: nil, SettingsRange(0.8...1.2)),
            .scaledNumber(
                SettingsKeyLabel(
                    "speed.indicated_offset_km_h",
                    "Offset of the speedometer while the vehicle moves."),
                \.engine.speedAdvice.indicatedOffsetMetersPerSecond, unit: "km/h", factor: 1 / 3.6,
                SettingsRange(-10...20)),
            .number(
                SettingsKeyLabel(
                    "speed.period_s",
                    "Period of the colour decision."),
                \.engine.speedAdvice.periodSeconds, unit: "s", SettingsRange(0...10)),
            .scaledNumber(
                SettingsKeyLabel(
                    "speed.hysteresis_km_h",
                    "The lower colour is shown at once if the speed is below the threshold by this amount."),
                \.engine.speedAdvice.hysteresisMetersPerSecond, unit: "km/h", factor: 1 / 3.6, SettingsRange(0...20)),
            .number(
                SettingsKeyLabel(
                    "speed.hold_s",
                    "How long the speed must stay just below a threshold before the lower colour is shown."),
                \.engine.speedAdvice.holdSeconds, unit: "s", SettingsRange(0...60)),
        ])
}
