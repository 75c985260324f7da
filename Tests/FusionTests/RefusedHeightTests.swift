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
        #expect(filter.refusedHeightSigma == 0 && filter.heightRefusedSince == nil)
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
        #expect(filter.reset.count == (isMoved ? 1 : 0) && (filter.heightRefusedSince == nil) == isMoved)
        #expect(filter.reset.deltaENU.z == (isMoved ? moved : 0))
        #expect((filter.refusedHeightSigma == 0) == isMoved)
    }
}
