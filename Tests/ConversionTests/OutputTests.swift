import Foundation
import Frames
import Geodesy
import Measurements
import PoseMath
import Recording
import Replay
import RoadData
import SeededNumbers
import Simulation
import Testing

@testable import Conversion

/// A simulated drive of about a minute and a half as a folder of CSV files, with UTC.
enum RecordedDrive {
    static let utcAtStart: Int64 = 1_790_000_000_000_000_000

    static func write(to path: String, withUTC: Bool = true, withIMU: Bool = true) throws {
        let start = GeodeticPosition(latitudeDegrees: 46.05, longitudeDegrees: 14.5, altitudeEllipsoidMeters: 340)
        let frame = LocalFrame(origin: start)
        let vertices = [Vector3(0, 0, 0), Vector3(0, 400, 0), Vector3(500, 400, 0)].map { corner in
            var place = frame.position(ofENUMeters: corner)
            place.altitudeEllipsoidMeters = 340
            return place
        }
        var plan = DrivePlan(vertices: vertices, limitsMetersPerSecond: [50 / 3.6])
        plan.standingSecondsBefore = 3
        let drive = SimulatedDrive(drive: try Drive(plan), seed: 11)
        let writer = try FolderWriter(folder: path)
        for event in drive {
            if case .gnss(var fix) = event {
                if withUTC { fix.utcNanoseconds = utcAtStart + fix.validityTime.nanoseconds }
                fix.geoidSeparationMeters = 46
                fix.altitudeMeanSeaMeters = fix.altitudeEllipsoidMeters.map { $0 - 46 }
                try writer.write(.gnss(fix))
            } else if withIMU {
                try writer.write(event)
            }
        }
        try writer.finish()
    }
}

/// Keeps the frames of a replay.
final class KeptFrames: ReplaySink {
    private(set) var frames: [Frame] = []
    func write(_ frame: Frame) { frames.append(frame) }
    func finish() {}
}

/// Exports are read back and compared with the frames of the replay.
@Suite struct OutputTests {
    private let folder: TemporaryFolder
    /// The frames with a position, one per second.
    private let frames: [Frame]

    init() throws {
        folder = try TemporaryFolder()
        try RecordedDrive.write(to: folder.path + "/drive")
        var replay = Replay(recording: folder.path + "/drive")
        replay.rateHertz = 1
        let kept = KeptFrames()
        _ = try replay.run(try replay.openRecording(), into: kept)
        frames = kept.frames.filter { TrackPoint($0) != nil }
    }

    @Test func aPositionThatCannotBeIsNone() throws {
        // GIVEN a frame with a position WHEN its latitude or longitude is far outside of the globe THEN it has none
        var frame = try #require(frames.last)
        #expect(TrackPoint(frame) != nil)
        frame.pose.latitudeRadians = 2.5
        #expect(TrackPoint(frame) == nil)
        (frame.pose.latitudeRadians, frame.pose.longitudeRadians) = (0.8, 4.5)
        #expect(TrackPoint(frame) == nil)
    }

    private func convert(_ name: String, from: String = "drive", rate: Double? = 1) throws -> Conversion.Report {
        let input = folder.path + "/" + from
        let format = try #require(OutputFormat.detect(path: name))
        var conversion = Conversion(
            input: input, from: try InputFormat.detect(path: input), output: folder.path + "/" + name, to: format)
        conversion.replay.rateHertz = rate
        return try conversion.run()
    }

    /// Positions with nine decimals of a degree: a tenth of a millimetre.
    private func expectPlaces(_ places: [GeodeticPosition], sourceLine: Int = #line) {
        #expect(places.count == frames.count)
        for (place, frame) in zip(places, frames) {
            let latitude = (frame.pose.latitudeRadians ?? 9).radiansInDegrees
            let longitude = (frame.pose.longitudeRadians ?? 9).radiansInDegrees
            #expect(abs(place.latitudeRadians.radiansInDegrees - latitude) < 2e-9)
            #expect(abs(place.longitudeRadians.radiansInDegrees - longitude) < 2e-9)
        }
    }

    @Test(arguments: ["drive.gpx", "drive.geojson"])
    func tracksAreReadBackAsRoutes(_ name: String) throws {
        // GIVEN a drive; WHEN written as a track and read as a route
        let report = try convert(name)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)))
        let route = try RouteReader.read(bytes: bytes).route
        // THEN it ends where the frames end, and is as long as their way. A route drops points that repeat.
        #expect(report.written == frames.count && frames.count > 60)
        let last = try #require(frames.last)
        let end = route.position(alongMeters: route.lengthMeters)
        #expect(abs(end.latitudeRadians - (last.pose.latitudeRadians ?? 9)) < 4e-11)
        #expect(abs(route.lengthMeters - 900) < 30)
    }

    @Test func gpxHasHeightsAboveTheSeaAndTimes() throws {
        _ = try convert("a.gpx")
        // A drive without a gap is one segment.
        #expect(try folder.text(of: "a.gpx").matches(of: /<trkseg>/).count == 1)
        let points = try folder.text(of: "a.gpx").matches(
            of: /<trkpt lat="([-0-9.]+)" lon="([-0-9.]+)"><ele>([-0-9.]+)<\/ele><time>([^<]+)Z<\/time>/)
        expectPlaces(
            points.map {
                GeodeticPosition(
                    latitudeDegrees: Double($0.output.1) ?? 0, longitudeDegrees: Double($0.output.2) ?? 0)
            })
        for (point, frame) in zip(points, frames) {
            #expect(abs((Double(point.output.3) ?? 0) - (frame.pose.altitudeMeanSeaMeters ?? 9)) < 6e-4)
            let time = UTCText.nanoseconds(Array(point.output.4.utf8)[...]) ?? 0
            #expect((time - (frame.utcNanoseconds ?? 0)).magnitude < 1_000_000)
        }
    }

    @Test func kmlHasAsManyTimesAsPlaces() throws {
        _ = try convert("a.kml")
        let text = try folder.text(of: "a.kml")
        let places = text.matches(of: /<gx:coord>([-0-9.]+) ([-0-9.]+) ([-0-9.]+)<\/gx:coord>/)
        expectPlaces(
            places.map {
                GeodeticPosition(
                    latitudeDegrees: Double($0.output.2) ?? 0, longitudeDegrees: Double($0.output.1) ?? 0)
            })
        #expect(text.matches(of: /<when>/).count == places.count)
    }

    @Test func tumHasPositionsAndQuaternionsOfTheFrames() throws {
        // GIVEN the poses from which on the heading is known
        let poses = frames.filter { $0.pose.headingTrueRadians != nil }
        _ = try convert("a.tum")
        let lines = try folder.text(of: "a.tum").split(separator: "\n")
        #expect(lines[0].hasPrefix("# timestamp tx ty tz qx qy qz qw; origin lat 46.0"))
        let rows = lines.dropFirst().map { $0.split(separator: " ").compactMap { Double($0) } }
        #expect(rows.count == poses.count && rows.allSatisfy { $0.count == 8 } && poses.count > 30)
        guard let first = poses.first, let from = first.pose.positionENUMeters else { return }
        for (row, frame) in zip(rows, poses) {
            #expect(abs(row[0] - Double(frame.timeNanoseconds) * 1e-9) < 1e-6)
            // THEN the offset from the first pose is that of the frames' local frame, but for the curvature over 1 km
            let place = try #require(frame.pose.positionENUMeters)
            #expect(abs(row[1] - (place.x - from.x)) < 0.02 && abs(row[2] - (place.y - from.y)) < 0.02)
            let turn = try #require(frame.pose.bodyToENU)
            #expect(abs(row[4] - turn.x) + abs(row[5] - turn.y) + abs(row[6] - turn.z) + abs(row[7] - turn.w) < 4e-9)
        }
    }

    @Test func nmeaHasTheSentencesOfTheFrames() throws {
        _ = try convert("a.nmea")
        var encoder = NMEAEncoder()
        let expected = frames.flatMap { encoder.sentences($0) }
        #expect(try folder.text(of: "a.nmea") == String(decoding: expected, as: UTF8.self))
        #expect(try InputFormat.detect(path: folder.path + "/a.nmea") == .nmea)
    }

    @Test func aWrittenFolderGivesTheSameFrames() throws {
        // GIVEN a drive that is converted to another folder THEN its replay is the same to the byte
        _ = try convert("copy")
        for name in ["drive", "copy"] {
            _ = try Replay(recording: folder.path + "/" + name).run(writingTo: folder.path + "/\(name).ndjson")
        }
        #expect(try folder.text(of: "drive.ndjson") == folder.text(of: "copy.ndjson"))
        // AND the smoothed one as well
        for name in ["drive", "copy"] {
            _ = try Replay(recording: folder.path + "/" + name).smooth(writingTo: folder.path + "/\(name).smooth")
        }
        #expect(try folder.text(of: "drive.smooth") == folder.text(of: "copy.smooth"))
    }

    @Test func aRecordingOfPosedGivesTheSameFramesAndTheSameFolder() throws {
        // GIVEN a drive that is converted to a recording of posed, and back
        let made = try convert("drive.mcap")
        #expect(made.written == made.events && made.notes.isEmpty && made.events > 8000)
        #expect(try InputFormat.detect(path: folder.path + "/drive.mcap") == .mcap)
        _ = try convert("back", from: "drive.mcap")
        // THEN the files are those of the start, to the byte
        for name in ["imu.csv", "gnss.csv"] {
            #expect(try folder.text(of: "drive/\(name)") == folder.text(of: "back/\(name)"))
        }
        // AND tracks are the same
        _ = try convert("a.gpx")
        _ = try convert("b.gpx", from: "drive.mcap")
        func points(_ name: String) throws -> [Substring] {
            try folder.text(of: name).split(separator: "\n").filter { $0.hasPrefix("<trkpt") }
        }
        #expect(try points("a.gpx") == points("b.gpx"))
        // AND its replay gives the same frames
        for name in ["drive", "drive.mcap"] {
            _ = try Replay(recording: folder.path + "/" + name).run(writingTo: folder.path + "/\(name).ndjson")
        }
        #expect(try folder.text(of: "drive.ndjson") == folder.text(of: "drive.mcap.ndjson"))
        // AND the time of the file is UTC
        let summary = RecordingSummary(try Conversion.open(folder.path + "/drive.mcap", .mcap))
        #expect(summary.isComplete && summary.details.first?.hasPrefix("converted from folder of CSV files") == true)
        #expect(summary.utcNanoseconds.map { $0 >= RecordedDrive.utcAtStart } == true)
    }

    @Test func aConvertedRecordingIsPredictedAsItsSource() throws {
        // GIVEN a drive whose IMU stops for two seconds, one without an IMU, and both converted to recordings of posed
        let writer = try FolderWriter(folder: folder.path + "/gap")
        for event in try events(folder.path + "/drive", .csv) {
            if case .inertial(let sample) = event, (30..<32).contains(sample.time.seconds) { continue }
            try writer.write(event)
        }
        try writer.finish()
        try RecordedDrive.write(to: folder.path + "/bare", withIMU: false)
        for name in ["gap", "bare"] { _ = try convert("\(name).mcap", from: name) }
        // WHEN they are replayed, with a rate and without THEN the frames are those of the source, to the byte, also
        // where no sample comes
        for (name, rate) in [("gap", nil), ("gap", 10), ("bare", nil), ("bare", 10)] as [(String, Double?)] {
            var lines: [Int] = []
            for path in [name, "\(name).mcap"] {
                var replay = Replay(recording: folder.path + "/" + path)
                replay.rateHertz = rate
                lines.append(try replay.run(writingTo: folder.path + "/\(path).ndjson").lines)
            }
            #expect(lines[0] == lines[1] && lines[0] > 50, "\(name), \(rate ?? 0) Hz: \(lines)")
            let isSame = try folder.text(of: "\(name).ndjson") == folder.text(of: "\(name).mcap.ndjson")
            #expect(isSame, "\(name), \(rate ?? 0) Hz")
        }
    }

    @Test func whatAReplayOrASmoothingLeavesOutIsTold() throws {
        // GIVEN a recording of posed that lost its second half WHEN its measurements are replayed or smoothed THEN the
        // summary has the place; that of a whole one has nothing
        _ = try convert("drive.mcap")
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/drive.mcap"))
        try folder.write(whole.prefix(whole.count / 2), to: "half.mcap")
        for (name, count) in [("drive.mcap", 0), ("half.mcap", 1)] {
            let path = folder.path + "/" + name
            let replay = Replay(recording: path)
            let replayed = try replay.run(try Conversion.open(path, .mcap), writingTo: "/dev/null")
            let smoothed = try replay.smooth(try Conversion.open(path, .mcap), writingTo: "/dev/null")
            for notes in [replayed.notes, smoothed.notes] {
                #expect(notes.count == count, "\(notes)")
                #expect(notes.allSatisfy { $0.hasPrefix("left out: \(path) was cut off at byte ") }, "\(notes)")
            }
        }
    }

    @Test func aCutRecordingGivesWhatIsBeforeTheCut() throws {
        // GIVEN a recording of posed that lost its second half, and one that is damaged in its middle
        _ = try convert("drive.mcap")
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/drive.mcap"))
        try folder.write(whole.prefix(whole.count / 2), to: "half.mcap")
        var broken = whole
        broken[whole.count / 2] ^= 0xFF
        try folder.write(broken, to: "broken.mcap")
        // and one whose second half is zero, as a disk leaves it that lost its power
        try folder.write(whole.prefix(whole.count / 2) + Data(count: whole.count / 2), to: "zero.mcap")
        // THEN each gives the measurements before that place, and a note with the place
        let half = try convert("half", from: "half.mcap")
        #expect(half.events > 3000 && half.notes.first?.contains("half.mcap was cut off at byte ") == true)
        let summary = RecordingSummary(try Conversion.open(folder.path + "/half.mcap", .mcap))
        #expect(summary.problems.contains { $0.contains("half.mcap was cut off at byte ") })
        for name in ["broken", "zero"] {
            let damaged = try convert(name, from: "\(name).mcap")
            #expect(abs(damaged.events - half.events) < 500)
            #expect(
                damaged.notes.contains { $0.contains("\(name).mcap") && $0.contains("everything before it was used") },
                "\(damaged.notes)")
        }
    }

    @Test func recordingsWithoutMeasurementsAndOfLaterFormatsAreRefused() throws {
        // GIVEN a recording of which only the start is left, and one of a later format
        _ = try convert("drive.mcap")
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/drive.mcap"))
        try folder.write(whole.prefix(300), to: "start.mcap")
        let format = try #require(
            whole.range(of: Data([6, 0, 0, 0]) + Data("format".utf8) + Data([1, 0, 0, 0, 0x31])))
        var later = whole
        later[format.upperBound - 1] = UInt8(ascii: "2")
        // The checksum of the chunks does not cover this record.
        try folder.write(later, to: "later.mcap")
        // WHEN they are replayed or converted THEN one message says what is wrong, and nothing is written
        for (name, text) in [
            ("start.mcap", "contains no measurement of posed (\(folder.path)/start.mcap was cut off at byte "),
            ("later.mcap", "has format 2, this release reads up to 1; read it with release "),
        ] {
            let failure = #expect(throws: Conversion.Failure.self) { try convert("x.gpx", from: name) }
            #expect(failure?.description.contains(text) == true, "\(failure?.description ?? "")")
            let replay = #expect(throws: Replay.Failure.self) {
                try Replay(recording: folder.path + "/" + name).run(writingTo: folder.path + "/frames")
            }
            #expect(replay?.description.contains(text) == true, "\(replay?.description ?? "")")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/frames"))
    }

    @Test func outputsThatWouldBeEmptyAreNotWritten() throws {
        // GIVEN a drive without UTC and without an IMU
        try RecordedDrive.write(to: folder.path + "/bare", withUTC: false, withIMU: false)
        // and fixes at standstill, which give no heading
        try FileManager.default.createDirectory(atPath: folder.path + "/still", withIntermediateDirectories: true)
        try folder.write("t_s,lat_deg,lon_deg\n0,47,8\n1,47,8\n2,47,8\n3,47,8\n", to: "still/gnss.csv")
        // THEN NMEA and TUM say what is missing and leave no file, and KML is a line without times
        for (from, name, missing) in [("bare", "bare.nmea", "UTC"), ("still", "still.tum", "heading")] {
            let failure = #expect(throws: Conversion.Failure.self) { try convert(name, from: from) }
            #expect(failure?.description.contains(missing) == true)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/" + name))
        }
        _ = try convert("bare.kml", from: "bare")
        #expect(try folder.text(of: "bare.kml").contains("<LineString><altitudeMode>absolute</altitudeMode>"))
        // AND a smoothed track of it exists too
        let input = folder.path + "/bare"
        var conversion = Conversion(input: input, from: .csv, output: folder.path + "/bare.gpx", to: .gpx)
        conversion.isSmoothed = true
        #expect(try conversion.run().written > 60)
    }
}

/// Formats by name and by content.
@Suite struct FormatTests {
    @Test func theNameOfAnOutputIsItsFormat() {
        let expected: [(String, OutputFormat?)] = [
            ("a.gpx", .gpx), ("A.GPX", .gpx), ("b/c.geojson", .geojson), ("x.json", .geojson), ("k.kml", .kml),
            ("t.tum", .tum), ("r.mcap", .mcap), ("t.txt", .tum), ("n.nmea", .nmea), ("folder", .csv), ("a.gpx/", .csv),
            ("./x", .csv),
            (".hidden", .csv), ("a.xyz", nil), ("-", nil),
        ]
        for (path, format) in expected { #expect(OutputFormat.detect(path: path) == format, "\(path)") }
    }

    @Test func theContentOfAnInputIsItsFormat() throws {
        let ubx: [UInt8] = [0, 0xB5, 0x62, 0x01, 0x07, 0x02, 0x00, 0xAA, 0x55, 0x09, 0xDA]
        let folder = try TemporaryFolder([
            "nmea": "# comment\n$GPGGA,1,2,3*4A\n", "json": "\n {\"class\" : \"TPV\"}\n", "text": "hello\n", "none": "",
            "one.csv": "t_s,speed_m_s\n", "bad": "$GPGGA,1,2,3*4B\n", "zip": "PK\u{3}\u{4}zzzz",
        ])
        try folder.write(Data(ubx), to: "ubx")
        for (name, format) in [("nmea", InputFormat.nmea), ("json", .gpsd), ("ubx", .ubx)] {
            #expect(try InputFormat.detect(path: folder.path + "/" + name) == format)
        }
        for (name, text) in [
            ("text", "is in no known format"), ("none", "is empty"), ("one.csv", "is one file of a recording"),
            ("bad", "is in no known format"), ("zip", "is compressed"), ("absent", "cannot be opened"),
            (".", "contains no recording"),
        ] {
            let error = #expect(throws: RecordingError.self) { try InputFormat.detect(path: folder.path + "/" + name) }
            #expect(error?.problem.hasPrefix(text) == true, "\(name): \(error?.problem ?? "")")
        }
    }

    @Test func damagedHeadsAreNeverReadBeyondTheirEnd() throws {
        // GIVEN the starts of messages with random bytes after them, of every short length
        var random = SplitMix64(seed: 20_261_122)
        let starts: [[UInt8]] = [
            [0xB5, 0x62], [0xA0, 0xA2], Array("$GPGGA,".utf8), Array("{\"class\"".utf8), [0xB5], [0xA0],
        ]
        for turn in 0..<3000 {
            let rest = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // THEN none of them passes for a message, and none traps
            #expect(ReceiverSignature.format(of: starts[turn % starts.count] + rest) == nil)
        }
        // AND a whole SiRF message does
        let message: [UInt8] = [0xA0, 0xA2, 0, 2, 0x29, 1, 0, 0x2A, 0xB0, 0xB3]
        #expect(ReceiverSignature.format(of: [0, 1] + message) == .receiver)
        #expect(ReceiverSignature.format(of: Array(message.dropLast())) == nil)
    }
}
