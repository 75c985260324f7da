import Measurements
import PoseMath

/// What the receiver states in its fixes, which an estimate made of them does not tell.
struct StatedFixes: Sendable {
    /// Whether the last fix stated its horizontal accuracy, or is a carrier-phase solution, whose accuracy is known.
    private(set) var isAccuracyStated = true
    /// Whether the last fix stated no velocity and the one before is so old that the positions show only the mean
    /// velocity between them.
    private(set) var isVelocityOutdated = false
    private var lastTime: MonotonicTime?

    /// Positions farther apart than this do not show the velocity at either of them, seconds; guidance has the same
    /// limit.
    private static let longestSeconds = 2.5

    /// Processes a fix.
    mutating func note(_ fix: GnssFix) {
        isAccuracyStated =
            fix.horizontalSigmaMeters != nil || fix.quality == .rtkFixed || fix.quality == .rtkFloat
        let seconds = lastTime.map { fix.validityTime.seconds(since: $0) } ?? 0
        isVelocityOutdated = fix.horizontalVelocity == nil && !(seconds < StatedFixes.longestSeconds)
        lastTime = fix.validityTime
    }
}
