import DriveRecording
import Engine
import Foundation
import Frames
import Glibc
import MCAP
import Measurements
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing
@testable import Recorder

/// What is recorded while the vehicle moves, while the system clock is set, and when the settings change.
@Suite struct RecorderConditionsTests {
    private func times(_ test: RecorderBench) throws -> [Double] {
        try test.files.flatMap { try test.entries($0).times }
    }

    @Test(arguments: [5.0, 0.01, 0])
    func onlyTheDriveAndAMinuteAroundItAreKept(frameRate: Double) throws {
        // GIVEN a recorder that records while the vehicle moves, with many, few or no whole frames in the file, and
        // without a history
        var settings = RecorderSettings()
        settings.historyMebibytes = 0
        settings.frameRateHertz = frameRate
        let test = try RecorderBench(settings: settings, mode: .moving)
        // WHEN the vehicle stands for 200 s, creeping at times as a receiver's noise has it
        for k in 0..<2000 { test.step(Double(k) * 0.1, speed: k % 7 == 0 ? 1.9 : 0) }
        #expect(test.worker.status(at: at(200)).state == .waiting)
        // THEN nothing is kept for long
        test.settle()
        #expect((2...4).contains(test.files.count), "\(test.files)")
        // WHEN it drives for 100 s, with a stop of 50 s on the way
        for k in 2000..<3000 { test.step(Double(k) * 0.1, speed: (2300..<2800).contains(k) ? 0 : 15) }
        #expect(test.worker.status(at: at(300)).state == .recording)
        // WHEN it stands again
        for k in 3000..<3590 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(359)).state == .recording)
        for k in 3590..<6000 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(600)).state == .waiting)
        test.end()
        // THEN the drive is kept in one piece, with the minute before and after, and not much more
        let times = try times(test)
        let (first, last) = (times.min() ?? 0, times.max() ?? 0)
        #expect(first <= 140 && first > 100 && last >= 359 && last < 400, "\(first) to \(last)")
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 0.11 })
        // THEN the file has as many frames as asked for
        let frames = try test.files.reduce(0) { try $0 + test.entries($1).frames }
        let wanted = frameRate * (last - first)
        // Frames come each 0.1 s, so that the time between two recorded ones may be half as long again.
        #expect(Double(frames) <= wanted + 2 && Double(frames) >= wanted * 0.6 - 1, "\(frames) of \(wanted)")
    }

    @Test(arguments: [3600.0, -3600, 1.8e9, -1.8e9])
    func aStepOfTheSystemClockIsToldAndNotFollowed(step: Double) throws {
        // GIVEN a recording of 5 s
        let test = try RecorderBench()
        for k in 0..<50 { test.step(Double(k) * 0.1) }
        // WHEN the system clock is set, and then slowly corrected by 0.1 % as time services do
        test.realtime.offset += Int64(step * 1e9)
        for k in 50..<100 {
            test.realtime.offset += 100_000
            test.step(Double(k) * 0.1)
        }
        test.end()
        // THEN one line says so
        let lines = test.log.lines.map(\.text).filter { $0.contains("system clock") }
        let way = step > 0 ? "forward" : "back"
        #expect(lines.count == 1 && lines[0].contains("was set \(way) by \(Int(step.magnitude)) s"), "\(lines)")
        // THEN the times in the file are those of the clock at the start, and never go back
        var reader = try MCAPReader(path: try #require(test.files.first))
        var times: [UInt64] = []
        while let record = try reader.next() {
            if case .message(let message) = record, message.sequence > 0 { times.append(message.logTime) }
        }
        #expect(times.count > 100)
        let begin: UInt64 = 1_800_000_001_000_000_000
        #expect(times.allSatisfy { (begin...begin + 10_000_000_000).contains($0) })
        // A chunk has the inputs before the frames of its second.
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 + 1_100_000_000 > $0 })
    }

    @Test func recordingsOfAnUnsetClockAreNotTooOld() throws {
        // GIVEN a recording from the year 1970, one that is too old, and one of a minute ago
        let test = try RecorderBench()
        try FileManager.default.createDirectory(atPath: test.folder, withIntermediateDirectories: true)
        for (name, date) in [("a", Date(timeIntervalSince1970: 900)), ("b", Date() - 31 * 86_400), ("c", Date() - 60)] {
            let path = "\(test.folder)/posed-\(name).mcap"
            try Data([1]).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        // WHEN a recording starts
        test.step(0, settles: true)
        test.end()
        // THEN only the one that is certainly too old is removed
        let names = test.files.map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(names.contains("posed-a.mcap") && names.contains("posed-c.mcap"), "\(names)")
        #expect(!names.contains("posed-b.mcap"), "\(names)")
    }

    @Test func aRateOfFramesTakesEffectAtOnce() throws {
        // GIVEN a recording without whole frames WHEN 5 s pass, and then 5 frames per second are asked for
        var settings = RecorderSettings()
        (settings.frameRateHertz, settings.reserveMebibytes) = (0, 0)
        let test = try RecorderBench(settings: settings)
        for k in 0..<50 { test.step(Double(k) * 0.1) }
        (settings.mode, settings.frameRateHertz) = (.always, 5)
        test.use(settings, at: 5)
        for k in 50..<100 { test.step(Double(k) * 0.1) }
        test.end()
        // THEN those of the later 5 s are in the file, and none of the time before
        let frames = try test.files.reduce(0) { try $0 + test.entries($1).frames }
        #expect((17...25).contains(frames), "\(frames)")
    }

    @Test func framesAreRecordedAsOftenAsAskedForWhileTheVehicleMoves() throws {
        // GIVEN a recorder that looks at a frame each second for the speed, and records one each two seconds WHEN the
        // vehicle drives for 20 s THEN the frames of 0, 2, 4 to 20 s are in the file
        var settings = RecorderSettings()
        settings.frameRateHertz = 0.5
        let test = try RecorderBench(settings: settings, mode: .moving)
        for quarter in 0...80 { test.step(Double(quarter) / 4, speed: 15) }
        test.end()
        #expect(try test.files.reduce(0) { try $0 + test.entries($1).frames } == 11)
    }

    @Test func aRecordingWithoutFramesHasNone() throws {
        // GIVEN a rate of 0 WHEN 5 s are recorded THEN not even the first frame is in the file
        var settings = RecorderSettings()
        settings.frameRateHertz = 0
        let test = try RecorderBench(settings: settings)
        for k in 0..<50 { test.step(Double(k) * 0.1) }
        test.end()
        #expect(try test.entries(try #require(test.files.first)).frames == 0)
    }

    @Test func aModeThatNeedsFramesGetsThemAfterAReload() throws {
        // GIVEN a recorder that waits for an event, without whole frames
        var settings = RecorderSettings()
        (settings.frameRateHertz, settings.reserveMebibytes) = (0, 0)
        let test = try RecorderBench(settings: settings, mode: .event)
        for k in 0..<50 { test.step(Double(k) * 0.1, speed: 15) }
        #expect(test.worker.status(at: at(5)).state == .waiting)
        // WHEN it is told to record while the vehicle moves THEN it sees that within a second
        settings.mode = .moving
        test.use(settings, at: 5)
        for k in 50..<65 { test.step(Double(k) * 0.1, speed: 15) }
        #expect(test.worker.status(at: at(6.5)).state == .recording)
        test.end()
        #expect(try test.files.reduce(0) { try $0 + test.entries($1).frames } == 0)
    }

    @Test func aNewRecordingHasNothingOfTheContextBefore() throws {
        // GIVEN an engine that runs, and a recording by command with a state, a cleared route and a trim
        let test = try RecorderBench(mode: .off)
        test.step(0)
        func command(_ starts: Bool, _ context: [EngineInput], at seconds: Double) {
            var inbox = Recorder.Inbox()
            (inbox.command, inbox.context) = (starts, context)
            test.worker.take(inbox, at: at(seconds))
        }
        command(
            true,
            [
                .report(SourceReport(time: at(0), source: .gps, state: .streaming)),
                .command(.setRoute(nil, version: 3)), .command(.setHeadingTrim(radians: 0.5)),
            ], at: 1)
        test.step(1)
        command(false, [], at: 2)
        test.poll(2)
        // WHEN another one is started, when nothing of that is in force any more THEN it begins with its own inputs
        command(true, [], at: 3)
        test.step(3)
        // AND WHEN another folder begins a file of its own THEN that one has what came meanwhile
        test.inputs.note(.command(.setHeadingTrim(radians: 0.25)), published: 2)
        test.poll(4)
        var settings = RecorderSettings()
        settings.reserveMebibytes = 0
        let other = test.folder + "-other"
        defer { try? FileManager.default.removeItem(atPath: other) }
        test.settle()
        test.use(settings, folder: other, at: 4)
        test.step(5)
        test.end()
        let contents = try test.files.map { try test.entries($0).inputs }
        #expect(contents == [[0, 0, 0, 2], [3, 4]], "\(contents) \(test.log.lines)")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: other).first)
        #expect(try test.entries("\(other)/\(name)").inputs == [0, 5])
    }

    @Test func otherSettingsTakeEffectWithAFileOfTheirOwn() throws {
        // GIVEN a recorder that is off, and was started by command
        let test = try RecorderBench(mode: .off)
        var inbox = Recorder.Inbox()
        inbox.command = true
        test.worker.take(inbox, at: at(0))
        var settings = RecorderSettings()
        settings.reserveMebibytes = 0
        for k in 0..<20 { test.step(Double(k) * 0.1) }
        // WHEN the rate of the frames changes THEN it goes on in the same file
        settings.frameRateHertz = 10
        test.use(settings, at: 2)
        for k in 20..<40 { test.step(Double(k) * 0.1) }
        test.settle()
        #expect(test.files.count == 1 && test.worker.status(at: at(4)).state == .recording)
        // WHEN positions become private THEN nothing private is written to the file that has true positions
        settings.isPrivate = true
        test.use(settings, at: 4)
        for k in 40..<60 { test.step(Double(k) * 0.1) }
        test.settle()
        #expect(test.files.count == 2)
        #expect(test.worker.status(at: at(6)).isPrivate)
        // WHEN the folder changes THEN the next file is there
        let other = test.folder + "/other"
        test.use(settings, folder: other, at: 6)
        for k in 60..<80 { test.step(Double(k) * 0.1) }
        // WHEN the mode changes THEN the command is over
        settings.mode = .event
        test.use(settings, folder: other, at: 8)
        settings.mode = .off
        test.use(settings, folder: other, at: 8)
        for k in 80..<90 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(9)).state == .off && !test.inputs.isOpen)
        test.end()
        let moved = try FileManager.default.contentsOfDirectory(atPath: other).map { "\(other)/\($0)" }
        let contents = try (test.files.filter { $0.hasSuffix(".mcap") } + moved).map { try test.entries($0) }
        #expect(contents.filter { $0.info?.isPrivate == false }.count == 1)
        // THEN every input is in exactly one file
        let inputs = contents.flatMap(\.inputs).filter { $0 > 0 }.sorted()
        #expect(inputs == (1...80).map { UInt64($0) }, "\(inputs)")
    }
}
