import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The height of a fix, which is fused after its place.
@Suite struct HeightAfterPlaceTests {
    @Test(arguments: [0.5, 0.8]) func aHeightIsComparedWithTheOneThatThePlaceHasLeft(up: Double) {
        // GIVEN a place known to 10 m and a height known to 2 m, of which half a metre goes with each 5 m to the east,
        // as after a slope without fixes
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 0)
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0), position: place, velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance = Covariance()
        filter.covariance.restart(.position.horizontal, variance: 100)
        filter.covariance.restart(.position.z, variance: 4)
        filter.covariance[.position.x, .position.z] = 10
        filter.covariance[.position.z, .position.x] = 10
        // WHEN a fix of centimetres lies 5 m to the east, and above
        let there = place.moved(byENU: Vector3(5, 0, up))
        var fix = GnssFix(validityTime: state.time, arrivalTime: state.time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (there.latitudeRadians, there.longitudeRadians)
        fix.altitudeEllipsoidMeters = there.altitudeEllipsoidMeters
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters, fix.quality) = (0.02, 0.02, .rtkFixed)
        let taken = filter.fuse(fix, forceHistory: VectorHistory())
        // THEN its place has raised the height by half a metre (4.4: 10 / 100.0001 of 5 m), and its height is compared
        // with that: of the rest, 3 / 3.0004 is taken
        let height = filter.aids[Int(AidSource.gnssHeight.rawValue)]
        #expect(taken && height.acceptedCount == 1 && abs(height.innovation - (up - 0.5)) < 1e-4, "\(height)")
        let expected = 0.5 + (up - 0.5) * 3 / 3.000_4
        let found = filter.state.position.altitudeEllipsoidMeters
        #expect(abs(found - expected) < 1e-4, "\(found)")
    }
}
