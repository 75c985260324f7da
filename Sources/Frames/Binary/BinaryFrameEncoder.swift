import CPosed
import Glibc

/// A frame as one binary message. Encodes once per frame, then makes the packet of each client: its topics, its counts.
public struct BinaryFrameEncoder: ~Copyable {
    private var stamp = posed_stamp()
    private var pose = posed_pose()
    private var guidance = posed_guidance()
    private var speed = posed_speed()
    private var sources = posed_sources()
    private let packet: UnsafeMutableRawPointer
    private var packetLength = 0
    private var packetTopics: Topics?

    /// The longest packet this encoder makes, bytes.
    public static let longestPacket =
        MemoryLayout<posed_header>.size + MemoryLayout<posed_stamp>.size + MemoryLayout<posed_pose>.size + MemoryLayout<posed_guidance>.size
        + MemoryLayout<posed_speed>.size + MemoryLayout<posed_sources>.size

    /// An encoder of an empty frame.
    public init() {
        packet = .allocate(byteCount: Self.longestPacket, alignment: 8)
        packet.initializeMemory(as: UInt8.self, repeating: 0, count: Self.longestPacket)
        encode(Frame())
    }

    deinit { packet.deallocate() }

    /// Takes a frame; its packets come from ``withPacket(topics:sequence:dropped:_:)``.
    public mutating func encode(_ frame: Frame) {
        stamp = posed_stamp(frame)
        pose = posed_pose(frame.pose)
        guidance = posed_guidance(frame.guidance)
        speed = posed_speed(frame.speed)
        sources = posed_sources(frame.sources)
        packetTopics = nil
    }

    /// Lends the packet for one client; the bytes are valid during the call only.
    public mutating func withPacket<R, E: Error>(
        topics: Topics, sequence: UInt64, dropped: UInt64, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        if packetTopics != topics { assemble(topics) }
        // The two numbers of the client's own are at fixed places: the header's last field, and the last of the stamp that follows it.
        packet.storeBytes(of: sequence, toByteOffset: MemoryLayout<posed_header>.size - 8, as: UInt64.self)
        packet.storeBytes(of: dropped, toByteOffset: MemoryLayout<posed_header>.size + MemoryLayout<posed_stamp>.size - 8, as: UInt64.self)
        return try body(UnsafeRawBufferPointer(start: packet, count: packetLength))
    }

    private mutating func assemble(_ topics: Topics) {
        var length = MemoryLayout<posed_header>.size
        var blocks: UInt32 = 1
        length = append(stamp, at: length)
        if topics.contains(.pose) {
            length = append(pose, at: length)
            blocks += 1
        }
        if topics.contains(.guidance) {
            length = append(guidance, at: length)
            blocks += 1
        }
        if topics.contains(.speed) {
            length = append(speed, at: length)
            blocks += 1
        }
        if topics.contains(.sources) {
            length = append(sources, at: length)
            blocks += 1
        }
        let header = posed_header(type: POSED_FRAME, length: length, blocks: blocks, sequence: 0)
        packet.storeBytes(of: header, as: posed_header.self)
        packetLength = length
        packetTopics = topics
    }

    @inline(__always)
    private func append<T: BitwiseCopyable>(_ block: T, at offset: Int) -> Int {
        packet.storeBytes(of: block, toByteOffset: offset, as: T.self)
        return offset + MemoryLayout<T>.size
    }
}

extension posed_header {
    /// The header of a message of this version.
    init(type: UInt32, length: Int, blocks: UInt32, sequence: UInt64) {
        self.init(
            magic: POSED_MAGIC, version: UInt16(POSED_VERSION), type: UInt16(truncatingIfNeeded: type), length: UInt32(truncatingIfNeeded: length),
            blocks: blocks, sequence: sequence)
    }
}

extension posed_block {
    /// The head of a block of that size with nothing valid.
    init(id: UInt32, size: Int) {
        self.init(id: UInt16(truncatingIfNeeded: id), size: UInt16(truncatingIfNeeded: size), valid: 0)
    }
}
