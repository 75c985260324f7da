import Files
import Glibc

/// Reads and replaces a small file of the daemon.
enum StateFile {
    /// The bytes of a file; `nil` if it does not exist. Of a file that is too long, `longest` + 1 bytes are returned.
    static func read(_ path: String, atMost longest: Int) throws(StateProblem) -> [UInt8]? {
        do throws(FileFault) {
            return try RegularFile(path).bytes(count: longest + 1)
        } catch {
            guard error != .notOpened(ENOENT) else { return nil }
            throw StateProblem(description: error.reason)
        }
    }

    /// Why files cannot be written into a folder, and what to do; `nil` if they can. Creates the folder if it does not
    /// exist.
    static func problem(ofFolder folder: String) -> String? {
        if mkdir(folder, 0o750) != 0, errno != EEXIST {
            let reason = String(cString: strerror(errno))
            return "cannot create folder \(folder): \(reason); create it, or set another state.folder"
        }
        var information = stat()
        guard stat(folder, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            return "\(folder) is not a folder; remove it, or set another state.folder"
        }
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        let reason = String(cString: strerror(errno))
        return
            "folder \(folder) may not be written to: \(reason); give it to the user of posed (chown), or set another "
            + "state.folder"
    }

    /// Replaces the content of a file; creates the folder if it does not exist.
    static func replace(_ path: String, with bytes: [UInt8], folder: String) throws(StateProblem) {
        if mkdir(folder, 0o750) != 0, errno != EEXIST {
            throw StateProblem(description: "cannot create folder \(folder): \(String(cString: strerror(errno)))")
        }
        do throws(FileFault) {
            try AtomicFile.replace(path, with: bytes, permissions: 0o640)
        } catch {
            throw StateProblem(description: error.reason)
        }
    }

    /// Removes a file, durably; without effect if it does not exist.
    static func remove(_ path: String, folder: String) throws(StateProblem) {
        guard unlink(path) == 0 else {
            guard errno != ENOENT else { return }
            throw StateProblem(description: "cannot remove: \(String(cString: strerror(errno)))")
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        fsync(descriptor)
    }
}
