/// What a message is about; the raw value is kept on the disk.
package enum Channel: UInt8, Sendable, CaseIterable {
    /// The pose.
    case pose = 1
    /// Guidance and speed.
    case guidance = 2
    /// The next maneuver.
    case maneuver = 3
    /// Changes of state.
    case events = 4
    /// The status of the daemon.
    case status = 5
    /// The position in OwnTracks' form.
    case ownTracks = 6

    /// Whether the broker keeps the newest one for later subscribers.
    package var isRetained: Bool { self == .status || self == .maneuver || self == .ownTracks }
    /// Whether it is one of a series of which some may be left out.
    package var isThinnable: Bool { self != .events && self != .maneuver }
}

/// The topics of one board.
package struct BoardTopics: Sendable, Equatable {
    /// First part of all topics but those of other programs.
    package let base: String
    private let ownTracks: String

    /// Creates the topics of a board below a prefix.
    package init(prefix: String, id: String) {
        base = "\(prefix)/\(id)"
        ownTracks = "owntracks/\(prefix.split(separator: "/").joined(separator: "-"))/\(id)"
    }

    /// The topic of a channel.
    package func topic(_ channel: Channel) -> String {
        switch channel {
        case .pose: "\(base)/pose"
        case .guidance: "\(base)/guidance"
        case .maneuver: "\(base)/maneuver"
        case .events: "\(base)/events"
        case .status: "\(base)/status"
        case .ownTracks: ownTracks
        }
    }

    /// Whether the board is connected: birth and last will, retained.
    package var link: String { "\(base)/link" }
    /// Commands for this board.
    package var command: String { "\(base)/command" }
    /// Answers to commands.
    package var reply: String { "\(base)/reply" }

    /// The topic of an answer: where the sender wants it, if that is below ``reply``; `nil` if it is elsewhere, where a
    /// board could be made to speak for others.
    package func replyTopic(wanted: String?) -> String? {
        guard let wanted, wanted != reply else { return reply }
        let isBelow = wanted.hasPrefix("\(reply)/") && wanted.utf8.count <= 256
        return isBelow && !wanted.utf8.contains { [UInt8(ascii: "+"), UInt8(ascii: "#"), 0].contains($0) }
            ? wanted : nil
    }
}
