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

    @Test(arguments: [(true, 400.0, 4.0), (false, 0, 4000)]) func aFilterThatStopsAtAFixWithoutAHeightKeepsItsOwn(
        isKnown: Bool, height: Double, largestSigma: Double
    ) throws {
        // GIVEN a running filter at a height of 400 m, known to 3 m, or at one that no fix has told, whose receiver
        // states none any more WHEN it stops
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
        let time = MonotonicTime(nanoseconds: 5_000_000_000)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        fix.horizontalSigmaMeters = 2
        var estimator = PoseEstimator()
        (estimator.lifeCycle, estimator.lastFix, estimator.estimate.time) = (.navigating, fix, time)
        (estimator.estimate.position, estimator.estimate.isAltitudeKnown) = (place, isKnown)
        estimator.estimate.positionSigmaENUMeters = Vector3(2, 2, 3)
        estimator.stopFilter()
        // THEN the position goes on at the known height, as sure as that was, and at none where it was not known
        let next = try #require(estimator.positionFilter)
        #expect(next.position.altitudeEllipsoidMeters == height)
        let sigma = next.vertical.position.squareRoot()
        #expect(sigma > 0.75 * largestSigma - 0.1 && sigma < largestSigma, "\(sigma)")
    }

    /// A fix of a receiver alone after so many seconds, that stands some metres to the north.
    private func fix(_ seconds: Int64, north: Double = 0, height: Double?) -> GnssFix {
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 400)
            .moved(byENU: Vector3(0, north, 0))
        let time = MonotonicTime(nanoseconds: seconds * 1_000_000_000)
        var fix = GnssFix(
            validityTime: time, arrivalTime: time, mode: height == nil ? .twoDimensional : .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (height, 2)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0)
        return fix
    }

    @Test func aHeightIsKnownFromTheFirstFixOnThatHasOneAndIsTaken() {
        // GIVEN a receiver alone that states no height in two fixes WHEN one with a height lies 5 km away, and is
        // refused THEN the published height is still unknown
        var estimator = PoseEstimator()
        for second in Int64(0)...1 { _ = estimator.ingest(.gnss(fix(second, height: nil))) }
        _ = estimator.ingest(.gnss(fix(2, north: 5_000, height: 400)))
        #expect(estimator.estimate.position != nil && !estimator.estimate.isAltitudeKnown)
        // WHEN one is taken, and the next one has no height again THEN it is known, and stays the one of before
        _ = estimator.ingest(.gnss(fix(3, height: 400)))
        _ = estimator.ingest(.gnss(fix(4, height: nil)))
        #expect(estimator.estimate.isAltitudeKnown)
        let height = estimator.estimate.position?.altitudeEllipsoidMeters ?? 0
        #expect(abs(height - 400) < 0.1, "\(height)")
    }
}
