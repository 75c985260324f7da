import PoseMath
import SensorInterface

/// The speed by OBD-II: service 01, PID 0D (SAE J1979), in single frames of ISO-TP (ISO 15765-2). Request and response
/// have three and four bytes, so that each is always one frame. Pure.
struct DiagnosticSpeed: Sendable {
    /// What a frame was.
    enum Answer: Equatable, Sendable {
        /// The speed, m/s.
        case speed(Double)
        /// The control unit refused.
        case refused
        /// Not an answer to the request.
        case other
    }

    /// Time for which an answer is waited for, seconds: five times the longest that the standard allows (P2, 50 ms).
    static let timeoutSeconds = 0.25
    /// Time without an answer after which another control unit may answer, seconds.
    private static let otherUnitSeconds = 2.0

    /// The data of a request: one frame of two bytes, service 01, PID 0D, filled with zeros.
    static let request: InlineArray<8, UInt8> = [0x02, 0x01, 0x0D, 0, 0, 0, 0, 0]
    /// The identifier of a request to all control units, in the kernel's form.
    let requestID: UInt32
    private let responses: CANFilter
    /// Time from one request to the next, seconds.
    let periodSeconds: Double
    private var next = MonotonicTime(nanoseconds: .min)
    private var asked: MonotonicTime?
    /// The first control unit that answered: several may.
    private var unit: (id: UInt32, time: MonotonicTime)?
    /// Number of requests without an answer since the last one.
    private(set) var unanswered = 0

    /// Creates the protocol; `nil` if it is off.
    init?(_ diagnostics: CANDiagnostics, rateHertz: Double) {
        guard let responses = CANFilter.responses(diagnostics) else { return nil }
        self.responses = responses
        requestID = diagnostics == .extended ? 0x98DB_33F1 : 0x7DF
        periodSeconds = 1 / min(max(rateHertz, 0.1), 100)
    }

    /// The filter of its responses.
    var filter: CANFilter { responses }

    /// Whether a request is due now, which then counts as sent, and whether the one before got no answer.
    mutating func isDue(_ now: MonotonicTime) -> (send: Bool, timedOut: Bool) {
        var timedOut = false
        if let asked {
            guard now.seconds(since: asked) >= Self.timeoutSeconds else { return (false, false) }
            (self.asked, unanswered, timedOut) = (nil, min(unanswered + 1, 1_000_000), true)
        }
        guard now >= next else { return (false, timedOut) }
        next = now.advanced(bySeconds: periodSeconds)
        asked = now
        return (true, timedOut)
    }

    /// Time until the next request, seconds; 0 if it is due.
    func secondsToNext(_ now: MonotonicTime) -> Double {
        let answer = asked.map { Self.timeoutSeconds - now.seconds(since: $0) } ?? 0
        return max(next.seconds(since: now), answer, 0)
    }

    /// Reads a frame that may be the answer.
    mutating func read(id: UInt32, _ data: UnsafeRawBufferPointer, time: MonotonicTime) -> Answer {
        guard responses.passes(id), data.count >= 4, (0x03...0x07).contains(data[0]) else { return .other }
        if data[1] == 0x7F, data[2] == 0x01 {
            asked = nil
            return .refused
        }
        guard data[1] == 0x41, data[2] == 0x0D else { return .other }
        if let unit, unit.id != id, time.seconds(since: unit.time) < Self.otherUnitSeconds { return .other }
        unit = (id, time)
        (asked, unanswered) = (nil, 0)
        return .speed(Double(data[3]) / 3.6)
    }
}
