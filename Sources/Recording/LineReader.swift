import Glibc

/// Reads the lines of a file in constant memory.
package final class LineReader {
    /// Path as the user wrote it.
    package let path: String
    /// Number of the latest line, counted from 1.
    package private(set) var line = 0
    /// Size of the file when it was opened, bytes; 0 if it is not a regular file.
    package let size: Int
    /// Number of bytes read so far.
    package private(set) var bytesRead = 0

    private let descriptor: Int32
    private let buffer: UnsafeMutablePointer<UInt8>
    private let maximumLineBytes: Int
    private let capacity: Int
    private var start = 0
    private var end = 0
    private var atEndOfFile = false

    /// Opens the file; `nil` if it does not exist. A line longer than the maximum is an error: the file is not a table
    /// of numbers.
    package init?(path: String, maximumLineBytes: Int = 16_384) throws(RecordingError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw RecordingError(
                path: path, problem: "cannot be opened (\(String(cString: strerror(errno))))",
                remedy: "make it readable")
        }
        var status = stat()
        size = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
        self.path = path
        self.descriptor = descriptor
        self.maximumLineBytes = maximumLineBytes
        capacity = 8 * maximumLineBytes
        buffer = .allocate(capacity: capacity)
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// The next line without its line end, valid until the next call; `nil` at the end of the file.
    package func next() throws(RecordingError) -> UnsafeBufferPointer<UInt8>? {
        var scanned = start
        while true {
            if let hit = memchr(buffer + scanned, 10, end - scanned) {
                let newline = hit - UnsafeMutableRawPointer(buffer)
                return consume(until: newline, resumeAt: newline + 1)
            }
            scanned = end
            if atEndOfFile { return start < end ? consume(until: end, resumeAt: end) : nil }
            guard end - start <= maximumLineBytes else {
                throw RecordingError(
                    path: path, line: line + 1, problem: "the line is longer than \(maximumLineBytes) bytes",
                    remedy: "this is not a recording; give a file with one reading a line")
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
        bytesRead += count
    }
}
