import Frames

/// Events as a report tells them.
enum EventText {
    /// One phrase and its weight; `nil` for what a report does not list.
    static func describe(_ change: Message.Change) -> (String, Finding.Severity)? {
        switch change {
        case .poseState(let state): (poseState(state), state == .lost ? .problem : .note)
        case .guidanceState(let state): ("guidance: \(words("\(state)"))", .note)
        case .source(let source, let state):
            ("\(source): \(words("\(state)"))", state == .stale || state == .lost ? .advice : .note)
        case .route: ("another route", .note)
        case .reset(let count): ("the pose jumped, as announced (jump \(count))", .advice)
        case .departed: ("left the route", .note)
        case .rejoined(_, let isAhead): (isAhead ? "back on the route, farther along" : "back on the route", .note)
        case .maneuverReached(let index, _): ("maneuver \(index) reached", .note)
        case .waypointReached(let number, _): ("waypoint \(number) reached", .note)
        case .waypointSkipped(let number, _): ("waypoint \(number) skipped", .note)
        case .origin, .target, .frameRate: nil
        }
    }

    /// The name of a pose state, for people.
    static func poseState(_ state: Frame.PoseState) -> String { "pose: \(words("\(state)"))" }

    /// A name of several words written as such: `deadReckoning` becomes `dead reckoning`.
    static func words(_ name: String) -> String {
        name.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty { text += " " }
            text += letter.lowercased()
        }
    }
}
