import PoseMath
import Simulation
import Testing

@testable import Fusion

/// The noise of the samples as it is measured while running.
@Suite struct VibrationMeterTests {
    /// Density after ten seconds of samples made by a function of their number.
    private func density(rateHertz: Double, _ sample: (Int) -> (rate: Vector3, force: Vector3)) -> VibrationMeter.Density {
        var meter = VibrationMeter()
        var density = VibrationMeter.Density()
        for k in 0..<Int(10 * rateHertz) {
            let values = sample(k)
            density = meter.update(
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(Double(k) / rateHertz * 1e9)), angularRateRadiansPerSecond: values.rate,
                    specificForceMetersPerSecondSquared: values.force))
        }
        return density
    }

    @Test func eachAxisHasItsOwnNoise() {
        // GIVEN an axis that shakes by 0.1 rad/s and two that do not
        var random = RandomSource(seed: 3, use: 5)
        let found = density(rateHertz: 100) { _ in (Vector3(0, random.gaussian() * 0.1, 0), Vector3(0, 0, 9.8)) }
        // THEN that axis has 0.45 of the white noise of its samples, to the scatter of a mean over one second of 100 Hz (20 %), the others their floor
        let expected = (0.45 * 0.1) * (0.45 * 0.1) * 0.01
        #expect(abs(found.gyro.y / expected - 1) < 0.35)
        #expect(found.gyro.x < expected / 10 && found.gyro.z == found.gyro.x)
        #expect(found.accelerometer.x == found.accelerometer.z)
    }

    @Test func aSteadyTurnIsNoVibration() {
        // GIVEN a turn of one radian a second that begins slowly; THEN the noise is that of the rate alone, far below what shaking by as much would give
        let turning = density(rateHertz: 200) { k in (Vector3(0, 0, min(Double(k) / 400, 1)), Vector3(0, 0, 9.8)) }
        #expect(turning.gyro.z.squareRoot() < 0.006)
    }

    @Test func gapsAndRepeatedTimesStayFinite() {
        // GIVEN samples of one and the same time, then a gap of an hour; THEN the density stays a number
        var meter = VibrationMeter()
        for nanoseconds in [Int64(0), 0, 0, 3_600_000_000_000] {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: nanoseconds), angularRateRadiansPerSecond: Vector3(1, 2, 3),
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8))
            let found = meter.update(sample)
            #expect(found.gyro.isFinite && found.accelerometer.isFinite)
        }
    }
}
