import Glibc

/// What tells a file from one that is at its path later: a new file, or the same one after a change.
struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let changeSeconds: Int64
    private let changeNanoseconds: Int64

    /// The file at a path; `nil` if the system does not tell.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
        // Other than the time of modification, nobody can set it: `cp -p` does.
        changeSeconds = Int64(status.st_ctim.tv_sec)
        changeNanoseconds = Int64(status.st_ctim.tv_nsec)
    }
}
