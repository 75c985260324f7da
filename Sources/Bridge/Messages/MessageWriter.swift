import Frames

/// Writes messages: the line of the daemon's stream, with one more member `bridge` that says who sent it and as which
/// message: `{"id":ID,"boot":BOOT,"sequence":N}`.
package struct MessageWriter: ~Copyable {
    private let identity: BoardIdentity
    private var sequence: MessageSequence
    private var encoder = JSONFrameEncoder()
    private var writer = JSONWriter(capacity: 8192)

    /// Creates a writer for a board.
    package init(identity: BoardIdentity, sequence: MessageSequence) {
        self.identity = identity
        self.sequence = sequence
    }

    /// A frame with these parts.
    package mutating func frame(_ frame: borrowing Frame, topics: Topics, dropped: UInt64) -> [UInt8] {
        encoder.encodeParts(frame)
        var line: [UInt8] = encoder.withLine(topics: topics, dropped: dropped) { Array($0) }
        finish(&line)
        return line
    }

    /// A message other than a frame.
    package mutating func message(_ message: Message) -> [UInt8] {
        writer.clear()
        writer.message(message)
        var line: [UInt8] = writer.withBytes { Array($0) }
        finish(&line)
        return line
    }

    /// Replaces the end of an object by the member of the bridge.
    private mutating func finish(_ line: inout [UInt8]) {
        while let last = line.last, last == 0x0A || last == UInt8(ascii: "}") {
            line.removeLast()
            if last != 0x0A { break }
        }
        writer.clear()
        writer.string(",\"bridge\":{\"id\":", identity.id)
        writer.string(",\"boot\":", identity.boot)
        writer.integer(",\"sequence\":", sequence.next())
        writer.literal("}}")
        writer.withBytes { line.append(contentsOf: $0) }
    }

    /// Birth or last will: whether this board is connected. `firstSequence`: the number with which this program began.
    package static func link(_ identity: BoardIdentity, isOnline: Bool, firstSequence: UInt64, release: String)
        -> [UInt8]
    {
        var writer = JSONWriter(capacity: 256)
        writer.boolean("{\"type\":\"link\",\"online\":", isOnline)
        writer.string(",\"id\":", identity.id)
        writer.string(",\"boot\":", identity.boot)
        writer.integer(",\"first_sequence\":", firstSequence)
        writer.string(",\"release\":", release)
        writer.literal("}")
        return writer.withBytes { Array($0) }
    }
}
