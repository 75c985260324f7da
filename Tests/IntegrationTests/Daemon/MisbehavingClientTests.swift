import CSystem
import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// Clients that break the rules, with the real daemon: each is disconnected with a reason, and no other client is
/// affected.
@Suite(.serialized) struct MisbehavingClientTests {
    @Test func offendersGoWithAReasonAndOthersLoseNothing() throws {
        // GIVEN a correct client that reads every frame; WHEN others send garbage, empty packets, descriptors, floods
        // and endless lines; THEN each of them is disconnected within 1 s with a reason, the correct client lost
        // nothing, and no descriptor stays open.
        let daemon = try DaemonProcess()
        let good = ReadingClient(daemon.loggingClient())
        #expect(DaemonProcess.poll(seconds: 60) { good.frameCount > 0 })
        let before = daemon.descriptorCount
        for (name, expected) in [
            ("noise", Message.ByeReason.malformed), ("empty", .malformed), ("descriptors", .descriptors),
            ("flood", .flood), ("rate", .badRequest),
        ] {
            let line = try #require(LineConnection(daemon.framesPath, type: Int32(SOCK_SEQPACKET.rawValue)))
            var bye: Message.Bye?
            let seconds = NapClock.seconds {
                misbehave(name, line.descriptor)
                bye = lastWord(line.descriptor)
            }
            #expect(bye?.reason == expected, "\(name): \(String(describing: bye))")
            #expect(seconds < 1, "\(name)")
        }
        for (text, reason) in [
            (String(repeating: "x\n", count: 40), "malformed"),
            (String(repeating: "{\"cmd\":\"ping\"}\n", count: 400), "flood"),
        ] {
            let line = try #require(LineConnection(daemon.streamPath))
            line.send(Array(text.utf8))
            let end = line.waitForEnd(seconds: 1)
            #expect(
                end.ended && end.last?.contains("\"reason\":\"\(reason)\"") == true, "\(String(describing: end.last))")
        }
        #expect(
            DaemonProcess.poll(seconds: 60) { daemon.descriptorCount <= before },
            "\(daemon.descriptorCount) for \(before) descriptors")
        let count = good.frameCount
        #expect(DaemonProcess.poll(seconds: 60) { good.frameCount > count })
        #expect(good.stop() == 0 && good.connectionCount == 1)
    }

    @Test func oneClientTooManyIsToldSo() throws {
        // GIVEN a limit of 3; WHEN five clients connect; THEN two are refused with a reason, and after one has
        // disconnected a new one is accepted.
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.client_limit=3"])
        #expect(DaemonProcess.poll(seconds: 60) { self.connected(daemon) == 1 })
        var three = (0..<3).compactMap { _ in LineConnection(daemon.streamPath) }
        for line in three { #expect(line.receive()?.contains("hello") == true) }
        for _ in 0..<2 {
            let line = try #require(LineConnection(daemon.streamPath))
            let word = line.receive()
            #expect(
                word?.contains("\"reason\":\"tooMany\"") == true && word?.contains("client_limit") == true,
                "\(String(describing: word))")
        }
        three.removeLast()
        #expect(
            DaemonProcess.poll(seconds: 60) {
                LineConnection(daemon.streamPath)?.receive()?.contains("hello") ?? false
            })
    }

    @Test func aStormOfConnectionsLeavesNothingBehind() throws {
        // GIVEN a correct client; WHEN a thousand connections are opened and closed, some half open, some with half a
        // line; THEN all descriptors are closed, and the correct client lost nothing.
        let daemon = try DaemonProcess()
        let good = ReadingClient(daemon.loggingClient())
        #expect(DaemonProcess.poll(seconds: 60) { good.frameCount > 0 })
        let before = daemon.descriptorCount
        for k in 0..<1000 {
            guard let line = LineConnection(k % 2 == 0 ? daemon.streamPath : daemon.framesPath, type: type(k)) else {
                continue
            }
            if k % 6 == 0 { line.send(Array("{\"cmd\":".utf8)) }
            if k % 10 == 0 { shutdown(line.descriptor, Int32(SHUT_WR)) }
        }
        #expect(
            DaemonProcess.poll(seconds: 60) { daemon.descriptorCount <= before },
            "\(daemon.descriptorCount) for \(before) descriptors")
        let count = good.frameCount
        #expect(DaemonProcess.poll(seconds: 60) { good.frameCount > count })
        #expect(good.stop() == 0 && good.connectionCount == 1)
    }

    @Test func aHalfClosedStreamStillGetsItsReply() throws {
        // GIVEN a command from a pipe: the line, then the end of the input; WHEN it is executed on a separate thread;
        // THEN the reply is still sent.
        let daemon = try DaemonProcess()
        let line = try #require(LineConnection(daemon.streamPath))
        _ = line.receive()
        line.send(
            Array(
                "{\"cmd\":\"route_load\",\"path\":\"\(ExternalProgram.packageFolder)/config/demo-route.json\"}\n".utf8))
        shutdown(line.descriptor, Int32(SHUT_WR))
        let end = line.waitForEnd()
        #expect(end.ended && end.last?.contains("\"ok\":true") == true, "\(String(describing: end.last))")
    }

    @Test func aHalfClosedSubscriberGoesOnGettingFrames() throws {
        // GIVEN a subscription from a pipe that then ends; WHEN frames are sent; THEN the client gets them until it
        // disconnects, and then its resources are released.
        let daemon = try DaemonProcess()
        var line: LineConnection? = LineConnection(daemon.streamPath)
        line?.send(Array("{\"cmd\":\"subscribe\",\"rate_hz\":50,\"topics\":[\"speed\"]}\n".utf8))
        if let line { shutdown(line.descriptor, Int32(SHUT_WR)) }
        var frames = 0
        for _ in 0..<40 where line?.receive()?.contains("\"type\":\"frame\"") == true { frames += 1 }
        #expect(frames >= 35)
        line = nil
        #expect(DaemonProcess.poll(seconds: 60) { self.connected(daemon) == 1 })
    }

    @Test(.enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv", "socat")))
    func aStrangerMayLookButNotChange() throws {
        // GIVEN sockets that everyone may connect to; WHEN a user who is neither root nor in the group sends commands;
        // THEN status is answered, and trim is rejected.
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "sockets.mode=0666"])
        chmod(daemon.folder.path, 0o755)
        try daemon.folder.write("{\"cmd\":\"ping\"}\n{\"cmd\":\"trim\",\"by_deg\":1}\n", to: "commands")
        chmod("\(daemon.folder.path)/commands", 0o644)
        let result = try ExternalProgram.run(
            "setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c",
                "socat -t 2 - UNIX-CONNECT:\(daemon.streamPath) < \(daemon.folder.path)/commands",
            ])
        let lines = result.output.split(separator: "\n")
        #expect(lines.contains { $0.contains("\"cmd\":\"ping\",\"ok\":true") }, "\(result)")
        #expect(
            lines.contains { $0.contains("\"cmd\":\"trim\",\"ok\":false") && $0.contains("user 65534 may not") },
            "\(result)")
    }

    @Test(.enabled(if: geteuid() == 0 && ExternalProgram.has("setpriv", "socat")))
    func aMemberOfTheGroupMayChange() throws {
        // GIVEN sockets of a group; WHEN a user who is neither root nor the daemon's user but a member of that group
        // sends a trim; THEN it is accepted; WHEN the socket's mode excludes others; THEN a user without the group
        // cannot even connect.
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "sockets.mode=0660", "--set", "sockets.group=65500",
        ])
        chmod(daemon.folder.path, 0o755)
        try daemon.folder.write("{\"cmd\":\"trim\",\"by_deg\":1}\n", to: "commands")
        chmod("\(daemon.folder.path)/commands", 0o644)
        func ask(_ groups: String) throws -> ProgramResult {
            try ExternalProgram.run(
                "setpriv",
                [
                    "--reuid=65534", "--regid=65534", groups, "sh", "-c",
                    "socat -t 2 - UNIX-CONNECT:\(daemon.streamPath) < \(daemon.folder.path)/commands",
                ])
        }
        let member = try ask("--groups=65500")
        #expect(member.output.contains("\"cmd\":\"trim\",\"ok\":true"), "\(member)")
        let stranger = try ask("--clear-groups")
        #expect(stranger.exitCode != 0 && !stranger.output.contains("ok"), "\(stranger)")
        #expect(stranger.errors.contains("Permission denied"))
    }

    @Test func aHailOfDescriptorsAndGarbageLeavesNothingOpen() throws {
        // GIVEN a correct client; WHEN a hundred others pass ten descriptors each, a flood of garbage arrives on the
        // stream, and connections are left half open; THEN the daemon holds none of their descriptors, and the correct
        // client lost nothing.
        let daemon = try DaemonProcess()
        let good = ReadingClient(daemon.loggingClient())
        #expect(DaemonProcess.poll(seconds: 60) { good.frameCount > 0 })
        let before = daemon.descriptorCount
        for _ in 0..<100 {
            guard let line = LineConnection(daemon.framesPath, type: Int32(SOCK_SEQPACKET.rawValue)) else { continue }
            sendDescriptor(line.descriptor, count: 10)
        }
        let garbage = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        for _ in 0..<20 { LineConnection(daemon.streamPath)?.send(garbage) }
        let halfOpen = (0..<20).compactMap { _ in LineConnection(daemon.streamPath) }
        for line in halfOpen { shutdown(line.descriptor, Int32(SHUT_WR)) }
        // They stay half open until the daemon has closed its ends.
        withExtendedLifetime(halfOpen) {
            #expect(
                DaemonProcess.poll(seconds: 60) { daemon.descriptorCount <= before },
                "\(daemon.descriptorCount) for \(before) descriptors")
        }
        let count = good.frameCount
        #expect(DaemonProcess.poll(seconds: 60) { good.frameCount > count })
        #expect(good.stop() == 0 && good.connectionCount == 1)
    }

    private func type(_ k: Int) -> Int32 { Int32(k % 2 == 0 ? SOCK_STREAM.rawValue : SOCK_SEQPACKET.rawValue) }

    private func connected(_ daemon: DaemonProcess) -> Int {
        let clients = LineConnection(daemon.streamPath)?.ask(#"{"cmd":"status"}"#)["clients"] as? [String: Any]
        return clients?["connected"] as? Int ?? -1
    }

    private func misbehave(_ how: String, _ descriptor: Int32) {
        let wish = Message.subscribe(.init(topics: .all, rateMillihertz: 0)).packet(sequence: 0)
        switch how {
        case "noise":
            var noise = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            _ = posed_send(descriptor, &noise, noise.count)
        case "empty":
            var nothing: UInt8 = 0
            _ = posed_send(descriptor, &nothing, 0)
        case "descriptors": sendDescriptor(descriptor)
        case "flood":
            for _ in 0..<10_000 where posed_send(descriptor, wish, wish.count) < 0 && errno != EAGAIN { return }
        default:
            let bad = Message.subscribe(.init(topics: .all, rateMillihertz: 5)).packet(sequence: 0)
            _ = posed_send(descriptor, bad, bad.count)
        }
    }

    /// Passes standard error with a byte, the given number of times at once.
    private func sendDescriptor(_ descriptor: Int32, count: Int = 1) {
        var byte: UInt8 = 1
        let length = 16 + 4 * count
        var control = [UInt64](repeating: 0, count: (length + 7) / 8)
        control.withUnsafeMutableBytes { room in
            room.storeBytes(of: UInt(length), as: UInt.self)
            room.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
            room.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
            for index in 0..<count { room.storeBytes(of: 2, toByteOffset: 16 + 4 * index, as: Int32.self) }
            withUnsafeMutablePointer(to: &byte) { pointer in
                var part = iovec(iov_base: pointer, iov_len: 1)
                withUnsafeMutablePointer(to: &part) { parts in
                    var message = msghdr()
                    message.msg_iov = parts
                    message.msg_iovlen = 1
                    message.msg_control = room.baseAddress
                    message.msg_controllen = room.count
                    sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// The last message before the end.
    private func lastWord(_ descriptor: Int32) -> Message.Bye? {
        var bye: Message.Bye?
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var clock = NapClock()
        while clock.seconds < 20 {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 || (count < 0 && errno != EAGAIN && errno != ECONNRESET) { return bye }
            if count < 0 {
                clock.nap()
                continue
            }
            let received = try? buffer[..<count].withUnsafeBytes { try ReceivedMessage(packet: $0) }
            if case .bye(let word)? = received?.message { bye = word }
        }
        return bye
    }
}
