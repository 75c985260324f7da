import SensorInterface

extension SettingsRegistry {
    /// Keys of the satellite receiver.
    package static let gps = SettingsSection(
        name: "gps",
        summary:
            "The satellite receiver, read through gpsd.",
        keys: [
            .boolean(
                SettingsKeyLabel(
                    "gps.enabled",
                    "Whether gpsd is used."), \.isGPSEnabled),
            .text(
                SettingsKeyLabel(
                    "gps.host",
                    "The host of gpsd. The unit's sandbox must also allow any host other than this machine."),
                \.gps.host,
                .host),
            .port(SettingsKeyLabel("gps.port", "The TCP port of gpsd."), \.gps.port),
            .optionalText(
                SettingsKeyLabel(
                    "gps.device",
                    "The receiver to use, as gpsd names it, such as /dev/ttyACM0. null: the first with a fix, "
                        + "and another one when it stops sending or has had no fix for 5 s."
                ),
                \.gps.device, .file),
            .receivers(
                SettingsKeyLabel(
                    "gps.receivers",
                    "Several receivers in the order of preference, instead of gps.host, gps.port and gps.device: the "
                        + "first that delivers fixes is used (docs/receivers.md)."),
                \.gps.receivers),
            .choice(
                SettingsKeyLabel(
                    "gps.error_confidence",
                    "Confidence level of gpsd's error estimates; automatic uses 1-sigma for the u-blox "
                        + "protocol."),
                \.gps.errorConfidence),
            .number(
                SettingsKeyLabel(
                    "gps.latency_s",
                    "Time from a fix's validity to its arrival; used while the system clock cannot give it."),
                \.gps.nominalLatencySeconds, unit: "s", SettingsRange(0...1.5)),
            .number(
                SettingsKeyLabel(
                    "gps.maximum_speed_m_s",
                    "A higher speed is treated as a receiver error."),
                \.gps.maximumSpeedMetersPerSecond, unit: "m/s", SettingsRange(1...1000)),
        ])

    /// Keys of the inertial sensors.
    package static let imu = SettingsSection(
        name: "imu",
        summary:
            "The inertial sensors, magnetometer and barometer, read through IIO.",
        keys: [context] + gyro + accelerometer + magnetometer + barometer + ranges + streaming)

    private static let context = SettingsKey.text(
        SettingsKeyLabel(
            "imu.context",
            "The IIO context: local: for this machine, or ip:HOST or ip:HOST:PORT for an iiod."
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
            SettingsKeyLabel(
                "imu.barometer_device",
                "The barometer: the device to use."), \.imu.barometer.device),
        .number(
            SettingsKeyLabel(
                "imu.barometer_rate_hz",
                "The barometer: requested sample rate."),
            \.imu.barometer.rateHertz, unit: "Hz", SettingsRange(above: 0, to: 8000)),
    ]

    private static let ranges: [SettingsKey] = [
        .optionalNumber(
            SettingsKeyLabel(
                "imu.accelerometer_range_g",
                "The accelerometer: least full-scale range; a smaller one is raised if the driver offers one. "
                    + "null: 4 g in a vehicle or a boat, 8 g on a wearable. 0: as it is."),
            \.imu.accelerometer.leastRange, unit: "g", factor: 9.80665, SettingsRange(0...1000)),
        .optionalNumber(
            SettingsKeyLabel(
                "imu.gyro_range_deg_s",
                "The gyro: least full-scale range, as above. null: 500 deg/s in a vehicle or a boat, 1000 deg/s on a "
                    + "wearable."),
            \.imu.gyro.leastRange, unit: "deg/s", factor: .pi / 180, SettingsRange(0...10_000)),
        .boolean(
            SettingsKeyLabel(
                "imu.match_filters",
                "Whether the low-pass filters of gyro and accelerometer are set to at most 0.45 of their sample rate."),
            \.imu.matchesFilters),
    ]

    private static let streaming: [SettingsKey] = [
        .optionalText(
            SettingsKeyLabel(
                "imu.trigger",
                "Name of the trigger to use. null: the trigger of the device, else that of posed-trigger.service."),
            \.imu.triggerName, .word),
        .optionalInteger(
            SettingsKeyLabel(
                "imu.buffer_samples",
                "Samples per read. null: as many as delay a sample by at most 5 ms."),
            \.imu.bufferSamples, 1...4),
        .number(
            SettingsKeyLabel(
                "imu.stale_s",
                "Time without samples after which a sensor is stale; at least five sample periods."),
            \.imu.staleAfterSeconds, unit: "s", SettingsRange(0.02...60)),
        .number(
            SettingsKeyLabel(
                "imu.reopen_s",
                "Time without samples after which a device is closed and reopened; at least ten sample "
                    + "periods."),
            \.imu.reopenAfterSeconds, unit: "s", SettingsRange(0.05...60)),
        .number(
            SettingsKeyLabel(
                "imu.context_timeout_s",
                "Time limit of one request to a remote context."),
            \.imu.contextTimeoutSeconds, unit: "s", SettingsRange(0.05...60)),
        .integer(
            SettingsKeyLabel(
                "imu.stuck_samples",
                "Number of equal consecutive samples after which a sensor counts as stuck. 0: never."),
            \.imu.stuckSampleLimit, 0...100_000),
    ]

    /// Places of the settings of a sensor with three axes.
    private struct SensorPlaces {
        var device: SettingsPlace<IIODeviceSelector>
        var rate: SettingsPlace<Double>
        var scale: SettingsPlace<Double?>
        var mount: SettingsPlace<String?>
    }

    /// The keys of a sensor with three axes.
    private static func sensor(_ name: String, _ title: String, unit: String, _ places: SensorPlaces) -> [SettingsKey] {
        [
            .device(SettingsKeyLabel("imu.\(name)_device", "\(title): the device to use."), places.device),
            .number(
                SettingsKeyLabel("imu.\(name)_rate_hz", "\(title): requested sample rate."), places.rate,
                unit: "Hz",
                SettingsRange(above: 0, to: 8000)),
            .optionalNumber(
                SettingsKeyLabel(
                    "imu.\(name)_scale",
                    "\(title): \(unit) per raw count, instead of the driver's scale; a negative scale inverts the axes."
                ),
                places.scale, unit: nil, .factor(-1000...1000)),
            .optionalMountMatrix(
                SettingsKeyLabel(
                    "imu.\(name)_mount_matrix",
                    "\(title): the rotation from its axes to the board's, instead of the driver's matrix."),
                places.mount),
        ]
    }
}
