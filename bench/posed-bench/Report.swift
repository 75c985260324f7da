import Glibc

/// One figure against its limit, or a peer's figure for comparison.
struct Figure {
    /// Which side of the limit is good.
    enum Limit {
        /// No more than this.
        case atMost(Double)
        /// No less than this.
        case atLeast(Double)
        /// Nothing is demanded.
        case none
    }

    /// What was measured.
    var name: String
    /// The result.
    var value: Double
    /// Its unit.
    var unit: String
    /// What is demanded.
    var limit: Limit

    /// Name, figure, limit, figure over limit, and whether it is kept.
    var line: String {
        let measured = "\(Text.left(name, 58)) \(Text.right(Text.number(value), 9)) \(Text.left(unit, 12))"
        switch limit {
        case .atMost(let bound): return measured + rest("<=", bound, isKept: value <= bound)
        case .atLeast(let bound): return measured + rest(">=", bound, isKept: value >= bound)
        case .none: return measured + "  for comparison"
        }
    }

    private func rest(_ sign: String, _ bound: Double, isKept: Bool) -> String {
        let ratio = bound == 0 ? "-" : Text.number(value / bound)
        return "  \(sign) \(Text.left(Text.number(bound), 6)) ratio \(Text.left(ratio, 6)) \(isKept ? "ok" : "OVER")"
    }
}

/// What the benchmark prints.
enum Report {
    /// One line a figure, as soon as it is known.
    static func add(_ figure: Figure) { say(figure.line) }

    /// A figure that could not be measured, and why.
    static func skip(_ name: String, because reason: String) { say("\(Text.left(name, 58)) not measured: \(reason)") }

    /// Anything else.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

/// Numbers and columns as text.
enum Text {
    /// Three significant digits or whole.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let decimals = abs(value) >= 100 || value == 0 ? 0.0 : abs(value) >= 10 ? 1.0 : abs(value) >= 1 ? 2.0 : 3.0
        let scale = pow(10, decimals)
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// Filled up on the right.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    /// Filled up on the left.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}

/// The values in order of size, for medians and percentiles.
struct Distribution {
    private let sorted: [Double]

    /// The distribution of these values.
    init(_ values: [Double]) { sorted = values.sorted() }

    /// The value that this part (0 to 1) of all values does not exceed; NaN where there are none.
    func quantile(_ part: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    /// The middle value.
    var median: Double { quantile(0.5) }

    /// How many values.
    var count: Int { sorted.count }
}

/// CLOCK_MONOTONIC.
func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Processor time of the calling thread.
func processorNanoseconds() -> Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Int64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
