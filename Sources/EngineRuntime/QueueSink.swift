import Measurements
import Platform
import PoseMath
import SensorInterface

/// What a source hands to the engine.
enum SensorInput: Sendable {
    /// A measurement.
    case event(SensorEvent)
    /// A change of a source's state.
    case report(SourceReport)

    /// When it was known here.
    var arrivalTime: MonotonicTime {
        switch self {
        case .event(let event): event.arrivalTime
        case .report(let report): report.time
        }
    }
}

/// The end of a queue that a source writes to. One for each source, so that a flood of one takes no room from another.
package final class QueueSink: EventSink {
    /// The source's name, for `status`.
    package let name: String
    let queue: BoundedQueue<SensorInput>
    private let wakeUp: EventFD

    init(name: String, capacity: Int, wakeUp: EventFD) {
        self.name = name
        self.wakeUp = wakeUp
        queue = BoundedQueue(capacity: capacity)
    }

    /// Queues a measurement; counts it where there is no room.
    package func send(_ event: SensorEvent) {
        queue.push(.event(event))
        wakeUp.signal()
    }

    /// Queues a change of state.
    package func send(_ report: SourceReport) {
        queue.push(.report(report))
        wakeUp.signal()
    }

    /// Measurements that the engine came too late for.
    package var droppedCount: UInt64 { queue.refusedCount }
}
