import Foundation
import RunPrograms
import Testing

/// docs/reliability.md against its table, the tests, the bench and the Makefile; docs/security.md against the package.
@Suite struct ReliabilityPageTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private func run(_ script: String, _ arguments: [String]) throws -> ProgramRun {
        try ProgramRun("/usr/bin/env", ["python3", "\(Self.top)/scripts/\(script)"] + arguments)
    }

    @Test func thePageIsCurrentAndEverythingNamedExists() throws {
        // GIVEN the table WHEN it is checked THEN the page is the one it gives, and no name is empty
        let result = try run("reliability", ["--check"])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test func theComponentsOfTheSecurityPageAreThoseOfThePackage() throws {
        // GIVEN the table of components WHEN it is made anew THEN the page has each of its lines
        let result = try run("components", ["--table"])
        let page = try String(contentsOfFile: "\(Self.top)/docs/security.md", encoding: .utf8)
        let lines = result.output.split(separator: "\n")
        #expect(result.code == 0 && lines.count > 10, "\(result.output)")
        for line in lines { #expect(page.contains(line), "docs/security.md lacks \(line)") }
    }

    @Test func aTestThatDoesNotExistIsNamed() throws {
        // GIVEN a table with a test, a part of the bench and a target that do not exist WHEN checked THEN each is named
        let path = NSTemporaryDirectory() + "posed-reliability-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "T01 | a | b | ReliabilityPageTests/none; bench none; make none |\nT02 | a | b | |\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        let result = try run("reliability", ["--check", path])
        #expect(result.code == 1)
        for name in ["no test ReliabilityPageTests/none", "no part none", "no make none", "T02 has neither"] {
            #expect(result.output.contains(name), "\(result.output)")
        }
    }
}
