import Foundation
import Testing

/// The version number has one source, and all programs report it.
@Suite struct VersionTests {
    @Test(arguments: ["posed", "posectl"]) func bothProgramsTellTheVersionOfTheChangeLog(program: String) throws {
        // GIVEN the newest heading of the change log; WHEN a program is asked for its version; THEN it is that one
        let changes = try String(contentsOfFile: "\(ExternalProgram.packageFolder)/CHANGELOG.md", encoding: .utf8)
        let heading = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
        let number = try #require(heading.dropFirst(3).split(separator: ",").first)
        let result = try ExternalProgram.run(program, ["--version"])
        #expect(result.exitCode == 0)
        #expect(result.output == "\(program) \(number)\n")
    }
}
