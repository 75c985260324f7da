import Foundation
import RunPrograms
import Testing

/// The figures of the README are those that were measured last.
@Suite struct FigureTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Checks a README in a copy of the folder's documents; the exit status and what was printed.
    private func check(_ change: (String) -> String = { $0 }) throws -> ProgramRun {
        let files = FileManager.default
        let folder = NSTemporaryDirectory() + "posed-figures-\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: folder) }
        for part in ["docs", "scripts"] {
            try files.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
        }
        for file in ["docs/speed.md", "docs/accuracy.md", "scripts/figures"] {
            try files.copyItem(atPath: "\(Self.top)/\(file)", toPath: "\(folder)/\(file)")
        }
        let readme = try String(contentsOfFile: "\(Self.top)/README.md", encoding: .utf8)
        try change(readme).write(toFile: "\(folder)/README.md", atomically: true, encoding: .utf8)
        let arguments = ["python3", "\(folder)/scripts/figures", "--check"]
        return try ProgramRun("/usr/bin/env", arguments, includesErrors: true)
    }

    @Test func theReadmeHasTheMeasuredFigures() throws {
        let result = try check()
        #expect(result.code == 0, "\(result.output)")
    }

    @Test func anotherFigureIsFound() throws {
        // GIVEN a README with another figure of speed, or of accuracy, or without one of its rows WHEN it is checked
        // THEN that fails and names the row
        let speed = try check { $0.replacing(/\d+(\.\d+)? us\/sample/, with: "0.1 us/sample", maxReplacements: 1) }
        #expect(speed.code == 1 && speed.output.contains("0.1 us/sample"), "\(speed.output)")
        let accuracy = try check { $0.replacing(/0\.\d+ degrees compared/, with: "0.01 degrees compared") }
        #expect(accuracy.code == 1 && accuracy.output.contains("0.01 degrees compared"), "\(accuracy.output)")
        let missing = try check { $0.replacing("| walk, all fixes", with: "| a walk") }
        #expect(missing.code == 1 && missing.output.contains("walk, all fixes"), "\(missing.output)")
    }
}
