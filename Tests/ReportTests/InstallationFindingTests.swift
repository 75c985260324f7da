import BoundedJSON
import Engine
import Frames
import Fusion
import Measurements
import PoseMath
import Replay
import Simulation
import Testing

@testable import Report

/// What a report finds of the antenna, and how the drive is collected between two readings of the engine.
@Suite struct InstallationFindingTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 10_000_000_000 + Int64((seconds * 1e9).rounded()))
    }

    private static func fix(_ seconds: Double, latency: Double = 0) -> SensorEvent {
        var fix = GnssFix(
            validityTime: at(seconds), arrivalTime: at(seconds + latency), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (0.8, 0.2 + seconds * 1e-7)
        return .gnss(fix)
    }

    /// A drive whose antenna is known from an earlier one, forward and left of the IMU, metres.
    private static func drive(_ forward: Double, _ left: Double, sigma: Double = 0.1) -> DriveCollector {
        var engine = Engine()
        engine.offer(
            mount: MountEstimate(
                sensorToBody: .identity, sigmaBodyRadians: Vector3(0.01, 0.01, 0.01), origin: .kept,
                antenna: AntennaArm(meters: SIMD2(forward, left), sigmaMeters: SIMD2(sigma, sigma / 2))))
        let collector = DriveCollector(kinds: [.gps, .imu])
        collector.note(fix(0), &engine)
        return collector
    }

    private static func figures(_ drive: DriveCollector, told: Vector3? = nil) -> DriveFigures {
        var settings = FusionSettings()
        settings.antennaLeverArmBodyMeters = told
        return DriveFigures(
            name: "made", format: "test", drive: drive, reference: nil, settings: settings, notes: [], roads: nil)
    }

    @Test(
        arguments: [
            (-1.4, 0.5, 0.1, "1.4 m behind and 0.5 m left of the IMU"),
            (0.5, -0.8, 0.1, "0.5 m ahead of and 0.8 m right of the IMU"),
            // A part of less than 0.2 m is not told.
            (0.2, 0.6, 0.1, "0.2 m ahead of and 0.6 m left of the IMU"), (0.19, 0.6, 0.1, "0.6 m left of the IMU"),
            (0.6, 0.2, 0.1, "0.6 m ahead of and 0.2 m left of the IMU"), (0.6, -0.19, 0.1, "0.6 m ahead of the IMU"),
            // Less than 0.3 m, or than three sigmas, is beside the IMU; more than 0.3 m of sigma is not known.
            (0.3, 0, 0.05, nil), (0.31, 0, 0.05, "0.3 m ahead of the IMU"), (0, -0.31, 0.05, "0.3 m right of the IMU"),
            (0.86, 0, 0.29, nil), (0.88, 0, 0.29, "0.9 m ahead of the IMU"), (2, 2, 0.3, nil),
        ] as [(Double, Double, Double, String?)])
    func anAntennaIsToldWithItsPlace(forward: Double, left: Double, sigma: Double, place: String?) {
        let found = Self.figures(Self.drive(forward, left, sigma: sigma)).findings.first {
            $0.text.hasPrefix("antenna")
        }
        #expect(found?.text == place.map { "antenna \($0), not configured" })
        #expect(found?.severity == place.map { _ in .advice })
    }

    @Test func aConfiguredAntennaMayBeHalfAMetreAside() {
        // GIVEN an antenna 1.4 m behind and 0.5 m left THEN the setting that would be right is the remedy
        let drive = Self.drive(-1.4, 0.5)
        func found(_ told: Vector3?) -> Finding? {
            Self.figures(drive, told: told).findings.first { $0.text.hasPrefix("antenna") }
        }
        #expect(found(nil)?.remedy == "set fusion.antenna_lever_arm_m: [-1.40, 0.50, HEIGHT]")
        // GIVEN one that is configured THEN half a metre of difference is let pass, in any direction
        for (x, y, isFound) in [
            (-1.4, 0.5, false), (-0.91, 0.5, false), (-0.89, 0.5, true), (-1.4, 0.99, false), (-1.4, 1.01, true),
            (-1.8, 0.1, true), (-1.7, 0.2, false),
        ] {
            #expect((found(Vector3(x, y, 1.5)) != nil) == isFound, "\(x) \(y)")
        }
        let wrong = found(Vector3(0, 0, 1.5))
        #expect(
            wrong?.text
                == "antenna 1.4 m behind and 0.5 m left of the IMU, but configured at [0.00, 0.00, 1.50]")
        #expect(wrong?.remedy == "correct fusion.antenna_lever_arm_m")
        // AND of one that is not known so well, three sigmas are
        let vague = Self.drive(-3, 0, sigma: 0.25)
        for (x, isFound) in [(-2.26, false), (-2.24, true)] {
            let texts = Self.figures(vague, told: Vector3(x, 0, 1)).findings.map(\.text)
            #expect(texts.contains { $0.hasPrefix("antenna") } == isFound, "\(x)")
        }
    }

    @Test func theFiguresHaveAntennaAndMount() throws {
        var writer = JSONWriter()
        Self.figures(Self.drive(-1.4, 0.5), told: Vector3(1, 2, 3)).writeFigures(to: &writer)
        #expect(
            writer.text.contains(
                #""antenna":{"forward_left_m":[-1.40,0.50],"sigma_m":[0.10,0.05],"configured":true},"mount":"#))
        let root = try JSONDocument(writer.text).root
        #expect(root["mount"]?["origin"]?.string == "kept" && root["magnetometer"] != nil)
    }

    @Test func theEngineIsReadAfterFixesAndOncePerSecond() {
        // GIVEN fixes each half second, a gap of five seconds, and fixes 10 ms apart WHEN collected THEN a step counts
        // for a second at most, and readings are 20 ms apart at least
        var engine = Engine()
        let collector = DriveCollector(kinds: [.gps])
        for step in 0...10 { collector.note(Self.fix(Double(step) * 0.5), &engine) }
        #expect(collector.verdictSeconds == [.trusted: 5])
        collector.note(Self.fix(10), &engine)
        #expect(collector.verdictSeconds == [.trusted: 6])
        collector.note(Self.fix(10.01), &engine)
        #expect(collector.verdictSeconds == [.trusted: 6])
        collector.note(Self.fix(10.5), &engine)
        #expect(collector.verdictSeconds == [.trusted: 6.5])
    }

    private static func sample(_ seconds: Double) -> SensorEvent {
        .inertial(
            InertialSample(
                time: at(seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8)))
    }

    @Test func theEngineIsReadWithTheTwoSamplesAfterAFix() {
        // GIVEN a fix and samples of an IMU WHEN collected THEN the engine is read with the fix and the two samples
        // after it, of which one brings its effect, and then once per second; a measurement of the wheels is read at
        // once, and the sample after it is not
        var engine = Engine()
        let collector = DriveCollector(kinds: [.gps, .imu, .wheels])
        collector.note(Self.fix(0), &engine)
        let wheels = SensorEvent.wheelSpeed(WheelSpeedSample(time: Self.at(2), speedMetersPerSecond: 3))
        for (event, seconds) in [
            (Self.sample(0.021), 0.021), (Self.sample(0.042), 0.042), (Self.sample(0.063), 0.042),
            (Self.sample(1.041), 0.042), (Self.sample(1.043), 1.042), (wheels, 1.999), (Self.sample(2.03), 1.999),
        ] {
            collector.note(event, &engine)
            let found = collector.verdictSeconds.values.reduce(0, +)
            #expect(abs(found - seconds) < 1e-6, "\(event.arrivalTime.seconds)")
        }
    }

    @Test func aBeginBeforeAllTimeHasNoUTC() {
        // GIVEN a measurement at the earliest time that there is, and a frame with UTC at the latest THEN nothing
        // traps, and the UTC of the begin is unknown
        var engine = Engine()
        let collector = DriveCollector(kinds: [.wheels])
        let time = MonotonicTime(nanoseconds: .min)
        collector.note(.wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: 3)), &engine)
        var frame = Frame()
        (frame.timeNanoseconds, frame.utcNanoseconds) = (.max, 0)
        collector.write(frame)
        #expect(Self.figures(collector).beginUTCNanoseconds == nil)
    }

    @Test func fixesAreKeptUpToTwentyPerSecond() {
        // GIVEN fixes at 20 and at 40 Hz for a second THEN the former are all kept, and of the latter every second one
        for (hertz, kept) in [(20, 20), (40, 20)] {
            var engine = Engine()
            let collector = DriveCollector(kinds: [.gps])
            for step in 0..<hertz { collector.note(Self.fix(Double(step) / Double(hertz)), &engine) }
            #expect(collector.fixes.samples.count == kept)
        }
    }

    @Test func theFirstTwoThousandEventsAreKept() {
        let collector = DriveCollector(kinds: [])
        for step in 0..<2003 {
            var frame = Frame()
            frame.timeNanoseconds = Int64(step) * 1_000_000
            frame.pose.state = step % 2 == 0 ? .coarse : .lost
            collector.write(frame)
        }
        #expect(collector.events.count == 2000 && collector.eventCount >= 2002)
    }

    @Test func anInnovationIsInItsSigmas() throws {
        // GIVEN a drive WHEN collected THEN the last innovation of each source is that of the engine, over its sigma
        let figures = try Drives.figures(try Drives.simulated(seed: 5, edges: 6))
        for source in [AidSource.gnssPosition, .gnssVelocity, .gnssHeight] {
            let entry = try #require(figures.drive.innovations.sources[source]?.entries.last)
            let status = figures.drive.innovations.trust[source]
            #expect(status.innovationVariance > 0 && status.innovation != 0)
            #expect(abs(entry.normalised - status.innovation / status.innovationVariance.squareRoot()) < 1e-12)
            #expect(entry.testRatio == status.testRatio && entry.rejection == status.rejection)
        }
    }

    @Test func eachCellHasItsFixes() throws {
        // GIVEN a drive whose receiver states a fifth of its errors WHEN its figures are written
        let figures = try Drives.figures(
            try Drives.simulated(seed: 9, edges: 6) { $0.satellite?.statedSigmaScale = 0.2 })
        var writer = JSONWriter()
        figures.writeFigures(to: &writer)
        let places = try #require(try JSONDocument(writer.text).root["places"])
        let cells = places["cells"].map { Array($0.elements) }?.map { $0.elements.compactMap(\.int) } ?? []
        // THEN each innovation is in one cell, the bad ones too, and the cells go from south to north
        let entries = try #require(figures.drive.innovations.sources[.gnssPosition]?.entries)
        #expect(places["cell_deg"]?.double == 0.001 && cells.count > 3 && cells.allSatisfy { $0.count == 4 })
        try #require(cells.allSatisfy { $0.count == 4 })
        #expect(cells.reduce(0) { $0 + $1[2] } == entries.count)
        let bad = entries.count { $0.rejection != .none || abs($0.normalised) > 3 }
        #expect(bad > 0 && cells.reduce(0) { $0 + $1[3] } == bad)
        #expect(zip(cells, cells.dropFirst()).allSatisfy { ($0[0], $0[1]) < ($1[0], $1[1]) })
        // AND they are those of the poses: a thousandth of a degree each
        let latitudes = figures.drive.track.samples.compactMap { $0.latitudeRadians?.radiansInDegrees }
        let south = Int(((latitudes.min() ?? 0) * 1000).rounded(.down))
        let north = Int(((latitudes.max() ?? 0) * 1000).rounded(.down))
        #expect(cells.allSatisfy { $0[0] >= south && $0[0] <= north })
    }

    @Test func aLateVelocityIsANoteWithTwoDecimals() throws {
        // GIVEN a receiver whose velocity is half a second late THEN that is told, and one in time is not
        func notes(_ lag: Double) throws -> [String] {
            let drive = try Drives.simulated(seed: 5) { $0.satellite?.velocityLagSeconds = lag }
            return try Drives.figures(drive).findings.map(\.text).filter { $0.contains("the receiver's velocity") }
        }
        let late = try notes(0.5)
        #expect(
            late.count == 1 && late.first?.wholeMatch(of: /the receiver's velocity is (0\.[4-6]\d) s late, .*/) != nil)
        #expect(try notes(0) == [])
    }

    @Test func anIMUThatRepeatsItsReadingsIsAProblem() {
        // GIVEN an IMU that repeats its readings for five seconds, and one whose readings change
        for repeats in [true, false] {
            var engine = Engine()
            let collector = DriveCollector(kinds: [.gps, .imu])
            for step in 0..<1000 {
                let noise = repeats ? 0 : Double(step * 7 % 11) * 1e-4
                let sample = InertialSample(
                    time: Self.at(Double(step) * 0.005),
                    angularRateRadiansPerSecond: Vector3(0.01 + noise, 0.02 - noise, noise),
                    specificForceMetersPerSecondSquared: Vector3(noise, 0.25 + noise, 9.8 - noise))
                _ = engine.ingest(.inertial(sample))
                collector.note(.inertial(sample), &engine)
            }
            let found = Self.figures(collector).findings.first { $0.text == "the IMU repeated a reading" }
            #expect((found != nil) == repeats)
            if let found { #expect(found.severity == .problem && found.remedy == "check its cable and driver") }
        }
    }
}
