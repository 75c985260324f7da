import Files
import Glibc

/// A small file of the daemon's own, read whole and replaced at once.
enum StateFile {
    /// The bytes of a file; `nil` where there is none. Of one that is too long, one byte more than the longest.
    static func read(_ path: String, atMost longest: Int) throws(StateProblem) -> [UInt8]? {
        do throws(FileFault) {
            return try RegularFile(path).bytes(count: longest + 1)
        } catch {
            guard error != .notOpened(ENOENT) else { return nil }
            throw StateProblem(description: error.reason)
        }
    }

    /// Puts bytes in the place of a file; the folder is made where there is none.
    static func replace(_ path: String, with bytes: [UInt8], folder: String) throws(StateProblem) {
        if mkdir(folder, 0o750) != 0, errno != EEXIST {
            throw StateProblem(description: "the folder \(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        do throws(FileFault) {
            try AtomicFile.replace(path, with: bytes, permissions: 0o640)
        } catch {
            throw StateProblem(description: error.reason)
        }
    }
}
