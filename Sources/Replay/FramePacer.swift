/// Picks frames for a rate: at most one in each period of a grid that begins with the first frame.
struct FramePacer {
    private let periodNanoseconds: Int64?
    private var nextDue: Int64?

    /// The longest period, nanoseconds: a century. A slower rate picks the first frame alone as well.
    private static let longestNanoseconds = 3.2e18

    /// A pacer for a rate in hertz, above 0 to 10,000; `nil` picks every frame.
    init(rateHertz: Double?) {
        periodNanoseconds = rateHertz.map { Int64(max(min(Self.longestNanoseconds, 1e9 / $0), 1).rounded()) }
    }

    /// Whether the frame of a time is the first of its period.
    mutating func picks(_ nanoseconds: Int64) -> Bool {
        guard let period = periodNanoseconds else { return true }
        guard let due = nextDue else {
            nextDue = nanoseconds &+ period
            return true
        }
        guard nanoseconds >= due else { return false }
        // After a gap the grid is kept and the missed periods are passed over.
        nextDue = due &+ ((nanoseconds &- due) / period + 1) &* period
        return true
    }
}
