import Glibc
import Synchronization

/// One figure with its limit, or a comparison figure.
struct Figure {
    /// The kind of limit.
    enum Limit {
        /// The figure must not exceed this.
        case atMost(Double)
        /// The figure must not be below this.
        case atLeast(Double)
        /// No limit.
        case none
    }

    /// The name of the figure.
    var name: String
    /// The value.
    var value: Double
    /// The unit.
    var unit: String
    /// The limit.
    var limit: Limit
    /// How many times its limit it may be where it is checked, if not as usual for its unit.
    var ownSlack: Double?

    /// Name, figure, limit, ratio of figure and limit, and whether the limit is met.
    var line: String {
        let measured = "\(Text.left(name, 58)) \(Text.right(Text.number(value), 9)) \(Text.left(unit, 12))"
        switch limit {
        case .atMost(let bound): return measured + rest("<=", bound, isKept: value <= bound)
        case .atLeast(let bound): return measured + rest(">=", bound, isKept: value >= bound)
        case .none: return measured + "  for comparison"
        }
    }

    /// The figure as a row of a table.
    var row: String {
        let measured = "| \(name) | \(Text.number(value)) \(unit) |"
        switch limit {
        case .atMost(let bound):
            return measured + " <= \(Text.number(bound)) | \(value <= bound ? "ok" : "over the limit") |"
        case .atLeast(let bound):
            return measured + " >= \(Text.number(bound)) | \(value >= bound ? "ok" : "below the limit") |"
        case .none: return measured + " | for comparison |"
        }
    }

    /// How many times its limit a figure may be where it is checked. Ratios of two figures of one run, and sizes,
    /// hardly depend on the machine; times and loads do, and an hour in which the machine is slow trebles them.
    private var slack: Double {
        if let ownSlack { return ownSlack }
        return switch unit {
        case "x", "times", "MiB", "KiB", "MB", "kB/s": 1.25
        default: 3
        }
    }

    /// Whether the figure is beyond its limit by more than the slack; a limit of 0 has none.
    var isBeyondSlack: Bool {
        switch limit {
        case .atMost(let bound): !(value <= slack * bound)
        case .atLeast(let bound): !(value >= bound / slack)
        case .none: false
        }
    }

    private func rest(_ sign: String, _ bound: Double, isKept: Bool) -> String {
        let ratio = bound == 0 ? "-" : Text.number(value / bound)
        return "  \(sign) \(Text.left(Text.number(bound), 6)) ratio \(Text.left(ratio, 6)) \(isKept ? "ok" : "OVER")"
    }
}

extension Figure {
    /// The slack of times in a single long run: no median of rounds takes a bad second of a shared machine out of them.
    static let longRunSlack = 10.0
}

/// The output of the benchmark.
enum Report {
    private static let beyond = Mutex<[String]>([])
    private static let rows = Mutex<[String]>([])

    /// Names of the figures beyond their limit by more than the slack.
    static var figuresBeyondSlack: [String] { beyond.withLock { $0 } }

    /// Prints one figure per line as soon as it is known.
    static func add(_ figure: Figure) {
        if figure.isBeyondSlack { beyond.withLock { $0.append(figure.name) } }
        rows.withLock { $0.append(figure.row) }
        say(figure.line)
    }

    /// Prints that a figure could not be measured, because what it needs is not on this machine.
    static func skip(_ name: String, because reason: String) { note(name, "not measured: \(reason)") }

    /// Prints that a measurement failed, and why.
    static func fail(_ name: String, because reason: String) { note(name, "FAILED: \(reason)") }

    private static func note(_ name: String, _ text: String) {
        rows.withLock { $0.append("| \(name) | \(text) | | |") }
        say("\(Text.left(name, 58)) \(text)")
    }

    /// The figures as a page.
    static var page: String {
        let head = """
            # Speed and size

            `make bench` wrote this page: every figure of one run. Times depend on the machine and on the hour; a row
            that compares with another program measured both in this run. The table of the README is taken from here.

            | figure | measured | limit | |
            |---|---|---|---|

            """
        return head + rows.withLock { $0.joined(separator: "\n") } + "\n"
    }

    /// Writes the page in place of a file; whether it could.
    static func writePage(to path: String) -> Bool {
        let temporary = path + ".new"
        guard let file = fopen(temporary, "w") else { return false }
        let isWritten = fputs(page, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0
        return fclose(file) == 0 && isWritten && rename(temporary, path) == 0
    }

    /// Prints any other text.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

/// Formats numbers and columns as text.
enum Text {
    /// A number with three significant digits, or an integer.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        let decimals = abs(value) >= 100 || value == 0 ? 0.0 : abs(value) >= 10 ? 1.0 : abs(value) >= 1 ? 2.0 : 3.0
        let scale = pow(10, decimals)
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// Padded on the right.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    /// Padded on the left.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}

/// Sorted values, for medians and percentiles.
struct Distribution {
    private let sorted: [Double]

    /// Creates the distribution of these values.
    init(_ values: [Double]) { sorted = values.sorted() }

    /// The quantile for a fraction (0 to 1) of the values; NaN if there are none.
    func quantile(_ part: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    /// The median.
    var median: Double { quantile(0.5) }

    /// The number of values.
    var count: Int { sorted.count }
}

/// The time now on CLOCK_MONOTONIC.
func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Processor time of the calling thread.
func processorNanoseconds() -> Int64 { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Int64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
