import CSystem
import Glibc

/// A broker that the test plays: what a client sends is read packet by packet (MQTT 5, chapter 2), and answered as the
/// test says.
final class PlayedBroker {
    /// The client sent nothing for 20 s: it hangs.
    struct Silence: Error {}

    /// A packet of the client.
    struct Packet: Equatable {
        /// The kind: 1 CONNECT, 3 PUBLISH, 4 PUBACK, 8 SUBSCRIBE, 14 DISCONNECT; 0 for the end of the connection.
        var kind: UInt8
        /// The four bits behind the kind.
        var flags: UInt8 = 0
        /// What follows the length.
        var body: [UInt8] = []
    }

    /// A message that the client publishes.
    struct Published: Equatable {
        /// The topic.
        var topic: String
        /// The content.
        var text: String
        /// Whether the broker has to keep it.
        var isRetained = false
        /// What the sender of a request gets back.
        var correlation: [UInt8] = []
        /// The number by which it is acknowledged.
        var number: UInt16 = 0
    }

    /// The port of 127.0.0.1.
    let port: Int
    private let listener: Int32
    private let address: sockaddr_in
    private var client: Int32 = -1
    private var received: [UInt8] = []
    /// Clients that are never accepted.
    private var waiting: [Int32] = []

    init() {
        let listener = posed_listen_loopback(0)
        self.listener = listener
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.address = address
    }

    deinit {
        end()
        for descriptor in waiting { close(descriptor) }
        close(listener)
    }

    /// Lets as many clients wait as may: the next one gets no answer to its attempt to connect.
    func stopAnswering() {
        listen(listener, 1)
        for _ in 0..<2 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            withUnsafePointer(to: address) {
                _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            waiting.append(descriptor)
        }
    }

    /// Ends the connection without a goodbye.
    func end() {
        if client >= 0 { close(client) }
        (client, received) = (-1, [])
    }

    /// Ends the connection in one direction: the client's end can still be seen.
    func hangUp() { shutdown(client, Int32(SHUT_WR)) }

    // MARK: - What the client says

    /// Waits for a client; returns its first packet.
    func accept() throws -> Packet {
        end()
        try wait(listener)
        client = posed_accept(listener)
        return try next()
    }

    /// The next packet; signs of life are answered.
    func next() throws -> Packet {
        while true {
            if let packet = take() {
                guard packet.kind == 12 else { return packet }
                send([[0xD0, 0]])
                continue
            }
            try wait(client)
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(client, &chunk, chunk.count, 0)
            guard count > 0 else { return Packet(kind: 0) }
            received += chunk[..<count]
        }
    }

    /// The next packet, which must be a message at least once (QoS 1).
    func published() throws -> Published {
        let packet = try next()
        guard packet.kind == 3, packet.flags & 0b0110 == 0b0010 else {
            return Published(topic: "packet \(packet.kind)", text: "")
        }
        var reader = PacketReader(packet.body)
        var message = Published(topic: reader.text(), text: "", isRetained: packet.flags & 1 != 0)
        message.number = reader.number()
        var properties = PacketReader(reader.take(reader.length()))
        if !properties.bytes.isEmpty, properties.byte() == 0x09 { message.correlation = properties.binary() }
        message.text = String(decoding: reader.bytes, as: UTF8.self)
        return message
    }

    /// Waits until the client has done what it does after all that was sent before: it answers twice, each time in
    /// another round of its loop.
    func settle() throws {
        for number in [UInt16(501), 502] {
            deliver([Published(topic: "elsewhere", text: "", number: number)])
            guard try next().kind == 4 else { throw Silence() }
        }
    }

    private func wait(_ descriptor: Int32) throws {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // A deadline that only ends what hangs.
        let end = (Int64(now.tv_sec) + 20) * 1_000_000_000
        guard posed_wait_readable(descriptor, end) == 1 else { throw Silence() }
    }

    private func take() -> Packet? {
        var reader = PacketReader(received)
        guard received.count >= 2 else { return nil }
        let first = reader.byte()
        let length = reader.length()
        guard reader.isWhole, reader.bytes.count >= length else { return nil }
        let body = reader.take(length)
        received = reader.bytes
        return Packet(kind: first >> 4, flags: first & 15, body: body)
    }

    // MARK: - What the broker says

    /// Accepts the client, or refuses it for a reason; `limit`: the largest packet that the broker takes.
    func answerConnection(_ reason: UInt8 = 0, limit: UInt32? = nil) {
        var properties: [UInt8] = []
        if let limit {
            let (high, low) = (UInt16(limit >> 16), UInt16(limit & 0xFFFF))
            properties = [0x27] + PacketReader.bytes(high) + PacketReader.bytes(low)
        }
        send([Self.packet(0x20, [0, reason, UInt8(properties.count)] + properties)])
    }

    /// Answers a subscription.
    func answerSubscription(_ packet: Packet, _ reason: UInt8) {
        send([Self.packet(0x90, packet.body.prefix(2) + [0, reason])])
    }

    /// Acknowledges a message, or refuses it from 0x80 on.
    func acknowledge(_ message: Published, _ reason: UInt8 = 0) {
        send([Self.packet(0x40, PacketReader.bytes(message.number) + [reason, 0])])
    }

    /// Delivers messages at once, each at least once, with a wish for the answers.
    func deliver(_ messages: [Published], replyTopic: String? = nil) {
        send(
            messages.map { message in
                var properties: [UInt8] = []
                if let replyTopic { properties += [0x08] + PacketReader.bytes(replyTopic) }
                if !message.correlation.isEmpty {
                    properties += [0x09] + PacketReader.bytes(UInt16(message.correlation.count)) + message.correlation
                }
                let head = PacketReader.bytes(message.topic) + PacketReader.bytes(message.number)
                return Self.packet(
                    0x32 | (message.isRetained ? 1 : 0),
                    head + [UInt8(properties.count)] + properties + Array(message.text.utf8))
            })
    }

    private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        guard body.count >= 128 else { return [first, UInt8(body.count)] + body }
        return [first, UInt8(body.count & 127 | 128), UInt8(body.count >> 7)] + body
    }

    private func send(_ packets: [[UInt8]]) {
        let bytes = packets.flatMap { $0 }
        _ = posed_send(client, bytes, bytes.count)
    }
}

/// Reads the numbers and texts of a packet.
struct PacketReader {
    /// What was not read yet.
    private(set) var bytes: [UInt8]
    /// Whether nothing was read beyond the end.
    private(set) var isWhole = true

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A text with its length before it.
    static func bytes(_ text: String) -> [UInt8] { bytes(UInt16(text.utf8.count)) + Array(text.utf8) }

    /// A number of two bytes.
    static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    /// So many bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        if count > bytes.count { isWhole = false }
        defer { bytes.removeFirst(min(count, bytes.count)) }
        return Array(bytes.prefix(count))
    }

    /// One byte; 0 beyond the end.
    mutating func byte() -> UInt8 { take(1).first ?? 0 }

    /// A number of two bytes.
    mutating func number() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

    /// A number of four bytes.
    mutating func longNumber() -> UInt32 { UInt32(number()) << 16 | UInt32(number()) }

    /// Bytes with their length before them.
    mutating func binary() -> [UInt8] { take(Int(number())) }

    /// A text with its length before it.
    mutating func text() -> String { String(decoding: binary(), as: UTF8.self) }

    /// A length of up to four bytes, the lowest seven bits first.
    mutating func length() -> Int {
        var length = 0
        for place in 0..<4 {
            let next = byte()
            length |= Int(next & 127) << (7 * place)
            if next < 128 { break }
        }
        return length
    }
}

/// The packet by which a client introduces itself (MQTT 5, chapter 3.1).
struct ConnectPacket: Equatable {
    /// The version of the protocol.
    var version: UInt8 = 0
    /// Whether the broker forgets what it kept for the client.
    var isCleanStart = false
    /// Interval of signs of life, seconds.
    var keepAlive: UInt16 = 0
    /// How long the broker keeps the subscription, seconds.
    var session: UInt32 = 0
    /// Messages of the broker that may be on their way.
    var receiveMaximum: UInt16 = 0
    /// The largest packet from the broker.
    var packetLimit: UInt32 = 0
    /// The name of the client.
    var client = ""
    /// What the broker publishes when the client is gone.
    var will = PlayedBroker.Published(topic: "", text: "")
    /// How surely it is published: 0 at most once, 1 at least once, 2 exactly once.
    var willQuality: UInt8 = 0
    /// User and password.
    var login: [String] = []

    init() {}

    init(_ packet: PlayedBroker.Packet) {
        var reader = PacketReader(packet.body)
        _ = reader.text()
        version = reader.byte()
        let flags = reader.byte()
        isCleanStart = flags & 2 != 0
        willQuality = flags >> 3 & 3
        keepAlive = reader.number()
        var properties = PacketReader(reader.take(reader.length()))
        while !properties.bytes.isEmpty {
            switch properties.byte() {
            case 0x11: session = properties.longNumber()
            case 0x21: receiveMaximum = properties.number()
            case 0x27: packetLimit = properties.longNumber()
            default: return
            }
        }
        client = reader.text()
        _ = reader.take(reader.length())
        will = PlayedBroker.Published(topic: reader.text(), text: reader.text(), isRetained: flags & 0x20 != 0)
        while !reader.bytes.isEmpty { login.append(reader.text()) }
    }
}
