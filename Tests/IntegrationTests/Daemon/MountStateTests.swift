import Foundation
import Testing

/// The mount over a restart of the daemon: saved, read and used.
@Suite struct MountStateTests {
    /// The mount and the state file in the `status` reply.
    private struct Answer {
        var origin: String?
        var turnDegrees: [Double] = []
        var sigmaDegrees: [Double] = []
        var notes: [String] = []
    }

    private func status(_ daemon: DaemonProcess) -> Answer? {
        guard let line = LineConnection(daemon.streamPath) else { return nil }
        line.send(Array("{\"cmd\":\"status\"}\n".utf8))
        while let text = line.receive() {
            guard text.hasPrefix("{\"type\":\"reply\""),
                let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            else {
                continue
            }
            var answer = Answer()
            answer.notes = json["state_notes"] as? [String] ?? []
            if let mount = json["mount"] as? [String: Any] {
                answer.origin = mount["origin"] as? String
                answer.turnDegrees = mount["rpy_deg"] as? [Double] ?? []
                answer.sigmaDegrees = mount["sigma_deg"] as? [Double] ?? []
            }
            return answer
        }
        return nil
    }

    private func files(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// The files of the mount, without the one before.
    private func mounts(_ folder: String) -> [String] {
        files(folder).filter { $0.hasPrefix("mount-") && $0.hasSuffix(".json") }
    }

    @Test func aRestartKeepsTheMount() throws {
        // GIVEN a daemon on the simulated drive, and a folder for its state
        let state = try TemporaryFolder()
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "state.folder=\(state.path)/kept", "--set", "recording.mode=always",
            "--set", "recording.folder=\(state.path)/drives", "--set", "recording.reserve_mib=0",
        ])
        // WHEN it has estimated the mount to one degree, within one minute of the drive
        let isFound = DaemonProcess.poll(seconds: 90) {
            usleep(500_000)
            return !self.mounts("\(state.path)/kept").isEmpty
        }
        #expect(isFound, "\(daemon.log)")
        let before = try #require(status(daemon))
        #expect(before.origin == "found")
        #expect(daemon.stop().exitCode == 0)
        #expect(mounts("\(state.path)/kept").count == 1)
        // THEN the next start uses it before the vehicle has moved
        try daemon.restart()
        let isKept = DaemonProcess.poll(seconds: 60) { self.status(daemon)?.origin == "kept" }
        #expect(isKept, "\(daemon.log)")
        let after = try #require(status(daemon))
        #expect(before.turnDegrees.count == 3 && after.turnDegrees.count == 3)
        for (a, b) in zip(before.turnDegrees, after.turnDegrees) { #expect(abs(a - b) < 1.5) }
        // Its sigma is larger than before: the device may have been moved.
        #expect(after.sigmaDegrees.count == 3 && after.sigmaDegrees.allSatisfy { $0 >= 1.4 })
        #expect(daemon.log.contains("loaded saved mount of"))
        // AND the gyro bias
        #expect(files("\(state.path)/kept").contains { $0.hasPrefix("sensors-") })
        let hasBias = DaemonProcess.poll(seconds: 60) { daemon.log.contains("began with the saved gyro bias") }
        #expect(hasBias, "\(daemon.log)")
        // WHEN killed THEN the file is unchanged
        let drives = "\(state.path)/drives"
        let areWritten = DaemonProcess.poll(seconds: 60) {
            self.files(drives).allSatisfy { self.size("\(drives)/\($0)") > 4000 }
        }
        #expect(areWritten)
        #expect(daemon.stop(SIGKILL).exitCode != 0)
        #expect(mounts("\(state.path)/kept").count == 1)
        try expectSameFrames(drives)
    }

    /// A recording contains the mount that was used: its replay gives the same frames.
    private func expectSameFrames(_ drives: String) throws {
        for file in files(drives) {
            let replay = try ExternalProgram.run("posectl", ["replay", "\(drives)/\(file)", "--frames", "/dev/null"])
            #expect(replay.exitCode == 0 && replay.errors.contains("are the same to the byte"), "\(replay)")
            #expect(!replay.errors.contains("differs"), "\(replay)")
        }
    }

    private func size(_ path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
    }

    @Test func aBadFileIsNamedOnceAndIgnored() throws {
        // GIVEN a truncated state file
        let state = try TemporaryFolder()
        let file = "\(state.path)/\(Self.demoFile)"
        try "{\"posed_mount\":1,\"imu\":\"demo".write(toFile: file, atomically: false, encoding: .utf8)
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "state.folder=\(state.path)"])
        // THEN the daemon runs, reports the problem once, and keeps the file until it has a better one
        #expect(DaemonProcess.poll(seconds: 60) { daemon.log.contains(file) }, "\(daemon.log)")
        #expect(status(daemon)?.notes.first?.contains("incomplete or invalid JSON") == true)
        #expect(status(daemon)?.origin == nil)
        #expect(daemon.stop().exitCode == 0)
        #expect(daemon.log.components(separatedBy: file).count == 2)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "{\"posed_mount\":1,\"imu\":\"demo")
    }

    @Test func withoutAFolderNothingIsKept() throws {
        let daemon = try DaemonProcess()
        #expect(status(daemon)?.notes.first?.contains("the mount is not saved") == true)
        #expect(daemon.stop().exitCode == 0)
    }

    /// The file of the simulated drive's IMU: its name depends only on that of the IMU.
    private static let demoFile: String = {
        let hash = "demo imu".utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return "mount-\((String(repeating: "0", count: 16 - digits.count) + digits).prefix(8)).json"
    }()
}
