/// How fast the clock of a source runs against that of this machine. Pure.
///
/// A measurement arrives late and never early, so the smallest difference of arrival and time stamp in ten seconds is
/// nearly free of delays. A line through these differences of up to ten minutes gives the drift. Does not allocate.
struct ClockDrift: Sendable {
    /// Length of a window, of which the smallest difference is taken, seconds.
    static let windowSeconds = 10.0
    /// Number of windows from which the drift is known.
    static let leastWindows = 12
    /// Largest 1-sigma of a drift that is reported, parts per million.
    static let largestSigma = 20.0
    /// A change of the difference of more than this is a clock that was set: everything begins anew, seconds.
    static let stepSeconds = 1.0

    /// The smallest difference of a window, and when it was, both in seconds from the first measurement.
    private struct Window: Sendable {
        var time = 0.0
        var difference = 0.0
    }

    private var windows = InlineArray<60, Window>(repeating: Window())
    private var count = 0
    private var next = 0
    private var open: Window?
    private var first: (difference: Int64, arrival: Int64)?
    private var last = 0.0

    /// The drift, parts per million; positive for a source whose clock runs faster than this machine's. `nil` for the
    /// first two minutes, and while delays vary too much.
    private(set) var partsPerMillion: Double?

    /// Creates an estimate without measurements.
    init() {}

    /// Adds a measurement: its time stamp by the clock of the source, and its arrival on the monotonic clock, both in
    /// nanoseconds.
    mutating func add(stamp: Int64, arrival: Int64) {
        let difference = arrival &- stamp
        guard let first else {
            first = (difference, arrival)
            return
        }
        let point = Window(
            time: Double(arrival &- first.arrival) * 1e-9, difference: Double(difference &- first.difference) * 1e-9)
        guard abs(point.difference - last) < Self.stepSeconds, point.time >= 0 else {
            self = ClockDrift()
            self.first = (difference, arrival)
            return
        }
        last = point.difference
        guard let window = open, Int(window.time / Self.windowSeconds) == Int(point.time / Self.windowSeconds) else {
            if let open { close(open) }
            open = point
            return
        }
        if point.difference < window.difference { open = point }
    }

    private mutating func close(_ window: Window) {
        windows[next] = window
        next = (next + 1) % windows.count
        count = min(count + 1, windows.count)
        partsPerMillion = fitted()
    }

    /// The slope of the line through the windows; `nil` where it is not known well enough.
    private func fitted() -> Double? {
        guard count >= Self.leastWindows else { return nil }
        let n = Double(count)
        var (meanTime, meanDifference) = (0.0, 0.0)
        for i in 0..<count {
            meanTime += windows[i].time / n
            meanDifference += windows[i].difference / n
        }
        var (xx, xy, yy) = (0.0, 0.0, 0.0)
        for i in 0..<count {
            let (x, y) = (windows[i].time - meanTime, windows[i].difference - meanDifference)
            xx += x * x
            xy += x * y
            yy += y * y
        }
        guard xx > 0 else { return nil }
        let slope = xy / xx
        let sigma = (max(yy - slope * xy, 0) / (n - 2) / xx).squareRoot()
        // A faster clock of the source makes the difference smaller.
        return sigma * 1e6 <= Self.largestSigma ? -slope * 1e6 : nil
    }
}
