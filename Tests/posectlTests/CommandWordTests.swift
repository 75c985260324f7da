import ArgumentParser
import Testing

@testable import posectl

/// Words that are no command, and options that a batch does not pass on.
@Suite struct CommandWordTests {
    private func message(_ words: String) -> String? {
        UnknownCommand(in: words.split(separator: " ").map(String.init), of: PoseControl.self)?.message
    }

    @Test(arguments: [
        "", "status", "status --json", "route load a.json", "route load lod", "--help", "help staus", "route --help x",
        "trim -1", "batch run m.json", "record start",
    ]) func aCommandThatThereIsIsNone(words: String) { #expect(message(words) == nil) }

    @Test func aMisspeltCommandIsToldWithItsGroup() {
        // GIVEN a word that is nearly a command, at the first place and in a group
        let first = message("staus")
        #expect(first?.hasPrefix("Error: 'staus' is not a command of posectl; did you mean 'status'?\n") == true)
        #expect(first?.contains("\nUsage: posectl <monitor|status|wait|explain|doctor|route|trim|") == true)
        #expect(
            message("route lod x") == """
                Error: 'lod' is not a command of posectl route; did you mean 'load'?
                Usage: posectl route <load|to|clear>
                  See 'posectl route --help' for more information.

                """)
        // AND one that is like none
        #expect(message("route qqqqqq")?.hasPrefix("Error: 'qqqqqq' is not a command of posectl route\n") == true)
    }

    @Test func aBatchSetsItsOwnOptions() {
        for option in ["--frames", "--output", "-o", "--figures", "--json", "--speed", "--folder"] {
            for word in [option, option + "=x"] {
                let error = #expect(throws: ValidationError.self, "\(word)") {
                    try BatchOptions.check(["--smooth", word])
                }
                #expect(error?.message == "\(word) is set by the batch; leave it out")
            }
        }
        #expect(throws: Never.self) { try BatchOptions.check([]) }
        #expect(throws: Never.self) { try BatchOptions.check(["--smooth", "--rate", "--outputs", "x=--json"]) }
    }

    @Test(arguments: [
        ("batch run m.json --task", ["0", "7"], ["-1", "x"]),
        ("batch run m.json --task 0 --of", ["1", "1000000"], ["0", "1000001"]),
        ("route to", ["90,180", "0,0", "42.5, 1.5"], ["90.1,0", "0,180.1", "0,181", "42", "1,2,3", "a,b", ""]),
        ("route to --", ["-90,-180"], ["-90.1,0", "0,-180.1"]),
    ]) func aValueIsTakenUpToItsLimit(words: String, taken: [String], refused: [String]) {
        for (values, isTaken) in [(taken, true), (refused, false)] {
            for value in values {
                var arguments = words.split(separator: " ").map(String.init)
                if arguments[0] == "batch" {
                    arguments[arguments.count - 1] += "=" + value
                } else {
                    arguments += [value]
                }
                let command = try? PoseControl.parseAsRoot(arguments)
                #expect((command != nil) == isTaken, "\(arguments)")
            }
        }
    }

    @Test func aTaskThatIsDoneIsNotDoneAgain() throws {
        // GIVEN a task of a plan without options THEN nothing is forced, and each recording is a part
        let command = try PoseControl.parseAsRoot(["batch", "run", "m.json", "--task", "3"])
        let task = try #require(command as? BatchTaskCommand)
        #expect(task.task == 3 && !task.force && task.of == nil)
    }

    @Test(arguments: [(-0.5, 0), (0, 0), (0.25, 25), (0.999, 99), (1, 100), (1.5, 100)])
    func theProgressIsInWholePercent(share: Double, percent: Int) { #expect(ProgressBar.percent(share) == percent) }

    @Test(arguments: [("city", false), ("./city", true), ("city.yaml", true), ("drives/city", true), (".", true)])
    func aScenarioWithASlashOrADotIsAFile(name: String, isPath: Bool) {
        #expect(SimulateCommand.isPath(name) == isPath)
    }

    @Test(arguments: [(0, 0), (2, 0), (3, 1), (50, 20), (99, 39), (100, 40)])
    func theBarHasFortySigns(percent: Int, full: Int) {
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: 40 - full)
        #expect(ProgressBar.text(percent: percent) == "\r[\(bar)] \(percent) %")
    }

    @Test(
        arguments: [
            (["/data/drive.mcap"], "drive.html"), (["drives/monday/"], "monday.html"),
            (["a.mcap.gz"], "a.mcap.gz.html"), (["/data/a.mcap", "b"], "a-and-b.html"), (["/"], "report.html"),
            (["."], "report.html"), (["../"], "report.html"), (["drives/monday/."], "monday.html"),
        ] as [([String], String)])
    func aPageHasTheNamesOfItsRecordings(recordings: [String], name: String) {
        #expect(ReportCommand.pageName(recordings) == name)
    }

    @Test func aLiveCalibrationGivesUpAfterTenMinutes() {
        #expect(CalibrationInput.usualLimit == 600)
    }
}
