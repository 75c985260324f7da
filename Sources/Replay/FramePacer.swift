/// Selects frames for a rate: at most one in each period of a grid that starts with the first frame.
struct FramePacer {
    private let periodNanoseconds: Int64?
    private var nextDue: Int64?

    /// Maximum period, nanoseconds: a century. A slower rate also selects only the first frame.
    private static let longestNanoseconds = 3.2e18

    /// Creates a pacer for a rate in hertz, above 0 to 10,000; `nil` selects every frame.
    init(rateHertz: Double?) {
        periodNanoseconds = rateHertz.map { Int64(max(min(Self.longestNanoseconds, 1e9 / $0), 1).rounded()) }
    }

    /// Whether the frame at a time is the first of its period.
    mutating func picks(_ nanoseconds: Int64) -> Bool {
        guard let period = periodNanoseconds else { return true }
        guard let due = nextDue else {
            nextDue = nanoseconds &+ period
            return true
        }
        guard nanoseconds >= due else { return false }
        // After a gap the grid stays the same and the missed periods are skipped.
        nextDue = due &+ ((nanoseconds &- due) / period + 1) &* period
        return true
    }
}
