import CSystem
import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// Delivery of frames to clients that sleep, log, or only display, with the real daemon.
@Suite(.serialized) struct DeliveryTests {
    @Test func sleepersSeeFreshFramesAndAnExactCount() throws {
        // GIVEN five clients that sleep and one that reads all the time; WHEN the sleeping clients wake after 300
        // frames (3 s); THEN after what their sockets held, the next frame each reads is at most 50 ms (5 frames) older
        // than the newest that the reading client knew before, received and reported lost frames add up exactly, and
        // the reading client lost nothing while it read.
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.slow_client_s=300"])
        // Frames are kept for it, so that it loses none where a busy machine holds up this program.
        var reader = daemon.loggingClient()
        let sleepers = (0..<5).map { _ in Sleeper(daemon.frameClient()) }
        for sleeper in sleepers { #expect(sleeper.takeFrame() != nil) }
        let first = reader.latestFrame(timeoutSeconds: 60)?.frame.sequence ?? .max
        var newest: UInt64 = 0
        #expect(
            DaemonProcess.poll(seconds: 60) {
                newest = reader.latestFrame(timeoutSeconds: 1)?.frame.sequence ?? 0
                return first < .max && newest > first + 300
            })
        for sleeper in sleepers {
            // What the socket held was sent before it was full: a few frames of the beginning.
            var held = 0
            var taken = sleeper.takeFrame()
            while let frame = taken?.frame, frame.sequence < first + 100 {
                held += 1
                taken = sleeper.takeFrame()
            }
            let (frame, delivery) = try #require(taken)
            #expect(held < 100 && frame.sequence + 5 >= newest, "frame \(frame.sequence) after \(held), of \(newest)")
            #expect(delivery.dropped > 100 && delivery.dropped == sleeper.client.lost)
            // Hello, and since the subscription every frame (and maneuver, events and status) is either received or
            // lost.
            #expect(sleeper.taken + Int(sleeper.client.lost) == Int(sleeper.lastNumber))
        }
        #expect(reader.lost == 0)
    }

    @Test func aLoggerGetsEveryFrame() throws {
        // GIVEN a logger on each socket that does not read for 2 s; WHEN it reads again; THEN every frame is there, in
        // order, none lost, where a display would have lost more than half of them.
        let daemon = try DaemonProcess()
        var logger = daemon.loggingClient([.pose])
        let lines = try #require(LineConnection(daemon.streamPath))
        _ = lines.receive()
        #expect(lines.ask(#"{"cmd":"subscribe","rate_hz":0,"topics":["pose"],"every":true}"#)["every"] as? Bool == true)
        var clock = daemon.frameClient()
        _ = DaemonProcess.connected(&logger)
        let first = clock.latestFrame(timeoutSeconds: 60)?.frame.sequence ?? .max
        #expect(
            first < .max
                && DaemonProcess.poll(seconds: 60) {
                    (clock.latestFrame(timeoutSeconds: 1)?.frame.sequence ?? 0) > first + 200
                })
        var numbers: [UInt64] = []
        while numbers.count < 250, case .message(let received) = logger.next(timeoutSeconds: 60) {
            if case .frame(let frame, let delivery) = received.message {
                numbers.append(frame.sequence)
                #expect(delivery.dropped == 0)
            }
        }
        #expect(numbers.count == 250 && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(logger.lost == 0)
        let sequences = (0..<250).compactMap { _ in
            lines.receive().flatMap {
                (try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["seq"] as? Int
            }
        }
        #expect(sequences.count == 250 && zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test func theMemoryIsReadOnlyAndFresh() throws {
        // GIVEN a client that subscribed to the shared memory and no topics; WHEN it reads; THEN the newest frame is
        // always there, complete, not later than another client has it from the socket; nothing arrives on the socket;
        // and after the end of the daemon the memory is marked closed.
        let daemon = try DaemonProcess()
        var wish = Message.Subscription(topics: [], rateMillihertz: 0)
        wish.wantsSharedMemory = true
        var client = FrameClient(path: daemon.framesPath, subscription: wish)
        _ = DaemonProcess.connected(&client)
        guard case .message(let received) = client.next(timeoutSeconds: 60), case .shared = received.message,
            let memory = client.memory
        else {
            Issue.record("no memory")
            return
        }
        var numbers: Set<UInt64> = []
        #expect(
            DaemonProcess.poll(seconds: 60) {
                if let frame = memory.read() { numbers.insert(frame.sequence) }
                return numbers.count > 100
            })
        var other = daemon.frameClient([.pose])
        for _ in 0..<20 {
            let sent = other.latestFrame(timeoutSeconds: 60)?.frame
            let shared = try #require(memory.read())
            #expect(shared.sequence >= sent?.sequence ?? .max)
        }
        #expect(client.next(timeoutSeconds: 0) == .nothing)
        _ = daemon.stop()
        #expect(memory.isClosed && memory.read() != nil)
    }

    @Test func framesTellTheirMomentAndTheirMeasurement() throws {
        // GIVEN the demo drive; WHEN frames arrive; THEN each is valid after its measurement and not after its arrival
        // here, and times increase.
        let daemon = try DaemonProcess()
        var client = daemon.frameClient([.pose])
        var last = Int64.min
        var count = 0
        while count < 200, case let update = client.next(timeoutSeconds: 60) {
            guard case .message(let received) = update, case .frame(let frame, _) = received.message else {
                if update == .nothing { break }
                continue
            }
            count += 1
            let arrival = Int64(DispatchTime.now().uptimeNanoseconds)
            #expect(frame.measuredNanoseconds <= frame.timeNanoseconds && frame.timeNanoseconds <= arrival)
            #expect(frame.timeNanoseconds > last)
            last = frame.timeNanoseconds
        }
        #expect(count == 200)
    }

    @Test func aLaterClientIsUnderstood() throws {
        // GIVEN a client of a later release: an unknown message, a subscription with blocks of unknown ids, longer than
        // known, with unknown topics and flags; WHEN it subscribes to the speed; THEN it gets frames with the speed,
        // and no error.
        let daemon = try DaemonProcess()
        let line = try #require(LineConnection(daemon.framesPath, type: Int32(SOCK_SEQPACKET.rawValue)))
        var wish = Message.subscribe(.init(topics: [.speed], rateMillihertz: 0)).packet(sequence: 0)
        // The highest topic and the highest flag.
        wish[35] |= 0x80
        wish[43] |= 0x80
        for packet in [Message.unknown(type: 999).packet(sequence: 0), LaterPackets.grown(wish)] {
            #expect(packet.withUnsafeBytes { posed_send(line.descriptor, $0.baseAddress, $0.count) } == packet.count)
        }
        var frames = 0
        var packet = [UInt8](repeating: 0, count: 65_536)
        _ = DaemonProcess.poll(seconds: 60) {
            let count = recv(line.descriptor, &packet, packet.count, Int32(MSG_DONTWAIT))
            guard count > 0, let received = try? packet[..<count].withUnsafeBytes({ try ReceivedMessage(packet: $0) })
            else { return false }
            if case .bye(let bye) = received.message { Issue.record("\(bye)") }
            if case .frame(_, let delivery) = received.message, delivery.topics == [.speed] { frames += 1 }
            return frames >= 20
        }
        #expect(frames >= 20)
    }

    @Test func statusComesEverySecond() throws {
        let daemon = try DaemonProcess()
        let line = try #require(LineConnection(daemon.streamPath))
        _ = line.receive()
        _ = line.ask(#"{"cmd":"subscribe","topics":["status"]}"#)
        let lines = (0..<3).compactMap { _ in line.receive() }
        #expect(
            lines.count == 3
                && lines.allSatisfy { $0.hasPrefix("{\"type\":\"status\"") && $0.contains("\"clients\":1") }, "\(lines)"
        )
    }
}

/// A client that reads only on request, and counts the received messages.
private final class Sleeper {
    var client: FrameClient
    private(set) var taken = 1
    private(set) var lastNumber: UInt64 = 1

    init(_ client: consuming FrameClient) { self.client = client }

    /// The next frame that the socket holds or that arrives, with messages counted; `nil` after 60 s without one.
    func takeFrame() -> (frame: Frame, delivery: Message.Delivery)? {
        var clock = NapClock()
        while clock.seconds < 60 {
            guard case .message(let received) = client.next(timeoutSeconds: 0) else {
                clock.nap()
                continue
            }
            taken += 1
            lastNumber = received.sequence
            if case .frame(let frame, let delivery) = received.message { return (frame, delivery) }
        }
        return nil
    }
}
