import Glibc

@testable import Configuration

/// Helpers of the settings tests: error messages of texts, and the project's files.
enum SettingsFixture {
    /// The errors of a settings text, each as `line:column: text`.
    static func mistakes(_ text: String) -> [String] {
        do throws(SettingsFailure) {
            _ = try SettingsLoader.load(text: text, name: "t")
            return []
        } catch {
            return error.problems.map { String($0.description.dropFirst(2)) }
        }
    }

    /// The folder of the package.
    static let packageFolder = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }

    /// The text of a file of the project; `nil` if it cannot be read.
    static func projectFile(_ path: String) -> String? {
        guard case .success(let bytes) = SettingsFile.read("\(packageFolder)/\(path)") else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A new folder for one test; the test removes it.
    static func makeFolder() -> String? {
        var template = Array("/tmp/posed-test-XXXXXX".utf8CString)
        return mkdtemp(&template).map { String(cString: $0) }
    }

    /// Writes a file.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    }
}
