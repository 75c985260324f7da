import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which events give an estimate, and for how long the navigation filter runs without samples.
@Suite struct PoseEstimatorTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    /// A sample of a level body at rest.
    private static func sample(_ milliseconds: Int64) -> SensorEvent {
        .inertial(
            InertialSample(
                time: time(milliseconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65)))
    }

    /// A fix some metres to the east, to 3 m, without a velocity.
    private static func fix(_ milliseconds: Int64, east: Double = 0) -> SensorEvent {
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 0)
            .moved(byENU: Vector3(east, 0, 0))
        var fix = GnssFix(validityTime: time(milliseconds), arrivalTime: time(milliseconds), mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        fix.horizontalSigmaMeters = 3
        return .gnss(fix)
    }

    @Test func samplesGiveAnEstimateAndFixesWhereThereAreNone() {
        // GIVEN an estimator WHEN events come THEN each sample gives a new estimate, and a fix does from the second
        // after the last sample on; no other event does
        var estimator = PoseEstimator()
        let events: [(event: SensorEvent, isNew: Bool)] = [
            (Self.fix(0), true), (Self.sample(10), true),
            (.magnetic(MagneticSample(time: Self.time(20), fluxDensityTesla: Vector3(0, 20e-6, -43e-6))), false),
            (.wheelSpeed(WheelSpeedSample(time: Self.time(20), speedMetersPerSecond: 0)), false),
            (.pressure(PressureSample(time: Self.time(20), pressurePascal: 101_000)), false), (Self.sample(20), true),
            (Self.sample(20), false), (Self.fix(1019), false), (Self.fix(2020), true),
        ]
        for (event, expected) in events {
            let isNew = estimator.ingest(event)
            #expect(isNew == expected, "\(event)")
        }
    }

    @Test func theFirstTwoPlacesHaveAVelocityBetweenThem() throws {
        // GIVEN a receiver that states no velocity WHEN its second fix comes, a second and 10 m after the first one
        // THEN that has the velocity between the two
        var estimator = PoseEstimator()
        _ = estimator.ingest(Self.fix(0))
        #expect(estimator.lastFix?.horizontalVelocity == nil)
        _ = estimator.ingest(Self.fix(1000, east: 10))
        let velocity = try #require(estimator.lastFix?.horizontalVelocity)
        #expect(abs(velocity.eastMetersPerSecond - 10) < 1e-3 && abs(velocity.northMetersPerSecond) < 1e-3)
    }

    @Test(arguments: [(MotionProfile.vehicle, 10.0), (.boat, 3), (.wearable, 3)])
    func theFilterOfACarRunsForTenSecondsWithoutASample(profile: MotionProfile, seconds: Double) {
        // GIVEN an estimator THEN its filter may run from the last sample up to that time, and not at it, and never
        // without one
        var settings = FusionSettings()
        settings.profile = profile
        var estimator = PoseEstimator(settings: settings)
        let end = RestingVehicle.now.advanced(bySeconds: seconds)
        let without = estimator.canBridge(to: RestingVehicle.now)
        estimator.lastSample = RestingVehicle.sample()
        let before = estimator.canBridge(to: MonotonicTime(nanoseconds: end.nanoseconds - 1))
        let at = estimator.canBridge(to: end)
        #expect(!without && before && !at)
    }
}
