import Files
import Glibc

/// An unnamed file for data that do not fit in memory. The kernel removes it when the program ends. Written
/// sequentially, read at any offset.
final class TemporaryFile {
    private let descriptor: Int32
    private let folder: String
    private var buffer: [UInt8] = []
    /// Number of bytes written.
    private(set) var count = 0

    private static let bufferBytes = 1 << 18

    /// Creates a file on the disk of a folder.
    init(folder: String) throws(ImportProblem) {
        self.folder = folder
        var template = Array("\(folder)/.posed-import.XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw ImportProblem(
                place: folder, reason: "cannot create a temporary file: \(String(cString: strerror(errno)))",
                remedy: "give a writable folder")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        buffer.reserveCapacity(Self.bufferBytes)
    }

    deinit { close(descriptor) }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ImportProblem) {
        count += bytes.count
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Appends a record.
    func append<Record: BitwiseCopyable>(record: Record) throws(ImportProblem) {
        try withUnsafeBytes(of: record) { bytes throws(ImportProblem) in try append(bytes) }
    }

    /// Writes the buffer to the file, so that it can be read.
    func flush() throws(ImportProblem) {
        do {
            let buffer = buffer
            try ImportProblem.at(folder, remedy: "make room on the disk, about twice the extract's size") {
                () throws(FileFault) in
                try buffer.span.withUnsafeBytes { bytes throws(FileFault) in
                    try FileTransfer.write(bytes, to: descriptor)
                }
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Reads from an offset; returns the number of bytes read.
    func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(ImportProblem) -> Int {
        try ImportProblem.at(folder) { () throws(FileFault) in
            try FileTransfer.read(from: descriptor, at: offset, into: target)
        }
    }

    /// The problem of a file that is shorter than what was written.
    var endedEarly: ImportProblem {
        ImportProblem(place: folder, reason: "a temporary file ended early", remedy: "check the disk")
    }
}

/// Iterates over the records of a temporary file.
struct RecordStream<Record: BitwiseCopyable> {
    private let file: TemporaryFile
    private let end: Int
    private var offset: Int
    private var buffer: [Record] = []
    private var next = 0

    /// Reads the records of a part of a file, which must have been flushed.
    init(_ file: TemporaryFile, from start: Int = 0, count: Int? = nil) {
        self.file = file
        offset = start
        end = count.map { start + $0 * MemoryLayout<Record>.stride } ?? file.count
    }

    /// The next record; `nil` at the end.
    mutating func pop() throws(ImportProblem) -> Record? {
        if next == buffer.count { try fill() }
        guard next < buffer.count else { return nil }
        next += 1
        return buffer[next - 1]
    }

    private mutating func fill() throws(ImportProblem) {
        let stride = MemoryLayout<Record>.stride
        let room = min(1024, (end - offset) / stride)
        next = 0
        buffer.removeAll(keepingCapacity: true)
        guard room > 0 else { return }
        let file = file
        let offset = offset
        var problem: ImportProblem?
        buffer = [Record](unsafeUninitializedCapacity: room) { target, count in
            do throws(ImportProblem) {
                count = try file.read(at: offset, into: UnsafeMutableRawBufferPointer(target)) / stride
            } catch {
                problem = error
                count = 0
            }
        }
        if let problem { throw problem }
        self.offset += buffer.count * stride
    }
}
