import FlyingFox
import Logging
import Synchronization
import Testing

import struct Foundation.Data

@testable import WebServer

/// What a page may send, and what it gets when it sends something else.
@Suite struct ViewerHandlerTests {
    private func frame(_ text: String, _ opcode: WSFrame.Opcode = .text, fin: Bool = true) -> WSFrame {
        WSFrame(fin: fin, opcode: opcode, mask: nil, payload: Data(text.utf8))
    }

    /// What a page gets that sends these frames; a text that begins with `x` is no request.
    private func answers(
        to frames: [WSFrame], hub: ViewerHub = ViewerHub(limit: 1),
        perform: @escaping @Sendable ([UInt8], Mailbox) -> Bool = { message, _ in message.first != 0x78 }
    ) async throws -> [WSFrame] {
        let log = RareLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let handler = ViewerHandler(hub: hub, perform: { message, _, mailbox in perform(message, mailbox) }, log: log)
        let (stream, continuation) = AsyncThrowingStream<WSFrame, any Error>.makeStream()
        for frame in frames { continuation.yield(frame) }
        continuation.finish()
        var answers: [WSFrame] = []
        for await answer in try await handler.makeFrames(for: stream) { answers.append(answer) }
        return answers
    }

    /// The code of the last message, and whether a pong came before it.
    private func outcome(_ frames: [WSFrame]) async throws -> (code: Int, isAnswered: Bool) {
        let answers = try await answers(to: frames)
        let close = answers.last { $0.opcode == .close }?.payload ?? Data()
        let code = close.count >= 2 ? Int(close[close.startIndex]) << 8 | Int(close[close.startIndex + 1]) : 0
        return (code, answers.contains { $0.opcode == .pong && $0.fin && $0.payload == Data("a".utf8) })
    }

    @Test(arguments: [
        (15, true, 1000), (16, false, 1008), (17, false, 1008), (100, false, 1008), (0, true, 1000),
    ]) func sixteenMistakesInSuccessionEndAPage(mistakes: Int, isAnswered: Bool, code: Int) async throws {
        // GIVEN a page that sends so many texts that are no request WHEN it pings and leaves THEN it gets its pong, or
        // was disconnected before
        let frames = [WSFrame](repeating: frame("x"), count: mistakes) + [frame("a", .ping), frame("", .close)]
        let found = try await outcome(frames)
        #expect(found.code == code && found.isAnswered == isAnswered)
        // WHEN a request is among them THEN they are counted from there
        let between = [WSFrame](repeating: frame("x"), count: 15) + [frame("good"), frame("", .pong)]
        let second = try await outcome(between + frames)
        #expect(second.code == code && second.isAnswered == isAnswered)
    }

    @Test(arguments: [
        (4096, WSFrame.Opcode.text, true, 1000), (4097, .text, true, 1008), (5, .text, false, 1008),
        (5, .binary, true, 1008), (5, .continuation, true, 1008), (125, .ping, true, 1000), (126, .ping, true, 1008),
        (126, .pong, true, 1000),
    ]) func aFrameHasItsLength(count: Int, opcode: WSFrame.Opcode, fin: Bool, code: Int) async throws {
        // GIVEN a frame of the greatest length, or one that is longer, in parts, or of another kind THEN the page
        // stays, or is disconnected at once
        let text = String(repeating: "a", count: count)
        let found = try await outcome([frame(text, opcode, fin: fin), frame("a", .ping), frame("", .close)])
        #expect(found.code == code && found.isAnswered == (code == 1000))
    }

    @Test func onePageTooManyIsToldSo() async throws {
        // GIVEN as many pages as may be open WHEN another one comes THEN it is told the limit, and gets nothing else
        let hub = ViewerHub(limit: 1)
        let first = try #require(hub.join())
        hub.publish(Data("frame".utf8), .frame)
        let refused = try await answers(to: [frame("a", .ping), frame("", .close)], hub: hub)
        #expect(refused.map(\.opcode) == [.close])
        let payload = refused.first?.payload ?? Data()
        #expect(payload.prefix(2) == Data([0x03, 0xF5]))
        #expect(
            String(decoding: payload.dropFirst(2), as: UTF8.self) == "1 pages are open: close one, or raise --viewers")
        // AND the first one is still there, and a page that has left makes room
        #expect(hub.count == 1 && first.number == 1)
        hub.leave(first.number)
        let frames = try await answers(to: [frame("", .close)], hub: hub)
        #expect(frames.map(\.opcode) == [.text, .close] && hub.count == 0)
        #expect(frames.allSatisfy { $0.fin && $0.mask == nil } && frames.first?.payload == Data("frame".utf8))
    }

    @Test(arguments: [("a", 0), ("a", 122), ("a", 123), ("a", 124), ("ü", 61), ("ü", 62), ("\u{1F600}", 31)])
    func aReasonIsWholeAsLongAsALastMessageHoldsIt(character: String, count: Int) async throws {
        // GIVEN a last message whose reason has so many characters WHEN a page gets it THEN the reason is whole, or,
        // with more than the 123 bytes for which RFC 6455 has room, its beginning
        let reason = String(repeating: character, count: count)
        let answers = try await answers(to: [frame("good"), frame("", .close)]) { _, mailbox in
            mailbox.finish(code: 1001, reason: reason)
            return true
        }
        #expect(answers.map(\.opcode) == [.close])
        let payload = answers.first?.payload ?? Data()
        #expect(payload.prefix(2) == Data([0x03, 0xE9]) && payload.count <= 125)
        let told = String(decoding: payload.dropFirst(2), as: UTF8.self)
        #expect(reason.utf8.count <= 123 ? told == reason : reason.hasPrefix(told) && told.count >= 20, "\(told)")
    }

    @Test(arguments: [true, false]) func whatADisconnectedPageSendsIsReadUntilItCloses(isFull: Bool) async throws {
        // GIVEN a page too many, or one that sends a hundred texts that are no request, which closes the connection
        // then; three more frames would follow
        let hub = ViewerHub(limit: isFull ? 0 : 1)
        let frames =
            Array(repeating: frame("x"), count: 100) + [frame("", .close)] + Array(repeating: frame("x"), count: 3)
        let read = Atomic(0)
        let performed = Atomic(0)
        let client = AsyncThrowingStream<WSFrame, any Error> {
            let number = read.add(1, ordering: .relaxed).oldValue
            return number < frames.count ? frames[number] : nil
        }
        let log = RareLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let handler = ViewerHandler(
            hub: hub,
            perform: { _, _, _ in
                performed.add(1, ordering: .relaxed)
                return false
            }, log: log)
        // WHEN it has got its last message THEN all that it sent was read, and nothing of it looked at beyond the
        // sixteen texts that a page may send in error
        var answers: [WSFrame] = []
        for await answer in try await handler.makeFrames(for: client) { answers.append(answer) }
        #expect(answers.map(\.opcode) == [.close])
        #expect(read.load(ordering: .relaxed) == 101 && performed.load(ordering: .relaxed) == (isFull ? 0 : 16))
    }
}
