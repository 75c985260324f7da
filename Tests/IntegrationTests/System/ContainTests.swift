import Testing

/// The limit of a run: one that hangs ends, and names the tests in which it does.
@Suite(.enabled(if: ExternalProgram.has("python3"), "python3 is not installed")) struct ContainTests {
    private static let script = "\(ExternalProgram.packageFolder)/scripts/contain"

    @Test func aRunOverItsLimitEndsAndTellsWhatHangs() throws {
        // GIVEN what a runner wrote: two tests of one name of which one ended, one with cases that ended, and one that
        // did not end
        let folder = try TemporaryFolder()
        try folder.write(
            """
            ◇ Test run started.
            ◇ Suite SlowTests started.
            ◇ Suite FastTests started.
            ◇ Test same() started.
            ◇ Test hangs() started.
            ◇ Test same() started.
            ◇ Test cases(of:) started.
            ◇ Test case passing 1 argument a → 1 to cases(of:) started.
            ✔ Test cases(of:) with 2 test cases passed after 0.100 seconds.
            ✘ Test same() failed after 0.100 seconds with 1 issue.
            ✔ Suite FastTests passed after 0.200 seconds.

            """, to: "log")
        // WHEN its command does not end within the limit THEN it is ended, and what has not ended is told
        let result = try ExternalProgram.run(Self.script, ["--limit", "0.1", "\(folder.path)/log", "sleep", "600"])
        #expect(result.exitCode == 124)
        let told = """
            scripts/contain: sleep 600: ended after 0.1 s
            started and not ended:
              Suite SlowTests
              Test hangs()
              Test same()

            """
        #expect(result.errors == told)
    }

    @Test func aRunWithinItsLimitKeepsItsExitCode() throws {
        // GIVEN commands that end long before their limit THEN their exit code is that of the run, and nothing is told
        for code: Int32 in [0, 3] {
            let result = try ExternalProgram.run(
                Self.script, ["--limit", "600", "/nonexistent/log", "sh", "-c", "exit \(code)"])
            #expect(result.exitCode == code && result.errors.isEmpty, "\(result)")
        }
    }

    @Test(arguments: ["0", "-1", "nan", "inf", "soon"]) func aLimitThatIsNoTimeIsRefused(limit: String) throws {
        // GIVEN a limit that is no number of seconds THEN the command is not run, and that is told
        let result = try ExternalProgram.run(Self.script, ["--limit", limit, "/nonexistent/log", "echo", "ran"])
        #expect(result.exitCode == 1 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("scripts/contain: --limit \(limit): give 0.1 to"))
    }
}
