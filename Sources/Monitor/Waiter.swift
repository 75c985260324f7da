import Frames
import Platform

/// Waits until the daemon has reached a state.
package struct Waiter: Sendable {
    /// What is waited for.
    package enum Goal: String, CaseIterable, Sendable {
        /// The daemon answers.
        case running
        /// A position is known, and it is not lost.
        case position
        /// The true heading is known.
        case heading
        /// The pose is aligned.
        case aligned
        /// A route is loaded.
        case route
        /// The vehicle is on the route.
        case onRoute = "on-route"
        /// The recorder records.
        case recording
    }

    /// How the waiting ended.
    package enum Outcome: Sendable, Equatable {
        /// The goal was reached, after seconds.
        case reached(seconds: Double)
        /// The time is over; what is missing.
        case timeout(String)
        /// The time is over, and the daemon did not answer; the reason.
        case noDaemon(String)
    }

    /// Path of the stream socket.
    package var socketPath: String
    /// Longest wait, seconds; a daemon that is there has at least a second for its first answer.
    package var timeoutSeconds: Double

    /// Creates a waiter for the daemon at a socket path.
    package init(socketPath: String, timeoutSeconds: Double) {
        (self.socketPath, self.timeoutSeconds) = (socketPath, timeoutSeconds)
    }

    /// Waits. A daemon that is not there yet is waited for, too. `onState` is called with each new line about what is
    /// missing.
    package func wait(until goal: Goal, onState: (String) -> Void) -> Outcome {
        var session = MonitorSession(socketPath: socketPath, request: .frames(rateHertz: 10))
        let began = SystemClock.monotonicNow
        var told = ""
        while true {
            session.work(waitingSeconds: 0.05)
            let seconds = SystemClock.monotonicNow.seconds(since: began)
            if Self.isReached(goal, session.state) { return .reached(seconds: seconds) }
            let missing = Self.missing(goal, session.state)
            if missing != told { onState(missing) }
            told = missing
            guard seconds < limitSeconds(goal, session.state) else { return end(goal, session.state) }
        }
    }

    /// Time that a daemon that is there has for its first answer even where the wait is shorter, seconds.
    private static let answerSeconds = 1.0

    /// Longest wait in a state, seconds.
    func limitSeconds(_ goal: Goal, _ state: MonitorState) -> Double {
        let isAnswerDue =
            switch state.connection {
            case .connecting(let why): why.isEmpty
            case .connected: goal == .recording ? state.status == nil : state.frame == nil
            }
        return isAnswerDue ? max(timeoutSeconds, Self.answerSeconds) : timeoutSeconds
    }

    /// How a wait ends in a state in which the goal is not reached.
    func end(_ goal: Goal, _ state: MonitorState) -> Outcome {
        guard case .connecting(let why) = state.connection else { return .timeout(Self.missing(goal, state)) }
        return .noDaemon(why.isEmpty ? "\(socketPath): posed does not answer; see the journal of posed" : why)
    }

    /// Whether a goal is reached in a state.
    static func isReached(_ goal: Goal, _ state: MonitorState) -> Bool {
        guard state.connection == .connected else { return false }
        if goal == .running { return true }
        if goal == .recording { return state.status?.recording?.state == "recording" }
        guard let frame = state.frame else { return false }
        switch goal {
        case .position: return frame.pose.latitudeRadians != nil && frame.pose.state != .lost
        case .heading: return frame.pose.headingTrueRadians != nil
        case .aligned: return frame.pose.state == .aligned
        case .route: return frame.guidance.state != .noRoute
        case .onRoute: return [.onRoute, .rejoinedAhead, .arrived].contains(frame.guidance.state)
        case .running, .recording: return false
        }
    }

    /// What is missing, one line.
    static func missing(_ goal: Goal, _ state: MonitorState) -> String {
        if case .connecting(let why) = state.connection { return why.isEmpty ? "connecting" : why }
        guard let frame = state.frame else { return "connected; no frame yet" }
        switch goal {
        case .route: return "no route is loaded; posectl route load FILE"
        case .onRoute: return "guidance: \(frame.guidance.state.wireName)"
        case .recording: return recording(state.status?.recording)
        default: break
        }
        let reason = state.status?.why.first.map { ": \($0)" } ?? ""
        return "\(frame.pose.state.wireName)\(reason)"
    }

    /// What a recorder does that does not record, one line.
    private static func recording(_ recording: RecordingText?) -> String {
        guard let recording, recording.state != "off" else { return "not recording; posectl record start" }
        guard recording.state == "failed" else { return recording.lines.first ?? recording.state }
        return recording.lines.map { String($0.drop(while: { $0 == " " })) }.joined(separator: ": ")
    }
}
