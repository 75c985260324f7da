import Foundation
import Glibc
import Testing

/// `posectl simulate` and `posectl batch` as a user runs them.
@Suite struct SimulateTests {
    @Test func aScenarioBecomesARecordingAndAReport() throws {
        let folder = try TemporaryFolder()
        let list = try ExternalProgram.run("posectl", ["simulate", "--list"])
        #expect(list.exitCode == 0 && list.output.split(separator: "\n").count == 12, "\(list)")
        // WHEN a scenario of a file is simulated
        try folder.write("title: short\nroute:\n  random: 4\nreceiver:\n  rate_hz: 5\n", to: "own.yaml")
        let made = try ExternalProgram.run(
            "posectl", ["simulate", "\(folder.path)/own.yaml", "-o", "\(folder.path)/own.mcap"])
        #expect(made.exitCode == 0 && made.output.contains("own.truth.csv"), "\(made)")
        // THEN the report has its errors
        let report = try ExternalProgram.run("posectl", ["report", "\(folder.path)/own.mcap", "--json"])
        #expect(report.output.contains("\"error\":{\"reference\":\"own.truth.csv\",\"smoothed\":false"), "\(report)")
    }

    @Test(
        arguments: [
            (["simulate", "nowhere"], 65, "'nowhere' is no scenario; give a file, or one of demo, open-sky"),
            (["simulate", "/nowhere.yaml"], 65, "/nowhere.yaml: cannot be opened"),
            (["simulate"], 64, "give a scenario, or --list"),
            (["simulate", "demo", "-o", "/proc/x.mcap"], 73, "/proc/x.mcap: cannot be created"),
            (["batch", "report", "/nowhere-at-all", "-o", "/proc/x"], 73, "/proc/x: cannot be created"),
            (["batch", "replay", "x", "-o", "y", "--with", "--frames=z"], 64, "--frames=z is set by the batch"),
        ] as [([String], Int32, String)])
    func whatIsWrongIsOneMessage(arguments: [String], code: Int32, message: String) throws {
        let result = try ExternalProgram.run("posectl", arguments)
        #expect(result.exitCode == code && result.errors.contains(message), "\(result)")
    }

    @Test func aBatchReportsAllAndNamesTheFailures() throws {
        // GIVEN two recordings, and one that is damaged
        let folder = try TemporaryFolder()
        let sample = "\(ExternalProgram.packageFolder)/samples/drive"
        try FileManager.default.createDirectory(atPath: "\(folder.path)/in", withIntermediateDirectories: true)
        for name in ["a", "b"] {
            let made = try ExternalProgram.run(
                "posectl", ["convert", sample, "\(folder.path)/in/\(name).mcap", "--quiet"])
            #expect(made.exitCode == 0)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/in/a.mcap"))
        try bytes.prefix(40).write(to: URL(fileURLWithPath: "\(folder.path)/in/c.mcap"))
        // WHEN all are reported THEN the exit status and the table tell the failure, and the others have pages
        func run() throws -> ProgramResult {
            try ExternalProgram.run("posectl", ["batch", "report", "\(folder.path)/in", "-o", "\(folder.path)/out"])
        }
        let result = try run()
        #expect(result.exitCode == 1 && result.errors.contains("2 done, 1 failed"), "\(result)")
        #expect(result.errors.contains("c.mcap"))
        let rows = folder.text(of: "out/results.csv").split(separator: "\r\n")
        #expect(rows.count == 4 && rows[3].contains(",failed,65,") && rows[1].contains(",done,0,"), "\(rows)")
        #expect(folder.text(of: "out/a.html").hasSuffix("</html>\n") && access("\(folder.path)/out/c.html", F_OK) != 0)
        // WHEN it runs again THEN what is done is kept
        let again = try run()
        #expect(again.errors.contains("0 done, 2 kept, 1 failed"), "\(again)")
    }

    @Test func aBatchTellsItsResultUnlessToldNotTo() throws {
        // GIVEN a recording that has no fault
        let folder = try TemporaryFolder()
        let made = try ExternalProgram.run(
            "posectl",
            ["convert", "\(ExternalProgram.packageFolder)/samples/drive", "\(folder.path)/a.mcap", "--quiet"])
        #expect(made.exitCode == 0)
        func run(_ options: [String]) throws -> ProgramResult {
            try ExternalProgram.run(
                "posectl", ["batch", "report", "\(folder.path)/a.mcap", "-o", "\(folder.path)/out"] + options)
        }
        // WHEN it is reported THEN one line has the result and the table; the second time it is kept
        let table = "\(folder.path)/out/results.csv\n"
        let plain = try run([])
        #expect(plain.exitCode == 0 && plain.errors == "posectl: 1 done; \(table)", "\(plain)")
        let again = try run([])
        #expect(again.errors == "posectl: 0 done, 1 kept; \(table)", "\(again)")
        // AND with --force it is made again, and with --quiet nothing is told
        let forced = try run(["--force"])
        #expect(forced.errors == "posectl: 1 done; \(table)", "\(forced)")
        let quiet = try run(["--quiet"])
        #expect(quiet.exitCode == 0 && quiet.errors.isEmpty && quiet.output.isEmpty, "\(quiet)")
    }

    @Test(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
    func aDaemonReadsTheLiveSensors() throws {
        // GIVEN a scenario that is played live
        let folder = try TemporaryFolder()
        let player = try ExternalProgram.start(
            "posectl", ["simulate", "open-sky", "--live", "--quiet"], output: "\(folder.path)/out",
            errors: "\(folder.path)/err")
        defer { player.kill() }
        var places: [String] = []
        _ = DaemonProcess.poll(seconds: 60) {
            places = folder.text(of: "out").split(separator: "\n").map(String.init)
            return places.count == 2
        }
        let terminal = try #require(places.first?.split(separator: " ").last.map(String.init), "\(places)")
        let context = try #require(places.last?.split(separator: "=").last.map(String.init), "\(places)")
        // WHEN a gpsd opens the terminal, and a daemon reads both
        let port = try FreePort.take()
        let gpsd = try ExternalProgram.start(
            "gpsd", ["-N", "-n", "-S", "\(port)", terminal], output: "\(folder.path)/gpsd.out",
            errors: "\(folder.path)/gpsd.err")
        defer { gpsd.kill() }
        let daemon = try DaemonProcess(["--set", "gps.port=\(port)", "--set", "imu.context=\(context)"])
        // THEN it has a position and an attitude
        let result = try ExternalProgram.run(
            "posectl", ["wait", "--until", "position", "--folder", daemon.folder.path, "--timeout", "300"])
        #expect(result.exitCode == 0, "\(result) \(daemon.log) \(folder.text(of: "gpsd.err"))")
        // A busy machine may hold up what plays the sensors.
        var status = ""
        let streams = DaemonProcess.poll(seconds: 60) {
            let result = try? ExternalProgram.run("posectl", ["status", "--folder", daemon.folder.path])
            status = result?.output ?? ""
            return status.contains("(imu, ") && status.contains("streaming at")
        }
        #expect(streams, "\(status)")
        // WHEN it is told to end THEN it does at once
        player.send(SIGINT)
        #expect(DaemonProcess.poll(seconds: 5) { !player.isRunning })
    }
}
