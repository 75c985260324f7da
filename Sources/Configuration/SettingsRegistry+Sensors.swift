import SensorInterface

extension SettingsRegistry {
    /// Keys of the satellite receiver.
    package static let gps = SettingsSection(
        name: "gps", summary: "The satellite receiver, asked through gpsd.",
        keys: [
            .boolean(SettingsKeyLabel("gps.enabled", "Whether gpsd is asked at all."), \.isGPSEnabled),
            .text(
                SettingsKeyLabel(
                    "gps.host",
                    "The host gpsd runs on; another than this one must be allowed in the unit's sandbox too."),
                \.gps.host,
                .host),
            .port(SettingsKeyLabel("gps.port", "The TCP port of gpsd."), \.gps.port),
            .optionalText(
                SettingsKeyLabel(
                    "gps.device",
                    "The one receiver to listen to, as gpsd names it, such as /dev/ttyACM0. null: the first with a "
                        + "fix, another when that falls silent."
                ),
                \.gps.device, .file),
            .choice(
                SettingsKeyLabel(
                    "gps.error_confidence",
                    "What gpsd's error estimates are taken for; automatic knows the u-blox protocol's 1-sigma."),
                \.gps.errorConfidence),
            .number(
                SettingsKeyLabel(
                    "gps.latency_s",
                    "How long a fix takes from its time of validity to here, used while the system clock cannot tell."),
                \.gps.nominalLatencySeconds, unit: "s", SettingsRange(0...1.5)),
            .number(
                SettingsKeyLabel("gps.maximum_speed_m_s", "A speed above this is an error of the receiver."),
                \.gps.maximumSpeedMetersPerSecond, unit: "m/s", SettingsRange(1...1000)),
        ])

    /// Keys of the inertial sensors.
    package static let imu = SettingsSection(
        name: "imu", summary: "The inertial sensors and what goes with them, read through IIO.",
        keys: [context] + gyro + accelerometer + magnetometer + barometer + streaming)

    private static let context = SettingsKey.text(
        SettingsKeyLabel(
            "imu.context", "Where the IIO devices are: local: for this machine, or ip:HOST or ip:HOST:PORT for an iiod."
        ),
        \.imu.contextURI, .iioContext)

    private static let gyro = sensor(
        "gyro", "The gyro", unit: "rad/s",
        SensorPlaces(
            device: \.imu.gyro.device, rate: \.imu.gyro.rateHertz, scale: \.imu.gyro.scaleOverride,
            mount: \.imu.gyro.mountMatrixOverride))

    private static let accelerometer = sensor(
        "accelerometer", "The accelerometer", unit: "m/s2",
        SensorPlaces(
            device: \.imu.accelerometer.device, rate: \.imu.accelerometer.rateHertz,
            scale: \.imu.accelerometer.scaleOverride,
            mount: \.imu.accelerometer.mountMatrixOverride))

    private static let magnetometer = sensor(
        "magnetometer", "The magnetometer", unit: "gauss",
        SensorPlaces(
            device: \.imu.magnetometer.device, rate: \.imu.magnetometer.rateHertz,
            scale: \.imu.magnetometer.scaleOverride,
            mount: \.imu.magnetometer.mountMatrixOverride))

    private static let barometer: [SettingsKey] = [
        .device(
            SettingsKeyLabel("imu.barometer_device", "The barometer: which device serves."), \.imu.barometer.device),
        .number(
            SettingsKeyLabel("imu.barometer_rate_hz", "The barometer: samples a second to ask for."),
            \.imu.barometer.rateHertz, unit: "Hz", SettingsRange(above: 0, to: 8000)),
    ]

    private static let streaming: [SettingsKey] = [
        .optionalText(
            SettingsKeyLabel("imu.trigger", "The trigger to use, by its name. null: the device's own."),
            \.imu.triggerName, .word),
        .optionalInteger(
            SettingsKeyLabel("imu.buffer_samples", "Samples read at once. null: as many as cost at most 5 ms."),
            \.imu.bufferSamples, 1...4),
        .number(
            SettingsKeyLabel(
                "imu.stale_s", "Silence after which a sensor is stale; never less than five sample periods."),
            \.imu.staleAfterSeconds, unit: "s", SettingsRange(0.02...60)),
        .number(
            SettingsKeyLabel(
                "imu.reopen_s",
                "Silence after which a device is closed and opened again; never less than ten sample periods."),
            \.imu.reopenAfterSeconds, unit: "s", SettingsRange(0.05...60)),
        .number(
            SettingsKeyLabel("imu.context_timeout_s", "How long one request to a remote context may take."),
            \.imu.contextTimeoutSeconds, unit: "s", SettingsRange(0.05...60)),
        .integer(
            SettingsKeyLabel(
                "imu.stuck_samples", "Equal samples in a row after which a sensor counts as stuck. 0: never."),
            \.imu.stuckSampleLimit, 0...100_000),
    ]

    /// Where the settings of one sensor with three axes are kept.
    private struct SensorPlaces {
        var device: SettingsPlace<IIODeviceSelector>
        var rate: SettingsPlace<Double>
        var scale: SettingsPlace<Double?>
        var mount: SettingsPlace<String?>
    }

    /// The keys every sensor with three axes has.
    private static func sensor(_ name: String, _ title: String, unit: String, _ places: SensorPlaces) -> [SettingsKey] {
        [
            .device(SettingsKeyLabel("imu.\(name)_device", "\(title): which device serves."), places.device),
            .number(
                SettingsKeyLabel("imu.\(name)_rate_hz", "\(title): samples a second to ask for."), places.rate,
                unit: "Hz",
                SettingsRange(above: 0, to: 8000)),
            .optionalNumber(
                SettingsKeyLabel(
                    "imu.\(name)_scale",
                    "\(title): \(unit) of one raw count, in place of the driver's; negative turns it around."),
                places.scale, unit: nil, .factor(-1000...1000)),
            .optionalMountMatrix(
                SettingsKeyLabel(
                    "imu.\(name)_mount_matrix",
                    "\(title): the rotation from its axes to the board's, in place of the driver's."),
                places.mount),
        ]
    }
}
