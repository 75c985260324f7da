import Glibc

/// The lines of a file, one after the other, in constant memory however large the file is.
final class LineReader {
    /// A line longer than this is not one of a table of numbers.
    static let longestLine = 16_384

    /// Path as the user wrote it.
    let path: String
    /// Number of the latest line, counted from 1.
    private(set) var line = 0

    private let descriptor: Int32
    private let buffer: UnsafeMutablePointer<UInt8>
    private let capacity = 8 * LineReader.longestLine
    private var start = 0
    private var end = 0
    private var atEndOfFile = false

    /// Opens the file; `nil` where there is none of this name.
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
                return take(until: newline, resumeAt: newline + 1)
            }
            scanned = end
            if atEndOfFile { return start < end ? take(until: end, resumeAt: end) : nil }
            guard end - start <= LineReader.longestLine else {
                throw RecordingError(
                    path: path, line: line + 1, problem: "the line is longer than \(LineReader.longestLine) bytes",
                    remedy: "this is not a table of numbers; give a CSV file with one reading a line")
            }
            scanned -= start
            try refill()
        }
    }

    private func take(until lineEnd: Int, resumeAt: Int) -> UnsafeBufferPointer<UInt8> {
        var last = lineEnd
        if last > start, buffer[last - 1] == 13 { last -= 1 }
        let taken = UnsafeBufferPointer(start: buffer + start, count: last - start)
        start = resumeAt
        line += 1
        return taken
    }

    /// Moves what is left to the front and reads more behind it.
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
