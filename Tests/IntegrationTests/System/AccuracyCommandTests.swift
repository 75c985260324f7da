import Foundation
import Glibc
import Testing

/// `scripts/accuracy` with a program that prints figures of its own: the table, and what the check makes of it.
@Suite(.enabled(if: ExternalProgram.has("python3"), "needs python3"))
struct AccuracyCommandTests {
    /// What the figures of one row are: whether all drives aligned, and the largest heading error, degrees.
    private func run(notAligned: Int, heading: Double, reached: String = "{}") throws -> ProgramResult {
        // GIVEN a program in the place of the simulation, and no recordings
        let folder = try TemporaryFolder()
        let figures = """
            {"not_aligned": \(notAligned), "heading_median": 0.1, "heading_largest": \(heading), "over_receiver": 0.5,
            "aligned_median": 10, "aligned_longest": 20}
            """
        try folder.write("#!/bin/sh\ncat <<END\n\(figures)\nEND\n", to: "posed-accuracy")
        chmod("\(folder.path)/posed-accuracy", 0o755)
        try folder.write(reached, to: "reached.json")
        // WHEN the figures of the drives from a standing start are checked
        return try ExternalProgram.run(
            "\(ExternalProgram.packageFolder)/scripts/accuracy",
            [
                folder.path, "--check", "--only", "random drives that start standing",
                "--recordings", "\(folder.path)/none", "--reached", "\(folder.path)/reached.json",
            ])
    }

    @Test func figuresThatAreWhatIsAskedPass() throws {
        let result = try run(notAligned: 0, heading: 0.2)
        // THEN the table is printed, and what is skipped with its reason
        #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
        #expect(result.output.contains("random drives that start standing"))
        #expect(result.output.contains("rows from recordings are skipped: "))
        #expect(!result.output.contains("WORSE"))
    }

    @Test func aFigureBeyondWhatIsAskedFailsAndIsNamed() throws {
        let result = try run(notAligned: 0, heading: 0.9)
        #expect(result.exitCode == 1)
        #expect(
            result.output.contains(
                "WORSE: random drives that start standing: heading RMS, largest is 0.90 deg; asked <= 0.3"))
    }

    @Test func aCheckBesideTheRecordingsNeedsWhatScoresThem() throws {
        // GIVEN folders in the place of the recordings and their tools, and a Python without packages
        let folder = try TemporaryFolder()
        for name in ["data", "tools"] { mkdir("\(folder.path)/\(name)", 0o755) }
        let words = [
            "-S", "\(ExternalProgram.packageFolder)/bench/accuracy", "--programs", folder.path, "--recordings",
            folder.path, "--only", "car, one RTK fix per second",
        ]
        // WHEN a row from recordings is measured THEN it is skipped with its reason, which fails a check
        let shown = try ExternalProgram.run("python3", words)
        #expect(shown.exitCode == 0 && shown.output.contains("has no numpy"), "\(shown)")
        let checked = try ExternalProgram.run("python3", words + ["--check"])
        #expect(checked.exitCode == 1 && checked.output.contains("has no numpy"), "\(checked)")
    }

    @Test func wordsThatNameNoRowAreAMistake() throws {
        let folder = try TemporaryFolder()
        let result = try ExternalProgram.run(
            "\(ExternalProgram.packageFolder)/scripts/accuracy", [folder.path, "--only", "start flying"])
        #expect(result.exitCode == 1 && result.errors.contains("no row is named start flying"), "\(result)")
    }

    @Test func aFigureIsHeldToWhatItHasReached() throws {
        // GIVEN that more than what is asked had been reached THEN that is the bound, and is shown as not met
        let reached = #"{"random drives that start standing": {"heading_largest": 1.0}}"#
        let kept = try run(notAligned: 0, heading: 0.9, reached: reached)
        #expect(kept.exitCode == 0 && kept.output.contains("not met"), "\(kept.output)")
        let worse = try run(notAligned: 0, heading: 1.1, reached: reached)
        #expect(worse.exitCode == 1 && worse.output.contains("reached before <= 1"), "\(worse.output)")
    }
}
