import Synchronization

import struct Foundation.Data

/// What is to be sent to one page. A page that reads slowly gets the newest frame and scene when it reads again, and
/// holds at most ``queueLimit`` events and replies.
final class Mailbox: Sendable {
    /// Messages of which only the newest counts, in the order in which they are sent.
    enum Kind: Int, CaseIterable, Sendable {
        case server, hello, frame, maneuver, status, report, route, points, scene
    }

    /// What is sent next.
    enum Item: Sendable, Equatable {
        /// A line of text.
        case text(Data)
        /// The answer to a ping.
        case pong(Data)
        /// The last message: a code of RFC 6455 and the reason.
        case close(code: UInt16, reason: String)
    }

    private struct State {
        var newest: [Kind: Data] = [:]
        var queue: [Item] = []
        var ending: Item?
        var isClosed = false
        var waiter: CheckedContinuation<Item?, Never>?
    }

    /// Most events and replies that are kept for a page; then the oldest is dropped.
    static let queueLimit = 256
    private let state = Mutex(State())

    /// Replaces the message of a kind.
    func put(_ data: Data, _ kind: Kind) { change { $0.newest[kind] = data } }

    /// Adds an event or a reply.
    func add(_ item: Item) {
        change { state in
            if state.queue.count >= Self.queueLimit { state.queue.removeFirst() }
            state.queue.append(item)
        }
    }

    /// Sends a last message after what is queued.
    func finish(code: UInt16, reason: String) {
        change { $0.ending = $0.ending ?? .close(code: code, reason: reason) }
    }

    /// The page sends nothing any more: it has left, unless a last message is on its way.
    func endReading() { change { $0.isClosed = $0.ending == nil } }

    /// Drops everything: the page has left.
    func close() {
        change { state in
            state.isClosed = true
            state.newest = [:]
            state.queue = []
        }
    }

    /// The next message, as soon as there is one; `nil` at the end.
    func next() async -> Item? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (item, isReady) = state.withLock { state -> (Item?, Bool) in
                    let (item, isReady) = Self.take(&state)
                    if !isReady { state.waiter = continuation }
                    return (item, isReady)
                }
                if isReady { continuation.resume(returning: item) }
            }
        } onCancel: {
            close()
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state -> (CheckedContinuation<Item?, Never>, Item?)? in
            guard !state.isClosed else { return nil }
            body(&state)
            guard let waiter = state.waiter else { return nil }
            let (item, isReady) = Self.take(&state)
            guard isReady else { return nil }
            state.waiter = nil
            return (waiter, item)
        }
        if let (waiter, item) = ready { waiter.resume(returning: item) }
    }

    private static func take(_ state: inout State) -> (item: Item?, isReady: Bool) {
        if state.isClosed { return (nil, true) }
        if !state.queue.isEmpty { return (state.queue.removeFirst(), true) }
        for kind in Kind.allCases {
            if let data = state.newest.removeValue(forKey: kind) { return (.text(data), true) }
        }
        guard let ending = state.ending else { return (nil, false) }
        state.isClosed = true
        return (ending, true)
    }
}
