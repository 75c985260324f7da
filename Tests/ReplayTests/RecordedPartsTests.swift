import DriveRecording
import Engine
import Foundation
import Frames
import Guidance
import Horizon
import Measurements
import PoseMath
import Testing

@testable import Replay

/// Recordings of several files, files that were cut off or are damaged, and what a user is told of them.
@Suite struct RecordedPartsTests {
    /// A folder that is removed with its content.
    private final class Folder {
        let path = NSTemporaryDirectory() + "posed-parts-\(UUID().uuidString)"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
            return "\(path)/\(name)"
        }
    }

    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    private static func fix(_ seconds: Double) -> EngineInput {
        var fix = GnssFix(validityTime: at(seconds), arrivalTime: at(seconds), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.1, 400)
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (2, 4)
        return .event(.gnss(fix))
    }

    private static func info(_ session: String, part: Int = 0) -> RecordingInfo {
        var info = RecordingInfo(release: "1", session: session)
        (info.part, info.startsWithEngine, info.hasPublications) = (part, true, true)
        return info
    }

    /// A file with inputs of these numbers, a second apart, each in a chunk of its own, and where each chunk begins.
    private static func bytes(_ info: RecordingInfo, _ numbers: [UInt64]) -> (bytes: [UInt8], chunks: [Int]) {
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        var (bytes, chunks): ([UInt8], [Int]) = (writer.takeBytes(), [])
        for number in numbers {
            chunks.append(bytes.count)
            writer.write(fix(Double(number)), number: number)
            writer.finishChunk()
            bytes += writer.takeBytes()
        }
        writer.finish()
        return (bytes + writer.takeBytes(), chunks)
    }

    /// The numbers of the inputs, and whether each is of the first file.
    private static func inputs(_ parts: RecordedParts) throws -> [String] {
        var found: [String] = []
        while let entry = try parts.next() {
            if case .input(_, let number) = entry { found.append("\(number)\(parts.isFirstFile ? "" : "+")") }
        }
        return found
    }

    @Test func onlyTheSameRecordingIsContinued() throws {
        // GIVEN files with the next numbers, of which the third is of another recording WHEN the first is read THEN the
        // second follows, and no other
        let folder = try Folder()
        let first = try folder.file("a-000.mcap", Self.bytes(Self.info("s"), [1, 2]).bytes)
        _ = try folder.file("a-001.mcap", Self.bytes(Self.info("s", part: 1), [3]).bytes)
        _ = try folder.file("a-002.mcap", Self.bytes(Self.info("t", part: 2), [4]).bytes)
        let parts = try RecordedParts(path: first)
        #expect(try Self.inputs(parts) == ["1", "2", "3+"])
        #expect(parts.notes.isEmpty && !parts.isFirstFile && parts.progress > 0 && parts.progress <= 1)
        // AND a recording that does not say which it is is continued by none, and neither is one by what is no file
        let nameless = try folder.file("b-000.mcap", Self.bytes(Self.info(""), [1]).bytes)
        _ = try folder.file("b-001.mcap", Self.bytes(Self.info("", part: 1), [2]).bytes)
        #expect(try Self.inputs(try RecordedParts(path: nameless)) == ["1"])
        let alone = try folder.file("c-000.mcap", Self.bytes(Self.info("s"), [1]).bytes)
        _ = try folder.file("c-001.mcap", Array("no recording".utf8))
        #expect(try Self.inputs(try RecordedParts(path: alone)) == ["1"])
        // AND a later part says that it is one
        let later = try RecordedParts(path: folder.path + "/a-001.mcap")
        #expect(try RecordedParts(path: try folder.file("e-000.mcap", [])).progress == 1)
        #expect(try Self.inputs(later) == ["3"])
        #expect(
            later.notes == [
                "\(folder.path)/a-001.mcap is part 1 of its recording, counted from 0; give the first part that was "
                    + "kept"
            ])
    }

    @Test func onlyTheNextPartIsContinued() throws {
        // GIVEN files with the next numbers whose sessions have the same name: two first parts, as two conversions
        // have, parts of which one is missing, and parts with numbers at the limits WHEN the first is read THEN no
        // other follows
        let folder = try Folder()
        for (name, parts) in [("trip", [0, 0]), ("gap", [0, 2]), ("back", [1, 0]), ("far", [Int.max, Int.min])] {
            let (a, b) = (Self.info("CSV folder", part: parts[0]), Self.info("CSV folder", part: parts[1]))
            let first = try folder.file("\(name)-001.mcap", Self.bytes(a, [1]).bytes)
            let next = try folder.file("\(name)-002.mcap", Self.bytes(b, [2]).bytes)
            #expect(try Self.inputs(try RecordedParts(path: first)) == ["1"], "\(name)")
            #expect(RecordedParts.files(after: first, most: 9).isEmpty, "\(name)")
            #expect(!RecordedParts.isContinuation(path: next) && !RecordedParts.isContinuation(path: first), "\(name)")
        }
        // AND the files that follow are those that are read
        let paths = try (998...1001).map { number in
            try folder.file("a-\(number).mcap", Self.bytes(Self.info("s", part: number), [UInt64(number)]).bytes)
        }
        #expect(try Self.inputs(try RecordedParts(path: paths[0])) == ["998", "999+", "1000+", "1001+"])
        #expect(RecordedParts.files(after: paths[0], most: 9) == Array(paths.dropFirst()))
        #expect(RecordedParts.files(after: paths[0], most: 2) == Array(paths[1...2]))
        #expect(paths.map { RecordedParts.isContinuation(path: $0) } == [false, true, true, true])
    }

    @Test func noDeclinationIsThatOfAPlaceToWhichPositionsWereMoved() throws {
        // GIVEN a schedule of the declination WHEN the measurements of a recording are replayed THEN it is used, but
        // not where the positions are at a random place
        let folder = try Folder()
        for (name, isPrivate) in [("a.mcap", false), ("b.mcap", true)] {
            var info = Self.info("s")
            info.isPrivate = isPrivate
            var replay = Replay(recording: try folder.file(name, Self.bytes(info, [1]).bytes))
            let isNone = replay.placedDeclination == nil
            replay.declination = DeclinationSchedule(model: nil, configuredPlace: nil)
            let isLeftOut = replay.placedDeclination == nil
            #expect(isNone && isLeftOut == isPrivate, "\(name)")
        }
    }

    @Test func whatIsBeforeACutIsUsed() throws {
        // GIVEN a file that ends within its third chunk, and the next file WHEN they are read THEN all but the third
        // input is there, and the note says where the file ends
        let folder = try Folder()
        let (whole, chunks) = Self.bytes(Self.info("s"), [1, 2, 3])
        let cut = Array(whole[..<(chunks[2] + 20)])
        let first = try folder.file("a-000.mcap", cut)
        _ = try folder.file("a-001.mcap", Self.bytes(Self.info("s", part: 1), [4]).bytes)
        let parts = try RecordedParts(path: first)
        #expect(try Self.inputs(parts) == ["1", "2", "4+"])
        #expect(
            parts.notes == [
                "\(first) was cut off at byte \(chunks[2]) of \(cut.count); everything before it was used"
            ])
    }

    @Test func whatIsBeforeDamageIsUsed() throws {
        // GIVEN a file whose second chunk is damaged, and the next file WHEN they are read THEN the inputs before the
        // damage and those of the next file are there, and the note says where it is, once
        let folder = try Folder()
        var (damaged, chunks) = Self.bytes(Self.info("s"), [1, 2, 3])
        damaged[chunks[1] + 70] ^= 0x55
        let first = try folder.file("a-000.mcap", damaged)
        _ = try folder.file("a-001.mcap", Self.bytes(Self.info("s", part: 1), [4]).bytes)
        let parts = try RecordedParts(path: first)
        #expect(try Self.inputs(parts) == ["1", "4+"])
        #expect(parts.notes.count == 1 && parts.notes[0].hasPrefix("\(first): byte \(chunks[1]): a "), "\(parts.notes)")
        #expect(parts.notes[0].hasSuffix("; everything before it was used"))
        // AND a file that is damaged before its first input is refused
        var useless = Self.bytes(Self.info("s"), [1, 2]).bytes
        useless[chunks[0] + 70] ^= 0x55
        let other = try RecordedParts(path: try folder.file("b-000.mcap", useless))
        #expect(throws: (any Error).self) { try Self.inputs(other) }
    }

    @Test func aDamagedPartLeavesThePartsBeforeIt() throws {
        // GIVEN a whole first file, and a second one whose only chunk is damaged, or which is damaged at its beginning
        // WHEN they are read THEN the inputs of the first are there, and one note names the second
        let folder = try Folder()
        let (whole, chunks) = Self.bytes(Self.info("s", part: 1), [3])
        for (name, place) in [("a", chunks[0] + 70), ("b", 6)] {
            var damaged = whole
            damaged[place] ^= 0x55
            let first = try folder.file("\(name)-000.mcap", Self.bytes(Self.info("s"), [1, 2]).bytes)
            let second = try folder.file("\(name)-001.mcap", damaged)
            let parts = try RecordedParts(path: first)
            #expect(try Self.inputs(parts) == ["1", "2"], "\(name)")
            #expect(parts.notes.count == 1, "\(parts.notes)")
            #expect(parts.notes.allSatisfy { $0.hasPrefix("\(second): ") }, "\(parts.notes)")
        }
    }

    @Test func whatIsMissingIsToldAfterAReplay() throws {
        // GIVEN a recording from the engine's start that lost two inputs, has a publication of a frame that nobody
        // made, and a frame that is another one WHEN it is replayed THEN a note says each of it
        let folder = try Folder()
        var writer = DriveRecordingWriter(info: Self.info("s"), settings: RecordedSettings())
        for number: UInt64 in [1, 2, 5] { writer.write(Self.fix(Double(number)), number: number) }
        var frame = Frame()
        (frame.sequence, frame.timeNanoseconds) = (77, 1)
        writer.write(frame, number: 2)
        for number: UInt64 in [1, 2, 9] {
            writer.write([
                Publication(number: number, time: Self.at(Double(number) + 0.5), isNewest: false, isRepeat: false)
            ])
        }
        writer.finish()
        let path = try folder.file("a.mcap", writer.takeBytes())
        let summary = try Replay(recording: path).run(writingTo: folder.path + "/frames")
        #expect(summary.lines == 2 && summary.events == 3 && summary.seconds == 4)
        #expect(summary.recordedFrames == 1 && summary.identicalFrames == 0)
        #expect(
            summary.notes.prefix(2) == [
                "2 inputs are missing: the recorder lost them, so the frames may differ",
                "1 published frames could not be made again",
            ])
        let difference = "the first frame that differs from the recorded one is 1.0 s after the start"
        #expect(summary.notes.count == 3 && summary.notes.last == difference, "\(summary.notes)")
    }

    @Test(arguments: [(64, 1), (65, 0)] as [(UInt64, Int)])
    func linesWaitForTheirPublications(lines: UInt64, compared: Int) throws {
        // GIVEN a recording with 64 lines of frames, or 65, before the publication of the first one WHEN it is replayed
        // THEN 64 are kept for their publications, and one more takes the place of all
        let folder = try Folder()
        var writer = DriveRecordingWriter(info: Self.info("s"), settings: RecordedSettings())
        writer.write(Self.fix(1), number: 1)
        for number in 1...lines { writer.write(Frame(), number: number) }
        writer.write([Publication(number: 1, time: Self.at(1.5), isNewest: false, isRepeat: false)])
        writer.finish()
        let path = try folder.file("a.mcap", writer.takeBytes())
        let summary = try Replay(recording: path).run(writingTo: folder.path + "/frames")
        #expect(summary.lines == 1 && summary.recordedFrames == compared)
    }

    @Test(arguments: [100, UInt64(UInt32.max)])
    func inputsWithoutANumberAreNotMissing(published: UInt64) throws {
        // GIVEN a recording from mid-run that begins with two inputs of before, with the numbers 41 and 42, and with a
        // reset after which the live engine had made so many frames, also more than a number in a file can have WHEN it
        // is replayed THEN nothing is missing, and the first frame after the reset is compared
        let folder = try Folder()
        var info = Self.info("s")
        info.startsWithEngine = false
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.write(.report(SourceReport(time: Self.at(0), source: .gps, state: .streaming)), number: 0)
        writer.write(.command(.setHeadingTrim(radians: 0)), number: 0)
        var past = EnginePast()
        past.published = published
        writer.write(.command(.reset(after: past)), number: 41)
        writer.write(Self.fix(5), number: 42)
        writer.write(Frame(), number: published + 1)
        writer.write([Publication(number: published + 1, time: Self.at(6), isNewest: true, isRepeat: false)])
        writer.finish()
        let path = try folder.file("a.mcap", writer.takeBytes())
        let summary = try Replay(recording: path).run(writingTo: folder.path + "/frames")
        #expect(!summary.notes.contains { $0.contains("missing") || $0.contains("could not") }, "\(summary.notes)")
        #expect(summary.lines == 1 && summary.recordedFrames == 1, "\(summary)")
    }

    @Test func aPrivateRecordingIsNotCompared() throws {
        // GIVEN the same with positions at a random place WHEN it is replayed THEN no frame is compared
        let folder = try Folder()
        var info = Self.info("s")
        info.isPrivate = true
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.write(Self.fix(1), number: 1)
        writer.write(Frame(), number: 1)
        writer.write([Publication(number: 1, time: Self.at(2), isNewest: true, isRepeat: false)])
        writer.finish()
        let path = try folder.file("a.mcap", writer.takeBytes())
        let summary = try Replay(recording: path).run(writingTo: folder.path + "/frames")
        #expect(summary.lines == 1 && summary.recordedFrames == 0)
        let note = "the positions were moved to a random place: no frame is compared with the recorded one"
        #expect(summary.notes == [note])
    }

    @Test func aRecordingHasAMeasurementAndItsSettings() throws {
        // GIVEN a recording with settings in two entries before its first input WHEN they are asked for THEN they are
        // the file and the options together; a folder has none
        let folder = try Folder()
        var settings = RecordedSettings()
        settings.file = [1, 2]
        settings.options = [.init(path: "a.b", value: "1"), .init(path: "c", value: "2")]
        var writer = DriveRecordingWriter(info: Self.info("s"), settings: settings)
        writer.write(.tick(Self.at(1)), number: 1)
        writer.finish()
        let path = try folder.file("a.mcap", writer.takeBytes())
        #expect(try Replay.recordedSettings(of: path) == settings)
        #expect(try Replay.recordedSettings(of: folder.path) == nil)
        // AND without a measurement it cannot be replayed
        let failure = #expect(throws: Replay.Failure.self) {
            try Replay(recording: path).run(writingTo: folder.path + "/frames")
        }
        #expect(
            failure?.description
                == "\(path): contains no measurement of posed; give a recording that posed or posectl wrote")
        let cut = try folder.file("b.mcap", Array(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(300)))
        let other = #expect(throws: Replay.Failure.self) {
            try Replay(recording: cut).run(writingTo: folder.path + "/frames")
        }
        #expect(
            other?.description.hasPrefix("\(cut): contains no measurement of posed (\(cut) was cut off at ") == true)
    }

    @Test(
        arguments: [(86_400.0, 86_400), (-86_400, -86_400), (86_401, nil), (-86_401, nil), (3600, 3600)]
            as [(Double, Int?)])
    func theLocalTimeOfARecordedAnswerIsWithinADay(offset: Double, taken: Int?) throws {
        var roads = try #require(try ReplayRoads(HorizonSettings(), route: nil, wantsScene: true))
        #expect(!roads.hasRoads && roads.horizon.recordedOffsetSeconds == nil)
        #expect(try ReplayRoads(HorizonSettings(), route: nil, wantsScene: false) == nil)
        var answer = SpeedHorizon(time: Self.at(1))
        answer.utcOffsetSeconds = offset
        roads.note(answer)
        #expect(roads.horizon.recordedOffsetSeconds == taken)
        // AND an answer without it leaves the earlier one
        answer.utcOffsetSeconds = nil
        roads.note(answer)
        #expect(roads.horizon.recordedOffsetSeconds == taken)
    }
}
