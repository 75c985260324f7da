import Foundation
import Frames
import Glibc
import Testing

/// Tests the client libraries in C, Python and Swift with the real daemon, and with simulated daemons of a later and an
/// older release.
@Suite(.serialized) struct ClientLibraryTests {
    private static let clients = "\(ExternalProgram.packageFolder)/clients"
    private static let probes = "\(ExternalProgram.packageFolder)/Tests/IntegrationTests/Clients"
    private static let languages = ["c", "python", "swift"].filter { language in
        switch language {
        case "c": ExternalProgram.has("gcc")
        case "python": ExternalProgram.has("python3")
        default: true
        }
    }

    @Test(arguments: languages)
    func theExampleShowsALine(_ language: String) throws {
        // GIVEN the daemon on its demo drive; WHEN the example of each language prints five lines; THEN they are lines
        // of a HUD, and unknown values are not shown as numbers. The example has fewer than 30 lines.
        let daemon = try DaemonProcess()
        let folder = try TemporaryFolder()
        let (program, arguments, source) = try example(language, in: folder)
        let result = try ExternalProgram.run(
            program, arguments + [daemon.framesPath, "5"], environment: Self.python)
        let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("no pose") }
        #expect(result.exitCode == 0 && lines.count == 5, "\(result)")
        #expect(lines.allSatisfy { $0.contains(" deg") && $0.contains("km/h") }, "\(result)")
        #expect(!result.output.contains("nan") && !result.output.contains("-1 "))
        let text = try String(contentsOfFile: source, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 < 30)
    }

    @Test(.enabled(if: ExternalProgram.has("gcc", "nm")))
    func theCClientIsCleanAndAllocatesNothing() throws {
        // GIVEN the strictest warnings of C99; WHEN the C client is compiled; THEN there are no warnings, and it calls
        // no function that allocates.
        let folder = try TemporaryFolder()
        let object = "\(folder.path)/client.o"
        let built = try ExternalProgram.run(
            "gcc", Self.strict + ["-O2", "-c", "\(Self.clients)/c/posed_client.c", "-o", object])
        #expect(built.exitCode == 0, "\(built.errors)")
        let symbols = try ExternalProgram.run("nm", ["--undefined-only", object]).output
        #expect(symbols.contains("recvmsg"))
        for name in ["malloc", "calloc", "realloc", "free", "strdup", "asprintf", "fopen"] {
            #expect(!symbols.contains(" U \(name)\n"))
        }
    }

    @Test(.enabled(if: ExternalProgram.has("gcc")))
    func changedPacketsNeverLeadBeyondAMessage() throws {
        // GIVEN the golden packets, each changed in 20,000 ways from a fixed seed, with inaccessible memory directly
        // after the message; WHEN the C client reads everything that a program may request; THEN no byte beyond the
        // message is accessed, and some packets are understood.
        let folder = try TemporaryFolder()
        let program = "\(folder.path)/mutations"
        let built = try ExternalProgram.run(
            "gcc",
            Self.strict.map { $0 == "-Wpedantic" ? "-Wno-unused-function" : $0 } + [
                "-O1", "\(Self.probes)/mutations.c", "-o", program,
            ])
        #expect(built.exitCode == 0, "\(built.errors)")
        let golden = "\(ExternalProgram.packageFolder)/Tests/FramesTests/Golden/version1"
        let files = try FileManager.default.contentsOfDirectory(atPath: golden).filter { $0.hasSuffix(".hex") }.map {
            "\(golden)/\($0)"
        }
        let result = try ExternalProgram.run(program, ["20000"] + files.sorted())
        let words = result.output.split(separator: " ")
        #expect(result.exitCode == 0 && words.count == 5, "\(result)")
        #expect(words.count == 5 && (Int(words[1]) ?? 0) > files.count * 2000, "\(result.output)")
    }

    @Test(.enabled(if: ExternalProgram.has("python3")))
    func pythonReadsTheGoldenPackets() throws {
        // GIVEN the packets of version 1, and changed ones from a fixed seed; WHEN the Python client decodes them; THEN
        // it reads their content, and rejects invalid messages.
        let golden = "\(ExternalProgram.packageFolder)/Tests/FramesTests/Golden/version1"
        let result = try ExternalProgram.run("python3", ["-c", Self.goldenScript, golden], environment: Self.python)
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    @Test(arguments: languages.filter { $0 != "swift" })
    func laterAndOlderDaemonsAreUnderstood(_ language: String) throws {
        // GIVEN a daemon of a later release with longer blocks and unknown blocks and messages, and one of an older
        // release with shorter blocks; WHEN the clients read them; THEN known content is read, content that was not
        // sent is unknown, and a gap in the sequence is counted.
        let daemon = try FakeDaemon()
        let folder = try TemporaryFolder()
        let (program, arguments) = try probe(language, in: folder)
        let process = try ExternalProgram.start(
            program, arguments + [daemon.path, "2", "5"], environment: Self.python, output: "\(folder.path)/out",
            errors: "\(folder.path)/err")
        defer { process.kill() }
        #expect(daemon.accept())
        let wish = daemon.subscription()
        #expect(wish?.isSmooth == true && wish?.wantsEvery == false && wish?.topics.isSuperset(of: .all) == true)
        let frame = LaterPackets.frame(dropped: 3)
        daemon.send(LaterPackets.numbered(LaterPackets.grown(frame), 2))
        daemon.send(Message.unknown(type: 999).packet(sequence: 3))
        daemon.send(LaterPackets.numbered(LaterPackets.shrunk(frame), 6))
        daemon.send(Message.bye(.init(reason: .stopping, text: "until later")).packet(sequence: 7))
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning })
        let known = "lat=48.5 heading=90 turn_rate=2.5 turn_in=250 jump=31.5 speed=15"
        let older = "lat=48.5 heading=90 turn_rate=none turn_in=250 jump=none speed=15"
        let lines = folder.text(of: "out").split(separator: "\n").map(String.init)
        let expected = [
            "connected", "frame seq=77 dropped=3 \(known) lost=0", "type 999", "frame seq=77 dropped=3 \(older) lost=2",
        ]
        #expect(Array(lines.prefix(4)) == expected, "\(folder.text(of: "out")) \(folder.text(of: "err"))")
        #expect(lines.last?.hasPrefix("disconnected") == true && lines.last?.contains("until later") == true)
    }

    @Test(arguments: languages.filter { $0 != "swift" })
    func brokenPacketsEndInADisconnection(_ language: String) throws {
        // GIVEN packets with wrong lengths; WHEN a client reads them; THEN it reports an error and reconnects, and does
        // not crash.
        let folder = try TemporaryFolder()
        let (program, arguments) = try probe(language, in: folder)
        let daemon = try FakeDaemon()
        let process = try ExternalProgram.start(
            program, arguments + [daemon.path, "0", "8"], environment: Self.python, output: "\(folder.path)/out",
            errors: "\(folder.path)/err")
        defer { process.kill() }
        for (index, broken) in LaterPackets.broken.enumerated() {
            #expect(daemon.accept())
            #expect(daemon.subscription() != nil)
            daemon.send(broken)
            // Connected and disconnected, for each of them.
            #expect(DaemonProcess.poll(seconds: 60) { folder.text(of: "out").count { $0 == "\n" } >= 2 * (index + 1) })
            daemon.hangUp()
        }
        #expect(DaemonProcess.poll(seconds: 60) { !process.isRunning })
        let lines = folder.text(of: "out").split(separator: "\n")
        #expect(process.isRunning == false && process.exitCode == 0, "\(folder.text(of: "err"))")
        #expect(lines.count { $0.hasPrefix("disconnected") } == 4 && lines.count { $0 == "connected" } == 4, "\(lines)")
    }

    @Test(arguments: languages.filter { $0 != "swift" })
    func theyComeBackAfterARestart(_ language: String) throws {
        // GIVEN a client of the real daemon; WHEN the daemon is stopped and started again; THEN the client reports the
        // loss and the reason, and reconnects by itself.
        let daemon = try DaemonProcess()
        let folder = try TemporaryFolder()
        let (program, arguments) = try probe(language, in: folder)
        let process = try ExternalProgram.start(
            program, arguments + [daemon.framesPath, "0", "100000"], environment: Self.python,
            output: "\(folder.path)/out",
            errors: "\(folder.path)/err")
        defer { process.kill() }
        #expect(DaemonProcess.poll(seconds: 60) { folder.text(of: "out").contains("frame ") })
        _ = daemon.stop()
        #expect(DaemonProcess.poll(seconds: 60) { folder.text(of: "out").contains("disconnected") })
        try daemon.restart()
        #expect(
            DaemonProcess.poll(seconds: 60) {
                let text = folder.text(of: "out")
                return text.range(of: "disconnected").map {
                    text[$0.upperBound...].contains("connected\n") && text[$0.upperBound...].contains("frame ")
                }
                    ?? false
            }, "\(folder.text(of: "out").suffix(300))")
        #expect(folder.text(of: "out").contains("posed stops"))
    }

    @Test(arguments: languages.filter { $0 != "swift" })
    func sharedMemoryHoldsTheNewestFrame(_ language: String) throws {
        let daemon = try DaemonProcess()
        let folder = try TemporaryFolder()
        let (program, arguments) = try probe(language, in: folder)
        let result = try ExternalProgram.run(
            program, arguments + [daemon.framesPath, "4", "200"], environment: Self.python)
        let numbers = result.output.split(separator: "\n").filter { $0.hasPrefix("memory frame") }.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("seq=") }.flatMap { Int($0.dropFirst(4)) }
        }
        #expect(numbers.count > 100, "\(result.output.prefix(500)) \(result.errors)")
        #expect(numbers == numbers.sorted())
        // It is never older than the message before it, however many of them a busy machine reads at once.
        let lines = result.output.split(separator: "\n").filter { $0.contains("frame seq=") }.map {
            line -> (isShared: Bool, number: Int) in
            (isShared: line.hasPrefix("memory"), number: line.firstMatch(of: /seq=(\d+)/).flatMap { Int($0.1) } ?? -1)
        }
        let pairs = zip(lines, lines.dropFirst()).filter { !$0.isShared && $1.isShared }
        #expect(pairs.count > 50 && pairs.allSatisfy { $0.number <= $1.number }, "\(result.output.prefix(500))")
    }

    /// Checks the content of the golden packets, and that changed ones are understood or rejected.
    private static let goldenScript = """
        import pathlib, random, sys
        from posed_client import ProtocolError, Unknown, decode
        packets = {p.stem: bytes.fromhex(p.read_text()) for p in pathlib.Path(sys.argv[1]).glob("*.hex")}
        frame, status = decode(packets["frame"]), decode(packets["status"])
        assert frame.sequence == 41 and frame.stamp.dropped == 3 and abs(frame.pose.lat_deg - 48.137154321) < 1e-9
        assert frame.pose.state == "aligned" and frame.pose.accel_enu_m_s2 == (-0.625, 1.375, 0.0625) and frame.guidance.jump_delta_m == 312.75
        assert frame.guidance.in_tunnel and frame.speed.next_limit_distance_m == 420.5 and frame.speed.next_limit_source == "road"
        assert frame.speed.colour == "orange" and frame.sources.barometer == "lost" and frame.stamp.measured_s == 12345.676801234
        later = bytearray(packets["frame"])
        later[31], later[95], later[96], later[103] = later[31] | 0xE0, later[95] | 0xE0, 200, later[103] | 0x80
        assert decode(bytes(later)).pose.state == "lost" and decode(bytes(later)).pose.fix_mode == 3
        later = bytearray(packets["event-pose"])
        later[40] = 200
        assert isinstance(decode(bytes(later)), Unknown)
        later[6], later[7] = 0xE7, 3
        assert decode(bytes(later)) == Unknown(41, 999)
        assert decode(packets["shorter-frame"]).pose.accel_enu_m_s2 is None
        assert status.why == ["no motion sensor: there is none", "Fürs Erste"] and status.fix_rate_hz is None
        assert status.mount.origin == "kept" and status.mount.q == (0.5, -0.5, 0.5, 0.5) and abs(status.mount.sigma_deg[1] - 1.790493) < 1e-6
        assert status.magnetometer.state == "calibrated" and abs(status.magnetometer.iron_ut[1] + 30) < 1e-9
        assert status.magnetometer.soft_iron[8] == -0.125 and abs(status.magnetometer.dip_deg - 71.619724) < 1e-6
        assert decode(packets["shorter-status"]).mount is None and decode(packets["shorter-status"]).why == status.why
        assert status.fixes_rejected == 6 and status.pose_state == "coarse" and status.guidance_state == "onRoute" and status.sources.imu == "waiting"
        scene, points = decode(packets["scene"]), decode(packets["points"])
        assert (scene.route_version, scene.window, scene.origin_epoch, len(scene.points)) == (3, 2, 7, 2)
        turn, end = scene.points
        assert (turn.number, turn.kind, turn.along_route_m, end.kind, end.lat_deg) == (14, "turn", 1484.75, "destination", None)
        assert turn.sight.body_m == (20.5, 3.25, -1.0) and turn.sight.screen == (0.25, -0.5) and turn.sight.in_view and end.sight.distance_m is None
        assert (points.radius_m, points.set_version, points.total, len(points.points)) == (1500.0, 4, 101, 2)
        assert points.points[0].name == 'Bäckerei "Korn"' and points.points[0].sight.elevation_m == 520.5 and points.points[1].id == "n43"
        assert decode(packets["maneuver"]).text.endswith("Fürstenstraße") and decode(packets["no-maneuver"]).index is None
        assert decode(packets["event-source"]).source == "imu" and decode(packets["bye-too-many"]).reason == "tooMany"
        dice, understood = random.Random(5), 0
        for packet in packets.values():
            decode(packet)
            for _ in range(2000):
                changed = bytearray(packet[: dice.randrange(len(packet))] if dice.random() < 0.25 else packet)
                for _ in range(dice.randrange(1, 5)):
                    if changed:
                        changed[dice.randrange(len(changed))] = dice.randrange(256)
                try:
                    decode(bytes(changed))
                    understood += 1
                except ProtocolError:
                    pass
        assert understood > 2000, understood
        """

    private static let python = ["PYTHONPATH": "\(clients)/python", "PYTHONDONTWRITEBYTECODE": "1"]
    private static let strict = [
        "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-I\(clients)/c",
        "-I\(ExternalProgram.packageFolder)/Sources/CPosed/include",
    ]

    private func example(_ language: String, in folder: TemporaryFolder) throws -> (
        program: String, arguments: [String], source: String
    ) {
        switch language {
        case "c": return (try compiled("\(Self.clients)/c/hud.c", in: folder), [], "\(Self.clients)/c/hud.c")
        case "python": return ("python3", ["\(Self.clients)/python/hud.py"], "\(Self.clients)/python/hud.py")
        default: return ("posed-hud-example", [], "\(Self.clients)/swift/Hud.swift")
        }
    }

    private func probe(_ language: String, in folder: TemporaryFolder) throws -> (program: String, arguments: [String])
    {
        if language == "python" { return ("python3", ["\(Self.probes)/probe.py"]) }
        return (try compiled("\(Self.probes)/probe.c", in: folder), [])
    }

    private func compiled(_ source: String, in folder: TemporaryFolder) throws -> String {
        let program = "\(folder.path)/program"
        let result = try ExternalProgram.run(
            "gcc", Self.strict + ["-O1", "-g", source, "\(Self.clients)/c/posed_client.c", "-o", program])
        #expect(result.exitCode == 0, "\(result.errors)")
        return program
    }
}

/// Packets in the form of other releases.
enum LaterPackets {
    static func frame(dropped: UInt64) -> [UInt8] {
        var frame = Frame()
        frame.sequence = 77
        frame.pose.latitudeRadians = 48.5 * .pi / 180
        frame.pose.longitudeRadians = 0
        frame.pose.headingTrueRadians = .pi / 2
        frame.pose.turnRateRadiansPerSecond = 2.5 * .pi / 180
        frame.guidance.distanceToTurnMeters = 250
        (frame.guidance.jumpCount, frame.guidance.jumpDeltaMeters) = (1, 31.5)
        frame.speed.speedMetersPerSecond = 15
        return Message.frame(frame, .init(topics: .inFrames, dropped: dropped)).packet(sequence: 0)
    }

    /// Every block is longer by 16 bytes, with a block of an unknown id before each; a state, a flag and validity bits
    /// that no release knows.
    static func grown(_ packet: [UInt8]) -> [UInt8] {
        assembled(packet) { id, block in
            let stranger: [UInt8] = [0x30, 0x75, 16, 0, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0xEE, count: 8)
            var longer = resized(block, block.count + 16)
            longer[7] |= 0xE0
            if id == 2 { (longer[8], longer[15]) = (200, 0x80) }
            return [stranger, longer]
        }
    }

    /// Pose and guidance without the newest fields, and no sources.
    static func shrunk(_ packet: [UInt8]) -> [UInt8] {
        assembled(packet) { id, block in
            switch id {
            case 2: [withoutBits(resized(block, 392), above: 22)]
            case 3: [resized(block, 88)]
            case 5: []
            default: [block]
            }
        }
    }

    /// Wrong lengths: a truncated packet, a wrong length in the header, a block that ends beyond the message, a block
    /// without a size.
    static var broken: [[UInt8]] {
        let whole = numbered(frame(dropped: 0), 2)
        var (length, beyond, none) = (whole, whole, whole)
        length[8] ^= 8
        beyond[26] = 0xFF
        beyond[27] = 0xFF
        (none[26], none[27]) = (0, 0)
        return [Array(whole.prefix(100)), length, beyond, none]
    }

    static func numbered(_ packet: [UInt8], _ number: UInt8) -> [UInt8] {
        var packet = packet
        packet[16] = number
        return packet
    }

    private static func assembled(_ packet: [UInt8], _ change: (Int, [UInt8]) -> [[UInt8]]) -> [UInt8] {
        var (blocks, place) = ([[UInt8]](), 24)
        while place < packet.count {
            let size = Int(packet[place + 2]) | Int(packet[place + 3]) << 8
            blocks += change(Int(packet[place]), Array(packet[place..<(place + size)]))
            place += size
        }
        var result = Array(packet[..<24]) + blocks.flatMap { $0 }
        (result[8], result[9]) = (UInt8(result.count & 255), UInt8(result.count >> 8))
        result[12] = UInt8(blocks.count)
        return result
    }

    private static func resized(_ block: [UInt8], _ size: Int) -> [UInt8] {
        var block = Array(block.prefix(size)) + [UInt8](repeating: 0xDD, count: max(0, size - block.count))
        (block[2], block[3]) = (UInt8(size & 255), UInt8(size >> 8))
        return block
    }

    private static func withoutBits(_ block: [UInt8], above bit: Int) -> [UInt8] {
        var block = block
        for place in 0..<32 where place > bit { block[4 + place / 8] &= ~(1 << (place % 8)) }
        return block
    }
}
