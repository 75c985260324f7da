import Engine
import Measurements
import PoseMath

/// The instants between the events of a recording at which the daemon would have predicted the pose.
struct ReplayTicks {
    private let hertz: Double
    private var schedule: TickSchedule?
    private var lastEvent: MonotonicTime?

    /// Time after an event from which nothing changes any more, seconds: the position is lost long before.
    private static let longestSeconds = 600.0

    /// The ticks for clients with a rate.
    init(rateHertz: Double?) { hertz = max(rateHertz ?? 0, TickSchedule.usualHertz) }

    /// The next tick before an event arrives; `nil` when there is none left, and the event is the next to process.
    mutating func next(before event: SensorEvent) -> MonotonicTime? { next(before: event.arrivalTime) }

    /// The same for an event, or what is told just before it, that arrives at a time.
    mutating func next(before arrival: MonotonicTime) -> MonotonicTime? {
        guard var schedule, let lastEvent, schedule.next < arrival,
            schedule.next.seconds(since: lastEvent) < Self.longestSeconds
        else {
            let next = self.schedule.flatMap { $0.isQuiet ? nil : $0.next } ?? arrival
            schedule = TickSchedule(hertz: hertz, from: max(next, arrival))
            self.lastEvent = arrival
            return nil
        }
        let tick = schedule.next
        schedule.advance(from: tick, lastMeasurement: lastEvent)
        self.schedule = schedule
        return tick
    }
}
