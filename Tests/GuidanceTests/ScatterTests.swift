import Geodesy
import Glibc
import PoseMath
import Testing

@testable import Guidance

/// The expected error of a position: the scatter seen on the route, and an unknown accuracy.
@Suite struct ScatterTests {
    private let sheet = Sheet()

    private func input(
        _ time: Double, _ x: Double, _ y: Double, speed: Double? = nil, course: Double = 0, sigma: Double? = 3
    ) -> GuidanceInput {
        GuidanceInput(
            time: MonotonicTime(nanoseconds: Int64(time * 1e9)), position: sheet.place(x, y),
            horizontalSigmaMeters: sigma, courseOverGroundRadians: speed.flatMap { $0 > 1 ? course : nil },
            speedMetersPerSecond: speed)
    }

    @Test(arguments: [(14.0, false), (1, true)])
    func theScatterSeenOnTheRouteWidensTheThresholdOfSparsePositions(scatter: Double, departs: Bool) throws {
        // GIVEN positions 10 s apart without speed and accuracy, that far to either side of the road
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 20_000)]))
        for step in 0...60 {
            let x = step % 2 == 0 ? scatter : -scatter
            follower.update(input(10 * Double(step), x, 100 * Double(step), sigma: nil))
        }
        #expect(follower.status.state == .onRoute)
        // WHEN it turns off, to 55 m
        follower.update(input(610, 55, 6045, sigma: nil))
        // THEN that is a departure after precise positions; after scattered ones it may be their error
        #expect((follower.status.state == .offRoute) == departs)
    }

    @Test(arguments: [(0, true), (100, false)])
    func onlyTheScatterWidensTheThreshold(count: Int, departs: Bool) throws {
        // GIVEN precise positions 10 s apart without speed and accuracy, and a scatter of the expected size or of 1.86
        // times it
        var follower = RouteFollower()
        follower.setRoute(try sheet.route([(0, 0), (0, 20_000)]))
        for step in 0...60 {
            follower.update(input(10 * Double(step), step % 2 == 0 ? 1 : -1, 100 * Double(step), sigma: nil))
        }
        for _ in 0..<count { follower.crossTrackScatter.update(distanceMeters: 15, sigmaMeters: 5, seconds: 10) }
        // WHEN it turns off, to 55 m THEN that is beyond the 31.3 m of the first, and within the 58.3 m of the second
        follower.update(input(610, 55, 6045, sigma: nil))
        #expect((follower.status.state == .offRoute) == departs)
    }

    @Test func anUnknownAccuracyCountsAsEightMeters() {
        // GIVEN the thresholds for an unknown accuracy, 3.5 times 8 m and 4 m of the map: 31.3 m; for 5 m: 25 m
        let settings = GuidanceSettings()
        let sigma = hypot(settings.defaultPositionSigmaMeters, settings.mapSigmaMeters)
        let bounds = DepartureEvidence.Bounds(crossTrackSigmaMeters: sigma, settings: settings)
        #expect(abs(bounds.departureMeters - 31.3) < 0.1)
        let known = DepartureEvidence.Bounds(
            crossTrackSigmaMeters: hypot(5, settings.mapSigmaMeters), settings: settings)
        #expect(known.departureMeters == 25)
    }
}
