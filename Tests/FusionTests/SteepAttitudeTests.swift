import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// The sigma of the heading of a body that points up: there a tilt turns the heading.
@Suite struct SteepAttitudeTests {
    private static let pitch = 60.0.degreesInRadians

    /// A filter whose body points east and up by 60 deg, with tilts known to 0.02 rad and the turn about up to 0.03.
    private func steep(_ profile: MotionProfile, pitch: Double = SteepAttitudeTests.pitch) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 0),
            velocityENU: .zero, sensorToENU: Quaternion(rotationVector: Vector3(0, -pitch, 0)))
        var filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        filter.covariance.restart(.attitude, variance: 4e-4)
        filter.covariance[.attitude.z, .attitude.z] = 9e-4
        return filter
    }

    @Test(arguments: [MotionProfile.wearable, .boat]) func aTiltIsAPartOfThePublishedHeading(profile: MotionProfile) {
        // GIVEN a body without wheels that points up by 60 deg THEN the variance of its heading has that of its tilt
        // three times, and that of a told mount four times
        var filter = steep(profile)
        #expect(abs(filter.publishedHeadingVariance(toldMountSigma: 0) - 2.1e-3) < 1e-9)
        #expect(abs(filter.publishedHeadingVariance(toldMountSigma: 0.1) - 0.0421) < 1e-9)
        #expect(abs(filter.headingVariance() - 9e-4) < 1e-12)
        // AND none is known of a body that points straight up; one that is level is as before
        var upright = steep(profile, pitch: .pi / 2)
        #expect(upright.publishedHeadingVariance(toldMountSigma: 0) > 1e9)
        var level = steep(profile, pitch: 0)
        #expect(abs(level.publishedHeadingVariance(toldMountSigma: 0.1) - 0.0109) < 1e-9)
    }

    @Test func theHeadingOfAVehicleIsThatOfItsMountAndAttitude() {
        var filter = steep(.vehicle)
        let own = filter.headingVariance()
        #expect(filter.publishedHeadingVariance(toldMountSigma: 0) == own)
    }

    @Test func aTiltIsAPartOfTheMagneticHeading() throws {
        // GIVEN a wearable at rest that points north and up by 60 deg, with a compass
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        let attitude = EulerAngles(rollRadians: 0, pitchRadians: Self.pitch, headingTrueRadians: 0).bodyToENU
        for k in 0..<500 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 10_000_000)
            let sample = InertialSample(
                time: time, angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: attitude.inverse.rotate(Vector3(0, 0, 9.806_65)))
            _ = estimator.ingest(.inertial(sample))
            let field = attitude.inverse.rotate(Vector3(0, 20e-6, -44e-6))
            _ = estimator.ingest(.magnetic(MagneticSample(time: time, fluxDensityTesla: field)))
        }
        // THEN the sigma of its magnetic heading has that of the tilt by the tangent of the pitch
        let tilt = try #require(estimator.estimate.tiltSigmaRadians)
        let sigma = try #require(estimator.estimate.headingMagneticSigmaRadians)
        let own = estimator.attitude.findings.magneticHeadingSigma
        #expect(tilt > 0.001 && abs(sigma * sigma - own * own - 3 * tilt * tilt) < 0.01 * tilt * tilt)
    }
}
