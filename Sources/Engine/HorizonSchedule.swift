import Guidance
import PoseMath

/// When the engine asks what lies ahead, and from when on an answer holds: by the times of the frames alone, so that a
/// replay has the same limits in the same frames as the daemon.
///
/// Engine time is divided into periods of 0.2 s. The first frame with a position in a period is a question; its answer
/// holds from the first frame of a later period on. A thread that needs less than a period for an answer does not show
/// in the frames. An answer that comes later than that is counted, and holds from its arrival on.
struct HorizonSchedule: Sendable {
    /// The length of a period, nanoseconds: curves and limits ahead are told five times a second.
    static let periodNanoseconds: Int64 = 200_000_000

    /// The answer that holds now.
    private(set) var current: SpeedHorizon?
    /// Answers that came after the period of their question.
    private(set) var lateCount: UInt64 = 0
    /// Whether the latest frame is a question.
    private(set) var isQuestion = false
    private var period = Int64.min
    private var askedPeriod = Int64.min
    /// The answer to the question of this period.
    private var next: SpeedHorizon?
    /// Answers to questions up to here are not wanted any more.
    private var forgottenUntil = MonotonicTime(nanoseconds: .min)

    /// Begins a frame: a period that begins with it brings the answer of the one before into force.
    mutating func begin(at time: MonotonicTime) {
        let number = time.nanoseconds / Self.periodNanoseconds
        guard number != period else { return }
        period = number
        current = next ?? current
        next = nil
    }

    /// Ends a frame.
    mutating func end(hasPosition: Bool) {
        isQuestion = hasPosition && askedPeriod != period
        if isQuestion { askedPeriod = period }
    }

    /// Takes an answer; its time is that of the frame that asked.
    mutating func take(_ answer: SpeedHorizon) {
        guard answer.time > forgottenUntil else { return }
        if answer.time.nanoseconds / Self.periodNanoseconds == period {
            next = answer
        } else {
            lateCount += 1
            current = answer
        }
    }

    /// Forgets all answers, and those to questions up to an instant.
    mutating func forget(until time: MonotonicTime) {
        (current, next, forgottenUntil) = (nil, nil, time)
    }
}
