import Foundation
import Frames
import Fusion
import Geodesy
import PoseMath
import Recording
import Testing

@testable import Report

/// Parts of a report one by one: words of events, samples, statistics, and the reference.
@Suite struct PartsTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    @Test(
        arguments: [
            (.poseState(.deadReckoning), "note: pose: dead reckoning"), (.poseState(.lost), "problem: pose: lost"),
            (.guidanceState(.uTurnNeeded), "note: guidance: u turn needed"),
            (.source(.gps, .stale), "advice: gps: stale"),
            (.source(.imu, .lost), "advice: imu: lost"), (.source(.gps, .streaming), "note: gps: streaming"),
            (.route(version: 3), "note: another route"), (.departed(routeVersion: 1), "note: left the route"),
            (.reset(count: 7), "advice: the pose jumped, as announced (jump 7)"),
            (.rejoined(routeVersion: 1, isAhead: true), "note: back on the route, farther along"),
            (.rejoined(routeVersion: 1, isAhead: false), "note: back on the route"),
            (.maneuverReached(index: 4, count: 9), "note: maneuver 4 reached"),
            (.waypointReached(number: 2, count: 9), "note: waypoint 2 reached"),
            (.waypointSkipped(number: 2, count: 1), "note: waypoint 2 skipped"), (.origin(epoch: 1), "none"),
            (.target(number: 1, isNear: true), "none"), (.frameRate(isLow: true, millihertz: 1), "none"),
        ] as [(Message.Change, String)])
    func anEventHasItsWords(change: Message.Change, expected: String) {
        #expect(EventText.describe(change).map { "\($0.1.name): \($0.0)" } ?? "none" == expected)
    }

    @Test func aSampleHasWhatTheFrameHas() {
        // GIVEN a frame with every value that a sample takes
        var frame = Frame()
        (frame.timeNanoseconds, frame.utcNanoseconds) = (5, 6)
        (frame.pose.state, frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (.coarse, 0.1, 0.2)
        (frame.pose.altitudeEllipsoidMeters, frame.pose.positionSigmaENUMeters) = (300, .init(3, 4, 12))
        (frame.pose.headingTrueRadians, frame.pose.headingSigmaRadians) = (0.4, 0.5)
        (frame.pose.rollRadians, frame.pose.pitchRadians, frame.pose.fixAgeSeconds) = (0.6, 0.7, 0.8)
        frame.pose.velocityENUMetersPerSecond = .init(6, -8, 5)
        (frame.speed.limitMetersPerSecond, frame.speed.limitSource, frame.speed.colour) = (20, .road, .orange)
        let sample = TrackSample(frame)
        #expect(sample.time.nanoseconds == 5 && sample.utcNanoseconds == 6 && sample.state == .coarse)
        #expect(sample.latitudeRadians == 0.1 && sample.longitudeRadians == 0.2 && sample.altitudeMeters == 300)
        #expect(sample.horizontalSigmaMeters == 5 && sample.verticalSigmaMeters == 12)
        #expect(sample.headingRadians == 0.4 && sample.headingSigmaRadians == 0.5 && sample.rollRadians == 0.6)
        #expect(sample.pitchRadians == 0.7 && sample.fixAgeSeconds == 0.8 && sample.speedMetersPerSecond == 10)
        #expect(sample.limitMetersPerSecond == 20 && sample.colour == .orange)
        // AND a speed goes before the velocity, a height's sigma needs a height, and an assumed limit is none
        frame.speed.speedMetersPerSecond = 9
        frame.pose.altitudeEllipsoidMeters = nil
        frame.speed.limitSource = .fallback
        let other = TrackSample(frame)
        #expect(other.speedMetersPerSecond == 9 && other.verticalSigmaMeters == nil && other.altitudeMeters == nil)
        #expect(other.limitMetersPerSecond == nil && other.colour == .unknown && other.horizontalSigmaMeters == 5)
        #expect(TrackSample(Frame()).horizontalSigmaMeters == nil)
    }

    @Test func samplesAreDueAtTheirInterval() {
        // GIVEN an interval of 2 s THEN a sample is due at it, not just before, and after a gap from there on
        var train = SampleTrain<Int>(intervalSeconds: 2, most: 4)
        func due(_ times: [Double]) -> [Bool] { times.map { train.isDue(at: Self.at($0)) } }
        #expect(due([10, 11.9, 12, 12.1, 14.5, 15.9, 16]) == [true, false, true, false, true, false, true])
        #expect(due([18, 31, 32.9, 33]) == [true, true, false, true])
        // GIVEN four samples THEN every second one is kept, at twice the interval
        for sample in 1...3 { train.add(sample) }
        #expect(train.samples == [1, 2, 3] && train.intervalSeconds == 2)
        train.add(4)
        #expect(train.samples == [1, 3] && train.intervalSeconds == 4)
        for sample in 5...6 { train.add(sample) }
        #expect(train.samples == [1, 5] && train.intervalSeconds == 8)
        // There is room for two at least.
        var least = SampleTrain<Int>(intervalSeconds: 1, most: 0)
        least.add(1)
        #expect(least.samples == [1])
        least.add(2)
        #expect(least.samples == [1] && least.intervalSeconds == 2)
    }

    @Test func aDistributionHasItsEdges() {
        var values = Distribution()
        for value in [4.0, -3, 0] { values.add(value) }
        let quantiles = [-1, 0, 0.25, 0.5, 0.75, 1, 2].map { values.quantile($0) }
        #expect(quantiles == [-3, -3, -1.5, 0, 2, 4, 4])
        #expect(values.rootMeanSquare == (25.0 / 3).squareRoot() && values.largest == 4)
        #expect(values.counts(binWidth: 2, bins: 3) == [2, 0, 1] && values.counts(binWidth: 2, bins: 0) == [3])
        #expect(values.counts(binWidth: 0, bins: 2) == [0, 0] && values.counts(binWidth: 4, bins: 2) == [2, 1])
        // A value that comes later is sorted in.
        values.add(1)
        let middle = values.quantile(0.5)
        #expect(middle == 0.5 && values.count == 4)
        var one = Distribution()
        one.add(7)
        let all = [0, 0.5, 1].map { one.quantile($0) }
        #expect(all == [7, 7, 7])
    }

    @Test func ofTwoInnovationsOfALongDriveTheLargerIsKept() {
        /// An innovation with its number as its time.
        func entry(_ number: Int, _ normalised: Double) -> InnovationLog.Entry {
            InnovationLog.Entry(
                time: MonotonicTime(nanoseconds: Int64(number)), normalised: normalised, testRatio: 0.5,
                rejection: .none)
        }
        // GIVEN 5999 innovations, of two in succession once the first and once the second one the larger THEN all are
        // kept
        var source = InnovationLog.Source()
        let values = (0..<6000).map { [-3.5, 1, 0.5, 3][$0 % 4] }
        for number in 0..<5999 { source.add(entry(number, values[number])) }
        #expect(source.entries.count == 5999)
        // WHEN there is one more THEN the larger one of each two is kept, and all are counted
        source.add(entry(5999, values[5999]))
        let kept = (0..<3000).map { (index: Int) -> Int64 in Int64(2 * index + index % 2) }
        #expect(source.entries.map(\.time.nanoseconds) == kept)
        #expect(source.read == 6000 && source.beyondThree == 1500)
        #expect(abs((source.rootMeanSquare ?? 0) - (22.5 / 4).squareRoot()) < 1e-9)
        // AND from then on one of two
        source.add(entry(6000, 0.5))
        #expect(source.entries.count == 3000)
        source.add(entry(6001, -0.7))
        #expect(source.entries.count == 3001 && source.entries.last?.normalised == -0.7)
    }

    // MARK: - Statistics of poses

    /// Statistics of frames at times, in seconds, with a change each.
    private static func statistics(_ frames: [(Double, (inout Frame) -> Void)]) -> PoseStatistics {
        var poses = PoseStatistics()
        for (seconds, change) in frames {
            var frame = Frame()
            frame.timeNanoseconds = at(seconds).nanoseconds
            change(&frame)
            poses.note(frame)
        }
        return poses
    }

    @Test func aStateHasTheTimeBeforeItsFrames() {
        // GIVEN frames with gaps of 2 s, of more, and with the same time THEN steps of up to 2 s belong to the later
        // frame
        let poses = Self.statistics([
            (5, { $0.pose.state = .aligning }), (7, { $0.pose.state = .coarse }), (9.5, { $0.pose.state = .aligned }),
            (9.5, { $0.pose.state = .lost }), (10, { $0.pose.state = .aligned }), (10.25, { $0.pose.state = .lost }),
        ])
        #expect(poses.stateSeconds == [.coarse: 2, .aligned: 0.5, .lost: 0.25] && poses.seconds == 2.75)
        #expect(poses.secondsToAligned == 4.5)
        #expect(Self.statistics([(1, { _ in })]).secondsToAligned == nil)
    }

    @Test func aRouteIsLeftOncePerDeparture() {
        let states: [Frame.GuidanceState] = [
            .noRoute, .onRoute, .offRoute, .wrongWay, .onRoute, .uTurnNeeded, .offStep, .rejoinedAhead, .arrived,
            .offRoute,
        ]
        let poses = Self.statistics(
            states.enumerated().map { index, state in (Double(index), { $0.guidance.state = state }) })
        #expect(poses.departures == 3 && poses.offRouteSeconds == 4 && poses.onRouteSeconds == 4)
        // A drive that begins beside its route has left it, too.
        let beside = Self.statistics((0..<3).map { (Double($0), { $0.guidance.state = .offRoute }) })
        #expect(beside.departures == 1 && beside.offRouteSeconds == 2)
        let jumps = Self.statistics(
            [3, 5, 4, 4, 7].enumerated().map { index, count in
                (Double(index), { $0.pose.resetCount = count })
            })
        #expect(jumps.jumps == 5)
        let ages = Self.statistics(
            [0.5, 3, 3, 2].enumerated().map { index, age in
                (Double(index), { $0.pose.fixAgeSeconds = age })
            })
        #expect(ages.longestWithoutFix == (3, 1))
    }

    @Test(
        arguments: [
            (0.5, 10.0, false, 0.0, 0.0, 0.0), (0.51, 10, false, 1, 1, 0), (10.3, 10, false, 1, 1, 0),
            (10.31, 10, false, 1, 1, 1),
            (20, nil, false, 1, 0, 0), (20, 10, true, 0, 0, 0),
        ] as [(Double, Double?, Bool, Double, Double, Double)])
    func aSecondInMotionCounts(
        speed: Double, limit: Double?, stands: Bool, moving: Double, limited: Double, over: Double
    ) {
        // GIVEN a second at a speed, with a limit or not THEN it counts from 0.5 m/s, and above 103 % of the limit
        let poses = Self.statistics(
            [0.0, 1].map { time in
                (
                    time,
                    {
                        $0.speed.speedMetersPerSecond = speed
                        ($0.speed.limitMetersPerSecond, $0.speed.limitSource) = (limit, .road)
                        $0.pose.isStandingStill = stands
                    }
                )
            })
        #expect(poses.movingSeconds == moving && poses.limitedSeconds == limited && poses.overLimitSeconds == over)
        #expect(poses.lengthMeters == moving * speed && poses.largestSpeed == speed)
    }

    // MARK: - Reference

    /// A track of points at times, in seconds, a second of arc north per second.
    private static func track(_ times: [Double], headings: [Double?] = []) -> ReferenceTrack {
        let points = times.enumerated().map { index, time in
            ReferenceTrack.Point(
                time: at(time),
                position: GeodeticPosition(
                    latitudeRadians: time * 1e-6, longitudeRadians: -time * 2e-6, altitudeEllipsoidMeters: time * 10),
                headingRadians: index < headings.count ? headings[index] : 0.5)
        }
        return ReferenceTrack(name: "t", points: points, hasHeight: true, isSmoothed: false)
    }

    @Test func aReferenceIsJoinedUpToTwoAndAHalfSeconds() {
        // GIVEN a track with steps of 1 s, 2.5 s and a little more THEN a point lies between two of them, or there is
        // none
        let track = Self.track([0, 1, 3.5, 6.001, 7])
        for start in [0, 2, 9] {
            for (time, isKnown) in [
                (-0.001, false), (0, true), (0.25, true), (1, true), (2, true), (3.499, true), (4, false), (6.5, true),
                (7, true), (7.001, false),
            ] {
                var cursor = start
                let point = track.point(at: Self.at(time), cursor: &cursor)
                #expect((point != nil) == isKnown, "\(time)")
                guard let point else { continue }
                #expect(abs(point.position.latitudeRadians - time * 1e-6) < 1e-15)
                #expect(abs(point.position.longitudeRadians + time * 2e-6) < 1e-15)
                #expect(abs(point.position.altitudeEllipsoidMeters - time * 10) < 1e-9 && point.headingRadians == 0.5)
            }
        }
        // WHEN the heading is unknown on one side THEN it is unknown between
        var cursor = 0
        let halves = Self.track([0, 1, 2], headings: [1, nil, 2])
        #expect(halves.point(at: Self.at(0.5), cursor: &cursor)?.headingRadians == nil)
        let turning = Self.track([0, 1], headings: [3, -3])
        let heading = turning.point(at: Self.at(0.5), cursor: &cursor)?.headingRadians ?? 0
        #expect(abs(abs(heading) - .pi) < 1e-12)
        // Fewer points than two are no track.
        #expect(Self.track([]).point(at: Self.at(0), cursor: &cursor) == nil)
    }

    @Test func aReferenceLiesBesideItsRecording() throws {
        let folder = NSTemporaryDirectory() + "posed-beside-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/drive", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["drive", "drive.mcap", "log.ubx"] {
            #expect(ReferenceTrack.beside(recording: "\(folder)/\(name)") == nil)
        }
        for name in ["drive/truth.csv", "other.truth.csv", "log.ubx.truth.csv"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        #expect(ReferenceTrack.beside(recording: "\(folder)/drive//") == "\(folder)/drive/truth.csv")
        #expect(ReferenceTrack.beside(recording: "\(folder)/other.mcap") == "\(folder)/other.truth.csv")
        #expect(ReferenceTrack.beside(recording: "\(folder)/log.ubx") == "\(folder)/log.ubx.truth.csv")
        #expect(ReferenceTrack.beside(recording: "\(folder)/log") == nil)
    }

    @Test func errorsAreCountedWithinTheirSigmas() {
        // GIVEN samples at just one, two and three sigmas north of a track, and just beyond, and without a sigma
        let track = Self.track([0, 1])
        // A metre of latitude at the equator, radians; the ellipsoid's meridian has 6,335,439 m there.
        let meter = 1 / 6_335_439.327
        let samples = [0.99, 1.01, 1.99, 2.01, 2.99, 3.01, 0.5].enumerated().map { index, distance in
            var frame = Frame()
            frame.pose.latitudeRadians = distance * meter
            (frame.pose.longitudeRadians, frame.pose.altitudeEllipsoidMeters) = (0, index == 0 ? nil : -3)
            frame.pose.headingTrueRadians = index == 1 ? nil : 0.5 + Double(index) * 0.1
            if index < 6 { frame.pose.positionSigmaENUMeters = .init(0.6, 0.8, 1) }
            return TrackSample(frame)
        }
        let errors = TrackErrors(samples, track)
        #expect(errors.judged == 6 && errors.within == [1, 3, 5])
        #expect(abs((errors.worst?.meters ?? 0) - 3.01) < 0.001 && errors.worst?.time.nanoseconds == 0)
        #expect(errors.horizontal.count == 7 && errors.height.count == 6 && errors.headingDegrees.count == 6)
        let height = errors.height.largest
        #expect(height == 3)
        #expect(abs((errors.headingDegrees.largest ?? 0) - 0.6 * 180 / .pi) < 1e-9)
    }

    @Test func aSampleWhoseSigmaIsZeroIsNotJudged() {
        // GIVEN samples at the place of a track, with a sigma and with one of zero
        let track = Self.track([0, 1])
        let samples = [0.5, 0].map { sigma in
            var frame = Frame()
            (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0, 0)
            frame.pose.positionSigmaENUMeters = .init(sigma, 0, 1)
            return TrackSample(frame)
        }
        // THEN the distances of both count, and only that with a sigma is within it
        let errors = TrackErrors(samples, track)
        #expect(errors.horizontal.count == 2 && errors.judged == 1 && errors.within == [1, 1, 1])
    }
}
