import Glibc

/// Reads the lines of a file in constant memory.
final class LineReader {
    /// Maximum length of a line, bytes; a longer one is not a table of numbers.
    static let maximumLineBytes = 16_384

    /// Path as the user wrote it.
    let path: String
    /// Number of the latest line, counted from 1.
    private(set) var line = 0

    private let descriptor: Int32
    private let buffer: UnsafeMutablePointer<UInt8>
    private let capacity = 8 * LineReader.maximumLineBytes
    private var start = 0
    private var end = 0
    private var atEndOfFile = false

    /// Opens the file; `nil` if it does not exist.
    init?(path: String) throws(RecordingError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw RecordingError(
                path: path, problem: "cannot be opened (\(String(cString: strerror(errno))))",
                remedy: "make it readable")
        }
        self.path = path
        self.descriptor = descriptor
        buffer = .allocate(capacity: capacity)
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// The next line without its line end, valid until the next call; `nil` at the end of the file.
    func next() throws(RecordingError) -> UnsafeBufferPointer<UInt8>? {
        var scanned = start
        while true {
            if let hit = memchr(buffer + scanned, 10, end - scanned) {
                let newline = hit - UnsafeMutableRawPointer(buffer)
                return consume(until: newline, resumeAt: newline + 1)
            }
            scanned = end
            if atEndOfFile { return start < end ? consume(until: end, resumeAt: end) : nil }
            guard end - start <= LineReader.maximumLineBytes else {
                throw RecordingError(
                    path: path, line: line + 1, problem: "the line is longer than \(LineReader.maximumLineBytes) bytes",
                    remedy: "this is not a table of numbers; give a CSV file with one reading a line")
            }
            scanned -= start
            try refill()
        }
    }

    private func consume(until lineEnd: Int, resumeAt: Int) -> UnsafeBufferPointer<UInt8> {
        var last = lineEnd
        if last > start, buffer[last - 1] == 13 { last -= 1 }
        let taken = UnsafeBufferPointer(start: buffer + start, count: last - start)
        start = resumeAt
        line += 1
        return taken
    }

    /// Moves the unread bytes to the front of the buffer and reads more.
    private func refill() throws(RecordingError) {
        memmove(buffer, buffer + start, end - start)
        end -= start
        start = 0
        var count = 0
        repeat { count = read(descriptor, buffer + end, capacity - end) } while count < 0 && errno == EINTR
        guard count >= 0 else {
            let advice = errno == EISDIR ? "it is a folder; put a file of this name there" : "check the disk"
            throw RecordingError(
                path: path, problem: "cannot be read (\(String(cString: strerror(errno))))", remedy: advice)
        }
        atEndOfFile = count == 0
        end += count
    }
}
