import Frames
import PoseMath

/// Decides what is kept in the modes that wait for something to happen.
struct RecordingWindow {
    /// Time kept before what happened, seconds.
    static let beforeSeconds = 60.0
    /// Time recorded after what happened, seconds.
    static let afterSeconds = 60.0
    /// Speed from which the vehicle moves, m/s.
    private static let movingSpeed = 2.0

    private var recordsUntil: MonotonicTime?

    /// Whether something has happened within the last minute.
    func isOpen(at now: MonotonicTime) -> Bool { recordsUntil.map { now < $0 } ?? false }

    /// Notes that something has happened.
    mutating func note(at now: MonotonicTime) { recordsUntil = now.advanced(bySeconds: Self.afterSeconds) }

    /// Closes the window.
    mutating func close() { recordsUntil = nil }

    /// Whether a frame shows that the vehicle moves.
    static func isMoving(_ frame: Frame) -> Bool { (frame.speed.speedMetersPerSecond ?? 0) >= movingSpeed }

    /// Whether a message is an event that the mode `event` records.
    static func isEvent(_ message: Message) -> Bool {
        guard case .event(let event) = message else { return false }
        switch event.change {
        case .poseState(let state): return state == .lost || state == .deadReckoning
        case .reset(let count): return count > 0
        case .source(_, let state): return state == .lost || state == .stale
        case .guidanceState(let state): return state == .offRoute || state == .wrongWay
        case .departed: return true
        case .route, .origin, .target, .maneuverReached, .waypointReached, .rejoined, .waypointSkipped, .frameRate:
            return false
        }
    }
}
