import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Motions beyond the ends of the sensor's ranges.
@Suite struct SaturationTests {
    private static let rate = 250.0
    private static let range = 4.0
    private static let swingsPerSecond = 1.5

    /// A hand that turns a sensor back and forth about one axis, and holds it still before and after: the samples, and
    /// the true attitude, sensor axes to a level frame.
    private func swings(about axis: Vector3, peak: Double) -> [(sample: InertialSample, truth: Quaternion)] {
        var truth = Quaternion.identity
        var time = 0.0
        return (1...Int(30 * Self.rate)).map { step in
            let before = time
            time = Double(step) / Self.rate
            func speed(_ t: Double) -> Double {
                t > 5 && t < 20 ? peak * (1 + 0.15 * sin(t)) * sin(2 * .pi * Self.swingsPerSecond * (t - 5)) : 0
            }
            let mean = 0.5 * (speed(before) + speed(time))
            truth = (truth * Quaternion(rotationVector: axis * (mean / Self.rate))).normalized
            func clipped(_ v: Double) -> Double { min(max(v, -Self.range), Self.range) }
            // A noise of 1e-3 rad/s and 5e-3 m/s2, so that no reading repeats by itself.
            let noise = 1e-3 * sin(Double(step) * 12.9898)
            let turn = axis * mean + Vector3(noise, 0.7 * noise, -0.9 * noise)
            let force = truth.inverse.rotate(Vector3(0, 0, 9.80665)) + Vector3(-noise, noise, noise) * 5
            return (
                InertialSample(
                    time: MonotonicTime(nanoseconds: Int64(time * 1e9)),
                    angularRateRadiansPerSecond: Vector3(clipped(turn.x), clipped(turn.y), clipped(turn.z)),
                    specificForceMetersPerSecondSquared: force),
                truth
            )
        }
    }

    /// Turn beyond the range in one half of a swing, radians.
    private static func hiddenTurn(peak: Double) -> Double {
        let begin = asin(range / peak)
        return (2 * peak * cos(begin) - range * (.pi - 2 * begin)) / (2 * .pi * swingsPerSecond)
    }

    @Test(arguments: [Vector3.unitX, Vector3(0.8, 0.6, 0)], [5.0, 7]) func theTiltHoldsBeyondTheRange(
        axis: Vector3, peak: Double
    ) {
        // GIVEN swings whose peaks are up to twice the range
        var estimator = OrientationEstimator(profile: .wearable)
        var (inside, count, worst, endError) = (0.0, 0.0, 0.0, 0.0)
        for (sample, truth) in swings(about: axis, peak: peak) {
            estimator.ingest(.inertial(sample))
            guard let attitude = estimator.sensorToENU else { continue }
            let up = attitude.inverse.rotate(.unitZ)
            let error = acos(min(max(up.dot(truth.inverse.rotate(.unitZ)), -1), 1))
            let seconds = sample.time.seconds
            if seconds > 6, seconds < 20 {
                count += 1
                if error < 1.52 * estimator.tiltSigmaRadians { inside += 1 }
                worst = max(worst, error)
            }
            if seconds > 25 { endError = max(endError, error) }
        }
        // THEN most errors lie within the 1-sigma ellipse's 68 % (1.52 sigma of each axis), none is much larger than
        // what a swing hides until it comes back, of which half may be estimated wrongly, and 5 s after
        // the swings the tilt is right again
        let degree = Angle.radiansPerDegree
        #expect(inside / count >= 0.6)
        #expect(worst < 1.5 * Self.hiddenTurn(peak: 1.15 * peak), "\(worst / degree) degrees")
        #expect(endError < 2 * degree)
    }

    @Test func aParabolaIsCompleted() {
        // GIVEN a rate that follows a parabola through a range of 4 rad/s, twice
        var end = RangeEnd(leastRange: 1)
        var hidden: [Double] = []
        var truth = 0.0
        for step in 0..<400 {
            let phase = Double(step % 200) / 200
            let value = 24 * phase * (1 - phase)
            truth += step < 200 ? max(value - 4, 0) * 0.004 : 0
            end.update(Vector3(-min(value, 4), 0, 0.1 * phase), interval: 0.004)
            if end.hidden != .zero { hidden.append(end.hidden.x) }
            #expect(end.hidden.y == 0 && end.hidden.z == 0)
        }
        // THEN what the range hides is found each time: to a tenth, for slope and duration are known to a sample
        #expect(hidden.count == 2 && hidden.allSatisfy { abs($0 + truth) < 0.1 * truth }, "\(hidden) of \(truth)")
        // AND the sigma of an axis that is at its end grows
        var sigmas: [Double] = []
        for value in [3.0, 3.5, 4, 4, 4, 4, 4] {
            end.update(Vector3(value, 0, 0), interval: 0.004)
            sigmas.append(end.hiddenSigma.x)
        }
        #expect(sigmas[1] == 0 && sigmas[3] > 0 && sigmas[6] > 2 * sigmas[3] && end.isReached)
        // AND a larger reading shows that it was no end
        end.update(Vector3(5, 0, 0), interval: 0.004)
        #expect(end.range.x == .infinity)
    }

    @Test func aCoarseGyroThatTurnsSteadilyHidesNothing() {
        // GIVEN a gyro with steps of 0.1 rad/s that repeats its largest reading
        var detector = IMUStuckClipDetector()
        for step in 0..<1000 {
            let value = step % 200 < 100 ? 0.1 : 0.7
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(step) * 10_000_000),
                angularRateRadiansPerSecond: Vector3(value, 0.1 * Double(step % 2), 0),
                specificForceMetersPerSecondSquared: Vector3(0.01 * Double(step % 3), 0, 9.8))
            _ = detector.update(sample)
            // THEN no turn is added
            #expect(detector.saturated.turn == .zero && detector.saturated.openTurnSigma == .zero)
        }
    }

    /// What an axis has hidden when it is back at zero, after so many readings at the end of its range, 10 ms apart,
    /// that followed another one.
    private func hidden(after before: Double, end: Double, readings: Int) -> Double {
        var range = RangeEnd(leastRange: 1)
        for reading in [before] + Array(repeating: end, count: readings) + [0] {
            range.update(Vector3(reading, 0, 0), interval: 0.01)
        }
        return range.hidden.x
    }

    @Test(arguments: [1.0, -1]) func noMoreIsHiddenThanTheRangeItself(sign: Double) {
        // GIVEN an axis that jumps from 0 to its end at 4, 400 a second WHEN it is back after 0.04 s THEN it has hidden
        // the parabola, 400 0.04^2 / 6
        let short = hidden(after: 0, end: 4 * sign, readings: 4)
        #expect(abs(short - sign * 0.64 / 6) < 1e-12)
        // WHEN it is back after 0.07 s, whose parabola is 0.33 THEN it has hidden as much as it showed, 4 0.07
        let long = hidden(after: 0, end: 4 * sign, readings: 7)
        #expect(abs(long - sign * 0.28) < 1e-12)
    }

    @Test(arguments: [1.0, -1]) func aChangeOfSignIsARise(sign: Double) {
        // GIVEN an axis that jumps from -1 to its end at 4, 500 a second WHEN it is back after 0.04 s THEN it has
        // hidden the parabola of that slope, 500 0.04^2 / 6
        let found = hidden(after: -sign, end: 4 * sign, readings: 4)
        #expect(abs(found - sign * 0.8 / 6) < 1e-12)
    }
}
