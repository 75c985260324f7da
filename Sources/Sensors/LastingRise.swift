/// Finds that the difference between arrival and time stamp has grown for good, because one of the two clocks was
/// slewed or set. Pure, no allocation.
///
/// A delay of the transmission varies and ends; a clock stays where it was put. A rise is therefore taken for one of
/// the clocks when in two whole windows the smallest difference of each second exceeds the tracked one, by more than
/// these smallest differences vary among themselves. Jitter, and a stall, whose end brings everything at once, do not
/// do that. A delay that becomes larger for good cannot be told from a clock, and is followed as one.
struct LastingRise: Sendable {
    /// Shortest length of a window, nanoseconds.
    static let windowNanoseconds: Int64 = 10_000_000_000
    /// Number of seconds with measurements that a window has at least.
    static let leastSeconds = 5
    /// Smallest rise that is followed, nanoseconds; the clocks' drift covers less.
    static let leastNanoseconds: Int64 = 30_000_000
    private static let secondNanoseconds: Int64 = 1_000_000_000

    private struct Second: Sendable {
        var start: Int64
        var least: Int64
    }

    private struct Window: Sendable {
        var start: Int64
        var count = 0
        /// Of the smallest differences of its seconds, the smallest and the largest one.
        var least = Int64.max
        var most = Int64.min
    }

    private var second: Second?
    private var window: Window?
    private var previous: Window?

    /// Adds a difference and the one that is tracked, nanoseconds. Returns the difference to track instead when a rise
    /// has lasted, at most the present one.
    mutating func add(_ difference: Int64, tracked: Int64, at arrival: Int64) -> Int64? {
        if let open = second, (0..<Self.secondNanoseconds).contains(arrival &- open.start) {
            second?.least = min(open.least, difference)
            return nil
        }
        let least = second?.least
        second = Second(start: arrival, least: difference)
        var open = window ?? Window(start: arrival)
        if let least {
            open.count += 1
            (open.least, open.most) = (min(open.least, least), max(open.most, least))
        }
        window = open
        let age = arrival &- open.start
        guard age < 0 || age >= Self.windowNanoseconds && open.count >= Self.leastSeconds else { return nil }
        let earlier = previous
        (previous, window) = (open, Window(start: arrival))
        return earlier.flatMap { Self.lastingLeast($0, open, over: tracked) }.map { min($0, difference) }
    }

    private static func lastingLeast(_ one: Window, _ other: Window, over tracked: Int64) -> Int64? {
        let (least, most) = (min(one.least, other.least), max(one.most, other.most))
        let (rise, spread) = (least &- tracked, most &- least)
        return spread >= 0 && rise > leastNanoseconds && rise &- leastNanoseconds > spread ? least : nil
    }
}
