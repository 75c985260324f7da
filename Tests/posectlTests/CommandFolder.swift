import ArgumentParser
import Foundation

@testable import posectl

/// A folder for the commands of one test.
final class CommandFolder {
    let path = NSTemporaryDirectory() + "posed-ctl-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The text of a file; empty where there is none.
    func text(_ name: String) -> String {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    }

    /// The exit status of a command, whose words have `F` for this folder.
    func run(_ words: String) -> Int32 { Self.run(words, path) }

    /// The exit status of a command in this process, whose words have `F` for a folder.
    static func run(_ words: String, _ folder: String) -> Int32 {
        let arguments = words.split(separator: " ").map { word in
            word.hasPrefix("F/") ? "\(folder)/\(word.dropFirst(2))" : String(word)
        }
        do {
            var command = try PoseControl.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch { return PoseControl.exitCode(for: error).rawValue }
    }
}
