import Geodesy
import PoseMath

/// Sections of a file of roads.
public enum RoadSection: UInt32, Sendable {
    /// One record about the whole file: ``RoadMap/Summary``.
    case summary = 1
    /// Stretches of road between junctions: ``RoadMap/EdgeRecord``, near ones near each other.
    case edges = 2
    /// Their points, in the order of the edges: ``QuantizedPoint``.
    case points = 3
    /// For each junction where its edges begin in the next section, and one more: UInt32.
    case nodes = 4
    /// Edges at junctions: the edge's number, doubled, plus 1 where it ends here: UInt32.
    case incidences = 5
    /// Runs of segments with the box around each: ``RoadMap/PieceRecord``.
    case pieces = 6
    /// Boxes around 16 pieces, around 16 of those boxes, and so on up to one: ``QuantizedBox``.
    case boxes = 7
    /// Names: a byte of length, then UTF-8.
    case names = 8
}

/// A country's roads in a file that is mapped, not loaded. Reading never traps, whatever the file holds.
public struct RoadMap: Sendable {
    /// What the file says about itself.
    public struct Summary: BitwiseCopyable, Sendable {
        /// Edges, junctions, points.
        public var edges: UInt32 = 0
        /// Junctions and ends of roads.
        public var nodes: UInt32 = 0
        /// Points of all edges.
        public var points: UInt32 = 0
        /// The country whose law holds where nothing else is said: two letters, the first in the low byte; 0: none.
        public var country: UInt16 = 0
        /// Nothing.
        public var reserved: UInt16 = 0
        /// When the data were current, seconds since 1970; 0: not known.
        public var dataSeconds: Int64 = 0
        /// Ways that were left out because a point of theirs is not in the data.
        public var incompleteWays: UInt32 = 0
        /// Values of maxspeed that could not be read.
        public var unreadLimits: UInt32 = 0

        /// Nothing.
        public init() {}
    }

    /// A stretch of road between two junctions. A road of one direction runs in the order of its points.
    public struct EdgeRecord: BitwiseCopyable, Sendable {
        /// Junction it begins at.
        public var start: UInt32 = 0
        /// Junction it ends at.
        public var end: UInt32 = 0
        /// Its first point's number.
        public var firstPoint: UInt32 = 0
        /// Its name's place in the names; 0: it has none.
        public var name: UInt32 = 0
        /// Its length, decimetres.
        public var lengthDecimeters: UInt32 = 0
        /// How many points it has.
        public var pointCount: UInt16 = 0
        /// The limit in the order of the points, as ``RoadLimit/code``.
        public var limitForward: UInt16 = RoadLimit.unknown.code
        /// The limit against it.
        public var limitBackward: UInt16 = RoadLimit.unknown.code
        /// See ``Flags``.
        public var flags: UInt16 = 0
        /// Its country, as in ``Summary/country``; 0: the file's.
        public var country: UInt16 = 0
        /// Its ``RoadClass``.
        public var roadClass: UInt8 = 0
        /// Nothing.
        public var reserved: UInt8 = 0

        /// Nothing.
        public init() {}

        /// Properties of an edge.
        public struct Flags: OptionSet, Sendable {
            /// One bit a property.
            public let rawValue: UInt16
            /// The properties of these bits.
            public init(rawValue: UInt16) { self.rawValue = rawValue }
            /// It may be driven in the order of its points alone.
            public static let oneWay = Flags(rawValue: 1)
            /// It belongs to a roundabout.
            public static let roundabout = Flags(rawValue: 2)
            /// It is a ramp.
            public static let link = Flags(rawValue: 4)
            /// It is in a tunnel.
            public static let tunnel = Flags(rawValue: 8)
            /// It is on a bridge.
            public static let bridge = Flags(rawValue: 16)
            /// Its limit also depends on conditions that are left out.
            public static let conditional = Flags(rawValue: 32)
        }

        /// Its properties.
        public var properties: Flags { Flags(rawValue: flags) }
    }

    /// Some segments of an edge one after the other, and the box around them.
    public struct PieceRecord: BitwiseCopyable, Sendable {
        /// The box.
        public var box = QuantizedBox()
        /// The edge.
        public var edge: UInt32 = 0
        /// The first segment's number within it.
        public var firstSegment: UInt16 = 0
        /// How many segments.
        public var segmentCount: UInt16 = 0

        /// Nothing.
        public init() {}
    }

    /// Boxes in one box of the level above.
    public static let fanOut = 16
    /// Segments in one piece.
    public static let pieceSegments = 8

    /// What the file says about itself.
    public let summary: Summary
    private let region: any ByteRegion
    private let edges: Records<EdgeRecord>
    private let points: Records<QuantizedPoint>
    private let nodes: Records<UInt32>
    private let incidences: Records<UInt32>
    private let pieces: Records<PieceRecord>
    private let tree: BoxTree
    private let names: Records<UInt8>

    /// The roads in a file's bytes.
    public init(_ region: any ByteRegion) throws(DataFile.Fault) {
        let sections = try DataSections(region, content: .roads)
        self.region = region
        edges = try sections.records(RoadSection.edges)
        points = try sections.records(RoadSection.points)
        nodes = try sections.records(RoadSection.nodes)
        incidences = try sections.records(RoadSection.incidences)
        pieces = try sections.records(RoadSection.pieces)
        names = try sections.records(RoadSection.names)
        tree = try BoxTree(sections.records(RoadSection.boxes), leafCount: pieces.count, fanOut: Self.fanOut)
        guard let first = try sections.records(RoadSection.summary, of: Summary.self)[0] else {
            throw .badSection(RoadSection.summary.rawValue)
        }
        summary = first
    }

    /// How many edges there are.
    public var edgeCount: Int { edges.count }

    /// An edge; `nil` where there is none of that number, or what it says of itself cannot be.
    @inline(__always) public func edge(_ number: UInt32) -> EdgeRecord? {
        guard let edge = edges[Int(number)], edge.pointCount >= 2,
            Int(edge.firstPoint) + Int(edge.pointCount) <= points.count
        else { return nil }
        return edge
    }

    /// A point of an edge, Earth-centred, metres.
    @inline(__always) func point(_ edge: EdgeRecord, _ index: Int) -> Vector3 {
        (points[Int(edge.firstPoint) + index] ?? QuantizedPoint()).meters
    }

    /// The name of an edge: of the road, or its number; `nil` where it has none.
    public func name(_ edge: EdgeRecord) -> String? {
        edge.name > 0 ? names.text(at: Int(edge.name))?.text : nil
    }

    /// The limit of an edge in one direction, and where it comes from: the road's own tags, else the table by class and
    /// country.
    public func limit(_ edge: EdgeRecord, isForward: Bool) -> (limit: RoadLimit, isOwn: Bool) {
        let own = RoadLimit(fileCode: isForward ? edge.limitForward : edge.limitBackward)
        if own != .unknown { return (own, true) }
        guard let roadClass = RoadClass(rawValue: edge.roadClass) else { return (.unknown, false) }
        let country = edge.country == 0 ? summary.country : edge.country
        return (
            ClassLimits.limit(roadClass, isLink: edge.properties.contains(.link), country: Self.countryCode(country)),
            false
        )
    }

    /// The two letters of a country's number.
    public static func countryCode(_ number: UInt16) -> String? {
        let bytes = [UInt8(number & 0xFF), UInt8(number >> 8)]
        return bytes.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The number of a country by its two letters; `nil` for anything else.
    public static func countryNumber(_ code: String) -> UInt16? {
        let bytes = Array(code.utf8)
        guard bytes.count == 2, bytes.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) else { return nil }
        return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    }

    /// Calls with each edge at a junction, and whether it ends there.
    @inline(__always) func forEachEdge(at node: UInt32, _ body: (_ edge: UInt32, _ endsHere: Bool) -> Void) {
        guard let first = nodes[Int(node)], let last = nodes[Int(node) + 1], first <= last, last - first <= 64 else {
            return
        }
        for index in first..<last {
            guard let incidence = incidences[Int(index)] else { return }
            body(incidence >> 1, incidence & 1 == 1)
        }
    }

    /// Calls with each segment whose piece comes within a distance of an Earth-centred point: the edge's number, the
    /// edge, the segment's number and ends.
    func forEachSegment(
        near point: Vector3, withinMeters reach: Double, _ body: (UInt32, EdgeRecord, Int, Vector3, Vector3) -> Void
    ) {
        let query = QuantizedBox(around: point, reachMeters: reach)
        tree.visit(query) { leaf in
            guard let piece = pieces[leaf], piece.box.overlaps(query), let edge = edge(piece.edge) else { return }
            let last = min(Int(piece.firstSegment) + Int(piece.segmentCount), Int(edge.pointCount) - 1)
            guard Int(piece.firstSegment) < last else { return }
            var start = self.point(edge, Int(piece.firstSegment))
            for segment in Int(piece.firstSegment)..<last {
                let end = self.point(edge, segment + 1)
                body(piece.edge, edge, segment, start, end)
                start = end
            }
        }
    }
}
