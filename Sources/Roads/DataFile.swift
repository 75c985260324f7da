/// The layout of road files and point files: a header, a table of sections, and the sections. Little-endian.
///
/// | bytes | what |
/// |---|---|
/// | 0..<8 | `POSEDATA` |
/// | 8..<12 | version of the layout, now 1 |
/// | 12..<16 | content: 1 roads, 2 points of interest |
/// | 16..<20 | number of sections, at most 16 |
/// | 20..<24 | CRC-32 (that of zlib) of the header and the table, with these four bytes 0 |
/// | 24..<32 | size of the file |
/// | from 32 | 32 bytes per section: kind (4), CRC-32 (4), offset (8), length (8), size of a record (4), 0 (4) |
///
/// Sections begin at multiples of 64 bytes.
public enum DataFile {
    /// Magic number, the first eight bytes.
    public static let magic: UInt64 = 0x4154_4144_4553_4F50
    /// Version of the layout.
    public static let version: UInt32 = 1
    /// Size of the header, bytes.
    public static let headerBytes = 32
    /// Size of one table entry, bytes.
    public static let entryBytes = 32
    /// Maximum number of sections.
    public static let maximumSections = 16

    /// Content type of a file.
    public enum Content: UInt32, Sendable {
        /// Roads.
        case roads = 1
        /// Points of interest.
        case points = 2
    }

    /// One entry of the table.
    public struct Section: Sendable, Equatable {
        /// Kind of section.
        public var kind: UInt32
        /// CRC-32 of the section's bytes.
        public var checksum: UInt32
        /// Offset in the file, bytes.
        public var offset: UInt64
        /// Length, bytes.
        public var length: UInt64
        /// Size of one record, bytes.
        public var recordBytes: UInt32

        /// Creates a table entry.
        public init(kind: UInt32, checksum: UInt32, offset: UInt64, length: UInt64, recordBytes: UInt32) {
            self.kind = kind
            self.checksum = checksum
            self.offset = offset
            self.length = length
            self.recordBytes = recordBytes
        }
    }

    /// Why bytes are not a valid data file.
    public enum Fault: Error, Sendable, Equatable {
        /// The magic number is missing.
        case notADataFile
        /// The layout version is not supported.
        case otherVersion(UInt32)
        /// The content type is another one.
        case otherContent(UInt32)
        /// The file's size differs from the size in its header: it was truncated or extended.
        case wrongSize(expected: UInt64, found: UInt64)
        /// A section is outside the file, is not a whole number of records, or is missing.
        case badSection(UInt32)
    }

    /// Reads the header and the table. Checksums are not verified here, because that reads the whole file.
    public static func sections(of bytes: UnsafeRawBufferPointer, fileBytes: UInt64, content: Content) throws(Fault)
        -> [Section]
    {
        guard bytes.count >= headerBytes, load(bytes, 0, UInt64.self) == magic else { throw .notADataFile }
        let found = load(bytes, 8, UInt32.self)
        guard found == version else { throw .otherVersion(found) }
        let holds = load(bytes, 12, UInt32.self)
        guard holds == content.rawValue else { throw .otherContent(holds) }
        let size = load(bytes, 24, UInt64.self)
        guard size == fileBytes else { throw .wrongSize(expected: size, found: fileBytes) }
        let count = Int(load(bytes, 16, UInt32.self))
        guard count <= maximumSections, headerBytes + count * entryBytes <= bytes.count else { throw .badSection(0) }
        var sections: [Section] = []
        for index in 0..<count {
            let at = headerBytes + index * entryBytes
            let section = Section(
                kind: load(bytes, at, UInt32.self), checksum: load(bytes, at + 4, UInt32.self),
                offset: load(bytes, at + 8, UInt64.self),
                length: load(bytes, at + 16, UInt64.self), recordBytes: load(bytes, at + 24, UInt32.self))
            let (end, overflow) = section.offset.addingReportingOverflow(section.length)
            guard !overflow, end <= size, section.recordBytes > 0, section.length % UInt64(section.recordBytes) == 0
            else {
                throw .badSection(section.kind)
            }
            sections.append(section)
        }
        return sections
    }

    /// Loads a little-endian number; the caller has checked the bounds.
    @inline(__always) static func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _: T.Type
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

/// Bytes at a fixed address for the lifetime of the object: a mapped file, or memory.
public protocol ByteRegion: AnyObject, Sendable {
    /// The bytes.
    var bytes: UnsafeRawBufferPointer { get }
    /// Whether the bytes were lost after the region was opened, so that all of them are zeros now.
    var isDamaged: Bool { get }
}

extension ByteRegion {
    /// Memory keeps its bytes.
    public var isDamaged: Bool { false }
}

/// A data file's bytes with its table of sections.
struct DataSections {
    private let region: any ByteRegion
    private let table: [DataFile.Section]

    /// Reads the table of a data file; throws if the content type or the layout is another one.
    init(_ region: any ByteRegion, content: DataFile.Content) throws(DataFile.Fault) {
        self.region = region
        table = try DataFile.sections(of: region.bytes, fileBytes: UInt64(region.bytes.count), content: content)
    }

    /// The records of a section; throws if it is missing or its records are too short.
    func records<Record: BitwiseCopyable>(
        _ kind: some RawRepresentable<UInt32>, of record: Record.Type = Record.self
    ) throws(DataFile.Fault) -> Records<Record> {
        guard let section = table.first(where: { $0.kind == kind.rawValue }),
            let records = Records<Record>(region, section)
        else {
            throw .badSection(kind.rawValue)
        }
        return records
    }
}

/// The records of one section. Reading beyond the end returns `nil`, whatever the file contains.
struct Records<Record: BitwiseCopyable>: Sendable {
    // The region outlives its records: every owner of records also holds the region.
    private let base: UInt
    /// Number of records.
    let count: Int
    private let stride: Int

    /// The records of a section; `nil` if it is outside the region or its records are too short.
    init?(_ region: any ByteRegion, _ section: DataFile.Section) {
        guard let start = region.bytes.baseAddress, section.recordBytes >= UInt32(MemoryLayout<Record>.size),
            let offset = Int(exactly: section.offset), section.offset + section.length <= UInt64(region.bytes.count)
        else { return nil }
        base = UInt(bitPattern: start + offset)
        stride = Int(section.recordBytes)
        count = Int(section.length) / stride
    }

    /// A record by index; `nil` if it does not exist.
    @inline(__always) subscript(_ index: Int) -> Record? {
        guard index >= 0, index < count, let start = UnsafeRawPointer(bitPattern: base) else { return nil }
        return (start + index * stride).loadUnaligned(as: Record.self)
    }

    /// Calls `body` with the eight bytes at `offset` of each record in a range; records beyond the end are skipped.
    @inline(__always) func forEachWord(at offset: Int, in range: Range<Int>, _ body: (UInt64) -> Void) {
        let range = range.clamped(to: 0..<count)
        guard offset >= 0, offset + MemoryLayout<UInt64>.size <= stride, let start = UnsafeRawPointer(bitPattern: base)
        else { return }
        for index in range { body((start + index * stride + offset).loadUnaligned(as: UInt64.self)) }
    }
}

extension Records<UInt8> {
    /// A text stored as one length byte and UTF-8, and the offset after it; `nil` if it is incomplete.
    func text(at place: Int) -> (text: String, end: Int)? {
        guard let length = self[place].map({ Int($0) }), place + length < count else { return nil }
        let bytes = (0..<length).compactMap { self[place + 1 + $0] }
        return (String(decoding: bytes, as: UTF8.self), place + 1 + length)
    }
}
