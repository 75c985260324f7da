import Measurements
import PoseMath

/// Counts the measurements of sources that play a drive, and writes number, rate and time to the board.
package struct SourceTally: Sendable {
    /// The measurements of one source.
    private struct Count: Sendable {
        var entry: Int
        var accepted: UInt64 = 0
        /// Of these, the number when the board was written last.
        var written: UInt64 = 0
        /// When it was written last; `nil` before the first measurement.
        var writtenTime: MonotonicTime?
    }

    private var counts: [SensorKind: Count]

    /// How often the board is written, seconds: also a receiver of one fix per second has a rate then.
    private static let intervalSeconds = 2.0

    /// Creates a tally of sources that are registered under these numbers.
    package init(entries: [SensorKind: Int]) { counts = entries.mapValues { Count(entry: $0) } }

    /// Counts a measurement that was sent at a time.
    package mutating func note(_ kind: SensorKind, at now: MonotonicTime, on board: SourceStatusBoard) {
        guard var count = counts[kind] else { return }
        defer { counts[kind] = count }
        count.accepted += 1
        guard let before = count.writtenTime else {
            count.writtenTime = now
            count.written = count.accepted
            return board.update(count.entry) { ($0.acceptedCount, $0.lastDataTime) = (1, now) }
        }
        let seconds = now.seconds(since: before)
        guard seconds >= Self.intervalSeconds else { return }
        let (accepted, rate) = (count.accepted, Double(count.accepted - count.written) / seconds)
        (count.written, count.writtenTime) = (accepted, now)
        board.update(count.entry) { ($0.acceptedCount, $0.rateHertz, $0.lastDataTime) = (accepted, rate, now) }
    }
}
