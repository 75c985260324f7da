import PoseMath

/// Interval at which a receiver's fixes, or its velocities, come: the second largest of the last five, so that neither
/// an outage nor a receiver that comes at two intervals in turn decides it.
struct FixInterval: Sendable {
    private var intervals = InlineArray<5, Double>(repeating: 0)
    private var count = 0
    private var last: MonotonicTime?

    /// The interval, seconds; a second before two are known.
    private(set) var seconds = 1.0

    /// Takes the time of validity of the next fix.
    mutating func note(_ time: MonotonicTime) {
        defer { last = time }
        guard let last, time > last else { return }
        intervals[count % 5] = time.seconds(since: last)
        count += 1
        guard count > 1 else { return }
        var (largest, second) = (0.0, 0.0)
        for k in 0..<min(count, 5) {
            if intervals[k] > largest {
                (largest, second) = (intervals[k], largest)
            } else {
                second = max(second, intervals[k])
            }
        }
        seconds = second
    }
}
