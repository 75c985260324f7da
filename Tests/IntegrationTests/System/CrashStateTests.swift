import Foundation
import PoseMath
import RoadMaps
import Testing

/// What is on the disk after a power failure at any moment, and after a failure of any call, for every program that
/// writes files. Support/CrashDisk has the preloaded library and the checker.
@Suite(.serialized, .enabled(if: ExternalProgram.has("gcc", "python3"), "gcc or python3 is not installed"))
struct CrashStateTests {
    private static let isNight = ProcessInfo.processInfo.environment["POSED_NIGHTLY"] == "1"
    private static let support = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Support/CrashDisk"

    /// Runs the checker for a command that writes into a folder, and returns its line.
    private func check(_ folder: TemporaryFolder, _ options: [String], _ command: [String]) throws -> String {
        let tools = try TemporaryFolder()
        let library = "\(tools.path)/crash_disk.so"
        let built = try ExternalProgram.run(
            "gcc",
            ["-shared", "-fPIC", "-Wall", "-Werror", "-O1", "\(Self.support)/crash_disk.c", "-o", library, "-ldl"])
        #expect(built.exitCode == 0, "\(built.errors)")
        let all = ["\(Self.support)/crash_check.py", "--library", library, "--folder", folder.path] + options
        let program = "\(ExternalProgram.buildFolder)/\(command[0])"
        let result = try ExternalProgram.run("python3", all + ["--", program] + command.dropFirst(), seconds: 600)
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        print("crash states of \(command.prefix(3).joined(separator: " ")): \(result.output)", terminator: "")
        return result.output
    }

    /// A recording at rest with a bias of the gyro, deg/s.
    private func rest(_ bias: Double, seconds: Double = 31.5) throws -> SensorFolder {
        var folder = try SensorFolder()
        let rate = Vector3(bias, -bias / 2, bias / 4) * (.pi / 180)
        folder.rest(seconds, rate: rate, force: Vector3(0, 0, 9.807), noise: (0.001_7, 0.02))
        try folder.finish()
        return folder
    }

    @Test func aSavedCalibrationIsOldOrNew() throws {
        // GIVEN a folder with a saved calibration WHEN another one is saved, with a failure at each call THEN the file
        // is the old or the new one
        let (folder, first, second) = (try TemporaryFolder(), try rest(0.4), try rest(-1))
        let save = ["--save", "--state", folder.path, "--device", "x"]
        let result = try ExternalProgram.run("posectl", ["calibrate", "gyro", first.path] + save)
        #expect(result.exitCode == 0, "\(result.errors)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let line = try check(
            folder, ["--atomic", name, "--interfere"], ["posectl", "calibrate", "gyro", second.path] + save)
        #expect(line.contains("all as promised") && !line.contains(" 0 interrupted"))
    }

    @Test func aSettingsFileIsOldOrNew() throws {
        // GIVEN a settings file WHEN measured noise is written into it
        let (folder, recording) = (try TemporaryFolder(), try rest(0.1, seconds: 130))
        try folder.write("# mine\nfusion:\n  position_lag_s: 0.1\n", to: "posed.yaml")
        let line = try check(
            folder, ["--atomic", "posed.yaml", "--interfere"],
            ["posectl", "calibrate", "noise", recording.path, "--settings", "\(folder.path)/posed.yaml"])
        #expect(line.contains("all as promised"))
    }

    /// A map with one road, `map.osm.pbf`.
    private func makeMap(in folder: TemporaryFolder) throws {
        var map = MapWriter()
        for id in 1...3 { map.node(Int64(id), 48 + Double(id) * 0.001, 11) }
        map.way(1, [1, 2, 3], [("highway", "residential"), ("maxspeed", "30")])
        try Data(map.bytes).write(to: URL(fileURLWithPath: "\(folder.path)/map.osm.pbf"))
    }

    @Test(arguments: ["drive.mcap", "frames.jsonl", "page.html", "figures.json", "roads.posed", "points.posed"])
    func theFileThatAToolMakesIsOldOrNew(name: String) throws {
        // GIVEN a file WHEN a tool writes another one over it
        let (folder, inputs, recording) = (try TemporaryFolder(), try TemporaryFolder(), try rest(0.1, seconds: 2))
        try makeMap(in: inputs)
        try inputs.write("name,lat,lon\na,48,11\n", to: "points.csv")
        try folder.write("old", to: name)
        let path = "\(folder.path)/\(name)"
        let commands = [
            "drive.mcap": ["convert", recording.path, path],
            "frames.jsonl": ["replay", recording.path, "--frames", path, "--quiet"],
            "page.html": ["report", recording.path, "--output", path, "--quiet"],
            "figures.json": ["report", recording.path, "--json", "--figures", path, "--quiet"],
            "roads.posed": ["roads", "import", "\(inputs.path)/map.osm.pbf", "--output", path],
            "points.posed": ["points", "import", "\(inputs.path)/points.csv", "--output", path],
        ]
        let command = try #require(commands[name])
        let line = try check(folder, ["--atomic", name, "--interfere"], ["posectl"] + command)
        #expect(line.contains("all as promised"))
    }

    /// A daemon that records into a folder, and what counts the frames of its recordings.
    private func recorder(into folder: TemporaryFolder, sockets: TemporaryFolder) -> (
        command: [String], reader: String
    ) {
        let posectl = "\(ExternalProgram.buildFolder)/posectl"
        let reader = """
            n=0; for f in "$0"/drives/*.mcap; do [ -s "$f" ] || continue; \
            k=$('\(posectl)' replay "$f" --frames - --quiet 2>/dev/null | wc -l); n=$((n + k)); done; echo $n
            """
        let settings = [
            "recording.mode=always", "recording.folder=\(folder.path)/drives", "recording.reserve_mib=0",
            "state.folder=\(folder.path)/state", "sockets.folder=\(sockets.path)",
        ]
        return (["posed", "--source", "simulated"] + settings.flatMap { ["--set", $0] }, reader)
    }

    @Test func aRecordingKeepsWhatWasSynchronised() throws {
        // GIVEN a recording daemon WHEN the power fails after any of its calls THEN what was synchronised before can be
        // replayed
        let (folder, sockets) = (try TemporaryFolder(), try TemporaryFolder())
        let recorder = recorder(into: folder, sockets: sockets)
        let line = try check(folder, ["--seconds", "8", "--reader", recorder.reader], recorder.command)
        #expect(line.contains("all as promised"))
    }

    @Test(.enabled(if: isNight, "set POSED_NIGHTLY=1, or run `make nightly`"))
    func noFailureOfACallEndsADaemonThatRecordsNightlyTests() throws {
        // GIVEN a folder with a recording WHEN another daemon records there, and any of its calls fails THEN it goes on
        // to its end, and the recording before can be replayed
        let (folder, sockets) = (try TemporaryFolder(), try TemporaryFolder())
        let recorder = recorder(into: folder, sockets: sockets)
        let arguments = ["-s", "TERM", "4", "\(ExternalProgram.buildFolder)/\(recorder.command[0])"]
        _ = try ExternalProgram.run("timeout", arguments + recorder.command.dropFirst())
        let line = try check(
            folder, ["--seconds", "2.5", "--interfere", "--reader", recorder.reader], recorder.command)
        #expect(line.contains("all as promised") && !line.contains(" 0 interrupted"))
    }

    @Test func whatTheDaemonSavesOfADriveStays() throws {
        // GIVEN a daemon that finds its mount within a minute, saves it with the sensors' biases, and these again at
        // its end WHEN the power fails after any of its calls THEN what was synchronised can be read
        let (folder, sockets) = (try TemporaryFolder(), try TemporaryFolder())
        let settings = [
            "recording.mode=off", "state.folder=\(folder.path)/state", "sockets.folder=\(sockets.path)",
        ]
        let line = try check(
            folder, ["--seconds", "75", "--reader", "python3 '\(Self.support)/state_count.py' \"$0\"", "--least", "2"],
            ["posed", "--source", "simulated"] + settings.flatMap { ["--set", $0] })
        #expect(line.contains("all as promised"))
    }

    /// A bridge without a broker, which keeps its messages in a folder.
    private func bridge(into folder: TemporaryFolder, _ daemon: DaemonProcess) -> [String] {
        let settings = [
            "sockets.folder=\(daemon.folder.path)", "bridge.broker=127.0.0.1", "bridge.port=9", "bridge.tls=false",
            "bridge.rate_hz=5", "bridge.store_folder=\(folder.path)/messages", "bridge.id=b1",
        ]
        return ["posed-bridge"] + settings.flatMap { ["--set", $0] }
    }

    private static let messageCount = "python3 '\(support)/store_count.py' \"$0\""

    @Test func theMessageStoreKeepsWhatWasSynchronised() throws {
        // GIVEN a bridge without a broker WHEN the power fails after any of its calls
        let (folder, daemon) = (try TemporaryFolder(), try DaemonProcess())
        let line = try check(
            folder, ["--seconds", "3", "--reader", Self.messageCount], bridge(into: folder, daemon))
        #expect(line.contains("all as promised"))
    }

    @Test(.enabled(if: isNight, "set POSED_NIGHTLY=1, or run `make nightly`"))
    func noFailureOfACallEndsABridgeNightlyTests() throws {
        // GIVEN a folder with messages WHEN another bridge keeps its own there, and any of its calls fails THEN it goes
        // on to its end, or refuses to begin, and the messages before are there
        let (folder, daemon) = (try TemporaryFolder(), try DaemonProcess())
        let command = bridge(into: folder, daemon)
        let arguments = ["-s", "TERM", "3", "\(ExternalProgram.buildFolder)/\(command[0])"]
        _ = try ExternalProgram.run("timeout", arguments + command.dropFirst())
        let line = try check(
            folder, ["--seconds", "1", "--interfere", "--reader", Self.messageCount], command)
        #expect(line.contains("all as promised") && !line.contains(" 0 interrupted"))
    }

    @Test func aThinnedMessageStoreKeepsWhatItThinned() throws {
        // GIVEN a store whose next message makes the file full, and no room for a closed file: a folder
        // has the name under which it is written
        let (folder, daemon) = (try TemporaryFolder(), try DaemonProcess())
        let fill = """
            import struct, sys, zlib
            for i in range(428):
                text = (f"{i} " + "x" * 600)[:600].encode()
                body = struct.pack("<IBBH", len(text), 1, 1, 0) + text
                sys.stdout.buffer.write(struct.pack("<I", zlib.crc32(body)) + body)
            """
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/messages/00000000000000000001-0.closed.new", withIntermediateDirectories: true)
        try folder.write(fill, to: "messages/fill.py")
        let filled = try ExternalProgram.run(
            "sh", ["-c", "cd '\(folder.path)/messages' && python3 fill.py > open-1 && rm fill.py && wc -c < open-1"])
        #expect(filled.output.hasPrefix("261936"), "\(filled.output)\(filled.errors)")
        // WHEN the store thins its open file, and the power fails after any of its calls THEN a hundred messages are
        // there at least: half of the 428
        let line = try check(
            folder, ["--seconds", "1.5", "--reader", "\(Self.messageCount) --most 100"], bridge(into: folder, daemon))
        #expect(line.contains("all as promised"))
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/messages")
        #expect(left.contains("open-1"), "the checker restores the first state: \(left)")
    }
}
