import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A receiver that goes from one kind of solution to another and back (docs/math.md, eq. 5.35).
@Suite struct SolutionChangeTests {
    private static let place = GeodeticPosition(
        latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
    private static let forceHistory = VectorHistory()

    /// A filter at rest whose place and GNSS bias are known to 0.3 m, its antenna beside the IMU.
    private func filter() -> NavigationFilter {
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0), position: Self.place, velocityENU: .zero, sensorToENU: .identity),
            leverArm: .zero)
        for state in [FilterState.position, .gnssBias] { filter.covariance.restart(state, variance: 0.09) }
        filter.covariance.restart(.velocity, variance: 1e-4)
        for axis in [FilterState.antennaArm.x, .antennaArm.y] { filter.covariance.restart(axis, variance: 1e-8) }
        return filter
    }

    /// Takes fixes of a kind at the place, two a second.
    private func take(_ count: Int, _ quality: FixQuality, sigma: Double, by filter: inout NavigationFilter) {
        for _ in 0..<count {
            filter.state.time = filter.state.time.advanced(bySeconds: 0.5)
            var fix = GnssFix(
                validityTime: filter.state.time, arrivalTime: filter.state.time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (Self.place.latitudeRadians, Self.place.longitudeRadians)
            fix.altitudeEllipsoidMeters = Self.place.altitudeEllipsoidMeters
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
            (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (sigma, sigma)
            (fix.speedSigmaMetersPerSecond, fix.quality) = (0.1, quality)
            filter.fuse(fix, forceHistory: Self.forceHistory)
        }
    }

    private func placeVariance(_ filter: inout NavigationFilter) -> Double {
        filter.covariance[.position.x, .position.x]
    }

    @Test(arguments: [FixQuality.differential, .autonomous, .unknown])
    func goingToAndFroCountsOneErrorOnce(other: FixQuality) {
        // GIVEN a place from a solution with floating ambiguities
        var filter = filter()
        take(40, .rtkFloat, sigma: 0.3, by: &filter)
        let before = placeVariance(&filter)
        // WHEN the receiver loses its corrections every other second for a minute
        for _ in 0..<30 {
            take(2, other, sigma: 1.5, by: &filter)
            take(2, .rtkFloat, sigma: 0.3, by: &filter)
        }
        // THEN the place is no surer than that solution has made it (a thirtieth of the variance, were each error new)
        let after = placeVariance(&filter)
        #expect(after > 0.8 * before && after <= before, "\(before) \(after)")
        // AND the covariance is sound: nothing is known better than two things together
        let (bias, shared) = (
            filter.covariance[.gnssBias.x, .gnssBias.x], filter.covariance[.position.x, .gnssBias.x]
        )
        #expect(bias > 0 && shared * shared <= bias * after)
    }

    @Test func theBiasOfTheSolutionIsTakenUpAgain() {
        // GIVEN a bias of 0.2 m with floating ambiguities WHEN the receiver is without them for a second
        var filter = filter()
        take(1, .rtkFloat, sigma: 0.3, by: &filter)
        filter.state.gnssBiasENU = Vector3(0.2, 0, 0)
        filter.state.move(byENU: Vector3(-0.2, 0, 0))
        take(2, .autonomous, sigma: 1.5, by: &filter)
        var later = filter
        take(1, .rtkFloat, sigma: 0.3, by: &filter)
        // THEN it is the same again, but for what a second takes from it, and for the fix of the other solution
        #expect(abs(filter.state.gnssBiasENU.x - 0.2) < 0.03, "\(filter.state.gnssBiasENU)")
        // AND after its correlation time a third is left, and what the fix adds
        later.state.time = later.state.time.advanced(bySeconds: FilterState.gnssBiasSeconds)
        take(1, .rtkFloat, sigma: 0.3, by: &later)
        #expect(later.state.gnssBiasENU.x > 0.07 && later.state.gnssBiasENU.x < 0.18, "\(later.state.gnssBiasENU)")
    }

    @Test func resolvedAmbiguitiesDecideAtOnce() {
        // GIVEN a receiver that loses its resolved ambiguities WHEN the filter has strayed by 0.2 m until they are back
        var filter = filter()
        take(20, .rtkFixed, sigma: 0.02, by: &filter)
        take(20, .rtkFloat, sigma: 0.3, by: &filter)
        filter.covariance.addVariance(0.04, to: .position.horizontal)
        filter.state.move(byENU: Vector3(0.2, 0, 0))
        take(1, .rtkFixed, sigma: 0.02, by: &filter)
        // THEN the first of them pulls the place to where it is
        let east = Self.place.surfaceOffsetMeters(to: filter.state.position).east
        #expect(abs(east) < 0.02, "\(east)")
    }
}
