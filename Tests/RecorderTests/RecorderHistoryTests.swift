import DriveRecording
import Engine
import Foundation
import Frames
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing
@testable import Recorder

/// What the recorder keeps since the engine's start while it waits for something to happen, so that a replay gives the
/// same frames.
@Suite struct RecorderHistoryTests {
    private func lose(_ test: RecorderBench, at seconds: Double) {
        test.server.tap.note(.event(.init(timeNanoseconds: 1, change: .poseState(.lost))), now: at(seconds))
    }

    /// Numbers of the inputs in all files, without those that are older than their file.
    private func inputs(_ test: RecorderBench) throws -> [UInt64] {
        try test.files.flatMap { try test.entries($0).inputs }.filter { $0 > 0 }
    }

    @Test(arguments: [RecordingMode.event, .moving])
    func whatHappensIsRecordedFromTheStart(mode: RecordingMode) throws {
        // GIVEN a recorder that waits for something to happen
        let test = try RecorderBench(mode: mode)
        // WHEN nothing happens for 300 s, then something, nothing for 300 s, and again something
        for k in 0..<3000 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(300)).state == .waiting && test.worker.status(at: at(300)).isFromStart)
        for k in 3000..<7000 {
            if k == 3000 || k == 6100 { lose(test, at: Double(k) * 0.1) }
            let isMoving = (3000..<3010).contains(k) || (6100..<6110).contains(k)
            test.step(Double(k) * 0.1, speed: isMoving ? 10 : 0)
        }
        #expect(test.worker.status(at: at(699)).isFromStart)
        for k in 7000..<9000 { test.step(Double(k) * 0.1) }
        test.end()
        // THEN the parts have all inputs from the first to 60 s after the second one, and what came later is gone
        let inputs = try inputs(test)
        #expect(inputs == (1...UInt64(inputs.count)).map { $0 })
        #expect((6700...7000).contains(inputs.count), "\(inputs.count)")
        #expect(try test.entries(try #require(test.files.first)).info?.beginsInMidRun == false)
    }

    @Test func aRunInWhichNothingHappensLeavesNothing() throws {
        let test = try RecorderBench(mode: .event)
        for k in 0..<3000 { test.step(Double(k) * 0.1) }
        test.settle()
        #expect(test.files.count == 1)
        test.end()
        #expect(test.files.isEmpty, "\(test.files)")
    }

    @Test func aHistoryNeverTakesTheRoomOfRecordings() throws {
        // GIVEN a disk that has nearly the reserve, and a recorder that waits for an event
        var settings = RecorderSettings()
        settings.spareMebibytes = 1 << 40
        let test = try RecorderBench(settings: settings, mode: .event)
        // WHEN nothing happens for 300 s
        for k in 0..<3000 { test.step(Double(k) * 0.1, settles: k % 10 == 0) }
        // THEN only the last minute is kept, and one line says why
        test.settle()
        #expect((2...4).contains(test.files.count) && !test.worker.status(at: at(300)).isFromStart, "\(test.files)")
        let lines = test.log.lines.map(\.text).filter { $0.contains("the disk is nearly full") }
        #expect(lines.count == 1, "\(test.log.lines)")
        test.end()
    }

    @Test(arguments: [(1, 4096), (256, 2)])
    func aHistoryThatIsTooLongIsRemovedButForTheLastMinute(history: Int, total: Int) throws {
        // GIVEN a history of at most 1 MiB, or recordings of 2 MiB together
        var settings = RecorderSettings()
        (settings.historyMebibytes, settings.totalMebibytes) = (history, total)
        let test = try RecorderBench(settings: settings, mode: .event)
        // WHEN more comes than that, and then something happens
        for k in 0..<200_000 {
            test.input(Double(k) * 0.005)
            if k % 20 == 19 { test.poll(Double(k) * 0.005) }
            if k % 10_000 == 9999 { test.settle() }
        }
        #expect(!test.worker.status(at: at(1000)).isFromStart)
        lose(test, at: 1000)
        for k in 200_000..<200_200 { test.step(Double(k) * 0.005) }
        test.end()
        // THEN the minute before is kept, and not much more
        let inputs = try inputs(test)
        #expect(inputs.last == 200_200)
        #expect((60 * 200...95 * 200).contains(inputs.count), "\(inputs.count)")
        // THEN one line says that the replay will align again
        let lines = test.log.lines.map(\.text).filter { $0.contains("it has 1 MiB (recording.history_mib") }
        #expect(lines.count == 1 && lines[0].contains("only the last minute is kept"), "\(lines)")
    }

    @Test func aHistoryHasTheMebibytesOfTheSettings() throws {
        // GIVEN a mebibyte for what came before WHEN nothing happens until the recorder gives the history up
        var settings = RecorderSettings()
        settings.historyMebibytes = 1
        let test = try RecorderBench(settings: settings, mode: .event)
        var (sizes, number) = ([Int](), 0)
        repeat {
            for _ in 0..<200 {
                test.input(Double(number) * 0.005)
                number += 1
            }
            test.poll(Double(number) * 0.005)
            test.settle()
            var size = 0
            for file in test.files {
                size += (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
            }
            sizes.append(size)
        } while test.worker.status(at: at(Double(number) * 0.005)).isFromStart && number < 200_000
        // THEN what is on the disk is just more than that
        #expect(sizes.count > 10 && (sizes.dropLast().last ?? .max) <= 1 << 20, "\(sizes.suffix(2))")
        #expect((sizes.last ?? 0) > 1 << 20, "\(sizes.suffix(2))")
        test.end()
    }

    @Test func whoWantsNoHistoryIsNotToldThatItIsGone() throws {
        // GIVEN settings that keep no history
        var settings = RecorderSettings()
        settings.historyMebibytes = 0
        let test = try RecorderBench(settings: settings, mode: .event)
        // WHEN nothing happens for 300 s
        for k in 0..<3000 { test.step(Double(k) * 0.1) }
        test.settle()
        // THEN only the last minute is kept, and no line is written about that
        #expect((2...4).contains(test.files.count) && !test.worker.status(at: at(300)).isFromStart, "\(test.files)")
        #expect(!test.log.lines.contains { $0.text.contains("is removed") }, "\(test.log.lines)")
        test.end()
    }

    @Test func aRecordingByCommandStartsWithTheHistory() throws {
        // GIVEN a recorder that waits for an event
        let test = try RecorderBench(mode: .event)
        for k in 0..<2000 { test.step(Double(k) * 0.1) }
        // WHEN a recording is started by command, and stopped
        var inbox = Recorder.Inbox()
        inbox.command = true
        test.worker.take(inbox, at: at(200))
        for k in 2000..<2100 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(210)).state == .recording && test.worker.status(at: at(210)).isFromStart)
        inbox.command = false
        test.worker.take(inbox, at: at(210))
        test.step(210)
        test.end()
        // THEN it has everything since the engine's start
        #expect(try inputs(test).prefix(2100) == (1...2100).map { UInt64($0) }[...])
    }

    @Test func aResetWhoseFileIsRemovedIsNoLongerTold() throws {
        // GIVEN a recorder that waits for an event, and keeps no history, and a reset after ten seconds
        var settings = RecorderSettings()
        settings.historyMebibytes = 0
        let test = try RecorderBench(settings: settings, mode: .event)
        func step(_ seconds: ClosedRange<Int>) -> RecorderStatus {
            for second in seconds { test.step(Double(second)) }
            return test.worker.status(at: at(Double(seconds.upperBound)))
        }
        _ = step(0...9)
        test.inputs.note(.command(.reset()), published: 10)
        #expect(step(10...60).hasReset)
        // WHEN the minute of the reset is removed, and then something happens
        let waiting = step(61...200)
        #expect(waiting.state == .waiting && !waiting.hasReset)
        lose(test, at: 201)
        // THEN the recording has no reset
        let recording = step(201...202)
        #expect(recording.state == .recording && !recording.hasReset && !recording.isFromStart)
        // AND one that is kept is told until something behind it is removed: the recording lasts until 261 s, and the
        // file of the 30 s after it is removed a minute later
        test.inputs.note(.command(.reset()), published: 203)
        #expect(step(203...300).hasReset)
        #expect(!step(301...400).hasReset)
        test.end()
    }

    @Test func aRecordingWhoseFirstFileMadeRoomIsNotFromTheStart() throws {
        // GIVEN a recorder that records always, at most 2 MiB together, with a reset in its first file
        var settings = RecorderSettings()
        settings.totalMebibytes = 2
        let test = try RecorderBench(settings: settings)
        test.inputs.note(.command(.reset()), published: 0)
        var number = 0
        /// The status after 500 more inputs, or more: between two files there is none.
        func record() -> RecorderStatus {
            var status = RecorderStatus()
            repeat {
                for _ in 0..<500 {
                    test.input(Double(number) * 0.001)
                    number += 1
                }
                test.poll(Double(number) * 0.001)
                test.settle()
                status = test.worker.status(at: at(Double(number) * 0.001))
            } while status.file == nil && number < 200_000
            return status
        }
        // WHEN so much is recorded that the first file is removed
        var status = record()
        while test.files.first?.hasSuffix("-000.mcap") == true, number < 200_000 {
            #expect(status.isFromStart && status.hasReset)
            status = record()
        }
        status = record()
        // THEN the recording is neither from the start, nor has it a reset
        #expect(number < 200_000 && test.files.first?.hasSuffix("-000.mcap") == false)
        #expect(status.state == .recording && !status.isFromStart && !status.hasReset)
        #expect(!test.log.lines.contains { $0.text.contains("only the last minute") }, "\(test.log.lines)")
        test.end()
    }

    @Test(arguments: [true, false])
    func whatNobodyNeedsGoesAlsoAfterAnInterruption(goesOn: Bool) throws {
        // GIVEN a recorder that waits for an event, and keeps no history, and a disk that does nothing for 100 s
        var settings = RecorderSettings()
        settings.historyMebibytes = 0
        let test = try RecorderBench(settings: settings, mode: .event, startsDisk: false)
        for k in 0..<1000 { test.step(Double(k) * 0.1) }
        // WHEN more waits for the disk than there is room for, which interrupts the recording, and the disk continues
        let room = RecordingDisk.mostBytes - test.disk.queuedBytes
        #expect(test.disk.submit(.append([UInt8](repeating: 0, count: room))))
        for k in 1000...1010 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(101)).state == .failed)
        test.startDisk()
        test.settle()
        let files = test.files
        #expect((2...4).contains(files.count), "\(files)")
        // THEN the files of the time before are removed after a minute, or when the recorder stops
        if goesOn {
            for k in 1011...1800 { test.step(Double(k) * 0.1) }
            test.settle()
            #expect(test.worker.status(at: at(180)).state == .waiting)
            #expect(!test.files.isEmpty && Set(files).isDisjoint(with: test.files), "\(test.files)")
        }
        test.end()
        #expect(test.files.isEmpty, "\(test.files)")
    }

    @Test func partsBeyondAThousandHaveNamesOfTheirOwn() {
        let folder = RecordingFolder(path: "/f", settings: RecorderSettings())
        let names = [0, 999, 1000, 12_345].map { folder.path(session: "s", part: $0) }
        #expect(
            names == ["/f/posed-s-000.mcap", "/f/posed-s-999.mcap", "/f/posed-s-1000.mcap", "/f/posed-s-12345.mcap"])
    }
}
