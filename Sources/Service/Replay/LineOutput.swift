import Glibc

/// Why lines could not be written: the path and the system's reason.
public struct LineOutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the lines should have gone.
    public var path: String
    /// What failed, and what to do.
    public var problem: String

    /// The message `path: what; remedy`.
    public var description: String { "\(path): \(problem)" }

    init(path: String, doing action: String, number: Int32) {
        self.path = path
        problem = "\(action) (\(String(cString: strerror(number)))); give a file in a folder that can be written and has room"
    }
}

/// Lines on their way into a file, a pipe or the standard output, gathered into large writes.
///
/// A regular file appears whole or not at all: lines go into a temporary file beside it, which takes its name in ``finish()``. Whoever does not
/// get that far leaves an older file of the name as it was.
struct LineOutput: ~Copyable {
    private let path: String
    private let descriptor: Int32
    /// The file that takes the name `path` in the end; `nil` where the lines go straight to their place.
    private let temporaryPath: String?
    private let buffer: UnsafeMutableRawPointer
    private let capacity = 1 << 18
    private var count = 0
    private var isFinished = false

    /// Opens the place: `-` is the standard output; a pipe or device is written directly.
    init(path: String) throws(LineOutputError) {
        let opened = try Self.open(path)
        self.path = path
        descriptor = opened.descriptor
        temporaryPath = opened.temporaryPath
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
        if !isFinished, let temporaryPath { unlink(temporaryPath) }
        buffer.deallocate()
    }

    /// Adds bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LineOutputError) {
        guard let source = bytes.baseAddress else { return }
        if count + bytes.count > capacity { try flush() }
        guard bytes.count <= capacity else { return try write(source, bytes.count) }
        memcpy(buffer + count, source, bytes.count)
        count += bytes.count
    }

    /// Writes what is left, and gives the file its name.
    mutating func finish() throws(LineOutputError) {
        try flush()
        if let temporaryPath {
            guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
                throw LineOutputError(path: path, doing: "cannot be put in place", number: errno)
            }
            syncFolder()
        }
        isFinished = true
    }

    private mutating func flush() throws(LineOutputError) {
        try write(buffer, count)
        count = 0
    }

    private func write(_ start: UnsafeRawPointer, _ length: Int) throws(LineOutputError) {
        var done = 0
        while done < length {
            let written = Glibc.write(descriptor, start + done, length - done)
            if written >= 0 {
                done += written
            } else if errno != EINTR {
                throw LineOutputError(path: path, doing: "cannot be written", number: errno)
            }
        }
    }

    /// The name is only safe once the folder is on the disk; a file system that cannot do that is left alone.
    private func syncFolder() {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func open(_ path: String) throws(LineOutputError) -> (descriptor: Int32, temporaryPath: String?) {
        guard path != "-" else { return (STDOUT_FILENO, nil) }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw LineOutputError(path: path, doing: "cannot be opened", number: errno) }
            return (descriptor, nil)
        }
        let temporary = "\(path).\(getpid()).part"
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, exists ? status.st_mode & 0o777 : 0o644)
        guard descriptor >= 0 else { throw LineOutputError(path: path, doing: "cannot be created", number: errno) }
        return (descriptor, temporary)
    }
}
