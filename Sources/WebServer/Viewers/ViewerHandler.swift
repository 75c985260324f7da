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
        guard let (number, mailbox) = hub.join() else { return refusal(client) }
        return Self.stream(
            mailbox,
            Reader(
                hub: hub, number: number,
                task: Task {
                    await read(client, number, mailbox)
                    mailbox.endReading()
                }))
    }

    /// Takes a message when the socket has room for it.
    private static func stream(_ mailbox: Mailbox, _ reader: Reader) -> AsyncStream<WSFrame> {
        AsyncStream {
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

        /// Waits until the page has closed the connection too, at most a second: what it has sent and nobody has read
        /// would take the last message away from it.
        func end() async {
            hub.leave(number)
            let limit = Task { [task] in
                try? await Task.sleep(for: .seconds(1))
                task.cancel()
            }
            await task.value
            limit.cancel()
        }
    }

    private func read(_ client: AsyncThrowingStream<WSFrame, any Error>, _ number: UInt64, _ mailbox: Mailbox) async {
        var mistakes = 0
        do {
            for try await frame in client {
                switch frame.opcode {
                case _ where mistakes >= Self.mostMistakes:
                    if frame.opcode == .close { return }
                    mistakes += 1
                case .ping where frame.payload.count <= 125: mailbox.add(.pong(frame.payload))
                case .pong: continue
                case .close: return mailbox.finish(code: 1000, reason: "")
                case .text where frame.fin && frame.payload.count <= Self.longestMessage:
                    let isValid = perform(Array(frame.payload), number, mailbox)
                    mistakes = isValid ? 0 : mistakes + 1
                default: mistakes = Self.mostMistakes
                }
                // The rest is read and dropped until the page has closed the connection.
                if mistakes == Self.mostMistakes { refuseNoise(mailbox) }
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

    /// Tells a page that there are too many.
    private func refusal(_ client: AsyncThrowingStream<WSFrame, any Error>) -> AsyncStream<WSFrame> {
        log.notice("viewers", "refused a page: \(hub.limit) pages are open; close some, or raise --viewers")
        let mailbox = Mailbox()
        mailbox.finish(code: 1013, reason: "\(hub.limit) pages are open: close one, or raise --viewers")
        return Self.stream(mailbox, Reader(hub: hub, number: 0, task: Task { await Self.drop(client) }))
    }

    /// Reads and drops what a page sends until it closes the connection.
    private static func drop(_ client: AsyncThrowingStream<WSFrame, any Error>) async {
        do {
            for try await frame in client where frame.opcode == .close { return }
        } catch {
            return
        }
    }

    /// A reason has at most 123 bytes.
    private static func shortened(_ reason: String) -> String {
        reason.utf8.count <= 123 ? reason : String(reason.prefix(30))
    }
}
