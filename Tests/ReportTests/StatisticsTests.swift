import Engine
import Foundation
import Frames
import Fusion
import Geodesy
import PoseMath
import Recording
import Testing

@testable import Report

@Suite struct StatisticsTests {
    @Test func quantilesLieBetweenTheValues() {
        // GIVEN the values 0 to 100 in another order, and one that is none
        var values = Distribution()
        for value in (0...100).reversed() { values.add(Double(value)) }
        values.add(.nan)
        // THEN the statistics are those of the values
        #expect(values.count == 101 && values.largest == 100)
        let quantiles = [0.5, 0.955, 2].map { values.quantile($0) }
        #expect(quantiles == [50, 95.5, 100])
        #expect(values.counts(binWidth: 30, bins: 3) == [30, 30, 41])
        var none = Distribution()
        let unknown = none.quantile(0.5)
        #expect(unknown == nil && none.rootMeanSquare == nil)
    }

    @Test func aLongDriveIsThinnedAndKeepsItsLength() {
        // GIVEN room for 100 samples at 1 s
        var train = SampleTrain<Double>(intervalSeconds: 1, most: 100)
        // WHEN 1,000 s come at 10 Hz
        for tick in 0..<10_000 {
            let time = MonotonicTime(nanoseconds: Int64(tick) * 100_000_000)
            if train.isDue(at: time) { train.add(time.seconds) }
        }
        // THEN the samples are at equal intervals over the whole time
        #expect((50..<100).contains(train.samples.count))
        #expect(train.samples.first == 0 && (train.samples.last ?? 0) > 960)
        let steps = zip(train.samples, train.samples.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { abs($0 - train.intervalSeconds) < 0.11 }, "\(Set(steps))")
    }

    @Test func referencesAreJoinedOverShortIntervalsOnly() throws {
        // GIVEN a track with a gap, across the antimeridian
        let path = NSTemporaryDirectory() + "posed-reference-\(UUID().uuidString).csv"
        defer { unlink(path) }
        try "t_s,lat_deg,lon_deg,heading_deg\n0,10,179.9999,350\n1,10,-179.9999,10\n9,10,-179.99,10\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        let track = try ReferenceTrack(path: path)
        var cursor = 0
        // THEN in the middle it is on the antimeridian, with the heading in the middle
        let middle = try #require(track.point(at: MonotonicTime(nanoseconds: 500_000_000), cursor: &cursor))
        #expect(abs(abs(middle.position.longitudeRadians) - .pi) < 1e-9)
        let heading = try #require(middle.headingRadians)
        #expect(abs(Angle.wrappedToPi(heading)) < 1e-9)
        // THEN there is no point in the gap, before and after
        for seconds in [-1, 4, 10] {
            #expect(track.point(at: MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000), cursor: &cursor) == nil)
        }
        #expect(!track.hasHeight)
    }

    @Test(arguments: [("40", true), ("", false)]) func aTrackHasHeightsIfAllItsPointsHave(last: String, isKnown: Bool)
        throws
    {
        let path = NSTemporaryDirectory() + "posed-reference-\(UUID().uuidString).csv"
        defer { unlink(path) }
        try "t_s,lat_deg,lon_deg,alt_hae_m\n0,1,2,30\n1,1,2,\(last)\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try ReferenceTrack(path: path).hasHeight == isKnown)
    }

    @Test(arguments: [
        ("t_s,lat_deg,lon_deg\n1,2,3\n", "has fewer than two points"),
        ("t_s,lat_deg,lon_deg\n1,2,3\n1,2,3\n", "the time is not later"),
        ("t_s,lat_deg,lon_deg\n1,2,3\n2,99,3\n", "lat_deg is out of range"), ("a,b\n", "column t_s is missing"),
        ("", "the file is empty"),
    ])
    func badReferencesAreNamed(text: String, problem: String) throws {
        let path = NSTemporaryDirectory() + "posed-reference-\(UUID().uuidString).csv"
        defer { unlink(path) }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: RecordingError.self) { try ReferenceTrack(path: path) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
        #expect(error?.description.hasPrefix(path) == true)
    }

    @Test func aTrackOfOnePointIsNoReference() throws {
        // GIVEN a track with a single point, as the smoothed track of a single position WHEN a pose at its time is
        // compared THEN there is no reference
        let point = ReferenceTrack.Point(
            time: MonotonicTime(nanoseconds: 5),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400))
        for points in [[], [point]] {
            let track = ReferenceTrack(name: "smoothed", points: points, hasHeight: true, isSmoothed: true)
            var cursor = 0
            #expect(track.point(at: point.time, cursor: &cursor) == nil)
        }
    }

    @Test func theJumpsBeforeARecordingThatBeginsInMidRunAreNotItsOwn() {
        // GIVEN a recording that begins in mid-run, in whose first second the pose of the replay jumps once
        let drive = DriveCollector(kinds: [])
        func write(_ second: Int64, jumps: UInt32) {
            var frame = Frame()
            (frame.timeNanoseconds, frame.pose.resetCount) = (second * 1_000_000_000, jumps)
            drive.write(frame)
        }
        write(0, jumps: 0)
        write(1, jumps: 1)
        #expect(drive.poses.jumps == 1)
        // WHEN posed is reset, which had jumped 57 times by then, and jumps once more THEN these two count, and not
        // those before
        var past = EnginePast()
        past.estimator.jumpCount = 57
        drive.note(past)
        write(2, jumps: 58)
        write(3, jumps: 59)
        #expect(drive.poses.jumps == 3)
    }

    @Test func hostileTimesOfFramesCountNothing() {
        // GIVEN frames whose times are the smallest and the largest numbers
        var poses = PoseStatistics()
        for time in [Int64.min, Int64.max, 0, Int64.max, Int64.min] {
            var frame = Frame()
            frame.timeNanoseconds = time
            poses.note(frame)
        }
        // THEN nothing traps, and no time is counted
        #expect(poses.seconds == 0)
    }

    @Test func theLargestSpeedIsThatOfTheFastestFrame() {
        // GIVEN a drive that becomes faster and slower, first without a speed, but with a velocity
        var poses = PoseStatistics()
        func note(_ tick: Int, _ change: (inout Frame) -> Void) {
            var frame = Frame()
            frame.timeNanoseconds = Int64(tick) * 100_000_000
            change(&frame)
            poses.note(frame)
        }
        for tick in 0..<3 { note(tick) { _ in } }
        #expect(poses.largestSpeed == nil)
        // The climb does not count.
        note(3) { $0.pose.velocityENUMetersPerSecond = Frame.Triple(3, -4, 12) }
        #expect(poses.largestSpeed == 5)
        for (index, speed) in [2.0, 20, 12, 0].enumerated() {
            note(4 + index) { $0.speed.speedMetersPerSecond = speed }
        }
        // THEN it is the largest of them
        #expect(poses.largestSpeed == 20)
    }

    @Test func aSecondAboveTheLimitIsCounted() {
        // GIVEN ten seconds at 20 m/s where 15 m/s are allowed, by a limit that is known and by one that is assumed
        for source in [Frame.LimitSource.route, .fallback] {
            var poses = PoseStatistics()
            for tick in 0...100 {
                var frame = Frame()
                frame.timeNanoseconds = Int64(tick) * 100_000_000
                frame.speed.speedMetersPerSecond = 20
                (frame.speed.limitMetersPerSecond, frame.speed.limitSource) = (15, source)
                poses.note(frame)
            }
            // THEN only a known limit counts
            #expect(abs(poses.overLimitSeconds - (source == .route ? 10 : 0)) < 1e-6)
            #expect(abs(poses.lengthMeters - 200) < 1e-6)
        }
    }
}
