import Foundation

/// Texts for people and programs, whole, as files in the folder `Stored` beside a test. Whoever changes a text on
/// purpose stores it again (`POSED_WRITE_GOLDEN=1`) and looks at what has changed.
public enum StoredText {
    /// The lines in which a text differs from the stored one, with their numbers; empty if it is equal.
    ///
    /// - Parameter test: the file of the test.
    public static func differences(
        of text: String, from name: String, test: String = #filePath
    ) throws -> [String] {
        let folder = URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("Stored")
        let file = folder.appendingPathComponent("\(name).txt")
        if ProcessInfo.processInfo.environment["POSED_WRITE_GOLDEN"] != nil {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let stored = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").dropLast()
        let lines = text.components(separatedBy: "\n")
        return (0..<max(lines.count, stored.count)).compactMap { index in
            let line = index < lines.count ? lines[index] : "nothing"
            let other = index < stored.count ? stored[index] : "nothing"
            return line == other ? nil : "\(name):\(index + 1): `\(line)` is stored as `\(other)`"
        }
    }
}
