import Files
import Geodesy
import Roads

/// What came of an import of roads.
public struct RoadImportReport: Sendable, Equatable {
    /// Stretches of road.
    public var edges = 0
    /// Junctions and ends.
    public var nodes = 0
    /// Points.
    public var points = 0
    /// Stretches whose limit is written on the road in at least one direction.
    public var edgesWithLimit = 0
    /// Lines that were cut because points of theirs are not in the extract.
    public var incompleteWays = 0
    /// Values of maxspeed that could not be read.
    public var unreadLimits = 0
    /// Bytes of the new file.
    public var bytes = 0

    /// Nothing yet.
    public init() {}
}

/// Makes a file of roads from an OpenStreetMap extract, in memory that does not grow with it: what is large is sorted
/// on the disk.
///
/// First the lines are read, and the numbers of their points are put in order; then the points, which meet them; what
/// belongs to one line is brought together again, cut at junctions, put in the order of space, and written.
public struct RoadImport {
    /// The country whose law holds where nothing else is said; `nil`: the general table.
    public var country: String?
    /// Memory of one sorter, bytes; two or three are at work at a time.
    var sorterBytes = 8 << 20

    /// An import.
    public init(country: String? = nil) { self.country = country }

    /// Reads an extract and writes the file; an old one is replaced when the new one is whole.
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
        var lines = try RoadLines(folder: folder, sorterBytes: sorterBytes)
        try lines.read(file)
        var places = try lines.meetNodes(of: file, folder: folder, sorterBytes: sorterBytes)
        var drafts = try EdgeDrafts(folder: folder, sorterBytes: sorterBytes)
        try drafts.cut(&places, attributes: lines.attributes)
        var builder = try RoadFileBuilder(folder: folder, sorterBytes: sorterBytes, names: lines.names)
        var report = RoadImportReport()
        report.incompleteWays = drafts.incompleteWays
        report.unreadLimits = lines.unreadLimits
        try builder.build(&drafts, &report)
        guard report.edges > 0 else {
            throw ImportProblem(
                place: source, reason: "has no roads that a car drives on", remedy: "give an extract of a region")
        }
        var summary = RoadMap.Summary()
        summary.country = countryNumber
        summary.dataSeconds = file.header.dataSeconds
        report.bytes = try builder.write(summary, report, to: target)
        return report
    }
}

/// The roads' lines as the extract has them: attributes in order, points to be found.
struct RoadLines {
    /// A point of a line, by its number.
    struct Ref: Sortable {
        var node: Int64
        /// The line's number and, in the low 16 bits, the point's place in it.
        var place: UInt64

        static func precedes(_ a: Ref, _ b: Ref) -> Bool { a.node != b.node ? a.node < b.node : a.place < b.place }
    }

    /// A line's attributes and how many points it has.
    struct Attributes: BitwiseCopyable {
        var record: RoadMap.EdgeRecord
        var pointCount: UInt32
    }

    /// One record a line.
    let attributes: TemporaryFile
    /// Names, as the file of roads has them.
    let names: NameTable
    /// Values of maxspeed that could not be read.
    private(set) var unreadLimits = 0
    private var refs: ExternalSorter<Ref>
    private var count: UInt64 = 0

    init(folder: String, sorterBytes: Int) throws(ImportProblem) {
        attributes = try TemporaryFile(folder: folder)
        names = try NameTable(folder: folder)
        refs = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
    }

    /// Reads all lines.
    mutating func read(_ file: OSMFile) throws(ImportProblem) {
        for index in file.blocks.indices {
            try file.withBlock(index) { bytes throws(ImportProblem) in
                let block = try file.block(bytes, index, wish: .ways)
                for way in block.ways { try take(way, block) }
                file.note(block: index, hasNodes: block.hasNodes, hasWays: block.hasWays)
            }
        }
        try attributes.flush()
    }

    private mutating func take(_ way: OSMBlock.Way, _ block: OSMBlock) throws(ImportProblem) {
        guard way.refs.count >= 2, way.refs.count < 65_536, var tags = RoadTags(way.tags, of: block) else { return }
        unreadLimits += tags.unreadLimits
        if let name = tags.name { tags.record.name = try names.place(of: name) }
        try attributes.append(record: Attributes(record: tags.record, pointCount: UInt32(way.refs.count)))
        for (index, ref) in way.refs.enumerated() {
            let place = UInt64(tags.isReversed ? way.refs.count - 1 - index : index)
            try refs.append(Ref(node: block.refs[ref], place: count << 16 | place))
        }
        count += 1
    }

    /// Brings points and lines together: the points of all lines, line by line.
    mutating func meetNodes(of file: OSMFile, folder: String, sorterBytes: Int) throws(ImportProblem) -> SortedRecords<
        LinePoint
    > {
        var waiting = try refs.sorted()
        refs = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
        var places = ExternalSorter<LinePoint>(folder: folder, memoryBytes: sorterBytes)
        var merge = NodeMerge(next: try waiting.pop())
        var unsorted = ExternalSorter<LooseNode>(folder: folder, memoryBytes: sorterBytes)
        for index in file.blocks.indices where file.blocks[index].hasNodes {
            try file.withBlock(index) { bytes throws(ImportProblem) in
                let block = try file.block(bytes, index, wish: .nodes)
                for node in block.nodes {
                    let loose = LooseNode(id: node.id, latitudeE7: node.latitudeE7, longitudeE7: node.longitudeE7)
                    if file.header.isSorted {
                        guard merge.isInOrder(loose) else {
                            throw file.problem(
                                at: file.blocks[index].offset, "nodes are not in the order that the header promises",
                                remedy: "sort it with `osmium sort`")
                        }
                        try merge.take(loose, &waiting, &places)
                    } else {
                        try unsorted.append(loose)
                    }
                }
            }
        }
        var sorted = try unsorted.sorted()
        while let node = try sorted.pop() { try merge.take(node, &waiting, &places) }
        return try places.sorted()
    }
}

/// A point on its way to its lines.
struct LooseNode: Sortable {
    var id: Int64
    var latitudeE7: Int32
    var longitudeE7: Int32

    static func precedes(_ a: LooseNode, _ b: LooseNode) -> Bool { a.id < b.id }
}

/// A point of a line, found.
struct LinePoint: Sortable {
    /// The line's number and, in the low 16 bits, the point's place in it.
    var place: UInt64
    var node: Int64
    var latitudeE7: Int32
    var longitudeE7: Int32
    /// Whether another line, or the same once more, goes through it.
    var isShared: UInt32

    static func precedes(_ a: LinePoint, _ b: LinePoint) -> Bool { a.place < b.place }
}

/// Points in the order of their numbers meet the places that wait for them in the same order.
struct NodeMerge {
    private var next: RoadLines.Ref?
    private var last: Int64 = .min
    private var group: [UInt64] = []

    init(next: RoadLines.Ref?) { self.next = next }

    /// Whether a point comes after the one before.
    func isInOrder(_ node: LooseNode) -> Bool { node.id > last }

    /// Takes a point to all places that wait for it. Places whose point does not come are passed over.
    mutating func take(
        _ node: LooseNode, _ waiting: inout SortedRecords<RoadLines.Ref>, _ places: inout ExternalSorter<LinePoint>
    ) throws(ImportProblem) {
        last = node.id
        while let ref = next, ref.node < node.id { next = try waiting.pop() }
        group.removeAll(keepingCapacity: true)
        while let ref = next, ref.node == node.id {
            group.append(ref.place)
            next = try waiting.pop()
        }
        for place in group {
            try places.append(
                LinePoint(
                    place: place, node: node.id, latitudeE7: node.latitudeE7, longitudeE7: node.longitudeE7,
                    isShared: group.count > 1 ? 1 : 0))
        }
    }
}

extension OSMFile {
    /// Reads a block; a damaged one is a problem at its place.
    func block(_ bytes: UnsafeRawBufferPointer, _ index: Int, wish: OSMBlock.Wish) throws(ImportProblem) -> OSMBlock {
        do throws(ProtobufFault) {
            return try OSMBlock(bytes, wish: wish)
        } catch {
            throw problem(at: blocks[index].offset, "a block's contents cannot be read (\(error))")
        }
    }
}

/// The names of roads one behind the other; a name used again soon is kept once.
final class NameTable {
    /// The names: a byte of length, then UTF-8.
    let file: TemporaryFile
    private var known: [String: UInt32] = [:]

    /// So many names are remembered; then the memory begins anew, and some are kept twice.
    private static let remembered = 50_000

    init(folder: String) throws(ImportProblem) {
        file = try TemporaryFile(folder: folder)
        // Place 0 means that there is no name.
        try file.append(record: UInt8(0))
    }

    /// Where a name is.
    func place(of name: String) throws(ImportProblem) -> UInt32 {
        if let place = known[name] { return place }
        guard let place = UInt32(exactly: file.count) else { return 0 }
        var bytes = Array(name.utf8.prefix(255))
        // A name is not cut within a character.
        while bytes.count == 255, let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        try file.append(record: UInt8(bytes.count))
        try bytes.span.withUnsafeBytes { buffer throws(ImportProblem) in try file.append(buffer) }
        if known.count >= Self.remembered { known.removeAll(keepingCapacity: true) }
        known[name] = place
        return place
    }
}
