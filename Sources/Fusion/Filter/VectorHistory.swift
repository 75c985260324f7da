import Glibc
import PoseMath

/// Values of a vector over the last seconds. Fixed capacity, allocated once.
struct VectorHistory: Sendable {
    private var times: ContiguousArray<Int64>
    private var values: ContiguousArray<Vector3>
    private let mask: Int
    /// Number of entries written so far; all that a step back in time has to restore.
    var count = 0

    /// Room for the steps of 16 s; see ``append(time:value:)``.
    init() {
        let capacity = Tuning.Delay.historyCapacity
        mask = capacity - 1
        times = ContiguousArray(repeating: 0, count: capacity)
        values = ContiguousArray(repeating: .zero, count: capacity)
    }

    /// Adds the value at the end of a step. It replaces the newest one where that is close to the one before it, so
    /// that the history lasts as long at any rate of the samples.
    mutating func append(time: MonotonicTime, value: Vector3) {
        if count > 1, time.nanoseconds - times[(count - 2) & mask] < Tuning.Delay.historyNanoseconds { count -= 1 }
        times[count & mask] = time.nanoseconds
        values[count & mask] = value
        count += 1
    }

    /// Takes over the entries of another history up to a number of them, without allocation.
    mutating func copy(_ other: VectorHistory, count: Int) {
        self.count = count
        for i in oldestEntry..<max(count, oldestEntry) {
            times[i & mask] = other.times[i & mask]
            values[i & mask] = other.values[i & mask]
        }
    }

    /// Replaces the values later than an instant, in the order of time.
    ///
    /// - Parameter value: the new value, from the time and the old one.
    mutating func replace(after time: MonotonicTime, with value: (MonotonicTime, Vector3) -> Vector3) {
        guard count > 0 else { return }
        let last = lastEntry(at: time)
        for i in (times[last & mask] > time.nanoseconds ? last : last + 1)..<max(count, last + 1) {
            values[i & mask] = value(MonotonicTime(nanoseconds: times[i & mask]), values[i & mask])
        }
    }

    /// The value at an instant, interpolated; the oldest one before the history, less what it grew by since, the newest
    /// one (`fallback` when empty) after it.
    /// docs/math.md, eq. 6.5.
    ///
    /// - Parameter growth: of the values before the history, for each second.
    func value(at time: MonotonicTime, fallback: Vector3, growth: Vector3 = .zero) -> Vector3 {
        guard count > 0 else { return fallback }
        let i = lastEntry(at: time)
        let (oldest, t0) = (values[i & mask], times[i & mask])
        guard time.nanoseconds >= t0 else { return oldest - growth * (Double(t0 - time.nanoseconds) * 1e-9) }
        guard i < count - 1 else { return oldest }
        let t1 = times[(i + 1) & mask]
        guard t1 > t0 else { return oldest }
        let part = Double(time.nanoseconds - t0) / Double(t1 - t0)
        return oldest + (values[(i + 1) & mask] - oldest) * part
    }

    /// Mean growth for each second over an interval about an instant; the interval is longer than zero.
    func slope(around time: MonotonicTime, seconds: Double) -> Vector3 {
        let (start, end) = (time.advanced(bySeconds: -0.5 * seconds), time.advanced(bySeconds: 0.5 * seconds))
        return (value(at: end, fallback: .zero) - value(at: start, fallback: .zero)) / seconds
    }

    /// Output of a first-order low-pass filter over the values.
    /// docs/math.md, eq. 6.7.
    ///
    /// - Parameters:
    ///   - newest: the value at `time` itself.
    ///   - growth: what of the change of the values is left out, for each second.
    ///   - seconds: the time constant, positive.
    func smoothed(at time: MonotonicTime, newest: Vector3, growth: Vector3 = .zero, seconds: Double) -> Vector3 {
        guard count > 0 else { return newest }
        var (sum, weight, newer, newerAge) = (Vector3.zero, 1.0, newest, 0.0)
        for i in stride(from: lastEntry(at: time), through: oldestEntry, by: -1) {
            guard weight > Tuning.Delay.leastWeight else { break }
            // Below zero before the history.
            let age = Double(time.nanoseconds - times[i & mask]) * 1e-9
            let older = values[i & mask] + growth * age
            guard age > newerAge else {
                newer = older
                continue
            }
            let rest = exp(-age / seconds)
            // A straight line between two entries, however far apart they are.
            let slope = (older - newer) / (age - newerAge)
            sum += newer * weight - older * rest + slope * (seconds * (weight - rest))
            (weight, newer, newerAge) = (rest, older, age)
        }
        return sum + newer * weight
    }

    /// The newest entry.
    var newest: (time: MonotonicTime, value: Vector3)? {
        count > 0 ? (MonotonicTime(nanoseconds: times[(count - 1) & mask]), values[(count - 1) & mask]) : nil
    }

    /// Time of the oldest entry.
    var oldest: MonotonicTime? { count > 0 ? MonotonicTime(nanoseconds: times[oldestEntry & mask]) : nil }

    private var oldestEntry: Int { max(0, count - mask) }

    /// The last entry that is no later than an instant; the oldest where all are.
    private func lastEntry(at time: MonotonicTime) -> Int {
        var high = count - 1
        guard times[high & mask] > time.nanoseconds else { return high }
        // Steps that double reach a recent one soon, and the middle between them an old one.
        let oldest = oldestEntry
        var (low, step) = (high, 1)
        repeat {
            high = low
            low = max(low - step, oldest)
            step *= 2
        } while low > oldest && times[low & mask] > time.nanoseconds
        while high - low > 1 {
            let middle = (low + high) / 2
            if times[middle & mask] > time.nanoseconds { high = middle } else { low = middle }
        }
        return low
    }
}
