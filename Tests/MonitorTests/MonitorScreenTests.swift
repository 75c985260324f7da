import Frames
import Testing

@testable import Monitor

/// A frame of a car in motion.
func drivingFrame() -> Frame {
    var frame = Frame()
    frame.sequence = 42
    frame.timeNanoseconds = 12_340_000_000
    frame.utcNanoseconds = 1_767_225_600_000_000_000 + 45_296_000_000_000
    frame.pose.state = .aligned
    frame.pose.latitudeRadians = 45.0012345 * .pi / 180
    frame.pose.longitudeRadians = -30.0005 * .pi / 180
    frame.pose.altitudeMeanSeaMeters = 52.25
    frame.pose.positionSigmaENUMeters = Frame.Triple(0.8, 0.6, 1.5)
    frame.pose.headingTrueRadians = 91.25 * .pi / 180
    frame.pose.headingSigmaRadians = 0.4 * .pi / 180
    frame.pose.rollRadians = -2 * .pi / 180
    frame.pose.pitchRadians = 3 * .pi / 180
    frame.pose.tiltSigmaRadians = 0.2 * .pi / 180
    frame.pose.fixMode = 3
    frame.pose.satellitesUsed = 12
    frame.pose.fixAgeSeconds = 0.15
    frame.speed.speedMetersPerSecond = 54.0 / 3.6
    frame.speed.limitMetersPerSecond = 50.0 / 3.6
    frame.speed.ratio = 1.08
    frame.speed.colour = .orange
    frame.speed.limitSource = .route
    frame.guidance.state = .onRoute
    frame.guidance.routeVersion = 3
    frame.guidance.progressMeters = 600
    frame.guidance.crossTrackMeters = -0.42
    frame.guidance.distanceToTurnMeters = 120.4
    frame.guidance.distanceLeftMeters = 1_800
    frame.guidance.timeLeftSeconds = 184
    frame.sources.gps = .streaming
    frame.sources.imu = .streaming
    return frame
}

/// The monitor's state after that frame.
func drivingState() -> MonitorState {
    var state = MonitorState()
    state.connection = .connected
    state.release = "1.2.3"
    for step in 0...10 { state.update(drivingFrame(), line: "", dropped: 7, atSeconds: Double(step) * 0.02) }
    var maneuver = Message.Maneuver(routeVersion: 3)
    maneuver.index = 1
    maneuver.turnAngleRadians = 1.5
    maneuver.text = "Turn right into Mill Lane"
    state.update(maneuver)
    return state
}

@Suite struct MonitorScreenTests {
    private func rows(_ canvas: Canvas) -> [String] { (0..<canvas.height).map { canvas.text(ofRow: $0) } }

    @Test(arguments: [true, false]) func aSimulatedDriveHasABanner(isSimulated: Bool) {
        // GIVEN a frame of a simulated drive, or of sensors WHEN shown on the screen, as a line and as a report
        var (state, frame) = (MonitorState(), drivingFrame())
        frame.isSimulated = isSimulated
        (state.connection, state.release) = (.connected, "1.2.3")
        state.update(frame, line: "", dropped: 0, atSeconds: 1)
        for width in [80, 120] {
            let screen = rows(MonitorScreen().draw(state, width: width, height: 24, atSeconds: 1.1))
            // THEN only the simulated one says so, at the top of the screen and at the beginning of the text
            #expect(screen[0].contains("SIMULATED DRIVE") == isSimulated, "\(width): \(screen[0])")
        }
        #expect(MonitorText.line(state).hasPrefix("SIMULATED ") == isSimulated)
        let report = MonitorText.report(state).split(separator: "\n")
        #expect(report.prefix(2).contains { $0.hasPrefix("SIMULATED") } == isSimulated)
    }

    @Test func everythingIsThereAt80By24() {
        // WHEN a car in motion is drawn
        let rows = rows(MonitorScreen().draw(drivingState(), width: 80, height: 24, atSeconds: 0.25))
        // THEN each value is at its position
        #expect(rows[0].hasPrefix(" posed 1.2.3") && rows[0].hasSuffix("50.0 Hz   lost 7   12:34:56Z"))
        #expect(rows[1] == " ● aligned  position, heading and attitude agree")
        #expect(rows[3].hasPrefix(" latitude        45.0012345°         ±0.60 m"))
        #expect(rows[4].hasPrefix(" longitude      -30.0005000°         ±0.80 m"))
        #expect(rows[5].hasPrefix(" height (msl)         52.25 m        ±1.50 m"))
        #expect(rows[6].hasPrefix(" fix           3D  12 satellites  0.2 s old"))
        #expect(rows[8].hasPrefix(" heading         91.3°                 ±0.4°"))
        #expect(rows[9].hasPrefix(" roll, pitch     -2.0,   3.0°          ±0.2°"))
        #expect(rows[11].hasPrefix("  54.0 km/h   limit 50 (route)        orange"))
        #expect(rows[14] == " →  in 120 m  Turn right into Mill Lane")
        #expect(rows[15] == " onRoute  0.4 m left of the line                             1.80 km left  3:04")
        // a quarter of the route
        #expect(rows[16].filter { $0 == "█" }.count == 20)
        #expect(
            rows[18] == " ● gps           streaming" && rows[20] == " ● magnetometer  absent"
                && rows[22] == " ● wheels        absent")
        #expect(rows[23] == " q quit  ? keys")
        // east is ahead
        #expect(rows[3].contains(" E "))
    }

    @Test func theHorizonShowsRollAndPitch() {
        // GIVEN a vehicle with its right side down by 20 degrees and pitch 0
        var frame = drivingFrame()
        frame.pose.rollRadians = 20 * .pi / 180
        frame.pose.pitchRadians = 0
        var canvas = Canvas(width: 40, height: 9)
        Horizon(row: 0, column: 0, width: 40, height: 9).draw(frame.pose, Symbols(isUnicode: false), on: &canvas)
        // THEN the ground is higher on the right
        func groundRows(_ column: Int) -> Int {
            (0..<9).count { Array(canvas.text(ofRow: $0) + String(repeating: " ", count: 40))[column] == ":" }
        }
        #expect(groundRows(36) > 4 && groundRows(3) < 4 && groundRows(36) > groundRows(3) + 3)
        // AND with the nose up there is less ground
        frame.pose.rollRadians = 0
        frame.pose.pitchRadians = 12 * .pi / 180
        var raised = Canvas(width: 40, height: 9)
        Horizon(row: 0, column: 0, width: 40, height: 9).draw(frame.pose, Symbols(isUnicode: false), on: &raised)
        #expect((0..<9).count { raised.text(ofRow: $0).hasPrefix(":") } == 2)
    }

    /// The rows of an artificial horizon of 10 by 8 cells.
    private func horizon(rollDegrees: Double, pitchDegrees: Double = 0) -> [String] {
        var frame = drivingFrame()
        (frame.pose.rollRadians, frame.pose.pitchRadians) = (rollDegrees * .pi / 180, pitchDegrees * .pi / 180)
        var canvas = Canvas(width: 11, height: 8)
        Horizon(row: 0, column: 0, width: 10, height: 8).draw(frame.pose, Symbols(isUnicode: false), on: &canvas)
        return rows(canvas).map { $0.padding(toLength: 10, withPad: " ", startingAt: 0) }
    }

    @Test func theHorizonPassesThroughTheMiddle() {
        // GIVEN a vehicle that is level, upside down, or on one side WHEN drawn THEN one half of the picture is ground:
        // the lower, the upper, the right or the left one. The mark of the vehicle covers a part of row 4.
        let (sky, ground) = (String(repeating: " ", count: 10), String(repeating: ":", count: 10))
        let (right, left) = ("     :::::", ":::::     ")
        let pictures: [(Double, upper: String, lower: String)] = [
            (0, sky, ground), (180, ground, sky), (90, right, right), (-90, left, left),
        ]
        for (roll, upper, lower) in pictures {
            let rows = horizon(rollDegrees: roll)
            for row in 0..<4 { #expect(rows[row] == upper, "\(roll), row \(row)") }
            for row in 5..<8 { #expect(rows[row] == lower, "\(roll), row \(row)") }
        }
        // AND with the nose 25 degrees up or down, the reach of the picture, all of it is sky or ground
        #expect(horizon(rollDegrees: 0, pitchDegrees: 25.1).enumerated().allSatisfy { $0 == 4 || $1 == sky })
        #expect(horizon(rollDegrees: 0, pitchDegrees: -25.1).enumerated().allSatisfy { $0 == 4 || $1 == ground })
    }

    @Test func theScreenIsDrawnTenTimesASecondAtMost() {
        // GIVEN frames at 100 Hz, of which each changes the picture
        var painter = ScreenPainter()
        func text(_ step: Int, changes: Bool = true) -> String? {
            painter.text(atSeconds: 5 + Double(step) / 100, inColour: false) {
                var canvas = Canvas(width: 9, height: 1)
                canvas.put(changes ? "\(step)" : "same", 0, 0, .plain)
                return canvas
            }
        }
        // WHEN two seconds pass THEN the first one is drawn, and at most ten more per second
        let drawn = (0..<200).compactMap { text($0) }
        #expect((18...20).contains(drawn.count) && drawn[0].contains("0"))
        // WHEN a key was pressed THEN it is drawn at once, but nothing is sent where nothing has changed
        painter.drawSoon()
        let afterAKey = text(201, changes: false)
        painter.drawSoon()
        let unchanged = text(202, changes: false)
        #expect(afterAKey?.contains("same") == true && unchanged == nil)
        // AND when the screen has lost its content, all of it is sent again
        painter.forget()
        painter.drawSoon()
        let again = text(203, changes: false)
        #expect(again?.contains("same") == true)
    }

    @Test(arguments: [(59, false), (60, true)]) func aStandstillIsToldWhereThereIsRoom(width: Int, isTold: Bool) {
        var state = drivingState()
        state.frame?.pose.isStandingStill = true
        let text = rows(MonitorScreen().draw(state, width: width, height: 24, atSeconds: 1)).joined()
        #expect(text.contains("standing still") == isTold)
    }

    @Test(arguments: [(26, false), (27, true)]) func aMissingFrameIsToldInOneLine(width: Int, isWhole: Bool) {
        var state = MonitorState()
        state.connection = .connected
        let text = rows(MonitorScreen().draw(state, width: width, height: 12, atSeconds: 1)).joined(separator: "\n")
        #expect(text.contains("connected; no frame yet") == isWhole, "\(text)")
    }

    @Test func unknownValuesAreDashes() {
        var state = MonitorState()
        state.connection = .connected
        state.update(Frame(), line: "", dropped: 0, atSeconds: 0)
        let rows = rows(MonitorScreen().draw(state, width: 80, height: 24, atSeconds: 0))
        #expect(rows[1].hasPrefix(" ● starting"))
        #expect(rows[3].contains("--°") && rows[3].contains("heading unknown"))
        #expect(rows[11].contains("no limit known"))
        #expect(rows[14].contains("no route"))
        #expect(!rows.joined().contains("nan") && !rows.joined().contains("0.00"))
    }

    @Test func missingFramesAndDaemonAreShown() {
        let screen = MonitorScreen()
        #expect(
            rows(screen.draw(drivingState(), width: 80, height: 24, atSeconds: 5))[1].hasPrefix(" ● no frame for 4 s"))
        var gone = drivingState()
        gone.disconnect(why: "nobody listens there")
        let rows = rows(screen.draw(gone, width: 80, height: 24, atSeconds: 5))
        #expect(rows[1] == " ● not connected" && rows[2].contains("nobody listens there"))
        #expect(rows[23].contains("connection lost"))
    }

    @Test func anySizeIsDrawn() {
        // THEN every terminal size and every extreme value can be drawn
        var wild = drivingFrame()
        wild.speed.ratio = .infinity
        wild.speed.speedMetersPerSecond = .nan
        wild.guidance.progressMeters = -1e300
        wild.pose.rollRadians = .nan
        wild.pose.headingTrueRadians = 1e18
        wild.guidance.timeLeftSeconds = .infinity
        var wilder = wild
        wilder.pose.headingTrueRadians = 1.7e308
        wilder.guidance.timeLeftSeconds = .nan
        for frame in [drivingFrame(), wild, wilder] {
            var state = drivingState()
            state.update(frame, line: "", dropped: .max, atSeconds: 1)
            for width in [1, 2, 10, 44, 60, 79, 80, 200] {
                for height in [1, 2, 5, 12, 23, 24, 60] {
                    let canvas = MonitorScreen(symbols: Symbols(isUnicode: width % 2 == 0)).draw(
                        state, width: width, height: height, atSeconds: 1)
                    #expect(canvas.width == width && canvas.height == height)
                }
            }
        }
    }

    @Test func onlyChangedRowsAreSent() {
        let screen = MonitorScreen()
        let first = screen.draw(drivingState(), width: 80, height: 24, atSeconds: 0.25)
        var state = drivingState()
        var frame = drivingFrame()
        frame.pose.altitudeMeanSeaMeters = 53
        state.update(frame, line: "", dropped: 7, atSeconds: 0.22)
        let second = screen.draw(state, width: 80, height: 24, atSeconds: 0.25)
        let changes = second.changes(from: first, inColour: false)
        #expect(changes.contains("\u{1B}[6;1H") && changes.count < 200)
        #expect(second.changes(from: second, inColour: true).isEmpty)
        #expect(second.changes(from: nil, inColour: true).hasPrefix("\u{1B}[2J"))
        #expect(!second.changes(from: nil, inColour: false).contains("38;5"))
    }

    @Test func plainTextShowsTheSameValues() {
        let line = MonitorText.line(drivingState())
        #expect(
            line
                == "12:34:56Z aligned, 45.001235 -30.000500, 52.3 m, heading 91.3 deg, 54.0 km/h orange, onRoute, "
                + "turn in 120 m"
        )
        let report = MonitorText.report(drivingState())
        #expect(report.contains("speed     54.0 km/h, limit 50 km/h (route), orange"))
        #expect(report.contains("next      in 120 m: Turn right into Mill Lane"))
        #expect(report.utf8.allSatisfy { $0 < 128 })
    }
}

@Suite struct ReadingTests {
    @Test func numbersAreRoundedAndSigned() {
        #expect(Reading.number(-0.04, 1) == "0.0")
        #expect(Reading.number(-0.06, 1) == "-0.1")
        #expect(Reading.number(123.456, 2, width: 8) == "  123.46")
        #expect(Reading.number(nil, 2) == "--" && Reading.number(.nan, 2) == "--")
        #expect(Reading.distance(999.6) == "1000 m" && Reading.distance(1_234) == "1.23 km")
        #expect(Reading.span(3_725) == "1:02:05" && Reading.span(59.6) == "1:00" && Reading.span(-1) == "--")
        #expect(Reading.clock(utcNanoseconds: -1) == "--:--:--")
    }

    @Test(arguments: [(359.94, "359.9"), (359.97, "0.0"), (0.04, "0.0"), (91.25, "91.3")])
    func aHeadingIsBelow360AsItIsRounded(degrees: Double, text: String) {
        #expect(Reading.direction(degrees * .pi / 180) == text)
        #expect(Reading.direction(nil) == "--")
    }
}
