import Files
import Geodesy
import Roads

/// Result of a road import.
public struct RoadImportReport: Sendable, Equatable {
    /// Number of edges.
    public var edges = 0
    /// Number of nodes: junctions and ends of roads.
    public var nodes = 0
    /// Number of points.
    public var points = 0
    /// Number of edges whose limit is tagged in at least one direction.
    public var edgesWithLimit = 0
    /// Number of edges with limits for some vehicles or under conditions.
    public var ruledEdges = 0
    /// Number of ways divided because some of their points are not in the extract.
    public var incompleteWays = 0
    /// Values of maxspeed that could not be read.
    public var unreadLimits = 0
    /// Size of the new file, bytes.
    public var bytes = 0

    /// Creates an empty report.
    public init() {}
}

/// Creates a road file from an OpenStreetMap extract. Memory does not grow with the extract: large data are sorted on
/// the disk.
///
/// Steps: read the ways and sort the ids of their points; read the nodes and join them with these ids; collect the
/// points of each way, divide the ways at junctions, sort the edges in spatial order, and write the file.
public struct RoadImport {
    /// Country whose law applies by default; `nil`: the general table.
    public var country: String?
    /// Memory of one sorter, bytes; two or three are in use at a time.
    var sorterBytes = 8 << 20
    /// Maximum number of names in memory; then they are forgotten, and some names are stored twice.
    var maximumCachedNames = 50_000

    /// Creates an import.
    public init(country: String? = nil) { self.country = country }

    /// Reads an extract and writes the road file; an existing file is replaced atomically at the end.
    public func run(from source: String, to target: String) throws(ImportProblem) -> RoadImportReport {
        var countryNumber: UInt16 = 0
        if let country {
            guard let number = RoadMap.countryNumber(country), CountryLimits.law(country) != nil else {
                throw ImportProblem(
                    place: "country \(country.prefix(16))", reason: "is not in the table",
                    remedy: "use one of \(CountryLimits.countries.joined(separator: " "))")
            }
            countryNumber = number
        }
        let folder = AtomicFile.folder(of: target)
        let file = try OSMFile(path: source)
        var lines = try RoadLines(folder: folder, sorterBytes: sorterBytes, maximumCachedNames: maximumCachedNames)
        try lines.read(file)
        var places = try lines.resolveNodes(of: file, folder: folder, sorterBytes: sorterBytes)
        var drafts = try EdgeDrafts(folder: folder, sorterBytes: sorterBytes)
        try drafts.cut(&places, attributes: lines.attributes)
        var builder = try RoadFileBuilder(
            folder: folder, sorterBytes: sorterBytes, names: lines.names, rules: lines.rules)
        var report = RoadImportReport()
        report.incompleteWays = drafts.incompleteWays
        report.unreadLimits = lines.unreadLimits
        try builder.build(&drafts, &report)
        guard report.edges > 0 else {
            throw ImportProblem(
                place: source, reason: "has no roads for cars", remedy: "give an extract of a region")
        }
        var summary = RoadMap.Summary()
        summary.country = countryNumber
        summary.dataSeconds = file.header.dataSeconds
        report.bytes = try builder.write(summary, report, to: target)
        return report
    }
}

/// The ways of the roads in the order of the extract: attributes, and references to points.
struct RoadLines {
    /// A reference to a point of a way, by its OpenStreetMap id.
    struct Ref: Sortable {
        var node: Int64
        /// The line's number and, in the low 16 bits, the point's place in it.
        var place: UInt64

        static func precedes(_ a: Ref, _ b: Ref) -> Bool { a.node != b.node ? a.node < b.node : a.place < b.place }
    }

    /// Attributes of a way and its number of points.
    struct Attributes: BitwiseCopyable {
        var record: RoadMap.EdgeRecord
        var pointCount: UInt32
        /// Offset of the way's rules; 0: none.
        var rules: UInt32
    }

    /// One record per way.
    let attributes: TemporaryFile
    /// Names in the format of the road file.
    let names: NameTable
    /// Rules in the format of the road file.
    let rules: RuleTable
    /// Values of maxspeed that could not be read.
    private(set) var unreadLimits = 0
    private var refs: ExternalSorter<Ref>
    private var count: UInt64 = 0

    init(folder: String, sorterBytes: Int, maximumCachedNames: Int) throws(ImportProblem) {
        attributes = try TemporaryFile(folder: folder)
        names = try NameTable(folder: folder, maximumCachedNames: maximumCachedNames)
        rules = try RuleTable(folder: folder)
        refs = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
    }

    /// Reads all ways.
    mutating func read(_ file: OSMFile) throws(ImportProblem) {
        for index in file.blocks.indices {
            try file.withBlock(index) { bytes throws(ImportProblem) in
                let block = try file.block(bytes, index, selection: .ways)
                for way in block.ways { try add(way, block) }
                file.note(block: index, hasNodes: block.hasNodes, hasWays: block.hasWays)
            }
        }
        try attributes.flush()
    }

    private mutating func add(_ way: OSMBlock.Way, _ block: OSMBlock) throws(ImportProblem) {
        guard way.refs.count >= 2, way.refs.count < 65_536, var tags = RoadTags(way.tags, of: block) else { return }
        unreadLimits += tags.unreadLimits
        if let name = tags.name { tags.record.name = try names.place(of: name) }
        try attributes.append(
            record: Attributes(
                record: tags.record, pointCount: UInt32(way.refs.count), rules: try rules.place(of: tags.rules)))
        for (index, ref) in way.refs.enumerated() {
            let place = UInt64(tags.isReversed ? way.refs.count - 1 - index : index)
            try refs.append(Ref(node: block.refs[ref], place: count << 16 | place))
        }
        count += 1
    }

    /// Joins nodes and ways; returns the points of all ways, way by way.
    mutating func resolveNodes(of file: OSMFile, folder: String, sorterBytes: Int) throws(ImportProblem)
        -> SortedRecords<
            LinePoint
        >
    {
        let refCount = refs.count
        var pendingRefs = try refs.sorted()
        refs = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
        var places = ExternalSorter<LinePoint>(folder: folder, memoryBytes: sorterBytes)
        var merge = NodeMerge(next: try pendingRefs.pop())
        var unsorted = ExternalSorter<NodePosition>(folder: folder, memoryBytes: sorterBytes)
        for index in file.blocks.indices where file.blocks[index].hasNodes {
            try file.withBlock(index) { bytes throws(ImportProblem) in
                let block = try file.block(bytes, index, selection: .nodes)
                for node in block.nodes {
                    let loose = NodePosition(id: node.id, latitudeE7: node.latitudeE7, longitudeE7: node.longitudeE7)
                    // The order of osmium has the ids that are not positive first, by their amount: -1, -2, 1, 2.
                    guard file.header.isSorted, loose.id > 0 || merge.hasPositiveIds else {
                        try unsorted.append(loose)
                        continue
                    }
                    if !merge.hasPositiveIds {
                        try merge.add(allOf: unsorted, &pendingRefs, &places)
                        unsorted = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
                    }
                    guard merge.isInOrder(loose) else {
                        throw file.problem(
                            at: file.blocks[index].offset, "nodes are not sorted although the header declares it",
                            remedy: "sort it with `osmium sort`")
                    }
                    try merge.add(loose, &pendingRefs, &places)
                }
            }
        }
        try merge.add(allOf: unsorted, &pendingRefs, &places)
        try Self.checkPositions(of: file, found: merge.foundCount, of: refCount)
        return try places.sorted()
    }

    /// Refuses an extract whose positions are in its ways: without the nodes, only pieces of the roads would remain.
    private static func checkPositions(of file: OSMFile, found: Int, of refCount: Int) throws(ImportProblem) {
        guard file.header.hasLocationsOnWays, found < refCount / 2 else { return }
        throw file.problem(
            at: 0, "has the feature LocationsOnWays: positions are in its ways, and most nodes are left out",
            remedy: "import the extract from before `osmium add-locations-to-ways`, or run that with "
                + "`--keep-untagged-nodes`")
    }
}

/// A node of the extract: id and coordinates.
struct NodePosition: Sortable {
    var id: Int64
    var latitudeE7: Int32
    var longitudeE7: Int32

    static func precedes(_ a: NodePosition, _ b: NodePosition) -> Bool { a.id < b.id }
}

/// A point of a way with its coordinates.
struct LinePoint: Sortable {
    /// The line's number and, in the low 16 bits, the point's place in it.
    var place: UInt64
    var node: Int64
    var latitudeE7: Int32
    var longitudeE7: Int32
    /// Whether another way, or the same way again, passes through it.
    var isShared: UInt32

    static func precedes(_ a: LinePoint, _ b: LinePoint) -> Bool { a.place < b.place }
}

/// Merges nodes in the order of their ids with the references to them in the same order.
struct NodeMerge {
    private var next: RoadLines.Ref?
    private var last: Int64 = .min
    private var pendingPlaces: [UInt64] = []
    /// Number of references whose node was found.
    private(set) var foundCount = 0

    init(next: RoadLines.Ref?) { self.next = next }

    /// Whether a node with a positive id was added.
    var hasPositiveIds: Bool { last > 0 }

    /// Whether a node's id is larger than the previous one.
    func isInOrder(_ node: NodePosition) -> Bool { node.id > last }

    /// Adds a node's coordinates to all references to it. References to missing nodes are skipped.
    mutating func add(
        _ node: NodePosition, _ pendingRefs: inout SortedRecords<RoadLines.Ref>,
        _ places: inout ExternalSorter<LinePoint>
    ) throws(ImportProblem) {
        last = node.id
        while let ref = next, ref.node < node.id { next = try pendingRefs.pop() }
        pendingPlaces.removeAll(keepingCapacity: true)
        while let ref = next, ref.node == node.id {
            pendingPlaces.append(ref.place)
            next = try pendingRefs.pop()
        }
        foundCount += pendingPlaces.count
        for place in pendingPlaces {
            try places.append(
                LinePoint(
                    place: place, node: node.id, latitudeE7: node.latitudeE7, longitudeE7: node.longitudeE7,
                    isShared: pendingPlaces.count > 1 ? 1 : 0))
        }
    }

    /// Adds the coordinates of nodes in any order.
    mutating func add(
        allOf nodes: ExternalSorter<NodePosition>, _ pendingRefs: inout SortedRecords<RoadLines.Ref>,
        _ places: inout ExternalSorter<LinePoint>
    ) throws(ImportProblem) {
        var sorted = try nodes.sorted()
        while let node = try sorted.pop() { try add(node, &pendingRefs, &places) }
    }
}

extension OSMFile {
    /// Reads a block; throws a problem at its offset if it is damaged.
    func block(_ bytes: UnsafeRawBufferPointer, _ index: Int, selection: OSMBlock.Selection) throws(ImportProblem)
        -> OSMBlock
    {
        do throws(ProtobufFault) {
            return try OSMBlock(bytes, selection: selection)
        } catch {
            throw problem(at: blocks[index].offset, "a block's contents cannot be read (\(error))")
        }
    }
}

/// The names of roads, concatenated; recently used names are stored once.
final class NameTable {
    /// The names: one byte of length, then UTF-8.
    let file: TemporaryFile
    private var cache: [String: UInt32] = [:]
    private let maximumCachedNames: Int

    /// Bytes of a name.
    private static let longestName = 255

    init(folder: String, maximumCachedNames: Int) throws(ImportProblem) {
        self.maximumCachedNames = maximumCachedNames
        file = try TemporaryFile(folder: folder)
        // Offset 0 means no name.
        try file.append(record: UInt8(0))
    }

    /// Offset of a name.
    func place(of name: String) throws(ImportProblem) -> UInt32 {
        if let place = cache[name] { return place }
        guard let place = UInt32(exactly: file.count) else { return 0 }
        var bytes = Array(name.utf8)
        if bytes.count > Self.longestName {
            // A name must not be truncated within a character: the first byte that goes begins one.
            var count = Self.longestName
            while count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
            bytes.removeLast(bytes.count - count)
        }
        try file.append(record: UInt8(bytes.count))
        try bytes.span.withUnsafeBytes { buffer throws(ImportProblem) in try file.append(buffer) }
        if cache.count >= maximumCachedNames { cache.removeAll(keepingCapacity: true) }
        cache[name] = place
        return place
    }
}

/// The rules of roads, concatenated; recently used ones are stored once.
final class RuleTable {
    /// The rules; see ``RoadSection/rules``.
    let file: TemporaryFile
    private var cache: [[UInt8]: UInt32] = [:]

    /// Maximum number of cached entries; then the cache is cleared, and some are stored twice.
    private static let maximumCached = 5000

    init(folder: String) throws(ImportProblem) {
        file = try TemporaryFile(folder: folder)
        // Offset 0 means no rules.
        try file.append(record: UInt8(0))
    }

    /// Offset of the rules of a road; 0 if it has none.
    func place(of rules: [LimitRule]) throws(ImportProblem) -> UInt32 {
        guard !rules.isEmpty else { return 0 }
        let kept = rules.prefix(Int(LimitRule.mostOfEdge))
        let bytes = [UInt8(kept.count)] + kept.flatMap(\.fileBytes)
        if let place = cache[bytes] { return place }
        guard let place = UInt32(exactly: file.count) else { return 0 }
        try bytes.span.withUnsafeBytes { buffer throws(ImportProblem) in try file.append(buffer) }
        if cache.count >= Self.maximumCached { cache.removeAll(keepingCapacity: true) }
        cache[bytes] = place
        return place
    }
}
