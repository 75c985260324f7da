import Bridge
import Frames
import Logging
import MQTT
import PosedClient

@testable import Commands
@testable import WebServer

/// Readers of what peers send.
enum TalkReaders {
    /// Reads the bytes.
    static func read(_ target: FuzzTarget, _ bytes: [UInt8]) {
        switch target {
        case .command: command(bytes)
        case .line: _ = try? LineDecoder.decode(bytes)
        case .frames: packet(bytes)
        case .mqtt: delivery(bytes)
        default: page(bytes)
        }
    }

    private static func command(_ bytes: [UInt8]) {
        do throws(CommandRequest.Refusal) {
            _ = try CommandRequest(line: bytes)
        } catch {
            if error.problem.what.isEmpty || error.problem.remedy.isEmpty { broken("a refusal without words") }
        }
    }

    private static func packet(_ bytes: [UInt8]) {
        guard let received = try? bytes.withUnsafeBytes({ try ReceivedMessage(packet: $0) }) else { return }
        if case .unknown = received.message { return }
        // What is understood can be sent on, and is understood again.
        let again = received.message.packet(sequence: received.sequence)
        if (try? again.withUnsafeBytes({ try ReceivedMessage(packet: $0) })) == nil { broken("no message: \(again)") }
    }

    /// The parts of a delivery: payload, topic, topic of the reply, correlation, flags.
    private static func delivery(_ bytes: [UInt8]) {
        var gate = CommandGate(topics: BoardTopics(prefix: "posed", id: "b1"), allowed: [.routeTo, .target, .reset])
        let parts = InputSplitter.parts(bytes)
        func part(_ index: Int) -> ArraySlice<UInt8> { index < parts.count ? parts[index] : [] }
        var delivery = Delivery(topic: "posed/b1/command", payload: Array(part(0)), correlation: Array(part(3)))
        if !part(1).isEmpty { delivery.topic = String(decoding: part(1), as: UTF8.self) }
        if !part(2).isEmpty { delivery.responseTopic = String(decoding: part(2), as: UTF8.self) }
        delivery.isRetained = part(4).first == UInt8(ascii: "r")
        for second in 0..<3 {
            switch gate.judge(delivery, nowNanoseconds: Int64(second) * 1_000_000_000) {
            case .accepted(let accepted):
                if accepted.line.utf8.contains(0x0A) { broken("a command of several lines") }
            case .refused(_, let reply):
                if let reply, !reply.topic.hasPrefix("posed/b1/reply") { broken("a reply to \(reply.topic)") }
            }
        }
    }

    private static let requests: PageRequests = {
        let log = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        let link = DaemonLink(socketPath: "/nowhere", hub: ViewerHub(limit: 1), log: log) {}
        return PageRequests(link: link, allowsControl: true)
    }()

    private static func page(_ bytes: [UInt8]) { _ = requests.perform(bytes, from: 7, Mailbox()) }
}
