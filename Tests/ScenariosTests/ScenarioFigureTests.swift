import Frames
import Geodesy
import PoseMath
import RoadMaps
import Simulation
import Testing

@testable import Scenarios

/// Which figures a run of a scenario has, and the limits of a way on roads.
@Suite struct ScenarioFigureTests {
    /// A drive with the best sensors on a street with a corner, so long after its end.
    private static func scenario(after seconds: Double, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
        var scenario = Scenario(name: "x")
        scenario.way = .corners([[48, 11], [48.001, 11], [48.001, 11.0015]])
        (scenario.driver.standingSecondsBefore, scenario.driver.standingSecondsAfter) = (5, seconds)
        scenario.sensors.inertial?.errors = .perfect
        scenario.sensors.satellite = .rtk
        change(&scenario)
        return scenario
    }

    private static let names = [
        "aligned after, s", "horizontal error, RMS, m", "horizontal error, largest, m", "heading error, RMS, deg",
        "height error, RMS, m", "share lost", "share within 3 sigma",
    ]

    @Test("without an alignment no error is reached") func withoutAnAlignmentNothingIsReached() throws {
        // GIVEN a drive without a receiver THEN nothing but the share of lost poses is known
        let rows = try ScenarioCheck(Self.scenario(after: 1) { $0.hasReceiver = false }).rows
        #expect(rows.map(\.name) == Self.names)
        #expect(rows.map { $0.reached == nil } == [true, true, true, true, true, false, true])
        #expect(rows.map(\.isLeast) == [false, false, false, false, false, false, true])
        #expect(rows.allSatisfy { $0.asked == nil && $0.isGood })
    }

    @Test("errors are judged from half a minute after the alignment on") func errorsAreJudgedLater() throws {
        // GIVEN drives that end before and after half a minute since the alignment has passed
        let short = try ScenarioCheck(Self.scenario(after: 1)).rows.map(\.reached)
        let long = try ScenarioCheck(Self.scenario(after: 60)).rows.map(\.reached)
        // THEN the first has its largest error only, and the second those of each kind, which are small
        let aligned = try #require(short[0])
        #expect(long[0] == aligned && aligned > 5 && aligned < 35)
        #expect(short[2] != nil && [short[1], short[3], short[4], short[6]] == [nil, nil, nil, nil])
        for (figure, most) in [(long[1], 0.1), (long[3], 1), (long[4], 0.2), (long[2], 3)] {
            #expect(figure.map { $0 < most } == true, "\(long)")
        }
        #expect(long[5] == 0 && (long[6] ?? 0) > 0.9)
        // AND a share is one of all, and no error is larger than the largest
        #expect((long[6] ?? 2) <= 1 && (long[2] ?? 0) >= (long[1] ?? .infinity))
    }

    @Test("half a minute after the alignment is not yet judged") func halfAMinuteIsNotYetJudged() throws {
        // GIVEN a drive, and how long it is and when it aligns
        let usual = Self.scenario(after: 30)
        let aligned = try #require(try ScenarioCheck(usual).rows.first?.reached)
        let rest = aligned + 30 - (try Drive(try usual.plan()).durationSeconds)
        // WHEN it ends with the frame of half a minute later, ten of which come in a second THEN no error is judged,
        // and with the next frame the first one is
        for (seconds, isJudged) in [(0.05, false), (0.15, true)] {
            let rows = try ScenarioCheck(Self.scenario(after: 30 + rest + seconds)).rows.map(\.reached)
            #expect(rows[0] == aligned && rows[2] != nil)
            for index in [1, 3, 4, 6] { #expect((rows[index] != nil) == isJudged, "\(seconds) \(index)") }
        }
    }

    /// A frame and its errors: to the north, clockwise and up, metres and degrees.
    private typealias Erroneous = (seconds: Double, state: Frame.PoseState, north: Double, turn: Double, up: Double)

    /// The figures of a drive with these frames, each of which has a 1-sigma of 4 m to the east and 3 m to the north.
    private static func figures(_ frames: [Erroneous]) throws -> [Double?] {
        let simulated = try scenario(after: 60).simulated()
        let sink = ErrorSink(simulated, settling: 30)
        for error in frames {
            let truth = simulated.drive.truth(atSeconds: error.seconds)
            let radius = WGS84.meridianRadiusMeters(latitudeRadians: truth.position.latitudeRadians)
            let heading = EulerAngles(bodyToENU: truth.bodyToENU).headingTrueRadians
            var frame = Frame()
            frame.timeNanoseconds = Int64(error.seconds * 1e9)
            frame.pose.state = error.state
            frame.pose.latitudeRadians = truth.position.latitudeRadians + error.north / radius
            frame.pose.longitudeRadians = truth.position.longitudeRadians
            frame.pose.altitudeEllipsoidMeters = truth.position.altitudeEllipsoidMeters + error.up
            frame.pose.headingTrueRadians = heading + error.turn * Angle.radiansPerDegree
            frame.pose.positionSigmaENUMeters = .init(4, 3, 9)
            sink.write(frame)
        }
        return sink.rows(Scenario.Expectation()).map(\.reached)
    }

    @Test("errors are root mean squares, and the largest since the alignment") func errorsAreRootMeanSquares() throws {
        // GIVEN a pose that is lost, aligns after ten seconds, and has errors of 3 and 4 m, 6 and 8 degrees, 1 and 7 m
        // of height more than half a minute later
        let found = try Self.figures([
            (5, .lost, 900, 90, 90), (10, .aligned, 100, 90, 90), (40, .aligned, -50, 90, 90),
            (41, .aligned, 3, 6, 1), (42, .coarse, -4, -8, -7),
        ])
        // THEN each figure is this; the places of the truth are computed to a millionth
        let expected = [10, 12.5.squareRoot(), 100, 50.0.squareRoot(), 5, 0.2, 1]
        try #require(found.count == expected.count)
        for (figure, value) in zip(found, expected) { #expect(abs((figure ?? -1) - value) < 1e-4, "\(found)") }
    }

    @Test("an error of three sigmas is within them", arguments: [(14.99, 1.0), (15.01, 0.5), (-15.01, 0.5)])
    func threeSigmasAreWithin(north: Double, share: Double) throws {
        // GIVEN a 1-sigma of 5 m of both axes together, and an error a little less and a little more than three of it,
        // beside one that is none THEN the share is this
        let found = try Self.figures([
            (10, .aligned, 0, 0, 0), (41, .aligned, 0, 0, 0), (42, .aligned, north, 0, 0),
        ])
        #expect(found.last == share)
    }

    @Test("a way on roads has a limit of 50 km/h, or the one that is told") func aWayOnRoadsHasALimit() throws {
        // GIVEN a road of two junctions
        var map = MapWriter()
        map.node(1, 48, 11)
        map.node(2, 48.003, 11)
        map.way(1, [1, 2], [("highway", "residential"), ("maxspeed", "30")])
        let folder = ImportFolder()
        _ = try folder.roads(map)
        var scenario = Scenario(name: "x")
        scenario.way = .roads(path: "\(folder.path)/roads.posed", from: [48, 11], to: [48.003, 11])
        // THEN its plan follows it
        let plan = try scenario.plan()
        #expect(plan.limitsMetersPerSecond == [50 / 3.6] && plan.vertices.count == 2)
        #expect(plan.vertices.map { ($0.latitudeDegrees * 1e5).rounded() } == [4_800_000, 4_800_300])
        scenario.limitMetersPerSecond = 7
        #expect(try scenario.plan().limitsMetersPerSecond == [7])
        withExtendedLifetime(folder) {}
    }
}
