import Geodesy
import PoseMath
import Roads

/// A point of interest as a file has it.
public struct InterestPlace: Sendable, Equatable {
    /// Where; the altitude is not used.
    public var position: GeodeticPosition
    /// Height above mean sea level, metres; `nil`: not known.
    public var heightMeanSeaMeters: Double?
    /// Texts; an empty id is given one.
    public var fields = PointDetailsCoder.Fields()
    /// What it is.
    public var categories: [String] = []

    /// A point of which nothing else is known.
    public init(position: GeodeticPosition) { self.position = position }
}

/// What came of reading points.
public struct PointImportReport: Sendable, Equatable {
    /// Points taken.
    public var count = 0
    /// Records left out because something was wrong with them.
    public var skipped = 0
    /// The first reasons, each with its place.
    public var reasons: [String] = []
    /// Different categories.
    public var categories = 0
    /// Bytes of the file.
    public var bytes = 0

    /// Reasons that are kept.
    static let mostReasons = 10

    /// Nothing yet.
    public init() {}

    /// Leaves out a record.
    mutating func skip(_ place: String, _ reason: String) {
        skipped += 1
        if reasons.count < Self.mostReasons { reasons.append("\(place): \(reason)") }
    }
}

/// Puts points in the order of space, in bounded memory.
struct PointFileBuilder {
    private struct Draft: Sortable {
        var order: UInt64
        var number: UInt64
        var record: PointMap.PointRecord

        static func precedes(_ a: Draft, _ b: Draft) -> Bool {
            a.order != b.order ? a.order < b.order : a.number < b.number
        }
    }

    /// Categories that can be told apart.
    static let mostCategories = 65_535

    private let folder: String
    private let details: TemporaryFile
    private var drafts: ExternalSorter<Draft>
    private var categoryNumbers: [String: UInt16] = [:]
    private var categoryNames: [String] = []
    /// What came of it so far.
    var report = PointImportReport()

    init(folder: String, sorterBytes: Int = 8 << 20) throws(ImportProblem) {
        self.folder = folder
        details = try TemporaryFile(folder: folder)
        drafts = ExternalSorter(folder: folder, memoryBytes: sorterBytes)
    }

    /// Takes a point; one that has no sound place is left out.
    mutating func add(_ place: InterestPlace, at origin: @autoclosure () -> String) throws(ImportProblem) {
        guard place.position.isValid else { return report.skip(origin(), "its place is not on the Earth") }
        guard let offset = UInt32(exactly: details.count) else {
            throw ImportProblem(
                place: folder, reason: "there are more texts than a file can hold", remedy: "import fewer points")
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

    /// Trimmed, in small letters, without repeats and empty ones; `caffe` is `cafe`.
    static func normalised(_ names: [String]) -> [String] {
        var seen: [String] = []
        for name in names {
            var text = name.split(separator: " ", omittingEmptySubsequences: true).joined(separator: "_").lowercased()
            if text == "caffe" { text = "cafe" }
            if !text.isEmpty, text.utf8.count <= 100, !seen.contains(text) { seen.append(text) }
        }
        return seen
    }

    private mutating func number(of name: String) -> UInt16? {
        if let known = categoryNumbers[name] { return known }
        guard categoryNames.count < Self.mostCategories else { return nil }
        let number = UInt16(categoryNames.count)
        categoryNames.append(name)
        categoryNumbers[name] = number
        return number
    }

    /// The sections, ready to be written.
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
