import MQTT
import MessageStore

/// The messages that are on their way to the broker, in their order.
struct Courier {
    /// Messages that are on their way at most: half of a broker's usual limits of 64 kB per write, and enough for a
    /// backlog on a slow line.
    static let window = 64

    /// A message on its way.
    private struct Sent {
        var number: Int32
        var place: StorePlace
        var topic: String
        var sinceNanoseconds: Int64
        var isDone = false
    }

    private var sent: [Sent] = []
    /// When the broker last acknowledged the oldest of them.
    private var answeredNanoseconds = Int64.min

    /// Whether another message may be sent.
    var hasRoom: Bool { sent.count < Self.window }
    /// How long the broker lets the oldest message wait, nanoseconds, since it was sent or since the one before it was
    /// acknowledged: on a slow line the last of a full window may wait for a minute. 0 if none waits.
    func silence(nowNanoseconds: Int64) -> Int64 {
        sent.first.map { nowNanoseconds - max($0.sinceNanoseconds, answeredNanoseconds) } ?? 0
    }

    /// Notes a message that was sent.
    mutating func add(number: Int32, place: StorePlace, topic: String, nowNanoseconds: Int64) {
        sent.append(Sent(number: number, place: place, topic: topic, sinceNanoseconds: nowNanoseconds))
    }

    /// Notes an acknowledgement. Returns the places that are delivered now: those before which none is missing.
    mutating func acknowledge(_ number: Int32, nowNanoseconds: Int64) -> [StorePlace] {
        guard let index = sent.firstIndex(where: { $0.number == number }) else { return [] }
        sent[index].isDone = true
        let done = sent.prefix { $0.isDone }
        if !done.isEmpty { answeredNanoseconds = nowNanoseconds }
        sent.removeFirst(done.count)
        return done.map(\.place)
    }

    /// Forgets what is on its way: the connection was lost.
    mutating func removeAll() { sent.removeAll() }

    /// The topic of a message that is on its way; `nil` for another number.
    func topic(of number: Int32) -> String? { sent.first { $0.number == number }?.topic }
}
