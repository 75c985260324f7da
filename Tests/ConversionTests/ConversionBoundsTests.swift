import DriveRecording
import Engine
import Foundation
import Frames
import Measurements
import PoseMath
import Recording
import Replay
import Synchronization
import Testing

@testable import Conversion

/// A reader of readings that the test makes.
private final class ListedEvents: EventReader {
    let kinds: Set<SensorKind>
    let notes: [String] = []
    private let events: [SensorEvent]
    private var index = 0

    init(_ events: [SensorEvent]) {
        self.events = events
        kinds = Set(events.map(\.kind))
    }

    var progress: Double { Double(index) / Double(events.count) }

    func next() throws(RecordingError) -> SensorEvent? {
        guard index < events.count else { return nil }
        index += 1
        return events[index - 1]
    }
}

/// Formats, outputs and summaries on both sides of their limits.
@Suite struct ConversionBoundsTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    private static func pressure(_ seconds: Double, _ pascal: Double = 96_000) -> SensorEvent {
        .pressure(PressureSample(time: at(seconds), pressurePascal: pascal))
    }

    // MARK: - Formats

    @Test(arguments: [("GPTXT,a b", true), ("GPTXT,a~!", true), ("GPTXT,a\tb", false), ("GPTX", false)])
    func aSentenceHasPrintableCharacters(body: String, isSentence: Bool) {
        // GIVEN sentences with their checksum THEN a blank is a character of them, and a tab is not
        let sum = String(body.utf8.reduce(0) { $0 ^ $1 }, radix: 16)
        let text = Array("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8)
        #expect(ReceiverSignature.format(of: text) == (isSentence ? .nmea : nil))
    }

    @Test(arguments: [(54, true), (55, false)]) func aReportOfGpsdBeginsWithItsClass(blanks: Int, isReport: Bool) {
        // GIVEN a report with so many blanks before its class THEN that is looked for in the first 64 bytes
        let text = "{" + String(repeating: " ", count: blanks) + "\"class\":\"TPV\"}"
        #expect(ReceiverSignature.format(of: Array(text.utf8)) == (isReport ? .gpsd : nil))
    }

    @Test(arguments: [(7, true), (8, false)]) func aReportOfGpsdIsNestedUpTo8Deep(lists: Int, isRead: Bool) {
        // GIVEN a report with lists in each other, within its object THEN eight levels are read
        let deep = String(repeating: "[", count: lists) + String(repeating: "]", count: lists)
        var isFix = false
        if case .fix = GpsdJSON.report(Array(#"{"class":"TPV","mode":3,"x":\#(deep)}"#.utf8)) { isFix = true }
        #expect(isFix == isRead)
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func theFormatIsThatOfTheFirst64KiB(bytes: Int, isFound: Bool) throws {
        // GIVEN a log of zeros at whose end there is a sentence, so that the log has so many bytes
        let body = "GPTXT,a b"
        let sum = String(body.utf8.reduce(0) { $0 ^ $1 }, radix: 16)
        let sentence = Array("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)".utf8)
        let folder = try TemporaryFolder()
        try folder.write(Data([UInt8](repeating: 0, count: bytes - sentence.count) + sentence), to: "log")
        // THEN it is one of sentences if that is whole within the first 64 KiB
        let format = try? InputFormat.detect(path: folder.path + "/log")
        #expect(format == (isFound ? .nmea : nil))
    }

    @Test(arguments: [(4096, true), (4097, false)])
    func aMessageOfUBXHas4096BytesAtMost(bytes: Int, isRead: Bool) {
        let length = bytes - 8
        let head: [UInt8] = [1, 7, UInt8(length & 0xFF), UInt8(length >> 8)]
        let body = head + [UInt8](repeating: 3, count: length)
        var (a, b): (UInt8, UInt8) = (0, 0)
        for byte in body {
            a &+= byte
            b &+= a
        }
        #expect(ReceiverSignature.format(of: [0xB5, 0x62] + body + [a, b]) == (isRead ? .ubx : nil))
    }

    @Test(arguments: [(2048, true), (2049, false)])
    func aMessageOfSiRFHas2048BytesAtMost(bytes: Int, isRead: Bool) {
        let length = bytes - 8
        let sum = 3 * length & 0x7FFF
        let head: [UInt8] = [0xA0, 0xA2, UInt8(length >> 8), UInt8(length & 0xFF)]
        let end: [UInt8] = [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
        let message = head + [UInt8](repeating: 3, count: length) + end
        #expect(ReceiverSignature.format(of: message) == (isRead ? .receiver : nil))
    }

    @Test func posesAreWrittenOncePerSecondUnlessTheFormatIsForAll() {
        // GIVEN the formats without a rate THEN tracks have one point per second, and TUM has every pose
        let rates = OutputFormat.allCases.map {
            Conversion(input: "i", from: .csv, output: "o", to: $0).replay.rateHertz
        }
        let expected: [Double?] = OutputFormat.allCases.map { $0 == .tum ? nil : 1 }
        #expect(rates == expected)
        #expect(OutputFormat.allCases.filter(\.isRecording) == [.csv, .mcap])
    }

    @Test func onlyBlanksSeparateTheNumbersOfKITTI() throws {
        // GIVEN rows whose numbers are separated by tabs and by another sign THEN only the first is read
        let numbers = (1...30).map { "\($0).5" }
        func events(_ row: String) throws -> Int {
            let folder = try TemporaryFolder([
                "oxts/timestamps.txt": "2011-09-26 13:02:20\n", "oxts/data/0000000000.txt": row,
            ])
            return try ConversionTests.events(folder.path, .kitti).count
        }
        #expect(try events(numbers.joined(separator: "\t ")) == 2)
        let joined = numbers.joined(separator: " ").replacingOccurrences(of: "1.5 2.5 ", with: "1.5!2.5 ")
        let error = #expect(throws: RecordingError.self) { try events(joined) }
        #expect(error?.description.contains("number 1 is not a decimal number") == true)
    }

    /// A recording of a format with some fixes, a second apart.
    private static func fixes(_ count: Int, _ format: InputFormat) -> [String: String] {
        let times = (0..<count).map { "\(100 + $0)".dropFirst() }
        switch format {
        case .kitti:
            let row = (1...30).map { "\($0).5" }.joined(separator: " ")
            var files = ["oxts/timestamps.txt": times.map { "2011-09-26 13:02:\($0)\n" }.joined()]
            for number in 0..<count { files["oxts/data/000000000\(number).txt"] = row }
            return files
        case .gpsd:
            let reports = times.map {
                #"{"class":"TPV","mode":2,"time":"2026-03-01T12:00:\#($0)Z","lat":47,"lon":8}"# + "\n"
            }
            return ["log": reports.joined()]
        default:
            let rows = (0..<count).map { "\(1_770_000_000 + $0)000000000,47,8\n" }
            return ["Location.csv": "time,latitude,longitude\n" + rows.joined()]
        }
    }

    @Test(arguments: [(InputFormat.kitti, 9), (.gpsd, 9), (.sensorLogger, 20_000)])
    func theProgressGoesToOne(format: InputFormat, count: Int) throws {
        // GIVEN recordings in each format WHEN they are read THEN the part that was read begins low, never falls, and
        // is 1 at the end
        let folder = try TemporaryFolder(Self.fixes(count, format))
        let reader = try Conversion.open(format == .gpsd ? "\(folder.path)/log" : folder.path, format)
        var (parts, found) = ([reader.progress], 0)
        while let event = try reader.next() {
            parts.append(reader.progress)
            if case .gnss = event { found += 1 }
        }
        #expect(found == count && parts == parts.sorted() && parts[0] < 0.5 && parts.last == 1, "\(parts[0])")
    }

    // MARK: - Outputs

    /// A frame with everything that a track needs, and one without a position.
    private static func frame(_ seconds: Int64, hasPosition: Bool = true) -> Frame {
        var frame = Frame()
        (frame.timeNanoseconds, frame.utcNanoseconds) = (seconds * 1_000_000_000, 1_790_000_000_000_000_000)
        frame.pose.state = .aligned
        guard hasPosition else { return frame }
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.8, 0.2)
        frame.pose.altitudeEllipsoidMeters = 400
        (frame.pose.headingTrueRadians, frame.pose.bodyToENU) = (1, .init(1, 0, 0, 0))
        return frame
    }

    @Test func everyPoseIsCountedOnce() throws {
        // GIVEN three frames with a position and one without WHEN they are written THEN three are counted, and there
        let folder = try TemporaryFolder()
        let sinks: [(name: String, begin: String, sink: any PoseSink)] = [
            ("nmea", "$GPRMC", try NMEAWriter(path: folder.path + "/nmea")),
            ("tum", "", try TUMWriter(path: folder.path + "/tum")),
            ("gpx", "<trkpt", try TrackWriter(path: folder.path + "/gpx", name: "n", format: GPXTrack())),
        ]
        for (name, begin, sink) in sinks {
            for second in 1...4 { try sink.write(Self.frame(Int64(second), hasPosition: second != 3)) }
            try sink.finish()
            let lines = try folder.text(of: name).split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
            let count = lines.count { $0.hasPrefix(begin) }
            #expect(sink.written == 3 && count == 3, "\(name)")
        }
    }

    @Test func aTrackWithoutAPositionIsNotWritten() throws {
        // GIVEN frames without a position WHEN they are written as a track THEN it says so, and there is no file
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.kml"
        do {
            let sink = try TrackWriter(path: path, name: "n", format: KMLTrack())
            for second in 1...3 { try sink.write(Self.frame(Int64(second), hasPosition: false)) }
            let error = #expect(throws: LineOutputError.self) { try sink.finish() }
            #expect(error.map { "\($0)".contains("because no frame has a position") } == true)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aLostPositionEndsASegment() throws {
        // GIVEN positions before and after a gap THEN they are two segments, each closed
        let folder = try TemporaryFolder()
        let sink = try TrackWriter(path: folder.path + "/gpx", name: "n", format: GPXTrack())
        for second in 1...6 { try sink.write(Self.frame(Int64(second), hasPosition: ![3, 4].contains(second))) }
        try sink.finish()
        let text = try folder.text(of: "gpx")
        #expect(text.matches(of: /<trkseg>/).count == 2 && text.matches(of: /<\/trkseg>/).count == 2)
    }

    @Test func aConversionTellsItsProgressAndLength() throws {
        // GIVEN 250 readings, a hundredth of a second apart WHEN they are converted THEN the progress is told after
        // each hundred of them, and the report has their number and the time between the first and the last
        // The first one is a fix with UTC: until then, readings are read ahead.
        var fix = GnssFix(validityTime: Self.at(5), arrivalTime: Self.at(5), mode: .twoDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.utcNanoseconds) = (0.8, 0.2, 1_790_000_000_000_000_000)
        let events = [.gnss(fix)] + (1..<250).map { Self.pressure(5 + Double($0) / 100, 96_000 + Double($0)) }
        let folder = try TemporaryFolder()
        for format in [OutputFormat.csv, .mcap] {
            let told = ToldProgress()
            var conversion = Conversion(
                input: "i", from: .csv, output: "\(folder.path)/\(format.rawValue)", to: format)
            conversion.replay.onProgress = { part in told.parts.withLock { $0.append(part) } }
            let report = try conversion.write(ListedEvents(events), title: "test")
            #expect(told.parts.withLock { $0 } == [0.4, 0.8])
            #expect(report.events == 250 && report.written == 250 && report.notes.isEmpty)
            #expect(abs(report.seconds - 2.49) < 1e-9)
            let reader = try Conversion.open("\(folder.path)/\(format.rawValue)", format == .csv ? .csv : .mcap)
            #expect(try ConversionTests.events(reader).count == 250)
        }
    }

    @Test func aConvertedRecordingSaysWhatItIs() throws {
        // GIVEN a reading that is written as a recording of posed WHEN that is read THEN it tells what it was, and that
        // nothing is missing before its first input, as every release asks before it replays it
        let folder = try TemporaryFolder()
        let conversion = Conversion(input: "i", from: .csv, output: "\(folder.path)/a.mcap", to: .mcap)
        _ = try conversion.write(ListedEvents([Self.pressure(5)]), title: "a drive")
        var reader = try DriveRecordingReader(path: "\(folder.path)/a.mcap")
        var infos: [RecordingInfo] = []
        while let entry = try reader.next() { if case .info(let info) = entry { infos.append(info) } }
        #expect(infos.map(\.startsWithEngine) == [true] && infos.map(\.convertedFrom) == ["a drive"])
        #expect(infos.map(\.part) == [0] && infos.map(\.hasPublications) == [false])
        // Without UTC the file begins in 1970.
        #expect(infos.map(\.clockOffsetNanoseconds) == [-5_000_000_000])
    }

    private final class ToldProgress: Sendable {
        let parts = Mutex<[Double]>([])
    }

    // MARK: - Summaries

    @Test func aRateNeedsTwoTimes() {
        // GIVEN no reading, one, two at the same time, and three within a second THEN only the last has a rate
        func rate(_ seconds: [Double]) -> Double? {
            RecordingSummary(ListedEvents(seconds.map { Self.pressure($0) })).sensors[.barometer]?.rateHertz
        }
        #expect(rate([]) == nil && rate([5]) == nil && rate([5, 5]) == nil)
        #expect(abs((rate([5, 5.5, 6]) ?? 0) - 2) < 1e-9)
    }

    @Test func aSummaryTellsItsProgress() {
        let told = ToldProgress()
        let summary = RecordingSummary(ListedEvents((0..<399).map { Self.pressure(Double($0)) })) { part in
            told.parts.withLock { $0.append(part) }
        }
        let expected: [Double] = [100, 200, 300].map { $0 / 399 }
        #expect(told.parts.withLock { $0 } == expected)
        // THEN equal pressures are no repetition: a barometer rounds
        #expect(summary.sensors[.barometer]?.count == 399 && summary.sensors[.barometer]?.repeats == 0)
    }

    @Test func aThousandGapsAreKept() {
        // GIVEN readings of which every second comes ten times as late THEN each is counted, and a thousand are kept
        // with their begin and end
        var (time, events) = (0.0, [Self.pressure(0)])
        for number in 0..<2004 {
            time += number.isMultiple(of: 2) ? 1 : 10
            events.append(Self.pressure(time))
        }
        let sensor = RecordingSummary(ListedEvents(events)).sensors[.barometer]
        #expect(sensor?.gaps == 1002 && sensor?.gapSpans.count == 1000 && sensor?.longestGap == 10)
        #expect(sensor?.gapSpans.first == 1...11 && sensor?.gapSpans.last == 10_990...11_000)
        #expect(sensor?.begin == 0 && sensor?.end == time)
    }

    @Test func aNewCycleIsNoGap() {
        func sensor(_ seconds: [Double]) -> RecordingSummary.Sensor? {
            RecordingSummary(ListedEvents(seconds.map { Self.pressure($0) })).sensors[.barometer]
        }
        let everySecond = (1...300).map { Double($0) }
        // GIVEN a first interval that is too short, or none, or negative THEN the regular ones after it are no gaps
        for second in [0.1, 0, -0.5] {
            let found = sensor([0, second] + everySecond)
            #expect(found?.gaps == 0 && found?.gapSpans.isEmpty == true, "\(second)")
        }
        // GIVEN a rate that falls to a fifth, after a hole THEN only the hole is a gap
        let fast = (0...50).map { Double($0) / 5 }
        #expect(sensor(fast + everySecond.map { 10 + $0 })?.gaps == 0)
        let late = sensor(fast + everySecond.map { 29 + $0 })
        #expect(late?.gaps == 1 && late?.longestGap == 20)
        #expect(late?.gapSpans.map { $0.lowerBound.rounded()...$0.upperBound.rounded() } == [10...30])
        // GIVEN four long intervals THEN they are gaps: only five are a new cycle
        let four = sensor(fast + [11, 12, 13, 14] + (1...50).map { 14 + Double($0) / 5 })
        #expect(four?.gaps == 4 && four?.gapSpans.count == 4)
        // GIVEN a hole at a rate that stays THEN it is one gap
        let hole = sensor(everySecond + everySecond.map { 319 + $0 })
        #expect(hole?.gaps == 1 && hole?.gapSpans == [300...320] && hole?.longestGap == 20)
        // GIVEN holes one after the other of which none is like the one before THEN each is a gap
        let holes = [4.0, 9, 4, 9, 4, 9].reduce(into: everySecond) { $0.append(($0.last ?? 0) + $1) }
        #expect(sensor(holes)?.gaps == 6)
    }

    @Test func moreProblemsThanFitAreCounted() {
        // GIVEN so many notes that they do not fit on a screen, the first of them without a blank THEN the text has 22
        // lines of at most 79 columns, and the last one tells how many are left
        func lines(_ count: Int) -> [Substring] {
            var summary = RecordingSummary(kinds: [.gps])
            let notes = [String(repeating: "w", count: 90)] + (1..<count).map { "note \($0)" }
            summary.complete(details: [], notes: notes)
            return summary.text(name: "n", format: "f").dropLast().split(
                separator: "\n", omittingEmptySubsequences: false)
        }
        // The head has six lines, and a receiver without a fix and a missing IMU are two problems.
        #expect(lines(13).count == 21 && lines(13).last == "  note 12")
        #expect(lines(14).count == 22 && lines(14).last == "  and 1 more")
        #expect(lines(99).count == 22 && lines(99).last == "  and 86 more")
        #expect(lines(13)[8] == "  " + String(repeating: "w", count: 74) + "...")
    }

    @Test(arguments: [(73, true), (74, false)])
    func aWordThatDoesNotFitBeginsALine(count: Int, isBeside: Bool) {
        // GIVEN a note of a short word, which is set in by two columns, and one that ends with column 79 or one beyond
        // THEN it is one line of 79 columns, or two
        let word = String(repeating: "w", count: count)
        var summary = RecordingSummary(kinds: [])
        summary.complete(details: [], notes: ["abc " + word])
        let lines = summary.text(name: "n", format: "f").split(separator: "\n").map(String.init)
        let expected = isBeside ? ["  abc " + word] : ["  abc", "   " + word]
        #expect(Array(lines.suffix(expected.count)) == expected, "\(lines)")
    }

    // MARK: - Files

    @Test func aRecordingThatIsReplacedKeepsItsPermissions() throws {
        // GIVEN a file that only its user may read WHEN a recording is written in its place THEN that stays so
        let folder = try TemporaryFolder(["a.mcap": "x"])
        let path = folder.path + "/a.mcap"
        #expect(chmod(path, 0o600) == 0)
        let writer = try MCAPRecordingWriter(
            path: path, kinds: [.barometer], title: "t", start: Self.at(0), clockOffsetNanoseconds: nil)
        try writer.write(Self.pressure(1))
        try writer.finish()
        var status = stat()
        let found = stat(path, &status)
        #expect(found == 0 && status.st_mode & 0o777 == 0o600 && status.st_size > 1)
    }
}
