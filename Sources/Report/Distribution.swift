/// Statistics of a set of values.
struct Distribution: Sendable {
    private var values: [Double] = []
    private var isSorted = true

    /// Adds a finite value; others are ignored.
    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        values.append(value)
        isSorted = false
    }

    /// Number of values.
    var count: Int { values.count }
    /// Root mean square; `nil` without values.
    var rootMeanSquare: Double? {
        values.isEmpty ? nil : (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }
    /// Largest value; `nil` without values.
    var largest: Double? { values.max() }

    /// The value below which a share of the values lies, 0 to 1; `nil` without values.
    mutating func quantile(_ share: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        if !isSorted { values.sort() }
        isSorted = true
        let place = min(max(share, 0), 1) * Double(values.count - 1)
        let low = Int(place)
        let high = min(low + 1, values.count - 1)
        return values[low] + (values[high] - values[low]) * (place - Double(low))
    }

    /// Counts of the values in bins of a width from zero, the last one open.
    func counts(binWidth: Double, bins: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: max(bins, 1))
        guard binWidth > 0 else { return counts }
        for value in values {
            let bin = min(max(value / binWidth, 0), Double(counts.count - 1))
            counts[Int(bin)] += 1
        }
        return counts
    }
}
