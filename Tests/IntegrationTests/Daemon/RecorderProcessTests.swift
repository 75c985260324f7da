import Foundation
import Glibc
import Testing

/// The recorder of a running daemon, and its files as other programs read them.
@Suite(.serialized) struct RecorderProcessTests {
    private func daemon(_ mode: String, _ recordings: TemporaryFolder) throws -> DaemonProcess {
        try DaemonProcess([
            "--source", "simulated", "--set", "recording.mode=\(mode)", "--set",
            "recording.folder=\(recordings.path)/drives", "--set", "recording.reserve_mib=0",
        ])
    }

    private func files(_ recordings: TemporaryFolder) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(recordings.path)/drives")) ?? []
        return names.sorted().map { "\(recordings.path)/drives/\($0)" }
    }

    private func size(_ path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
    }

    @Test func theCommandStartsAndStopsARecording() throws {
        // GIVEN a daemon that does not record
        let recordings = try TemporaryFolder()
        let daemon = try daemon("off", recordings)
        let folder = "--folder=\(daemon.folder.path)"
        func record(_ action: String) throws -> ProgramResult {
            try ExternalProgram.run("posectl", ["record", action, folder])
        }
        #expect(try record("status").output == "off\n")
        #expect(files(recordings).isEmpty)
        // WHEN a recording is started THEN posectl and status name the file
        let started = try record("start")
        #expect(started.exitCode == 0 && started.output.hasPrefix("recording for"), "\(started)")
        #expect(DaemonProcess.poll(seconds: 60) { self.files(recordings).first.map { self.size($0) > 2000 } ?? false })
        let status = try ExternalProgram.run("posectl", ["status", folder])
        #expect(status.output.contains("recorder: recording for") && status.output.contains("drives/posed-2"))
        // WHEN it is stopped THEN the file is complete, and the replay runs
        let file = try #require(files(recordings).first)
        #expect(try record("stop").output == "off\nrecorded to \(file)\n")
        #expect(try record("stop").output == "off\n")
        let replay = try ExternalProgram.run("posectl", ["replay", file, "--frames", "\(recordings.path)/frames"])
        #expect(replay.exitCode == 0 && replay.errors.contains("begins in mid-run"), "\(replay)")
        #expect(!replay.errors.contains("cut off"))
        #expect(daemon.stop().exitCode == 0)
    }

    /// Waits until the newest recording has some bytes, and replays the oldest one after the daemon has ended.
    private func replay(_ daemon: DaemonProcess, _ recordings: TemporaryFolder) throws -> ProgramResult {
        #expect(DaemonProcess.poll(seconds: 60) { self.files(recordings).last.map { self.size($0) > 6000 } ?? false })
        #expect(daemon.stop().exitCode == 0)
        let file = try #require(files(recordings).first)
        return try ExternalProgram.run("posectl", ["replay", file, "--frames", "\(recordings.path)/frames"])
    }

    @Test func whatHappensIsReplayedFromTheStartOfTheDaemon() throws {
        // GIVEN a daemon that waits for something to happen
        let recordings = try TemporaryFolder()
        let daemon = try daemon("event", recordings)
        let folder = "--folder=\(daemon.folder.path)"
        #expect(DaemonProcess.poll(seconds: 60) { self.files(recordings).first.map { self.size($0) > 4000 } ?? false })
        let waiting = try ExternalProgram.run("posectl", ["record", "status", folder])
        #expect(waiting.output.hasPrefix("waiting for something to record; everything since the start is kept"))
        // WHEN the pose jumps, which a reset announces
        #expect(try ExternalProgram.run("posectl", ["reset", folder]).exitCode == 0)
        #expect(
            DaemonProcess.poll(seconds: 60) {
                (try? ExternalProgram.run("posectl", ["record", "status", folder]).output.hasPrefix("recording for"))
                    ?? false
            })
        // THEN the replay of what is kept has all frames since the start, and they are the same
        let replay = try replay(daemon, recordings)
        #expect(replay.exitCode == 0 && replay.errors.contains("recorded frames are the same to the byte"), "\(replay)")
        for word in ["mid-run", "differs", "missing"] { #expect(!replay.errors.contains(word), "\(replay.errors)") }
    }

    @Test func aRecordingThatStartsWithAResetIsTheSame() throws {
        // GIVEN a daemon that runs and does not record
        let recordings = try TemporaryFolder()
        let daemon = try daemon("off", recordings)
        let line = try #require(LineConnection(daemon.streamPath))
        line.send(Array(#"{"cmd":"subscribe","rate_hz":0}"#.utf8) + [10])
        #expect(DaemonProcess.poll(seconds: 60) { line.receive()?.contains(#""utc_s":1"#) ?? false })
        // WHEN a recording is started with a reset THEN its replay gives the same frames from there on
        let started = try ExternalProgram.run(
            "posectl", ["record", "start", "--reset", "--folder=\(daemon.folder.path)"])
        #expect(started.exitCode == 0, "\(started)")
        #expect(started.output.contains("the same frames from the first reset in it on"), "\(started)")
        let replay = try replay(daemon, recordings)
        #expect(replay.exitCode == 0 && replay.errors.contains("recorded frames are the same to the byte"), "\(replay)")
        #expect(replay.errors.contains("are those that were published only from"), "\(replay.errors)")
        for word in ["differs", "missing"] { #expect(!replay.errors.contains(word), "\(replay.errors)") }
    }

    @Test(arguments: [0, 1, 2])
    func aKilledDaemonLeavesARecordingThatCanBeReplayed(run: Int) throws { try killOnce() }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["POSED_NIGHTLY"] != nil, "runs in make nightly (POSED_NIGHTLY=1)"))
    func allCompleteChunksAreReadableAfter200KillsNightlyTests() throws { for _ in 0..<200 { try killOnce() } }

    /// Kills a recording daemon at a random time. Everything that was written can be replayed, and is identical.
    private func killOnce() throws {
        let recordings = try TemporaryFolder()
        let daemon = try daemon("always", recordings)
        // The start of the file has less than 1 kB; the first chunk with measurements comes after a second.
        #expect(DaemonProcess.poll(seconds: 60) { self.files(recordings).first.map { self.size($0) > 2000 } ?? false })
        usleep(UInt32.random(in: 0...1_500_000))
        _ = daemon.stop(SIGKILL)
        #expect(daemon.process.signal == SIGKILL)
        let file = try #require(files(recordings).first)
        let replay = try ExternalProgram.run("posectl", ["replay", file, "--frames", "\(recordings.path)/frames"])
        #expect(replay.exitCode == 0 && replay.errors.contains("was cut off at byte"), "\(replay)")
        #expect(replay.errors.contains("recorded frames are the same to the byte"), "\(replay)")
        for word in ["differs", "missing"] { #expect(!replay.errors.contains(word), "\(replay.errors)") }
    }

    /// A complete recording of a few seconds.
    private func recordingOfSomeSeconds(in recordings: TemporaryFolder) throws -> String {
        let daemon = try daemon("always", recordings)
        #expect(DaemonProcess.poll(seconds: 60) { self.files(recordings).first.map { self.size($0) > 8000 } ?? false })
        #expect(daemon.stop().exitCode == 0)
        return try #require(files(recordings).first)
    }

    /// The interpreter with the package that decodes protobuf messages by the schemas in the file.
    private static let decoder = PythonEnvironment.with("mcap-protobuf-support", module: "mcap_protobuf")

    @Test(.enabled(if: decoder != nil, "the Python package mcap-protobuf-support is not available"))
    func otherProgramsDecodeThePoseByTheSchemasInTheFile() throws {
        // GIVEN a recording of a few seconds
        let recordings = try TemporaryFolder()
        let file = try recordingOfSomeSeconds(in: recordings)
        // WHEN a program that knows nothing of posed decodes every message by its schema
        let script = """
            import sys, json
            from mcap.reader import make_reader
            from mcap_protobuf.decoder import DecoderFactory
            factory, last = DecoderFactory(), {}
            for schema, channel, message in make_reader(open(sys.argv[1], "rb"), validate_crcs=True).iter_messages():
                if channel.message_encoding == "json": value = json.loads(message.data)
                else: value = factory.decoder_for(channel.message_encoding, schema)(message.data)
                last[channel.topic] = (schema.name, value)
            frame = last["/posed/frame"][1]
            for topic, name in [("/fix", "LocationFix"), ("/track", "LocationFix"), ("/pose", "PoseInFrame"),
                                ("/tf", "FrameTransform"), ("/log", "Log")]:
                assert last[topic][0] == "foxglove." + name, last[topic][0]
            track, pose, tf = (last[topic][1] for topic in ("/track", "/pose", "/tf"))
            assert abs(track.latitude - frame["pose"]["lat_deg"]) < 2e-9, (track, frame)
            assert abs(track.longitude - frame["pose"]["lon_deg"]) < 2e-9
            assert pose.frame_id == "local" and tf.parent_frame_id == "local" and tf.child_frame_id == "body"
            q = pose.pose.orientation
            assert abs(q.w ** 2 + q.x ** 2 + q.y ** 2 + q.z ** 2 - 1) < 1e-9
            assert abs(last["/fix"][1].latitude - track.latitude) < 1e-3
            """
        let result = try ExternalProgram.run(try #require(Self.decoder), ["-c", script, file])
        // THEN positions and attitude are those of the frames
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["POSED_NIGHTLY"] != nil
                && PythonEnvironment.with("rerun-sdk", module: "rerun") != nil,
            "rerun-sdk is installed in make nightly (POSED_NIGHTLY=1); it has 800 MB"))
    func rerunFindsNoIssueNightlyTests() throws {
        // GIVEN a recording of a few seconds WHEN rerun checks and converts it
        let recordings = try TemporaryFolder()
        let file = try recordingOfSomeSeconds(in: recordings)
        let python = try #require(PythonEnvironment.with("rerun-sdk", module: "rerun"))
        let rerun = URL(fileURLWithPath: python).deletingLastPathComponent().path + "/rerun"
        let check = try ExternalProgram.run(rerun, ["mcap", "check", file])
        // THEN every channel is good, and pose, track, fix and transform have their own entities
        #expect(check.exitCode == 0, "\(check)")
        let target = "\(recordings.path)/drive.rrd"
        #expect(try ExternalProgram.run(rerun, ["mcap", "convert", file, "-o", target]).exitCode == 0)
        let entities = try ExternalProgram.run(rerun, ["rrd", "stats", target]).output
        for topic in ["/fix", "/track", "/pose", "/tf", "/log"] { #expect(entities.contains("\(topic): "), "\(topic)") }
    }

    /// The interpreter with the package `mcap`; `nil` where it cannot be had.
    private static let python = PythonEnvironment.with("mcap")

    @Test(.enabled(if: python != nil, "the Python package mcap is not available"))
    func thePythonPackageReadsTheFileWithItsChecksums() throws {
        // GIVEN a complete recording of a few seconds
        let recordings = try TemporaryFolder()
        let file = try recordingOfSomeSeconds(in: recordings)
        // WHEN the reference implementation reads it with all checks, by its index
        let script = """
            import sys
            from mcap.reader import make_reader
            reader = make_reader(open(sys.argv[1], "rb"), validate_crcs=True)
            counts = {}
            for schema, channel, message in reader.iter_messages():
                counts[channel.topic] = counts.get(channel.topic, 0) + 1
            statistics = reader.get_summary().statistics
            assert statistics.message_count == sum(counts.values()), statistics
            assert [m.name for m in reader.iter_metadata()][0] == "posed"
            print(" ".join(sorted(counts)))
            """
        let result = try ExternalProgram.run(try #require(Self.python), ["-c", script, file])
        // THEN it finds every channel, and its counts are those of the summary
        #expect(result.exitCode == 0, "\(result.errors)")
        for topic in ["/fix", "/log", "/posed/fix", "/posed/frame", "/posed/imu", "/posed/published", "/tf", "/track"] {
            #expect(result.output.split(whereSeparator: \.isWhitespace).contains(Substring(topic)), "\(result.output)")
        }
    }
}
