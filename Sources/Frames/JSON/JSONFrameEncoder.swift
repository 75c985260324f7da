import Glibc

/// Encodes a frame as one JSON line, the form of the `stream` socket and of replays.
///
/// Every member is always present, in the same order; unknown values are `null`. The buffers are reused: no allocation
/// per frame.
public struct JSONFrameEncoder: ~Copyable {
    /// The line with all topics.
    private let whole: UnsafeMutableRawPointer
    /// The line with the topics of the previous client.
    private let part: UnsafeMutableRawPointer
    private var ends = Ends()
    private var partLength = 0
    private var partTopics: Topics?
    private var position = EarthCentred()

    /// The end of each part in the whole line.
    private struct Ends {
        var head = 0
        var pose = 0
        var guidance = 0
        var speed = 0
        var sources = 0
    }

    /// Upper bound for the length of a line, bytes: keys and names take 1800 bytes, the 110 numbers
    /// ``JSONCursor/longestNumber`` each; this has a margin of half.
    static let longestLine = 8192

    /// Creates an encoder that holds an empty frame.
    public init() {
        whole = .allocate(byteCount: Self.longestLine, alignment: 64)
        part = .allocate(byteCount: Self.longestLine, alignment: 64)
        encodeParts(Frame())
    }

    deinit {
        whole.deallocate()
        part.deallocate()
    }

    /// Encodes the whole line with its newline and provides its bytes, which are valid only during the call.
    public mutating func encode<R, E: Error>(_ frame: borrowing Frame, _ body: (UnsafeRawBufferPointer) throws(E) -> R)
        throws(E) -> R
    {
        encodeParts(frame)
        var cursor = JSONCursor(at: whole + ends.sources)
        cursor.literal("}\n")
        return try body(UnsafeRawBufferPointer(start: whole, count: cursor.place - whole))
    }

    /// The whole line with its newline.
    public mutating func text(_ frame: borrowing Frame) -> String {
        encode(frame) { String(decoding: $0, as: UTF8.self) }
    }

    /// Encodes a frame; ``withLine(topics:dropped:_:)`` provides the lines of the clients.
    public mutating func encodeParts(_ frame: borrowing Frame) { withUnsafePointer(to: frame) { encodeParts(at: $0) } }

    /// Encodes the frame at that address without copying it.
    public mutating func encodeParts(at frame: UnsafePointer<Frame>) {
        let frame = FrameMembers(frame)
        partTopics = nil
        var cursor = JSONCursor(at: whole)
        cursor.head(frame)
        ends.head = cursor.place - whole
        cursor.part(PoseFields.self, of: frame)
        ends.pose = cursor.place - whole
        cursor.part(GuidanceFields.self, of: frame)
        ends.guidance = cursor.place - whole
        cursor.part(SpeedFields.self, of: frame)
        ends.speed = cursor.place - whole
        cursor.part(SourcesFields.self, of: frame)
        ends.sources = cursor.place - whole
        position = EarthCentred(
            frame[\.pose.latitudeRadians], frame[\.pose.longitudeRadians], frame[\.pose.altitudeEllipsoidMeters])
    }

    /// Provides the line for one client with its topics, its count of lost messages and the newline; the bytes are
    /// valid only during the call.
    public mutating func withLine<R, E: Error>(
        topics: Topics, dropped: UInt64, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let line = openLine(topics)
        var cursor = JSONCursor(at: line.begin + line.length)
        cursor.integer(dropped)
        cursor.literal("}\n")
        return try body(UnsafeRawBufferPointer(start: line.begin, count: cursor.place - line.begin))
    }

    /// Provides the part of the line that all clients with these topics share: everything before the count of lost
    /// messages. The caller appends the count, `}` and a newline when the line is sent.
    public mutating func withOpenLine<R, E: Error>(topics: Topics, _ body: (UnsafeRawBufferPointer) throws(E) -> R)
        throws(E) -> R
    {
        let line = openLine(topics)
        return try body(UnsafeRawBufferPointer(start: line.begin, count: line.length))
    }

    /// The part that all clients with these topics share: everything except the count.
    private mutating func openLine(_ topics: Topics) -> (begin: UnsafeMutableRawPointer, length: Int) {
        let isWhole = topics.isSuperset(of: .inFrames) && !topics.contains(.ecef)
        if !isWhole && partTopics != topics { assemble(topics) }
        let begin = isWhole ? whole : part
        var cursor = JSONCursor(at: begin + (isWhole ? ends.sources : partLength))
        cursor.literal(",\"dropped\":")
        return (begin, cursor.place - begin)
    }

    private mutating func assemble(_ topics: Topics) {
        var length = ends.head
        memcpy(part, whole, length)
        let parts: InlineArray<4, (topic: Topics, begin: Int, end: Int)> = [
            (.pose, ends.head, ends.pose), (.guidance, ends.pose, ends.guidance), (.speed, ends.guidance, ends.speed),
            (.sources, ends.speed, ends.sources),
        ]
        for index in parts.indices where topics.contains(parts[index].topic) {
            let size = parts[index].end - parts[index].begin
            memcpy(part + length, whole + parts[index].begin, size)
            length += size
            guard parts[index].topic == .pose, topics.contains(.ecef) else { continue }
            // In front of the brace that ends the pose.
            var cursor = JSONCursor(at: part + length - 1)
            cursor.literal(",\"ecef_m\":")
            cursor.triple(position.meters, decimals: 4)
            cursor.byte(0x7D)
            length = cursor.place - part
        }
        partLength = length
        partTopics = topics
    }
}

extension Frame.Triple {
    /// The components in order.
    var components: [Double] { [x, y, z] }

    /// Whether all three can be written: finite, and not implausibly large. NaN fails the comparison as well.
    @inline(__always)
    var isWritable: Bool { abs(x) + abs(y) + abs(z) < 1e9 }
}

extension Frame.Quadruple {
    /// Whether all four can be written: finite, and not implausibly large.
    @inline(__always)
    var isWritable: Bool { abs(w) + abs(x) + abs(y) + abs(z) < 1e9 }
}
