import Simulation
import Testing

@testable import Scenarios

/// The limits of every key of a scenario: just allowed and just refused.
@Suite struct ScenarioLimitsTests {
    /// A key with a number: its limits, and where its value goes.
    struct Key: Sendable, CustomTestStringConvertible {
        let path: String
        let limits: ClosedRange<Double>
        let value: @Sendable (Scenario) -> Double?

        init(_ path: String, _ limits: ClosedRange<Double>, _ value: @escaping @Sendable (Scenario) -> Double?) {
            (self.path, self.limits, self.value) = (path, limits, value)
        }

        var testDescription: String { path }
    }

    private static func read(_ text: String) throws -> Scenario {
        try ScenarioReader.read(bytes: Array(text.utf8), path: "x.yaml")
    }

    /// A file with one key.
    private static func file(_ path: String, _ value: String) -> String {
        let parts = path.split(separator: ".")
        return parts.count == 2 ? "\(parts[0]):\n  \(parts[1]): \(value)\n" : "\(path): \(value)\n"
    }

    @Test(arguments: keys)
    func aNumberIsTakenWithinItsLimitsOnly(key: Key) throws {
        // GIVEN the smallest, the largest and a number between them WHEN they are read THEN they arrive as they are
        let (low, high) = (key.limits.lowerBound, key.limits.upperBound)
        for value in [low, high, low + (high - low) / 4] {
            let found = try #require(key.value(try Self.read(Self.file(key.path, "\(value)"))))
            // A unit may have been changed: some units of the last digit.
            #expect(abs(found - value) <= 1e-12 * value.magnitude, "\(value)")
        }
        // WHEN numbers just outside are read THEN the message names both limits
        for value in [low.nextDown, high.nextUp] {
            let error = #expect(throws: ScenarioReader.Failure.self) {
                try Self.read(Self.file(key.path, "\(value)"))
            }
            let text = error?.description ?? ""
            #expect(
                text.contains("\(key.path) must be a number from \(Self.plain(low)) to \(Self.plain(high))"), "\(text)")
        }
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e9 ? "\(Int(value))" : "\(value)"
    }

    @Test func factorsMultiply() throws {
        // GIVEN the limits of the factor of the gyro's noise THEN they multiply the noise, and more is refused
        let usual = InertialErrors.consumer.gyroNoiseDensity
        let none = try Self.read("imu: {gyro_noise_factor: 0}").sensors.inertial?.errors.gyroNoiseDensity
        #expect(none == 0)
        let large = try Self.read("imu: {gyro_noise_factor: 1000}").sensors.inertial?.errors.gyroNoiseDensity
        #expect(large == usual * 1000)
        for value in ["-0.001", "1000.001"] {
            #expect(throws: ScenarioReader.Failure.self) { try Self.read("imu: {gyro_noise_factor: \(value)}") }
        }
    }

    @Test(arguments: [
        ("route.corners", "[89, 180]", "[48, 11]", 2...5000, true),
        ("stops", "[0, 3600]", "[5000, 0]", 0...1000, false),
        ("tunnels", "[100000, 0]", "[0, 100000]", 0...100, false),
        ("jamming", "[100000, 0]", "[0, 100000]", 0...100, false),
        ("faults", "[imu_gap, 100000, 0]", "[imu_gap, 0, 100000]", 0...100, false),
    ])
    func aListHasItsLimits(path: String, first: String, second: String, counts: ClosedRange<Int>, hasLeast: Bool) {
        /// Whether a list with so many elements is read.
        func isRead(_ count: Int) -> Bool {
            let items = (0..<count).map { $0 == 0 ? first : second }.joined(separator: ", ")
            return (try? Self.read(Self.file(path, "[\(items)]"))) != nil
        }
        // GIVEN as few and as many elements as there may be THEN they are read, and one more or fewer is not
        #expect(isRead(counts.lowerBound) && isRead(counts.lowerBound + 1) && isRead(counts.upperBound))
        #expect(!isRead(counts.upperBound + 1))
        if hasLeast { #expect(!isRead(counts.lowerBound - 1)) }
    }

    @Test(arguments: [
        "route: {corners: [[89.001, 11], [48, 11]]}", "route: {corners: [[-89.001, 11], [48, 11]]}",
        "route: {corners: [[48, 180.001], [48, 11]]}", "route: {corners: [[48, 11, 3], [48, 11]]}",
        "route: {corners: [[48, 11], [48, 11], a]}", "route: {from: [48]}", "route: {from: [48, 180.001]}",
        "route: {to: [48, 11, 3]}", "route: {to: [48, -180.001]}", "stops: [[-1, 5]]", "stops: [[5001, 5]]",
        "stops: [[1, -0.001]]", "stops: [[1, 3600.001]]", "stops: [[1, 2, 3]]", "stops: [a]",
        "tunnels: [[-0.001, 5]]", "tunnels: [[100000.001, 5]]", "tunnels: [[5, 100000.001]]", "tunnels: [[5]]",
        "faults: [[imu_gap, -0.001, 5]]", "faults: [[imu_gap, 100000.001, 5]]", "faults: [[imu_gap, 5, -0.001]]",
        "faults: [[imu_gap, 5, 100000.001]]", "faults: [[imu_gap, 5]]", "receiver: {arm_m: [50.001, 0, 0]}",
        "receiver: {arm_m: [0, 0, -50.001]}", "receiver: {arm_m: [0, 0]}", "imu: {mount_deg: [0, 180.001, 0]}",
        "imu: {mount_deg: [0, 0]}", "receiver: {enabled: 1}", "imu: {enabled: 'yes'}",
    ])
    func whatIsOutsideIsRefused(text: String) {
        #expect(throws: ScenarioReader.Failure.self) { try Self.read(text) }
    }

    @Test func aTextHasAtMostFourThousandBytes() throws {
        let longest = String(repeating: "x", count: 4096)
        #expect(try Self.read("title: \(longest)").title == longest)
        #expect(throws: ScenarioReader.Failure.self) { try Self.read("title: \(longest)x") }
    }

    @Test func sensorsAreFittedAndLeftOut() throws {
        // GIVEN nothing THEN a scenario has a receiver and an IMU, no other sensor, and the seed 1
        let usual = try Self.read("title: x")
        #expect(usual.hasReceiver && usual.hasIMU && usual.seed == 1 && usual.way == .random(edges: 20))
        #expect(usual.sensors.wheels == nil && usual.sensors.magnetometer == nil && usual.sensors.barometer == nil)
        // GIVEN each sensor switched THEN it is so
        let fitted = try Self.read(
            "wheels: {enabled: true}\nmagnetometer: {enabled: true}\nbarometer: {enabled: true}\n"
                + "imu: {enabled: false}\nreceiver: {enabled: false}\njamming: [[1, 2]]\nroute: {demo: true}\n")
        #expect(!fitted.hasReceiver && !fitted.hasIMU && fitted.way == .demo)
        #expect(fitted.jamming == [Scenario.Span(from: 1, seconds: 2)] && fitted.tunnels == [])
        #expect(fitted.sensors.wheels != nil && fitted.sensors.magnetometer != nil && fitted.sensors.barometer != nil)
        #expect(try Self.read("route: {demo: false}").way == .random(edges: 20))
        let shaking = try Self.read("imu: {vibration: true}")
        #expect(shaking.sensors.inertial?.errors == InertialErrors.consumer.withVibration)
        #expect(try Self.read("imu: {vibration: false}").sensors.inertial?.errors == .consumer)
    }

    @Test func aWayMayBeThatOfAFile() throws {
        // GIVEN the path of a route file, of up to 4096 bytes THEN the way is that of the file
        for count in [7, 4096] {
            let path = String(repeating: "a", count: count)
            #expect(try Self.read("route:\n  file: \(path)\n").way == .file(path))
        }
        let long = String(repeating: "a", count: 4097)
        let error = #expect(throws: ScenarioReader.Failure.self) { try Self.read("route:\n  file: \(long)\n") }
        #expect(error?.description.contains("route.file must be the path of a route file") == true)
    }

    @Test func aWayOnRoadsNeedsItsThreeParts() throws {
        // GIVEN the three parts THEN they arrive, in any order
        let whole = ["roads: x.roads", "from: [-180, 180]", "to: [1, 2]"]
        for parts in [whole, whole.reversed()] {
            let scenario = try Self.read("route: {\(parts.joined(separator: ", "))}")
            #expect(scenario.way == .roads(path: "x.roads", from: [-180, 180], to: [1, 2]))
        }
        // GIVEN one of them missing THEN the message says which there must be
        for missing in whole.indices {
            let parts = whole.indices.filter { $0 != missing }.map { whole[$0] }.joined(separator: ", ")
            let error = #expect(throws: ScenarioReader.Failure.self) { try Self.read("route: {\(parts)}") }
            #expect(error?.description == "x.yaml: a way on roads needs route.roads, route.from and route.to")
        }
    }

    @Test func aFigureIsGoodOnItsSideOfWhatIsAsked() {
        typealias Row = ScenarioCheck.Row
        // GIVEN figures THEN those are good that reach exactly what is asked, or more of it
        #expect(Row(name: "", reached: 2, asked: 2).isGood && Row(name: "", reached: 1.9, asked: 2).isGood)
        #expect(!Row(name: "", reached: 2.1, asked: 2).isGood)
        #expect(Row(name: "", reached: 2, asked: 2, isLeast: true).isGood)
        #expect(Row(name: "", reached: 2.1, asked: 2, isLeast: true).isGood)
        #expect(!Row(name: "", reached: 1.9, asked: 2, isLeast: true).isGood)
        // THEN what is not asked is good, and what was not reached is not
        #expect(Row(name: "", reached: nil, asked: nil).isGood && Row(name: "", reached: 5, asked: nil).isGood)
        #expect(
            !Row(name: "", reached: nil, asked: 2).isGood
                && !Row(name: "", reached: nil, asked: 2, isLeast: true).isGood)
    }
}

extension ScenarioLimitsTests {
    /// Every key with a number.
    static let keys: [Key] =
        driven + received + [
            Key("seed", 0...9e15) { Double($0.seed) }, Key("imu.rate_hz", 10...1000) { $0.sensors.inertial?.rateHertz },
            Key("expect.aligned_within_s", 0...1e5) { $0.expected.alignedWithinSeconds },
            Key("expect.horizontal_rms_m", 0...1e6) { $0.expected.horizontalMeters },
            Key("expect.horizontal_max_m", 0...1e6) { $0.expected.worstMeters },
            Key("expect.heading_rms_deg", 0...180) { $0.expected.headingDegrees },
            Key("expect.height_rms_m", 0...1e6) { $0.expected.heightMeters },
            Key("expect.lost_share", 0...1) { $0.expected.lostShare },
            Key("expect.within_3_sigma", 0...1) { $0.expected.withinThreeSigmas },
        ]

    private static let driven: [Key] = [
        Key("speed.limit_km_h", 2...350) { $0.limitMetersPerSecond.map { $0 * 3.6 } },
        Key("speed.factor", 0.2...2.5) { $0.driver.limitFactor },
        Key("speed.acceleration_m_s2", 0.1...10) { $0.driver.accelerationMetersPerSecondSquared },
        Key("speed.braking_m_s2", 0.1...10) { $0.driver.brakingMetersPerSecondSquared },
        Key("speed.lateral_m_s2", 0.1...10) { $0.driver.lateralMetersPerSecondSquared },
        Key("speed.standing_before_s", 0...3600) { $0.driver.standingSecondsBefore },
        Key("speed.standing_after_s", 0...3600) { $0.driver.standingSecondsAfter },
        Key("hills.height_m", 0...500) { $0.driver.hillHeightMeters },
        Key("hills.wavelength_m", 50...50_000) { $0.driver.hillWavelengthMeters },
    ]

    private static let received: [Key] = [
        Key("receiver.rate_hz", 0.05...50) { $0.sensors.satellite?.rateHertz },
        Key("receiver.white_m", 0...1000) { $0.sensors.satellite?.whiteMeters },
        Key("receiver.wandering_m", 0...1000) { $0.sensors.satellite?.wanderingMeters },
        Key("receiver.wandering_s", 1...10_000) { $0.sensors.satellite?.wanderingSeconds },
        Key("receiver.velocity_m_s", 0...10) { $0.sensors.satellite?.velocityMetersPerSecond },
        Key("receiver.latency_s", 0...10) { $0.sensors.satellite?.latencySeconds },
        Key("receiver.latency_spread_s", 0...10) { $0.sensors.satellite?.latencySpreadSeconds },
        Key("receiver.position_lag_s", -1...3) { $0.sensors.satellite?.positionLagSeconds },
        Key("receiver.velocity_lag_s", -1...3) { $0.sensors.satellite?.velocityLagSeconds },
        Key("receiver.stated_scale", 0.01...100) { $0.sensors.satellite?.statedSigmaScale },
        Key("receiver.multipath_per_minute", 0...60) { $0.sensors.satellite?.multipathEpisodesPerMinute },
        Key("receiver.multipath_m", 0...1000) { $0.sensors.satellite?.multipathMeters },
        Key("receiver.multipath_s", 0.1...600) { $0.sensors.satellite?.multipathSeconds },
    ]
}
