/// The layout of the files of roads and of points: a header, a table of sections, and the sections. Little-endian
/// throughout.
///
/// | bytes | what |
/// |---|---|
/// | 0..<8 | `POSEDATA` |
/// | 8..<12 | version of the layout, now 1 |
/// | 12..<16 | what it holds: 1 roads, 2 points of interest |
/// | 16..<20 | number of sections, at most 16 |
/// | 20..<24 | CRC-32 (that of zlib) of the header and the table, with these four bytes 0 |
/// | 24..<32 | size of the whole file |
/// | from 32 | one entry of 32 bytes a section: its kind (4), CRC-32 (4), offset (8), length (8), size of one record
/// (4), 0 (4) |
public enum DataFile {
    /// The first eight bytes.
    public static let magic: UInt64 = 0x4154_4144_4553_4F50
    /// The version of the layout.
    public static let version: UInt32 = 1
    /// Bytes before the table.
    public static let headerBytes = 32
    /// Bytes of one entry of the table.
    public static let entryBytes = 32
    /// Sections a file may have.
    public static let maximumSections = 16

    /// What a file holds.
    public enum Content: UInt32, Sendable {
        /// Roads.
        case roads = 1
        /// Points of interest.
        case points = 2
    }

    /// One entry of the table.
    public struct Section: Sendable, Equatable {
        /// Which section.
        public var kind: UInt32
        /// CRC-32 of its bytes.
        public var checksum: UInt32
        /// Where it begins.
        public var offset: UInt64
        /// How long it is, bytes.
        public var length: UInt64
        /// Size of one record, bytes.
        public var recordBytes: UInt32

        /// An entry.
        public init(kind: UInt32, checksum: UInt32, offset: UInt64, length: UInt64, recordBytes: UInt32) {
            self.kind = kind
            self.checksum = checksum
            self.offset = offset
            self.length = length
            self.recordBytes = recordBytes
        }
    }

    /// Why bytes are no such file.
    public enum Fault: Error, Sendable, Equatable {
        /// It does not begin like one.
        case notADataFile
        /// It is of another version.
        case otherVersion(UInt32)
        /// It holds something else.
        case otherContent(UInt32)
        /// It has another size than it says: it was cut off, or something was added.
        case wrongSize(expected: UInt64, found: UInt64)
        /// A section lies outside the file, is no whole number of records, or is missing.
        case badSection(UInt32)
    }

    /// Reads the header and the table; the checksums are for whoever has the bytes to spare.
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

    /// A little-endian number; the caller has checked that it is there.
    @inline(__always) static func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _: T.Type
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

/// Bytes that stay where they are as long as this lives: a mapped file, or memory.
public protocol ByteRegion: AnyObject, Sendable {
    /// The bytes.
    var bytes: UnsafeRawBufferPointer { get }
}

/// A data file's bytes with the table of their sections.
struct DataSections {
    private let region: any ByteRegion
    private let table: [DataFile.Section]

    /// The sections of a file's bytes; throws where they hold something else.
    init(_ region: any ByteRegion, content: DataFile.Content) throws(DataFile.Fault) {
        self.region = region
        table = try DataFile.sections(of: region.bytes, fileBytes: UInt64(region.bytes.count), content: content)
    }

    /// The records of a section; throws where it is missing, or its records are too short.
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

/// The records of one section: reading beyond the end gives `nil`, whatever the file says.
struct Records<Record: BitwiseCopyable>: Sendable {
    // A region outlives its records: whoever holds these holds the region too.
    private let base: UInt
    /// How many.
    let count: Int
    private let stride: Int

    /// The records of a section; `nil` where it lies outside the region, or they are too short.
    init?(_ region: any ByteRegion, _ section: DataFile.Section) {
        guard let start = region.bytes.baseAddress, section.recordBytes >= UInt32(MemoryLayout<Record>.size),
            let offset = Int(exactly: section.offset), section.offset + section.length <= UInt64(region.bytes.count)
        else { return nil }
        base = UInt(bitPattern: start + offset)
        stride = Int(section.recordBytes)
        count = Int(section.length) / stride
    }

    /// A record; `nil` where there is none of that number.
    @inline(__always) subscript(_ index: Int) -> Record? {
        guard index >= 0, index < count, let start = UnsafeRawPointer(bitPattern: base) else { return nil }
        return (start + index * stride).loadUnaligned(as: Record.self)
    }

    /// Calls with eight bytes of each record of a range, from a byte of the record on; records that are not there are
    /// left out.
    @inline(__always) func forEachWord(at offset: Int, in range: Range<Int>, _ body: (UInt64) -> Void) {
        let range = range.clamped(to: 0..<count)
        guard offset >= 0, offset + MemoryLayout<UInt64>.size <= stride, let start = UnsafeRawPointer(bitPattern: base)
        else { return }
        for index in range { body((start + index * stride + offset).loadUnaligned(as: UInt64.self)) }
    }
}

extension Records<UInt8> {
    /// A text of a byte of length, then UTF-8, and the place behind it; `nil` where it is not there whole.
    func text(at place: Int) -> (text: String, end: Int)? {
        guard let length = self[place].map({ Int($0) }), place + length < count else { return nil }
        let bytes = (0..<length).compactMap { self[place + 1 + $0] }
        return (String(decoding: bytes, as: UTF8.self), place + 1 + length)
    }
}
