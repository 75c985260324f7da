import Glibc

/// The file of the running program.
package enum ProgramFile {
    /// Its absolute path; `nil` if the system does not tell it.
    package static let path: String? = {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &bytes, bytes.count - 1)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }()
}
