import Engine
import Frames
import Fusion
import Measurements
import PoseMath
import Replay
import Testing

@testable import Report

/// What a report finds of the rates and the statements of receiver and IMU.
@Suite struct ReceiverFindingTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 10_000_000_000 + Int64((seconds * 1e9).rounded()))
    }

    private static func figures(_ drive: DriveCollector) -> DriveFigures {
        DriveFigures(
            name: "made", format: "test", drive: drive, reference: nil, settings: FusionSettings(), notes: [],
            roads: nil)
    }

    private static func texts(_ drive: DriveCollector) -> [String] { texts(figures(drive).findings) }

    private static func texts(_ findings: [Finding]) -> [String] {
        findings.map { "\($0.severity.name): \($0.text)" }
    }

    /// Fixes at an interval, which the engine has taken; `change` gets each.
    private static func drive(_ interval: Double, count: Int = 11, _ change: (inout GnssFix) -> Void = { _ in })
        -> DriveCollector
    {
        var engine = Engine()
        let collector = DriveCollector(kinds: [.gps])
        for step in 0..<count {
            let time = at(Double(step) * interval)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
            change(&fix)
            _ = engine.ingest(.gnss(fix))
            collector.note(.gnss(fix), &engine)
        }
        return collector
    }

    @Test(arguments: [(0.2, nil), (1, nil), (1.11, nil), (1.12, "1.1"), (2, "2.0")] as [(Double, String?)])
    func fewFixesAreToldFromNineInTenSeconds(interval: Double, seconds: String?) {
        let found = Self.texts(Self.drive(interval)).filter { $0.contains("one fix in") }
        #expect(found == (seconds.map { ["advice: one fix in \($0) s"] } ?? []))
    }

    @Test(arguments: [(MotionProfile.vehicle, true), (.wearable, false), (.boat, false)])
    func wheelsAreAdvisedToAVehicleOnly(profile: MotionProfile, isAdvised: Bool) throws {
        // GIVEN twelve seconds without a fix, of a vehicle, a person or a boat THEN they are told, and wheel speeds are
        // the remedy of a vehicle alone
        let collector = DriveCollector(kinds: [.gps])
        var frame = Frame()
        (frame.timeNanoseconds, frame.pose.fixAgeSeconds) = (1_000_000_000, 12)
        collector.write(frame)
        var settings = FusionSettings()
        settings.profile = profile
        let figures = DriveFigures(
            name: "made", format: "test", drive: collector, reference: nil, settings: settings, notes: [], roads: nil)
        let found = try #require(figures.findings.first { $0.text.hasPrefix("12 s without a usable fix") })
        #expect(found.remedy == (isAdvised ? "wheel speeds would bridge it better (docs/can.md)" : ""))
    }

    @Test func whatTheReceiverDoesNotStateIsTold() {
        // GIVEN a receiver without accuracy and velocity, and one with both THEN only the former has advice
        let velocity = "advice: the receiver states no velocity"
        let accuracy = "advice: the receiver states no accuracy; 8 m is assumed"
        let silent = Self.texts(Self.drive(1))
        #expect(silent.contains(velocity) && silent.contains(accuracy))
        let whole = Self.texts(
            Self.drive(1) { fix in
                (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (1, 2)
                fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 3, northMetersPerSecond: 4)
            })
        #expect(!whole.contains(accuracy) && !whole.contains(velocity))
    }

    @Test(arguments: [(5, false), (6, true)]) func readingsThatRepeatAreToldFromFivePerCentOn(
        repeats: Int, isTold: Bool
    ) {
        // GIVEN a hundred readings of which so many repeat the one before
        var engine = Engine()
        let collector = DriveCollector(kinds: [.imu])
        for step in 0..<100 {
            let value = Double(max(step - repeats, 0)) * 0.001
            let sample = InertialSample(
                time: Self.at(Double(step) * 0.01), angularRateRadiansPerSecond: Vector3(value, 0, 0),
                specificForceMetersPerSecondSquared: Vector3(0, value, 9.8))
            collector.note(.inertial(sample), &engine)
        }
        let found = Self.texts(collector).filter { $0.contains("repeat the one before") }
        #expect(found == (isTold ? ["advice: imu: 6.0 % of the readings repeat the one before"] : []))
    }

    @Test(
        arguments: [(45, 8, "15.1"), (41, 8, nil), (42, 8, "16.0"), (95, 5, nil), (94, 6, "6.0")]
            as [(UInt64, UInt64, String?)])
    func rejectionsAreToldFromFiftyObservationsAndFivePerCentOn(accepted: UInt64, rejected: UInt64, share: String?) {
        // GIVEN a source of which so many observations were accepted and rejected THEN the share is that of both
        var rules = FindingRules(Self.figures(Self.drive(1)))
        rules.findRejections(of: .wheelSpeed, accepted: accepted, rejected: rejected)
        let found = Self.texts(rules.findings).filter { $0.contains("of the observations were rejected") }
        #expect(found == (share.map { ["advice: wheel speed: \($0) % of the observations were rejected"] } ?? []))
    }

    @Test(arguments: [(10, nil), (10.6, "11"), (29.6, "30")] as [(Double, String?)])
    func aBodyThatSlipsSidewaysIsToldFromTenSecondsOn(seconds: Double, told: String?) {
        var rules = FindingRules(Self.figures(Self.drive(1)))
        rules.findMisfit(ofSeconds: seconds)
        let found = Self.texts(rules.findings).filter { $0.contains("slipped sideways") }
        #expect(
            found == (told.map { ["problem: the body slipped sideways as no vehicle does for \($0) s"] } ?? []))
    }

    @Test(arguments: [(5, nil), (6, "1"), (7, "1"), (13, "3")] as [(Int, String?)])
    func aReceiverThatRepeatsItsPositionIsToldFromASecondOn(fixes: Int, seconds: String?) {
        // GIVEN four fixes a second with one position and a speed of 10 m/s, which is found at the third of them
        let found = Self.texts(
            Self.drive(0.25, count: fixes) { fix in
                fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 10, northMetersPerSecond: 0)
            }
        ).filter { $0.contains("repeated one position") }
        #expect(
            found
                == (seconds.map {
                    ["problem: the receiver repeated one position while it reported motion for \($0) s"]
                } ?? []))
    }
}
