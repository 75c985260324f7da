import Glibc
import Measurements
import PoseMath

/// Checks the lag of the receiver's velocity while the filter runs.
///
/// A filter that has started with a wrong lag may keep it: heading, mount and arm of the antenna take up what the lag
/// leaves. So the changes of the receiver's velocity are compared with those of the accelerometer, turned by the
/// filter's attitude, at each lag of a bank. The filter's corrections take no part.
struct ReceiverLagMonitor: Sendable {
    /// For each lag: the sum of squares that it leaves, over the variance of a change.
    private var misfits = InlineArray<26, Double>(repeating: 0)
    private var last: (time: MonotonicTime, velocity: HorizontalVelocity, turnRate: Double)?
    private var pairCount = 0.0
    private var gapEnd: MonotonicTime?

    /// Records that samples are missing until an instant: the velocity over the gap is assumed, and tells no lag.
    mutating func noteGap(until time: MonotonicTime) { gapEnd = time }

    /// Whether samples are missing within the last pair at any of the lags.
    private var isAcrossGap: Bool {
        guard let last, let gapEnd else { return false }
        return last.time.advanced(bySeconds: -Self.lagSeconds(misfits.count - 1)) < gapEnd
    }

    /// Adds a velocity of the receiver.
    /// docs/math.md, eq. 12.17.
    ///
    /// - Parameters:
    ///   - velocity: as stated.
    ///   - variance: of a change of it on each axis, (m/s)2.
    ///   - turnRate: of the body, rad/s: an antenna elsewhere swings about the IMU.
    ///   - attitudeSigma: of the attitude that turns the accelerometer's readings: of tilt and heading, radians.
    ///   - time: of validity, as stated.
    ///   - inertialChange: the integral of the acceleration from one instant to another, east, north, up, m/s.
    mutating func add(
        _ velocity: HorizontalVelocity, variance: Double, turnRate: Double,
        attitudeSigma: (tilt: Double, heading: Double), at time: MonotonicTime,
        inertialChange: (MonotonicTime, MonotonicTime) -> Vector3
    ) {
        let span = last.map { time.seconds(since: $0.time) } ?? .infinity
        guard span >= Tuning.Alignment.shortestPairSeconds else { return }
        let isPair = span < Tuning.ReceiverLag.longestPairSeconds
        let before = isPair && !isAcrossGap ? last : nil
        let swing = Tuning.Antenna.unknownSigma * max(turnRate, last?.turnRate ?? 0)
        // What a wrong attitude makes of gravity, and of the change itself: across it, half on each axis.
        let leaning = InertialSample.standardGravity * span * attitudeSigma.tilt
        let changed = before.map {
            hypot(
                velocity.eastMetersPerSecond - $0.velocity.eastMetersPerSecond,
                velocity.northMetersPerSecond - $0.velocity.northMetersPerSecond)
        }
        let turned = (changed ?? 0) * attitudeSigma.heading
        let variance = variance + swing * swing + leaning * leaning + 0.5 * turned * turned
        last = (time, velocity, turnRate)
        let keep = isPair ? exp(-span / Tuning.ReceiverLag.memorySeconds) : 0
        pairCount = pairCount * keep + (before == nil ? 0 : 1)
        for l in misfits.indices {
            misfits[l] *= keep
            guard let before else { continue }
            let lag = Self.lagSeconds(l)
            let change = inertialChange(before.time.advanced(bySeconds: -lag), time.advanced(bySeconds: -lag))
            let east = velocity.eastMetersPerSecond - before.velocity.eastMetersPerSecond - change.x
            let north = velocity.northMetersPerSecond - before.velocity.northMetersPerSecond - change.y
            misfits[l] += (east * east + north * north) / variance
        }
    }

    /// The lag that explains the changes best, seconds, where the present one explains them far worse; else `nil`.
    /// docs/math.md, eq. 12.17.
    func better(than present: Double) -> Double? {
        guard pairCount > Tuning.ReceiverLag.leastPairs else { return nil }
        var best = 0
        for l in misfits.indices where misfits[l] < misfits[best] { best = l }
        guard abs(Self.lagSeconds(best) - present) > Tuning.ReceiverLag.leastDifference else { return nil }
        // Two numbers for each pair, less the lag: the residual is the noise, where it is larger than expected.
        let noise = max(misfits[best] / max(2 * pairCount - 1, 1), 1)
        guard misfit(at: present) - misfits[best] > Tuning.ReceiverLag.significance * noise else { return nil }
        return Self.lagSeconds(best)
    }

    /// What a lag leaves, between the nearest two of the bank.
    private func misfit(at lag: Double) -> Double {
        let steps = min(max(lag / Tuning.Alignment.lagStepSeconds, 0), Double(misfits.count - 1))
        let below = min(Int(steps), misfits.count - 2)
        return misfits[below] + (misfits[below + 1] - misfits[below]) * (steps - Double(below))
    }

    private static func lagSeconds(_ l: Int) -> Double { Double(l) * Tuning.Alignment.lagStepSeconds }
}

extension NavigationFilter {
    /// Checks the lag of the receiver against one more velocity, before that is fused. A wrong lag is corrected, and
    /// what has followed it is estimated again: the lag of the position, the place and the heading.
    /// docs/math.md, eq. 12.17.
    mutating func checkLag(against velocity: HorizontalVelocity, of fix: GnssFix, forceHistory: VectorHistory) {
        guard profile.traits.rollsOnWheels else { return }
        let own = speedSigma(of: fix)
        let unmodeled = Tuning.Alignment.velocityChangeSigma
        let attitudeSigma = (
            tilt: max(covariance[.attitude.x, .attitude.x], covariance[.attitude.y, .attitude.y]).squareRoot(),
            heading: covariance[.attitude.z, .attitude.z].squareRoot()
        )
        lagMonitor.add(
            velocity, variance: unmodeled * unmodeled + 2 * own * own,
            turnRate: state.angularRateSensor.length, attitudeSigma: attitudeSigma, at: fix.validityTime,
            inertialChange: { [corrections = state.corrections, gravityInHistory, forceIntegral] in
                let force =
                    forceHistory.value(at: $1, fallback: forceIntegral, growth: gravityInHistory)
                    - forceHistory.value(at: $0, fallback: forceIntegral, growth: gravityInHistory)
                return Self.gained(by: force, seconds: $1.seconds(since: $0), corrections: corrections)
            })
        guard let better = lagMonitor.better(than: state.velocityLagSeconds) else { return }
        let change = better - state.velocityLagSeconds
        state.velocityLagSeconds = better
        restart(
            .velocityLag, variance: Tuning.GNSS.assumedVelocityLagSigma * Tuning.GNSS.assumedVelocityLagSigma)
        restart(.positionLag, variance: 0)
        isLagOfClocks = false
        addPositionLagVariance(change * change, velocity: state.velocityENU)
        addVariance(
            Tuning.ReceiverLag.openedHeading * Tuning.ReceiverLag.openedHeading, to: .attitude.z)
        lagMonitor = ReceiverLagMonitor()
    }
}
