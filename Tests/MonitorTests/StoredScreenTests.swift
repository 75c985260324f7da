import BoundedJSON
import Explanation
import Frames
import StoredTexts
import Testing

@testable import Monitor

/// Whole screens and reports, with their colours, as they are stored.
@Suite struct StoredScreenTests {
    /// The screen with the escape sequences of its colours, readable.
    private func styled(_ canvas: Canvas) -> String {
        (0..<canvas.height).map { canvas.escaped(row: $0, inColour: true) }.joined(separator: "\n")
            .replacing("\u{1B}", with: "^")
    }

    /// Expects that a text is the stored one.
    private func expectStored(_ text: String, _ name: String) throws {
        #expect(try StoredText.differences(of: text, from: name) == [])
    }

    /// The screen without colours.
    private func plain(_ canvas: Canvas) -> String {
        (0..<canvas.height).map { canvas.text(ofRow: $0) }.joined(separator: "\n")
    }

    @Test(arguments: [(80, 24), (110, 30)]) func theOverviewInColour(width: Int, height: Int) throws {
        // GIVEN a state in which all is known WHEN the overview is drawn THEN text and colours are the stored ones; a
        // higher screen has the events, the newest at the bottom
        let canvas = MonitorScreen().draw(try FullState.state(), width: width, height: height, atSeconds: 0.3)
        try expectStored(styled(canvas), "overview-\(width)")
    }

    @Test(arguments: MonitorView.Page.allCases) func everyPage(page: MonitorView.Page) throws {
        // GIVEN a state in which all is known, and one in which nothing is WHEN a page is drawn as a list, with Unicode
        // or without THEN it is the stored one
        let view = MonitorView(page: page)
        let full = MonitorScreen().draw(try FullState.state(), view, width: 78, height: 60, atSeconds: 0.3)
        try expectStored(styled(full), "page-\(page)")
        let ascii = MonitorScreen(symbols: Symbols(isUnicode: false))
        let empty = ascii.draw(FullState.empty, view, width: 78, height: 24, atSeconds: 0.3)
        try expectStored(plain(empty), "page-\(page)-empty")
    }

    @Test func theOverviewOfAnUnknownPose() throws {
        // GIVEN a frame with nothing known, on a terminal without Unicode THEN dashes are where values are missing
        let screen = MonitorScreen(symbols: Symbols(isUnicode: false))
        try expectStored(
            plain(screen.draw(FullState.empty, width: 80, height: 24, atSeconds: 0)), "overview-empty")
        // AND with a route but no place on it, and a fix in two dimensions without satellites
        var (state, frame) = (FullState.empty, Frame())
        (frame.guidance.state, frame.guidance.turnAngleRadians, frame.pose.fixMode) = (.waiting, -1, 2)
        (frame.guidance.crossTrackMeters, frame.pose.altitudeEllipsoidMeters) = (0.25, 12.5)
        (frame.pose.state, frame.pose.rollRadians, frame.pose.pitchRadians) = (.coarse, 0.35, 0.1)
        state.update(frame, line: "", dropped: 0, atSeconds: 0)
        try expectStored(plain(screen.draw(state, width: 80, height: 24, atSeconds: 0)), "overview-coarse")
    }

    @Test func theScreensWithoutAPose() throws {
        // GIVEN a daemon that is not there, one that went, one that sends no frame, and the list of keys
        var gone = try FullState.state()
        gone.disconnect(why: "/run/posed/stream: no process listens on the socket; start posed")
        var stopped = gone
        stopped.farewell = "posed was stopped"
        var waiting = MonitorState()
        waiting.connection = .connected
        var help = MonitorView()
        help.isHelpShown = true
        let screen = MonitorScreen()
        for (name, state, view) in [
            ("gone", gone, MonitorView()), ("stopped", stopped, MonitorView()), ("no-frame", waiting, MonitorView()),
            ("help", gone, help),
        ] {
            // THEN each screen is the stored one
            try expectStored(
                styled(screen.draw(state, view, width: 48, height: 12, atSeconds: 1)), "screen-\(name)")
        }
        // AND frames that ended are told from 2 s on, by the whole second
        for (now, isSilent) in [(2.2, false), (2.21, true)] {
            let row = screen.draw(try FullState.state(), width: 80, height: 24, atSeconds: now).text(ofRow: 1)
            #expect(row.contains("no frame for 2 s; see journalctl -u posed") == isSilent, "\(row)")
        }
    }

    @Test(arguments: [(0, 0), (3, 3), (99, 25)]) func aPageIsScrolledToItsEnd(scroll: Int, first: Int) throws {
        // GIVEN a page with more lines than the screen has WHEN it is scrolled THEN it begins with that line, and ends
        // with its last one, and the number of hidden lines is told
        var view = MonitorView(page: .filter)
        let whole = MonitorScreen().draw(try FullState.state(), view, width: 78, height: 60, atSeconds: 0.3)
        view.scroll = scroll
        let canvas = MonitorScreen().draw(try FullState.state(), view, width: 78, height: 12, atSeconds: 0.3)
        let all = (2..<59).map { whole.text(ofRow: $0) }.filter { !$0.isEmpty }
        let start = min(first, all.count - 9)
        #expect((2..<11).map { canvas.text(ofRow: $0) } == Array(all[start..<(start + 9)]))
        let hidden = all.count - start - 9
        let keys = canvas.text(ofRow: 11)
        #expect(hidden > 0 ? keys.hasSuffix(" \(hidden) more: j") : keys == " q quit  ? keys", "\(keys)")
    }

    @Test func reportsAndStatus() throws {
        // GIVEN the states WHEN they are told as text THEN every line is the stored one
        let full = try FullState.state()
        try expectStored(
            [MonitorText.line(full), MonitorText.report(full)].joined(separator: "\n"), "report")
        try expectStored(
            [MonitorText.line(FullState.empty), MonitorText.report(FullState.empty)].joined(separator: "\n"),
            "report-empty")
        try expectStored(try #require(StatusText(reply: FullState.reply)).text, "status")
        // AND where a member has another value
        let other = [
            (#""sigma_m":[0.125,0.375],"beside_imu":0.75"#, #""sigma_m":[0.125,0.25],"beside_imu":0.5"#),
            (#""forward_m":-1.4,"left_m":-0.25"#, #""forward_m":0,"left_m":0.25"#),
            (#""state":"disturbed""#, #""state":"collecting""#), (#""origin":"kept""#, #""origin":"found""#),
            (#""in_use":true,"fix":"rtk_float""#, #""in_use":false,"fix":"dgps""#),
            (#""loaded":true"#, #""loaded":false"#), (#""connected":3"#, #""connected":1"#),
            (#""what":"is no route","where":"column 1""#, #""what":"is no route","where":"/bad.json: line 2""#),
            (#""state":"recording","file""#, #""state":"waiting","file""#),
        ].reduce(FullState.reply) { $0.replacing($1.0, with: $1.1) }
        try expectStored(try #require(StatusText(reply: other)).text, "status-other")
    }

    @Test func explanationsAsTextAndJSON() throws {
        // GIVEN the facts of the reply and none WHEN explained THEN table and line are the stored ones
        let status = try JSONDocument(FullState.reply).root
        var text: [String] = []
        for quantity in Explanation.Quantity.allCases {
            for facts in [ExplanationFacts(status: status, frame: FullState.frame), ExplanationFacts()] {
                let explanation = Explanation(quantity, facts)
                text += [Explainer.text(explanation), Explainer.json(explanation), ""]
            }
        }
        try expectStored(text.joined(separator: "\n"), "explanations")
    }

    @Test func theFactsOfTheReply() throws {
        // GIVEN a reply in which nothing is missing THEN every fact is that of the reply
        let facts = ExplanationFacts(status: try JSONDocument(FullState.reply).root, frame: FullState.frame)
        #expect(facts.heading == .init(receiver: 0.315, gyro: 0.125, mount: 0.215, lag: 0.05, age: 0.01))
        #expect(facts.position == .init(receiver: 1.5, gyro: 0.25, mount: 0.75, lag: 0.125, age: 0.375))
        #expect(facts.speed == nil && facts.verdict == "drifting" && facts.sigmaFactor == 2.55)
        #expect(!facts.isVelocityStated && !facts.isAccuracyStated && facts.fixLatenessSeconds == 0.75)
        #expect(facts.positionLagSeconds == 0.025 && facts.velocityLagSeconds == 0.315)
        #expect(facts.gyroNoiseDensity == 0.0125 && facts.imuFaults == ["gyroStuck", "accelerometerClipped"])
        #expect(!facts.doesProfileFit && facts.isMountRefused && facts.areWheelsRefused)
        #expect(facts.fixRateHertz == 4.98 && facts.clippedShare == 0.01 && facts.rejectedShare == 0.1)
        #expect(facts.mountHeadingSigmaDegrees == 0.75 && facts.antennaSigmaMeters == 0.375 && facts.hasRoads == true)
        // AND a status without a file of roads has none
        let without = try JSONDocument(#"{"roads":{"file":null},"trust":{"wheels":{"used":true}}}"#).root
        let few = ExplanationFacts(status: without, frame: Frame())
        #expect(few.hasRoads == false && !few.areWheelsRefused && few.isVelocityStated && few.isAccuracyStated)
        #expect(few.doesProfileFit && !few.isMountRefused && few.sigmaFactor == 1)
    }
}
