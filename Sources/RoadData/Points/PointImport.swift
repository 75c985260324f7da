import BoundedJSON
import Files
import Roads

/// Creates a point file from any supported format; invalid records are skipped and counted.
///
/// GeoJSON: features with points. GPX: waypoints. Comma-separated values with a header line. An XML property list: an
/// array of dictionaries with name, lat, long, alt, image, description and url. An OpenStreetMap extract: nodes with a
/// name and a tag that gives their category.
public struct PointImport {
    /// OpenStreetMap keys whose values are used as categories.
    public var osmKeys: Set<String> = ["amenity", "tourism", "shop", "historic", "leisure", "natural"]
    /// Memory of a sorter, bytes.
    var sorterBytes = 8 << 20

    /// Maximum size of a text file, bytes.
    public static let maximumTextBytes = 64 << 20

    /// Creates an import.
    public init() {}

    /// Reads points and writes the point file; an existing file is replaced atomically at the end.
    public func run(from source: String, to target: String) throws(ImportProblem) -> PointImportReport {
        var (writer, report) = try sections(of: source, folder: AtomicFile.folder(of: target))
        report.bytes = try writer.write(to: target)
        return report
    }

    /// Opens points for use: a point file is mapped; another format is imported to memory. Blocks on the disk.
    public func open(path: String) throws(ImportProblem) -> (map: PointMap, report: PointImportReport?) {
        let head = try TextFile.bytes(of: path, maximum: nil, limit: 8)
        if head.elementsEqual("POSEDATA".utf8) {
            return (try Self.map(MappedFile(path: path, content: .points), path), nil)
        }
        let (writer, report) = try sections(of: path, folder: "/tmp")
        return (try Self.map(MemoryRegion(writer.bytes()), path), report)
    }

    private static func map(_ region: any ByteRegion, _ path: String) throws(ImportProblem) -> PointMap {
        try ImportProblem.ofData(path) { () throws(DataFile.Fault) in try PointMap(region) }
    }

    private func sections(of source: String, folder: String) throws(ImportProblem) -> (
        writer: DataFileWriter, report: PointImportReport
    ) {
        var builder = try PointFileBuilder(folder: folder, sorterBytes: sorterBytes)
        if source.hasSuffix(".pbf") {
            try OSMPoints(keys: osmKeys).read(OSMFile(path: source), &builder)
        } else {
            let bytes = try TextFile.bytes(of: source, maximum: Self.maximumTextBytes)
            try read(bytes, source, &builder)
        }
        guard builder.report.count > 0 else {
            let first = builder.report.reasons.first.map { " (\($0))" } ?? ""
            throw ImportProblem(
                place: source,
                reason: "no valid point; \(builder.report.skipped) records were skipped\(first)",
                remedy: "check that the file is what it should be")
        }
        return try builder.finished()
    }

    /// Detects the format from the content.
    private func read(_ bytes: [UInt8], _ source: String, _ builder: inout PointFileBuilder) throws(ImportProblem) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes[start...].first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        switch first {
        case nil:
            throw ImportProblem(
                place: source, reason: "the file is empty",
                remedy: "give GeoJSON, GPX, CSV, a property list or an .osm.pbf extract")
        case UInt8(ascii: "{"): try GeoJSONPoints.read(bytes, source, &builder)
        case UInt8(ascii: "<"): try XMLPoints.read(bytes, source, &builder)
        default:
            guard !bytes.prefix(512).contains(0) else {
                throw ImportProblem(
                    place: source, reason: "the file is binary",
                    remedy: "give GeoJSON, GPX, CSV, a property list in XML, or an .osm.pbf extract")
            }
            try CSVPoints.read(bytes, source, &builder)
        }
    }
}
