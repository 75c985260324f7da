/// Writes metrics in the text format of Prometheus (version 0.0.4).
package struct MetricsText: Sendable {
    /// The text so far.
    package private(set) var text = ""

    /// Kinds of metrics.
    package enum Kind: String, Sendable {
        /// A value that may rise and fall.
        case gauge
        /// A count that only rises.
        case counter
        /// Counts of values up to a bound.
        case histogram
    }

    /// Creates an empty text.
    package init() {}

    /// Writes a metric with its samples; without samples nothing.
    package mutating func metric(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double?)]
    ) {
        let known = samples.filter { $0.value?.isFinite == true }
        guard !known.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in known { line(name, sample.labels, sample.value ?? 0) }
    }

    /// Writes a metric with one sample.
    package mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        metric(name, kind, help, [(labels: [], value: value)])
    }

    /// Writes a metric that is 1 for one of several states and 0 for the others.
    package mutating func state(
        _ name: String, _ help: String, _ current: String, of all: [String], labels: [(String, String)] = []
    ) {
        metric(name, .gauge, help, all.map { (labels + [("state", $0)], $0 == current ? 1 : 0) })
    }

    /// Writes a histogram.
    package mutating func histogram(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
        var sum: UInt64 = 0
        for (bound, count) in zip(LatencyHistogram.bounds, histogram.counts) {
            sum += count
            line("\(name)_bucket", [("le", "\(bound)")], Double(sum))
        }
        line("\(name)_bucket", [("le", "+Inf")], Double(histogram.total))
        line("\(name)_sum", [], histogram.sumSeconds)
        line("\(name)_count", [], Double(histogram.total))
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
        }
        let isWhole = value.rounded() == value && value.magnitude < 1e15
        text += isWhole ? " \(Int64(value))\n" : " \(value)\n"
    }

    /// A label's value: backslash, quote and line break are escaped, other control characters become a space.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
            }
        }
        return escaped
    }
}

/// How long it takes from a measurement to the frame's arrival at a client.
package struct LatencyHistogram: Sendable, Equatable {
    /// Upper bounds of the counts, seconds.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
    /// Latencies up to each bound and above the one before.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count)
    /// All latencies.
    package private(set) var total: UInt64 = 0
    /// Their sum, seconds.
    package private(set) var sumSeconds = 0.0

    /// Creates an empty histogram.
    package init() {}

    /// Adds a latency; negative and unknown ones are left out.
    package mutating func add(seconds: Double) {
        guard seconds >= 0, seconds < 1e6 else { return }
        total += 1
        sumSeconds += seconds
        if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
    }
}
