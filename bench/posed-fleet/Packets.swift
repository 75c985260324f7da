/// The packets of MQTT 5 that a board and the office need: they are written and read here because libmosquitto's own
/// loop waits with select, for at most 1,024 connections.
enum Packets {
    /// Connects without a session.
    static func connect(_ id: String) -> [UInt8] {
        packet(0x10, text("MQTT") + [5, 0x02, 0, 60, 0] + text(id))
    }

    /// Publishes at least once.
    static func publish(_ topic: String, number: UInt16, payload: [UInt8]) -> [UInt8] {
        packet(0x32, text(topic) + [UInt8(number >> 8), UInt8(number & 255), 0] + payload)
    }

    /// Subscribes to a filter, at least once.
    static func subscribe(_ filter: String) -> [UInt8] { packet(0x82, [0, 1, 0] + text(filter) + [1]) }

    /// Acknowledges a message.
    static func acknowledge(_ number: UInt16) -> [UInt8] { [0x40, 2, UInt8(number >> 8), UInt8(number & 255)] }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func packet(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        var head = [kind]
        var rest = content.count
        repeat {
            let byte = UInt8(rest & 127)
            rest >>= 7
            head.append(rest > 0 ? byte | 128 : byte)
        } while rest > 0
        return head + content
    }

    /// The first whole packet in a buffer: its kind, and where its content starts and ends; `nil` if it is not whole.
    static func first(in bytes: UnsafeRawBufferPointer) -> (kind: UInt8, content: Range<Int>)? {
        guard bytes.count >= 2 else { return nil }
        var (length, shift, at) = (0, 0, 1)
        while at < min(bytes.count, 5) {
            let byte = bytes[at]
            length |= Int(byte & 127) << shift
            (shift, at) = (shift + 7, at + 1)
            if byte & 128 == 0 { return bytes.count >= at + length ? (bytes[0] & 0xF0, at..<(at + length)) : nil }
        }
        return nil
    }
}
