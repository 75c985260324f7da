import Files
import Glibc

/// Reads the bytes of a settings file.
enum SettingsFile {
    /// The bytes, or why they cannot be read. Reads one byte more than the limit, so that the reader detects a file
    /// that is too large.
    static func read(_ path: String, isIncluded: Bool = false) -> Result<[UInt8], SettingsProblem> {
        do throws(FileFault) {
            return .success(try RegularFile(path).bytes(count: SettingsText.sizeLimit + 1))
        } catch {
            return .failure(SettingsProblem(source: path, position: nil, text: text(error, isIncluded)))
        }
    }

    private static func text(_ fault: FileFault, _ isIncluded: Bool) -> String {
        switch fault {
        case .notRegular(isFolder: true): "is a folder; give the path of a settings file"
        case .notRegular(isFolder: false): "is not a regular file; give the path of a settings file"
        case .notOpened(ENOENT) where isIncluded: "there is no such file; a path without / in front begins at this file"
        case .notOpened(ENOENT): "there is no such file; leave --config out to run with the defaults"
        case .notOpened(EACCES): "may not be read by this user; check its permissions and those of its folder"
        case .notOpened(ENOTDIR): "a part of this path is not a folder"
        case .notOpened(let number), .notRead(let number): "cannot be read: \(String(cString: strerror(number)))"
        case .notFolder, .notMapped, .busy, .notMade, .notWritten, .notReplaced: fault.reason
        }
    }
}
