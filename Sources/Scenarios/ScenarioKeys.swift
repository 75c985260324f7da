import Configuration
import PoseMath
import Simulation

/// The keys of a scenario file.
struct ScenarioKey {
    /// The key with its section, such as `receiver.rate_hz`.
    let path: String
    /// What its value is, for messages.
    let form: String
    /// Stores a value; returns what is wrong with it, or `nil`.
    let store: (inout Scenario, SettingsNode) -> String?

    private static func number(
        _ path: String, _ range: ClosedRange<Double>, _ set: @escaping (inout Scenario, Double) -> Void
    ) -> ScenarioKey {
        let form = "a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))"
        return ScenarioKey(path: path, form: form) { scenario, node in
            guard let value = node.number, range.contains(value) else { return form }
            set(&scenario, value)
            return nil
        }
    }

    private static func flag(_ path: String, _ set: @escaping (inout Scenario, Bool) -> Void) -> ScenarioKey {
        ScenarioKey(path: path, form: "true or false") { scenario, node in
            guard let value = node.flag else { return "true or false" }
            set(&scenario, value)
            return nil
        }
    }

    private static func numbers(
        _ path: String, _ count: Int, _ form: String, _ range: ClosedRange<Double>,
        _ set: @escaping (inout Scenario, [Double]) -> Void
    ) -> ScenarioKey {
        ScenarioKey(path: path, form: form) { scenario, node in
            guard let values = node.numbers, values.count == count, values.allSatisfy(range.contains) else {
                return form
            }
            set(&scenario, values)
            return nil
        }
    }

    private static func spans(_ path: String, _ set: @escaping (inout Scenario, [Scenario.Span]) -> Void)
        -> ScenarioKey
    {
        let form = "a list of at most 100 `[from, seconds]`, such as `[[100, 20]]`"
        return ScenarioKey(path: path, form: form) { scenario, node in
            guard let items = node.items, items.count <= 100 else { return form }
            var spans: [Scenario.Span] = []
            for item in items {
                guard let values = item.numbers, values.count == 2, values.allSatisfy((0...1e5).contains) else {
                    return form
                }
                spans.append(Scenario.Span(from: values[0], seconds: values[1]))
            }
            set(&scenario, spans)
            return nil
        }
    }

    private static func text(_ path: String, _ form: String, _ set: @escaping (inout Scenario, String) -> Bool)
        -> ScenarioKey
    {
        ScenarioKey(path: path, form: form) { scenario, node in
            guard let text = node.word, text.utf8.count <= 4096, set(&scenario, text) else { return form }
            return nil
        }
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    /// Every key.
    static var all: [ScenarioKey] { general + way + driver + receiver + others + disturbances + expectations }

    /// Whether a key is about what the demo drive has of its own: the driver, the receiver, the IMU.
    static func isOfTheDemo(_ path: String) -> Bool {
        guard !path.hasSuffix(".enabled") else { return false }
        return path == "stops" || ["speed.", "hills.", "receiver.", "imu."].contains(where: path.hasPrefix)
    }

    private static var general: [ScenarioKey] {
        [
            text("title", "one sentence") {
                $0.title = $1
                return true
            },
            number("seed", 0...9e15) { $0.seed = UInt64($1) },
        ]
    }

    private static var way: [ScenarioKey] {
        let place = "`[latitude, longitude]` in degrees"
        return [
            number("route.random", 1...500) { $0.way = .random(edges: Int($1)) },
            ScenarioKey(path: "route.corners", form: "a list of 2 to 5000 \(place)") { scenario, node in
                let corners = node.items?.compactMap(\.numbers) ?? []
                guard (2...5000).contains(corners.count), corners.count == node.items?.count,
                    corners.allSatisfy({ $0.count == 2 && abs($0[0]) <= 89 && abs($0[1]) <= 180 })
                else { return "a list of 2 to 5000 \(place)" }
                scenario.way = .corners(corners)
                return nil
            },
            text("route.file", "the path of a route file") {
                $0.way = .file($1)
                return true
            },
            flag("route.demo") { if $1 { $0.way = .demo } },
            text("route.roads", "the path of a road file or an extract") { scenario, path in
                let (from, to) = scenario.places
                scenario.way = .roads(path: path, from: from, to: to)
                return true
            },
            numbers("route.from", 2, place, -180...180) { scenario, values in
                scenario.way = .roads(path: scenario.roadsPath, from: values, to: scenario.places.to)
            },
            numbers("route.to", 2, place, -180...180) { scenario, values in
                scenario.way = .roads(path: scenario.roadsPath, from: scenario.places.from, to: values)
            },
        ]
    }

    private static var driver: [ScenarioKey] {
        [
            number("speed.limit_km_h", 2...350) { $0.limitMetersPerSecond = $1 / 3.6 },
            number("speed.factor", 0.2...2.5) { $0.driver.limitFactor = $1 },
            number("speed.acceleration_m_s2", 0.1...10) { $0.driver.accelerationMetersPerSecondSquared = $1 },
            number("speed.braking_m_s2", 0.1...10) { $0.driver.brakingMetersPerSecondSquared = $1 },
            number("speed.lateral_m_s2", 0.1...10) { $0.driver.lateralMetersPerSecondSquared = $1 },
            number("speed.standing_before_s", 0...3600) { $0.driver.standingSecondsBefore = $1 },
            number("speed.standing_after_s", 0...3600) { $0.driver.standingSecondsAfter = $1 },
            number("hills.height_m", 0...500) { $0.driver.hillHeightMeters = $1 },
            number("hills.wavelength_m", 50...50_000) { $0.driver.hillWavelengthMeters = $1 },
            ScenarioKey(path: "stops", form: stopForm) { scenario, node in
                let stops = node.items?.compactMap(\.numbers) ?? []
                guard stops.count == node.items?.count, stops.count <= 1000,
                    stops.allSatisfy({
                        $0.count == 2 && (0...5000).contains($0[0]) && $0[0] == $0[0].rounded()
                            && (0...3600).contains($0[1])
                    })
                else { return stopForm }
                scenario.stops = stops.map { DrivePlan.Stop(vertex: Int($0[0]), durationSeconds: $0[1]) }
                return nil
            },
        ]
    }

    private static let stopForm = "a list of `[corner, seconds]`; corners count from 0"

    private static var receiver: [ScenarioKey] {
        func receiver(
            _ key: String, _ range: ClosedRange<Double>, _ set: @escaping (inout SatelliteReceiver, Double) -> Void
        ) -> ScenarioKey {
            number("receiver.\(key)", range) { scenario, value in
                var receiver = scenario.sensors.satellite ?? SatelliteReceiver()
                set(&receiver, value)
                scenario.sensors.satellite = receiver
            }
        }
        return [
            flag("receiver.enabled") { $0.hasReceiver = $1 }, receiver("rate_hz", 0.05...50) { $0.rateHertz = $1 },
            receiver("white_m", 0...1000) { $0.whiteMeters = $1 },
            receiver("wandering_m", 0...1000) { $0.wanderingMeters = $1 },
            receiver("wandering_s", 1...10_000) { $0.wanderingSeconds = $1 },
            receiver("velocity_m_s", 0...10) { $0.velocityMetersPerSecond = $1 },
            receiver("latency_s", 0...10) { $0.latencySeconds = $1 },
            receiver("latency_spread_s", 0...10) { $0.latencySpreadSeconds = $1 },
            receiver("position_lag_s", -1...3) { $0.positionLagSeconds = $1 },
            receiver("velocity_lag_s", -1...3) { $0.velocityLagSeconds = $1 },
            receiver("stated_scale", 0.01...100) { $0.statedSigmaScale = $1 },
            receiver("multipath_per_minute", 0...60) { $0.multipathEpisodesPerMinute = $1 },
            receiver("multipath_m", 0...1000) { $0.multipathMeters = $1 },
            receiver("multipath_s", 0.1...600) { $0.multipathSeconds = $1 },
            numbers("receiver.arm_m", 3, "three numbers `[forward, left, up]`, -50 to 50", -50...50) {
                $0.sensors.satellite?.leverArmBodyMeters = Vector3($1[0], $1[1], $1[2])
            },
        ]
    }

    private static var others: [ScenarioKey] {
        let grades: [String: InertialErrors] = [
            "consumer": .consumer, "automotive": .automotive, "tactical": .tactical, "perfect": .perfect,
        ]
        return [
            flag("imu.enabled") { $0.hasIMU = $1 },
            number("imu.rate_hz", 10...1000) { $0.sensors.inertial?.rateHertz = $1 },
            text("imu.grade", "consumer, automotive, tactical or perfect") { scenario, word in
                guard let errors = grades[word] else { return false }
                scenario.sensors.inertial?.errors = errors
                return true
            },
            flag("imu.vibration") { scenario, isShaking in
                guard isShaking, let errors = scenario.sensors.inertial?.errors else { return }
                scenario.sensors.inertial?.errors = errors.withVibration
            },
            number("imu.gyro_noise_factor", 0...1000) { $0.sensors.inertial?.errors.gyroNoiseDensity *= $1 },
            numbers("imu.mount_deg", 3, "three angles `[roll, pitch, yaw]`, -180 to 180", -180...180) {
                let radians = $1.map { $0 * Angle.radiansPerDegree }
                // As the mount is published: turns about forward, left and up. The pitch of an attitude counts the
                // other way, nose up.
                $0.sensors.inertial?.sensorToBody =
                    EulerAngles(
                        rollRadians: radians[0], pitchRadians: -radians[1], headingTrueRadians: .pi / 2 - radians[2]
                    ).bodyToENU
            },
            flag("wheels.enabled") { $0.sensors.wheels = $1 ? ($0.sensors.wheels ?? SensorSuite.Wheels()) : nil },
            flag("magnetometer.enabled") { $0.sensors.magnetometer = $1 ? SensorSuite.Magnetometer() : nil },
            flag("barometer.enabled") { $0.sensors.barometer = $1 ? SensorSuite.Barometer() : nil },
        ]
    }

    private static var disturbances: [ScenarioKey] {
        let form =
            "a list of `[kind, from, seconds]` with a kind of "
            + Scenario.Fault.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return [
            spans("tunnels") { $0.tunnels = $1 }, spans("jamming") { $0.jamming = $1 },
            ScenarioKey(path: "faults", form: form) { scenario, node in
                guard let items = node.items, items.count <= 100 else { return form }
                var faults: [Scenario.Fault] = []
                for item in items {
                    guard let parts = item.items, parts.count == 3, let word = parts[0].word,
                        let kind = Scenario.Fault.Kind(rawValue: word), let from = parts[1].number,
                        let seconds = parts[2].number, (0...1e5).contains(from), (0...1e5).contains(seconds)
                    else { return form }
                    faults.append(Scenario.Fault(kind: kind, span: Scenario.Span(from: from, seconds: seconds)))
                }
                scenario.faults = faults
                return nil
            },
        ]
    }

    private static var expectations: [ScenarioKey] {
        [
            number("expect.aligned_within_s", 0...1e5) { $0.expected.alignedWithinSeconds = $1 },
            number("expect.horizontal_rms_m", 0...1e6) { $0.expected.horizontalMeters = $1 },
            number("expect.horizontal_max_m", 0...1e6) { $0.expected.worstMeters = $1 },
            number("expect.heading_rms_deg", 0...180) { $0.expected.headingDegrees = $1 },
            number("expect.height_rms_m", 0...1e6) { $0.expected.heightMeters = $1 },
            number("expect.lost_share", 0...1) { $0.expected.lostShare = $1 },
            number("expect.within_3_sigma", 0...1) { $0.expected.withinThreeSigmas = $1 },
        ]
    }
}

extension Scenario {
    /// The places of a way on roads; zeros where it is another way.
    fileprivate var places: (from: [Double], to: [Double]) {
        if case .roads(_, let from, let to) = way { (from, to) } else { ([], []) }
    }

    /// The road file of a way on roads; empty where it is another way.
    fileprivate var roadsPath: String {
        if case .roads(let path, _, _) = way { path } else { "" }
    }
}
