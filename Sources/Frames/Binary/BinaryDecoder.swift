import CPosed

/// What is wrong with bytes that should be a message.
public enum BinaryError: Error, Sendable, Equatable {
    /// Shorter than a header.
    case truncated
    /// Does not begin with the magic number: not of posed.
    case foreign
    /// Of another version, which this reader does not know.
    case version(UInt16)
    /// The header's length is not the packet's.
    case length
    /// A block's size is not within the message, or too small for what it must hold.
    case block(id: UInt16)
    /// The block that a message of this type must have is not there.
    case missingBlock(id: UInt16)
}

/// A message with its number.
public struct ReceivedMessage: Sendable, Equatable {
    /// Counts the messages meant for this client: a gap is exactly what was lost.
    public var sequence: UInt64
    /// What it says.
    public var message: Message

    /// The message with its number.
    public init(sequence: UInt64, message: Message) {
        self.sequence = sequence
        self.message = message
    }

    /// Reads one packet of the `frames` socket. Never trusts a length; what this version does not know is skipped.
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
        case POSED_SHARED: message = .shared(size: try blocks.need(POSED_BLOCK_SHARED, as: posed_shared.self).size)
        default: message = .unknown(type: header.type)
        }
    }
}

/// The blocks of one message, checked once and found by walking over them: no list of them is kept, so that reading a
/// frame allocates nothing.
struct Blocks {
    private let packet: UnsafeRawBufferPointer
    private let count: UInt32

    /// Walks over the blocks; a count that does not fit the bytes ends in an error after at most one block per 8 bytes.
    init(_ packet: UnsafeRawBufferPointer, count: UInt32) throws(BinaryError) {
        self.packet = packet
        self.count = count
        var begin = MemoryLayout<posed_header>.size
        var left = count
        while left > 0 {
            guard packet.count - begin >= MemoryLayout<posed_block>.size else { throw .length }
            let head = packet.loadUnaligned(fromByteOffset: begin, as: posed_block.self)
            let size = Int(head.size)
            guard size >= MemoryLayout<posed_block>.size, size <= packet.count - begin else {
                throw .block(id: head.id)
            }
            begin += size
            left -= 1
        }
        guard begin == packet.count else { throw .length }
    }

    /// Where the first block of that id lies; `nil` where there is none.
    private func place(of id: UInt32) -> (id: UInt16, begin: Int, size: Int)? {
        var begin = MemoryLayout<posed_header>.size
        for _ in 0..<count {
            let head = packet.loadUnaligned(fromByteOffset: begin, as: posed_block.self)
            if UInt32(head.id) == id { return (head.id, begin, Int(head.size)) }
            begin += Int(head.size)
        }
        return nil
    }

    /// Whether the message has a block of that id.
    func has(_ id: UInt32) -> Bool { place(of: id) != nil }

    /// The first block of that id as far as this version knows it. What an older writer's shorter block lacks is 0, as
    /// are its validity bits.
    func need<T: BitwiseCopyable>(_ id: UInt32, as type: T.Type) throws(BinaryError) -> T {
        guard let place = place(of: id) else { throw .missingBlock(id: UInt16(truncatingIfNeeded: id)) }
        return load(at: place.begin, size: place.size)
    }

    /// A struct of which so many bytes were sent, the rest 0.
    private func load<T: BitwiseCopyable>(at begin: Int, size: Int) -> T {
        guard size < MemoryLayout<T>.size else { return packet.loadUnaligned(fromByteOffset: begin, as: T.self) }
        return withUnsafeTemporaryAllocation(byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment) {
            room in
            room.initializeMemory(as: UInt8.self, repeating: 0)
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[begin..<(begin + size)]))
            return room.load(as: T.self)
        }
    }

    /// The elements of the first block of that id; as many as its head says, each of which must lie within the block.
    func elements<T: BitwiseCopyable>(
        _ id: UInt32, count: UInt16, size: UInt16, offset: UInt16, as type: T.Type
    ) throws(BinaryError) -> [T] {
        guard let place = place(of: id) else { return [] }
        let (count, size, offset) = (Int(count), Int(size), Int(offset))
        guard count == 0 || size >= 8, offset + count * size <= place.size else { throw .block(id: place.id) }
        return (0..<count).map { load(at: place.begin + offset + $0 * size, size: size) }
    }

    /// A text of the first block of that id; bytes that are no UTF-8 are replaced.
    func text(_ id: UInt32, offset: UInt16, length: UInt16) throws(BinaryError) -> String {
        guard let place = place(of: id), Int(offset) + Int(length) <= place.size else {
            throw .block(id: UInt16(truncatingIfNeeded: id))
        }
        let begin = place.begin + Int(offset)
        return String(decoding: packet[begin..<(begin + Int(length))], as: UTF8.self)
    }
}
