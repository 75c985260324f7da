import ArgumentParser
import Glibc
import Testing

@testable import Calibration
@testable import posectl

/// The result of a calibration as text, as JSON and as settings.
@Suite struct CalibrationTextTests {
    private static func report(passes: Bool) -> CalibrationReport {
        CalibrationReport(
            values: [.init("bias_deg_s", [0.123_456_789_1, -0.5, .nan]), .init("a", [])],
            checks: [
                .init("time at rest", 41.256_78, "s", .atLeast(40), remedy: "wait longer"),
                .init("noise", passes ? 0.5 : 2.5, "", .atMost(1), remedy: "hold it still"),
                .init("drift", passes ? 1 : .nan, "deg/s", .atMost(1), remedy: "warm it up"),
            ], notes: ["a note"])
    }

    @Test func aLineIsWrittenWhereMoreThanItsNumbersHasChanged() {
        // GIVEN what is shown of a calibration where there is no terminal
        let screen = CalibrationScreen(title: "gyro", isQuiet: false)
        func line(_ share: Double, _ advice: String, _ coverage: String = "") -> String? {
            screen.newLine(for: CollectionProgress(share: share, advice: advice, coverage: coverage))
        }
        // WHEN only the numbers of the advice, and of a coverage that is no list of faces, change THEN once is enough
        #expect(line(0.256, "hold still for 12.5 s", "rates 3 of 9") == "25 %, rates 3 of 9: hold still for 12.5 s\n")
        #expect(line(0.5, "hold still for 7 s", "rates 4 of 9") == nil)
        // AND WHEN the advice changes, or another face is done THEN there is a line, and a share is 0 to 100 %
        #expect(line(1.5, "turn it over", "faces +x") == "100 %, faces +x: turn it over\n")
        #expect(line(0.6, "turn it over", "faces +x") == nil)
        #expect(line(-1, "turn it over", "faces +x -x") == "0 %, faces +x -x: turn it over\n")
    }

    @Test func aResultIsToldInLines() {
        let passed = CalibrationText(Self.report(passes: true), notes: ["one", "two"], savedTo: "/nowhere/file")
        #expect(
            passed.lines("gyro") == """
                gyro: PASS
                  bias_deg_s                               0.1235  -0.5  -
                  a                                       \(" ")
                  ok   time at rest                        41.26 s (at least 40)
                  ok   noise                               0.5 (at most 1)
                  ok   drift                               1 deg/s (at most 1)
                  one
                  two
                  saved to /nowhere/file

                """)
        let failed = CalibrationText(Self.report(passes: false), notes: [])
        #expect(
            failed.lines("gyro") == """
                gyro: FAIL
                  bias_deg_s                               0.1235  -0.5  -
                  a                                       \(" ")
                  ok   time at rest                        41.26 s (at least 40)
                  FAIL noise                               2.5 (at most 1)
                  FAIL drift                               unknown deg/s (at most 1)
                  -> noise: hold it still
                  -> drift: warm it up

                """)
    }

    @Test func aResultIsOneObject() {
        let passed = CalibrationText(Self.report(passes: true), notes: ["one"], savedTo: "/f").json("gyro") {
            $0.integer(",\"more\":", 7)
        }
        let start =
            #"{"calibration":"gyro","pass":true,"values":{"bias_deg_s":[0.123456789,-0.500000000,null],"a":[]},"#
        let checks =
            #""checks":[{"name":"time at rest","value":41.256780,"unit":"s","at_least":40.000000,"pass":true,"#
            + #""remedy":null},{"name":"noise","value":0.500000,"unit":"","at_most":1.000000,"#
            + #""pass":true,"remedy":null},"#
            + #"{"name":"drift","value":1.000000,"unit":"deg/s","at_most":1.000000,"pass":true,"remedy":null}],"#
        #expect(passed == start + checks + #""notes":["one"],"saved_to":"/f","more":7}"# + "\n")
        let failed = CalibrationText(Self.report(passes: false), notes: []).json("gyro")
        #expect(failed.contains(#""value":null,"unit":"deg/s","at_most":1.000000,"pass":false,"remedy":"warm it up"}"#))
        #expect(failed.contains(#""pass":false,"values""#) && failed.hasSuffix(#""notes":[],"saved_to":null}"# + "\n"))
    }

    @Test func theScreenIsDrawnOverItselfAndNothingElse() {
        // GIVEN nothing drawn yet THEN the cursor stays below what is there; later it goes back to the first line
        #expect(CalibrationScreen.drawing(["a", "b"], over: 0) == "\r\u{1B}[Ka\n\r\u{1B}[Kb\n")
        #expect(CalibrationScreen.drawing(["c"], over: 2) == "\u{1B}[2A\r\u{1B}[J\r\u{1B}[Kc\n")
    }

    @Test(arguments: [1, 20, 60, 79, 80, 86, 200]) func noRowIsWiderThanTheTerminal(columns: Int) {
        // GIVEN the longest lines of a calibration WHEN they are put in rows THEN each row fits, and each line has one
        let advice = "  put the box on another face: +x -x +y -y +z -z are missing (the axis that points up)"
        let lines = ["Calibration of the accelerometer, 12 s (Ctrl-C ends it)", "", advice, ""]
        let rows = CalibrationScreen.rows(lines, columns: columns)
        #expect(rows.allSatisfy { $0.count <= columns } && rows.count >= lines.count)
        // AND a line that fits is as it was
        #expect(columns < 86 || rows == lines)
    }

    @Test func aLineThatIsTooLongGoesOnBelow() {
        #expect(CalibrationScreen.rows(["  put the box down"], columns: 10) == ["  put the", "  box down"])
        #expect(CalibrationScreen.rows(["", "  "], columns: 10) == ["", ""])
        // Six rows are the most: what is left is cut.
        let letters = ["a", "b", "c", "d", "e", "f"]
        for text in ["a b c d e f", "a b c d e f g h"] {
            #expect(CalibrationScreen.rows([text], columns: 1) == letters)
        }
    }

    @Test func aResultThatCannotBeWrittenIsAnError() throws {
        // GIVEN a full disk WHEN a result is printed THEN the program ends with 73; with room for it, it does not
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        try #require(full >= 0)
        #expect(throws: ExitCode.cannotWrite) { try printResult("figures\n", to: full) }
        let empty = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(empty) }
        #expect(throws: Never.self) { try printResult("figures\n", to: empty) }
    }

    @Test(
        arguments: [
            ("/tmp/x/stream", "/tmp/x"), ("/run/posed/stream", "/run/posed"), ("x/stream", "x"), ("/stream", nil),
            ("stream", nil), ("/tmp/other", nil), ("", nil),
        ] as [(String, String?)]) func theFolderOfAStreamIsThatOfItsSocket(path: String, folder: String?)
    {
        #expect(DoctorCommand.folder(ofStream: path) == folder)
    }

    @Test func theMountIsALineOfItsSection() {
        // GIVEN a mount that was found THEN its line fits into the section fusion that a file has already
        let mount: [[Double]] = [[0, -1, 0], [1, 0, 0], [0, 0, 1.000_04]]
        let rows = mount.enumerated().map { index, row in
            CalibrationValue("sensor_to_body_row_\(index)", row)
        }
        let report = CalibrationReport(values: rows, checks: [], notes: [])
        let line = AlignCommand.setting(report)
        #expect(line == "sensor_to_body: [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]")
        #expect(AlignCommand.setting(CalibrationReport(values: Array(rows.dropLast()), checks: [], notes: [])) == nil)
    }

    @Test(arguments: [
        (0.0, "0"), (1, "1"), (-1.5, "-1.5"), (123_456, "123456"), (1234.56, "1235"), (999.96, "1000"),
        (99.994, "99.99"),
        (0.012_345, "0.01235"), (0.000_123_46, "0.0001235"), (1e-12, "0"), (12.345, "12.35"), (.nan, "unknown"),
        (-.infinity, "unknown"),
    ]) func aNumberHasFourDigits(value: Double, text: String) { #expect(CalibrationText.short(value) == text) }
}
