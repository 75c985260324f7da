import CZlib
import Roads

#if canImport(Glibc)
    import Glibc
#endif

/// Puts sections together to a data file, and puts that in its place at once: whoever reads there finds the old file or the new one.
struct DataFileWriter {
    private let content: DataFile.Content
    private var sections: [(kind: UInt32, recordBytes: Int, file: TemporaryFile)] = []

    init(content: DataFile.Content) { self.content = content }

    /// Adds a section; sections are written in the order they were added.
    mutating func add(kind: UInt32, recordBytes: Int, _ file: TemporaryFile) { sections.append((kind, recordBytes, file)) }

    /// Writes the file; how many bytes it has.
    @discardableResult
    func write(to path: String) throws(ImportProblem) -> Int {
        var status = stat()
        // A device or a pipe would be replaced like a file: whoever is root would lose /dev/null.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw ImportProblem(place: path, reason: "is there and is no file", remedy: "name a file; it may be new")
        }
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.problem(new, "cannot be made") }
        do throws(ImportProblem) {
            let size = try write(descriptor, new)
            guard fsync(descriptor) == 0 else { throw Self.problem(new, "cannot be written") }
            close(descriptor)
            guard rename(new, path) == 0 else { throw Self.problem(path, "cannot be replaced") }
            Self.syncFolder(of: path)
            return size
        } catch {
            close(descriptor)
            unlink(new)
            throw error
        }
    }

    /// The file's bytes, for those who keep it in memory.
    func bytes() throws(ImportProblem) -> [UInt8] {
        var offset = Self.aligned(DataFile.headerBytes + sections.count * DataFile.entryBytes)
        var content: [UInt8] = []
        var table: [DataFile.Section] = []
        for section in sections {
            try section.file.flush()
            content += [UInt8](
                repeating: 0, count: offset - Self.aligned(DataFile.headerBytes + sections.count * DataFile.entryBytes) - content.count)
            let part = try section.file.bytes()
            content += part
            table.append(
                DataFile.Section(
                    kind: section.kind, checksum: part.withUnsafeBytes { Checksum.extend(0, $0) }, offset: UInt64(offset), length: UInt64(part.count),
                    recordBytes: UInt32(section.recordBytes)))
            offset = Self.aligned(offset + part.count)
        }
        let start = Self.aligned(DataFile.headerBytes + sections.count * DataFile.entryBytes)
        var all = DataFileHeader.bytes(content: self.content, sections: table, fileBytes: UInt64(offset))
        all += [UInt8](repeating: 0, count: start - all.count)
        all += content
        return all + [UInt8](repeating: 0, count: offset - all.count)
    }

    private func write(_ descriptor: Int32, _ path: String) throws(ImportProblem) -> Int {
        var offset = Self.aligned(DataFile.headerBytes + sections.count * DataFile.entryBytes)
        var table: [DataFile.Section] = []
        for section in sections {
            try section.file.flush()
            let checksum = try copy(section.file, to: descriptor, at: offset, path)
            table.append(
                DataFile.Section(
                    kind: section.kind, checksum: checksum, offset: UInt64(offset), length: UInt64(section.file.count),
                    recordBytes: UInt32(section.recordBytes)))
            offset = Self.aligned(offset + section.file.count)
        }
        guard ftruncate(descriptor, off_t(offset)) == 0 else { throw Self.problem(path, "cannot be written") }
        let header = DataFileHeader.bytes(content: content, sections: table, fileBytes: UInt64(offset))
        try header.withBytes { bytes throws(ImportProblem) in try Self.put(bytes, descriptor, at: 0, path) }
        return offset
    }

    private func copy(_ file: TemporaryFile, to descriptor: Int32, at start: Int, _ path: String) throws(ImportProblem) -> UInt32 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var (done, checksum) = (0, UInt32(0))
        while done < file.count {
            let got = try file.read(at: done, into: buffer)
            guard got > 0 else { throw ImportProblem(place: path, reason: "a temporary file ended early", remedy: "check the disk") }
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<got])
            checksum = Checksum.extend(checksum, part)
            try Self.put(part, descriptor, at: start + done, path)
            done += got
        }
        return checksum
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, at offset: Int, _ path: String) throws(ImportProblem) {
        var done = 0
        while done < bytes.count {
            let wrote = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if wrote < 0, errno == EINTR { continue }
            guard wrote > 0 else { throw problem(path, "cannot be written") }
            done += wrote
        }
    }

    private static func aligned(_ offset: Int) -> Int { (offset + 63) & ~63 }

    private static func problem(_ path: String, _ what: String) -> ImportProblem {
        ImportProblem(
            place: path, reason: "\(what): \(String(cString: strerror(errno)))", remedy: "check the folder's permissions and the room on its disk")
    }

    /// The name is safe on the disk only with its folder.
    private static func syncFolder(of path: String) {
        let folder = FilePlace.folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Paths.
enum FilePlace {
    /// The folder that a file lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// The header of a data file as bytes.
enum DataFileHeader {
    /// The header and the table, with their checksum.
    static func bytes(content: DataFile.Content, sections: [DataFile.Section], fileBytes: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        func put<T: FixedWidthInteger>(_ value: T) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }
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
    /// The checksum of what was and more bytes; 0 at the start.
    static func extend(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(uLong(checksum), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
}
