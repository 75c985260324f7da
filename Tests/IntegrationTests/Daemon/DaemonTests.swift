import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// The real daemon with the simulated drive, real sockets and real signals.
@Suite(.serialized) struct DaemonTests {
    @Test func framesComeAtTheRateAskedFor() throws {
        // GIVEN the daemon on its demo drive; WHEN one client subscribes to every frame and another to 10 per second;
        // THEN they get these rates without a loss.
        let daemon = try DaemonProcess()
        var all = daemon.loggingClient()
        let greeting = DaemonProcess.connected(&all)
        let hello = try #require(greeting)
        #expect(hello.topics == .all && !hello.release.isEmpty)
        // The first second is the start of the engine.
        var frames: [Frame] = []
        take(100, &all) { _ in }
        take(300, &all) { frames.append($0) }
        // 50 Hz at least, by the engine's own times: a busy machine delays many frames, not three of four.
        let spans = zip(frames, frames.dropFirst()).map { Double($1.timeNanoseconds - $0.timeNanoseconds) * 1e-9 }
        try #require(spans.count == 299)
        #expect(spans.sorted()[74] <= 0.02, "\(spans)")
        #expect(
            zip(frames, frames.dropFirst()).allSatisfy {
                $1.sequence == $0.sequence + 1 && $1.timeNanoseconds > $0.timeNanoseconds
            })
        #expect(all.lost == 0)
        var slow = daemon.frameClient([.pose], hertz: 10)
        // Never faster than it asked for; a busy machine delays some.
        var times: [Int64] = []
        take(31, &slow) { times.append($0.timeNanoseconds) }
        let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) * 1e-9 }.sorted()
        try #require(gaps.count == 30)
        // An engine that is held up takes the next frame after a tenth of a second: one more of those above.
        #expect(gaps.reduce(0, +) / 30 >= 0.095 && gaps[7] <= 0.11 + spans.sorted()[224], "\(gaps)")
    }

    @Test func itStopsCleanlyAndRemovesItsSockets() throws {
        for signal in [SIGTERM, SIGINT] {
            let daemon = try DaemonProcess()
            var client = daemon.frameClient()
            let hello = DaemonProcess.connected(&client)
            #expect(hello != nil)
            let end = daemon.stop(signal)
            // The limit is 500 ms; the process is checked every 2 ms.
            #expect(end.exitCode == 0 && end.seconds < 0.5, "\(end)")
            #expect(access(daemon.framesPath, F_OK) != 0 && access(daemon.streamPath, F_OK) != 0)
            var bye: Message.Bye?
            while bye == nil, case .message(let received) = client.next(timeoutSeconds: 60) {
                if case .bye(let word) = received.message { bye = word }
            }
            #expect(bye?.reason == .stopping)
        }
    }

    @Test func theClientComesBackAfterARestart() throws {
        let daemon = try DaemonProcess()
        var client = daemon.frameClient()
        #expect(client.latestFrame(timeoutSeconds: 60) != nil)
        _ = daemon.stop()
        try daemon.restart()
        var isBack = false
        for _ in 0..<5000 where !isBack {
            switch client.next(timeoutSeconds: 60) {
            case .message(let received): if case .hello = received.message { isBack = true }
            case .connected: isBack = true
            case .disconnected: continue
            case .nothing: break
            }
        }
        #expect(isBack)
        #expect(client.latestFrame(timeoutSeconds: 60) != nil)
    }

    @Test func aSecondDaemonLeavesTheFirstAlone() throws {
        let daemon = try DaemonProcess()
        let second = try ExternalProgram.run(
            "posed", ["--source", "simulated", "--set", "sockets.folder=\(daemon.folder.path)"])
        #expect(second.exitCode == 78)
        #expect(second.errors.contains("is served by another process"))
        var client = daemon.frameClient()
        #expect(client.latestFrame(timeoutSeconds: 60) != nil)
    }

    @Test func commandsAreCarriedOutAndBadOnesNamed() throws {
        // GIVEN a daemon that follows a route; WHEN it receives an invalid route and invalid commands; THEN each is
        // rejected with place and remedy, and the route stays.
        let daemon = try DaemonProcess()
        let line = try #require(LineConnection(daemon.streamPath))
        #expect(line.receive()?.contains("\"type\":\"hello\"") == true)
        #expect(line.ask(#"{"cmd":"ping","id":"p"}"#)["id"] as? String == "p")
        let loaded = line.ask(
            "{\"cmd\":\"route_load\",\"path\":\"\(ExternalProgram.packageFolder)/config/demo-route.json\"}")
        #expect(loaded["ok"] as? Bool == true, "\(loaded)")
        let version = loaded["route_version"] as? Int
        try daemon.folder.write("{\"routes\": [}", to: "broken.json")
        let refused = line.ask("{\"cmd\":\"route_load\",\"path\":\"\(daemon.folder.path)/broken.json\"}")
        let error = refused["error"] as? [String: Any]
        #expect((error?["where"] as? String)?.contains("broken.json, line 1, column 13") == true, "\(refused)")
        let route = line.ask(#"{"cmd":"status"}"#)["route"] as? [String: Any]
        #expect(route?["loaded"] as? Bool == true && route?["version"] as? Int == version)
        #expect(((route?["last_refused"] as? [String: Any])?["from"] as? String)?.hasSuffix("broken.json") == true)
        #expect(line.ask(#"{"cmd":"trim","by_deg":2}"#)["ok"] as? Bool == true)
        var client = daemon.frameClient()
        let isTrimmed = DaemonProcess.poll(seconds: 60) {
            abs((client.latestFrame(timeoutSeconds: 1)?.frame.pose.headingTrimRadians ?? 0) - 2 * .pi / 180) < 1e-12
        }
        #expect(isTrimmed)
        #expect(line.ask(#"{"cmd":"route_clear"}"#)["ok"] as? Bool == true)
        let isCleared = DaemonProcess.poll(seconds: 60) {
            client.latestFrame(timeoutSeconds: 1)?.frame.guidance.state == .noRoute
        }
        #expect(isCleared)
    }

    @Test func theNextManeuverReachesABinaryClientWithItsWords() throws {
        let daemon = try DaemonProcess()
        var client = daemon.frameClient([.events])
        var maneuver: Message.Maneuver?
        _ = DaemonProcess.poll(seconds: 60) {
            if case .message(let received) = client.next(timeoutSeconds: 1),
                case .maneuver(let next) = received.message, next.index != nil
            {
                maneuver = next
            }
            return maneuver != nil
        }
        #expect(maneuver?.text.isEmpty == false && maneuver?.latitudeRadians != nil, "\(String(describing: maneuver))")
    }

    @Test func badSettingsOnReloadChangeNothingAndAreTold() throws {
        let folder = try TemporaryFolder()
        try folder.write("log_level: info\n", to: "s.yaml")
        let daemon = try DaemonProcess(["--source", "simulated", "--config", "\(folder.path)/s.yaml"])
        try folder.write("log_level: loud\n", to: "s.yaml")
        daemon.process.send(SIGHUP)
        let line = try #require(LineConnection(daemon.streamPath))
        let isTold = DaemonProcess.poll(seconds: 60) {
            let settings = line.ask(#"{"cmd":"status"}"#)["settings"] as? [String: Any]
            return (settings?["notes"] as? [String])?.contains { $0.contains("log_level") } ?? false
        }
        #expect(isTold)
    }

    @Test func aRouteInNewSettingsDisplacesAClientsChoice() throws {
        // GIVEN a client that has cleared the route; WHEN settings with a route are reloaded; THEN that route is
        // followed.
        let folder = try TemporaryFolder()
        try folder.write("log_level: info\n", to: "s.yaml")
        let daemon = try DaemonProcess(["--source", "simulated", "--config", "\(folder.path)/s.yaml"])
        let line = try #require(LineConnection(daemon.streamPath))
        #expect(line.ask(#"{"cmd":"route_clear"}"#)["ok"] as? Bool == true)
        try folder.write("route_file: \(ExternalProgram.packageFolder)/config/demo-route.json\n", to: "s.yaml")
        daemon.process.send(SIGHUP)
        let isFollowed = DaemonProcess.poll(seconds: 60) {
            let route = line.ask(#"{"cmd":"status"}"#)["route"] as? [String: Any]
            return (route?["from"] as? String)?.hasSuffix("demo-route.json") ?? false
        }
        #expect(isFollowed)
    }

    @Test func missingSourcesAreDegradedNotAnEnd() throws {
        // GIVEN no sensors: a port without gpsd; WHEN the daemon is started live; THEN it serves clients, and status
        // says what is missing and why; AND frames come all the time.
        let daemon = try DaemonProcess(["--source", "live", "--set", "gps.port=1"])
        let line = try #require(LineConnection(daemon.streamPath))
        let pose = line.ask(#"{"cmd":"status"}"#)["pose"] as? [String: Any]
        let why = (pose?["why"] as? [String]) ?? []
        #expect(pose?["state"] as? String == "starting")
        #expect(
            why.contains { $0.hasPrefix("no motion sensor: ") }
                && why.contains { $0.hasPrefix("no satellite receiver: ") }, "\(why)")
        var client = daemon.frameClient(hertz: 10)
        #expect(client.latestFrame(timeoutSeconds: 60)?.frame.pose.state == .starting)
        var times: [Int64] = []
        take(10, &client) { times.append($0.publishedNanoseconds) }
        #expect(times.count == 10 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    }

    /// Takes that many frames; fewer where none comes for 20 s.
    private func take(_ count: Int, _ client: inout FrameClient, _ take: (Frame) -> Void) {
        var taken = 0
        while taken < count {
            switch client.next(timeoutSeconds: 60) {
            case .message(let received):
                guard case .frame(let frame, _) = received.message else { continue }
                take(frame)
                taken += 1
            case .connected: continue
            case .disconnected, .nothing: return
            }
        }
    }
}
