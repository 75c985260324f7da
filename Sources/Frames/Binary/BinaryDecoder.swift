import CPosed

/// The error in bytes that should be a message.
public enum BinaryError: Error, Sendable, Equatable {
    /// Shorter than a header.
    case truncated
    /// Does not start with the magic number: not a message of posed.
    case foreign
    /// Of another version, which this reader does not support.
    case version(UInt16)
    /// The length in the header is not the packet's length.
    case length
    /// A block's size exceeds the message, or is too small for the block's required content.
    case block(id: UInt16)
    /// The block that a message of this type requires is missing.
    case missingBlock(id: UInt16)
}

/// A message with its sequence number.
public struct ReceivedMessage: Sendable, Equatable {
    /// Counts the messages for this client: a gap is the exact number of lost messages.
    public var sequence: UInt64
    /// The decoded message.
    public var message: Message

    /// Creates the message with its sequence number.
    public init(sequence: UInt64, message: Message) {
        self.sequence = sequence
        self.message = message
    }

    /// Decodes one packet of the `frames` socket. Every length is checked; unknown content is skipped.
    public init(packet: UnsafeRawBufferPointer) throws(BinaryError) {
        guard packet.count >= MemoryLayout<posed_header>.size else { throw .truncated }
        let header = packet.loadUnaligned(as: posed_header.self)
        guard header.magic == POSED_MAGIC else { throw .foreign }
        guard UInt32(header.version) == POSED_VERSION else { throw .version(header.version) }
        guard Int(header.length) == packet.count else { throw .length }
        let blocks = try Blocks(packet, count: header.blocks)
        sequence = header.sequence
        switch UInt32(header.type) {
        case POSED_HELLO: message = .hello(try blocks.hello())
        case POSED_SUBSCRIBE: message = .subscribe(try blocks.subscription())
        case POSED_FRAME: message = try blocks.frame()
        case POSED_MANEUVER: message = .maneuver(try blocks.maneuver())
        case POSED_EVENT: message = try blocks.event().map(Message.event) ?? .unknown(type: header.type)
        case POSED_BYE: message = .bye(try blocks.bye())
        case POSED_STATUS: message = .status(try blocks.status())
        case POSED_SCENE: message = .scene(try blocks.scene())
        case POSED_POINTS: message = .points(try blocks.points())
        case POSED_ROUTE: message = .route(try blocks.route())
        case POSED_SHARED: message = .shared(size: try blocks.need(POSED_BLOCK_SHARED, as: posed_shared.self).size)
        default: message = .unknown(type: header.type)
        }
    }
}

/// The blocks of one message. They are checked once and found by walking over them; there is no list of them, so that
/// decoding a frame does not allocate.
struct Blocks {
    private let packet: UnsafeRawBufferPointer
    private let count: UInt32

    /// Checks all blocks. A block count that does not fit the bytes is an error after at most one block per 8 bytes.
    init(_ packet: UnsafeRawBufferPointer, count: UInt32) throws(BinaryError) {
        self.packet = packet
        self.count = count
        var begin = MemoryLayout<posed_header>.size
        var remaining = count
        while remaining > 0 {
            guard packet.count - begin >= MemoryLayout<posed_block>.size else { throw .length }
            let head = packet.loadUnaligned(fromByteOffset: begin, as: posed_block.self)
            let size = Int(head.size)
            guard size >= MemoryLayout<posed_block>.size, size <= packet.count - begin else {
                throw .block(id: head.id)
            }
            begin += size
            remaining -= 1
        }
        guard begin == packet.count else { throw .length }
    }

    /// The position of the first block with that id; `nil` if there is none.
    private func location(of id: UInt32) -> (id: UInt16, begin: Int, size: Int)? {
        var begin = MemoryLayout<posed_header>.size
        for _ in 0..<count {
            let head = packet.loadUnaligned(fromByteOffset: begin, as: posed_block.self)
            if UInt32(head.id) == id { return (head.id, begin, Int(head.size)) }
            begin += Int(head.size)
        }
        return nil
    }

    /// Whether the message has a block with that id.
    func has(_ id: UInt32) -> Bool { location(of: id) != nil }

    /// The first block with that id, as far as this version knows it. Fields that an older writer's shorter block does
    /// not have are 0, and so are their validity bits.
    func need<T: BitwiseCopyable>(_ id: UInt32, as type: T.Type) throws(BinaryError) -> T {
        guard let location = location(of: id) else { throw .missingBlock(id: UInt16(truncatingIfNeeded: id)) }
        return load(at: location.begin, size: location.size)
    }

    /// Loads a struct of which only `size` bytes were sent; the rest is 0.
    private func load<T: BitwiseCopyable>(at begin: Int, size: Int) -> T {
        guard size < MemoryLayout<T>.size else { return packet.loadUnaligned(fromByteOffset: begin, as: T.self) }
        return withUnsafeTemporaryAllocation(byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment) {
            copy in
            copy.initializeMemory(as: UInt8.self, repeating: 0)
            copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[begin..<(begin + size)]))
            return copy.load(as: T.self)
        }
    }

    /// The elements of the first block with that id. Their number is in the block's head; each must lie within the
    /// block.
    func elements<T: BitwiseCopyable>(
        _ id: UInt32, count: UInt16, size: UInt16, offset: UInt16, as type: T.Type
    ) throws(BinaryError) -> [T] {
        guard let location = location(of: id) else { return [] }
        let (count, size, offset) = (Int(count), Int(size), Int(offset))
        guard count == 0 || size >= 8, offset + count * size <= location.size else { throw .block(id: location.id) }
        return (0..<count).map { load(at: location.begin + offset + $0 * size, size: size) }
    }

    /// A text of the first block with that id; bytes that are not UTF-8 are replaced.
    func text(_ id: UInt32, offset: UInt16, length: UInt16) throws(BinaryError) -> String {
        guard let location = location(of: id), Int(offset) + Int(length) <= location.size else {
            throw .block(id: UInt16(truncatingIfNeeded: id))
        }
        let begin = location.begin + Int(offset)
        return String(decoding: packet[begin..<(begin + Int(length))], as: UTF8.self)
    }
}
