import Foundation

@testable import Doctor

/// A folder with files in the place of `/`; goes with the test.
final class RootFolder {
    let path = NSTemporaryDirectory() + "posed-root-\(UUID().uuidString)"
    var files: SystemFiles { SystemFiles(root: path) }

    init(_ files: [String: String]) throws {
        for (name, text) in files {
            let url = URL(fileURLWithPath: path + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: false, encoding: .utf8)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
