import Files
import Roads

/// A memory-mapped data file. Pages are read from the disk on first access.
public final class MappedFile: ByteRegion {
    private let mapping: FileMapping

    /// The bytes.
    public var bytes: UnsafeRawBufferPointer { mapping.bytes }
    /// Whether the file was shortened in place, or its disk could not read it, so that all bytes are zeros now.
    public var isDamaged: Bool { mapping.isDamaged }

    /// Verifies all checksums of a file, then maps it. Verification reads the file once, in pieces. Blocks on the disk.
    public init(path: String, content: DataFile.Content) throws(ImportProblem) {
        let file = try SourceFile(path)
        try Self.check(file, content: content, path: path)
        mapping = try file.mapping()
    }

    private static func check(_ file: borrowing SourceFile, content: DataFile.Content, path: String)
        throws(ImportProblem)
    {
        let fileBytes = file.size
        let most = DataFile.headerBytes + DataFile.maximumSections * DataFile.entryBytes
        let head = try file.bytes(count: min(most, fileBytes))
        let sections = try ImportProblem.ofData(path) { () throws(DataFile.Fault) in
            try head.span.withUnsafeBytes { bytes throws(DataFile.Fault) in
                try DataFile.sections(of: bytes, fileBytes: UInt64(fileBytes), content: content)
            }
        }
        let expected = DataFileHeader.bytes(content: content, sections: sections, fileBytes: UInt64(fileBytes))
        guard head.count >= expected.count, Array(head.prefix(expected.count)) == expected else {
            throw ImportProblem(
                place: path, reason: "the header is damaged (its checksum is wrong)", remedy: "import it again")
        }
        for section in sections { try check(section, file, path) }
    }

    private static func check(_ section: DataFile.Section, _ file: borrowing SourceFile, _ path: String)
        throws(ImportProblem)
    {
        var checksum = UInt32(0)
        let length = Int(section.length)
        for done in stride(from: 0, to: length, by: 1 << 18) {
            let part = try file.bytes(at: Int(section.offset) + done, count: min(1 << 18, length - done))
            checksum = part.withUnsafeBytes { Checksum.extend(checksum, $0) }
        }
        guard checksum == section.checksum else {
            throw ImportProblem(
                place: path, reason: "section \(section.kind) is damaged (its checksum is wrong)",
                remedy: "import it again")
        }
    }
}

/// A data file in memory.
///
/// Why `@unchecked Sendable` is true: the bytes are written in `init` and never changed.
final class MemoryRegion: ByteRegion, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ content: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(content.count, 1), alignment: 64)
        copy.copyBytes(from: content)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}

extension ImportProblem {
    /// Runs an operation on a data file's bytes; converts its fault to a problem of the path.
    static func ofData<Result>(_ path: String, _ body: () throws(DataFile.Fault) -> Result) throws(ImportProblem)
        -> Result
    {
        do throws(DataFile.Fault) {
            return try body()
        } catch {
            throw ImportProblem(fault: error, path: path)
        }
    }

    private init(fault: DataFile.Fault, path: String) {
        switch fault {
        case .notADataFile:
            self.init(
                place: path, reason: "is not a data file of posed",
                remedy: "make one with `posectl roads import` or `posectl points import`")
        case .otherVersion(let version):
            self.init(
                place: path, reason: "is of version \(version), which this release does not read",
                remedy: "import it again with this release")
        case .otherContent(let found):
            let what =
                found == DataFile.Content.roads.rawValue
                ? "roads" : found == DataFile.Content.points.rawValue ? "points of interest" : "something unknown"
            self.init(place: path, reason: "holds \(what)", remedy: "give the other file")
        case .wrongSize(let expected, let found):
            self.init(
                place: path,
                reason: "has \(found) bytes, but was written with \(expected): it was truncated or extended",
                remedy: "import it again")
        case .badSection(let kind):
            self.init(
                place: path, reason: "section \(kind) is missing or lies outside the file", remedy: "import it again")
        }
    }
}
