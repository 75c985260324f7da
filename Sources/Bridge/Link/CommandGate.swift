import BoundedJSON
import Configuration
import Frames
import MQTT

/// Why a message on a command topic was refused.
package enum CommandRefusal: String, Sendable, CaseIterable {
    /// It is on a topic of another board.
    case foreignTopic = "foreign_topic"
    /// The answer was wanted on a topic of others.
    case foreignReply = "foreign_reply"
    /// It was kept by the broker: nobody knows how old it is.
    case retained
    /// It is too large.
    case tooLarge = "too_large"
    /// It is not one JSON object, or has members that no command has.
    case malformed
    /// The settings do not allow the command.
    case notAllowed = "not_allowed"
    /// Too many commands arrived.
    case tooMany = "too_many"
    /// The daemon cannot be reached or does not answer.
    case unanswered
}

/// Decides which messages from the fleet reach the daemon. Everything else is refused and counted.
package struct CommandGate: Sendable {
    /// A command for the daemon.
    package struct Accepted: Sendable, Equatable {
        /// The command as one line.
        package var line: String
        /// Its name.
        package var command: BridgeCommand
        /// The topic of the answer.
        package var replyTopic: String
        /// What the sender wants back.
        package var correlation: [UInt8]
    }

    /// What becomes of a message.
    package enum Verdict: Sendable, Equatable {
        /// The daemon gets it.
        case accepted(Accepted)
        /// It is refused; the answer is `nil` where none may be sent.
        case refused(CommandRefusal, reply: Publication?)
    }

    /// Maximum size of a command, bytes: a long route has some hundred kB.
    package static let sizeLimit = 1_000_000
    /// As many values as fit into the size: a route of 700 kB may have 100,000 numbers, and the daemon takes them.
    private static let limits = JSONLimits(maximumBytes: sizeLimit, maximumEntries: sizeLimit / 2)
    /// Commands that are carried out at once, and per second afterwards.
    private static let burst = 10.0
    private static let perSecond = 1.0

    /// Refusals by reason.
    package private(set) var refusals: [CommandRefusal: UInt64] = [:]
    /// Commands that were passed on.
    package private(set) var accepted: UInt64 = 0
    private let topics: BoardTopics
    private let allowed: Set<BridgeCommand>
    private var allowance = Self.burst
    private var lastNanoseconds: Int64?

    /// Creates a gate that allows some commands.
    package init(topics: BoardTopics, allowed: [BridgeCommand]) {
        self.topics = topics
        self.allowed = Set(allowed)
    }

    /// Judges a message that was received at that time.
    package mutating func judge(_ delivery: Delivery, nowNanoseconds: Int64) -> Verdict {
        guard delivery.topic == topics.command else {
            return refuse(.foreignTopic, "the topic is not that of this board", nil, delivery)
        }
        guard let replyTopic = topics.replyTopic(wanted: delivery.responseTopic) else {
            return refuse(.foreignReply, "the response topic is not below \(topics.reply)", nil, delivery)
        }
        guard !delivery.isRetained else {
            return refuse(.retained, "a command must not be retained; publish it without", replyTopic, delivery)
        }
        guard isWithinAllowance(nowNanoseconds) else {
            return refuse(.tooMany, "too many commands; send at most one per second", replyTopic, delivery)
        }
        guard delivery.payload.count <= Self.sizeLimit else {
            return refuse(.tooLarge, "has more than \(Self.sizeLimit) bytes", replyTopic, delivery)
        }
        let document: JSONDocument
        do throws(JSONProblem) {
            document = try JSONDocument(bytes: delivery.payload, limits: Self.limits)
        } catch { return refuse(.malformed, error.description, replyTopic, delivery) }
        guard document.root.kind == .object, let name = document.root["cmd"]?.string else {
            return refuse(.malformed, "is no object with the member cmd", replyTopic, delivery)
        }
        guard let command = BridgeCommand(rawValue: name), allowed.contains(command) else {
            let words = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            return refuse(
                .notAllowed, "bridge.commands allows \(words.isEmpty ? "no command" : words)", replyTopic, delivery)
        }
        // The files of the board are not the fleet's to read.
        guard document.root["path"] == nil else {
            return refuse(.notAllowed, "path is for programs of the board; send the route itself", replyTopic, delivery)
        }
        // Line breaks are space in JSON, and one inside a text would have been an error.
        let line = delivery.payload.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        return .accepted(
            Accepted(
                line: String(decoding: line, as: UTF8.self), command: command, replyTopic: replyTopic,
                correlation: delivery.correlation))
    }

    /// Counts a command that is given to the daemon.
    package mutating func notePassed() { accepted += 1 }

    /// Counts a command that the daemon did not answer, and makes its answer.
    package mutating func unanswered(_ command: Accepted, _ reason: String) -> Publication {
        refusals[.unanswered, default: 0] += 1
        return Self.reply(reason, command.replyTopic, command.correlation)
    }

    private mutating func refuse(
        _ refusal: CommandRefusal, _ reason: String, _ replyTopic: String?, _ delivery: Delivery
    ) -> Verdict {
        refusals[refusal, default: 0] += 1
        return .refused(refusal, reply: replyTopic.map { Self.reply(reason, $0, delivery.correlation) })
    }

    /// An answer in the form of the stream.
    private static func reply(_ reason: String, _ topic: String, _ correlation: [UInt8]) -> Publication {
        var writer = JSONWriter(capacity: 256)
        writer.literal("{\"type\":\"reply\",\"cmd\":null,\"ok\":false,\"error\":{\"what\":\"the bridge refuses it\"")
        writer.string(",\"where\":\"command\",\"remedy\":", reason)
        writer.literal("}}")
        var reply = Publication(topic: topic, payload: writer.withBytes { Array($0) })
        reply.correlation = correlation
        return reply
    }

    private mutating func isWithinAllowance(_ nowNanoseconds: Int64) -> Bool {
        if let lastNanoseconds {
            let seconds = Double(max(0, nowNanoseconds - lastNanoseconds)) * 1e-9
            allowance = min(Self.burst, allowance + seconds * Self.perSecond)
        }
        lastNanoseconds = nowNanoseconds
        guard allowance >= 1 else { return false }
        allowance -= 1
        return true
    }
}
