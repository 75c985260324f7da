import Foundation
import Glibc
import Testing

/// A recording daemon on real disks that are full, read-only or limited, and with settings that change.
@Suite(.serialized) struct RecordingDiskTests {
    /// Whether this user may mount a file system that only the daemon sees.
    private static let mayMount =
        (try? ExternalProgram.run("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).exitCode) == 0

    /// A daemon that records into a folder, started by a shell script with the folder as `$0`.
    private static func daemon(_ drives: TemporaryFolder, unshares: Bool, _ script: String) throws -> DaemonProcess {
        try DaemonProcess(
            [
                "--source", "simulated", "--set", "recording.mode=always", "--set", "recording.folder=\(drives.path)",
                "--set", "recording.reserve_mib=0",
            ],
            launcher: (unshares ? ["unshare", "-m"] : []) + ["sh", "-c", script + #"; exec "$@""#, drives.path])
    }

    /// Waits for the line about an interruption, and returns all of them.
    private static func interruptions(_ daemon: DaemonProcess) -> [Substring] {
        _ = DaemonProcess.poll(seconds: 60) { daemon.log.contains("recording interrupted") }
        return daemon.log.split(separator: "\n").filter { $0.contains("recording interrupted") }
    }

    /// Frames go on, the status names the problem, and `posectl record status` fails with it.
    private static func expectFrames(_ daemon: DaemonProcess, and problem: String) throws {
        let stream = try #require(LineConnection(daemon.streamPath))
        stream.send(Array(#"{"cmd":"subscribe","rate_hz":50,"topics":["pose"]}"#.utf8) + [10])
        var times: [Double] = []
        while times.count < 25, let line = stream.receive() {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if object?["type"] as? String == "frame", let time = object?["t_s"] as? Double { times.append(time) }
        }
        #expect(times.count == 25 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let status = try ExternalProgram.run("posectl", ["record", "status", "--folder=\(daemon.folder.path)"])
        #expect(status.exitCode == 1 && status.output.contains(problem), "\(status)")
    }

    @Test(.enabled(if: mayMount, "no file system can be mounted here: run it as root"))
    func aFullDiskInterruptsTheRecordingAlone() throws {
        // GIVEN a disk of 1 MiB with 24 KiB left
        let drives = try TemporaryFolder()
        let daemon = try Self.daemon(
            drives, unshares: true,
            #"mount -t tmpfs -o size=1m tmpfs "$0" && head -c 1024000 /dev/zero >"$0/filler""#)
        // WHEN it is full THEN one line says so, with the folder and the remedy, and the frames go on
        let lines = Self.interruptions(daemon)
        #expect(lines.count == 1, "\(daemon.log)")
        #expect(lines.first?.contains("\(drives.path): the disk is full; free space on it") == true, "\(lines)")
        try Self.expectFrames(daemon, and: "the disk is full")
        // THEN what was written before can be replayed, with the same frames
        let inside = "/proc/\(daemon.process.processIdentifier)/root\(drives.path)"
        let names = try FileManager.default.contentsOfDirectory(atPath: inside).filter { $0.hasSuffix(".mcap") }
        #expect(names.count == 1)
        let replay = try ExternalProgram.run("posectl", ["replay", "\(inside)/\(names.first ?? "")", "--frames", "-"])
        #expect(replay.exitCode == 0 && !replay.output.isEmpty, "\(replay.errors)")
        #expect(!replay.errors.contains("differs"), "\(replay.errors)")
        #expect(daemon.stop().exitCode == 0)
    }

    @Test(.enabled(if: mayMount, "no file system can be mounted here: run it as root"))
    func aReadOnlyDiskInterruptsTheRecordingAlone() throws {
        // GIVEN a disk that is read-only WHEN posed starts THEN one line says so, and the frames come
        let drives = try TemporaryFolder()
        let daemon = try Self.daemon(drives, unshares: true, #"mount -t tmpfs -o ro tmpfs "$0""#)
        let lines = Self.interruptions(daemon)
        #expect(lines.count == 1 && lines[0].contains("Read-only file system; check"), "\(daemon.log)")
        try Self.expectFrames(daemon, and: "Read-only file system")
        #expect(daemon.stop().exitCode == 0)
    }

    @Test func aLimitOfFileSizesInterruptsTheRecordingAlone() throws {
        // GIVEN a user whose files may have 8 KiB, which the shell counts in units of 512 bytes
        let drives = try TemporaryFolder()
        // The signal for it ends a process, unless whoever started it has it ignored.
        let daemon = try Self.daemon(drives, unshares: false, "ulimit -f 16; set -- env --default-signal=XFSZ \"$@\"")
        // WHEN a recording has that size THEN one line says so, with the folder, so that the file of the next attempt
        // is no other problem, and the daemon lives
        let lines = Self.interruptions(daemon)
        let reason = "\(drives.path): cannot be written: File too large; check"
        #expect(lines.count == 1 && lines[0].contains(reason), "\(daemon.log)")
        try Self.expectFrames(daemon, and: "File too large")
        #expect(daemon.stop().exitCode == 0)
    }

    /// Whether a folder has a recording with measurements; a file that has just begun has none yet.
    private static func hasRecording(_ folder: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { (try? ExternalProgram.run("posectl", ["info", "\(folder)/\($0)"]))?.exitCode == 0 }
    }

    @Test func newSettingsStartMoveAndStopTheRecording() throws {
        // GIVEN a daemon that publishes frames, with a settings file that records nothing
        let folder = try TemporaryFolder()
        func settings(_ mode: String, _ name: String, isPrivate: Bool = false) throws {
            let keys = ["mode: \(mode)", "folder: \(folder.path)/\(name)", "private: \(isPrivate)", "reserve_mib: 0"]
            try folder.write("recording:\n  " + keys.joined(separator: "\n  ") + "\n", to: "s.yaml")
        }
        func files(_ name: String) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(name)")) ?? []).sorted()
        }
        try settings("off", "first")
        let daemon = try DaemonProcess(["--source", "simulated", "--config", "\(folder.path)/s.yaml"])
        let stream = try #require(LineConnection(daemon.streamPath))
        stream.send(Array(#"{"cmd":"subscribe","topics":["pose"]}"#.utf8) + [10])
        #expect(DaemonProcess.poll(seconds: 60) { stream.receive()?.contains(#""type":"frame""#) ?? false })
        func reload() { daemon.process.send(SIGHUP) }
        // WHEN the mode changes THEN it records
        try settings("always", "first")
        reload()
        #expect(DaemonProcess.poll(seconds: 60) { Self.hasRecording("\(folder.path)/first") }, "\(daemon.log)")
        // WHEN the folder changes and positions become private THEN the file ends, and the next one is in that folder
        try settings("always", "second", isPrivate: true)
        reload()
        #expect(DaemonProcess.poll(seconds: 60) { Self.hasRecording("\(folder.path)/second") }, "\(daemon.log)")
        let first = try ExternalProgram.run(
            "posectl", ["info", "\(folder.path)/first/\(try #require(files("first").first))"])
        #expect(first.exitCode == 0 && first.output.contains("begins in mid-run"), "\(first)")
        #expect(!first.output.contains("cut off") && !first.output.contains("random place"), "\(first)")
        // WHEN recording is switched off THEN that file ends, and it is private
        try settings("off", "second")
        reload()
        #expect(
            DaemonProcess.poll(seconds: 60) { daemon.log.components(separatedBy: "recording ended").count == 3 },
            "\(daemon.log)")
        let second = try ExternalProgram.run(
            "posectl", ["info", "\(folder.path)/second/\(try #require(files("second").first))"])
        #expect(second.exitCode == 0 && second.output.contains("random place"), "\(second)")
        #expect(files("first").count == 1 && files("second").count == 1)
        #expect(daemon.stop().exitCode == 0)
    }
}
