import BoundedJSON
import Explanation
import Frames
import Testing

@testable import Monitor

/// The pages, the keys, and the screen below 80 by 24.
@Suite struct MonitorPagesTests {
    /// A reply as a daemon sends it, shortened.
    static let reply = Array(
        #"""
        {"type":"reply","cmd":"status","ok":true,"release":"1.2.3","uptime_s":61.0,"pose":{"state":"coarse","why":["the heading is not known yet: drive on for some metres, or add a magnetometer"]},"mount":{"origin":"found","q":[1,0,0,0],"rpy_deg":[1,2,3],"sigma_deg":[0.1,0.2,0.7]},"antenna":{"forward_m":-1.4,"left_m":0.1,"sigma_m":[0.1,0.1],"beside_imu":0.01},"sources":[{"name":"gpsd","kind":"gps","place":"localhost:2947","state":"streaming","explanation":"fixes","accepted":120,"rate_hz":4.98,"last_data_age_s":0.12,"rejected":{"old":3}},{"name":"icm","kind":"imu","place":"iio:device0","state":"stale","explanation":"no sample for 3 s; check the cable","accepted":4000,"rate_hz":199.2,"last_data_age_s":3.1,"rejected":{}}],"trust":{"receiver":"drifting","receiver_sigma_factor":2.5,"velocity_stated":false,"accuracy_stated":true,"mount_refused":false,"gyro_noise_dps_rthz":0.0123,"fix_lateness_s":0.1,"profile_fits":true,"imu_faults":["gyroStuck"],"position_lag_s":0.02,"velocity_lag_s":0.31,"budget":{"heading_deg":{"receiver":0.3,"gyro":0.1,"mount":0.2,"lag":0.05,"age":0.01},"position_m":{"receiver":1,"gyro":0,"mount":0.1,"lag":0,"age":0.2},"speed_m_s":{"receiver":0.1,"gyro":0,"mount":0,"lag":0,"age":0}},"rejected":{"inertialClipped":40},"aids":[{"source":"gnssPosition","innovation":2.0,"innovation_variance":4.0,"test_ratio":0.2,"accepted_count":90,"rejected_count":10,"last_reason":"drifting"}]},"route":{"version":1,"loaded":true,"name":"home","from":"/r.json","length_m":1234,"notes":[]},"clients":{"connected":3,"limit":256,"limit_per_user":64,"low_rate":1,"dropped":7,"left":{"tooSlow":2}},"engine":{"frames":1000,"repeats":2,"frames_dropped":0,"beat_age_s":0.02,"real_time":"on","measurements_dropped":{"gpsd":0,"icm":5}},"roads":{"file":"/r.posed","holds":"9 edges","problem":null},"settings":{"file":null,"notes":[]},"state_notes":[]}
        """#.utf8)

    private static func state() throws -> MonitorState {
        var state = drivingState()
        state.status = StatusReply(line: reply)
        state.details = StatusDetails(try JSONDocument(bytes: reply).root)
        return state
    }

    private func rows(_ canvas: Canvas) -> [String] { (0..<canvas.height).map { canvas.text(ofRow: $0) } }

    @Test(arguments: [(60, 15), (40, 10), (79, 23), (24, 6), (80, 12)])
    func aSmallScreenIsAListThatFits(width: Int, height: Int) throws {
        // WHEN every page is drawn on a small screen
        for page in MonitorView.Page.allCases {
            let view = MonitorView(page: page)
            let rows = rows(MonitorScreen().draw(try Self.state(), view, width: width, height: height, atSeconds: 0.3))
            // THEN the last row has the keys and nothing else of the page, and no row is longer than the screen
            #expect(rows[height - 1].hasPrefix(" q quit  ? keys"), "\(rows[height - 1])")
            #expect(rows[height - 1].count <= width && !rows[height - 1].contains("●"))
            #expect(rows.allSatisfy { $0.count <= width })
            // THEN the first row names page and program, and what is cut ends with the sign of it; only the overview
            // cuts, the other pages go on in the next row
            #expect(rows[0].hasPrefix(" posed"))
            guard page == .overview else { continue }
            for row in rows.dropFirst().dropLast() where row.count == width && !row.hasSuffix("─") {
                #expect(row.hasSuffix("…") || row.contains("…") || width >= 79, "\(row)")
            }
        }
    }

    @Test func aPageLosesNothingOnASmallScreen() throws {
        // GIVEN a reason with its remedy that is longer than a line, on a screen of 40 by 10
        var state = try Self.state()
        let note = "the mount is not saved: state.folder is not set; set it to a folder that posed may write"
        state.status?.stateNotes = [note]
        // WHEN the page is scrolled through THEN every word of it is shown
        var text = ""
        for scroll in 0..<24 {
            var view = MonitorView(page: .clients)
            view.scroll = scroll
            let rows = rows(MonitorScreen().draw(state, view, width: 40, height: 10, atSeconds: 0.3))
            text += rows.dropFirst(2).dropLast().joined(separator: " ") + " "
        }
        for word in note.split(separator: " ") { #expect(text.contains(word), "\(word)") }
        #expect(!text.contains("…"))
    }

    @Test func theKeysAreNotOverprinted() throws {
        // GIVEN a screen too narrow for the keys and the number of hidden lines THEN only the keys are there
        for width in 16...32 {
            let rows = rows(MonitorScreen().draw(try Self.state(), width: width, height: 6, atSeconds: 0.3))
            #expect(rows[5].hasPrefix(" q quit  ? keys"), "\(rows[5])")
            #expect(rows[5].count == 15 || rows[5].hasSuffix("more: j"), "\(rows[5])")
        }
    }

    @Test func aSmallOverviewHasTheMostImportantFirst() throws {
        let rows = rows(MonitorScreen().draw(try Self.state(), width: 40, height: 10, atSeconds: 0.3))
        #expect(rows[1].hasPrefix(" ● aligned"))
        let text = rows.joined(separator: "\n")
        #expect(text.contains("54.0 km/h  limit 50 km/h") && text.contains("→ 120 m Turn right"))
        #expect(text.contains("91.3°"))
        #expect(rows[9].contains("more: j"))
    }

    @Test func speedsAreInMilesOnRequest() throws {
        var view = MonitorView()
        #expect(view.speed(10, 1) == "36.0 km/h")
        _ = view.press(Array("u".utf8))
        #expect(view.speed(10, 1) == "22.4 mph")
        let rows = rows(MonitorScreen().draw(try Self.state(), view, width: 80, height: 24, atSeconds: 0.3))
        #expect(rows[11].contains("33.6 mph") && rows[11].contains("limit 31 (route)"))
    }

    @Test func keysChangeWhatIsShown() throws {
        // GIVEN the overview WHEN keys are pressed THEN pages, help and scrolling follow
        var view = MonitorView()
        _ = view.press(Array("3".utf8))
        #expect(view.page == .filter)
        _ = view.press([9])
        #expect(view.page == .guidance)
        _ = view.press([27, 0x5B, 0x44])
        #expect(view.page == .filter)
        _ = view.press(Array("jjk".utf8))
        #expect(view.scroll == 1)
        _ = view.press(Array("?".utf8))
        let help = rows(MonitorScreen().draw(try Self.state(), view, width: 60, height: 15, atSeconds: 0.3))
        for (key, text) in MonitorView.keys {
            #expect(help.contains { $0.contains(key) && $0.contains(text) }, "\(key)")
        }
        #expect({ if case .quit = view.press(Array("q".utf8)) { true } else { false } }())
        // THEN any bytes are taken
        for byte in UInt8.min...UInt8.max { _ = view.press([27, 0x5B, byte, byte]) }
    }

    @Test func whatWasScrolledBeyondTheEndIsTakenBack() throws {
        // GIVEN a page on a small screen WHEN j is pressed a hundred times, far beyond its end, and then k
        func draw(_ view: MonitorView) throws -> Canvas {
            MonitorScreen().draw(try Self.state(), view, width: 40, height: 10, atSeconds: 0.3)
        }
        var view = MonitorView(page: .filter)
        _ = view.press(Array(repeating: UInt8(ascii: "j"), count: 100))
        let end = try draw(view)
        view.limitScroll(to: end.lastScroll)
        let last = view.scroll
        _ = view.press([UInt8(ascii: "k")])
        // THEN the page goes up by one line at once
        let above = try draw(view)
        #expect((1..<99).contains(last) && view.scroll == last - 1)
        #expect(rows(above) != rows(end))
        // AND a screen without a list takes nothing back
        let pictures = MonitorScreen().draw(try Self.state(), width: 80, height: 24, atSeconds: 0.3)
        view.limitScroll(to: pictures.lastScroll)
        #expect(view.scroll == last - 1)
    }

    @Test func theSourcesPageHasAgeRateInnovationsAndRejections() throws {
        let view = MonitorView(page: .sources)
        let text = rows(MonitorScreen().draw(try Self.state(), view, width: 80, height: 24, atSeconds: 0.3))
            .joined(separator: "\n")
        for words in [
            "gpsd (gps, localhost:2947)", "streaming, 5.0 Hz, newest 0.12 s old, 120 taken", "old 3",
            "gnssPosition", "1.0 sigma, 90 used, 10 rejected (drifting)", "no sample for 3 s; check the cable",
        ] { #expect(text.contains(words), "\(words) in \(text)") }
    }

    @Test func theOtherPagesHaveTheirValues() throws {
        func text(_ page: MonitorView.Page) throws -> String {
            rows(MonitorScreen().draw(try Self.state(), MonitorView(page: page), width: 80, height: 40, atSeconds: 0.3))
                .joined(separator: "\n")
        }
        let filter = try text(.filter)
        for words in [
            "heading_deg", "receiver 0.30, gyro 0.10", "velocity 0.31 s", "gyroStuck", "antenna: 1.40 m back",
        ] {
            #expect(filter.contains(words), "\(words) in \(filter)")
        }
        let guidance = try text(.guidance)
        for words in ["home, 1.23 km, /r.json", "/r.posed, 9 edges", "50 km/h (route)", "in 120 m Turn right"] {
            #expect(guidance.contains(words), "\(words) in \(guidance)")
        }
        let clients = try text(.clients)
        for words in ["3 of 256, 64 per user", "tooSlow 2", "1000, 2 repeated", "icm 5", "50.0 frames/s, 7 lost"] {
            #expect(clients.contains(words), "\(words) in \(clients)")
        }
    }

    @Test func aStoppedDaemonIsReported() {
        // GIVEN a daemon that says goodbye, and goes
        var state = drivingState()
        let bye = #"{"type":"bye","reason":"stopping","text":"posed stops"}"#
        MonitorParser.process(Array(bye.utf8), into: &state, atSeconds: 1)
        state.disconnect(
            why: "/run/posed/stream: no process listens on the socket; start posed (systemctl start posed)")
        // THEN the screen says so, with the remedy, also on a small one
        for (width, height) in [(80, 24), (40, 10)] {
            let rows = rows(MonitorScreen().draw(state, width: width, height: height, atSeconds: 2))
            #expect(rows[1] == " ● posed was stopped")
            #expect(rows.joined(separator: " ").contains("start posed"), "\(rows)")
        }
        // WHEN it is there again THEN that is forgotten
        MonitorParser.process(Array(#"{"type":"hello","release":"1"}"#.utf8), into: &state, atSeconds: 3)
        #expect(state.farewell == nil && state.connection == .connected)
    }

    @Test func aRemedyIsKept() {
        let ellipsis = Ellipsis(sign: "…")
        #expect(ellipsis.fit("short", 9) == "short")
        let long = "the configuration of the receiver is wrong in many ways; set it to 5 Hz"
        #expect(ellipsis.fit(long, 40) == "the configuration of th…; set it to 5 Hz")
        #expect(ellipsis.fit("no remedy in this long text at all", 12) == "no remedy i…")
        #expect(ellipsis.fit("abc", 1) == "a" && ellipsis.fit("abc", 0) == "")
        #expect(ellipsis.wrap("one two three four", 9, most: 2) == ["one two", "three fo…"])
        #expect(ellipsis.wrap("x", 0, most: 2) == [])
        for width in 0..<60 {
            #expect(ellipsis.fit(long, width).count <= width)
            #expect(ellipsis.wrap(long, width, most: 3).allSatisfy { $0.count <= width })
        }
    }

    @Test func theFactsOfAnExplanationComeFromTheReply() throws {
        let facts = ExplanationFacts(status: try JSONDocument(bytes: Self.reply).root, frame: drivingFrame())
        #expect(facts.verdict == "drifting" && facts.sigmaFactor == 2.5 && !facts.isVelocityStated)
        #expect(facts.heading == .init(receiver: 0.3, gyro: 0.1, mount: 0.2, lag: 0.05, age: 0.01))
        #expect(facts.fixRateHertz == 4.98 && facts.clippedShare == 0.01 && facts.rejectedShare == 0.1)
        #expect(facts.antennaMeters.map { abs($0 - 1.4036) < 1e-3 } == true && facts.antennaSigmaMeters == 0.1)
        #expect(facts.mountHeadingSigmaDegrees == 0.7 && facts.hasRoads == true && facts.imuFaults == ["gyroStuck"])
        // THEN a reply without any of it leaves everything unknown
        let none = ExplanationFacts(status: try JSONDocument("{}").root, frame: Frame())
        #expect(none == ExplanationFacts())
        // THEN the text has the table, the largest part first, and the action
        let text = Explainer.text(Explanation(.heading, facts)).split(separator: "\n").map(String.init)
        #expect(text[2].contains("receiver") && text[2].contains("63 %") && text[3].contains("mount"), "\(text)")
        #expect(text.last?.hasPrefix("helps most: move the antenna") == true)
        #expect((try? JSONDocument(Explainer.json(Explanation(.limit, facts)))) != nil)
    }

    @Test func goalsAreReached() {
        var state = MonitorState()
        #expect(Waiter.Goal.allCases.allSatisfy { !Waiter.isReached($0, state) })
        state = drivingState()
        let reached = Waiter.Goal.allCases.filter { Waiter.isReached($0, state) }
        #expect(reached == [.running, .position, .heading, .aligned, .route, .onRoute])
        #expect(Waiter.missing(.recording, state) == "not recording; posectl record start")
        state.frame?.pose.state = .coarse
        #expect(Waiter.missing(.aligned, state) == "coarse")
    }
}
