import BoundedJSON
import Calibration
import Frames
import Measurements
import PoseMath
import Testing

@testable import Monitor

/// The parts of the monitor: what a message, a key, a number or a reply becomes.
@Suite struct MonitorPartsTests {
    @Test(arguments: [
        (#""event":"pose","state":"lost""#, "pose: lost"),
        (#""event":"guidance","state":"onRoute""#, "guidance: onRoute"),
        (#""event":"source","source":"imu","state":"stale""#, "imu: stale"),
        (#""event":"source","state":"stale""#, "source: stale"), (#""event":"route","route_version":4"#, "route 4"),
        (#""event":"reset","reset_count":5"#, "announced jump of the pose (reset count 5)"),
        (#""event":"reset""#, "announced jump of the pose (reset count 0)"),
        (#""event":"target","state":"near""#, "target: near"),
        (#""event":"maneuverReached","maneuver":7,"count":1"#, "maneuver 7 reached"),
        (#""event":"maneuverReached","maneuver":7,"count":2"#, "maneuver 6 to 7 reached"),
        (#""event":"waypointReached","waypoint":1,"count":2"#, "waypoint 0 to 1 reached"),
        (#""event":"waypointReached","waypoint":0,"count":2"#, "waypoint 0 reached"),
        (#""event":"waypointSkipped","waypoint":65534,"count":65535"#, "waypoint 0 to 65534 skipped"),
        (#""event":"waypointSkipped","waypoint":65535,"count":65536"#, "waypoint 65535 skipped"),
        (#""event":"waypointSkipped""#, "waypoint ? skipped"), (#""event":"departed""#, "left the route"),
        (#""event":"rejoined","ahead":true"#, "back on the route, further ahead"),
        (#""event":"rejoined","ahead":false"#, "back on the route"), (#""event":"rejoined""#, "back on the route"),
        (#""event":"frameRate","state":"low","rate_hz":9.5"#, "only 10 frames per second"),
        (#""event":"frameRate","state":"enough","rate_hz":19.4"#, "19 frames per second again"),
        (#""event":"frameRate","state":"low","rate_hz":1e9"#, "only 0 frames per second"),
        (#""event":"frameRate","state":"low""#, "only 0 frames per second"),
        (#""event":"origin","epoch":3"#, "new origin of the local frame (epoch 3)"),
        (#""event":"origin""#, "new origin of the local frame (epoch 0)"), (#""event":"later""#, "later"),
    ]) func anEventIsOneLine(members: String, text: String) {
        var state = MonitorState()
        MonitorParser.process(Array(#"{"type":"event",\#(members)}"#.utf8), into: &state, atSeconds: 0)
        #expect(state.events == [text])
    }

    @Test func aGoodbyeSaysWhy() {
        // GIVEN a daemon that stops, and one that disconnects for a reason, or none
        for (members, farewell, event) in [
            (#""reason":"stopping","text":"posed stops""#, "posed was stopped", "posed disconnected: posed stops"),
            (#""reason":"tooSlow","text":"read""#, "posed disconnected: read", "posed disconnected: read"),
            (#""reason":"flood""#, "posed disconnected: no reason given", "posed disconnected: no reason given"),
        ] {
            var state = MonitorState()
            MonitorParser.process(Array(#"{"type":"bye",\#(members)}"#.utf8), into: &state, atSeconds: 0)
            #expect(state.farewell == farewell && state.events == [event])
        }
    }

    @Test func aFrameCarriesTheLossAndKeepsItsManeuver() throws {
        // GIVEN a maneuver of the route of the frames WHEN a frame of it comes THEN it stays, and the loss is told
        var state = drivingState()
        let line = Array(#"{"type":"frame","seq":9,"dropped":12,"guidance":{"route_version":3}}"#.utf8)
        MonitorParser.process(line, into: &state, atSeconds: 0.3)
        #expect(state.maneuver?.text == "Turn right into Mill Lane" && state.dropped == 12)
        #expect(state.frameSeconds == 0.3 && state.frameLine == String(decoding: line, as: UTF8.self))
        // WHEN a frame of another route comes THEN it is gone; and one without a number takes it away, too
        MonitorParser.process(
            Array(#"{"type":"frame","guidance":{"route_version":4}}"#.utf8), into: &state, atSeconds: 1)
        #expect(state.maneuver == nil && state.dropped == 0)
        var maneuver = Message.Maneuver(routeVersion: 4)
        maneuver.index = 0
        state.update(maneuver)
        #expect(state.maneuver == maneuver)
        state.update(Message.Maneuver(routeVersion: 4))
        #expect(state.maneuver == nil)
    }

    @Test func theNewestFiftyEventsAreKept() {
        var state = MonitorState()
        for number in 1...52 { state.addEvent("\(number)") }
        #expect(state.events == (3...52).map { "\($0)" })
    }

    @Test func theRateIsThatOfTheLastTwoSeconds() {
        // GIVEN arrivals every quarter of a second, then every eighth THEN after two seconds only the latter count; one
        // arrival alone, and several at one time, have no rate
        var rate = ArrivalRate()
        rate.add(1)
        #expect(rate.rateHertz == nil)
        rate.add(1)
        #expect(rate.rateHertz == nil)
        rate = ArrivalRate()
        for step in 0..<20 { rate.add(Double(step) / 4) }
        #expect(rate.rateHertz == 4)
        for step in 1...16 { rate.add(4.75 + Double(step) / 8) }
        #expect(rate.rateHertz == 8)
    }

    @Test(arguments: [
        ("jjj", MonitorView.Page.overview, 3, false, false), ("jjk", .overview, 1, false, false),
        ("k", .overview, 0, false, false), ("^B^B^A", .overview, 1, false, false), ("^A", .overview, 0, false, false),
        ("^C", .sources, 0, false, false), ("^D", .clients, 0, false, false), ("^D^C", .overview, 0, false, false),
        ("\t\t", .filter, 0, false, false), ("5\t", .overview, 0, false, false), ("1", .overview, 0, false, false),
        ("2", .sources, 0, false, false), ("4", .guidance, 0, false, false), ("5", .clients, 0, false, false),
        ("6", .overview, 0, false, false), ("jj3", .filter, 0, false, false), ("u", .overview, 0, true, false),
        ("uu", .overview, 0, false, false), ("?", .overview, 0, false, true), ("h", .overview, 0, false, true),
        ("?h", .overview, 0, false, false), ("?\u{1B}", .overview, 0, false, false), ("?2", .sources, 0, false, false),
        ("j^Z", .overview, 1, false, false), ("3q2", .filter, 0, false, false),
    ]) func keysTurnAndScroll(keys: String, page: MonitorView.Page, scroll: Int, isImperial: Bool, isHelp: Bool) {
        // WHEN these keys are pressed, ^ for the start of an arrow THEN this is shown
        var view = MonitorView()
        let request = view.press(Array(keys.replacing("^", with: "\u{1B}[").utf8))
        #expect(view.page == page && view.scroll == scroll && view.isImperial == isImperial)
        #expect(view.isHelpShown == isHelp)
        guard case .none = request else { return #expect(keys.contains("q")) }
        #expect(!keys.contains("q"))
    }

    @Test(
        arguments: [
            ("3^1;5C", MonitorView.Page.filter, 0), ("^1;2B", .overview, 0), ("^15~", .overview, 0),
            ("4^3~", .guidance, 0), ("^6~j", .overview, 1), ("j^1;5", .overview, 1), ("?^", .overview, 0),
        ] as [(String, MonitorView.Page, Int)])
    func aKeyOfSeveralBytesIsNoneOfThem(keys: String, page: MonitorView.Page, scroll: Int) {
        // GIVEN an arrow with Ctrl or Shift, F5, Delete, Page Down, or the start of one THEN no digit of it is a key
        var view = MonitorView()
        guard case .none = view.press(Array(keys.replacing("^", with: "\u{1B}[").utf8)) else {
            Issue.record("\(keys) is a request")
            return
        }
        #expect(view.page == page && view.scroll == scroll)
        // AND Ctrl-C after it ends the monitor
        guard case .quit = view.press([27, UInt8(ascii: "["), 3]) else {
            Issue.record("Ctrl-C does not quit")
            return
        }
    }

    @Test func someKeysAreRequests() {
        func request(_ keys: [UInt8]) -> MonitorView.Request {
            var view = MonitorView()
            return view.press(keys)
        }
        for key in [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4] {
            if case .quit = request([key]) { continue }
            Issue.record("\(key) does not quit")
        }
        for (key, isRedraw) in [(UInt8(12), true), (11, false), (13, false)] {
            if case .redraw = request([key]) { #expect(isRedraw) } else { #expect(!isRedraw) }
        }
    }

    @Test(
        arguments: [
            (nil, "⚑", "o"), (0, "↑", "^"), (19.9, "↑", "^"), (-19.9, "↑", "^"),
            (20.1, "↗", "/>"), (-20.1, "↖", "<\\"),
            (49.9, "↗", "/>"), (-49.9, "↖", "<\\"), (50.1, "→", "->"), (-50.1, "←", "<-"), (159.9, "→", "->"),
            (-159.9, "←", "<-"), (160.1, "↶", "U"), (-180, "↶", "U"),
        ] as [(Double?, String, String)]) func theArrowShowsTheTurn(degrees: Double?, unicode: String, ascii: String)
    {
        let turn = degrees.map { $0 * .pi / 180 }
        #expect(Symbols(isUnicode: true).arrow(turnRadians: turn) == unicode)
        #expect(Symbols(isUnicode: false).arrow(turnRadians: turn) == ascii)
    }

    @Test func numbersHaveTheirLimits() {
        #expect(Reading.distance(999.4) == "999 m" && Reading.distance(-1000) == "-1.00 km")
        #expect(Reading.distance(1000) == "1.00 km" && Reading.distance(nil) == "--")
        #expect(Reading.span(0) == "0:00" && Reading.span(3599.4) == "59:59" && Reading.span(3600) == "1:00:00")
        #expect(Reading.span(359_999) == "99:59:59" && Reading.span(609) == "10:09")
        // A daemon may run for months.
        #expect(Reading.span(360_000) == "100:00:00" && Reading.span(8_640_061) == "2400:01:01")
        #expect(Reading.span(3.6e9) == "--" && Reading.span(3.6e9 - 1) == "999999:59:59")
        #expect(Reading.clock(utcNanoseconds: 0) == "00:00:00Z" && Reading.clock(utcNanoseconds: nil) == "--:--:--")
        #expect(Reading.clock(utcNanoseconds: 86_399_999_999_999) == "23:59:59Z")
        #expect(Reading.clock(utcNanoseconds: 36_609_000_000_000) == "10:10:09Z")
        #expect(Reading.number(1e12, 0) == "--" && Reading.number(999_999_999_999, 0) == "999999999999")
        #expect(Reading.number(-0.05, 2) == "-0.05" && Reading.number(5, 0) == "5" && Reading.number(-5, 0) == "-5")
        #expect(Reading.degrees(.pi / 2, 1, width: 6) == "  90.0")
    }

    @Test func aTextIsCutBeforeItsRemedy() {
        let ellipsis = Ellipsis(sign: "...")
        // GIVEN a remedy after a semicolon, a colon, or a colon without a blank, and a width of 11 more than it, which
        // is what sign and eight characters of the reason take, and of one less
        #expect(ellipsis.fit("a reason of some length; go", 15) == "a reason...; go")
        #expect(ellipsis.fit("a reason of some length; go", 14) == "a reason of...")
        #expect(ellipsis.fit("a reason of some length: go", 15) == "a reason...: go")
        #expect(ellipsis.fit("12:34 of some length", 15) == "12:34 of som...")
        #expect(ellipsis.fit("first: second; one:two, three", 27) == "first: s...; one:two, three")
        #expect(ellipsis.fit("abcdef", 6) == "abcdef" && ellipsis.fit("abcdef", 5) == "ab...")
        #expect(ellipsis.fit("abcdef", 4) == "a..." && ellipsis.fit("abcdef", 3) == "abc")
        #expect(ellipsis.fit("abcdef", -1) == "")
        // AND lines end at a blank, or where they must
        #expect(ellipsis.wrap("one two  three", 7, most: 5) == ["one two", "three"])
        #expect(ellipsis.wrap("abcdefgh", 3, most: 5) == ["abc", "def", "gh"])
        #expect(ellipsis.wrap("abc", 3, most: 1) == ["abc"] && ellipsis.wrap("abc", 3, most: 0) == [])
        #expect(ellipsis.wrap("", 3, most: 3) == [])
    }

    @Test func onlyAChangedRowIsSentWithItsStyles() {
        // GIVEN two screens that differ in one row WHEN the second is shown after the first, after one of another size,
        // or first of all
        var old = Canvas(width: 3, height: 2)
        old.put("abc", 0, 0, .value)
        var new = old
        new.put("xy", 1, 1, CellStyle(foreground: 7, background: 9, isBold: true))
        // THEN only what differs is sent
        let row = "\u{1B}[2;1H\u{1B}[0m \u{1B}[0;1;38;5;7;48;5;9mxy\u{1B}[0m"
        #expect(new.changes(from: old, inColour: true) == row)
        #expect(new.changes(from: old, inColour: false) == "\u{1B}[2;1H xy\u{1B}[K")
        let whole = "\u{1B}[2J\u{1B}[1;1H\u{1B}[0;38;5;255mabc\u{1B}[0m" + row
        #expect(new.changes(from: nil, inColour: true) == whole)
        for other in [Canvas(width: 2, height: 2), Canvas(width: 3, height: 3)] {
            #expect(new.changes(from: other, inColour: true) == whole)
        }
        #expect(Canvas(width: 0, height: -1) == Canvas(width: 1, height: 1))
    }

    @Test func theSecondDrawingWaitsATenthOfASecond() {
        var painter = ScreenPainter()
        func isDrawn(at seconds: Double, _ text: String) -> Bool {
            painter.text(atSeconds: seconds, inColour: false) {
                var canvas = Canvas(width: 2, height: 1)
                canvas.put(text, 0, 0)
                return canvas
            } != nil
        }
        #expect(isDrawn(at: 5, "a") && !isDrawn(at: 5.0625, "b") && isDrawn(at: 5.125, "c"))
        // The drawing that was put off does not delay the next one.
        #expect(!isDrawn(at: 5.1875, "d") && isDrawn(at: 5.25, "e"))
    }

    @Test func everyPartOfTheDetailsCounts() throws {
        // GIVEN the details of a reply WHEN any one part is another THEN they are others
        let details = try FullState.state().details
        #expect(details == details)
        let changes: [(inout StatusDetails) -> Void] = [
            { $0.ages["gps1"] = 9 }, { $0.accepted["gps1"] = 9 }, { $0.aids[0].rejected = 9 },
            { $0.budgets[0].quantity = "x" }, { $0.budgets[0].parts[0].sigma = 9 },
            { $0.budgets[0].parts[0].name = "x" },
            { $0.filter[0].text = "x" }, { $0.filter[0].name = "x" }, { $0.guidance[0].text = "x" },
            { $0.guidance[0].name = "x" }, { $0.clients[0].text = "x" }, { $0.clients[0].name = "x" },
        ]
        for (index, change) in changes.enumerated() {
            var other = details
            change(&other)
            #expect(other != details, "\(index)")
        }
        #expect(
            details.aids[0].normalised == -0.5 && details.aids[0].testRatio == 0.2 && details.aids[1].normalised == nil)
        #expect(details.ages == ["gps1": 0.125, "icm": 3.0625] && details.accepted == ["gps1": 120, "icm": 4000])
    }

    @Test(
        arguments: [
            (#""state":"off""#, ["off"], nil),
            (#""state":"failed","problem":"no room""#, ["not recording", "  no room"], nil),
            (
                #""state":"waiting","folder":"/r""#,
                ["waiting for something to record; the last minute is kept in /r"], nil
            ),
            (
                #""state":"waiting","folder":"/r","from_start":true,"private":true"#,
                [
                    "waiting for something to record; everything since the start is kept in /r, positions at a random "
                        + "place"
                ], nil
            ),
            (
                #""state":"recording","file":"/r/a-000.mcap","bytes":1572864,"seconds":65,"from_start":true"#,
                [
                    "recording for 1:05 to /r/a-000.mcap (1.5 MiB)",
                    "  it has everything since posed started: its replay gives the same frames",
                ], "recorded to /r/a-000.mcap"
            ),
            (
                #""state":"recording","file":"/r/a-001.mcap","seconds":65,"from_start":false,"has_reset":true,"#
                    + #""lost":1"#,
                [
                    "recording for 1:05 to /r/a-001.mcap (0.0 MiB)",
                    "  it begins in mid-run: its replay gives the same frames from the first reset in it on",
                    "  lost: 1 inputs or frames (queue full), 0 times the disk was too slow",
                ], "recorded to /r/a-001.mcap and the parts before it"
            ),
            (
                #""state":"recording","file":"/r/a-001.mcap","from_start":false,"lost_chunks":1"#,
                [
                    "recording for -- to /r/a-001.mcap (0.0 MiB)",
                    "  it begins in mid-run: its replay gives the same frames from the next reset on (posectl reset)",
                    "  lost: 0 inputs or frames (queue full), 1 times the disk was too slow",
                ], "recorded to /r/a-001.mcap and the parts before it"
            ),
            (
                #""state":"recording","file":"/r/a","from_start":true,"private":true"#,
                ["recording for -- to /r/a (0.0 MiB), positions at a random place"],
                "recorded to /r/a and the parts before it"
            ),
        ] as [(String, [String], String?)]) func theRecorderIsTold(members: String, lines: [String], ended: String?)
        throws
    {
        let text = try #require(RecordingText(reply: #"{"recording":{\#(members)}}"#))
        #expect(text.lines == lines && text.ended == ended)
    }

    @Test func theFindingsOfAReply() throws {
        // GIVEN a reply with every finding THEN each number is where it belongs
        let lags = #""lags":{"position_s":0.125,"position_sigma_s":0.25,"velocity_s":0.375,"velocity_sigma_s":0.5}"#
        let wheels = #""wheels":{"scale":1.5,"scale_sigma":0.625,"lag_s":0.75,"lag_sigma_s":0.875}"#
        let reply =
            #"{"cmd":"status","ok":true,"pose":{"state":"coarse"},"mount":{"q":[0.5,-0.5,0.25,0.75],"#
            + #""sigma_deg":[1,2,3],"origin":"found"},"trust":{"profile_fits":false,"mount_refused":true,"#
            + #"\#(lags),\#(wheels)}}"#
        let status = try #require(InstallationStatus(reply: reply))
        let degree = Double.pi / 180
        #expect(status.poseState == "coarse" && !status.findings.doesProfileFit)
        // A mount of the settings that the drive contradicts fails live, as it does with a recording.
        #expect(status.findings.isConfiguredMountRefused)
        #expect(status.findings.report().checks.contains { $0.name == "mount of the settings" && !$0.passes })
        let mount = try #require(status.findings.mount)
        #expect(mount.sensorToBody == Quaternion(w: 0.5, x: -0.5, y: 0.25, z: 0.75) && mount.isFound)
        // A rounding of the product with a factor is allowed.
        #expect((mount.sigmaBodyRadians - Vector3(1, 2, 3) * degree).length < 1e-15)
        let expected = InstallationFindings.Lags(
            positionSeconds: 0.125, positionSigmaSeconds: 0.25, velocitySeconds: 0.375, velocitySigmaSeconds: 0.5)
        #expect(status.findings.lags == expected)
        #expect(
            status.findings.wheels == .init(scale: 1.5, scaleSigma: 0.625, lagSeconds: 0.75, lagSigmaSeconds: 0.875))
        // AND what is missing is unknown, and a reply of another command, or a refusal, is none
        let kept = try #require(InstallationStatus(reply: reply.replacing("found", with: "kept")))
        #expect(kept.findings.mount?.isFound == false)
        let empty = try #require(InstallationStatus(reply: #"{"cmd":"status","ok":true}"#))
        #expect(empty.findings.mount == nil && empty.findings.lags == nil && empty.findings.wheels == nil)
        #expect(empty.findings.doesProfileFit && empty.findings.antenna == nil)
        #expect(!empty.findings.isConfiguredMountRefused)
        for other in ["", #"{"cmd":"reset","ok":true}"#, #"{"cmd":"status","ok":false}"#] {
            #expect(InstallationStatus(reply: other)?.poseState == nil)
        }
    }

    @Test(arguments: [
        (Waiter.Goal.route, Frame.GuidanceState.noRoute, false), (.route, .waiting, true), (.route, .offRoute, true),
        (.onRoute, .waiting, false), (.onRoute, .onRoute, true), (.onRoute, .rejoinedAhead, true),
        (.onRoute, .arrived, true), (.onRoute, .offRoute, false), (.onRoute, .wrongWay, false),
    ]) func aGoalOnTheRoute(goal: Waiter.Goal, state: Frame.GuidanceState, isReached: Bool) {
        var all = FullState.empty
        all.frame?.guidance.state = state
        #expect(Waiter.isReached(goal, all) == isReached)
    }

    @Test(arguments: [(Frame.PoseState.aligned, true), (.coarse, true), (.deadReckoning, true), (.lost, false)])
    func aPositionThatIsLostIsNone(pose: Frame.PoseState, isReached: Bool) throws {
        // GIVEN a frame with a latitude WHEN its position means nothing any more THEN it is waited for
        var state = try FullState.state()
        state.frame?.pose.state = pose
        #expect(Waiter.isReached(.position, state) == isReached)
    }

    @Test(arguments: [
        (#""state":"off""#, "not recording; posectl record start"),
        (#""state":"failed","problem":"/r: it is full; make room""#, "not recording: /r: it is full; make room"),
        (#""state":"waiting","folder":"/r""#, "waiting for something to record; the last minute is kept in /r"),
    ]) func aRecorderThatDoesNotRecordTellsWhy(members: String, missing: String) throws {
        var state = try FullState.state()
        state.status?.recording = RecordingText(reply: #"{"recording":{\#(members)}}"#)
        #expect(!Waiter.isReached(.recording, state) && Waiter.missing(.recording, state) == missing)
    }

    @Test(arguments: [true, false]) func ofSeveralReceiversTheOneInUseIsShown(hasNotes: Bool) throws {
        // GIVEN two receivers, of which the first is gone, perhaps without ever having told of itself, and the second
        // is used
        let note = hasNotes ? #","receiver":{"in_use":false,"rank":1}"# : ""
        let gone = #"{"name":"gps1","kind":"gps","state":"absent","explanation":"it is gone"\#(note)}"#
        let used =
            #"{"name":"gps2","kind":"gps","state":"streaming","explanation":"fixes","rate_hz":7,"#
            + #""receiver":{"in_use":true,"rank":2}}"#
        var state = drivingState()
        let reply = #"{"type":"reply","cmd":"status","ok":true,"sources":[\#(gone),\#(used)]}"#
        let status = try #require(StatusReply(line: Array(reply.utf8)))
        state.status = status
        // THEN report, overview and small overview show the second one
        let screens = [80, 60].map { width in
            let canvas = MonitorScreen().draw(state, width: width, height: 24, atSeconds: 0.25)
            return (0..<canvas.height).map { canvas.text(ofRow: $0) }.joined(separator: "\n")
        }
        for text in screens + [MonitorText.report(state)] {
            #expect(text.contains("7.0 Hz") && !text.contains("it is gone"), "\(text)")
        }
    }

    @Test func aGoalOfTheRecorderAndWhatIsMissing() throws {
        var state = try FullState.state()
        #expect(Waiter.isReached(.recording, state) && Waiter.isReached(.position, state))
        state.status?.recording?.state = "waiting"
        #expect(!Waiter.isReached(.recording, state))
        #expect(Waiter.missing(.recording, state) == "recording for 1:05 to /r/a-001.mcap (1.5 MiB)")
        #expect(Waiter.missing(.aligned, state) == "aligned: the first reason: with its remedy")
        #expect(Waiter.missing(.route, state) == "no route is loaded; posectl route load FILE")
        #expect(Waiter.missing(.onRoute, state) == "guidance: onRoute")
        state.frame = nil
        #expect(Waiter.missing(.route, state) == "connected; no frame yet" && !Waiter.isReached(.position, state))
        #expect(Waiter.isReached(.running, state) && !Waiter.isReached(.aligned, state))
        #expect(Waiter.missing(.route, MonitorState()) == "connecting")
        state.disconnect(why: "gone")
        #expect(Waiter.missing(.route, state) == "gone" && !Waiter.isReached(.running, state))
    }
}
