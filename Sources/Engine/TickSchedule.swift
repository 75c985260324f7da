import PoseMath

/// The instants at which the pose is predicted while no measurement makes a frame: at a rate, and once per second after
/// five without any measurement.
package struct TickSchedule: Sendable {
    private var periodNanoseconds: Int64
    /// The time of the next tick.
    package private(set) var next: MonotonicTime
    /// Whether no measurement has come for long, so that ticks come once per second.
    package private(set) var isQuiet = false

    /// The rate where no client asks for more, Hz.
    package static let usualHertz = 60.0
    /// After this time without a measurement, ticks fall to one per second.
    private static let quietSeconds = 5.0

    /// A schedule with its first tick at a time.
    ///
    /// - Parameter hertz: the rate, 1 to 1000; another one is limited to that.
    package init(hertz: Double, from start: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
        periodNanoseconds = Self.periodNanoseconds(hertz)
        next = start
    }

    /// Uses another rate from the next tick on, 1 to 1000 Hz; another one is limited to that.
    package mutating func use(hertz: Double) { periodNanoseconds = Self.periodNanoseconds(hertz) }

    private static func periodNanoseconds(_ hertz: Double) -> Int64 { Int64(1e9 / min(max(hertz, 1), 1000)) }

    /// Notes that a tick was done, and sets the time of the next one.
    ///
    /// - Parameters:
    ///   - now: when it was done.
    ///   - lastMeasurement: when the last measurement arrived; `nil` before the first.
    package mutating func advance(from now: MonotonicTime, lastMeasurement: MonotonicTime?) {
        isQuiet = lastMeasurement.map { now.seconds(since: $0) > Self.quietSeconds } ?? false
        let step = now.nanoseconds.addingReportingOverflow(isQuiet ? 1_000_000_000 : periodNanoseconds)
        next = MonotonicTime(nanoseconds: step.overflow ? .max : step.partialValue)
    }
}
