import Geodesy
import Glibc
import Measurements
import PoseMath

/// A run of fixes that were not used, and that agree with each other: each lies where the receiver's own velocity leads
/// from the one before.
struct FixRun: Sendable {
    /// How many in a row.
    private(set) var count: Int
    /// When the first and the last was valid.
    private(set) var since: MonotonicTime
    private(set) var last: MonotonicTime
    /// Where the last was.
    private(set) var position: GeodeticPosition
    /// How far they have strayed from their own velocities, east and north, metres.
    private var strayed = SIMD2<Double>.zero
    /// What is left open of that, metres.
    private var allowed = 0.0

    private init(_ fix: GnssFix, at observed: GeodeticPosition) {
        (count, position) = (1, observed)
        (since, last) = (fix.validityTime, fix.validityTime)
    }

    /// The run with one more fix, or a new one where the fix does not continue it.
    /// docs/math.md, eq. 7.17.
    ///
    /// - Parameter largest: speed, m/s, of a body whose receiver states none, and acceleration, m/s2.
    static func run(
        after run: FixRun?, with fix: GnssFix, at observed: GeodeticPosition,
        largest: (speed: Double, acceleration: Double)
    ) -> FixRun {
        guard var run else { return FixRun(fix, at: observed) }
        let seconds = fix.validityTime.seconds(since: run.last)
        let moved = run.position.surfaceOffsetMeters(to: observed)
        let velocity = fix.horizontalVelocity
        run.strayed += SIMD2(
            moved.east - (velocity?.eastMetersPerSecond ?? 0) * seconds,
            moved.north - (velocity?.northMetersPerSecond ?? 0) * seconds)
        let span = fix.validityTime.seconds(since: run.since)
        let error =
            Tuning.FixRun.sigmas * (fix.horizontalSigmaMeters ?? Tuning.GNSS.unstatedHorizontalSigma)
            + Tuning.FixRun.allowanceMeters
        run.allowed = error + (velocity == nil ? largest.speed : largest.acceleration) * span
        guard (run.strayed * run.strayed).sum() < run.allowed * run.allowed,
            seconds < Tuning.FixRun.longestGapSeconds
        else {
            return FixRun(fix, at: observed)
        }
        run.count += 1
        run.last = fix.validityTime
        run.position = observed
        return run
    }

    /// Whether there are as many, over as many seconds.
    func isConfirmed(count least: Int, seconds: Double) -> Bool {
        count >= least && last.seconds(since: since) >= seconds
    }
}
