import Glibc

/// A frame as one line of JSON, the form of the `stream` socket and of replays.
///
/// Every member is always there in the same order; unknown is `null`. The buffers are reused: no allocation per frame.
public struct JSONFrameEncoder: ~Copyable {
    /// The line with all topics.
    private let whole: UnsafeMutableRawPointer
    /// The line with the topics of the client before.
    private let part: UnsafeMutableRawPointer
    private var ends = Ends()
    private var partLength = 0
    private var partTopics: Topics?

    /// Where each part of the whole line ends.
    private struct Ends {
        var head = 0
        var pose = 0
        var guidance = 0
        var speed = 0
        var sources = 0
    }

    /// No line is longer, bytes: its keys and names take 1800, its 110 numbers ``JSONCursor/longestNumber`` each, and
    /// that is with a margin of half.
    static let longestLine = 8192

    /// An encoder of an empty frame.
    public init() {
        whole = .allocate(byteCount: Self.longestLine, alignment: 64)
        part = .allocate(byteCount: Self.longestLine, alignment: 64)
        encodeParts(Frame())
    }

    deinit {
        whole.deallocate()
        part.deallocate()
    }

    /// Writes the whole line, its newline included, and lends its bytes; they are valid during the call only.
    public mutating func encode<R, E: Error>(_ frame: borrowing Frame, _ body: (UnsafeRawBufferPointer) throws(E) -> R)
        throws(E) -> R
    {
        encodeParts(frame)
        var cursor = JSONCursor(at: whole + ends.sources)
        cursor.literal("}\n")
        return try body(UnsafeRawBufferPointer(start: whole, count: cursor.place - whole))
    }

    /// The whole line, its newline included.
    public mutating func text(_ frame: borrowing Frame) -> String {
        encode(frame) { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes a frame; the lines of its clients come from ``withLine(topics:dropped:_:)``.
    public mutating func encodeParts(_ frame: borrowing Frame) { withUnsafePointer(to: frame) { encodeParts(at: $0) } }

    /// Takes the frame that lies there, without a copy of it.
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
    }

    /// Lends the line for one client: its topics, its count of losses, its newline; the bytes are valid during the call
    /// only.
    public mutating func withLine<R, E: Error>(
        topics: Topics, dropped: UInt64, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let line = openLine(topics)
        var cursor = JSONCursor(at: line.begin + line.length)
        cursor.integer(dropped)
        cursor.literal("}\n")
        return try body(UnsafeRawBufferPointer(start: line.begin, count: cursor.place - line.begin))
    }

    /// Lends what the lines of all clients with these topics have in common: all before the count of losses. Who takes
    /// it adds the count and `}` and a line end when the line goes out.
    public mutating func withOpenLine<R, E: Error>(topics: Topics, _ body: (UnsafeRawBufferPointer) throws(E) -> R)
        throws(E) -> R
    {
        let line = openLine(topics)
        return try body(UnsafeRawBufferPointer(start: line.begin, count: line.length))
    }

    /// What all clients with these topics have in common: all but the count.
    private mutating func openLine(_ topics: Topics) -> (begin: UnsafeMutableRawPointer, length: Int) {
        let isWhole = topics.isSuperset(of: .inFrames)
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
        }
        partLength = length
        partTopics = topics
    }
}

extension Frame.Triple {
    /// The three in order.
    var components: [Double] { [x, y, z] }

    /// Whether all three can be written: finite, and not absurd. One comparison, which what is no number fails as well.
    @inline(__always)
    var isWritable: Bool { abs(x) + abs(y) + abs(z) < 1e9 }
}

extension Frame.Quadruple {
    /// Whether all four can be written: finite, and not absurd.
    @inline(__always)
    var isWritable: Bool { abs(w) + abs(x) + abs(y) + abs(z) < 1e9 }
}
