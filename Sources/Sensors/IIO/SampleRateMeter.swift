import PoseMath

/// Measures the rate of samples by their own times: arrivals are uneven, and their number in a second is a whole one.
/// Pure.
struct SampleRateMeter: Sendable {
    private var last: MonotonicTime?
    private var first: MonotonicTime?
    private var intervals = 0

    /// Creates a meter that has seen no sample.
    init() {}

    /// Notes a sample. Times increase.
    mutating func add(_ time: MonotonicTime) {
        if first == nil { first = last ?? time }
        if last != nil { intervals += 1 }
        last = time
    }

    /// Samples per second since the last call, in hertz; `nil` while there is no interval of 0.2 s or more.
    mutating func take() -> Double? {
        defer { (first, intervals) = (nil, 0) }
        guard let first, let last, intervals > 0 else { return nil }
        let seconds = last.seconds(since: first)
        return seconds >= 0.2 ? Double(intervals) / seconds : nil
    }
}
