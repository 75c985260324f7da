import DriveTrials
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// A gyro of which nothing is known, biased by up to 20 deg/s about each axis, as data sheets allow.
@Suite struct WorstGyroTests {
    /// Seconds at rest with such a gyro, at 100 Hz: the filter.
    private static func rest(bias: Vector3, seconds: Double) -> AttitudeFilter {
        var filter = AttitudeFilter(profile: .vehicle)
        for k in 0..<Int(seconds * 100) {
            let time = Double(k) * 0.01
            filter.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: bias,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, InertialSample.standardGravity)),
                still: time > 0.7, meanAngularRate: bias, quietSeconds: time)
        }
        return filter
    }

    @Test(arguments: [Vector3(0, 0, 0.34), Vector3(0.2, -0.2, 0.2), Vector3(-0.2, 0.3, -0.16)])
    func fiveSecondsOfStillnessAreARest(bias: Vector3) {
        // GIVEN a rest WHEN the gyro turns evenly by up to 20 deg/s about each axis THEN that is its bias after
        // five seconds
        #expect((Self.rest(bias: bias, seconds: 12).gyroBias - bias).length < 0.002)
        // AND before that it may be a smooth bend: of the turn about the vertical nothing is learned
        #expect(abs(Self.rest(bias: bias, seconds: 4.9).gyroBias.z) < 0.05)
    }

    @Test(arguments: [Vector3(-0.34, 0, 0), Vector3(0.2, -0.25, 0.1)])
    func aStillForceShowsTheLevelAxesAtOnce(bias: Vector3) {
        // GIVEN a bias about the level axes WHEN gravity does not move THEN it is found as soon as the body is still
        #expect((Self.rest(bias: bias, seconds: 4).gyroBias - bias).length < 0.002)
    }

    @Test func aTurntableIsNoRest() {
        // GIVEN a record player, 33 turns a minute THEN no stillness makes that the bias
        #expect(abs(Self.rest(bias: Vector3(0, 0, 3.5), seconds: 20).gyroBias.z) < 0.05)
        #expect(abs(Self.rest(bias: Vector3(0, 0, 0.36), seconds: 20).gyroBias.z) < 0.05)
    }

    private static var installation: Installation {
        var installation = Installation()
        installation.isGyroBiased = true
        return installation
    }

    // Without what finds the bias they aligned after 1 to 189 s from rest and 29 to 275 s in motion; of the twelve two
    // had headings of 26 and 74 degrees, and two none that could be judged.
    @Test(arguments: [UInt64(1), 2, 3, 5, 8, 11], [false, true]) func aVehicleIsAlignedAllTheSame(
        seed: UInt64, movingStart: Bool
    ) throws {
        // GIVEN a drive from its start, or joined in motion WHEN the gyro is biased by 5 to 20 deg/s
        let outcome = try RandomDriveTrial(
            seed: seed, movingStart: movingStart, lags: true, installation: Self.installation)
        // THEN it aligns as soon as with a good gyro, within 2 and 35 s, the heading is right to half a degree, and the
        // place no worse than the receiver's
        #expect((outcome.drivingSecondsToAligned ?? .infinity) < (movingStart ? 40 : 3))
        #expect(outcome.headingErrorDegrees < 0.5)
        #expect(outcome.horizontalErrorMeters < outcome.largestHorizontalErrorMeters)
        #expect(outcome.resetCount == 0)
    }
}
