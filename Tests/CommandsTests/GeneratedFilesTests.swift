import Foundation
import Testing

@testable import Commands

/// The table of commands in `docs/sockets.md`, generated from the registry. `make generated` rewrites it.
@Suite struct GeneratedFilesTests {
    @Test func theTableOfCommandsIsCurrent() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../docs/sockets.md"
        ).standardizedFileURL
        let before = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(before.range(of: "<!-- the commands: written by `make generated` -->\n"))
        let end = try #require(before.range(of: "<!-- end of the commands -->"))
        let after = before[..<begin.upperBound] + "\n" + CommandRegistry.table + "\n" + before[end.lowerBound...]
        if ProcessInfo.processInfo.environment["POSED_WRITE_GENERATED"] != nil {
            try String(after).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(before == after, "docs/sockets.md is not current: run `make generated`")
        }
    }
}
