import Doctor
import Foundation
import Testing

/// docs/doctor.md, generated from the faults. `make generated` rewrites it.
@Suite struct GeneratedFilesTests {
    @Test func thePageOfFaultsIsCurrent() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../docs/doctor.md"
        ).standardizedFileURL
        if ProcessInfo.processInfo.environment["POSED_WRITE_GENERATED"] != nil {
            try FaultPage.text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text == FaultPage.text, "docs/doctor.md is not current: run `make generated`")
        }
    }
}
