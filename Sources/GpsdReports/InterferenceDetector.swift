import PoseMath

/// Detects whether a receiver reports jamming, with hysteresis: an indicator near the limit must not switch the fixes
/// on and off.
///
/// The indicator is the receiver's own (u-blox: continuous-wave interference, 0 to 255). Quiet surroundings give 5 to
/// 50, bad ones next to a computer up to 150. From 200 on u-blox calls it strong, and positions must not be trusted.
package struct InterferenceDetector {
    /// Indicator from which a receiver counts as jammed, and below which it must stay to be used again.
    static let (jammed, quiet): (UInt16, UInt16) = (200, 150)
    /// How long the indicator must be above the jammed limit, and how long below the quiet limit, seconds.
    static let (jammedSeconds, quietSeconds) = (1.0, 5.0)
    /// Age from which an indicator is ignored, seconds.
    private static let staleSeconds = 10.0

    /// Whether the receiver is jammed now.
    package private(set) var isJammed = false
    private var since: MonotonicTime?
    private var last: MonotonicTime?

    /// A detector without history.
    package init() {}

    /// Processes the indicator of a report, or `nil` if the report has none. Returns whether the receiver is jammed.
    package mutating func update(_ indicator: UInt16?, at now: MonotonicTime) -> Bool {
        guard let indicator else {
            if let last, now.seconds(since: last) > Self.staleSeconds { self = InterferenceDetector() }
            return isJammed
        }
        last = now
        let isCrossing = isJammed ? indicator < Self.quiet : indicator >= Self.jammed
        guard isCrossing else {
            since = nil
            return isJammed
        }
        let began = since ?? now
        since = began
        if now.seconds(since: began) >= (isJammed ? Self.quietSeconds : Self.jammedSeconds) {
            isJammed.toggle()
            since = nil
        }
        return isJammed
    }
}
