import Synchronization

import struct Foundation.Data

/// The open pages, and what a new one must be told.
final class ViewerHub: Sendable {
    private struct State {
        var viewers: [UInt64: Mailbox] = [:]
        var nextNumber: UInt64 = 1
        var newest: [Mailbox.Kind: Data] = [:]
    }

    /// Most pages at the same time.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Number of open pages.
    var count: Int { state.withLock { $0.viewers.count } }

    /// Adds a page, which gets the newest message of each kind; `nil` if there are too many pages.
    func join() -> (number: UInt64, mailbox: Mailbox)? {
        state.withLock { state -> (number: UInt64, mailbox: Mailbox)? in
            guard state.viewers.count < limit else { return nil }
            let (number, mailbox) = (state.nextNumber, Mailbox())
            // Before another thread finds the page: its newer message must not be replaced by what was remembered.
            for (kind, data) in state.newest { mailbox.put(data, kind) }
            state.nextNumber &+= 1
            state.viewers[number] = mailbox
            return (number, mailbox)
        }
    }

    /// Removes a page.
    func leave(_ number: UInt64) {
        let mailbox = state.withLock { $0.viewers.removeValue(forKey: number) }
        mailbox?.close()
    }

    /// Sends a message of which only the newest counts to all pages, and to those that are opened later.
    func publish(_ data: Data, _ kind: Mailbox.Kind) {
        let viewers = state.withLock { state in
            state.newest[kind] = data
            return Array(state.viewers.values)
        }
        for viewer in viewers { viewer.put(data, kind) }
    }

    /// Sends an event to all pages.
    func announce(_ data: Data) {
        let viewers = state.withLock { Array($0.viewers.values) }
        for viewer in viewers { viewer.add(.text(data)) }
    }

    /// Sends a reply to one page.
    func reply(_ data: Data, to number: UInt64) { state.withLock { $0.viewers[number] }?.add(.text(data)) }

    /// Forgets what belongs to a connection to the daemon that has ended.
    func forgetDaemon() { forget(Mailbox.Kind.allCases.filter { $0 != .server }) }

    /// Forgets the newest messages of some kinds.
    func forget(_ kinds: [Mailbox.Kind]) {
        state.withLock { state in
            for kind in kinds { state.newest[kind] = nil }
        }
    }
}
