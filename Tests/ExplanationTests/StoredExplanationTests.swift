import Frames
import StoredTexts
import Testing

@testable import Explanation

/// Explanations of many facts, each of which differs from good ones in one thing: states, tables and actions are the
/// stored ones.
@Suite struct StoredExplanationTests {
    private typealias Change = (String, @Sendable (inout ExplanationFacts) -> Void)

    private static var good: ExplanationFacts {
        var facts = ExplanationFacts()
        (facts.frame.sources.gps, facts.frame.sources.imu) = (.streaming, .streaming)
        (facts.frame.pose.fixMode, facts.frame.pose.fixAgeSeconds, facts.fixRateHertz) = (3, 0.125, 4.96)
        facts.frame.pose.state = .aligned
        (facts.frame.pose.headingTrueRadians, facts.frame.pose.headingSigmaRadians) = (1, 0.01)
        facts.frame.pose.positionSigmaENUMeters = .init(1.256, 2.345, 9)
        facts.frame.pose.velocitySigmaENUMetersPerSecond = .init(0.256, 0.145, 9)
        facts.frame.speed.speedMetersPerSecond = 12.345
        facts.heading = .init(receiver: 0.1, gyro: 0.02, mount: 0.05, lag: 0.01, age: 0.03)
        facts.speed = .init(receiver: 0.04, gyro: 0, mount: 0.01, lag: 0.01, age: 0.01)
        facts.position = .init(receiver: 0.4, gyro: 0, mount: 0.1, lag: 0.1, age: 0.05)
        facts.gyroNoiseDensity = 0.01236
        facts.hasRoads = true
        return facts
    }

    /// What the sources, the receiver, the IMU and the installation can have; each limit on both sides.
    private static let faults: [Change] = [
        ("good", { _ in }), ("gps absent", { $0.frame.sources.gps = .absent }),
        ("gps lost", { $0.frame.sources.gps = .lost }), ("gps opening", { $0.frame.sources.gps = .opening }),
        ("gps waiting", { $0.frame.sources.gps = .waiting }), ("imu absent", { $0.frame.sources.imu = .absent }),
        ("imu lost", { $0.frame.sources.imu = .lost }), ("imu opening", { $0.frame.sources.imu = .opening }),
        ("imu stale", { $0.frame.sources.imu = .stale }), ("interference", { $0.verdict = "interference" }),
        ("stuck", { $0.verdict = "stuck" }), ("drifting", { $0.verdict = "drifting" }),
        ("false velocity", { $0.verdict = "falseVelocity" }),
        ("contradicted", { $0.verdict = "contradicted" }), ("late by 1 s", { $0.fixLatenessSeconds = 1 }),
        ("late by 1.01 s", { $0.fixLatenessSeconds = 1.01 }), ("late by 0.5 s", { $0.fixLatenessSeconds = 0.5 }),
        ("late by 0.51 s", { $0.fixLatenessSeconds = 0.51 }), ("no fix", { $0.frame.pose.fixMode = 1 }),
        ("mode 0", { $0.frame.pose.fixMode = 0 }),
        ("never a fix", { ($0.frame.pose.fixMode, $0.frame.pose.fixAgeSeconds) = (0, nil) }),
        ("fix of 5 s", { $0.frame.pose.fixAgeSeconds = 5 }), ("fix of 5.1 s", { $0.frame.pose.fixAgeSeconds = 5.1 }),
        ("slow, fix of 24 s", { ($0.fixRateHertz, $0.frame.pose.fixAgeSeconds) = (0.1, 24) }),
        ("slow, fix of 26 s", { ($0.fixRateHertz, $0.frame.pose.fixAgeSeconds) = (0.1, 26) }),
        ("no rate", { $0.fixRateHertz = nil }), ("rate 0.8", { $0.fixRateHertz = 0.8 }),
        ("rate 0.79", { $0.fixRateHertz = 0.79 }), ("rate 0", { $0.fixRateHertz = 0 }),
        ("gyro stuck", { $0.imuFaults = ["gyroStuck"] }),
        ("accelerometer stuck", { $0.imuFaults = ["accelerometerStuck"] }),
        ("two faults", { $0.imuFaults = ["gyroClipped", "inconsistent"] }),
        ("inconsistent", { $0.imuFaults = ["inconsistent"] }), ("clipped 0.05 %", { $0.clippedShare = 0.0005 }),
        ("clipped 0.06 %", { $0.clippedShare = 0.0006 }), ("mount refused", { $0.isMountRefused = true }),
        ("profile", { $0.doesProfileFit = false }), ("wheels refused", { $0.areWheelsRefused = true }),
    ]

    /// What weakens a quantity, and the parts of its sigma.
    private static let weaknesses: [Change] = [
        ("no velocity", { $0.isVelocityStated = false }), ("no accuracy", { $0.isAccuracyStated = false }),
        ("gyro 0.15", { $0.gyroNoiseDensity = 0.15 }), ("gyro 0.151", { $0.gyroNoiseDensity = 0.151 }),
        ("factor 1.05", { $0.sigmaFactor = 1.05 }), ("factor 2", { $0.sigmaFactor = 2 }),
        ("factor 2.06", { $0.sigmaFactor = 2.06 }), ("rejected 0.5 %", { $0.rejectedShare = 0.005 }),
        ("rejected 20 %", { $0.rejectedShare = 0.2 }), ("rejected 21 %", { $0.rejectedShare = 0.206 }),
        ("antenna 1 m", { ($0.antennaMeters, $0.antennaSigmaMeters) = (1, 0.1) }),
        ("antenna 1.1 m", { ($0.antennaMeters, $0.antennaSigmaMeters) = (1.1, 0.1) }),
        ("antenna 1.5 m", { ($0.antennaMeters, $0.antennaSigmaMeters) = (1.5, 0.5) }),
        ("antenna 1.6 m", { ($0.antennaMeters, $0.antennaSigmaMeters) = (1.6, 0.5) }),
        ("antenna of 1 m sigma", { ($0.antennaMeters, $0.antennaSigmaMeters) = (2, 1) }),
        ("mount known", { $0.mountHeadingSigmaDegrees = 0.756 }),
        ("lags", { ($0.positionLagSeconds, $0.velocityLagSeconds) = (0.0256, 0.3156) }),
        ("one lag", { $0.velocityLagSeconds = -0.2 }), ("no heading", { $0.frame.pose.headingTrueRadians = nil }),
        ("no sigma", { $0.frame.pose.velocitySigmaENUMetersPerSecond = nil }),
        ("nothing", { ($0.heading, $0.position, $0.speed) = (nil, nil, nil) }),
        ("zero", { ($0.heading, $0.position, $0.speed) = (.init(), .init(), .init()) }),
        ("most gyro", { set(&$0, .init(receiver: 1, gyro: 5, mount: 2, lag: 3, age: 4)) }),
        ("most mount", { set(&$0, .init(receiver: 1, gyro: 2, mount: 5, lag: 3, age: 4)) }),
        ("most lag", { set(&$0, .init(receiver: 1, gyro: 2, mount: 3, lag: 5, age: 4)) }),
        ("most age", { set(&$0, .init(receiver: 1, gyro: 2, mount: 3, lag: 4, age: 5)) }),
        (
            "most age, slow",
            {
                set(&$0, .init(receiver: 1, gyro: 2, mount: 3, lag: 4, age: 5))
                $0.fixRateHertz = 0.5
            }
        ),
        ("equal", { set(&$0, .init(receiver: 1, gyro: 1, mount: 1, lag: 1, age: 1)) }),
    ]

    private static func set(_ facts: inout ExplanationFacts, _ parts: ExplanationFacts.Parts) {
        (facts.heading, facts.position, facts.speed) = (parts, parts, parts)
    }

    /// An explanation in some lines.
    private static func lines(_ name: String, _ quantity: Explanation.Quantity, _ facts: ExplanationFacts) -> [String] {
        let explanation = Explanation(quantity, facts)
        let table = explanation.contributions.map { "  \($0.name) \($0.sigma.map { "\($0)" } ?? "-") \($0.text)" }
        return ["\(name): \(quantity.rawValue) \(explanation.state) [\(explanation.unit)] \(explanation.action)"]
            + table
    }

    @Test(arguments: [Explanation.Quantity.heading, .position, .speed]) func thePose(
        quantity: Explanation.Quantity
    ) throws {
        let lines = (Self.faults + Self.weaknesses).flatMap { name, change in
            var facts = Self.good
            change(&facts)
            return Self.lines(name, quantity, facts)
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "\(quantity)") == [])
    }

    @Test(arguments: [
        (Explanation.Quantity.heading, 0.499, true), (.heading, 0.5, false), (.position, 0.999, true),
        (.position, 1, false), (.speed, 0.0999, true), (.speed, 0.1, false),
    ]) func aQuantityIsGoodBelowItsLimit(quantity: Explanation.Quantity, sigma: Double, isGood: Bool) {
        // GIVEN sigmas below half a degree, a metre, a tenth of a m/s, or of that, on either axis THEN nothing is to be
        // done, or something is
        for isEast in [true, false] {
            var facts = Self.good
            // The half degree is 0.5 * pi / 180 to the last bit.
            facts.frame.pose.headingSigmaRadians = sigma * .pi / 180
            let axes = isEast ? (sigma, 0.0) : (0.0, sigma)
            facts.frame.pose.positionSigmaENUMeters = .init(axes.0, axes.1, 50)
            facts.frame.pose.velocitySigmaENUMetersPerSecond = .init(axes.0, axes.1, 50)
            #expect((Explanation(quantity, facts).action == .none) == isGood)
        }
    }

    @Test func theRouteAndTheLimit() throws {
        // GIVEN every state of the guidance, with places of each quality, and every source of a limit
        var lines: [String] = []
        let states: [Frame.GuidanceState] = [
            .noRoute, .waiting, .onRoute, .offStep, .offRoute, .wrongWay, .uTurnNeeded, .rejoinedAhead, .arrived,
        ]
        for state in states {
            for (aside, sigma) in [(nil, nil), (-60.26, 25), (60, 25.1), (50, 25), (49.9, 25)] as [(Double?, Double?)] {
                var facts = Self.good
                facts.frame.guidance.state = state
                facts.frame.guidance.crossTrackMeters = aside
                facts.frame.pose.positionSigmaENUMeters = sigma.map { .init(1, $0, 90) }
                facts.frame.guidance.segmentBearingRadians = aside.map { _ in 6 }
                facts.frame.guidance.ageSeconds = aside.map { _ in 0.256 }
                lines += Self.lines("\(state) \(aside ?? .nan) \(sigma ?? .nan)", .offRoute, facts)
                facts.verdict = "interference"
                lines += Self.lines("\(state) interference", .offRoute, facts)
            }
        }
        for source in [Frame.LimitSource.none, .route, .road, .roadClass, .fallback] {
            for (sigma, hasRoads, hasCondition) in [
                (nil, nil, false), (25, true, false), (25.1, true, false), (25, false, true), (25, true, true),
            ] as [(Double?, Bool?, Bool)] {
                var facts = Self.good
                facts.frame.guidance.state = hasCondition ? .onRoute : hasRoads == nil ? .waiting : .noRoute
                (facts.frame.speed.limitSource, facts.frame.speed.limitMetersPerSecond) = (
                    source, sigma.map { _ in 13.9 }
                )
                (facts.hasRoads, facts.frame.speed.hasCondition) = (hasRoads, hasCondition)
                facts.frame.pose.positionSigmaENUMeters = sigma.map { .init($0, 1, 90) }
                facts.frame.speed.ageSeconds = sigma.map { _ in 0.356 }
                if hasRoads == true { facts.frame.speed.limitReason = .season }
                lines += Self.lines("\(source) \(sigma ?? .nan)", .limit, facts)
            }
        }
        lines += Action.allCases.map { "\($0): \($0.text)" }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "route") == [])
    }

    @Test func decimalsHaveTheirLimits() {
        let texts = [
            Decimals.text(0, 1), Decimals.text(-0.04, 1), Decimals.text(-0.05, 1), Decimals.text(9.999, 2),
            Decimals.text(-7.5, 0), Decimals.text(1.0625, 4), Decimals.text(0.000_001, 6), Decimals.text(1, 6),
            Decimals.text(999_999_999, 0), Decimals.text(1e9, 0), Decimals.text(-1e9, 2), Decimals.text(0.005, 2),
            Decimals.text(3.7, -1), Decimals.text(123_456.054_321, 5), Decimals.text(12.5, 1), Decimals.text(0.0626, 3),
        ]
        #expect(
            texts == [
                "0.0", "0.0", "-0.1", "10.00", "-8", "1.0625", "0.000001", "1.000000", "999999999", "?", "?", "0.01",
                "4", "123456.05432", "12.5", "0.063",
            ])
        #expect(PoseExplanation.words("deadReckoning") == "dead reckoning" && PoseExplanation.words("onA") == "on a")
    }
}
