import Engine
import Frames
import Fusion
import Geodesy
import Measurements
import PoseMath
import Recording
import Replay
import Simulation
import Testing

@testable import Report

/// Figures, findings and series of a made-up drive, number by number.
@Suite struct ExactFiguresTests {
    /// A minute east at the equator, a frame each 0.2 s; `change` gets the number of the frame.
    private static func drive(
        frames count: Int = 301, kinds: Set<SensorKind> = [.gps, .imu], _ change: (Int, inout Frame) -> Void
    ) -> DriveCollector {
        let collector = DriveCollector(kinds: kinds)
        for index in 0..<count {
            var frame = Frame()
            frame.timeNanoseconds = 10_000_000_000 + Int64(index) * 200_000_000
            frame.pose.state = .aligned
            (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0, Double(index) * 1e-6)
            change(index, &frame)
            collector.write(frame)
        }
        return collector
    }

    private static func figures(
        _ drive: DriveCollector, _ settings: FusionSettings = FusionSettings(), reference: ReferenceTrack? = nil
    ) -> DriveFigures {
        DriveFigures(
            name: "made \"up\"", format: "test", drive: drive, reference: reference, settings: settings,
            notes: ["a note"], roads: nil)
    }

    /// A drive whose numbers all differ: states, guidance, speeds, limits and a jump.
    private static var varied: DriveCollector {
        drive(frames: 101) { index, frame in
            let pose = frame.pose
            frame.utcNanoseconds = index < 3 ? nil : 1_800_000_000_000_000_000 + Int64(index) * 200_000_000
            frame.pose = pose
            frame.pose.altitudeEllipsoidMeters = 100 + Double(index) * 0.25
            frame.pose.positionSigmaENUMeters = .init(0.3 + Double(index) * 0.01, 0.4, 0.7 + Double(index) * 0.02)
            frame.pose.headingTrueRadians = 1.5 + Double(index % 7) * 0.01
            frame.pose.headingSigmaRadians = 0.01 + Double(index) * 0.0001
            (frame.pose.rollRadians, frame.pose.pitchRadians) = (0.02, -0.03)
            frame.pose.state = index < 10 ? .coarse : index < 80 ? .aligned : index < 95 ? .deadReckoning : .lost
            frame.pose.fixAgeSeconds = index < 80 ? 0.3 : Double(index - 80) * 0.4
            frame.pose.resetCount = index < 50 ? 1 : 4
            frame.speed.speedMetersPerSecond = index < 20 ? 0.4 : 10 + Double(index) * 0.05
            (frame.speed.limitMetersPerSecond, frame.speed.limitSource) = (13.9, index % 3 == 0 ? .fallback : .road)
            frame.speed.colour = index % 2 == 0 ? .orange : .blue
            frame.guidance.state =
                index < 30
                ? .onRoute : index < 40 ? .offRoute : index < 50 ? .offStep : index < 60 ? .wrongWay : .arrived
        }
    }

    /// Fixes and readings of an IMU, with gaps, repeats and a fix without position.
    private static func note(_ collector: DriveCollector) throws {
        var engine = Engine()
        for index in 0..<200 where !(60..<75).contains(index) {
            let time = MonotonicTime(nanoseconds: 10_000_000_000 + Int64(index) * 100_000_000)
            if index % 2 == 0 {
                let arrival = time.advanced(bySeconds: index < 120 ? 0.03 : 0.7)
                var fix = GnssFix(
                    validityTime: time, arrivalTime: arrival, mode: index < 20 ? .twoDimensional : .threeDimensional)
                if index > 6 {
                    (fix.latitudeRadians, fix.longitudeRadians) = (1e-7, Double(index) * 5e-7)
                    fix.horizontalSigmaMeters = 0.5
                }
                collector.note(.gnss(fix), &engine)
            }
            let value = Double(index / 5)
            let sample = InertialSample(
                time: time, angularRateRadiansPerSecond: Vector3(value, 0, 0),
                specificForceMetersPerSecondSquared: Vector3(0, value, 9.8))
            collector.note(.inertial(sample), &engine)
        }
    }

    /// A track north of the drive with heights and headings, from one second after its begin to two before its end.
    private static func reference(hasHeight: Bool) -> ReferenceTrack {
        let points = (5..<90).map { index in
            ReferenceTrack.Point(
                time: MonotonicTime(nanoseconds: 10_000_000_000 + Int64(index) * 200_000_000),
                position: GeodeticPosition(
                    latitudeRadians: Double(index) * 2e-9, longitudeRadians: Double(index) * 1e-6,
                    altitudeEllipsoidMeters: 101),
                headingRadians: 1.49)
        }
        return ReferenceTrack(name: "a track", points: points, hasHeight: hasHeight, isSmoothed: false)
    }

    private static func json(_ figures: DriveFigures) -> String {
        var writer = JSONWriter()
        figures.writeFigures(to: &writer)
        return writer.text
    }

    @Test func everyFigureIsWrittenInItsUnit() throws {
        // GIVEN a made-up drive with fixes and a reference WHEN its figures are written
        let collector = Self.varied
        try Self.note(collector)
        let figures = Self.figures(collector, reference: Self.reference(hasHeight: true))
        // THEN they are these, to the last digit
        #expect(Self.json(figures) == Stored.figures)
    }

    @Test func aDriveWithoutAnythingHasNulls() {
        // GIVEN no frame and no measurement THEN what is unknown is null, and nothing is divided by zero
        #expect(Self.json(Self.figures(DriveCollector(kinds: []))) == Stored.empty)
    }

    @Test func theSeriesHaveTheirSteps() throws {
        // GIVEN four frames of a made-up drive, two fixes and a reference WHEN the series are written
        let collector = Self.drive(frames: 4) { index, frame in
            frame.pose.altitudeEllipsoidMeters = 100.1 + Double(index)
            frame.pose.positionSigmaENUMeters = index == 2 ? nil : .init(0.3, 0.4, 0.72)
            (frame.pose.headingTrueRadians, frame.pose.headingSigmaRadians) = (1.5, 0.01)
            (frame.pose.rollRadians, frame.pose.pitchRadians) = (0.02, index == 1 ? .nan : -0.03)
            frame.pose.fixAgeSeconds = 0.31
            frame.speed.speedMetersPerSecond = 9.87
            (frame.speed.limitMetersPerSecond, frame.speed.limitSource) = (13.9, index == 3 ? .fallback : .route)
            frame.speed.colour = .red
        }
        var engine = Engine()
        for index in 0..<2 {
            let time = MonotonicTime(nanoseconds: 10_000_000_000 + Int64(index) * 300_000_000)
            var fix = GnssFix(
                validityTime: time, arrivalTime: time.advanced(bySeconds: 0.1234), mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (1e-6, Double(index) * 2e-6)
            collector.note(.gnss(fix), &engine)
        }
        let track = ReferenceTrack(
            name: "a track",
            points: (0..<6).map { index in
                ReferenceTrack.Point(
                    time: MonotonicTime(nanoseconds: 10_000_000_000 + Int64(index) * 200_000_000),
                    position: GeodeticPosition(
                        latitudeRadians: 3e-7, longitudeRadians: Double(index) * 1.1e-6, altitudeEllipsoidMeters: 98),
                    headingRadians: 1.47)
            }, hasHeight: true, isSmoothed: false)
        let figures = Self.figures(collector, reference: track)
        let origin = try #require(figures.origin)
        var writer = JSONWriter()
        figures.writeSeries(to: &writer, origin: LocalFrame(origin: origin))
        // THEN each column has its step, and unknown values are null
        #expect(writer.text == Stored.series)
    }

    // MARK: - Findings

    private static func texts(_ drive: DriveCollector, reference: ReferenceTrack? = nil) -> [String] {
        figures(drive, reference: reference).findings.map { "\($0.severity.name): \($0.text)" }
    }

    @Test func aPoseThatIsNeverAlignedIsAProblemAfterAMinute() {
        let text = "problem: the pose was never aligned"
        // GIVEN just less than a minute without alignment THEN it is no problem, and a little later it is
        #expect(!Self.texts(Self.drive(frames: 300) { $1.pose.state = .coarse }).contains(text))
        #expect(Self.texts(Self.drive(frames: 302) { $1.pose.state = .coarse }).contains(text))
        #expect(!Self.texts(Self.drive(frames: 302) { $1.pose.state = $0 == 9 ? .aligned : .coarse }).contains(text))
    }

    @Test(
        arguments: [
            (5.0, nil), (5.01, "note"), (60.0, "note"), (60.01, "problem"),
        ] as [(Double, String?)])
    func aTimeWithoutFixCountsFromFiveSeconds(age: Double, severity: String?) {
        // GIVEN a drive whose last fix was that old at its end THEN it is told with its weight and its begin
        let drive = Self.drive { index, frame in frame.pose.fixAgeSeconds = index == 300 ? age : 0.1 }
        let found = Self.figures(drive).findings.first { $0.text.contains("without a usable fix") }
        #expect(found.map { "\($0.severity.name)" } == severity)
        if let found { #expect(abs((found.atSeconds ?? -1) - (60 - age)) < 1e-9) }
    }

    @Test func lostPlacesAreTheirShareOfTheTime() {
        // GIVEN one and two of 101 steps in which the place was lost THEN more than one per cent is a problem
        for (lost, expected) in [(1, []), (2, ["problem: 2.0 % of the time the place was lost"])] {
            let drive = Self.drive(frames: 102) { $1.pose.state = $0 > 101 - lost ? .lost : .aligned }
            #expect(Self.texts(drive).filter { $0.contains("was lost") } == expected)
        }
        // GIVEN jumps THEN they are counted
        for (count, words) in [(UInt32(1), "1 time"), (3, "3 times")] {
            let drive = Self.drive { $1.pose.resetCount = $0 < 50 ? 7 : 7 + count }
            #expect(Self.texts(drive).contains("advice: the pose jumped \(words), as announced to clients"))
        }
    }

    @Test func largeErrorsAreFindings() {
        // GIVEN errors of a distance in metres and a 1-sigma on each axis WHEN a hundred samples are judged
        func found(_ meters: Double, sigma: Double, bad: Int, judged: Int = 100) -> [String] {
            let drive = Self.drive(frames: judged) { index, frame in
                frame.pose.positionSigmaENUMeters = .init(sigma, 0, 1)
                frame.pose.latitudeRadians = index < bad ? meters / 6_335_439.327 : 0
            }
            let points = (0..<judged).map { index in
                ReferenceTrack.Point(
                    time: MonotonicTime(nanoseconds: 10_000_000_000 + Int64(index) * 200_000_000),
                    position: GeodeticPosition(
                        latitudeRadians: 0, longitudeRadians: Double(index) * 1e-6, altitudeEllipsoidMeters: 0))
            }
            return Self.texts(
                drive, reference: ReferenceTrack(name: "it", points: points, hasHeight: false, isSmoothed: false)
            ).filter { $0.contains("sigma") || $0.contains("error") }
        }
        // THEN more than 20 m, and more than 5 % beyond three sigmas, are told; of fewer than a hundred nothing
        #expect(found(19.9, sigma: 7, bad: 10) == [])
        #expect(found(20.1, sigma: 7, bad: 10) == ["advice: largest error 20.1 m"])
        let beyond = "% of the positions are farther from it than three times their sigma"
        #expect(found(3.1, sigma: 1, bad: 5) == [])
        #expect(found(3.1, sigma: 1, bad: 6) == ["advice: 6.0 \(beyond)"])
        #expect(found(2.9, sigma: 1, bad: 100) == [])
        #expect(found(30, sigma: 1, bad: 50, judged: 99) == [])
    }

    @Test func lateFixesAreFoundFromHalfASecond() throws {
        for (latency, expected) in [(0.5, []), (0.501, ["advice: fixes arrive 0.50 s after they were valid (median)"])]
        {
            // GIVEN ten fixes that are so late
            let drive = Self.drive { _, _ in }
            var engine = Engine()
            for index in 0..<10 {
                let time = MonotonicTime(nanoseconds: 10_000_000_000 + Int64(index) * 1_000_000_000)
                drive.note(
                    .gnss(GnssFix(validityTime: time, arrivalTime: time.advanced(bySeconds: latency), mode: .none)),
                    &engine)
            }
            // THEN only more than half a second is told
            #expect(Self.texts(drive).filter { $0.contains("fixes arrive") } == expected)
        }
    }

    @Test func theLogOfInnovationsCountsWhatItKeeps() throws {
        // GIVEN a drive whose receiver states a fifth of its errors, so that many innovations are large
        let figures = try Drives.figures(
            try Drives.simulated(seed: 9, edges: 6) { $0.satellite?.statedSigmaScale = 0.2 })
        let source = try #require(figures.drive.innovations.sources[.gnssPosition])
        // THEN each accepted one is kept, and those beyond three sigmas are counted once
        let kept = source.entries.filter { $0.rejection == .none }
        #expect(source.read == kept.count && kept.count > 100)
        #expect(source.beyondThree == kept.count { abs($0.normalised) > 3 })
        let squares = kept.reduce(0) { $0 + $1.normalised * $1.normalised }
        let expected = (squares / Double(kept.count)).squareRoot()
        #expect(abs((source.rootMeanSquare ?? 0) - expected) < 1e-9)
        let trust = figures.drive.innovations.trust[.gnssPosition]
        #expect(source.accepted == UInt64(trust.acceptedCount) && source.rejected == UInt64(trust.rejectedCount))
    }
}

/// The stored documents.
private enum Stored {
    static let figures = #"""
        {"name":"made \"up\"","format":"test","release":null,"private":false,"begin_utc_s":1800000000.000,\#
        "duration_s":20.5,"length_m":211,"sensors":[{"name":"gps","count":92,"rate_hz":4.60,"gaps":1,\#
        "longest_gap_s":1.800,"repeats":0},{"name":"imu","count":185,"rate_hz":9.25,"gaps":1,\#
        "longest_gap_s":1.600,"repeats":148}],"fixes":{"count":92,"with_height":82,"without_position":4,\#
        "used":0,"refused":0,"refused_before_filter":{}},"latency_ms":{"median":30.0,"p95":700.0,"max":700.0,\#
        "bin":25,"counts":[0,52,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,40,0,0,0,0,0,0,0,0,0,0,0,\#
        0]},"pose":{"aligned_after_s":2.0,"state_share":{"starting":0.0000,"aligning":0.0000,"coarse":0.0900,\#
        "aligned":0.7000,"deadReckoning":0.1500,"lost":0.0600,"attitudeOnly":0.0000},"jumps":3,\#
        "longest_without_fix_s":8.0,"sigma_m":{"rms":0.941,"median":0.894,"p95":1.312,"max":1.360},\#
        "heading_sigma_deg":{"rms":0.876,"median":0.859,"p95":1.117,"max":1.146},"height_min_m":100.0,\#
        "height_max_m":125.0},"speed":{"mean_moving_m_s":13.00,"max_m_s":15.00,"moving_s":16.2,\#
        "with_limit_s":10.8,"over_limit_s":1.8},"error":{"reference":"a track","smoothed":false,\#
        "horizontal_m":{"rms":0.672,"median":0.596,"p95":1.074,"max":1.128},"height_m":{"rms":12.377,\#
        "median":10.750,"p95":20.200,"max":21.250},"heading_deg":{"rms":2.574,"median":2.292,"p95":4.011,\#
        "max":4.011},"within_sigmas":[1.0000,1.0000,1.0000]},"innovations":[],"antenna":null,"mount":null,\#
        "magnetometer":null,"position_lag_s":null,"velocity_lag_s":null,"wheel_scale":null,\#
        "receiver_trusted_share":1.0000,"imu_faults":[],"guidance":{"on_route_s":7.8,"off_route_s":4.0,\#
        "departures":2},"places":{"cell_deg":0.001,"cells":[]},"events":11,"findings":[{"severity":"problem",\#
        "text":"imu: 1 gap, the longest of 1.60 s","remedy":"look at the load of the machine,\#
         the bus and the cable of the sensor","at_s":5.9},{"severity":"problem",\#
        "text":"6.0 % of the time the place was lost","remedy":"","at_s":null},{"severity":"advice",\#
        "text":"gps: 1 gap, the longest of 1.80 s","remedy":"look at the antenna's view of the sky at these plac\#
        es","at_s":5.8},{"severity":"advice","text":"imu: 80.0 % of the readings repeat the one before",\#
        "remedy":"it is read faster than it measures: set a lower rate in imu","at_s":null},\#
        {"severity":"advice","text":"the pose jumped 3 times, as announced to clients","remedy":"","at_s":null},\#
        {"severity":"note","text":"8 s without a usable fix; the pose was carried by dead reckoning",\#
        "remedy":"wheel speeds would bridge it better (docs/can.md)","at_s":12.0},{"severity":"note",\#
        "text":"a note","remedy":"","at_s":null}]}
        """#
    static let empty = #"""
        {"name":"made \"up\"","format":"test","release":null,"private":false,"begin_utc_s":null,\#
        "duration_s":0.0,"length_m":0,"sensors":[],"fixes":{"count":0,"with_height":0,"without_position":0,\#
        "used":0,"refused":0,"refused_before_filter":{}},"latency_ms":{"median":null,"p95":null,"max":null,\#
        "bin":25,"counts":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]},\#
        "pose":{"aligned_after_s":null,"state_share":{"starting":0.0000,"aligning":0.0000,"coarse":0.0000,\#
        "aligned":0.0000,"deadReckoning":0.0000,"lost":0.0000,"attitudeOnly":0.0000},"jumps":0,\#
        "longest_without_fix_s":0.0,"sigma_m":{"rms":null,"median":null,"p95":null,"max":null},\#
        "heading_sigma_deg":{"rms":null,"median":null,"p95":null,"max":null},"height_min_m":null,\#
        "height_max_m":null},"speed":{"mean_moving_m_s":null,"max_m_s":null,"moving_s":0.0,"with_limit_s":0.0,\#
        "over_limit_s":0.0},"error":null,"innovations":[],"antenna":null,"mount":null,"magnetometer":null,\#
        "position_lag_s":null,"velocity_lag_s":null,"wheel_scale":null,"receiver_trusted_share":null,\#
        "imu_faults":[],"guidance":{"on_route_s":0.0,"off_route_s":0.0,"departures":0},\#
        "places":{"cell_deg":0.001,"cells":[]},"events":0,"findings":[{"severity":"problem",\#
        "text":"no fix of a receiver","remedy":"connect one, and look at posectl doctor","at_s":null},\#
        {"severity":"advice","text":"no motion sensor: no attitude, and outages are not bridged",\#
        "remedy":"add a gyro and accelerometer","at_s":null},{"severity":"note","text":"a note","remedy":"",\#
        "at_s":null}]}
        """#
    static let series = #"""
        {"interval":0.200,"t":{"step":0.010,"d":[0,20,20,20]},"e":{"step":0.050,"d":[0,128,127,128]},\#
        "n":{"step":0.050,"d":[0,0,0,0]},"h":{"step":0.050,"d":[2002,20,20,20]},"v":{"step":0.010,"d":[987,0,0,\#
        0]},"limit":{"step":0.010,"d":[1390,0,0,null]},"colour":{"step":1.000,"d":[3,0,0,-3]},\#
        "state":{"step":1.000,"d":[3,0,0,0]},"heading":{"step":0.100,"d":[859,0,0,0]},"roll":{"step":0.050,\#
        "d":[23,0,0,0]},"pitch":{"step":0.050,"d":[-34,null,0,0]},"sigma":{"step":0.001,"d":[500,0,null,0]},\#
        "heading_sigma":{"step":0.005,"d":[115,0,0,0]},"height_sigma":{"step":0.010,"d":[72,0,null,0]},\#
        "fix_age":{"step":0.100,"d":[3,0,0,0]},"error":{"step":0.001,"d":[1901,104,284,408]},\#
        "height_error":{"step":0.010,"d":[210,100,100,100]},"heading_error":{"step":0.010,"d":[172,0,0,0]},\#
        "re":{"step":0.050,"d":[0,140,141,140]},"rn":{"step":0.050,"d":[38,0,0,0]},"fixes":{"n":0,\#
        "t":{"step":0.010,"d":[12,30]},"e":{"step":0.050,"d":[0,255]},"north":{"step":0.050,"d":[127,0]},\#
        "latency":{"step":1.000,"d":[123,0]}},"innovations":[],"gaps":[{"name":"gps","span":[0.0,0.3],\#
        "gaps":[]},{"name":"imu","span":[-10.0,-10.0],"gaps":[]}],"events":[{"t":0.0,"text":"pose: aligned",\#
        "weight":0}],"roads":[],"route":{"length":0,"e":{"step":0.500,"d":[]},"n":{"step":0.500,"d":[]}}}
        """#
}
