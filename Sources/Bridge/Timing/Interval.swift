/// Something that is done once in a time, and at once the first time.
struct Interval {
    private let nanoseconds: Int64
    private var next = Int64.min

    /// Between two times at which what waits is made durable: an end of the power loses at most so much.
    static var ofSynchronization: Interval { Interval(seconds: 10) }

    /// Between two times at which the file of the metrics is written.
    static var ofMetricsFile: Interval { Interval(seconds: 15) }

    /// Between two messages of the status: a little less than is asked for, because the daemon's come at that rate.
    static func ofStatus(everySeconds seconds: Double) -> Interval { Interval(seconds: seconds * 0.99) }

    /// - Parameter seconds: least time between two of them, at least 0.
    init(seconds: Double) { nanoseconds = Int64(seconds * 1e9) }

    /// Whether it is to be done now; the next time is then that much later.
    mutating func isDue(nowNanoseconds: Int64) -> Bool {
        guard nowNanoseconds >= next else { return false }
        next = nowNanoseconds &+ nanoseconds
        return true
    }
}
