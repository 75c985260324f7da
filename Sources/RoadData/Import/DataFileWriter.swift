import CZlib
import Files
import Roads

/// Writes sections to a data file and replaces the old file atomically: a reader finds either the old or the new file.
struct DataFileWriter {
    private let content: DataFile.Content
    private var sections: [(kind: UInt32, recordBytes: Int, file: TemporaryFile)] = []

    init(content: DataFile.Content) { self.content = content }

    /// Adds a section. Sections are written in this order.
    mutating func add<Record: BitwiseCopyable>(
        _ kind: some RawRepresentable<UInt32>, of record: Record.Type, _ file: TemporaryFile
    ) {
        sections.append((kind.rawValue, MemoryLayout<Record>.stride, file))
    }

    /// Writes the file; returns its size, bytes.
    @discardableResult
    func write(to path: String) throws(ImportProblem) -> Int {
        var file = try ImportProblem.at(path) { () throws(FileFault) in
            try AtomicFile(replacing: path, permissions: 0o644)
        }
        try layOut { bytes, offset throws(ImportProblem) in
            try ImportProblem.at(path) { () throws(FileFault) in
                try FileTransfer.write(bytes, to: file.descriptor, at: offset)
            }
        }
        let size = fileBytes
        try ImportProblem.at(path) { () throws(FileFault) in
            try file.setSize(size)
            try file.commit()
        }
        return size
    }

    /// The file's bytes, for use in memory.
    func bytes() throws(ImportProblem) -> [UInt8] {
        var all = [UInt8](repeating: 0, count: fileBytes)
        try layOut { bytes, offset in
            all.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(from: bytes)
            }
        }
        return all
    }

    /// Offset of the first section, bytes.
    private var start: Int { Self.aligned(DataFile.headerBytes + sections.count * DataFile.entryBytes) }

    private var fileBytes: Int { sections.reduce(start) { Self.aligned($0 + $1.file.count) } }

    /// Calls `put` with each part of the file and its offset; gaps are zero.
    private func layOut(_ put: (UnsafeRawBufferPointer, Int) throws(ImportProblem) -> Void) throws(ImportProblem) {
        var offset = start
        var table: [DataFile.Section] = []
        for section in sections {
            let checksum = try copy(section.file, to: offset, put)
            table.append(
                DataFile.Section(
                    kind: section.kind, checksum: checksum, offset: UInt64(offset), length: UInt64(section.file.count),
                    recordBytes: UInt32(section.recordBytes)))
            offset = Self.aligned(offset + section.file.count)
        }
        let header = DataFileHeader.bytes(content: content, sections: table, fileBytes: UInt64(offset))
        try header.span.withUnsafeBytes { bytes throws(ImportProblem) in try put(bytes, 0) }
    }

    private func copy(
        _ file: TemporaryFile, to start: Int, _ put: (UnsafeRawBufferPointer, Int) throws(ImportProblem) -> Void
    ) throws(ImportProblem) -> UInt32 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        try file.flush()
        var (done, checksum) = (0, UInt32(0))
        while done < file.count {
            let got = try file.read(at: done, into: buffer)
            guard got > 0 else { throw file.endedEarly }
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<got])
            checksum = Checksum.extend(checksum, part)
            try put(part, start + done)
            done += got
        }
        return checksum
    }

    private static func aligned(_ offset: Int) -> Int { (offset + 63) & ~63 }
}

/// Encoder of a data file's header.
enum DataFileHeader {
    /// The header and the table, with their checksum.
    static func bytes(content: DataFile.Content, sections: [DataFile.Section], fileBytes: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        func put<T: FixedWidthInteger>(_ value: T) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        put(DataFile.magic)
        put(DataFile.version)
        put(content.rawValue)
        put(UInt32(sections.count))
        put(UInt32(0))
        put(fileBytes)
        for section in sections {
            put(section.kind)
            put(section.checksum)
            put(section.offset)
            put(section.length)
            put(section.recordBytes)
            put(UInt32(0))
        }
        let checksum = bytes.withUnsafeBytes { Checksum.extend(0, $0) }
        withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(20..<24, with: $0) }
        return bytes
    }
}

/// CRC-32 as zlib computes it.
enum Checksum {
    /// Extends a checksum by more bytes; start with 0.
    static func extend(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(uLong(checksum), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
}
