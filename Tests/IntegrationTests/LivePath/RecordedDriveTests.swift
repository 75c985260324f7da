import Foundation
import RoadMaps
import Testing

/// A drive with a real gpsd and an emulated IIO device is recorded, and its replay gives the frames that a client
/// received live, to the byte.
@Suite(.serialized, .enabled(if: isEmulationInstalled && GpsdProcess.isInstalled, "umockdev or gpsd is not installed"))
struct RecordedDriveTests {
    /// Two roads on the way of the simulated receiver, 150 m and 2 km long, with different limits.
    private func makeRoads(in folder: TemporaryFolder) throws -> String {
        func place(_ meters: Double) -> (Double, Double) {
            let course = NMEAReceiver.courseDegrees * .pi / 180
            return (48 + meters * cos(course) / 111_200, 11 + meters * sin(course) / 74_600)
        }
        var map = MapWriter()
        for (id, meters) in [(1, -200.0), (2, 60), (3, 2000)] { map.node(Int64(id), place(meters).0, place(meters).1) }
        map.way(1, [1, 2], [("highway", "residential"), ("maxspeed", "30")])
        map.way(2, [2, 3], [("highway", "primary"), ("maxspeed", "70")])
        try Data(map.bytes).write(to: URL(fileURLWithPath: "\(folder.path)/map.osm.pbf"))
        let line = [-50.0, 400, 1500].map { "[\(place($0).1),\(place($0).0)]" }.joined(separator: ",")
        try folder.write(#"{"type":"LineString","coordinates":[\#(line)]}"#, to: "route.json")
        let roads = "\(folder.path)/roads.posed"
        let result = try ExternalProgram.run("posectl", ["roads", "import", "\(folder.path)/map.osm.pbf", "-o", roads])
        #expect(result.exitCode == 0, "\(result.errors)")
        return roads
    }

    /// Starts the daemon under the emulation, after its device exists.
    private func start(_ folder: TemporaryFolder, _ arguments: [String]) throws -> (ChildProcess, EmulatedDevice) {
        let script = """
            echo "$UMOCKDEV_DIR" > "$0/root.new"; mv "$0/root.new" "$0/root"
            until [ -e "$0/go" ]; do sleep 0.02; done
            echo $$ > "$0/pid"; exec "$@"
            """
        let process = try ExternalProgram.start(
            "umockdev-run",
            ["--", "sh", "-c", script, folder.path, "\(ExternalProgram.buildFolder)/posed"] + arguments,
            output: "\(folder.path)/out", errors: "\(folder.path)/log")
        #expect(DaemonProcess.poll(seconds: 60) { !folder.text(of: "root").isEmpty })
        let root = folder.text(of: "root").trimmingCharacters(in: .newlines)
        let device = try EmulatedDevice.imu(root: root)
        try folder.write("", to: "go")
        #expect(DaemonProcess.poll(seconds: 60) { folder.text(of: "pid").hasSuffix("\n") })
        return (process, device)
    }

    /// Feeds the sensors at 100 Hz and collects the frames of a client that asks for all: until the receiver streams,
    /// which takes gpsd a second or more, on a busy machine longer, and for some seconds from then on; longer where a
    /// busy machine gives few frames in that time. The recording has all of it, whatever comes when.
    private func drive(
        _ device: EmulatedDevice, _ line: LineConnection, seconds: Double, _ commands: [(Double, String)]
    ) -> [String] {
        let feeder = Thread {
            var random = SystemRandomNumberGenerator()
            while !Thread.current.isCancelled {
                let noise = (0..<6).map { _ in Int64.random(in: -20...20, using: &random) }
                device.feed([
                    noise[0], noise[1], 16_399 + noise[2], noise[3], noise[4], noise[5], monotonicNanoseconds(),
                ])
                usleep(10_000)
            }
        }
        feeder.start()
        var frames: [String] = []
        var (begin, end): (Double?, Double?)
        var clock = NapClock()
        var commands = commands[...]
        while clock.seconds < 120, end.map({ monotonicSeconds() < $0 + 0.5 }) ?? true {
            if let next = commands.first, let begin, monotonicSeconds() > begin + next.0 {
                line.send(Array("\(next.1)\n".utf8))
                commands.removeFirst()
            }
            if end == nil, let begin, monotonicSeconds() > begin + seconds, frames.count > 500, commands.isEmpty {
                end = monotonicSeconds()
                feeder.cancel()
            }
            // Without a check here: frames that are not taken within five seconds are lost.
            guard let text = line.receive(seconds: 0.02, isChecked: false) else {
                clock.nap()
                continue
            }
            guard text.hasPrefix(#"{"type":"frame""#) else { continue }
            frames.append(text)
            if begin == nil, text.contains(#""gps":"streaming""#) { begin = monotonicSeconds() }
        }
        feeder.cancel()
        for frame in frames { LineConnection.check(frame) }
        return frames
    }

    /// A recorded drive: the frames that a client received, the recording, and the daemon's log.
    private struct Drive {
        var frames: [String]
        var file: String
    }

    /// Drives for some seconds with everything, with commands after some of them, and stops the daemon.
    private func recordedDrive(
        in folder: TemporaryFolder, seconds: Double, mode: String = "always", _ commands: [(Double, String)]
    ) throws -> Drive {
        let feed = try ReceiverFeed()
        let gpsd = try GpsdProcess(devices: [feed.path])
        defer {
            gpsd.kill(SIGKILL)
            feed.stop()
        }
        NMEAReceiver().play(on: feed)
        try folder.write("gps:\n  port: \(gpsd.port)\nroads:\n  file: \(try makeRoads(in: folder))\n", to: "posed.yaml")
        let (process, device) = try start(
            folder,
            [
                "--config", "\(folder.path)/posed.yaml", "--set", "sockets.folder=\(folder.path)", "--set",
                "recording.mode=\(mode)", "--set", "recording.folder=\(folder.path)/recordings",
            ])
        let pid = Int32(folder.text(of: "pid").trimmingCharacters(in: .newlines)) ?? 0
        defer { if process.isRunning, pid > 1 { kill(pid, SIGKILL) } }
        var line: LineConnection?
        _ = DaemonProcess.poll(seconds: 60) {
            line = LineConnection("\(folder.path)/stream")
            return line != nil
        }
        let client = try #require(line, "\(folder.text(of: "log"))")
        client.send(Array(#"{"cmd":"route_load","path":"\#(folder.path)/route.json"}"#.utf8) + [0x0A])
        client.send(Array(#"{"cmd":"subscribe","rate_hz":0,"every":true}"#.utf8) + [0x0A])
        let frames = drive(device, client, seconds: seconds, commands)
        kill(pid, SIGTERM)
        process.waitUntilExit()
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/recordings")
        #expect(names.count == 1, "\(folder.text(of: "log"))")
        return Drive(frames: frames, file: "\(folder.path)/recordings/\(names.first ?? "")")
    }

    @Test func theReplayGivesTheFramesOfTheLiveDriveToTheByte() throws {
        // GIVEN a receiver behind gpsd, an IMU, roads with two limits, and a daemon that records everything
        let folder = try TemporaryFolder()
        // WHEN it drives for some seconds, with a trim, a wheel speed and a reset on the way, and stops
        let drive = try recordedDrive(
            in: folder, seconds: 12,
            [
                (3.6, #"{"cmd":"trim","by_deg":1.5}"#), (4.8, #"{"cmd":"wheel","speed_m_s":10.0}"#),
                (9.6, #"{"cmd":"reset"}"#),
            ])
        let replay = try ExternalProgram.run(
            "posectl", ["replay", drive.file, "--frames", "\(folder.path)/replay.ndjson"])
        // THEN every frame that the client received is in the replay, in the same order; the count of lost messages is
        // the client's
        #expect(replay.exitCode == 0, "\(replay.errors)")
        #expect(replay.errors.contains("recorded frames are the same to the byte"), "\(replay.errors)")
        for word in ["missing", "differ", "could not"] { #expect(!replay.errors.contains(word), "\(replay.errors)") }
        let replayed = folder.text(of: "replay.ndjson").split(separator: "\n").map(String.init)
        let received = drive.frames.map { $0.replacing(/,"dropped":\d+}$/, with: "}") }
        // A busy machine feeds fewer samples.
        #expect(received.count > 300)
        let start = try #require(received.first.flatMap { replayed.firstIndex(of: $0) }, "\(received.first ?? "none")")
        #expect(replayed[start...].prefix(received.count).elementsEqual(received))
        // THEN the drive had what makes it interesting: positions, both limits of the roads, guidance on the route
        let text = received.joined()
        for word in [
            #""limit_source":"road""#, #""limit_m_s":8.3"#, #""limit_m_s":19.4"#, #""route_version":1"#,
            #""state":"onRoute""#, #""heading_trim_deg":1.5"#, #""wheels":"streaming""#,
        ] {
            #expect(text.contains(word), "\(word)")
        }
        // THEN only the daemon's user may read the recording
        let mode = try FileManager.default.attributesOfItem(atPath: drive.file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aRecordingFromMidRunGivesTheSameFramesAfterAReset() throws {
        // GIVEN the same sensors, and a daemon that does not record
        let folder = try TemporaryFolder()
        // WHEN a recording starts on the way, and posed is reset after that
        let drive = try recordedDrive(
            in: folder, seconds: 8, mode: "off",
            [
                (1, #"{"cmd":"wheel","speed_m_s":10.0}"#), (3, #"{"cmd":"record","action":"start"}"#),
                (4, #"{"cmd":"reset"}"#), (5, #"{"cmd":"wheel","speed_m_s":11.0}"#),
            ])
        let replay = try ExternalProgram.run(
            "posectl", ["replay", drive.file, "--frames", "\(folder.path)/replay.ndjson"])
        // THEN the frames since the reset are in the replay, those that a client received live included
        #expect(replay.exitCode == 0 && replay.errors.contains("are those that were published only from"), "\(replay)")
        for word in ["missing", "differ", "could not"] { #expect(!replay.errors.contains(word), "\(replay.errors)") }
        let received = drive.frames.map { $0.replacing(/,"dropped":\d+}$/, with: "}") }
        let counts = received.map { $0.firstMatch(of: /"reset_count":(\d+)/)?.1 }
        let reset = try #require(counts.lastIndex { $0 != counts.last })
        let exact = received[(reset + 3)...]
        #expect(exact.count > 100)
        let replayed = folder.text(of: "replay.ndjson").split(separator: "\n").map(String.init)
        let start = try #require(exact.first.flatMap { replayed.firstIndex(of: $0) }, "\(exact.first ?? "none")")
        #expect(replayed[start...].prefix(exact.count).elementsEqual(exact))
    }
}
