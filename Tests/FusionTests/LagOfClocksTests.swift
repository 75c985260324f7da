import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When a lag of the positions is one of the clocks for good (docs/math.md, eq. 5.23).
@Suite struct LagOfClocksTests {
    /// A filter at 10 m/s to the east, whose lags of position and velocity are known to these, seconds.
    private static func filter(
        position: Double, velocity: Double, sigma: Double = 0.005, profile: MotionProfile = .vehicle
    ) -> NavigationFilter {
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0),
                position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400),
                velocityENU: Vector3(10, 0, 0), sensorToENU: .identity),
            leverArm: .zero, profile: profile)
        filter.covariance = Covariance()
        filter.isPositionLagEstimated = true
        set(position, velocity, sigma: sigma, in: &filter)
        return filter
    }

    private static func set(_ position: Double, _ velocity: Double, sigma: Double, in filter: inout NavigationFilter) {
        (filter.state.positionLagSeconds, filter.state.velocityLagSeconds) = (position, velocity)
        filter.covariance[.positionLag, .positionLag] = sigma * sigma
        filter.covariance[.velocityLag, .velocityLag] = sigma * sigma
    }

    @Test(arguments: [
        (0.0, 0.1, 0.005, true), (0.11, 0.2, 0.005, true), (0.125, 0.2, 0.005, false), (0.02, 0.3, 0.005, false),
        (0.02, 0.2, 0.005, true), (0.02, 0.21, 0.005, false),
        (-0.05, 0.3, 0.005, false), (0, 0.1, 0.06, false), (-0.2, -0.1, 0.03, true), (0.2, 0.5, 0.005, false),
    ]) func aLagIsOneOfTheClocksWhereThatIsSure(position: Double, velocity: Double, sigma: Double, isSure: Bool) {
        // GIVEN lags of position and velocity WHEN a fix has been taken THEN they are those of the clocks where it is
        // sure to 99 %, 2.33 sigmas, that the position is not late by 0.13 s, and the velocity not by 0.2 s more
        var filter = Self.filter(position: position, velocity: velocity, sigma: sigma)
        filter.noteLagOfClocks()
        #expect(filter.isLagOfClocks == isSure)
        // AND not on a person, whose gait hides the lag of the velocity
        var person = Self.filter(position: position, velocity: velocity, sigma: sigma, profile: .wearable)
        person.noteLagOfClocks()
        #expect(!person.isLagOfClocks)
        // AND not before the lag of the position is estimated
        filter.isLagOfClocks = false
        filter.isPositionLagEstimated = false
        filter.noteLagOfClocks()
        #expect(!filter.isLagOfClocks)
    }

    @Test(arguments: [(0.02, -2.7), (0.2, 0)]) func aClockThatDriftsDoesNotMakeTheReceiverLate(
        first: Double, way: Double
    ) {
        // GIVEN a lag that was surely one of the clocks, and one of a late receiver WHEN it has become 0.27 s, and the
        // velocity's a tenth more THEN the place is that of the stamp, 2.7 m back, and the place of now
        var filter = Self.filter(position: first, velocity: first + 0.1)
        filter.noteLagOfClocks()
        Self.set(0.27, 0.37, sigma: 0.001, in: &filter)
        filter.noteLagOfClocks()
        let place = filter.publishedPlace(isAntennaTold: true, isLagTold: false)
        #expect(abs(filter.state.position.surfaceOffsetMeters(to: place.position).east - way) < 0.01)
    }
}
