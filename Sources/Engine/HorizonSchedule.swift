import Guidance
import PoseMath

/// Decides when the engine asks about the road ahead, and when an answer takes effect. Both depend only on the times of
/// the frames, so a replay has the same limits in the same frames as the daemon.
///
/// Engine time is divided into periods of 0.2 s. The first frame with a position in a period is a question. An answer
/// that arrives in time takes effect at the start of the next period. A late answer is counted and takes effect on
/// arrival.
struct HorizonSchedule: Sendable {
    /// Length of a period, nanoseconds: five questions per second.
    static let periodNanoseconds: Int64 = 200_000_000

    /// The answer in effect.
    private(set) var current: SpeedHorizon?
    /// Number of answers that arrived after the period of their question.
    private(set) var lateCount: UInt64 = 0
    /// Whether the latest frame is a question.
    private(set) var isQuestion = false
    private var period = Int64.min
    private var askedPeriod = Int64.min
    /// The answer to this period's question.
    private var next: SpeedHorizon?
    /// Answers to questions up to this time are ignored.
    private var forgottenUntil = MonotonicTime(nanoseconds: .min)

    /// A schedule before the first question.
    init() {}

    /// A schedule before the first question of an engine that was reset: answers to questions up to an instant are
    /// ignored.
    init(after other: HorizonSchedule, forgettingUntil time: MonotonicTime) {
        (lateCount, forgottenUntil) = (other.lateCount, time)
    }

    /// Starts a frame. If it starts a period, the answer to the previous period's question takes effect.
    mutating func begin(at time: MonotonicTime) {
        let number = time.nanoseconds / Self.periodNanoseconds
        guard number != period else { return }
        period = number
        current = next ?? current
        next = nil
    }

    /// Ends a frame; decides whether it is a question.
    mutating func end(hasPosition: Bool) {
        isQuestion = hasPosition && askedPeriod != period
        if isQuestion { askedPeriod = period }
    }

    /// Takes an answer; its time is the time of the frame that asked.
    mutating func take(_ answer: SpeedHorizon) {
        guard answer.time > forgottenUntil else { return }
        if answer.time.nanoseconds / Self.periodNanoseconds == period {
            next = answer
        } else {
            lateCount += 1
            current = answer
        }
    }
}
