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
        meanSquare.filter += ((ownError * ownError).sum() - meanSquare.filter) * weight
        meanSquare.receiver += ((error * error).sum() - meanSquare.receiver) * weight
        let allowed = Tuning.PredictionContest.allowedMeters * Tuning.PredictionContest.allowedMeters + sigma * sigma
        isLost =
            seconds > Tuning.PredictionContest.leastSeconds
            && meanSquare.filter > Tuning.PredictionContest.ratio * meanSquare.receiver + allowed
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
