import Geodesy
import Measurements
import PoseMath

/// Compares how well the filter and the receiver predict the next fix.
///
/// The receiver's prediction is its last fix, moved on by its velocity where it states one. A filter that predicts the
/// fixes worse for some seconds is worse than its receiver, whatever the reason: a lag, an antenna or a mount that it
/// does not know, a wrong heading.
struct PredictionContest: Sendable {
    /// Mean squares of the errors of filter and receiver over the last seconds, m2.
    private var meanSquare = (filter: 0.0, receiver: 0.0)
    /// Time over which they were compared, seconds.
    private var seconds = 0.0
    /// Time of the last fix that the receiver has predicted badly, and how many fixes came from it on; `nil` without.
    private var step: (time: MonotonicTime, fixes: Int)?
    private var last: (time: MonotonicTime, position: GeodeticPosition, velocity: HorizontalVelocity?)?

    /// Whether the receiver predicts its fixes better than the filter does.
    private(set) var isLost = false

    /// Adds a fix that is not far from the filter's prediction.
    /// docs/math.md, eq. 12.16.
    ///
    /// - Parameters:
    ///   - fix: for its time and velocity.
    ///   - observed: its position.
    ///   - ownError: of the filter's prediction of it, east and north, metres.
    ///   - sigma: of the position as stated, on each axis, metres.
    mutating func add(_ fix: GnssFix, at observed: GeodeticPosition, ownError: SIMD2<Double>, sigma: Double) {
        defer { last = (fix.validityTime, observed, fix.horizontalVelocity) }
        guard let last else { return }
        let elapsed = fix.validityTime.seconds(since: last.time)
        let moved = last.position.surfaceOffsetMeters(to: observed)
        let error = SIMD2(
            moved.east - (last.velocity?.eastMetersPerSecond ?? 0) * elapsed,
            moved.north - (last.velocity?.northMetersPerSecond ?? 0) * elapsed)
        let weight = min(max(elapsed, 0) / Tuning.PredictionContest.meanSeconds, Tuning.PredictionContest.largestWeight)
        seconds += max(elapsed, 0)
        let allowed = Tuning.PredictionContest.allowedMeters * Tuning.PredictionContest.allowedMeters + sigma * sigma
        noteStep((error * error).sum() > limit(allowed), at: fix.validityTime)
        let ownSquare = (ownError * ownError).sum()
        meanSquare.filter += (ownSquare - meanSquare.filter) * weight
        meanSquare.receiver += ((error * error).sum() - meanSquare.receiver) * weight
        isLost =
            seconds > Tuning.PredictionContest.leastSeconds && min(meanSquare.filter, ownSquare) > limit(allowed)
            && isPastStep(at: fix.validityTime)
    }

    /// Largest mean square that the filter may have, m2.
    private func limit(_ allowed: Double) -> Double {
        Tuning.PredictionContest.ratio * meanSquare.receiver + allowed
    }

    private mutating func noteStep(_ isStep: Bool, at time: MonotonicTime) {
        step = isStep ? (time, 1) : step.map { ($0.time, $0.fixes + 1) }
    }

    /// Whether the fixes since a step are enough to believe them: some false ones agree with each other as well.
    private func isPastStep(at time: MonotonicTime) -> Bool {
        guard let step else { return true }
        return step.fixes >= Tuning.PositionFilter.confirmingFixes
            && time.seconds(since: step.time) >= Tuning.PositionFilter.confirmingSeconds
    }
}

extension NavigationFilter {
    /// Compares the predictions of a fix, before it is fused. One that is far away is false, or the filter is: others
    /// decide that. Nor is a sensor compared that is fastened to a vehicle: its constraints show what is wrong there,
    /// and a receiver that filters predicts its own fixes better than they are.
    /// docs/math.md, eq. 12.16.
    mutating func comparePredictions(of fix: GnssFix, at observed: GeodeticPosition, ownError: SIMD2<Double>) {
        guard !profile.traits.isFastened,
            (ownError * ownError).sum() < Tuning.Reset.jumpMeters * Tuning.Reset.jumpMeters
        else { return }
        contest.add(fix, at: observed, ownError: ownError, sigma: GnssAccuracy(of: fix).horizontalBias)
        if contest.isLost { isRefuted = true }
    }
}
