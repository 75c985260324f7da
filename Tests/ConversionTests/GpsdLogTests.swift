import Foundation
import Measurements
import PoseMath
import Recording
import SeededNumbers
import Testing

@testable import Conversion

/// Logs of gpsd's JSON.
@Suite struct GpsdLogTests {
    private static func report(_ second: Int, _ more: String = "", device: String = "/dev/a", mode: Int = 3) -> String {
        let time = "2026-03-01T12:00:\(second < 10 ? "0" : "")\(second).000Z"
        return #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"\#(time)","#
            + #""lat":47.5,"lon":8.25,"altHAE":500.5\#(more)}"# + "\n"
    }

    private static func log(_ lines: String) throws -> (folder: TemporaryFolder, path: String) {
        let folder = try TemporaryFolder(["drive.json": lines])
        return (folder, folder.path + "/drive.json")
    }

    @Test func reportsOfOneTimeAreOneFixWithTheDriversSigmas() throws {
        // GIVEN a log of a u-blox receiver, whose second epoch comes in two reports
        let head =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"u-blox"}]}"# + "\n"
            + #"{"class":"SKY","device":"/dev/a","nSat":20,"uSat":12}"# + "\n"
        let lines =
            head + Self.report(1, #","eph":1.4142135623730951,"epv":3"#)
            + Self.report(2, #","speed":10,"track":90"#) + Self.report(2, #","eps":0.2,"climb":-0.5,"status":2"#)
            + Self.report(3)
        let (folder, path) = try Self.log(lines)
        defer { _ = folder }
        #expect(try InputFormat.detect(path: path) == .gpsd)
        // WHEN it is read
        let fixes = try events(path, .gpsd).fixes
        // THEN there is one fix for each time, from zero, with UTC, satellites and the values of both reports
        #expect(fixes.map(\.validityTime.nanoseconds) == [0, 1_000_000_000, 2_000_000_000])
        #expect(fixes.allSatisfy { $0.arrivalTime == $0.validityTime && $0.mode == .threeDimensional })
        #expect(fixes[0].utcNanoseconds == 1_772_366_401_000_000_000)
        #expect(fixes[0].latitudeRadians == 47.5.degreesInRadians && fixes[0].altitudeEllipsoidMeters == 500.5)
        // A u-blox receiver's estimates are 1-sigma radii; gpsd's own would be 95 %.
        #expect(fixes[0].horizontalSigmaMeters == 1 && fixes[0].verticalSigmaMeters == 3)
        #expect(fixes.allSatisfy { $0.satellitesUsed == 12 && $0.satellitesVisible == 20 })
        #expect(abs((fixes[1].horizontalVelocity?.eastMetersPerSecond ?? 0) - 10) < 1e-12)
        #expect(fixes[1].climbMetersPerSecond == -0.5 && fixes[1].quality == .differential)
    }

    @Test func whatCannotBeUsedIsCountedByName() throws {
        // GIVEN reports without a fix, without a time, of another receiver, out of range, and lines that are no reports
        let lines =
            Self.report(1, mode: 1) + Self.report(1) + #"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2}"#
            + "\n" + Self.report(2, device: "/dev/b") + Self.report(2)
            + Self.report(3).replacingOccurrences(of: "47.5", with: "97.5") + "$GPGGA,1*00\n{\"class\":\n"
            + Self.report(1) + Self.report(4)
        let (folder, path) = try Self.log(lines)
        defer { _ = folder }
        // WHEN it is read THEN the rest is there
        let reader = try Conversion.open(path, .gpsd)
        #expect(try events(reader).fixes.count == 3)
        #expect(
            reader.notes == [
                "unreadableLine: 2 reports", "otherDevice: 1 reports", "noFix: 1 reports", "timeMissing: 1 reports",
                "latitudeOutOfRange: 1 reports", "timeNotForward: 1 reports",
            ])
    }

    @Test(arguments: [(131_072, true), (131_073, false)]) func aReportHas128KibibytesAtMost(size: Int, isRead: Bool) {
        // GIVEN a report that blanks make as long as any that is read, and one byte longer THEN the second is none
        let report = Array(#"{"class":"TPV","mode":3}"#.utf8)
        let line = report + [UInt8](repeating: 0x20, count: size - report.count)
        var isFix = false
        if case .fix = GpsdJSON.report(line) { isFix = true }
        #expect(isFix == isRead)
    }

    @Test func anotherDateContinuesTheClock() throws {
        // GIVEN two logs of the same day in one file, the earlier one second, and then one of another year
        var lines = (10...12).map { Self.report($0) }.joined() + (1...5).map { Self.report($0) }.joined()
        lines += Self.report(6).replacingOccurrences(of: "2026", with: "2027")
        let (folder, path) = try Self.log(lines)
        defer { _ = folder }
        let reader = try Conversion.open(path, .gpsd)
        let fixes = try events(reader).fixes
        // THEN the third epoch that goes on in the earlier time is used again, and the clock never jumps
        #expect(fixes.map(\.validityTime.seconds) == [0, 1, 2, 3, 4, 5, 6])
        #expect(reader.notes.last == "the log's time changes 2 times; the clock continues there")
    }

    @Test func aLogWithoutAFixSaysWhy() throws {
        let (folder, path) = try Self.log(Self.report(1, mode: 1) + Self.report(2, mode: 1))
        defer { _ = folder }
        let error = #expect(throws: RecordingError.self) { try events(path, .gpsd) }
        #expect(error?.description.hasPrefix("\(path): contains no usable fix (noFix 2); give a log") == true)
    }

    @Test func aLogWithoutDatesSaysHowToGetThem() throws {
        // GIVEN a receiver that sends positions without a time, and a report without a fix
        let untimed = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":1,"lon":2}"# + "\n"
        let (folder, path) = try Self.log(Self.report(1, mode: 1) + untimed + untimed)
        defer { _ = folder }
        // WHEN it is read THEN the date is the remedy, and not a view of the sky
        let error = #expect(throws: RecordingError.self) { try events(path, .gpsd) }
        #expect(error?.problem == "contains no usable fix (noFix 1, timeMissing 2)")
        #expect(error?.remedy.hasPrefix("the receiver sends no date: let it send RMC or ZDA") == true)
    }

    @Test func aReceiverThatChangesItsNameGoesOn() throws {
        // GIVEN a receiver that comes back under another name after eight seconds
        let sky = #"{"class":"SKY","device":"/dev/a","nSat":20,"uSat":12}"# + "\n"
        let first = sky + (0...2).map { Self.report($0) }.joined()
        let second = (10...19).map { Self.report($0, device: "/dev/b") }.joined()
        let (folder, path) = try Self.log(first + second)
        defer { _ = folder }
        // WHEN the log is read THEN no fix is lost; each name has its number, and its own satellites
        let reader = try Conversion.open(path, .gpsd)
        let fixes = try events(reader).fixes
        #expect(fixes.count == 13 && reader.notes.isEmpty)
        #expect(fixes.prefix(3).allSatisfy { $0.receiver == 0 && $0.satellitesUsed == 12 })
        #expect(fixes.dropFirst(3).allSatisfy { $0.receiver == 1 && $0.satellitesUsed == nil })
    }

    @Test func aReceiverOfAnotherDateTakesOverByItsOwnTime() throws {
        // GIVEN a receiver, and then another one whose date is a year earlier
        let first = (0...2).map { Self.report($0) }.joined()
        let second = (10...19).map { Self.report($0, device: "/dev/b") }.joined()
        let (folder, path) = try Self.log(first + second.replacingOccurrences(of: "2026", with: "2025"))
        defer { _ = folder }
        // WHEN the log is read THEN it is used after more than five seconds of its own; a clock that goes back needs
        // three epochs
        let reader = try Conversion.open(path, .gpsd)
        let fixes = try events(reader).fixes
        #expect(fixes.map(\.receiver) == [0, 0, 0, 1, 1])
        #expect(reader.notes.prefix(2) == ["otherDevice: 6 reports", "timeNotForward: 2 reports"])
    }

    @Test func twoReceiversDoNotTakeTurns() throws {
        // GIVEN two receivers with fixes all the time THEN those of the first one are used
        let lines = (0...19).map { Self.report($0) + Self.report($0, device: "/dev/b") }.joined()
        let (folder, path) = try Self.log(lines)
        defer { _ = folder }
        let reader = try Conversion.open(path, .gpsd)
        #expect(try events(reader).fixes.map(\.receiver) == Array(repeating: 0, count: 20))
        #expect(reader.notes == ["otherDevice: 20 reports"])
    }

    private static func heading(_ degrees: Double, second: Int? = nil) -> String {
        let time = second.map { #","time":"2026-03-01T12:00:0\#($0).000Z""# } ?? ""
        return #"{"class":"ATT","device":"/dev/a","heading":\#(degrees)\#(time)}"# + "\n"
    }

    @Test(
        arguments: [
            // GIVEN a receiver that sends the heading before the position THEN it is that of the position after it
            ([heading(0), report(1), heading(20), report(2), heading(40), report(3)], [0, 20, 40]),
            ([heading(0), report(1, mode: 1), heading(20), report(2), report(3)], [20, nil]),
            // GIVEN one that sends it after the position, also without a fix THEN it is that of the position before it
            ([report(1), heading(0), report(2), heading(20), report(3), heading(40)], [0, 20, 40]),
            ([report(1, mode: 1), heading(0), report(2), heading(20), report(3), heading(40)], [20, 40]),
            // GIVEN a log that begins between a position and its heading THEN the times tell whose it is
            ([heading(0, second: 0), report(1), heading(20, second: 1), report(2), heading(40, second: 2)], [20, 40]),
        ] as [([String], [Double?])])
    func aHeadingIsThatOfItsEpoch(lines: [String], degrees: [Double?]) throws {
        let (folder, path) = try Self.log(lines.joined())
        defer { _ = folder }
        #expect(try events(path, .gpsd).fixes.map(\.headingTrueRadians) == degrees.map { $0?.degreesInRadians })
    }

    @Test func timesAreReadExactly() {
        #expect(UTCText.nanoseconds(Array("1970-01-01T00:00:00Z".utf8)[...]) == 0)
        #expect(UTCText.nanoseconds(Array("2000-02-29 23:59:60.5".utf8)[...]) == 951_868_800_500_000_000)
        #expect(UTCText.nanoseconds(Array("2024-12-31T23:59:59.123456789Z".utf8)[...]) == 1_735_689_599_123_456_789)
        for text in [
            "", "2026", "2026-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-01-01T24:00:00Z", "xxxx-01-01T00:00:00",
            "2026-01-01T00:00:00.", "2026-01-01T00:00:00.-5",
        ] {
            #expect(UTCText.nanoseconds(Array(text.utf8)[...]) == nil, "\(text)")
        }
        #expect(UTCText.text(1_735_689_599_123_456_789) == "2024-12-31T23:59:59.123Z")
    }

    @Test func damagedLogsNeverStopTheReader() throws {
        // GIVEN a good log with bytes changed, by kept seeds
        let good = Array((1...9).map { Self.report($0, #","speed":1e1,"eph":2"#) }.joined().utf8)
        var random = SplitMix64(seed: 20_261_122)
        let folder = try TemporaryFolder()
        for turn in 0..<300 {
            var bytes = good
            for _ in 0...(turn % 7) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try folder.write(Data(bytes), to: "log")
            // THEN it gives ordered fixes in range, or one error
            do {
                let fixes = try events(folder.path + "/log", .gpsd).fixes
                #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
                #expect(fixes.allSatisfy { abs($0.latitudeRadians ?? 9) <= .pi / 2 })
            } catch let error as RecordingError {
                #expect(!error.remedy.isEmpty)
            }
        }
    }
}
