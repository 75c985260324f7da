import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The magnetic heading in the running filter.
@Suite struct MagneticHeadingTests {
    private static let degree = Angle.radiansPerDegree
    private static let time = MonotonicTime(nanoseconds: 5_000_000_000)

    /// A filter of a boat that believes to point 4 degrees to the left of east, with a sigma of 5.7.
    private func filter() -> NavigationFilter {
        let state = NavigationState(
            time: Self.time,
            position: GeodeticPosition(latitudeDegrees: 54, longitudeDegrees: 10, altitudeEllipsoidMeters: 40),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0, 0, 4 * Self.degree)))
        return NavigationFilter(at: state, leverArm: .zero, profile: .boat)
    }

    /// A magnetic attitude that is turned from east and leans, radians.
    private func heading(turned: Double, leaning: Double = 0, sigma: Double) -> MagneticHeading {
        MagneticHeading(
            time: Self.time,
            sensorToENU: Quaternion(rotationVector: Vector3(0, 0, turned))
                * Quaternion(rotationVector: Vector3(leaning, 0, 0)),
            variance: sigma * sigma, dipTangent: 2)
    }

    private func yaw(_ filter: NavigationFilter) -> Double {
        .pi / 2 - EulerAngles(bodyToENU: filter.state.sensorToENU).headingTrueRadians
    }

    @Test func aVagueHeadingIsCorrectedAndNoSurerThanTheIron() {
        // GIVEN a boat that points east, and iron that leaves 1.5 degrees WHEN it is told so a thousand times
        var filter = filter()
        let lasting = 1.5 * Self.degree
        for _ in 0..<1000 { filter.fuseMagneticHeading(heading(turned: 0, sigma: lasting)) }
        // THEN its heading has moved by what the two sigmas say (5.7 against 1.5 degrees), as if it was told once, and
        // it does not claim more than the iron allows
        let share = lasting * lasting / (0.1 * 0.1)
        #expect(abs(yaw(filter) - 4 * Self.degree * share) < 0.02 * Self.degree)
        #expect(
            filter.headingVariance() > 0.99 * lasting * lasting && filter.headingVariance() < 1.01 * lasting * lasting)
    }

    @Test func aBetterHeadingIsKept() {
        // GIVEN a filter that knows its heading to half a degree, and a magnetometer good to three WHEN that shows
        // another one
        var filter = filter()
        filter.covariance[.attitude.z, .attitude.z] = 0.25 * Self.degree * Self.degree
        let before = yaw(filter)
        for _ in 0..<1000 { filter.fuseMagneticHeading(heading(turned: 0, sigma: 3 * Self.degree)) }
        // THEN it stays
        #expect(abs(yaw(filter) - before) < 0.02 * Self.degree)
    }

    @Test func aHeadingBeyondTheGateIsRejected() {
        // GIVEN a magnetic heading a quarter turn off, ten sigmas
        var filter = filter()
        let before = yaw(filter)
        filter.fuseMagneticHeading(heading(turned: .pi / 2, sigma: 3 * Self.degree))
        // THEN it is counted and not used
        let status = filter.aids[Int(AidSource.magneticHeading.rawValue)]
        #expect(status.rejection == .innovation && status.rejectedCount == 1)
        #expect(yaw(filter) == before)
    }

    @Test func anotherLevelMakesTheFieldLean() {
        // GIVEN magnetic attitudes with the level of the filter, and a degree beside it WHEN the dip is that of central
        // Europe, a tangent of 2
        var filter = filter()
        let level = filter.magneticHeadingComponent(heading(turned: 0, sigma: 0.02))
        let leaning = filter.magneticHeadingComponent(heading(turned: 0, leaning: Self.degree, sigma: 0.02))
        // THEN the latter may be wrong by two degrees more
        #expect(abs((leaning.variance - level.variance).squareRoot() - 2 * Self.degree) < 0.01 * Self.degree)
    }

    @Test(arguments: [(0.55, true), (0.58, false)]) func theGateIsFiveSigmas(off: Double, isTaken: Bool) {
        // GIVEN a magnetic heading, known to 3 degrees, that is off by so many radians THEN it is taken up to five
        // sigmas of the filter, the calibration and its own noise, 0.566 rad
        var filter = filter()
        filter.fuseMagneticHeading(heading(turned: 4 * Self.degree + off, sigma: 3 * Self.degree))
        let status = filter.aids[Int(AidSource.magneticHeading.rawValue)]
        #expect((status.acceptedCount == 1) == isTaken && (status.rejectedCount == 0) == isTaken)
    }

    @Test func oneHeadingIsKnownToHalfADegree() {
        // GIVEN a calibration without an error WHEN one heading comes THEN it is as sure as its noise, half a degree
        var filter = filter()
        filter.fuseMagneticHeading(heading(turned: 4 * Self.degree, sigma: 1e-4))
        let sigma = filter.headingVariance().squareRoot()
        #expect(abs(sigma - 0.498 * Self.degree) < 0.01 * Self.degree)
    }
}
