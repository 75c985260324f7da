import PoseMath

/// Whether a receiver says that it is jammed, with hysteresis: an indicator at the edge must not switch the fixes on
/// and off.
///
/// The indicator is the receiver's own (u-blox: continuous-wave interference, 0 to 255). Quiet surroundings give 5 to
/// 50, a bad one next to a computer up to 150; from 200 on u-blox calls it strong, and positions among it are not to be
/// trusted.
struct InterferenceDetector {
    /// Indicator from which a receiver is jammed, and below which it must stay to be believed again.
    static let (jammed, quiet): (UInt16, UInt16) = (200, 150)
    /// How long it must be jammed, and how long quiet, seconds.
    static let (jammedSeconds, quietSeconds) = (1.0, 5.0)
    /// An indicator older than this says nothing, seconds.
    private static let staleSeconds = 10.0

    /// Whether the receiver is jammed now.
    private(set) var isJammed = false
    private var since: MonotonicTime?
    private var last: MonotonicTime?

    /// Takes an indicator, or that there is none in this report; whether the receiver is jammed.
    mutating func update(_ indicator: UInt16?, at now: MonotonicTime) -> Bool {
        guard let indicator else {
            if let last, now.seconds(since: last) > Self.staleSeconds { self = InterferenceDetector() }
            return isJammed
        }
        last = now
        let turns = isJammed ? indicator < Self.quiet : indicator >= Self.jammed
        guard turns else {
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
