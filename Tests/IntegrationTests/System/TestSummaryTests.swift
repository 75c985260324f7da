import Foundation
import Testing

/// What is printed after all tests: the skipped ones, which are a failure where a change is checked.
@Suite(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed")) struct TestSummaryTests {
    private func summary(of log: String, _ options: [String] = []) throws -> ProgramResult {
        let folder = try TemporaryFolder()
        try folder.write(log, to: "log")
        return try ExternalProgram.run(
            "\(ExternalProgram.packageFolder)/scripts/test-summary", options + ["\(folder.path)/log"])
    }

    @Test func aTestThatIsSkippedIsListed() throws {
        // GIVEN the output of a run with a slow suite and two skipped tests WHEN summarised THEN all are told
        let result = try summary(
            of: """
                ✔ Suite SlowTests passed after 93.500 seconds.
                ➜ Test aB() skipped: "chromium is not installed"
                ➜ Suite NightlyTests skipped: "set POSED_NIGHTLY=1, or run `make nightly`"

                """)
        #expect(result.exitCode == 0, "\(result.errors)")
        for text in ["93.5  SlowTests", "2 skipped:", "aB(): chromium is not installed", "NightlyTests: set POSED"] {
            #expect(result.output.contains(text), "\(result.output)")
        }
    }

    @Test func aSkipOfWhatCanBeHadFailsACheck() throws {
        // GIVEN a skip that Tests/skips.txt allows everywhere, and one that it does not name
        let allowed = "➜ Suite NightlyTests skipped: \"set POSED_NIGHTLY=1, or run `make nightly`\"\n"
        let other = "➜ Test aB() skipped: \"chromium is not installed\"\n"
        let ran = "✔ Suite SlowTests passed after 93.500 seconds.\n"
        // THEN only the second one is a failure, which names it
        #expect(try summary(of: ran + allowed, ["--strict"]).exitCode == 0)
        let result = try summary(of: ran + allowed + other, ["--strict"])
        #expect(result.exitCode == 1)
        #expect(result.output.contains("skipped, although it can be had here: aB(): chromium is not installed"))
        #expect(!result.output.contains("can be had here: NightlyTests"))
    }

    @Test func aRunOfNoSuiteIsAFailure() throws {
        // GIVEN what is written where the filter of a run finds nothing, beside a run with a suite THEN it fails
        let folder = try TemporaryFolder()
        try folder.write("✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.\n", to: "none")
        try folder.write("✘ Suite SlowTests failed after 93.500 seconds with 1 issue.\n", to: "one")
        let script = "\(ExternalProgram.packageFolder)/scripts/test-summary"
        let result = try ExternalProgram.run(script, ["\(folder.path)/one", "\(folder.path)/none"])
        #expect(result.exitCode == 1 && result.output.contains("no suite ran in \(folder.path)/none\n"), "\(result)")
        #expect(try ExternalProgram.run(script, ["\(folder.path)/one"]).exitCode == 0)
    }
}
