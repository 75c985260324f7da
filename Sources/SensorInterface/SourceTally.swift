import Measurements
import PoseMath

/// Counts the measurements of sources that play a drive, and writes number, rate and time to the board.
package struct SourceTally: Sendable {
    /// The measurements of one source.
    private struct Count: Sendable {
        var entry: Int
        var accepted: UInt64 = 0
        /// When the board was written last; `nil` before the first measurement.
        var writtenTime: MonotonicTime?
        /// When the rate was measured last, and the number of measurements then.
        var rated = (time: MonotonicTime(nanoseconds: 0), accepted: UInt64(0))
    }

    private var counts: [SensorKind: Count]

    /// How often the board is written, seconds: status tells the age of the newest measurement to a tenth.
    private static let intervalSeconds = 0.2
    /// How often the rate is measured, seconds: also a receiver of one fix per second has one then.
    private static let rateSeconds = 2.0

    /// Creates a tally of sources that are registered under these numbers.
    package init(entries: [SensorKind: Int]) { counts = entries.mapValues { Count(entry: $0) } }

    /// Counts a measurement that was sent at a time.
    package mutating func note(_ kind: SensorKind, at now: MonotonicTime, on board: SourceStatusBoard) {
        guard var count = counts[kind] else { return }
        defer { counts[kind] = count }
        count.accepted += 1
        guard let before = count.writtenTime else {
            count.writtenTime = now
            count.rated = (now, count.accepted)
            return board.update(count.entry) { ($0.acceptedCount, $0.lastDataTime) = (1, now) }
        }
        guard now.seconds(since: before) >= Self.intervalSeconds else { return }
        count.writtenTime = now
        let (accepted, seconds) = (count.accepted, now.seconds(since: count.rated.time))
        var rate: Double?
        if seconds >= Self.rateSeconds {
            rate = Double(accepted - count.rated.accepted) / seconds
            count.rated = (now, accepted)
        }
        board.update(count.entry) { status in
            (status.acceptedCount, status.lastDataTime) = (accepted, now)
            if let rate { status.rateHertz = rate }
        }
    }
}
