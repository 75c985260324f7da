import Measurements
import Platform
import PoseMath
import SensorInterface

/// Input from a source to the engine.
enum SensorInput: Sendable {
    /// A measurement.
    case event(SensorEvent)
    /// A change of a source's state.
    case report(SourceReport)

    /// Time of arrival at the daemon.
    var arrivalTime: MonotonicTime {
        switch self {
        case .event(let event): event.arrivalTime
        case .report(let report): report.time
        }
    }
}

/// The writing end of a source's queue. Each source has its own queue, so a flood from one takes no room from another.
package final class QueueSink: EventSink {
    /// The source's name, for `status`.
    package let name: String
    let queue: BoundedQueue<SensorInput>
    private let wakeUp: EventFD
    private let samples: SampleTap?

    init(name: String, capacity: Int, wakeUp: EventFD, samples: SampleTap? = nil) {
        self.name = name
        self.samples = samples
        self.wakeUp = wakeUp
        queue = BoundedQueue(capacity: capacity)
    }

    /// Queues a measurement; counts a drop if the queue is full.
    package func send(_ event: SensorEvent) {
        samples?.note(event)
        queue.push(.event(event))
        wakeUp.signal()
    }

    /// Queues a measurement; `false` if the queue is full, which is counted as a drop.
    package func offer(_ event: SensorEvent) -> Bool {
        defer { wakeUp.signal() }
        return queue.push(.event(event))
    }

    /// Queues a change of the source's state.
    package func send(_ report: SourceReport) {
        queue.push(.report(report))
        wakeUp.signal()
    }

    /// Measurements dropped because the queue was full.
    package var droppedCount: UInt64 { queue.refusedCount }
}
