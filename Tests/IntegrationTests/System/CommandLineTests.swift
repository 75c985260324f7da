import Testing

/// The daemon's command line, as a user meets it.
@Suite struct CommandLineTests {
    @Test func checkNamesEveryMistakeAndEndsWith78() throws {
        let folder = try TemporaryFolder()
        try folder.write("profile: sled\nsocket:\n  mode: 1\nfusion:\n  position_lag_s: 5 km\n", to: "bad.yaml")
        let file = "\(folder.path)/bad.yaml"
        let result = try ExternalProgram.run("posed", ["--check", "--config", file])
        #expect(result.exitCode == 78)
        #expect(result.output == "")
        let lines = result.errors.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "\(file):1:10: profile: `sled` is not one of the words; give vehicle, wearable or boat",
                "\(file):2:1: there is no key `socket`; did you mean `sockets`?",
                "\(file):5:19: fusion.position_lag_s: `5 km` is a length, and this is in s; give -1 to 1 s",
                "posed: 3 mistakes in the settings; the check failed",
            ])
    }

    @Test func aDaemonWithBrokenSettingsDoesNotStart() throws {
        let result = try ExternalProgram.run("posed", ["--config", "/does/not/exist.yaml"])
        #expect(result.exitCode == 78)
        #expect(
            result.errors.hasPrefix(
                "/does/not/exist.yaml: there is no such file; leave --config out to run with the defaults\n"))
    }

    @Test(.enabled(if: ExternalProgram.has("ldd"), "ldd is not installed"))
    func posectlLoadsNoDeviceLibrary() throws {
        // GIVEN the libraries that each program loads
        let (daemon, tool) = try (
            ExternalProgram.run("ldd", ["\(ExternalProgram.buildFolder)/posed"]),
            ExternalProgram.run("ldd", ["\(ExternalProgram.buildFolder)/posectl"])
        )
        #expect(daemon.exitCode == 0 && tool.exitCode == 0)
        for library in ["libgps", "libiio", "libusb"] {
            // THEN posectl loads none of a device's; the daemon does, libusb by way of libiio
            #expect(!tool.output.contains(library), "\(tool.output)")
            #expect(library == "libusb" || daemon.output.contains(library), "\(daemon.output)")
        }
    }

    @Test func theSampleIsGood() throws {
        let sample = "\(ExternalProgram.packageFolder)/config/posed.yaml"
        let result = try ExternalProgram.run("posed", ["--check", "--config", sample])
        #expect(result.exitCode == 0)
        #expect(result.output.hasPrefix("\(sample): valid; 0 of "))
        #expect(result.errors == "")
    }

    @Test func printedSettingsTellWhereTheyComeFrom() throws {
        let folder = try TemporaryFolder()
        try folder.write("profile: wearable\n", to: "s.yaml")
        let options = [
            "--print-config", "--config", "\(folder.path)/s.yaml", "--source", "simulated", "--set",
            "sockets.client_limit=7",
        ]
        let result = try ExternalProgram.run("posed", options)
        #expect(result.exitCode == 0)
        for line in [
            "profile: wearable  # \(folder.path)/s.yaml:1", "source: simulated  # --source",
            "log_level: info  # default",
            "  client_limit: 7  # --set sockets.client_limit",
        ] {
            #expect(result.output.contains("\n\(line)\n"), "\(result.output)")
        }
    }

    @Test(arguments: [["--chek"], ["--check", "--print-config"], ["--set", "nothing"], ["--config"], ["extra"]])
    func wrongUsageEndsWith64(arguments: [String]) throws {
        let result = try ExternalProgram.run("posed", arguments)
        #expect(result.exitCode == 64)
        #expect(result.errors.hasPrefix("Error: "))
        #expect(result.errors.contains("Usage: posed"))
    }

    @Test(arguments: [
        (["bogus"], "posectl", "monitor|status|wait|explain|doctor|route|"),
        (["record", "bogus"], "posectl record", "start|stop|status"),
        (["record", "Start"], "posectl record", "start|stop|status"), (["record", ""], "posectl record", "start|stop"),
        (["route", "bogus", "--folder", "x"], "posectl route", "load|to|clear"),
        (["roads", "bogus"], "posectl roads", "import|info"), (["points", "bogus"], "posectl points", "import"),
    ])
    func anUnknownCommandIsNamedWithThoseThatExist(arguments: [String], group: String, commands: String) throws {
        // GIVEN a word where a command belongs WHEN posectl runs
        let result = try ExternalProgram.run("posectl", arguments)
        // THEN it says what is wrong and what is possible, on standard error alone
        #expect(result.exitCode == 64 && result.output == "")
        let word = group == "posectl" ? arguments[0] : arguments[1]
        #expect(result.errors.hasPrefix("Error: '\(word)' is not a command of \(group)"))
        #expect(result.errors.contains("\nUsage: \(group) <\(commands)"), "\(result.errors)")
    }

    @Test(arguments: [("mointor", "monitor"), ("statsu", "status"), ("Route", "route")])
    func aMisspelledCommandIsSuggested(word: String, command: String) throws {
        let result = try ExternalProgram.run("posectl", [word])
        #expect(result.errors.hasPrefix("Error: '\(word)' is not a command of posectl; did you mean '\(command)'?\n"))
    }

    @Test(arguments: [["-1"], ["-1.5e1"], ["--set", "-5"], ["--set=-5"], ["--", "-1"]])
    func aNegativeTrimIsANumber(degrees: [String]) throws {
        // GIVEN a socket that does not exist WHEN the trim is negative THEN only the socket is missing
        let result = try ExternalProgram.run("posectl", ["trim", "--socket", "/nonexistent/posed"] + degrees)
        #expect(result.exitCode != 64 && result.errors.contains("/nonexistent/posed"), "\(result)")
        // The order does not matter.
        let before = try ExternalProgram.run(
            "posectl", ["trim"] + degrees.prefix(1) + ["--socket", "/nonexistent/posed"])
        #expect(degrees[0].hasPrefix("--") || before.errors.contains("/nonexistent/posed"), "\(before)")
        let outside = try ExternalProgram.run("posectl", ["trim", "-181"])
        #expect(outside.exitCode == 64 && outside.errors.contains("between -180 and 180"), "\(outside)")
    }

    @Test(arguments: [
        ["record", "start", "bogus"], ["record", "--bogus"], ["route", "to"], ["record", "start", "--rate", "3"],
        ["replay"], ["convert", "a"],
    ])
    func otherWrongUsageOfPosectlEndsWith64(arguments: [String]) throws {
        let result = try ExternalProgram.run("posectl", arguments)
        #expect(result.exitCode == 64 && result.errors.contains("Usage: posectl \(arguments[0])"), "\(result)")
        #expect(result.errors.hasPrefix("Error: "), "\(result)")
    }

    @Test(arguments: [["--help"], ["help", "record"], ["record", "--help"], ["--version"]])
    func helpIsNoUnknownCommand(arguments: [String]) throws {
        let result = try ExternalProgram.run("posectl", arguments)
        #expect(result.exitCode == 0 && result.output.contains("posectl"), "\(result)")
    }
}
