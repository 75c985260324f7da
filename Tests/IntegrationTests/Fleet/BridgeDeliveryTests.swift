import Foundation
import Glibc
import SchemaCheck
import Testing

/// The bridge with a real daemon on a simulated drive and a real broker that is killed, silent or full.
@Suite(.serialized, .enabled(if: Broker.isInstalled, "mosquitto, mosquitto-clients or python3 is not installed"))
struct BridgeDeliveryTests {
    private static func plain(_ broker: Broker) -> [String] {
        ["bridge.port=\(broker.port)", "bridge.tls=false", "bridge.rate_hz=10"]
    }

    @Test func messagesAreThoseOfTheStream() throws {
        // GIVEN daemon, broker, consumer and bridge
        let (daemon, broker) = (try DaemonProcess(), try Broker())
        let consumer = try Consumer(broker)
        let bridge = try BridgeProcess(
            daemon, Self.plain(broker) + ["bridge.status_s=1", "bridge.home_assistant=ha", "bridge.owntracks=true"])
        // THEN poses, guidance, the next maneuver and status arrive, and the birth message
        for (channel, count) in [("pose", 20), ("guidance", 20), ("maneuver", 1), ("status", 2)] {
            #expect(consumer.wait(channel, count: count), "\(channel): \(bridge.log)")
        }
        #expect(consumer.isOnline == true)
        // WHEN the route ends THEN that event arrives
        _ = LineConnection(daemon.streamPath)?.ask(#"{"cmd":"route_clear"}"#)
        #expect(consumer.wait("events", count: 1), "\(bridge.log)")
        // THEN each is a line of the stream with one more member
        let schema = try SchemaCheck.frames()
        for (channel, content) in consumer.messages where channel != "link" {
            var line = content
            line["bridge"] = nil
            let text = String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
            #expect(try schema.problems(line: text) == [], "\(channel)")
        }
        // WHEN the bridge is stopped THEN the board says goodbye, and no message is missing or came twice
        #expect(bridge.end() == 0)
        #expect(DaemonProcess.poll(seconds: 60) { consumer.isOnline == false })
        let counts = consumer.end()
        #expect((counts["missing"] ?? 0) == 0 && (counts["impostors"] ?? 0) == 0, "\(counts)")
        // THEN the retained messages of others are at the broker
        let kept = try ExternalProgram.run(
            "mosquitto_sub",
            [
                "-p", "\(broker.port)", "-V", "5", "-t", "ha/#", "-t", "owntracks/#", "-C", "5", "-W", "60", "-F",
                "%t",
            ])
        let topics = Set(kept.output.split(separator: "\n").map(String.init))
        #expect(topics.contains("ha/device_tracker/b1/posed_place/config") && topics.contains("owntracks/posed/b1"))
    }

    @Test func aKilledBrokerCostsNothing() throws {
        // GIVEN a connected bridge, and a broker that keeps its sessions on the disk
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess()
        let broker = try Broker(
            [
                "allow_anonymous true", "persistence true", "persistence_location \(folder.path)/",
                "autosave_interval 1",
            ])
        let bridge = try BridgeProcess(daemon, Self.plain(broker))
        let first = try Consumer(broker)
        #expect(first.wait("pose", count: 10), "\(bridge.log)")
        let before = first.sequences
        // WHEN the broker is killed for some seconds, and the bridge too, in between
        broker.kill()
        _ = first.end()
        #expect(DaemonProcess.poll(seconds: 60) { bridge.log.contains("messages wait on the disk") })
        let size = { bridge.waitingBytes }
        #expect(DaemonProcess.poll(seconds: 60) { size() > 40_000 })
        bridge.end(SIGKILL)
        try bridge.restart()
        let killed = size()
        #expect(DaemonProcess.poll(seconds: 60) { size() > killed + 20_000 })
        try broker.restart()
        let second = try Consumer(broker, name: "second")
        // THEN everything that was stored arrives, in its order, and the store is empty again
        #expect(DaemonProcess.poll(seconds: 120) { second.sequences.count > 60 && size() < 10_000 }, "\(bridge.log)")
        let numbers = second.sequences
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        let last = try #require(before.last)
        #expect(numbers.contains { $0 > last })
    }

    @Test func aBrokerThatDoesNotAnswerIsLeftAndNothingIsLost() throws {
        // GIVEN a connected bridge WHEN the broker is stopped until the sign of life is missing, and goes on
        let (daemon, broker) = (try DaemonProcess(), try Broker())
        let consumer = try Consumer(broker)
        let bridge = try BridgeProcess(daemon, Self.plain(broker))
        #expect(consumer.wait("pose", count: 10), "\(bridge.log)")
        broker.pause(true)
        #expect(
            DaemonProcess.poll(seconds: 60) { bridge.log.contains("messages wait on the disk") }, "\(bridge.log)")
        let count = consumer.sequences.count
        broker.pause(false)
        // THEN the bridge connects again, and the consumer gets every message once
        #expect(DaemonProcess.poll(seconds: 120) { consumer.sequences.count > count + 100 }, "\(bridge.log)")
        let numbers = consumer.sequences
        #expect(numbers == numbers.sorted())
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(consumer.end()["missing"] ?? 0 == 0)
    }

    @Test func aFullBrokerIsToldAndGetsTheMessagesLater() throws {
        // GIVEN a broker with room for one client, which another one has
        let daemon = try DaemonProcess()
        let broker = try Broker(["allow_anonymous true", "max_connections 1"])
        let consumer = try Consumer(broker)
        let bridge = try BridgeProcess(daemon, Self.plain(broker))
        // THEN the bridge says that it cannot connect, and messages wait
        #expect(
            DaemonProcess.poll(seconds: 60) { bridge.log.contains("messages wait on the disk") }, "\(bridge.log)")
        // WHEN there is room THEN it connects
        _ = consumer.end()
        #expect(DaemonProcess.poll(seconds: 60) { bridge.log.contains("connected with") }, "\(bridge.log)")
    }
}
