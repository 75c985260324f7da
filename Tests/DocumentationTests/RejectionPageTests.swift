import Foundation
import Testing

/// docs/rejections.md against the enumerations and counters in the sources.
@Suite struct RejectionPageTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func everyReasonIsInTheTable() throws {
        // GIVEN the declarations of all reasons; WHEN looked for on the page; THEN each has its row.
        let page = try String(contentsOf: Self.package.appendingPathComponent("docs/rejections.md"), encoding: .utf8)
        let names =
            try declared("enum GPSRejection", /case (\w+)/) + declared("enum AidRejection", /case (\w+)/)
            + declared("enum ReceiverVerdict", /case (\w+)/) + declared("struct RejectionCounters", /var (\w+): UInt64/)
            + declared("enum IIORejection", /case \w+ = "(\w+)"/)
            + declared("enum CANRejection", /case \w+ = "(\w+)"/) + declared("enum Refusal", /case \w+ = "(\w+)"/)
            + declared("enum TimeStampRefusal", /case \w+ = "(\w+)"/)
        #expect(names.count > 79)
        for name in names { #expect(page.contains("| `\(name)` |"), "\(name)") }
    }

    /// The names that a type's declaration declares, wherever in the sources it is.
    private func declared(_ head: String, _ pattern: Regex<(Substring, Substring)>) throws -> [String] {
        let sources = Self.package.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", let text = try? String(contentsOf: file, encoding: .utf8),
                let begin = text.range(of: head + ":")
            else { continue }
            let body = text[begin.upperBound...].components(separatedBy: "\n}\n")[0]
            return body.matches(of: pattern).map { String($0.output.1) }
        }
        return []
    }
}
