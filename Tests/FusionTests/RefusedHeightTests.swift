import Geodesy
import PoseMath
import Testing

@testable import Fusion

/// Heights that are refused while the places of the same fixes are taken (docs/math.md, eq. 6.10 and 12.12).
@Suite struct RefusedHeightTests {
    /// A filter at a height of 40 m, which it knows to a metre.
    private func filter() -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 40),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance = Covariance()
        filter.covariance.restart(.position, variance: 1)
        return filter
    }

    /// Takes a height at a second, metres above the filter's, known to a metre.
    private func take(_ meters: Double, at seconds: Double, by filter: inout NavigationFilter) {
        filter.state.time = MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
        var row = ObservationRow()
        row.add(.position.z, 1)
        filter.fuseHeight(
            NavigationFilter.Component(row: row, innovation: meters, variance: 1), at: filter.state.time)
    }

    @Test(arguments: [20.0, -20]) func theHeightIsUnsureByTheTimeAndHalfOfTheDifference(meters: Double) {
        // GIVEN heights that are 20 m off, fourteen of the sigmas of both THEN the published height is unsure by half
        // of that, and half a metre for each second since the first of them
        var filter = filter()
        #expect(filter.refusedHeightSigma == 0)
        for (seconds, sigma) in [(0.0, 10.0), (4, 12), (8.5, 14.25)] {
            take(meters, at: seconds, by: &filter)
            #expect(abs(filter.refusedHeightSigma - sigma) < 1e-9, "\(seconds)")
        }
        #expect(filter.state.position.altitudeEllipsoidMeters == 40 && filter.reset.count == 0)
        // AND a height that is taken ends that
        take(0.5, at: 8.8, by: &filter)
        #expect(filter.refusedHeightSigma == 0 && filter.refusedHeights == nil)
    }

    @Test(arguments: [(8.9, false), (9, true), (9.1, true)]) func afterNineSecondsTheHeightIsThatOfTheFixes(
        seconds: Double, isMoved: Bool
    ) {
        // GIVEN heights that are refused WHEN that has lasted for 9 s THEN the height moves to theirs, but for a share
        // of 1 / (1 + 400 + 1), and the move is announced
        var filter = filter()
        for second in [0.0, 3, 6, seconds] { take(20, at: second, by: &filter) }
        let moved = filter.state.position.altitudeEllipsoidMeters - 40
        #expect(abs(moved - (isMoved ? 19.950_249 : 0)) < 1e-6, "\(moved)")
        #expect(filter.reset.count == (isMoved ? 1 : 0) && (filter.refusedHeights == nil) == isMoved)
        #expect(filter.reset.deltaENU.z == (isMoved ? moved : 0))
        #expect((filter.refusedHeightSigma == 0) == isMoved)
    }

    @Test(arguments: [(10.0, 12.9, false), (20, 22.9, false), (20, 23, true)]) func aGapOfTheFixesProvesNothing(
        again: Double, last: Double, isMoved: Bool
    ) {
        // GIVEN a height that is refused WHEN no fix comes for 10 or 20 s, and the next heights are refused, too THEN
        // the gap counts as 3 s of the 9 s after which the height moves
        var filter = filter()
        for second in [0.0, again, last] { take(20, at: second, by: &filter) }
        #expect(filter.reset.count == 0)
        if isMoved { take(20, at: last + 3, by: &filter) }
        #expect(filter.reset.count == (isMoved ? 1 : 0))
    }

    @Test(arguments: [10.0, 30]) func aSlowReceiverMovesTheHeightByFourFixes(seconds: Double) {
        // GIVEN a receiver with a fix in 10 or 30 s WHEN its heights are refused THEN the fourth one moves the height
        var filter = filter()
        for k in 0..<4 {
            #expect(filter.reset.count == 0)
            take(20, at: seconds * Double(k), by: &filter)
        }
        #expect(filter.reset.count == 1)
    }

    @Test func heightsThatComeNoMoreMakeItNoLessSure() {
        // GIVEN heights that are 20 m off for 4 s WHEN none comes for ten minutes, as in a tunnel, or of a receiver
        // that states none any more THEN the published height is as unsure by them as at the last one
        var filter = filter()
        for second in [0.0, 4] { take(20, at: second, by: &filter) }
        filter.state.time = filter.state.time.advanced(bySeconds: 600)
        #expect(abs(filter.refusedHeightSigma - 12) < 1e-9, "\(filter.refusedHeightSigma)")
    }
}
