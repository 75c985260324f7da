import Geodesy
import PoseMath
import Roads

/// A point of interest to be written to a file.
public struct InterestPlace: Sendable, Equatable {
    /// Position; its altitude is ignored.
    public var position: GeodeticPosition
    /// Height above mean sea level, metres; `nil`: unknown.
    public var heightMeanSeaMeters: Double?
    /// Texts; an empty id is replaced by a generated one.
    public var fields = PointDetailsCoder.Fields()
    /// Names of its categories.
    public var categories: [String] = []

    /// Creates a point with only a position.
    public init(position: GeodeticPosition) { self.position = position }
}

/// Result of a point import.
public struct PointImportReport: Sendable, Equatable {
    /// Number of imported points.
    public var count = 0
    /// Number of invalid records that were skipped.
    public var skipped = 0
    /// The first reasons for skipping, each with its location.
    public var reasons: [String] = []
    /// Number of different categories.
    public var categories = 0
    /// Size of the file, bytes.
    public var bytes = 0

    /// Maximum number of stored reasons.
    static let maximumReasons = 10

    /// Creates an empty report.
    public init() {}

    /// Counts a skipped record, with its reason.
    mutating func skip(_ place: String, _ reason: String) {
        skipped += 1
        if reasons.count < Self.maximumReasons { reasons.append("\(place): \(reason)") }
    }
}

/// Sorts points in spatial order, in bounded memory.
struct PointFileBuilder {
    private struct Draft: Sortable {
        var order: UInt64
        var number: UInt64
        var record: PointMap.PointRecord

        static func precedes(_ a: Draft, _ b: Draft) -> Bool {
            a.order != b.order ? a.order < b.order : a.number < b.number
        }
    }

    /// Maximum number of categories.
    static let maximumCategories = 65_535

    private let folder: String
    private let details: TemporaryFile
    private var drafts: ExternalSorter<Draft>
    private var categoryNumbers: [String: UInt16] = [:]
    private var categoryNames: [String] = []
    /// Result so far.
    var report = PointImportReport()

    init(folder: String, sorterBytes: Int = 8 << 20) throws(ImportProblem) {
        self.folder = folder
        details = try TemporaryFile(folder: folder)
        drafts = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
    }

    /// Adds a point; a point with an invalid position is skipped.
    mutating func add(_ place: InterestPlace, at origin: @autoclosure () -> String) throws(ImportProblem) {
        guard place.position.isValid else { return report.skip(origin(), "its position is not on Earth") }
        guard let offset = UInt32(exactly: details.count) else {
            throw ImportProblem(
                place: folder, reason: "the point file cannot hold more texts", remedy: "import fewer points")
        }
        var fields = place.fields
        if fields.id.isEmpty { fields.id = "#\(report.count + report.skipped + 1)" }
        var record = PointMap.PointRecord()
        var ground = place.position
        ground.altitudeEllipsoidMeters = 0
        record.place = QuantizedPoint(meters: ground.ecefMeters)
        if let height = place.heightMeanSeaMeters, height > -1000, height < 20_000 {
            record.heightDecimeters = Int32((height * 10).rounded())
        }
        for name in Self.normalised(place.categories) {
            guard let number = number(of: name) else { continue }
            fields.categories.append(number)
            record.categories |= 1 << UInt64(number % 64)
        }
        record.details = offset
        try PointDetailsCoder.bytes(fields).span.withUnsafeBytes { bytes throws(ImportProblem) in
            try details.append(bytes)
        }
        try drafts.append(Draft(order: record.place.order, number: UInt64(report.count), record: record))
        report.count += 1
    }

    /// Category names as they are stored, without duplicates, empty and very long names.
    static func normalised(_ names: [String]) -> [String] {
        var seen: [String] = []
        for name in names {
            let text = PointMap.categoryName(name)
            if !text.isEmpty, text.utf8.count <= 100, !seen.contains(text) { seen.append(text) }
        }
        return seen
    }

    private mutating func number(of name: String) -> UInt16? {
        if let known = categoryNumbers[name] { return known }
        guard categoryNames.count < Self.maximumCategories else { return nil }
        let number = UInt16(categoryNames.count)
        categoryNames.append(name)
        categoryNumbers[name] = number
        return number
    }

    /// The finished sections and the report.
    consuming func finished() throws(ImportProblem) -> (writer: DataFileWriter, report: PointImportReport) {
        let points = try TemporaryFile(folder: folder)
        let (boxFile, maskFile, names) = (
            try TemporaryFile(folder: folder), try TemporaryFile(folder: folder), try TemporaryFile(folder: folder)
        )
        var boxes = Levels<QuantizedBox>(fanOut: PointMap.fanOut)
        var masks = Levels<PointMap.CategoryMasks>(fanOut: PointMap.fanOut)
        var sorted = try drafts.sorted()
        while let draft = try sorted.pop() {
            try points.append(record: draft.record)
            var box = QuantizedBox()
            box.include(draft.record.place)
            boxes.add(box)
            masks.add(PointMap.CategoryMasks(draft.record.categories))
        }
        for box in boxes.finished() { try boxFile.append(record: box) }
        for mask in masks.finished() { try maskFile.append(record: mask) }
        for name in categoryNames {
            try names.append(record: UInt8(name.utf8.count))
            try Array(name.utf8).span.withUnsafeBytes { bytes throws(ImportProblem) in try names.append(bytes) }
        }
        var writer = DataFileWriter(content: .points)
        writer.add(PointSection.points, of: PointMap.PointRecord.self, points)
        writer.add(PointSection.boxes, of: QuantizedBox.self, boxFile)
        writer.add(PointSection.masks, of: PointMap.CategoryMasks.self, maskFile)
        writer.add(PointSection.details, of: UInt8.self, details)
        writer.add(PointSection.categories, of: UInt8.self, names)
        report.categories = categoryNames.count
        return (writer, report)
    }
}
