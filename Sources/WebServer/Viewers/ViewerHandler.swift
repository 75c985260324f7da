import FlyingFox

import struct Foundation.Data

/// Serves one page over its WebSocket: sends what its mailbox has, and reads its requests.
///
/// FlyingFox's own handler of messages queues what is to be sent without a limit, so that a page that does not read
/// would fill the memory. This one takes a message when the socket has room for it.
struct ViewerHandler: WSHandler {
    /// Longest message of a page, bytes.
    static let longestMessage = 4096
    /// Invalid messages in succession after which a page is disconnected.
    static let mostMistakes = 16

    let hub: ViewerHub
    /// Answers a message of a page, or passes it on; `false` if it is no request.
    let perform: @Sendable (_ message: [UInt8], _ viewer: UInt64, _ mailbox: Mailbox) -> Bool
    let log: RareLog

    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        guard let (number, mailbox) = hub.join() else { return Self.refusal(limit: hub.limit, log) }
        let reader = Reader(
            hub: hub, number: number,
            task: Task {
                await read(client, number, mailbox)
                mailbox.endReading()
            })
        return AsyncStream {
            guard let item = await mailbox.next() else {
                // Nobody may wait for the socket when it is closed: its number is given to the next connection.
                await reader.end()
                return nil
            }
            switch item {
            case .text(let data): return WSFrame(fin: true, opcode: .text, mask: nil, payload: data)
            case .pong(let data): return WSFrame(fin: true, opcode: .pong, mask: nil, payload: data)
            case .close(let code, let reason):
                return .close(code: WSCloseCode(code, reason: Self.shortened(reason)))
            }
        }
    }

    /// Ends the reading task with the stream of the page's messages.
    private final class Reader: Sendable {
        let hub: ViewerHub
        let number: UInt64
        let task: Task<Void, Never>

        init(hub: ViewerHub, number: UInt64, task: Task<Void, Never>) {
            (self.hub, self.number, self.task) = (hub, number, task)
        }

        deinit {
            task.cancel()
            hub.leave(number)
        }

        func end() async {
            task.cancel()
            hub.leave(number)
            await task.value
        }
    }

    private func read(_ client: AsyncThrowingStream<WSFrame, any Error>, _ number: UInt64, _ mailbox: Mailbox) async {
        var mistakes = 0
        do {
            for try await frame in client {
                switch frame.opcode {
                case .ping where frame.payload.count <= 125: mailbox.add(.pong(frame.payload))
                case .pong: continue
                case .close: return mailbox.finish(code: 1000, reason: "")
                case .text where frame.fin && frame.payload.count <= Self.longestMessage:
                    let isValid = perform(Array(frame.payload), number, mailbox)
                    mistakes = isValid ? 0 : mistakes + 1
                default: mistakes = Self.mostMistakes
                }
                guard mistakes < Self.mostMistakes else { return refuseNoise(mailbox) }
            }
        } catch is CancellationError {
        } catch {
            refuseNoise(mailbox)
        }
    }

    private func refuseNoise(_ mailbox: Mailbox) {
        let reason = "this page sends what is no request; reload it"
        log.notice("noise", "disconnected a page: it sent what is no request; docs/web.md tells what a page may send")
        mailbox.finish(code: 1008, reason: reason)
    }

    private static func refusal(limit: Int, _ log: RareLog) -> AsyncStream<WSFrame> {
        log.notice("viewers", "refused a page: \(limit) pages are open; close some, or raise --viewers")
        let remedy = "\(limit) pages are open: close one, or raise --viewers"
        return AsyncStream { continuation in
            continuation.yield(.close(code: WSCloseCode(1013, reason: remedy)))
            continuation.finish()
        }
    }

    /// A reason has at most 123 bytes.
    private static func shortened(_ reason: String) -> String {
        reason.utf8.count <= 123 ? reason : String(reason.prefix(30))
    }
}
