import CPosed
import Glibc

/// Encodes a frame as one binary message. It encodes once per frame and then provides the packet of each client, with
/// its topics and counters. No allocation after initialization.
public struct BinaryFrameEncoder: ~Copyable {
    /// The packet with all topics; every block has a fixed position.
    private let whole: UnsafeMutableRawPointer
    /// The packet with the topics of the previous client.
    private let part: UnsafeMutableRawPointer
    private var partLength = 0
    private var partTopics: Topics?
    private var position = EarthCentred()

    /// The positions of the blocks in the whole packet.
    private enum Place {
        static let stamp = MemoryLayout<posed_header>.size
        static let pose = stamp + MemoryLayout<posed_stamp>.size
        static let guidance = pose + MemoryLayout<posed_pose>.size
        static let speed = guidance + MemoryLayout<posed_guidance>.size
        static let sources = speed + MemoryLayout<posed_speed>.size
        static let end = sources + MemoryLayout<posed_sources>.size
    }

    /// Offset of the sequence number in a message: the last field of the header.
    public static let sequenceOffset = MemoryLayout<posed_header>.size - 8
    /// Offset of the client's count of lost messages in a frame; it is in the stamp, the first block.
    public static let droppedOffset = MemoryLayout<posed_header>.size + 32

    /// The length of the longest packet, bytes.
    public static let longestPacket = Place.end

    /// The length of a packet with these topics, bytes.
    public static func length(topics: Topics) -> Int {
        var length = Place.pose
        for index in Self.parts.indices where topics.contains(Self.parts[index].topic) {
            length += Self.parts[index].end - Self.parts[index].begin
        }
        if topics.contains(.ecef) { length += MemoryLayout<posed_ecef>.size }
        return length
    }

    /// The parts that a client may omit, with their positions in the whole packet.
    private static var parts: InlineArray<4, (topic: Topics, begin: Int, end: Int)> {
        [
            (.pose, Place.pose, Place.guidance), (.guidance, Place.guidance, Place.speed),
            (.speed, Place.speed, Place.sources),
            (.sources, Place.sources, Place.end),
        ]
    }

    /// Creates an encoder that holds an empty frame.
    public init() {
        whole = .allocate(byteCount: Place.end, alignment: 64)
        let most = Place.end + MemoryLayout<posed_ecef>.size
        part = .allocate(byteCount: most, alignment: 64)
        whole.initializeMemory(as: UInt8.self, repeating: 0, count: Place.end)
        part.initializeMemory(as: UInt8.self, repeating: 0, count: most)
        whole.storeBytes(
            of: posed_header(type: POSED_FRAME, length: Place.end, blocks: 5, sequence: 0), as: posed_header.self)
        encode(Frame())
    }

    deinit {
        whole.deallocate()
        part.deallocate()
    }

    /// Encodes a frame; ``withPacket(topics:sequence:dropped:_:)`` provides its packets.
    public mutating func encode(_ frame: borrowing Frame) { withUnsafePointer(to: frame) { encode(at: $0) } }

    /// Encodes the frame at that address without copying it.
    public mutating func encode(at frame: UnsafePointer<Frame>) {
        let frame = FrameMembers(frame)
        (whole + Place.stamp).assumingMemoryBound(to: posed_stamp.self).write(frame)
        write(PoseFields.self, of: frame, at: Place.pose)
        write(GuidanceFields.self, of: frame, at: Place.guidance)
        write(SpeedFields.self, of: frame, at: Place.speed)
        write(SourcesFields.self, of: frame, at: Place.sources)
        position = EarthCentred(
            frame[\.pose.latitudeRadians], frame[\.pose.longitudeRadians], frame[\.pose.altitudeEllipsoidMeters])
        partTopics = nil
    }

    @inline(__always)
    private func write<Fields: BlockFields>(_ fields: Fields.Type, of frame: FrameMembers, at place: Int) {
        var writer = BinaryFieldWriter<Fields.Block>(frame, at: whole + place)
        Fields.visit(&writer)
        let head = posed_block(id: Fields.id, size: MemoryLayout<Fields.Block>.size, valid: writer.valid)
        whole.storeBytes(of: head, toByteOffset: place, as: posed_block.self)
    }

    /// Provides the packet for one client; the bytes are valid only during the call.
    public mutating func withPacket<R, E: Error>(
        topics: Topics, sequence: UInt64, dropped: UInt64, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let isWhole = topics.isSuperset(of: Topics.inFrames) && !topics.contains(.ecef)
        if !isWhole && partTopics != topics { assemble(topics) }
        let packet = isWhole ? whole : part
        packet.storeBytes(of: sequence, toByteOffset: Self.sequenceOffset, as: UInt64.self)
        packet.storeBytes(of: dropped, toByteOffset: Self.droppedOffset, as: UInt64.self)
        return try body(UnsafeRawBufferPointer(start: packet, count: isWhole ? Place.end : partLength))
    }

    private mutating func assemble(_ topics: Topics) {
        var length = Place.pose
        var blocks: UInt32 = 1
        memcpy(part, whole, length)
        let places = Self.parts
        for index in places.indices where topics.contains(places[index].topic) {
            let size = places[index].end - places[index].begin
            memcpy(part + length, whole + places[index].begin, size)
            length += size
            blocks += 1
        }
        if topics.contains(.ecef) {
            part.storeBytes(of: posed_ecef(position.meters), toByteOffset: length, as: posed_ecef.self)
            length += MemoryLayout<posed_ecef>.size
            blocks += 1
        }
        let header = posed_header(type: POSED_FRAME, length: length, blocks: blocks, sequence: 0)
        part.storeBytes(of: header, as: posed_header.self)
        partLength = length
        partTopics = topics
    }
}

extension posed_ecef {
    /// The block of a position in metres.
    init(_ position: Frame.Triple?) {
        self.init()
        if let position, position.isWritable { ecef_m = (position.x, position.y, position.z) }
        block = posed_block(
            id: POSED_BLOCK_ECEF, size: MemoryLayout<posed_ecef>.size, valid: position == nil ? 0 : POSED_ECEF_POSITION)
    }
}

extension posed_header {
    /// The header of a message of this version.
    init(type: UInt32, length: Int, blocks: UInt32, sequence: UInt64) {
        self.init(
            magic: POSED_MAGIC, version: UInt16(POSED_VERSION), type: UInt16(truncatingIfNeeded: type),
            length: UInt32(truncatingIfNeeded: length),
            blocks: blocks, sequence: sequence)
    }
}

extension posed_block {
    /// The head of a block of that size.
    @inline(__always)
    init(id: UInt32, size: Int, valid: UInt32 = 0) {
        self.init(id: UInt16(truncatingIfNeeded: id), size: UInt16(truncatingIfNeeded: size), valid: valid)
    }
}
