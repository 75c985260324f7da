import Files
import Glibc

/// Reads and replaces a small file of the daemon.
enum StateFile {
    /// Members of the folder's group may read what is stored.
    private static let permissionsOfFolder: mode_t = 0o750

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
        do throws(FileFault) { try Folder.create(folder, permissions: permissionsOfFolder) } catch {
            let remedy = error == .notFolder ? "remove it" : "create it"
            return "\(folder) \(error.reason); \(remedy), or set another state.folder"
        }
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        let reason = String(cString: strerror(errno))
        return
            "folder \(folder) may not be written to: \(reason); give it to the user of posed (chown), or set another "
            + "state.folder"
    }

    /// Replaces the content of a file; creates the folder if it does not exist.
    static func replace(_ path: String, with bytes: [UInt8], folder: String) throws(StateProblem) {
        do throws(FileFault) { try Folder.create(folder, permissions: permissionsOfFolder) } catch {
            throw StateProblem(description: "\(folder) \(error.reason)")
        }
        do throws(FileFault) {
            try write(bytes, to: path, folder: folder)
        } catch {
            throw StateProblem(description: error.reason)
        }
    }

    /// Writes a file that belongs to the owner of its folder: the daemon can read what root has calibrated.
    private static func write(_ bytes: [UInt8], to path: String, folder: String) throws(FileFault) {
        var file = try AtomicFile(replacing: path, permissions: 0o640)
        var owner = stat()
        if geteuid() == 0, stat(folder, &owner) == 0 { fchown(file.descriptor, owner.st_uid, owner.st_gid) }
        try bytes.span.withUnsafeBytes { content throws(FileFault) in
            try FileTransfer.write(content, to: file.descriptor)
        }
        try file.commit()
    }

    /// Replaces the content of a file, and keeps the old one as `NAME.previous` if it is valid. A program that is
    /// killed leaves the old or the new file.
    static func replace(
        _ path: String, with bytes: [UInt8], folder: String, keeping isValid: ([UInt8]) -> Bool
    ) throws(StateProblem) {
        if let old = (try? read(path, atMost: longestKept)) ?? nil, old != bytes, isValid(old) {
            do throws(FileFault) {
                try write(old, to: previous(path), folder: folder)
            } catch {
                throw StateProblem(description: "the previous file cannot be kept: \(error.reason)")
            }
        }
        try replace(path, with: bytes, folder: folder)
    }

    /// Longest file that is kept, bytes.
    private static let longestKept = 1 << 16

    /// Name of the file before.
    static func previous(_ path: String) -> String { "\(path).previous" }

    /// The content of a file; where it is damaged, that of the file before; `nil` without a valid one.
    ///
    /// - Parameters:
    ///   - note: called with what a user has to know.
    ///   - parse: reads the content.
    ///   - consequence: what follows where neither is valid.
    static func newestValid<Value>(
        _ path: String, atMost longest: Int, note: (String) -> Void,
        parse: ([UInt8]) throws(StateProblem) -> Value, otherwise consequence: () -> String
    ) -> Value? {
        let problem: StateProblem
        do throws(StateProblem) {
            guard let bytes = try read(path, atMost: longest) else { return nil }
            return try parse(bytes)
        } catch {
            problem = error
        }
        if let bytes = (try? read(previous(path), atMost: longest)) ?? nil, let value = try? parse(bytes) {
            note("\(path): \(problem); the previous file is used")
            return value
        }
        note("\(path): \(problem); \(consequence())")
        return nil
    }

    /// Removes a file, durably; without effect if it does not exist.
    static func remove(_ path: String, folder: String) throws(StateProblem) {
        guard unlink(path) == 0 else {
            guard errno != ENOENT else { return }
            throw StateProblem(description: "cannot remove: \(String(cString: strerror(errno)))")
        }
        AtomicFile.syncFolder(of: path)
    }
}
