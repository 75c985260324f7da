import Measurements
import PoseMath

/// The life of the connection to gpsd and of the receiver behind it: what is the case, what is to be done, when to look
/// again.
///
/// Pure: what happened and the time go in, actions come out. Silence is judged at two places. A receiver from which
/// nothing came for one cycle and one second is stale; gpsd is then asked again to watch, which it answers even while
/// the receiver is silent. A gpsd that does not answer within ``answerLimitSeconds`` is given up and connected to anew.
struct GpsdLink {
    /// What the thread is to do.
    enum Action: Equatable {
        /// Connect to gpsd, then call ``connected(at:)`` or ``failed(_:at:)``.
        case connect
        /// Ask gpsd to report.
        case watch
        /// Close the connection.
        case close
    }

    /// First wait before connecting again, seconds; it doubles with each failure.
    static let shortestBackoffSeconds = 0.1
    /// Longest wait before connecting again, seconds: short enough that a gpsd that comes back is found within 3 s.
    static let longestBackoffSeconds = 2.5
    /// gpsd answers a request within this, or hangs, seconds.
    static let answerLimitSeconds = 1.5
    /// gpsd greets a new connection within this, or hangs, seconds. Longer than an answer: a connection made while gpsd
    /// is stopped serves at once when it goes on.
    static let greetingLimitSeconds = 5.0
    /// Silence beyond one cycle, seconds, that makes a receiver stale.
    static let silenceMarginSeconds = 1.0
    /// After so long a silence of the receiver a new connection is tried even though gpsd answers, seconds.
    static let longestSilenceSeconds = 30.0

    private struct Session {
        var openedAt: MonotonicTime
        var lastLine: MonotonicTime?
        var lastReport: MonotonicTime?
        var lastFix: MonotonicTime?
        /// Time of the last request that gpsd has not answered.
        var unansweredRequest: MonotonicTime?
        var lastRequest: MonotonicTime
        var requestIntervalSeconds = 1.0
    }

    private enum Phase {
        case idle
        case backingOff(until: MonotonicTime)
        case connecting
        case connected(Session)
    }

    private var phase = Phase.idle
    private var backoffSeconds = Self.shortestBackoffSeconds
    private var jitterState: UInt64
    private var hasStreamed = false
    private(set) var failure = ""
    /// Time between the receiver's reports as far as known, seconds.
    var cycleSeconds = 1.0

    /// A link that has not begun. The seed spreads the retries of several daemons.
    init(jitterSeed: UInt64) { jitterState = jitterSeed }

    private var silenceLimitSeconds: Double { cycleSeconds + Self.silenceMarginSeconds }

    // MARK: What happened

    /// A connection stands.
    mutating func connected(at now: MonotonicTime) {
        phase = .connected(Session(openedAt: now, unansweredRequest: now, lastRequest: now))
    }

    /// The connection could not be made, or broke.
    mutating func failed(_ reason: String, at now: MonotonicTime) {
        failure = reason
        jitterState = jitterState &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let jitter = 0.8 + 0.2 * Double(jitterState >> 40) / Double(1 << 24)
        phase = .backingOff(until: now.advanced(bySeconds: backoffSeconds * jitter))
        backoffSeconds = min(2 * backoffSeconds, Self.longestBackoffSeconds)
    }

    /// A line came from gpsd, whatever it says.
    mutating func heard(at now: MonotonicTime) {
        guard case .connected(var session) = phase else { return }
        session.lastLine = now
        session.unansweredRequest = nil
        backoffSeconds = Self.shortestBackoffSeconds
        phase = .connected(session)
    }

    /// The receiver reported; `hasFix`: with a fix that was handed over.
    mutating func reported(hasFix: Bool, at now: MonotonicTime) {
        guard case .connected(var session) = phase else { return }
        session.lastReport = now
        session.requestIntervalSeconds = 1
        if hasFix {
            session.lastFix = now
            hasStreamed = true
        }
        phase = .connected(session)
    }

    // MARK: What follows

    /// What is to be done now.
    mutating func advance(to now: MonotonicTime) -> [Action] {
        switch phase {
        case .idle:
            phase = .connecting
            return [.connect]
        case .backingOff(let until):
            guard now >= until else { return [] }
            phase = .connecting
            return [.connect]
        case .connecting:
            return []
        case .connected(let session):
            return advance(session, to: now)
        }
    }

    private mutating func advance(_ session: Session, to now: MonotonicTime) -> [Action] {
        if let reason = reasonToGiveUp(session, at: now) {
            failed(reason, at: now)
            return [.close]
        }
        guard session.lastLine != nil, session.unansweredRequest == nil, isSilent(session, at: now) else { return [] }
        guard now >= nextRequest(session) else { return [] }
        var asked = session
        asked.lastRequest = now
        asked.unansweredRequest = now
        asked.requestIntervalSeconds = min(2 * session.requestIntervalSeconds, 5)
        phase = .connected(asked)
        return [.watch]
    }

    private func reasonToGiveUp(_ session: Session, at now: MonotonicTime) -> String? {
        if session.lastLine == nil {
            return now.seconds(since: session.openedAt) >= Self.greetingLimitSeconds
                ? "gpsd takes the connection but does not greet: it hangs" : nil
        }
        if let request = session.unansweredRequest, now.seconds(since: request) >= Self.answerLimitSeconds {
            return "gpsd does not answer: it hangs"
        }
        if let report = session.lastReport, now.seconds(since: report) >= Self.longestSilenceSeconds {
            return "the receiver stays silent"
        }
        return nil
    }

    /// Nothing came from the receiver for longer than it may take.
    private func isSilent(_ session: Session, at now: MonotonicTime) -> Bool {
        now.seconds(since: session.lastReport ?? session.openedAt) >= silenceLimitSeconds
    }

    private func nextRequest(_ session: Session) -> MonotonicTime {
        guard let report = session.lastReport, report > session.lastRequest else {
            return session.lastRequest.advanced(bySeconds: session.requestIntervalSeconds)
        }
        return report.advanced(bySeconds: silenceLimitSeconds)
    }

    /// When ``advance(to:)`` or the state has something new, if nothing happens before; `nil`: not until something
    /// happens.
    var deadline: MonotonicTime? {
        switch phase {
        case .idle, .connecting: return nil
        case .backingOff(let until): return until
        case .connected(let session): return deadline(of: session)
        }
    }

    private func deadline(of session: Session) -> MonotonicTime {
        guard session.lastLine != nil else { return session.openedAt.advanced(bySeconds: Self.greetingLimitSeconds) }
        var times: [MonotonicTime] = []
        if let request = session.unansweredRequest {
            times.append(request.advanced(bySeconds: Self.answerLimitSeconds))
        } else {
            let silence = (session.lastReport ?? session.openedAt).advanced(bySeconds: silenceLimitSeconds)
            times.append(max(silence, nextRequest(session)))
        }
        if let report = session.lastReport { times.append(report.advanced(bySeconds: Self.longestSilenceSeconds)) }
        return times.min() ?? session.openedAt
    }

    // MARK: What is the case

    /// The state of the source.
    func state(at now: MonotonicTime) -> SourceState {
        switch phase {
        case .idle: return .absent
        case .connecting: return failure.isEmpty ? .opening : (hasStreamed ? .lost : .absent)
        case .backingOff: return hasStreamed ? .lost : .absent
        case .connected(let session):
            guard session.lastLine != nil else { return .opening }
            guard let report = session.lastReport else { return .waiting }
            guard now.seconds(since: report) < silenceLimitSeconds else { return .stale }
            guard let fix = session.lastFix, now.seconds(since: fix) < silenceLimitSeconds else { return .waiting }
            return .streaming
        }
    }

    /// Whether the receiver is silent although gpsd is there.
    func isReceiverSilent(at now: MonotonicTime) -> Bool {
        guard case .connected(let session) = phase else { return true }
        return isSilent(session, at: now)
    }

    /// Seconds since the receiver reported last; `nil` before its first report on this connection.
    func secondsSinceReport(at now: MonotonicTime) -> Double? {
        guard case .connected(let session) = phase else { return nil }
        return session.lastReport.map { now.seconds(since: $0) }
    }
}
