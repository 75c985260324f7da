import Foundation
import Measurements
import PoseMath
import SensorInterface
import Synchronization

/// Stores what a source delivers, with the time.
final class RecordingSink: EventSink {
    private struct Contents {
        var fixes: [GnssFix] = []
        var reports: [SourceReport] = []
    }

    private let contents = Mutex(Contents())

    func send(_ event: SensorEvent) {
        guard case .gnss(let fix) = event else { return }
        contents.withLock { $0.fixes.append(fix) }
    }

    func send(_ report: SourceReport) { contents.withLock { $0.reports.append(report) } }

    /// All fixes so far.
    var fixes: [GnssFix] { contents.withLock { $0.fixes } }
    /// All changes of state so far.
    var reports: [SourceReport] { contents.withLock { $0.reports } }
    /// The states so far.
    var states: [SourceState] { reports.map(\.state) }
    /// The state now.
    var state: SourceState? { reports.last?.state }
}

/// Checks a condition repeatedly until it holds or the time of a ``NapClock`` is over. Returns whether it held.
@discardableResult func eventually(within seconds: Double, _ condition: () -> Bool) -> Bool {
    NapClock.wait(seconds: seconds, until: condition)
}
