import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The noise of the samples as it is measured while running.
@Suite struct IMUNoiseEstimatorTests {
    /// Density after ten seconds of samples made by a function of their number.
    private func density(rateHertz: Double, _ sample: (Int) -> (rate: Vector3, force: Vector3))
        -> IMUNoiseEstimator.Density
    {
        var meter = IMUNoiseEstimator()
        var density = IMUNoiseEstimator.Density()
        for k in 0..<Int(10 * rateHertz) {
            let values = sample(k)
            density = meter.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(Double(k) / rateHertz * 1e9)),
                    angularRateRadiansPerSecond: values.rate,
                    specificForceMetersPerSecondSquared: values.force))
        }
        return density
    }

    @Test func eachAxisHasItsOwnNoise() {
        // GIVEN an axis that shakes by 0.1 rad/s and two that do not
        var random = RandomSource(seed: 3, use: 5)
        let found = density(rateHertz: 100) { _ in (Vector3(0, random.gaussian() * 0.1, 0), Vector3(0, 0, 9.8)) }
        // THEN that axis has 0.45 of the white noise of its samples, to the scatter of a mean over one second of 100 Hz
        // (20 %), the others their floor
        let expected = (0.45 * 0.1) * (0.45 * 0.1) * 0.01
        #expect(abs(found.gyro.diagonal.y / expected - 1) < 0.35)
        #expect(found.gyro.diagonal.x < expected / 10 && found.gyro.diagonal.z == found.gyro.diagonal.x)
        #expect(found.accelerometer.diagonal.x == found.accelerometer.diagonal.z)
    }

    @Test func theMeasuredNoiseIsTheFloor() {
        // GIVEN sensors that lie still without vibration, of which the settings state the noise
        var settings = FusionSettings()
        (settings.gyroNoise, settings.accelerometerNoise) = (0.000_05, 0.001)
        var (told, untold) = (IMUNoiseEstimator(settings: settings), IMUNoiseEstimator())
        let sample = InertialSample(
            time: MonotonicTime(nanoseconds: 0), angularRateRadiansPerSecond: .zero,
            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8))
        // WHEN a sample is taken THEN the density is that noise squared, to rounding, and else that of the tuning
        let (a, b) = (told.update(sample), untold.update(sample))
        #expect(abs(a.gyro.diagonal.x - 0.000_05 * 0.000_05) < 1e-18)
        #expect(abs(a.accelerometer.diagonal.z - 1e-6) < 1e-15)
        #expect(b.gyro.diagonal.x == Tuning.IMUNoise.gyroFloor * Tuning.IMUNoise.gyroFloor)
    }

    @Test func whiteNoiseOfTheSensorCountsWhole() {
        // GIVEN white noise of 0.1 rad/s on all axes at 100 Hz, for ten seconds
        var random = RandomSource(seed: 6, use: 5)
        let found = density(rateHertz: 100) { _ in
            (Vector3(random.gaussian(), random.gaussian(), random.gaussian()) * 0.1, Vector3(0, 0, 9.8))
        }
        // THEN the density is that of the samples, not the share of it that vibration has: the floor is the least of
        // several estimates, 0.7 of the mean, and the rest is a mean over one second that scatters by 20 %
        let white = 0.1 * 0.1 * 0.01
        let trace = found.gyro.diagonal.x + found.gyro.diagonal.y + found.gyro.diagonal.z
        #expect(trace / 3 > 0.6 * white && trace / 3 < 1.15 * white, "\(trace / 3 / white)")
    }

    @Test func aSwingAboutASlantedAxisIsCommonToTheSensorsAxes() {
        // GIVEN a mount that swings about (3, 0, -4)/5 by 0.1 rad/s, whose sensors have no noise of their own
        var random = RandomSource(seed: 4, use: 5)
        let (swing, across) = (Vector3(0.6, 0, -0.8), Vector3(0.8, 0, 0.6))
        let found = density(rateHertz: 100) { _ in
            let shake = random.gaussian() * 0.1
            return (swing * shake, Vector3(0, 0, 9.8) + swing * shake)
        }
        // THEN the angle walks about that axis, and across it by the little that an IMU at rest has
        #expect(across.dot(found.gyro * across) < swing.dot(found.gyro * swing) / 50)
        // AND the one has nothing to do with the other: to rounding
        for noise in [found.gyro, found.accelerometer] {
            #expect(abs(across.dot(noise * swing)) < 1e-12 * swing.dot(noise * swing))
        }
    }

    @Test func aSteadyTurnIsNoVibration() {
        // GIVEN a turn of one radian a second that begins slowly; THEN the noise is that of the rate alone, far below
        // what shaking by as much would give
        let turning = density(rateHertz: 200) { k in (Vector3(0, 0, min(Double(k) / 400, 1)), Vector3(0, 0, 9.8)) }
        #expect(turning.gyro.diagonal.z.squareRoot() < 0.006)
    }

    @Test func whatTheIntervalDoesNotResolveIsNoise() {
        // GIVEN white vibration of 0.1 rad/s at 25 Hz
        var random = RandomSource(seed: 8, use: 5)
        let found = density(rateHertz: 25) { _ in (Vector3(0, random.gaussian() * 0.1, 0), Vector3(0, 0, 9.8)) }
        // THEN the density is that of 4.10 and 4.14 together: 0.45^2 of the samples' over 12.5 ms, and 0.0180 s more of
        // their variance, to the scatter of a mean over ten seconds of pairs at 25 Hz (20 %)
        let expected = 0.1 * 0.1 * (0.45 * 0.45 * 0.012_5 + (0.04 * 0.04 - 0.012_5 * 0.012_5) / 0.08)
        #expect(abs(found.gyro.diagonal.y / expected - 1) < 0.5, "\(found.gyro.diagonal.y / expected)")
        // AND none at 100 Hz and above, whatever the jitter of a quarter
        #expect(IMUNoiseEstimator.unresolvedSeconds(0.01) == 0 && IMUNoiseEstimator.unresolvedSeconds(0.012_5) == 0)
        #expect(IMUNoiseEstimator.unresolvedSeconds(0.02) > 0.006)
    }

    @Test func vibrationThatAliasesToHalfTheRateIsHardlyNoise() {
        // GIVEN a mount that swings by 0.1 rad/s, sampled at 50 Hz so that every sample has the other sign
        let found = density(rateHertz: 50) { k in
            (Vector3(0, k % 2 == 0 ? 0.1 : -0.1, 0), Vector3(0, 0, 9.8))
        }
        // THEN the integral of the samples keeps next to nothing of it: the density is the 0.45^2 of 12.5 ms that any
        // vibration has (to 5 %, the floor), and no more for the longer interval
        let expected = 0.45 * 0.45 * 0.5 * 0.2 * 0.2 * 0.012_5
        #expect(abs(found.gyro.diagonal.y / expected - 1) < 0.05, "\(found.gyro.diagonal.y / expected)")
    }

    @Test func vibrationThatAliasesToNearZeroIsNoiseToo() {
        // GIVEN a mount that swings at 25 to 26 Hz by 0.1 rad/s, sampled at 25 Hz: neighbours hardly differ
        let found = density(rateHertz: 25) { k in
            let seconds = Double(k) * 0.04
            return (Vector3(0, 0.1 * sin(2 * .pi * (25 + 0.1 * seconds) * seconds), 0), Vector3(0, 0, 9.8))
        }
        // THEN the density counts the differences of means as well, which are four times as large
        let neighbours = density(rateHertz: 25) { k in
            (Vector3(0, k % 2 == 0 ? 0.01 : -0.01, 0), Vector3(0, 0, 9.8))
        }
        #expect(found.gyro.diagonal.y > 5 * neighbours.gyro.diagonal.y)
    }

    /// Density after two samples, the second one that of a level sensor at rest.
    private func density(
        after seconds: Double, rate: Vector3 = .zero, force: Vector3 = Vector3(0, 0, 9.8)
    ) -> IMUNoiseEstimator.Density {
        var meter = IMUNoiseEstimator()
        _ = meter.update(
            InertialSample(
                time: MonotonicTime(nanoseconds: 0), angularRateRadiansPerSecond: rate,
                specificForceMetersPerSecondSquared: force))
        return meter.update(
            InertialSample(
                time: MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8)))
    }

    @Test func aTurnAndAThrowAddToTheFloor() {
        // GIVEN the first sample of a turn of 10 rad/s THEN the noise is that of a consumer gyro, 0.01 deg/s/sqrt(Hz),
        // and two thousandths of the rate
        var meter = IMUNoiseEstimator()
        let turning = meter.update(
            InertialSample(
                time: MonotonicTime(nanoseconds: 0), angularRateRadiansPerSecond: Vector3(6, 0, 8),
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8)))
        #expect(abs(turning.gyro.diagonal.y - 4.000_305e-4) < 1e-9)
        #expect(abs(density(after: 0.01).gyro.diagonal.y - 3.0462e-8) < 1e-12)
        // WHEN the force changes by 1 m/s2 within 0.01 s THEN its noise is 0.005, and 0.015 of what it differs from the
        // mean of the last second; along the change a little more
        let thrown = density(after: 0.01, force: Vector3(0, 0, 8.8)).accelerometer.diagonal
        #expect(abs(thrown.x - 2.455_2e-4) < 1e-8 && thrown.y == thrown.x && abs(thrown.z - thrown.x - 4.5e-6) < 1e-9)
    }

    @Test func anIntervalCountsFromATenthOfAMillisecondToATenthOfASecond() {
        // GIVEN a rate that changes by 1 rad/s over a gap THEN a tenth of a second of it counts, which resolves no
        // vibration, by the means of a second and of ten
        for seconds in [0.1, 0.2, 60] {
            let found = density(after: seconds, rate: Vector3(0, 1, 0)).gyro.diagonal
            #expect(abs(found.y - 2.496_4e-4) < 1e-8, "\(found)")
        }
        // AND at the same time it is taken for a tenth of a millisecond
        for seconds in [0, 1e-4] {
            let found = density(after: seconds, rate: Vector3(0, 1, 0)).gyro.diagonal
            #expect(abs(found.y - 3.147_4e-8) < 1e-12, "\(found)")
        }
    }

    @Test func aPersonShakesASensor() {
        // GIVEN a sensor without noise THEN on a person it has a tenth of a degree, and 0.03 m/s2, and on a vehicle and
        // a boat none; more noise stays as it is
        let none = IMUNoiseEstimator.Density()
        let worn = none.on(.wearable)
        for axis in 0..<3 {
            #expect(abs(worn.gyro.diagonal[axis].squareRoot() - 0.1.degreesInRadians) < 1e-9)
            #expect(abs(worn.accelerometer.diagonal[axis].squareRoot() - 0.03) < 1e-9)
        }
        for profile in [MotionProfile.vehicle, .boat] {
            #expect(none.on(profile).gyro == .zero && none.on(profile).accelerometer == .zero)
        }
        let noisy = IMUNoiseEstimator.Density(
            gyro: SymmetricMatrix3(isotropic: 1), accelerometer: SymmetricMatrix3(isotropic: 1))
        #expect(noisy.on(.wearable).gyro == noisy.gyro && noisy.on(.wearable).accelerometer == noisy.accelerometer)
    }

    @Test func gapsAndRepeatedTimesStayFinite() {
        // GIVEN samples of one and the same time, then a gap of an hour; THEN the density stays a number
        var meter = IMUNoiseEstimator()
        for nanoseconds in [Int64(0), 0, 0, 3_600_000_000_000] {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: nanoseconds), angularRateRadiansPerSecond: Vector3(1, 2, 3),
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8))
            let found = meter.update(sample)
            #expect(found.gyro.isFinite && found.accelerometer.isFinite)
        }
    }
}
