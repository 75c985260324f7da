import Geodesy
import PoseMath
import Roads

/// A part of a road between junctions, before it has a final number.
struct EdgeDraft: Sortable {
    /// Z-order code of its middle.
    var order: UInt64
    /// Index of its first point among the drafts' points.
    var firstPoint: UInt64
    /// OpenStreetMap ids of the nodes at its ends.
    var startNode: Int64
    var endNode: Int64
    /// Attributes, number of points and length; the numbers of its nodes and points are set later.
    var record: RoadMap.EdgeRecord
    /// Offset of its rules; 0: none.
    var rules: UInt32

    static func precedes(_ a: EdgeDraft, _ b: EdgeDraft) -> Bool {
        a.order != b.order ? a.order < b.order : a.firstPoint < b.firstPoint
    }
}

/// Ways divided at junctions.
struct EdgeDrafts {
    /// The points of all drafts.
    let points: TemporaryFile
    /// Number of ways divided because points are missing.
    private(set) var incompleteWays = 0
    private var sorter: ExternalSorter<EdgeDraft>
    private var pointCount: UInt64 = 0
    private var line: [LinePoint] = []

    init(folder: String, sorterBytes: Int) throws(ImportProblem) {
        points = try TemporaryFile(folder: folder)
        sorter = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
    }

    /// The drafts in spatial order.
    consuming func sorted() throws(ImportProblem) -> SortedRecords<EdgeDraft> { try sorter.sorted() }

    /// Divides the ways, whose points arrive way by way.
    mutating func cut(_ places: inout SortedRecords<LinePoint>, attributes: TemporaryFile) throws(ImportProblem) {
        var stream = RecordStream<RoadLines.Attributes>(attributes)
        var number: UInt64 = 0
        var next = try places.pop()
        while let attributes = try stream.pop() {
            line.removeAll(keepingCapacity: true)
            while let point = next, point.place >> 16 == number {
                line.append(point)
                next = try places.pop()
            }
            if line.count < Int(attributes.pointCount) { incompleteWays += 1 }
            try cutLine(attributes)
            number += 1
        }
        try points.flush()
    }

    /// Divides the current way where points are missing, and at junctions.
    private mutating func cutLine(_ way: RoadLines.Attributes) throws(ImportProblem) {
        var start = 0
        while start < line.count - 1 {
            var end = start + 1
            guard line[end].place == line[start].place + 1 else {
                start = end
                continue
            }
            while end < line.count - 1, line[end].isShared == 0, line[end + 1].place == line[end].place + 1 { end += 1 }
            try add(start...end, way)
            start = end
        }
    }

    private mutating func add(_ range: ClosedRange<Int>, _ way: RoadLines.Attributes) throws(ImportProblem) {
        let places = range.map { index in
            GeodeticPosition(
                latitudeDegrees: Double(line[index].latitudeE7) * 1e-7,
                longitudeDegrees: Double(line[index].longitudeE7) * 1e-7
            )
            .ecefMeters
        }
        var length = 0.0
        for (a, b) in zip(places, places.dropFirst()) { length += (b - a).length }
        // An edge without length has no direction, and no position matches it.
        guard length > 0.01, length < 4e8 else { return }
        var record = way.record
        record.pointCount = UInt16(places.count)
        record.lengthDecimeters = UInt32((length * 10).rounded())
        let middle = QuantizedPoint(meters: places[places.count / 2])
        try sorter.append(
            EdgeDraft(
                order: middle.order, firstPoint: pointCount, startNode: line[range.lowerBound].node,
                endNode: line[range.upperBound].node,
                record: record, rules: way.rules))
        for place in places { try points.append(record: QuantizedPoint(meters: place)) }
        pointCount += UInt64(places.count)
    }
}

/// Numbers the drafts in their final order, and writes the sections.
struct RoadFileBuilder {
    /// An end of an edge at a junction. The key is first the node's OpenStreetMap id, then the number of its first
    /// edge.
    private struct End: Sortable {
        var key: Int64
        var ref: UInt32

        static func precedes(_ a: End, _ b: End) -> Bool { a.key != b.key ? a.key < b.key : a.ref < b.ref }
    }

    private let folder: String
    private let sorterBytes: Int
    private let names: NameTable
    private let rules: RuleTable
    private let ruledEdges: TemporaryFile
    private let drafted: TemporaryFile
    private let edges: TemporaryFile
    private let points: TemporaryFile
    private let nodes: TemporaryFile
    private let incidences: TemporaryFile
    private let pieces: TemporaryFile
    private var boxes: Levels<QuantizedBox>

    init(folder: String, sorterBytes: Int, names: NameTable, rules: RuleTable) throws(ImportProblem) {
        self.folder = folder
        self.sorterBytes = sorterBytes
        self.names = names
        self.rules = rules
        ruledEdges = try TemporaryFile(folder: folder)
        drafted = try TemporaryFile(folder: folder)
        edges = try TemporaryFile(folder: folder)
        points = try TemporaryFile(folder: folder)
        nodes = try TemporaryFile(folder: folder)
        incidences = try TemporaryFile(folder: folder)
        pieces = try TemporaryFile(folder: folder)
        boxes = Levels(fanOut: RoadMap.fanOut)
    }

    /// Builds all sections.
    mutating func build(_ drafts: inout EdgeDrafts, _ report: inout RoadImportReport) throws(ImportProblem) {
        let drawn = drafts.points
        var sorted = try drafts.sorted()
        var ends = ExternalSorter<End>(folder: folder, memoryBytes: sorterBytes)
        var number: UInt32 = 0
        while let draft = try sorted.pop() {
            guard number < 1 << 31 - 1, report.points + Int(draft.record.pointCount) < Int(UInt32.max) else {
                throw ImportProblem(
                    place: folder, reason: "the road file cannot hold more roads",
                    remedy: "import a smaller region")
            }
            try place(draft, number, drawn, &report)
            try ends.append(End(key: draft.startNode, ref: number << 1))
            try ends.append(End(key: draft.endNode, ref: number << 1 | 1))
            number += 1
        }
        report.edges = Int(number)
        try drafted.flush()
        try numberNodes(ends, &report)
    }

    private mutating func place(
        _ draft: EdgeDraft, _ number: UInt32, _ drawn: TemporaryFile, _ report: inout RoadImportReport
    ) throws(ImportProblem) {
        let count = Int(draft.record.pointCount)
        var stream = RecordStream<QuantizedPoint>(
            drawn, from: Int(draft.firstPoint) * MemoryLayout<QuantizedPoint>.stride, count: count)
        var own: [QuantizedPoint] = []
        while let point = try stream.pop() { own.append(point) }
        guard own.count == count else {
            throw ImportProblem(place: folder, reason: "a temporary file ended early", remedy: "check the disk")
        }
        for point in own { try points.append(record: point) }
        for first in stride(from: 0, to: count - 1, by: RoadMap.pieceSegments) {
            var piece = RoadMap.PieceRecord()
            piece.edge = number
            piece.firstSegment = UInt16(first)
            piece.segmentCount = UInt16(min(RoadMap.pieceSegments, count - 1 - first))
            for point in own[first...(first + Int(piece.segmentCount))] { piece.box.include(point) }
            try pieces.append(record: piece)
            boxes.add(piece.box)
        }
        var record = draft.record
        record.firstPoint = UInt32(report.points)
        try drafted.append(record: record)
        if draft.rules > 0 {
            try ruledEdges.append(record: RoadMap.RuledEdge(edge: number, rules: draft.rules))
            report.ruledEdges += 1
        }
        report.points += count
        if record.limitForward != RoadLimit.unknown.code || record.limitBackward != RoadLimit.unknown.code {
            report.edgesWithLimit += 1
        }
    }

    /// Numbers the nodes in the order of their first edges, so that near nodes have near numbers, and stores the
    /// numbers in the edges.
    private mutating func numberNodes(_ ends: consuming ExternalSorter<End>, _ report: inout RoadImportReport)
        throws(ImportProblem)
    {
        var byNode = try ends.sorted()
        var byFirst = ExternalSorter<End>(folder: folder, memoryBytes: sorterBytes)
        var (node, first): (Int64?, UInt32) = (nil, 0)
        while let end = try byNode.pop() {
            if end.key != node { (node, first) = (end.key, end.ref) }
            try byFirst.append(End(key: Int64(first), ref: end.ref))
        }
        var grouped = try byFirst.sorted()
        var byEdge = ExternalSorter<End>(folder: folder, memoryBytes: sorterBytes)
        var (key, count, index): (Int64?, UInt32, UInt32) = (nil, 0, 0)
        while let end = try grouped.pop() {
            if end.key != key {
                key = end.key
                try nodes.append(record: index)
                count += 1
            }
            try incidences.append(record: end.ref)
            index += 1
            try byEdge.append(End(key: Int64(end.ref), ref: count - 1))
        }
        try nodes.append(record: index)
        report.nodes = Int(count)
        var numbered = try byEdge.sorted()
        var stream = RecordStream<RoadMap.EdgeRecord>(drafted)
        while var edge = try stream.pop() {
            guard let start = try numbered.pop(), let end = try numbered.pop() else { return }
            (edge.start, edge.end) = (start.ref, end.ref)
            try edges.append(record: edge)
        }
    }

    /// Writes the file; returns its size, bytes.
    func write(_ summary: RoadMap.Summary, _ report: RoadImportReport, to path: String) throws(ImportProblem) -> Int {
        var summary = summary
        summary.edges = UInt32(report.edges)
        summary.nodes = UInt32(report.nodes)
        summary.points = UInt32(report.points)
        summary.incompleteWays = UInt32(truncatingIfNeeded: report.incompleteWays)
        summary.unreadLimits = UInt32(truncatingIfNeeded: report.unreadLimits)
        let about = try TemporaryFile(folder: folder)
        try about.append(record: summary)
        let levels = try TemporaryFile(folder: folder)
        for box in boxes.finished() { try levels.append(record: box) }
        var writer = DataFileWriter(content: .roads)
        writer.add(RoadSection.summary, of: RoadMap.Summary.self, about)
        writer.add(RoadSection.edges, of: RoadMap.EdgeRecord.self, edges)
        writer.add(RoadSection.points, of: QuantizedPoint.self, points)
        writer.add(RoadSection.nodes, of: UInt32.self, nodes)
        writer.add(RoadSection.incidences, of: UInt32.self, incidences)
        writer.add(RoadSection.pieces, of: RoadMap.PieceRecord.self, pieces)
        writer.add(RoadSection.boxes, of: QuantizedBox.self, levels)
        writer.add(RoadSection.names, of: UInt8.self, names.file)
        writer.add(RoadSection.ruledEdges, of: RoadMap.RuledEdge.self, ruledEdges)
        writer.add(RoadSection.rules, of: UInt8.self, rules.file)
        return try writer.write(to: path)
    }
}
