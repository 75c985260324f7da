/// The last changes along a route: what was reached, left or found again. A step of the guidance adds to it, and every
/// frame carries it, so that no change is lost with a frame.
package struct GuidanceLog: Sendable, Equatable {
    /// Changes since the start, modulo 2^32.
    package private(set) var count: UInt32 = 0
    private var last = InlineArray<8, Message.Change>(repeating: .departed(routeVersion: 0))

    /// Maximum number of changes that are kept; one step of the guidance has at most five.
    package static let capacity: UInt32 = 8

    /// An empty log.
    package init() {}

    /// Adds a change; the oldest one makes room.
    package mutating func add(_ change: Message.Change) {
        last[Int(count % Self.capacity)] = change
        count &+= 1
    }

    /// Calls `body` with every change after the first `seen`, in order, as far as they are kept.
    func forEach(after seen: UInt32, _ body: (Message.Change) -> Void) {
        let new = min(count &- seen, Self.capacity)
        for place in 0..<new { body(last[Int((count &- new &+ place) % Self.capacity)]) }
    }

    package static func == (one: GuidanceLog, other: GuidanceLog) -> Bool {
        one.count == other.count && one.last.indices.allSatisfy { one.last[$0] == other.last[$0] }
    }
}
