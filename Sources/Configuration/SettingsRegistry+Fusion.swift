import PoseMath

extension SettingsRegistry {
    /// Keys of the estimators.
    package static let fusion = SettingsSection(
        name: "fusion", summary: "How measurements become a pose.",
        keys: [
            .choice(
                SettingsKeyLabel(
                    "fusion.estimator",
                    "kalman estimates everything; complementary estimates attitude alone and passes positions "
                        + "through."),
                \.engine.fusion.estimator),
            .optionalRotation(
                SettingsKeyLabel(
                    "fusion.sensor_to_body",
                    "How the IMU sits in the body (x forward, y left, z up): the rows of the rotation from its axes. "
                        + "null: found while driving."
                ),
                \.engine.fusion.sensorToBody),
            .number(
                SettingsKeyLabel(
                    "fusion.sensor_to_body_sigma_deg",
                    "How well that is known, 1-sigma about each axis. In a vehicle it is where the search begins; "
                        + "what contradicts it wins."
                ),
                \.engine.fusion.sensorToBodySigmaRadians, unit: "deg", factor: Angle.radiansPerDegree,
                SettingsRange(0.1...30)),
            .optionalVector(
                SettingsKeyLabel(
                    "fusion.antenna_lever_arm_m",
                    "The antenna's place seen from the IMU, body axes (forward, left, up). null: taken as zero."),
                \.engine.fusion.antennaLeverArmBodyMeters, unit: "m", SettingsRange(-50...50)),
            .number(
                SettingsKeyLabel(
                    "fusion.position_lag_s", "How much later than its stated time the receiver's position is valid."),
                \.engine.fusion.gnssPositionLagSeconds, unit: "s", SettingsRange(-1...1)),
            .number(
                SettingsKeyLabel(
                    "fusion.worst_fix_sigma_m",
                    "A fix with a horizontal sigma of this or more is never taken as "
                        + "good."),
                \.engine.fusion.worstUsableFixSigmaMeters, unit: "m", SettingsRange(above: 0, to: 10_000)),
            .number(
                SettingsKeyLabel(
                    "fusion.course_minimum_speed_m_s", "Below this speed a course over ground means nothing."),
                \.engine.courseMinimumSpeedMetersPerSecond, unit: "m/s", SettingsRange(0...20)),
        ])
}
