import Foundation
import Glibc
import Testing

/// The page in a real browser, with the simulated drive. POSED_WEB_PICTURES names a folder for pictures of it.
@Suite(.serialized) struct WebPageTests {
    /// The program itself; Debian's `chromium` is a script.
    private static let chromium = ExternalProgram.path(of: "/usr/lib/chromium/chromium")
    private static let hasBrowser = chromium != nil && ExternalProgram.has("python3")
    private static let rules = PythonEnvironment.with("axe-core-python", module: "axe_core_python")

    /// What a check of page_check.py has found; the browser complained about nothing.
    private func check(
        _ name: String, _ web: WebProcess, python: String = "python3", mayComplain: Bool = false
    ) throws -> [String: Any] {
        let pictures = ProcessInfo.processInfo.environment["POSED_WEB_PICTURES"].map { [$0] } ?? []
        let arguments = [try #require(Self.chromium), web.address, name] + pictures
        let found = try WebProcess.run("page_check.py", python: python, arguments)
        if !mayComplain { #expect(found["problems"] as? [String] == [], "\(name)") }
        return found
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func thePageShowsTheDriveAndLoadsNothingFromElsewhere() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        let found = try check("load", web)
        // THEN it has at most 300 kB, all from its own server
        #expect((found["bytes"] as? Int ?? .max) <= 300_000 && (found["bytes"] as? Int ?? 0) > 50_000)
        let requests = try #require(found["requests"] as? [String])
        #expect(requests.count > 20 && requests.allSatisfy { $0.hasPrefix(web.address) }, "\(requests)")
        // THEN it comes to show frames that are at most 100 ms behind the engine; on a machine that is busy with other
        // tests not all are
        let delays = try #require(found["delays"] as? [Int])
        #expect(delays.count { $0 <= 100 } >= 10, "\(delays)")
        // THEN it shows speed, sources, and each picture in words
        #expect((found["speed"] as? String)?.hasSuffix("km/h") == true)
        #expect((found["sources"] as? String)?.contains("streaming") == true)
        #expect((found["map"] as? String)?.hasPrefix("Map: vehicle at 4") == true, "\(found["map"] ?? "")")
        #expect((found["hud"] as? String)?.hasPrefix("Preview of the head-up display: ") == true)
        #expect((found["horizon"] as? String)?.contains("degrees") == true, "\(found["horizon"] ?? "")")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func thePageFitsEveryScreenInBothColours() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        let found = try check("sizes", web)
        for name in ["phone", "tablet", "desktop"] {
            for colours in ["light", "dark"] {
                let view = try #require(found["\(name)-\(colours)"] as? [String: Any])
                // THEN nothing is wider than the window, and everything is drawn
                #expect(view["wide"] as? Int == 0, "\(name)-\(colours)")
                let drawn = try #require(view["colours"] as? [String: Int])
                for (canvas, count) in drawn { #expect(count >= 3, "\(name)-\(colours): \(canvas)") }
            }
            let grounds = ["light", "dark"].map { (found["\(name)-\($0)"] as? [String: Any])?["ground"] as? String }
            #expect(grounds[0] != grounds[1])
        }
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func everythingCanBeDoneWithKeys() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path, ["--allow-control"])
        let found = try check("keys", web)
        #expect(
            (found["before"] as? String)?.hasSuffix("km/h") == true
                && (found["after"] as? String)?.hasSuffix("mph") == true)
        #expect(Set(found["themes"] as? [String] ?? []).count == 2 && found["follows"] as? String == "false")
        let reached = Set(found["reached"] as? [String] ?? [])
        for control in ["skip", "map", "zoom-in", "follow", "turn", "field", "theme", "help", "units", "mode-live"] {
            #expect(reached.contains(control), "\(control)")
        }
    }

    @Test(.enabled(if: hasBrowser && rules != nil, "chromium or axe-core-python is not installed"))
    func thePageBreaksNoRuleOfAccessibility() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        let found = try check("rules", web, python: try #require(Self.rules))
        let violations = try #require(found["violations"] as? [String: [String]])
        #expect(violations.count == 4)
        for (view, broken) in violations { #expect(broken == [], "\(view)") }
        #expect((found["passed"] as? Int ?? 0) >= 100)
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aFrameWithTwoHundredMarkersTakesLessThanEightMilliseconds() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN a route with 200 markers ahead
        let points = (0..<400).map { "[-30.0000\($0 % 7),\(44.9982 + 0.0007 * Double($0))]" }
        let route = #"{"type":"LineString","coordinates":["# + points.joined(separator: ",") + "]}"
        let line = try #require(LineConnection(daemon.streamPath))
        #expect(line.send(Array((#"{"cmd":"route_load","route":"# + route + "}\n").utf8)))
        // WHEN Chromium traces the page
        let found = try check("speed", web)
        // THEN script and layout take at most 8 ms per frame in the mean
        #expect((found["frames"] as? Int ?? 0) >= 20, "\(found)")
        #expect((found["mean"] as? Double ?? .infinity) <= 8, "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aRecordingIsMadeAndPlayed() throws {
        let recordings = try TemporaryFolder()
        let daemon = try DaemonProcess(["--source", "simulated", "--set", "recording.folder=\(recordings.path)"])
        let web = try WebProcess(daemon: daemon.folder.path, ["--allow-control"])
        let found = try check("record", web)
        // THEN the recording is about as long as the four seconds that it ran, and not longer than it can have run;
        // it shows the drive, and stays where it was paused
        let length = (found["length"] as? String ?? "").split(separator: ":").compactMap { Double($0) }
        let seconds = length.reduce(0) { 60 * $0 + $1 }
        #expect(length.count == 2 && seconds >= 3 && seconds <= found["most"] as? Double ?? 0, "\(found)")
        #expect((found["speed"] as? String)?.hasSuffix("km/h") == true)
        #expect(found["paused"] as? [String] == ["0:02", "0:02"])
        #expect((found["spoken"] as? String)?.hasPrefix("0:02 of \(found["length"] ?? "")") == true)
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aDaemonThatDoesNotRunIsTold() throws {
        let folder = try TemporaryFolder()
        let web = try WebProcess(daemon: folder.path)
        let found = try check("lost", web)
        #expect((found["banner"] as? String)?.contains("No connection to posed") == true, "\(found)")
        #expect((found["banner"] as? String)?.contains("systemctl start posed") == true)
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aServerThatHangsIsNotShownAsLive() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // WHEN the server is halted, which ends no connection THEN the page says that no frames come, and then that it
        // has no connection; it is live again when the server goes on
        let found = try check("hang:\(web.process.processIdentifier)", web, mayComplain: true)
        #expect(found["silent"] as? String == "bad" && found["lost"] as? String == "disconnected", "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func theClockOfAnEarlierConnectionIsForgotten() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN a connection to a machine that runs for ten hours WHEN it is closed, and the next one is to the same
        // machine half a minute after its start THEN the page goes by the clock of that one, however slow its answer
        let found = try check("clock", web)
        #expect(abs((found["first"] as? Double ?? 0) - 36_000) < 1 && found["between"] is NSNull, "\(found)")
        #expect(abs((found["second"] as? Double ?? 0) - 30) < 1, "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aRecordingThatIsGoneIsAskedForRarely() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // WHEN the frames of a recording cannot be had THEN the page asks once for each of the two parts that it draws,
        // although it is drawn many times, and says once why
        let found = try check("gone", web)
        #expect(found["asked"] as? Int == 2, "\(found)")
        #expect(found["said"] as? [String] == ["/folder: has no recording 'a.mcap'"], "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aRecordingWithFewFramesIsPlayedToItsEnd() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN a recording with a frame at its start and one at its end, 100 s later WHEN it is played THEN the first
        // frame stays until the other one comes, and the time goes on
        let found = try check("gap", web)
        #expect(found["end"] as? Double == 100 && (found["shown"] as? [Double])?.first == 5, "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aRecordingThatCannotBeReadDoesNotCloseAnother() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN a recording that is being read WHEN another one is opened, and then the first cannot be read THEN the
        // other one stays open, and nothing is said of the first
        let found = try check("other", web)
        #expect(found["isOpen"] as? Bool == true && found["said"] as? [String] == [], "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aRecorderThatWaitsDoesNotRecord() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // GIVEN each state of the recorder, which has a file also while it waits for something to record THEN the page
        // says what it does, and the button does the other thing
        let found = try check("recorder", web)
        #expect(found["off"] as? [String] == ["", "Start recording", "Not recording."], "\(found)")
        let waiting = "Waiting for something to record; the last minute is kept."
        #expect(found["waiting"] as? [String] == ["", "Start recording", waiting], "\(found)")
        let recording = ["recording", "Stop recording"]
        #expect(found["recording"] as? [String] == recording + ["a.mcap: 0:03, 2.0 MB"], "\(found)")
        // WHEN a request is refused THEN that is told until the recorder does something else
        #expect(found["refused"] as? [String] == recording + ["the disk is full"], "\(found)")
        #expect(found["ended"] as? [String] == ["", "Start recording", "Not recording."], "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func theRoadsAroundTheMiddleAreDrawn() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        // WHEN more tiles lie in the window than are drawn THEN it is those around the middle, on both sides
        let found = try check("tiles", web)
        #expect(found["first"] as? Int == -6 && found["last"] as? Int == 6, "\(found)")
        #expect(found["nearest"] as? [String: Int] == ["x": 8000, "y": 8000], "\(found)")
    }

    @Test(.enabled(if: hasBrowser, "chromium is not installed"))
    func aWayAcrossLongitude180IsShort() throws {
        let daemon = try DaemonProcess()
        let web = try WebProcess(daemon: daemon.folder.path)
        let found = try check("date_line", web)
        // THEN what lies between two places on both sides of longitude 180 is there, and not around the world
        #expect(found["ahead"] as? [Double] == [179.25, 179.75, 180.25], "\(found)")
        #expect(found["between"] as? Double == 179.5 && found["split"] as? Double == 179.5, "\(found)")
        #expect(found["unknown"] as? Double == 179.25 && found["picked"] as? Double == -157.5, "\(found)")
        // THEN a line goes on where the view is near it, and begins again where the view is on the other side of the
        // world; 720 pixels are once around it
        #expect(found["steps"] as? [String] == ["move 719", "line 721", "move 719", "move 1"], "\(found)")
        // THEN one and a half degrees fill the window, however many places they have
        let zooms = ["few", "many"].compactMap { found[$0] as? Double }
        #expect(zooms.count == 2 && zooms[0] == zooms[1] && zooms[0] > 5, "\(found)")
    }
}
