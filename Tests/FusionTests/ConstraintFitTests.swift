import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// A body that slips as no vehicle does: the constraints are found not to fit, and are loosened.
@Suite struct ConstraintFitTests {
    /// The monitor after slips of one sigma of 0.1 m/s at 8 m/s, five a second; the time when they did not fit,
    /// seconds.
    private func fit(seconds: Int, slip: (Double) -> Double) -> (fit: ConstraintFit, foundAt: Double?) {
        var (fit, foundAt) = (ConstraintFit(), Double?.none)
        for k in 0..<(5 * seconds) {
            let (time, x) = (Double(k) / 5, slip(Double(k) / 5))
            if fit.note(slip: x, metersPerSecond: 0.1 * x, speed: 8, seconds: 0.2) { foundAt = foundAt ?? time }
        }
        return (fit, foundAt)
    }

    @Test func slipsToBothSidesDoNotFit() throws {
        // GIVEN slips of 5 sigmas to the left and to the right in turn, each for 2 s THEN the constraints do not fit
        // after four such turns at most
        let found = fit(seconds: 30) { Int($0 / 2).isMultiple(of: 2) ? 5 : -5 }
        #expect(try #require(found.foundAt) < 8)
        #expect(!found.fit.isFitting)
        // AND the slip's own size is known: 0.5 m/s, to what the mean of 10 s leaves of the beginning
        #expect(abs(found.fit.slipVariance.squareRoot() - 0.5) < 0.05)
    }

    @Test func aWrongHeadingSlipsToOneSide() {
        // GIVEN a slip of 20 sigmas to one side for five minutes THEN the constraints fit: the heading is what is wrong
        #expect(fit(seconds: 300) { _ in 20 }.fit.isFitting)
        // AND with 1 sigma of noise for an hour they fit, too
        var random = RandomSource(seed: 5)
        #expect(fit(seconds: 3600) { _ in random.gaussian() }.foundAt == nil)
    }

    @Test func aBodyThatSlipsNoMoreIsAVehicleAgain() {
        // GIVEN slips of 12 sigmas, 1.2 m/s, to both sides for a minute WHEN they are 1 sigma, 0.7 degrees, from then
        // on THEN the constraints are applied again after a minute, and not before
        func after(_ seconds: Int) -> Bool {
            fit(seconds: 60 + seconds) { $0 < 60 ? (Int($0 / 2).isMultiple(of: 2) ? 12 : -12) : 1 }.fit.isFitting
        }
        #expect(!after(55))
        #expect(after(90))
    }

    /// Angle by which a skidding body points beside its course, radians, and its rate, rad/s.
    private func skid(_ seconds: Double) -> (angle: Double, rate: Double) {
        guard seconds > 60 else { return (0, 0) }
        let (w, size) = (2 * Double.pi / 6, 0.6)
        return (size * sin(w * (seconds - 60)), size * w * cos(w * (seconds - 60)))
    }

    /// Errors of a drive whose body skids from 60 s on: the 95th percentile, metres, and the estimator at the end.
    private func drive(skids: Bool) throws -> (p95: Double, estimator: PoseEstimator) {
        let plan = try Drive(.random(seed: 4, edges: 10))
        let simulated = SimulatedDrive(drive: plan, sensors: SensorSuite(), seed: 4)
        var (estimator, errors) = (PoseEstimator(), [Double]())
        for event in simulated {
            guard event.arrivalTime.seconds < 180 else { break }
            var event = event
            if skids, case .inertial(var sample) = event {
                let (angle, rate) = skid(sample.time.seconds)
                let turn = Quaternion(rotationVector: Vector3(0, 0, -angle))
                sample.angularRateRadiansPerSecond =
                    turn.rotate(sample.angularRateRadiansPerSecond) + Vector3(0, 0, rate)
                sample.specificForceMetersPerSecondSquared = turn.rotate(sample.specificForceMetersPerSecondSquared)
                event = .inertial(sample)
            }
            guard estimator.ingest(event), let place = estimator.estimate.position,
                estimator.estimate.time.seconds > 75
            else { continue }
            let off = simulated.truth(at: estimator.estimate.time).position.surfaceOffsetMeters(to: place)
            errors.append(hypot(off.east, off.north))
        }
        errors.sort()
        return (errors.isEmpty ? .infinity : errors[errors.count * 95 / 100], estimator)
    }

    @Test func aBodyThatSkidsIsFollowed() throws {
        // GIVEN a drive of two minutes whose body swings by 34 degrees to both sides of its course, with a consumer
        // receiver THEN it is found out, announced, and followed as the receiver does: 2.5 m on each axis are 6.1 m at
        // the 95th percentile
        var (p95, estimator) = try drive(skids: true)
        #expect(estimator.rejections.profileRefuted > 0)
        #expect(p95 < 8, "\(p95) m")
        var report = TrustReport()
        estimator.describeTrust(&report)
        #expect(!report.doesProfileFit)
        // AND no heading of it is called aligned
        #expect(estimator.estimate.state != .aligned)
    }

    @Test func aVehicleStaysOne() throws {
        // GIVEN the same drive without the swing THEN nothing is found out
        var (p95, estimator) = try drive(skids: false)
        #expect(estimator.rejections.profileRefuted == 0 && p95 < 8)
        var report = TrustReport()
        estimator.describeTrust(&report)
        #expect(report.doesProfileFit)
    }

    @Test(arguments: [(1.9, false), (2.1, true)]) func slipsOfTwoSigmasToBothSidesAreTheLimit(
        slip: Double, isRefuted: Bool
    ) {
        // GIVEN slips of so many sigmas to the left and to the right in turn, for two minutes THEN their mean square
        // reaches 4 where they are more than two; at 2.1 after more than 10 s, the time of the means
        let found = fit(seconds: 120) { Int($0 * 5 + 0.5).isMultiple(of: 2) ? slip : -slip }
        #expect((found.foundAt != nil) == isRefuted)
        if let at = found.foundAt { #expect(at > 15 && at < 30, "\(at)") }
    }

    @Test(arguments: [(Double.nan, 1.0), (.infinity, 1), (1, .nan), (1, -.infinity)])
    func aSlipWithoutANumberTellsNothing(slip: Double, metersPerSecond: Double) {
        // GIVEN a slip that is no number WHEN it is added THEN nothing changes, and nothing is refuted
        var fit = ConstraintFit()
        let before = fit.meanSquare
        let isRefuted = fit.note(slip: slip, metersPerSecond: metersPerSecond, speed: 5, seconds: 1)
        #expect(!isRefuted && fit.isFitting && fit.meanSquare == before && fit.slipVariance == 0)
    }

    @Test(arguments: [(4.9, 0.970_2), (5.1, 0.99), (10, 0.99), (100, 0.99)])
    func aSlipCountsForFiveSigmasAtMost(slip: Double, meanSquare: Double) {
        // GIVEN a slip of so many sigmas, the first one of all, which begin at 0.5 THEN the mean of its side takes a
        // fiftieth of its square, of 25 at most, and that of the other side of zero
        for sign in [1.0, -1] {
            var fit = ConstraintFit()
            let isRefuted = fit.note(slip: sign * slip, metersPerSecond: 0.1 * sign, speed: 8, seconds: 0.2)
            let (left, right) = (fit.meanSquare.left, fit.meanSquare.right)
            let (own, other) = sign > 0 ? (left, right) : (right, left)
            #expect(!isRefuted && abs(own - meanSquare) < 1e-9 && abs(other - 0.49) < 1e-9, "\(own) \(other)")
        }
    }

    @Test(arguments: [(0.5, 0.25), (3, 1), (-3, 1)]) func anAngleOfSlipIsARadianAtMost(
        metersPerSecond: Double, square: Double
    ) {
        // GIVEN a slip at 1 m/s for the whole time of the means THEN the square of its angle is that of the slip over
        // the speed, and 1 where the body goes more across than along
        var fit = ConstraintFit()
        let isRefuted = fit.note(slip: 0, metersPerSecond: metersPerSecond, speed: 1, seconds: 10)
        #expect(!isRefuted && abs(fit.angleVariance - square) < 1e-12)
    }

    @Test func aBodyThatSlipsOnIsRefutedOnce() {
        // GIVEN slips of 12 sigmas, 1.2 m/s, to both sides in turn for a minute THEN they refute the constraints once,
        // and say nothing more while these do not apply
        var fit = ConstraintFit()
        let refuted = (0..<300).filter { k in
            let sign = (k / 10).isMultiple(of: 2) ? 1.0 : -1
            return fit.note(slip: 12 * sign, metersPerSecond: 1.2 * sign, speed: 8, seconds: 0.2)
        }
        #expect(refuted.count == 1 && !fit.isFitting, "\(refuted)")
    }
}
