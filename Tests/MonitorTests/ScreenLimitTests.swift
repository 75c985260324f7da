import BoundedJSON
import Explanation
import Frames
import Testing

@testable import Monitor

/// Where the monitor's texts just have room, which colour stands for what, and what a long line is.
@Suite struct ScreenLimitTests {
    private func rows(_ canvas: Canvas) -> [String] { (0..<canvas.height).map { canvas.text(ofRow: $0) } }

    @Test func aColourStandsForAState() {
        // GIVEN each state THEN green is good, cyan is on its way, yellow and orange are worse, red is lost
        let poses: [Frame.PoseState] = [.starting, .aligning, .coarse, .aligned, .deadReckoning, .lost, .attitudeOnly]
        #expect(poses.map { MonitorScreen.colour(of: $0) } == [244, 51, 220, 46, 208, 196, 75])
        let speeds: [Frame.SpeedColour] = [.unknown, .blue, .orange, .red]
        #expect(speeds.map { MonitorScreen.colour(of: $0) } == [250, 39, 208, 196])
        let sources: [Frame.SourceState] = [.absent, .opening, .waiting, .streaming, .stale, .lost]
        #expect(sources.map { MonitorScreen.colour(of: $0) } == [240, 51, 51, 46, 208, 196])
    }

    @Test(arguments: [(78, 66, true), (78, 67, false), (79, 67, true), (79, 68, false), (80, 68, true)])
    func aReasonHasTheRestOfTheLine(width: Int, count: Int, isBeside: Bool) throws {
        // GIVEN a reason of so many characters beside ` ● aligned` and two blanks WHEN drawn THEN it is whole in that
        // line, or on a small screen in the next one
        var state = try FullState.state()
        state.frame?.pose.isStandingStill = false
        let reason = String(repeating: "r", count: count)
        state.status?.why = [reason]
        let text = rows(MonitorScreen().draw(state, width: width, height: 24, atSeconds: 0.3))
        #expect(text[1] == " ● aligned" + (isBeside ? "  " + reason : ""))
        #expect(text[2].hasPrefix("   rrr") == !isBeside)
    }

    @Test func aReasonThatIsTooLongIsCutOnALargeScreen() throws {
        var state = try FullState.state()
        state.status?.why = [String(repeating: "r", count: 90)]
        // With ` ● aligned`, two blanks, and `standing still ` behind a blank there are 52 columns.
        let still = rows(MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 0.3))[1]
        #expect(still == " ● aligned  " + String(repeating: "r", count: 51) + "… standing still")
        state.frame?.pose.isStandingStill = false
        let moving = rows(MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 0.3))[1]
        #expect(moving == " ● aligned  " + String(repeating: "r", count: 67) + "…")
    }

    @Test func aPageBeginsBelowTheStateOfASilentDaemon() throws {
        // GIVEN a page, with frames and five seconds after the last one THEN it begins in the same row
        let view = MonitorView(page: .clients)
        let state = try FullState.state()
        let fresh = rows(MonitorScreen().draw(state, view, width: 78, height: 24, atSeconds: 0.3))
        let silent = rows(MonitorScreen().draw(state, view, width: 78, height: 24, atSeconds: 5.3))
        #expect(silent[1].contains("no frame for 5 s") && !fresh[2].isEmpty && silent[2...] == fresh[2...])
    }

    @Test(arguments: [(3, false), (4, true), (5, true)]) func theKeysNeedFourRows(height: Int, isTold: Bool) {
        let text = rows(MonitorScreen().draw(drivingState(), width: 60, height: height, atSeconds: 0.3))
        #expect(text.contains { $0.hasPrefix(" q quit") } == isTold)
    }

    @Test(arguments: [62, 63]) func anEventHasTheRestOfTheLine(count: Int) {
        // GIVEN an event beside the keys, which are 15 columns and two blanks of 80, with a column left free at the end
        var state = drivingState()
        state.addEvent(String(repeating: "e", count: count))
        // WHEN drawn THEN 62 characters are whole, and of more there are 61 and a sign
        let text = rows(MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 0.3))
        let shown = count == 62 ? String(repeating: "e", count: 62) : String(repeating: "e", count: 61) + "…"
        #expect(text[23] == " q quit  ? keys  " + shown)
    }

    @Test(arguments: [(-0.3, "0.3 m left"), (0, "0.0 m right"), (0.3, "0.3 m right")])
    func theSideOfTheRouteIsTold(aside: Double, text: String) throws {
        var state = try FullState.state()
        state.frame?.guidance.crossTrackMeters = aside
        let overview = rows(MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 0.3))
        #expect(overview[15].contains("onRoute  \(text) of the line"))
        let page = rows(
            MonitorScreen().draw(state, MonitorView(page: .guidance), width: 78, height: 40, atSeconds: 0.3))
        #expect(page.contains { $0.hasPrefix(" aside") && $0.hasSuffix(text) })
    }

    @Test func aNameOfTheCompassIsWholeOrLeftOut() {
        // GIVEN a strip of 21 columns, 3 degrees each, on a wider screen WHEN north-east begins in the last column but
        // one, and in the last one THEN it is written, and left out
        func strip(_ degrees: Double) -> String {
            var canvas = Canvas(width: 30, height: 1)
            CompassStrip.draw(degrees * .pi / 180, row: 0, columns: 0..<21, on: &canvas)
            return canvas.text(ofRow: 0)
        }
        #expect(strip(18).hasSuffix("NE") && strip(18).count == 21)
        #expect(!strip(15).contains("E") && strip(15).contains("N"))
        // AND on the left it is gone when its first letter is
        #expect(strip(75).hasPrefix("NE") && !strip(78).contains("NE"))
    }

    @Test func aSigmaIsToldWithItsShare() {
        // GIVEN parts of a sigma of a thousandth below 0.995, and of that THEN the former has three decimals
        func line(_ receiver: Double) -> String {
            var facts = ExplanationFacts()
            facts.heading = .init(receiver: receiver, gyro: 0, mount: 0, lag: 0, age: 0)
            let text = Explainer.text(Explanation(.heading, facts))
            return text.split(separator: "\n").first { $0.hasPrefix("  receiver") }.map(String.init) ?? ""
        }
        #expect(line(0.994).hasPrefix("  receiver            0.994  100 %"))
        #expect(line(0.995).hasPrefix("  receiver              1.0  100 %"))
        // AND of a sigma of zero there is no share
        #expect(line(0).hasPrefix("  receiver            0.000      -  "))
    }

    @Test func theDistanceOfTheAntennaIsThatInThePlane() throws {
        let status = try JSONDocument(#"{"antenna":{"forward_m":-1.5,"left_m":2,"sigma_m":[0.125,0.25]}}"#).root
        let facts = ExplanationFacts(status: status, frame: Frame())
        #expect(facts.antennaMeters == 2.5 && facts.antennaSigmaMeters == 0.25 && !facts.isAntennaTold)
        let told = try JSONDocument(#"{"antenna":{"forward_m":-1.5,"left_m":2,"told":true}}"#).root
        #expect(ExplanationFacts(status: told, frame: Frame()).isAntennaTold)
        let half = try JSONDocument(#"{"antenna":{"forward_m":-1.5}}"#).root
        #expect(ExplanationFacts(status: half, frame: Frame()).antennaMeters == nil)
    }

    @Test(arguments: [(0, 0, 0.0), (0, 1, 0.25), (1, 0, 0.25), (1, 1, 0.25)])
    func aShareOfNothingIsNone(samples: Int, judged: Int, share: Double) throws {
        // GIVEN an IMU with four samples or none, and four fixes that were judged or none, and one of each that was bad
        let (bad, good) = (judged, 3 * judged)
        let status = try JSONDocument(
            #"{"sources":[{"kind":"imu","accepted":\#(4 * samples)}],"trust":{"rejected":{"inertialClipped":1},"aids":"#
                + #"[{"source":"gnssPosition","accepted_count":\#(good),"rejected_count":\#(bad)}]}}"#
        ).root
        let facts = ExplanationFacts(status: status, frame: Frame())
        // THEN a quarter of them is told, and zero where there are none
        #expect(facts.clippedShare == Double(samples) * share && facts.rejectedShare == Double(judged) * share)
    }

    @Test(arguments: [
        (#"{"kind":"gps","accepted":0,"rejected":{}}"#, true),
        (#"{"kind":"gps","accepted":0,"rejected":{"noFix":0},"receiver":{"device":null}}"#, true),
        (#"{"kind":"gps","accepted":1,"rejected":{}}"#, false),
        (#"{"kind":"gps","accepted":0,"rejected":{"noFix":1}}"#, false),
        (#"{"kind":"gps","accepted":0,"rejected":{},"receiver":{"device":"/dev/ttyACM0"}}"#, false),
        (#"{"kind":"imu","accepted":0,"rejected":{}}"#, false),
        (#"{"kind":"gps","accepted":0},{"kind":"gps","accepted":9}"#, false),
    ]) func aReceiverIsUnheardUntilItsDeviceOrAReportIsKnown(sources: String, isUnheard: Bool) throws {
        let status = try JSONDocument(#"{"sources":[\#(sources)]}"#).root
        #expect(ExplanationFacts(status: status, frame: Frame()).isReceiverUnheard == isUnheard)
    }

    @Test func theRateOfTheFixesIsThatOfTheReceiverInUse() throws {
        func receiver(_ rate: String, isInUse: Bool) -> String {
            #"{"kind":"gps","rate_hz":\#(rate),"receiver":{"in_use":\#(isInUse)}}"#
        }
        func rate(_ sources: String...) throws -> Double? {
            let status = try JSONDocument(#"{"sources":[\#(sources.joined(separator: ","))]}"#).root
            return ExplanationFacts(status: status, frame: Frame()).fixRateHertz
        }
        // GIVEN a receiver of 5 Hz with a slow spare one, or the other way round THEN the spare one does not count
        #expect(try rate(receiver("5", isInUse: true), receiver("0.5", isInUse: false)) == 5)
        #expect(try rate(receiver("5", isInUse: false), receiver("0.5", isInUse: true)) == 0.5)
        #expect(try rate(receiver("0.5", isInUse: true), receiver("5", isInUse: false)) == 0.5)
        #expect(try rate(receiver("null", isInUse: true), receiver("5", isInUse: false)) == nil)
        #expect(try rate(#"{"kind":"gps","rate_hz":5}"#) == 5)
    }

    @Test(arguments: [(0, "none"), (1, "none"), (2, "2D"), (3, "3D")] as [(UInt8, String)])
    func theDimensionsOfAFixAreTold(mode: UInt8, words: String) throws {
        var state = try FullState.state()
        state.frame?.pose.fixMode = mode
        // GIVEN the mode of gpsd THEN the report and the overview, large and small, have its dimensions
        #expect(MonitorText.report(state).contains("\nfix       \(words), 12 satellites, 0.2 s old\n"))
        let large = rows(MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 0.3))
        #expect(large[6].hasPrefix(" fix           \(words)  12 satellites"))
        let small = rows(MonitorScreen().draw(state, width: 60, height: 40, atSeconds: 0.3))
        #expect(small.contains { $0.hasPrefix(" fix") && $0.hasSuffix(" \(words), 12 satellites, 0.2 s old") })
    }

    @Test(arguments: [(0.499, true), (0.5, false), (0.9, false)])
    func aPlaceOfTheAntennaIsToldFromHalfAMeterOn(sigma: Double, isTold: Bool) throws {
        // GIVEN an antenna whose place is known to less than half a metre on its worse axis, or to no less THEN only
        // the former is told with its place
        let reply = FullState.reply.replacing(#""sigma_m":[0.125,0.375]"#, with: #""sigma_m":[0.125,\#(sigma)]"#)
        let text = try #require(StatusText(reply: reply)).text
        #expect(text.contains("\nantenna: beside the IMU, 1.40 m back, 0.25 m right, 1-sigma 0.50 m\n") == isTold)
        #expect(text.contains("\nantenna: its place from the IMU is not found yet\n") == !isTold)
    }

    @Test(arguments: [("1.05", ""), ("1.06", ", accuracy times 1.1"), ("null", "")])
    func anAccuracyThatWasEnlargedIsTold(factor: String, words: String) throws {
        // GIVEN a receiver whose accuracy counts five per cent larger, a little more, or as it is stated
        let reply = FullState.reply.replacing(
            #""receiver_sigma_factor":2.55"#, with: #""receiver_sigma_factor":\#(factor)"#)
        let details = StatusDetails(try JSONDocument(reply).root)
        // THEN only a larger one is told
        #expect(details.filter.first?.name == "receiver" && details.filter.first?.text == "drifting" + words)
    }

    @Test(arguments: [
        ("[1.25,-2.5]", "[0.15,0.25,0.75]"), ("[1.25,-2.5,3.75]", "[0.15,0.25]"), ("[]", "[]"),
        ("null", "[1,2,3,4]"),
    ]) func aMountWithoutItsThreeAnglesIsNotTold(angles: String, sigmas: String) throws {
        // GIVEN a reply of any program, whose mount has too few numbers or too many THEN the rest is told without it
        let reply = FullState.reply.replacing(
            #""rpy_deg":[1.25,-2.5,3.75],"sigma_deg":[0.15,0.25,0.75]"#,
            with: #""rpy_deg":\#(angles),"sigma_deg":\#(sigmas)"#)
        #expect(reply != FullState.reply)
        let text = try #require(StatusText(reply: reply)).text
        #expect(!text.contains("\nmount: ") && text.contains("\nantenna: "))
    }

    @Test func aLineIsAMebibyteLongAtMost() throws {
        // GIVEN a daemon that sends a line without an end WHEN a mebibyte has come THEN that may still become a line;
        // one byte more is none
        let daemon = try PretendedDaemon()
        var connection = try StreamConnection(path: daemon.path)
        #expect(daemon.accepts())
        var lines = 0
        for _ in 0..<16 {
            // `say` ends each with a line feed, which must not be there.
            daemon.send(String(repeating: "x", count: 65_536))
            let isOpen = connection.receive { _ in lines += 1 }
            #expect(isOpen)
        }
        daemon.send("x")
        let isOpen = connection.receive { _ in lines += 1 }
        #expect(!isOpen && lines == 0)
    }

    @Test func whatCannotBeSentIsToldAtOnce() throws {
        let daemon = try PretendedDaemon()
        var connection = try StreamConnection(path: daemon.path)
        #expect(daemon.accepts())
        let isSent = connection.send("hello")
        #expect(isSent && daemon.heard() == "hello\n")
        daemon.stop()
        let isSentLater = connection.send("hello")
        #expect(!isSentLater)
    }
}
