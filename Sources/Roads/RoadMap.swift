import Geodesy
import PoseMath

/// Sections of a road file.
public enum RoadSection: UInt32, Sendable {
    /// One record about the whole file: ``RoadMap/Summary``.
    case summary = 1
    /// Edges, the parts of roads between junctions: ``RoadMap/EdgeRecord``, in spatial order.
    case edges = 2
    /// Points of the edges, in the order of the edges: ``QuantizedPoint``.
    case points = 3
    /// For each junction the index of its first edge in the next section, and one more at the end: UInt32.
    case nodes = 4
    /// Edges at junctions: twice the edge number, plus 1 if the edge ends there: UInt32.
    case incidences = 5
    /// Runs of segments with the bounding box of each: ``RoadMap/PieceRecord``.
    case pieces = 6
    /// Bounding boxes of 16 pieces, of 16 of those boxes, and so on up to one: ``QuantizedBox``.
    case boxes = 7
    /// Names: one byte of length, then UTF-8.
    case names = 8
    /// Edges with rules for some vehicles or under conditions, in ascending order: ``RoadMap/RuledEdge``. Files of
    /// releases without such rules do not have it.
    case ruledEdges = 9
    /// The rules: their number, one byte, and for each rule its vehicle, form and direction, one byte each, and its
    /// text: one byte of length, then UTF-8.
    case rules = 10
}

/// The roads of a country in a memory-mapped file. Reading never traps, whatever the file contains.
public struct RoadMap: Sendable {
    /// Summary of the file's contents.
    public struct Summary: BitwiseCopyable, Sendable {
        /// Number of edges.
        public var edges: UInt32 = 0
        /// Number of nodes: junctions and ends of roads.
        public var nodes: UInt32 = 0
        /// Number of points of all edges.
        public var points: UInt32 = 0
        /// Country whose law applies by default: two letters, the first in the low byte; 0: none.
        public var country: UInt16 = 0
        /// Reserved, 0.
        public var reserved: UInt16 = 0
        /// Time of the data, seconds since 1970; 0: unknown.
        public var dataSeconds: Int64 = 0
        /// Number of ways divided because some of their points are not in the data.
        public var incompleteWays: UInt32 = 0
        /// Number of maxspeed values that could not be parsed.
        public var unreadLimits: UInt32 = 0

        /// Creates an empty record.
        public init() {}
    }

    /// The part of a road between two junctions. A one-way road runs in the order of its points.
    public struct EdgeRecord: BitwiseCopyable, Sendable {
        /// Number of the start node.
        public var start: UInt32 = 0
        /// Number of the end node.
        public var end: UInt32 = 0
        /// Number of its first point.
        public var firstPoint: UInt32 = 0
        /// Offset of its name in the names section; 0: no name.
        public var name: UInt32 = 0
        /// Length, decimetres.
        public var lengthDecimeters: UInt32 = 0
        /// Number of points.
        public var pointCount: UInt16 = 0
        /// Speed limit in the order of the points, as ``RoadLimit/code``.
        public var limitForward: UInt16 = RoadLimit.unknown.code
        /// Speed limit against the order of the points.
        public var limitBackward: UInt16 = RoadLimit.unknown.code
        /// See ``Flags``.
        public var flags: UInt16 = 0
        /// Its country, as in ``Summary/country``; 0: the file's.
        public var country: UInt16 = 0
        /// Its ``RoadClass``.
        public var roadClass: UInt8 = 0
        /// Reserved, 0.
        public var reserved: UInt8 = 0

        /// Creates an empty record.
        public init() {}

        /// Properties of an edge.
        public struct Flags: OptionSet, Sendable {
            /// One bit per property.
            public let rawValue: UInt16
            /// Creates a set from its bits.
            public init(rawValue: UInt16) { self.rawValue = rawValue }
            /// One-way, in the order of its points.
            public static let oneWay = Flags(rawValue: 1)
            /// Part of a roundabout.
            public static let roundabout = Flags(rawValue: 2)
            /// Link road (ramp).
            public static let link = Flags(rawValue: 4)
            /// In a tunnel.
            public static let tunnel = Flags(rawValue: 8)
            /// On a bridge.
            public static let bridge = Flags(rawValue: 16)
            /// Its limit also depends on conditions; a file without rules does not tell them.
            public static let conditional = Flags(rawValue: 32)
        }

        /// Its properties.
        public var properties: Flags { Flags(rawValue: flags) }
    }

    /// Consecutive segments of an edge, with their bounding box.
    public struct PieceRecord: BitwiseCopyable, Sendable {
        /// The bounding box.
        public var box = QuantizedBox()
        /// Number of the edge.
        public var edge: UInt32 = 0
        /// Index of the first segment within the edge.
        public var firstSegment: UInt16 = 0
        /// Number of segments.
        public var segmentCount: UInt16 = 0

        /// Creates an empty record.
        public init() {}
    }

    /// An edge with rules.
    public struct RuledEdge: BitwiseCopyable, Sendable {
        /// Number of the edge.
        public var edge: UInt32 = 0
        /// Offset of its rules in their section.
        public var rules: UInt32 = 0

        /// Creates a record.
        public init(edge: UInt32, rules: UInt32) { (self.edge, self.rules) = (edge, rules) }
    }

    /// Number of child boxes per box.
    public static let fanOut = 16
    /// Maximum number of segments per piece.
    public static let pieceSegments = 8

    /// Summary of the file's contents.
    public let summary: Summary
    private let region: any ByteRegion
    private let edges: Records<EdgeRecord>
    private let points: Records<QuantizedPoint>
    private let nodes: Records<UInt32>
    private let incidences: Records<UInt32>
    private let pieces: Records<PieceRecord>
    private let tree: BoxTree
    private let names: Records<UInt8>
    private let ruledEdges: Records<RuledEdge>?
    private let rules: Records<UInt8>?

    /// Opens the road file in a byte region; throws if its layout is invalid.
    public init(_ region: any ByteRegion) throws(DataFile.Fault) {
        let sections = try DataSections(region, content: .roads)
        self.region = region
        edges = try sections.records(RoadSection.edges)
        points = try sections.records(RoadSection.points)
        nodes = try sections.records(RoadSection.nodes)
        incidences = try sections.records(RoadSection.incidences)
        pieces = try sections.records(RoadSection.pieces)
        names = try sections.records(RoadSection.names)
        ruledEdges = try? sections.records(RoadSection.ruledEdges)
        rules = try? sections.records(RoadSection.rules)
        tree = try BoxTree(sections.records(RoadSection.boxes), leafCount: pieces.count, fanOut: Self.fanOut)
        guard let first = try sections.records(RoadSection.summary, of: Summary.self)[0] else {
            throw .badSection(RoadSection.summary.rawValue)
        }
        summary = first
    }

    /// Number of edges.
    public var edgeCount: Int { edges.count }

    /// Whether the bytes of the file were lost while it is in use. There are no roads then.
    public var isDamaged: Bool { region.isDamaged }

    /// An edge by its number; `nil` if it does not exist or its record is inconsistent.
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

    /// The points of an edge, Earth-centred, metres.
    public func line(_ edge: EdgeRecord) -> [Vector3] { (0..<Int(edge.pointCount)).map { point(edge, $0) } }

    /// Calls `body` with the number of each edge near an Earth-centred point, metres; with some more than once.
    public func forEachEdge(near point: Vector3, withinMeters reach: Double, _ body: (UInt32) -> Void) {
        let query = QuantizedBox(around: point, reachMeters: reach)
        tree.visit(query) { leaf in
            guard let piece = pieces[leaf], piece.box.overlaps(query) else { return }
            body(piece.edge)
        }
    }

    /// The number of an edge's road, or the road's name; `nil` if it has none.
    public func name(_ edge: EdgeRecord) -> String? {
        edge.name > 0 ? names.text(at: Int(edge.name))?.text : nil
    }

    /// The limit of an edge in one direction. `isTagged` is `true` if it comes from the road's own tags, and `false` if
    /// it comes from the table by class and country.
    public func limit(_ edge: EdgeRecord, isForward: Bool) -> (limit: RoadLimit, isTagged: Bool) {
        let own = RoadLimit(fileCode: isForward ? edge.limitForward : edge.limitBackward)
        if own != .unknown { return (own, true) }
        guard let roadClass = RoadClass(rawValue: edge.roadClass) else { return (.unknown, false) }
        let country = edge.country == 0 ? summary.country : edge.country
        return (
            ClassLimits.limit(roadClass, isLink: edge.properties.contains(.link), country: Self.countryCode(country)),
            false
        )
    }

    /// Whether the file tells conditional limits. One of an earlier release does not.
    public var hasRules: Bool { ruledEdges != nil && rules != nil }

    /// Number of edges with rules.
    public var ruledEdgeCount: Int { ruledEdges?.count ?? 0 }

    /// The rules of an edge; empty if it has none.
    public func rules(ofEdge number: UInt32) -> [LimitRule] {
        guard let ruledEdges, let rules else { return [] }
        var (low, high) = (0, ruledEdges.count)
        while low < high {
            let middle = (low + high) / 2
            if (ruledEdges[middle]?.edge ?? .max) < number { low = middle + 1 } else { high = middle }
        }
        guard let found = ruledEdges[low], found.edge == number, let count = rules[Int(found.rules)] else { return [] }
        var list: [LimitRule] = []
        var place = Int(found.rules) + 1
        for _ in 0..<min(count, LimitRule.mostOfEdge) {
            guard let (rule, end) = LimitRule.read(rules, at: place) else { return list }
            list.append(rule)
            place = end
        }
        return list
    }

    /// The limit of an edge in one direction for a vehicle at a time; `nil` if the edge does not exist.
    func limit(_ number: UInt32, isForward: Bool, _ context: LimitContext) -> LimitHere? {
        guard let edge = edge(number) else { return nil }
        let (general, isTagged) = limit(edge, isForward: isForward)
        guard edge.properties.contains(.conditional) else { return LimitHere(limit: general, isTagged: isTagged) }
        guard hasRules else { return LimitHere(limit: general, isTagged: isTagged, isUncertain: true) }
        let rules = rules(ofEdge: number)
        return LimitEvaluation(context).limit(general, isTagged: isTagged, rules, isForward: isForward)
    }

    /// The two-letter code of a country number.
    public static func countryCode(_ number: UInt16) -> String? {
        let bytes = [UInt8(number & 0xFF), UInt8(number >> 8)]
        return bytes.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The number of a two-letter country code; `nil` for anything else.
    public static func countryNumber(_ code: String) -> UInt16? {
        let bytes = Array(code.utf8)
        guard bytes.count == 2, bytes.allSatisfy({ $0 >= 0x41 && $0 <= 0x5A }) else { return nil }
        return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    }

    /// Calls `body` with each edge at a junction, and whether the edge ends there.
    @inline(__always) func forEachEdge(at node: UInt32, _ body: (_ edge: UInt32, _ endsHere: Bool) -> Void) {
        guard let first = nodes[Int(node)], let last = nodes[Int(node) + 1], first <= last, last - first <= 64 else {
            return
        }
        for index in first..<last {
            guard let incidence = incidences[Int(index)] else { return }
            body(incidence >> 1, incidence & 1 == 1)
        }
    }

    /// Calls `body` with each segment whose piece intersects a sphere around an Earth-centred point: edge number, edge,
    /// segment index, start and end point, metres.
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
