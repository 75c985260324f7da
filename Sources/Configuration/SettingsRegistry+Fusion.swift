import PoseMath

extension SettingsRegistry {
    /// Keys of the estimators.
    package static let fusion = SettingsSection(
        name: "fusion",
        summary:
            "The estimators.",
        keys: [
            .choice(
                SettingsKeyLabel(
                    "fusion.estimator",
                    "kalman estimates the full pose; complementary estimates attitude only and passes "
                        + "positions through."),
                \.engine.fusion.estimator),
            .optionalRotation(
                SettingsKeyLabel(
                    "fusion.sensor_to_body",
                    "Mount of the IMU in the body (x forward, y left, z up): the rows of the rotation from "
                        + "IMU axes to body axes. null: estimated while driving in a vehicle; on a person and in a "
                        + "boat its axes are those of the body."
                ),
                \.engine.fusion.sensorToBody),
            .number(
                SettingsKeyLabel(
                    "fusion.sensor_to_body_sigma_deg",
                    "Uncertainty of the mount, 1-sigma about each axis. In a vehicle the mount is the initial "
                        + "value of the estimate; measurements that contradict it override it. On a person and in "
                        + "a boat it is a part of the published sigmas."
                ),
                \.engine.fusion.sensorToBodySigmaRadians, unit: "deg", factor: Angle.radiansPerDegree,
                SettingsRange(0.1...30)),
            .optionalVector(
                SettingsKeyLabel(
                    "fusion.antenna_lever_arm_m",
                    "Position of the antenna relative to the IMU in body axes (forward, left, up). In a vehicle the "
                        + "drive corrects forward and left (1-sigma 0.3 m). null: found in a vehicle, zero on a "
                        + "person and in a boat, where it should be stated: waves swing it."),
                \.engine.fusion.antennaLeverArmBodyMeters, unit: "m", SettingsRange(-50...50)),
            .number(
                SettingsKeyLabel(
                    "fusion.position_lag_s",
                    "Age of the receiver's position beyond its time stamp: a fix stamped t shows the place at t minus "
                        + "this. Of the first receiver. 0: found in a vehicle or a boat."),
                \.engine.fusion.gnssPositionLagSeconds, unit: "s", SettingsRange(-1...1)),
            .optionalNumber(
                SettingsKeyLabel(
                    "fusion.heading_baseline_deg",
                    "Angle of the baseline of a receiver with two antennas: clockwise from forward. The drive corrects "
                        + "it. null: found by driving; until then the receiver's heading is not used."),
                \.engine.fusion.headingBaselineRadians, unit: "deg", factor: Angle.radiansPerDegree,
                SettingsRange(-180...180)),
            .optionalNumber(
                SettingsKeyLabel(
                    "fusion.gyro_noise_deg_s_sqrt_hz",
                    "Random walk of the gyro at rest, as posectl calibrate noise measures it. null: that of a consumer "
                        + "sensor (0.01). The vibration of a drive is measured, and added."),
                \.engine.fusion.gyroNoise, unit: "deg/s/sqrt(Hz)", factor: Angle.radiansPerDegree,
                SettingsRange(0.0001...1)),
            .optionalNumber(
                SettingsKeyLabel(
                    "fusion.accelerometer_noise_m_s2_sqrt_hz",
                    "The same of the accelerometer. null: that of a consumer sensor (0.005)."),
                \.engine.fusion.accelerometerNoise, unit: "m/s2/sqrt(Hz)", SettingsRange(0.00001...1)),
            .number(
                SettingsKeyLabel(
                    "fusion.worst_fix_sigma_m",
                    "A fix with this horizontal error (1-sigma, both axes together) or more is rejected."),
                \.engine.fusion.worstUsableFixSigmaMeters, unit: "m", SettingsRange(above: 0, to: 10_000)),
            .number(
                SettingsKeyLabel(
                    "fusion.course_minimum_speed_m_s",
                    "Minimum speed for a valid course over ground."),
                \.engine.courseMinimumSpeedMetersPerSecond, unit: "m/s", SettingsRange(0...20)),
        ])
}
