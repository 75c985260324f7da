import Files
import Glibc

/// Why lines could not be written: the path and the system error.
package struct LineOutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Path of the output.
    package var path: String
    /// What failed and what to do.
    package var problem: String

    /// The message `path: what; remedy`.
    package var description: String { "\(path): \(problem)" }

    /// An error with its problem and remedy.
    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    /// A fault of a file.
    package init(path: String, fault: FileFault) {
        self.path = path
        problem = "\(fault.reason); give a file in a folder that can be written and has room"
    }
}

/// Writes lines to a file, a pipe or the standard output, collected into large writes.
///
/// A regular file appears only as a whole, in ``finish()``; see ``AtomicFile``.
package struct LineOutput: ~Copyable {
    private let path: String
    /// The file that is renamed at the end; `nil` if lines are written directly.
    private var file: AtomicFile?
    /// Descriptor of the output or of the new file.
    private var descriptor = STDOUT_FILENO
    private var writeBehind = WriteBehind()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var count = 0

    /// Opens the output: `-`, and a name of it such as /dev/stdout, is the standard output; a pipe or device is written
    /// directly.
    package init(path: String) throws(LineOutputError) {
        self.path = path
        file = nil
        guard path != "-" else { return }
        do throws(FileFault) { try open() } catch { throw LineOutputError(path: path, fault: error) }
    }

    deinit {
        if file == nil, descriptor != STDOUT_FILENO { close(descriptor) }
        buffer.deallocate()
    }

    private mutating func open() throws(FileFault) {
        var (status, standard) = (stat(), stat())
        let exists = stat(path, &status) == 0
        // A link such as /dev/stdout may lead to a file: that is written as it is, and the link is not replaced.
        if exists, fstat(STDOUT_FILENO, &standard) == 0, status.st_ino == standard.st_ino,
            status.st_dev == standard.st_dev
        {
            return
        }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .notOpened(errno) }
        } else {
            let new = try AtomicFile(replacing: path, permissions: 0o644, keepsPermissions: true)
            descriptor = new.descriptor
            file = consume new
        }
    }

    /// Appends bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LineOutputError) {
        if count + bytes.count > buffer.count { try flush() }
        guard bytes.count <= buffer.count else { return try write(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Appends a text.
    package mutating func append(_ text: String) throws(LineOutputError) {
        try append(Array(text.utf8))
    }

    /// Appends bytes.
    package mutating func append(_ bytes: [UInt8]) throws(LineOutputError) {
        try bytes.span.withUnsafeBytes { (bytes) throws(LineOutputError) in try append(bytes) }
    }

    /// Writes the remaining bytes and renames the file.
    package mutating func finish() throws(LineOutputError) {
        try flush()
        do throws(FileFault) { try file?.commit() } catch { throw LineOutputError(path: path, fault: error) }
    }

    private mutating func flush() throws(LineOutputError) {
        try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        count = 0
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LineOutputError) {
        do throws(FileFault) { try FileTransfer.write(bytes, to: descriptor) } catch {
            throw LineOutputError(path: path, fault: error)
        }
        // A pipe has no place to write behind.
        if file != nil { writeBehind.appended(bytes.count, to: descriptor) }
    }
}
