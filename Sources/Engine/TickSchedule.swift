import PoseMath

/// The instants at which the pose is predicted while no measurement makes a frame: at a rate, and once per second after
/// five without any measurement.
package struct TickSchedule: Sendable {
    private let periodNanoseconds: Int64
    /// The time of the next tick.
    package private(set) var next: MonotonicTime

    /// The rate where no client asks for more, Hz.
    package static let usualHertz = 60.0
    /// After this time without a measurement, ticks fall to one per second.
    private static let quietSeconds = 5.0

    /// A schedule with its first tick at a time.
    ///
    /// - Parameter hertz: the rate, 1 to 1000; another one is limited to that.
    package init(hertz: Double, from start: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
        periodNanoseconds = Int64(1e9 / min(max(hertz, 1), 1000))
        next = start
    }

    /// Notes that a tick was done, and sets the time of the next one.
    ///
    /// - Parameters:
    ///   - now: when it was done.
    ///   - lastMeasurement: when the last measurement arrived; `nil` before the first.
    package mutating func advance(from now: MonotonicTime, lastMeasurement: MonotonicTime?) {
        let isQuiet = lastMeasurement.map { now.seconds(since: $0) > Self.quietSeconds } ?? false
        let step = now.nanoseconds.addingReportingOverflow(isQuiet ? 1_000_000_000 : periodNanoseconds)
        next = MonotonicTime(nanoseconds: step.overflow ? .max : step.partialValue)
    }
}
