import Foundation
import Frames
import Testing

/// Compares the examples of docs/protocol.md with the encoder.
@Suite struct ProtocolPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../docs/protocol.md")

    @Test func examplesEqualTheEncodersOutput() throws {
        // GIVEN the page's two examples in hexadecimal; WHEN the messages they describe are encoded; THEN the bytes are
        // equal, and each line of the page has complete fields: its text stands after the bytes.
        let examples = try examples()
        #expect(examples.count == 2)
        var frame = Frame()
        frame.sequence = 1207
        frame.timeNanoseconds = 12_345_678_901_234
        frame.measuredNanoseconds = 12_345_676_801_234
        frame.publishedNanoseconds = frame.timeNanoseconds
        frame.utcNanoseconds = 1_785_000_000_250_000_000
        frame.pose.resetCount = 1
        frame.pose.originEpoch = 2
        frame.speed.speedMetersPerSecond = 15.25
        frame.speed.limitMetersPerSecond = 12.5
        frame.speed.indicatedMetersPerSecond = 15.25
        frame.speed.ratio = 1.22
        frame.speed.colour = .orange
        frame.speed.limitSource = .fallback
        #expect(
            examples.first == Message.subscribe(.init(topics: [.speed], rateMillihertz: 10_000)).packet(sequence: 0))
        #expect(examples.last == Message.frame(frame, .init(topics: [.speed], dropped: 3)).packet(sequence: 41))
    }

    /// The bytes of each block marked as hex: pairs of digits up to the first two consecutive spaces.
    private func examples() throws -> [[UInt8]] {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        return text.components(separatedBy: "```hex\n").dropFirst().map { part in
            let lines = part.components(separatedBy: "```")[0].split(separator: "\n")
            return lines.flatMap { line in Golden.bytes(hexadecimal: line.components(separatedBy: "  ")[0]) }
        }
    }
}
