import Files
import Glibc

/// A file without a name, for what does not fit in memory: gone with the program whatever happens. Written in order,
/// read anywhere.
final class TemporaryFile {
    private let descriptor: Int32
    private let folder: String
    private var buffer: [UInt8] = []
    /// Bytes written so far.
    private(set) var count = 0

    private static let bufferBytes = 1 << 18

    /// A file in a folder, where its disk has the room.
    init(folder: String) throws(ImportProblem) {
        self.folder = folder
        var template = Array("\(folder)/.posed-import.XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw ImportProblem(
                place: folder, reason: "no file can be made: \(String(cString: strerror(errno)))",
                remedy: "give a folder that may be written to")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        buffer.reserveCapacity(Self.bufferBytes)
    }

    deinit { close(descriptor) }

    /// Adds bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ImportProblem) {
        count += bytes.count
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Adds a record at the end.
    func append<Record: BitwiseCopyable>(record: Record) throws(ImportProblem) {
        try withUnsafeBytes(of: record) { bytes throws(ImportProblem) in try append(bytes) }
    }

    /// Puts everything in the file, so that it can be read.
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

    /// Reads from a place on; how many bytes were there.
    func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(ImportProblem) -> Int {
        try ImportProblem.at(folder) { () throws(FileFault) in
            try FileTransfer.read(from: descriptor, at: offset, into: target)
        }
    }

    /// The problem of a file that has less than was written to it.
    var endedEarly: ImportProblem {
        ImportProblem(place: folder, reason: "a temporary file ended early", remedy: "check the disk")
    }
}

/// Reads the records of a temporary file in order.
struct RecordStream<Record: BitwiseCopyable> {
    private let file: TemporaryFile
    private let end: Int
    private var offset: Int
    private var buffer: [Record] = []
    private var next = 0

    /// The records of a part of a file, which must have been flushed.
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
