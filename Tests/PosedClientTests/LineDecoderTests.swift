import Foundation
import Frames
import PosedClient
import SeededNumbers
import Testing

/// Lines of the stream socket. The golden packets and their values are those of Tests/FramesTests/Golden.
@Suite struct LineDecoderTests {
    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../FramesTests/Golden/version1")

    /// Names of the stored packets that the daemon sends on both sockets.
    private static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: golden.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.filter {
            !$0.hasSuffix("subscribe") && $0 != "shared"
        }.sorted()
    }()

    @Test func linesAndPacketsHaveTheSameValues() throws {
        // GIVEN the golden packets with their values as lines; WHEN each line and each packet is decoded; THEN both,
        // written again, are that line: nothing is lost or swapped.
        #expect(Self.names.count > 25)
        for name in Self.names {
            let line = try String(
                contentsOf: Self.golden.appendingPathComponent("\(name).json"), encoding: .utf8)
            guard case .message(let message) = try LineDecoder.decode(Array(line.utf8)) else {
                Issue.record("\(name) is no message")
                continue
            }
            #expect(Self.text(message) == line, "\(name)")
            let hexadecimal = try String(
                contentsOf: Self.golden.appendingPathComponent("\(name).hex"), encoding: .utf8)
            let digits = hexadecimal.compactMap(\.hexDigitValue)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            let received = try bytes.withUnsafeBytes { try ReceivedMessage(packet: $0) }
            #expect(Self.text(received.message) == line && received.sequence == 41, "\(name)")
        }
    }

    @Test func repliesAreRead() throws {
        // GIVEN replies; WHEN decoded THEN command, id and problem are told
        let good = try LineDecoder.decode(Array(#"{"type":"reply","cmd":"ping","id":"7","ok":true}"#.utf8))
        guard case .reply(let reply) = good else {
            Issue.record("no reply")
            return
        }
        #expect(reply.command == "ping" && reply.id == "7" && reply.problem == nil)
        let text = #"{"type":"reply","cmd":null,"ok":false,"error":{"what":"a","where":"b","remedy":"c"}}"#
        guard case .reply(let refusal) = try LineDecoder.decode(Array(text.utf8)) else {
            Issue.record("no reply")
            return
        }
        #expect(refusal.command == nil && refusal.line == text)
        #expect(refusal.problem?.what == "a" && refusal.problem?.place == "b" && refusal.problem?.remedy == "c")
    }

    @Test func laterReleasesAreUnderstood() throws {
        // GIVEN a type, an event, a state, a topic and members of a later release; WHEN decoded; THEN what is unknown
        // is skipped, and a state becomes the least trusted one
        #expect(try message(#"{"type":"weather","x":[1]}"#) == .unknown(type: 0))
        #expect(try message(#"{"type":"event","t_s":1,"event":"eclipse"}"#) == .unknown(type: 0))
        #expect(
            try message(#"{"type":"event","t_s":1.5,"event":"pose","state":"submerged","x":1}"#)
                == .event(.init(timeNanoseconds: 1_500_000_000, change: .poseState(.lost))))
        guard case .hello(let hello) = try message(#"{"type":"hello","topics":["pose","weather"],"protocol":1}"#) else {
            Issue.record("no hello")
            return
        }
        #expect(hello.topics == .pose)
    }

    @Test(arguments: ["", "{", "[]", "3", #"{"type":3}"#, #"{"typ":"frame"}"#, "{\"type\":\"frame\"}}"])
    func whatIsNoLineIsAnError(_ line: String) {
        #expect(throws: LineError.self) { try LineDecoder.decode(Array(line.utf8)) }
    }

    @Test func changedLinesAreReadOrRefused() throws {
        // GIVEN the golden lines with bytes changed, from a fixed seed; WHEN decoded and encoded as a packet; THEN
        // nothing traps, and some are understood
        var random = SplitMix64(seed: 11)
        var understood = 0
        let lines = try Self.names.map { try Data(contentsOf: Self.golden.appendingPathComponent("\($0).json")) }
        for _ in 0..<15 {
            for line in lines {
                var bytes = Array(line)
                for _ in 0..<3 {
                    bytes[Int(random.next() % UInt64(bytes.count))] =
                        Array("0179-e.\"{}[],:nt".utf8)[
                            Int(random.next() % 16)]
                }
                guard case .message(let message)? = try? LineDecoder.decode(bytes) else { continue }
                understood += 1
                #expect(message.packet(sequence: 1).count <= 65_536)
            }
        }
        #expect(understood > 40, "\(understood)")
    }

    private func message(_ line: String) throws -> Message? {
        if case .message(let message) = try LineDecoder.decode(Array(line.utf8)) { message } else { nil }
    }

    private static func text(_ message: Message) -> String {
        guard case .frame(let frame, let delivery) = message else {
            var writer = JSONWriter()
            writer.message(message)
            return writer.text
        }
        var encoder = JSONFrameEncoder()
        encoder.encodeParts(frame)
        return encoder.withLine(topics: delivery.topics, dropped: delivery.dropped) {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
