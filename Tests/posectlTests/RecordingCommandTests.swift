import DriveRecording
import Engine
import Foundation
import PlayedDaemon
import PoseMath
import Replay
import RoadData
import Testing

@testable import posectl

/// Commands over a recording, and those that ask a daemon once: their files and their exit status.
@Suite struct RecordingCommandTests {
    /// A scenario of some seconds.
    private func scenario() throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.write(
            "title: short\nroute: {corners: [[48, 11], [48.0005, 11]]}\nspeed: {standing_before_s: 2}\n", "s.yaml")
        return folder
    }

    @Test func aSeedGivesTheSameDriveAgain() throws {
        // GIVEN a scenario WHEN simulated with a seed, with it again, and with another THEN the first two are the same
        let folder = try scenario()
        for (seed, name) in [(7, "a"), (7, "b"), (8, "c")] {
            #expect(folder.run("simulate F/s.yaml --seed \(seed) --output F/\(name) --quiet") == 0)
        }
        #expect(!folder.text("a/imu.csv").isEmpty && folder.text("a/imu.csv") == folder.text("b/imu.csv"))
        #expect(folder.text("a/imu.csv") != folder.text("c/imu.csv"))
        // AND a scenario that expects nothing is as expected
        #expect(folder.run("simulate F/s.yaml --check --quiet") == 0)
    }

    @Test func aCalibrationOfADriveFailsAndKeepsItsDrawing() throws {
        // GIVEN a drive that is too short for each calibration WHEN judged THEN it fails with 1, the drawing is there
        // all the same, and no settings are written
        let folder = try scenario()
        #expect(folder.run("simulate F/s.yaml --output F/drive --quiet") == 0)
        for words in ["gyro", "accel", "mag", "noise", "gyro --json", "noise --json", "gyro --save --state F/state"] {
            #expect(folder.run("calibrate \(words) F/drive") == 1, "\(words)")
        }
        #expect(folder.run("calibrate noise F/drive --plot F/noise.svg --settings F/set.yaml") == 1)
        #expect(folder.text("noise.svg").hasPrefix("<svg ") && folder.text("set.yaml").isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/state"))
        #expect(folder.run("calibrate noise F/drive --plot F/none/noise.svg") == 73)
        #expect(folder.run("align F/drive") == 1 && folder.run("align F/drive --json") == 1)
        for words in ["calibrate gyro", "align", "info"] { #expect(folder.run("\(words) F/none") == 65, "\(words)") }
        #expect(folder.run("info F/drive") == 0)
    }

    @Test func aPlanHasATaskForEachRecording() throws {
        // GIVEN two drives of two vehicles WHEN a plan is made THEN it has their whole paths, and nothing is done yet
        let folder = try scenario()
        for name in ["bus/monday", "van/monday"] {
            let place = "\(folder.path)/\(name)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            #expect(folder.run("simulate F/s.yaml --output F/\(name)/drive --quiet") == 0)
        }
        #expect(folder.run("batch plan F/bus F/van --output F/plan --with --smooth") == 0)
        let manifest = folder.text("plan/manifest.json")
        #expect(manifest.contains("\(folder.path)/bus/monday/drive") && manifest.contains("--smooth"))
        #expect(manifest.contains("\(folder.path)/van/monday/drive"))
        #expect(folder.run("batch collect F/plan/manifest.json") == 1)
        #expect(!folder.text("plan/fleet.md").isEmpty && folder.text("plan/results.csv").contains("failed"))
        // AND a task that there is not, and folders that cannot be used
        #expect(folder.run("batch run F/plan/manifest.json --task 2") == 65)
        #expect(folder.run("batch run F/plan/manifest.json --task 3 --of 3") == 65)
        try FileManager.default.createDirectory(atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
        #expect(folder.run("batch plan F/empty --output F/plan") == 65)
        #expect(folder.run("batch plan F/bus --output F/none/plan") == 73)
        #expect(folder.run("batch plan F/bus --output F/plan --with --json") == 64)
    }

    @Test func aPlanHasTheWholePathsOfTheFilesOfItsOptions() {
        // GIVEN options that name files from here WHEN a task runs in another folder THEN it finds them
        let here = FileManager.default.currentDirectoryPath
        let options = ["--roads", "r.posed", "--config=c/a=b.yaml", "--route", "/r.json", "--profile", "boat"]
        #expect(
            BatchPlanCommand.absolute(options) == [
                "--roads", "\(here)/r.posed", "--config=\(here)/c/a=b.yaml", "--route", "/r.json", "--profile", "boat",
            ])
        #expect(BatchPlanCommand.absolute(["--config=", "--roads"]) == ["--config=", "--roads"])
    }

    @Test func roadsAndPointsThatAreNoneAreRefused() throws {
        let folder = try CommandFolder()
        try folder.write("no roads\n", "text")
        for words in [
            "roads import F/text --output F/r.posed", "roads import F/none --output F/r.posed", "roads info F/text",
            "roads info F/none", "points import F/text --output F/p.json",
        ] { #expect(folder.run(words) == 65, "\(words)") }
        #expect(folder.text("r.posed").isEmpty)
    }

    /// The path of a recording of one tick, made with a setting.
    private func recording(in folder: CommandFolder, with option: RecordedSettings.Option) throws -> String {
        let path = "\(folder.path)/a.mcap"
        var settings = RecordedSettings()
        settings.options = [option]
        var writer = DriveRecordingWriter(info: RecordingInfo(release: "1", session: "s"), settings: settings)
        writer.write(.tick(MonotonicTime(nanoseconds: 1)), number: 1)
        writer.finish()
        try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func aDriveIsAlignedWithTheSettingsThatItWasRecordedWith() throws {
        // GIVEN a recording of a boat
        let folder = try CommandFolder()
        let path = try recording(in: folder, with: .init(path: "profile", value: "boat"))
        // WHEN it is aligned THEN it is a boat; with a settings file it is what that says
        try folder.write("profile: wearable\n", "set.yaml")
        for (words, profile) in [([], "boat"), (["--config", "\(folder.path)/set.yaml"], "wearable")] {
            let parsed = try PoseControl.parseAsRoot(["align", path] + words)
            let command = try #require(parsed as? AlignCommand)
            let replay = try command.configured(Replay(recording: path), .mcap)
            #expect("\(replay.engine.fusion.profile)" == profile)
            // AND the magnetometer has the declination of its place, and both are those of a conversion, too
            let conversion = try PoseControl.parseAsRoot(["convert", path, "b.tum"] + words)
            let convert = try #require(conversion as? ConvertCommand)
            let converted = try convert.configured(Replay(recording: path), .mcap)
            let haveDeclinations = [replay.declination, converted.declination].allSatisfy { $0 != nil }
            #expect(haveDeclinations && "\(converted.engine.fusion.profile)" == profile)
        }
    }

    @Test func aReplayLeavesWhatItHasShownToTheNextOne() throws {
        // GIVEN the sample drive, whose mount is found on its way, and a folder without a state
        let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../samples/drive"
        let folder = try CommandFolder()
        func frames(_ name: String, _ words: String) -> String {
            #expect(folder.run("replay \(sample) --frames F/\(name) --rate 2 --quiet \(words)") == 0)
            return folder.text(name)
        }
        // WHEN it is replayed twice with that folder THEN the second replay begins with what the first has found
        let (first, second) = (frames("a", "--state F/state"), frames("b", "--state F/state"))
        #expect(!first.isEmpty && second != first)
        // AND without a folder nothing is known before
        #expect(frames("c", "") == first)
    }

    @Test func theAnswersAboutRoadsAreThoseOfTheRecording() throws {
        // GIVEN a recording, which has the answers about roads, with settings that name a road file
        let folder = try CommandFolder()
        let path = try recording(in: folder, with: .init(path: "roads.file", value: "/recorded.posed"))
        try folder.write("roads:\n  file: /own.posed\n", "set.yaml")
        // WHEN it is replayed THEN no road file is read, unless an option or a settings file names one
        let config = ["--config", "\(folder.path)/set.yaml"]
        for (words, file) in [
            ([], nil), (["--roads", "/given.posed"], "/given.posed"), (config, "/own.posed"),
            (config + ["--roads", "/given.posed"], "/given.posed"),
        ] as [([String], String?)] {
            let command = try PoseControl.parseAsRoot(["replay", path, "--frames", "-"] + words)
            #expect(try #require(command as? ReplayCommand).options.replay().horizon.roadFile == file, "\(words)")
        }
    }

    @Test func theRoadsThatARecordingNamesAreLookedForByItsReport() throws {
        // GIVEN recordings of a measurement, of which one names a road file that is not here
        let folder = try CommandFolder()
        let missing = RoadFileIdentity(path: "/nowhere/x.roads", content: "9 roads")
        for (name, roads) in [("a", missing), ("b", nil)] as [(String, RoadFileIdentity?)] {
            var writer = DriveRecordingWriter(
                info: RecordingInfo(release: "1", session: "s"), settings: RecordedSettings())
            if let roads { writer.write(roads) }
            let time = MonotonicTime(nanoseconds: 1_000_000_000)
            writer.write(.event(.wheelSpeed(.init(time: time, speedMetersPerSecond: 3))), number: 1)
            writer.finish()
            try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: "\(folder.path)/\(name).mcap"))
            // WHEN it is reported THEN the page says that its map has no roads
            #expect(folder.run("report F/\(name).mcap --output F/\(name).html --quiet") == 0)
            #expect(folder.text("\(name).html").contains("no roads on the map: ") == (roads != nil), "\(name)")
        }
    }

    @Test func anImportTellsOnlyWhatThereIs() {
        // GIVEN roads without rules, unreadable limits and gaps THEN there are two lines; each of the others adds one
        var report = RoadImportReport()
        func lines() -> Int { RoadsCommand.Import.text(report, "r", 1).split(separator: "\n").count }
        #expect(lines() == 2)
        report.ruledEdges = 1
        #expect(lines() == 3)
        (report.unreadLimits, report.incompleteWays) = (1, 1)
        #expect(lines() == 5)
    }

    @Test(arguments: ["explain heading", "explain position --json"])
    func aDaemonThatAnswersIsAskedOnce(words: String) throws {
        // GIVEN a daemon that sends a frame and its status WHEN asked THEN the command ends well; without one it is 2
        let folder = try CommandFolder()
        let status =
            #"{"type":"reply","cmd":"status","ok":true,"release":"1","uptime_s":1,"pose":{"state":"coarse","why":[]},"#
            + #""sources":[],"clients":{"connected":1},"settings":{"notes":[]}}"#
        let daemon = PlayedDaemon("\(folder.path)/stream") { line in
            line.contains("subscribe") ? [#"{"type":"frame","seq":1,"pose":{"state":"coarse"}}"#] : [status]
        }
        #expect(folder.run("\(words) --folder \(folder.path)") == 0)
        #expect(daemon.lines.prefix(2) == [#"{"cmd":"subscribe","rate_hz":10.0}"#, #"{"cmd":"status"}"#])
        #expect(folder.run("\(words) --folder /nowhere") == 2)
    }
}
