import Geodesy
import Measurements
import PoseMath

/// A run of fixes that agree with each other: each lies where the receiver's own velocity leads from the first
/// one. Used with and without the navigation filter.
struct FixRun: Sendable {
    /// Number of fixes.
    private(set) var count: Int
    /// Time of validity of the first and of the last one.
    private(set) var since: MonotonicTime
    private(set) var last: MonotonicTime
    /// Position of the last one.
    private(set) var position: GeodeticPosition
    /// Sum of the moves minus the integral of the receiver's velocity, east and north, metres.
    private var deviation = SIMD2<Double>.zero
    /// What silences of the receiver add to its duration, seconds.
    private var silentSeconds = 0.0

    /// For how long its fixes have come, seconds. A silence counts little: no fix tells of it.
    var seconds: Double { last.seconds(since: since) - silentSeconds }

    /// A run of one fix.
    private init(_ fix: GnssFix, at observed: GeodeticPosition) {
        (count, position) = (1, observed)
        (since, last) = (fix.validityTime, fix.validityTime)
    }

    /// The run with one more fix, or a new run where the fix does not continue it.
    /// docs/math.md, eq. 6.1.
    ///
    /// - Parameters:
    ///   - sigmaFactor: on the stated sigma, from ``GNSSNoiseScaling``.
    ///   - longestGap: largest interval of two fixes of a run, seconds.
    ///   - longestCounted: as much of an interval counts, seconds.
    static func run(
        after run: FixRun?, with fix: GnssFix, at observed: GeodeticPosition, sigmaFactor: Double = 1,
        longestGap: Double = Tuning.FixRun.longestGapSeconds,
        longestCounted: Double = Tuning.PositionFilter.silentSeconds
    ) -> FixRun {
        guard var run else { return FixRun(fix, at: observed) }
        let seconds = fix.validityTime.seconds(since: run.last)
        let moved = run.position.surfaceOffsetMeters(to: observed)
        let velocity = fix.horizontalVelocity
        run.deviation += SIMD2(
            moved.east - (velocity?.eastMetersPerSecond ?? 0) * seconds,
            moved.north - (velocity?.northMetersPerSecond ?? 0) * seconds)
        let sigma = sigmaFactor * fix.assumedHorizontalSigma
        let speed = velocity == nil ? Tuning.PositionFilter.largestSpeed : Tuning.FixRun.allowanceSpeed
        let allowed =
            Tuning.FixRun.sigmas * sigma + Tuning.FixRun.allowanceMeters
            + speed * fix.validityTime.seconds(since: run.since)
        guard (run.deviation * run.deviation).sum() < allowed * allowed, seconds < longestGap else {
            return FixRun(fix, at: observed)
        }
        run.count += 1
        run.silentSeconds += max(seconds - longestCounted, 0)
        run.last = fix.validityTime
        run.position = observed
        return run
    }

    /// Whether the run has a number of fixes and a duration, seconds.
    func isConfirmed(count least: Int, seconds: Double) -> Bool {
        count >= least && self.seconds >= seconds
    }
}
