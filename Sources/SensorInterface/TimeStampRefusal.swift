/// Why a measurement is refused for its time stamp; the raw values are the names in replies and in `status`.
package enum TimeStampRefusal: String, CaseIterable, Sendable {
    /// Not later than the one before.
    case notIncreasing = "time_not_increasing"
    /// Later than now: another clock.
    case inFuture = "time_in_future"
    /// Too old: another clock, or a bridge that waits too long.
    case inPast = "time_in_past"

    /// The place in ``allCases``.
    package var index: Int {
        switch self {
        case .notIncreasing: 0
        case .inFuture: 1
        case .inPast: 2
        }
    }
}
