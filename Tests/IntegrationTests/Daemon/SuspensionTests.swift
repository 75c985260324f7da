import Foundation
import Testing

/// The real daemon on a machine that was suspended. No test can suspend the machine, and the clocks of a running
/// process cannot be moved: a preloaded library puts CLOCK_BOOTTIME ahead, which is how a suspension shows.
@Suite struct SuspensionTests {
    /// What the lines of the stream socket told.
    private struct Heard {
        /// The counts of the events `reset`.
        var resets: [Int] = []
        /// State, latitude and reset count of each frame.
        var frames: [(state: String, hasPlace: Bool, resetCount: Int)] = []
    }

    private static let source =
        "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Support/Suspension/boot_time.c"

    private func listen(_ line: LineConnection, until isEnough: (Heard) -> Bool) -> Heard {
        var heard = Heard()
        // More than a minute of frames.
        for _ in 0..<5000 {
            guard !isEnough(heard), let text = line.receive() else { break }
            guard let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
                continue
            }
            if json["event"] as? String == "reset" { heard.resets.append(json["reset_count"] as? Int ?? -1) }
            guard let pose = json["pose"] as? [String: Any] else { continue }
            heard.frames.append(
                (pose["state"] as? String ?? "", pose["lat_deg"] is Double, pose["reset_count"] as? Int ?? -1))
        }
        return heard
    }

    @Test(.enabled(if: ExternalProgram.has("gcc"), "needs gcc"))
    func oneJumpIsAnnouncedAndThePoseBeginsAnew() throws {
        // GIVEN the daemon on the simulated drive, with a position
        let folder = try TemporaryFolder()
        let (library, clock) = ("\(folder.path)/boot_time.so", "\(folder.path)/suspended")
        let built = try ExternalProgram.run(
            "gcc", ["-shared", "-fPIC", "-Wall", "-Werror", "-O1", Self.source, "-o", library, "-ldl"])
        #expect(built.exitCode == 0, "\(built.errors)")
        let daemon = try DaemonProcess(environment: ["LD_PRELOAD": library, "POSED_TEST_SUSPENDED": clock])
        let line = try #require(LineConnection(daemon.streamPath))
        line.send(Array(#"{"cmd":"subscribe","topics":["pose","events"],"rate_hz":50}"#.utf8) + [0x0A])
        let before = listen(line) { $0.frames.last?.hasPlace == true }
        #expect(before.resets.isEmpty && before.frames.last?.hasPlace == true, "\(daemon.log)")
        for (index, total) in [600, 600 + 28_800].enumerated() {
            // WHEN the machine was suspended for ten minutes, and then for eight hours
            try folder.write("\(total)", to: "next")
            rename("\(folder.path)/next", clock)
            let after = listen(line) { heard in
                heard.frames.last?.hasPlace == true && heard.frames.last?.resetCount == index + 1
            }
            // THEN one jump is announced, the first frame after it has no place, and later ones have, within 5 s
            #expect(after.resets == [index + 1], "\(after.resets) \(daemon.log)")
            let first = try #require(after.frames.first { $0.resetCount == index + 1 })
            #expect(!first.hasPlace && ["starting", "aligning"].contains(first.state), "\(first)")
            #expect(after.frames.last?.hasPlace == true)
            #expect(after.frames.count { $0.resetCount == index + 1 } <= 5 * 50)
        }
        // AND the log and the status tell it
        let status = try #require(LineConnection(daemon.streamPath)).ask(#"{"cmd":"status"}"#)
        let engine = status["engine"] as? [String: Any]
        #expect(engine?["suspended_count"] as? Int == 2, "\(status)")
        #expect(abs((engine?["suspended_s"] as? Double ?? 0) - 28_800) < 1, "\(status)")
        #expect(DaemonProcess.poll(seconds: 60) { daemon.log.contains("the machine was suspended for 28800 s") })
        #expect(daemon.stop().exitCode == 0)
    }
}
