import Glibc

/// Takes the bytes of a settings file off the disk.
enum SettingsFile {
    /// The bytes, or the reason why there are none. Reads one byte over the limit, so that the reader can tell a file that is too large.
    static func read(_ path: String) -> Result<[UInt8], SettingsProblem> {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(problem(path, errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(problem(path, errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "is a folder" : "is not a regular file"
            return .failure(SettingsProblem(source: path, position: nil, text: "\(kind); give the path of a settings file"))
        }
        var bytes = [UInt8](repeating: 0, count: SettingsText.sizeLimit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes[count...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return .failure(problem(path, errno)) }
            if got == 0 { break }
            count += got
        }
        bytes.removeLast(bytes.count - count)
        return .success(bytes)
    }

    private static func problem(_ path: String, _ code: Int32) -> SettingsProblem {
        let text =
            switch code {
            case ENOENT: "there is no such file; leave --config out to run with the defaults"
            case EACCES: "may not be read by this user; check its permissions and those of its folder"
            case ENOTDIR: "a part of this path is not a folder"
            default: "cannot be read: \(String(cString: strerror(code)))"
            }
        return SettingsProblem(source: path, position: nil, text: text)
    }
}
