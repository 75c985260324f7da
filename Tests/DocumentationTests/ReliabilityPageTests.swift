import Foundation
import Testing

/// docs/reliability.md against its table, the tests, the bench and the Makefile.
@Suite struct ReliabilityPageTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private func run(_ text: String? = nil) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "\(Self.top)/scripts/reliability", "--check"] + (text.map { [$0] } ?? [])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test func thePageIsCurrentAndEverythingNamedExists() throws {
        // GIVEN the table WHEN it is checked THEN the page is the one it gives, and no name is empty
        let result = try run()
        #expect(result.code == 0, "\(result.output)")
    }

    @Test func aTestThatDoesNotExistIsNamed() throws {
        // GIVEN a table with a test, a part of the bench and a target that do not exist WHEN checked THEN each is named
        let path = NSTemporaryDirectory() + "posed-reliability-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "T01 | a | b | ReliabilityPageTests/none; bench none; make none |\nT02 | a | b | |\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        let result = try run(path)
        #expect(result.code == 1)
        for name in ["no test ReliabilityPageTests/none", "no part none", "no make none", "T02 has neither"] {
            #expect(result.output.contains(name), "\(result.output)")
        }
    }
}
