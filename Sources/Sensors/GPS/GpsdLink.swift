import Measurements
import PoseMath

/// State machine of the connection to gpsd and of the receiver behind it: the state, the next action, and when to check
/// again.
///
/// Pure: events and the time are input, actions are output. Silence is detected at two levels. A receiver that sent
/// nothing for one cycle plus one second is stale; a new watch request is then sent to gpsd, which answers it even
/// while the receiver is silent. A gpsd that does not answer within ``answerLimitSeconds`` is disconnected and
/// connected again.
struct GpsdLink {
    /// What the thread must do.
    enum Action: Equatable {
        /// Connect to gpsd, then call ``connected(at:)`` or ``failed(_:at:)``.
        case connect
        /// Send a watch request to gpsd.
        case watch
        /// Close the connection.
        case close
    }

    /// Time limits of a connection.
    struct Timing: Sendable {
        /// First delay before reconnecting, seconds; it doubles with each failure.
        var shortestBackoffSeconds = 0.1
        /// Longest delay before reconnecting, seconds: short enough that a restarted gpsd is found within 2 s.
        var longestBackoffSeconds = 1.0
        /// Longest time for gpsd's greeting, and for an answer, seconds; after it gpsd counts as hung. Then the next
        /// connection is made at once: a gpsd that continues greets the newest.
        var answerLimitSeconds = 1.5
        /// Silence in addition to one cycle after which a receiver is stale, seconds.
        var silenceMarginSeconds = 1.0
        /// Silence of the receiver after which a new connection is tried even though gpsd answers, seconds: without
        /// clients gpsd closes a device, and opens it again for the next one. It doubles while that does not help. A
        /// slow receiver has twice the time after which it is stale.
        var longestSilenceSeconds = 30.0
    }

    private struct Session {
        var openedAt: MonotonicTime
        var lastLine: MonotonicTime?
        var lastReport: MonotonicTime?
        var lastFix: MonotonicTime?
        /// What answers instead of gpsd; `nil` as long as nothing shows that.
        var foreignService: String?
        /// Time of the last request that gpsd has not answered; `nil` if there is none.
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
    private let timing: Timing
    private var backoffSeconds: Double
    /// Connections in a row that ended because the receiver was silent.
    private var silentConnections = 0
    private var jitterState: UInt64
    private var hasStreamed = false
    private(set) var failure = ""
    /// Estimated time between the receiver's reports, seconds.
    var cycleSeconds = 1.0

    /// Creates a link that is not connected. The seed spreads the retries of several daemons.
    init(jitterSeed: UInt64, timing: Timing = Timing()) {
        jitterState = jitterSeed
        self.timing = timing
        backoffSeconds = timing.shortestBackoffSeconds
    }

    private var silenceLimitSeconds: Double { cycleSeconds + timing.silenceMarginSeconds }
    private var longestSilenceSeconds: Double {
        max(timing.longestSilenceSeconds, 2 * silenceLimitSeconds) * Double(1 << min(silentConnections, 3))
    }

    // MARK: Events

    /// The connection is established.
    mutating func connected(at now: MonotonicTime) {
        phase = .connected(Session(openedAt: now, unansweredRequest: now, lastRequest: now))
    }

    /// The connection could not be established, or failed.
    mutating func failed(_ reason: String, at now: MonotonicTime) {
        failure = reason
        jitterState = jitterState &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let jitter = 0.8 + 0.2 * Double(jitterState >> 40) / Double(1 << 24)
        phase = .backingOff(until: now.advanced(bySeconds: backoffSeconds * jitter))
        backoffSeconds = min(2 * backoffSeconds, timing.longestBackoffSeconds)
    }

    /// A line of any kind arrived from gpsd.
    mutating func received(at now: MonotonicTime) {
        guard case .connected(var session) = phase else { return }
        session.lastLine = now
        session.unansweredRequest = nil
        backoffSeconds = timing.shortestBackoffSeconds
        phase = .connected(session)
    }

    /// Something that gpsd never sends arrived. Before gpsd's greeting it shows that another program has the port;
    /// `service` says what answers, and the remedy.
    mutating func receivedForeign(_ service: String) {
        guard case .connected(var session) = phase, session.lastLine == nil, session.foreignService == nil else {
            return
        }
        session.foreignService = service
        phase = .connected(session)
    }

    /// What answers instead of gpsd on this connection, and the remedy; `nil` if nothing shows that.
    var foreignService: String? {
        guard case .connected(let session) = phase else { return nil }
        return session.foreignService
    }

    /// The receiver reported; `hasFix` if the report gave a fix that was delivered.
    mutating func reported(hasFix: Bool, at now: MonotonicTime) {
        guard case .connected(var session) = phase else { return }
        session.lastReport = now
        silentConnections = 0
        session.requestIntervalSeconds = 1
        if hasFix {
            session.lastFix = now
            hasStreamed = true
        }
        phase = .connected(session)
    }

    // MARK: Actions

    /// The actions to perform now.
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
        if let reason = reasonToDisconnect(session, at: now) {
            let isForeign = session.lastLine == nil && session.foreignService != nil
            if session.lastLine != nil, session.unansweredRequest == nil { silentConnections += 1 }
            // The time limit was the delay: what hangs must be found soon when it continues.
            if !isForeign { backoffSeconds = timing.shortestBackoffSeconds }
            failed(reason, at: now)
            return [.close]
        }
        guard session.lastLine != nil, session.unansweredRequest == nil, isSilent(session, at: now) else { return [] }
        guard now >= nextRequest(session) else { return [] }
        var requested = session
        requested.lastRequest = now
        requested.unansweredRequest = now
        requested.requestIntervalSeconds = min(2 * session.requestIntervalSeconds, 5)
        phase = .connected(requested)
        return [.watch]
    }

    private func reasonToDisconnect(_ session: Session, at now: MonotonicTime) -> String? {
        if session.lastLine == nil {
            if let service = session.foreignService { return service }
            return now.seconds(since: session.openedAt) >= timing.answerLimitSeconds
                ? "the connection is accepted, but gpsd does not greet: gpsd hangs, or another program has its port"
                : nil
        }
        if let request = session.unansweredRequest, now.seconds(since: request) >= timing.answerLimitSeconds {
            return "gpsd does not answer: gpsd hangs"
        }
        if now.seconds(since: session.lastReport ?? session.openedAt) >= longestSilenceSeconds {
            return "no data from the receiver for \(Int(longestSilenceSeconds)) s"
        }
        return nil
    }

    /// Whether the receiver sent nothing for longer than one cycle and the margin.
    private func isSilent(_ session: Session, at now: MonotonicTime) -> Bool {
        now.seconds(since: session.lastReport ?? session.openedAt) >= silenceLimitSeconds
    }

    private func nextRequest(_ session: Session) -> MonotonicTime {
        guard let report = session.lastReport, report > session.lastRequest else {
            return session.lastRequest.advanced(bySeconds: session.requestIntervalSeconds)
        }
        return report.advanced(bySeconds: silenceLimitSeconds)
    }

    /// When ``advance(to:)`` or the state changes next if no event occurs; `nil`: not before the next event.
    var deadline: MonotonicTime? {
        switch phase {
        case .idle, .connecting: return nil
        case .backingOff(let until): return until
        case .connected(let session): return deadline(of: session)
        }
    }

    private func deadline(of session: Session) -> MonotonicTime {
        guard session.lastLine != nil else {
            // The other end may close the connection first, or send gpsd's greeting next: neither is waited for.
            return session.foreignService == nil
                ? session.openedAt.advanced(bySeconds: timing.answerLimitSeconds) : session.openedAt
        }
        var times: [MonotonicTime] = []
        if let request = session.unansweredRequest {
            times.append(request.advanced(bySeconds: timing.answerLimitSeconds))
        } else {
            let silence = (session.lastReport ?? session.openedAt).advanced(bySeconds: silenceLimitSeconds)
            times.append(max(silence, nextRequest(session)))
        }
        times.append((session.lastReport ?? session.openedAt).advanced(bySeconds: longestSilenceSeconds))
        return times.min() ?? session.openedAt
    }

    // MARK: State

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

    /// Whether the receiver is silent although gpsd is connected.
    func isReceiverSilent(at now: MonotonicTime) -> Bool {
        guard case .connected(let session) = phase else { return true }
        return isSilent(session, at: now)
    }

    /// Seconds since the receiver's last report; `nil` before its first report on this connection.
    func secondsSinceReport(at now: MonotonicTime) -> Double? {
        guard case .connected(let session) = phase else { return nil }
        return session.lastReport.map { now.seconds(since: $0) }
    }
}
