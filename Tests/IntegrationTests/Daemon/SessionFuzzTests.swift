import CSystem
import Foundation
import Frames
import Glibc
import PosedClient
import SeededNumbers
import Testing

/// Whole sessions at the sockets of a running daemon, made of valid ones by random changes with a fixed seed.
@Suite(.serialized) struct SessionFuzzTests {
    /// Sessions of each socket: some seconds, or minutes in `make nightly`.
    private static let sessions = ProcessInfo.processInfo.environment["POSED_NIGHTLY"] == "1" ? 100_000 : 1000

    /// Lines of valid sessions at the stream. None writes a file.
    private static let lines = [
        #"{"cmd":"ping"}"#, #"{"cmd":"version","id":7}"#, #"{"cmd":"status"}"#, #"{"cmd":"samples","after":0}"#,
        #"{"cmd":"subscribe","rate_hz":10,"topics":["pose","speed"],"every":true,"smooth":true,"lead_ms":50}"#,
        #"{"cmd":"subscribe","rate_hz":0}"#, #"{"cmd":"unsubscribe"}"#, #"{"cmd":"trim","by_deg":1}"#,
        #"{"cmd":"wheel","speed_m_s":12.5}"#, #"{"cmd":"wheel","samples":[[1,2.5],[2,2.5]]}"#,
        #"{"cmd":"route_load","path":"/nowhere/route.json"}"#, #"{"cmd":"route_get"}"#, #"{"cmd":"route_clear"}"#,
        #"{"cmd":"route_load","route":{"type":"LineString","coordinates":[[1.5,42.5],[1.501,42.5]]}}"#,
        #"{"cmd":"route_to","places":[[42.5,1.5],[42.6,1.6]]}"#, #"{"cmd":"target","lat_deg":42.5,"lon_deg":1.5}"#,
        #"{"cmd":"points","categories":["cafe"]}"#, #"{"cmd":"point","point_id":"node/7"}"#,
        #"{"cmd":"reset"}"#, #"{"cmd":"record","action":"status"}"#,
    ].map { Array($0.utf8) + [0x0A] }

    /// Packets of valid sessions at the socket of frames.
    private static var packets: [[UInt8]] {
        var every = Message.Subscription(topics: .all, rateMillihertz: 0)
        every.wantsEvery = true
        var shared = Message.Subscription(topics: [], rateMillihertz: 10_000)
        shared.wantsSharedMemory = true
        return [every, shared, Message.Subscription(topics: .all, rateMillihertz: 50_000)].map {
            Message.subscribe($0).packet(sequence: 0)
        }
    }

    /// Some parts of valid sessions with some bytes changed, repeated, moved, left out or put in.
    private static func session(of parts: [[UInt8]], _ dice: inout SplitMix64) -> [[UInt8]] {
        (0..<Int.random(in: 1...5, using: &dice)).compactMap { _ in
            guard var bytes = parts.randomElement(using: &dice) else { return nil }
            for _ in 0..<Int.random(in: 0...3, using: &dice) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                let end = min(bytes.count, place + Int.random(in: 1...24, using: &dice))
                switch Int.random(in: 0...6, using: &dice) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &dice)
                case 1: bytes[place] = [0, 0x0A, 0x22, 0x5C, 0x7B, 0x7D, 0xC3, 0xFF].randomElement(using: &dice) ?? 0
                case 2: bytes.removeSubrange(place..<end)
                case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
                case 4: bytes.insert(contentsOf: Array("-1e999999".utf8), at: place)
                case 5: bytes = Array(bytes[..<place])
                default: bytes.insert(contentsOf: (parts.randomElement(using: &dice) ?? []).prefix(40), at: place)
                }
            }
            return bytes
        }
    }

    /// Runs the sessions of a socket, in each of which the other side may stop at any place.
    private func run(_ path: String, _ type: __socket_type, _ parts: [[UInt8]], seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var answer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<Self.sessions {
            let parts = Self.session(of: parts, &dice)
            guard let line = LineConnection(path, type: Int32(type.rawValue)) else { continue }
            for part in parts {
                let cut = Int.random(in: 0...part.count, using: &dice)
                let pieces = type == SOCK_STREAM ? [part[..<cut], part[cut...]] : [part[...]]
                for piece in pieces {
                    _ = Array(piece).withUnsafeBytes { posed_send(line.descriptor, $0.baseAddress, $0.count) }
                }
                if Bool.random(using: &dice) { _ = recv(line.descriptor, &answer, answer.count, Int32(MSG_DONTWAIT)) }
            }
            if Int.random(in: 0...3, using: &dice) == 0 { shutdown(line.descriptor, Int32(SHUT_WR)) }
        }
    }

    @Test func noSessionHarmsTheDaemonOrTheOthers() throws {
        // GIVEN a daemon with a client that gets every frame
        let daemon = try DaemonProcess()
        let logger = ReadingClient(daemon.loggingClient([.pose]))
        #expect(DaemonProcess.poll(seconds: 60) { logger.frameCount > 0 })
        let before = daemon.descriptorCount
        // WHEN thousands of damaged sessions come to both sockets
        run(daemon.streamPath, SOCK_STREAM, Self.lines, seed: 11)
        run(daemon.framesPath, SOCK_SEQPACKET, Self.packets, seed: 12)
        // THEN it serves the client and new ones as before, the client has lost nothing, nothing stays open, and the
        // daemon ends as asked. The shared memory that sessions have asked for is kept.
        #expect(DaemonProcess.poll(seconds: 60) { daemon.descriptorCount <= before + 1 }, "\(daemon.descriptorCount)")
        let count = logger.frameCount
        #expect(DaemonProcess.poll(seconds: 60) { logger.frameCount > count })
        #expect(logger.stop() == 0 && logger.connectionCount == 1)
        let line = try #require(LineConnection(daemon.streamPath))
        #expect(line.receive()?.contains("hello") == true)
        #expect(line.ask(#"{"cmd":"ping"}"#)["ok"] as? Bool == true)
        #expect(daemon.process.isRunning && daemon.stop().exitCode == 0, "\(daemon.log.suffix(2000))")
    }
}
