import DriveRecording
import Engine
import EngineRuntime
import Foundation
import Frames
import Logging
import Measurements
import PoseMath
import Testing

@testable import Publishing
@testable import Recorder

/// The recorder's work with a clock that the test controls and a real folder.
@Suite struct RecorderWorkerTests {
    @Test func everyInputIsInTheFileAndNobodyElseMayReadIt() throws {
        // GIVEN a recorder that records always
        let test = try RecorderBench()
        // WHEN 300 inputs and their publications come within three seconds
        for k in 0..<300 { test.step(Double(k) * 0.01) }
        test.end()
        // THEN one file contains all of them, which only its owner may read
        let file = try #require(test.files.first)
        #expect(test.files.count == 1)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let entries = try test.entries(file)
        #expect(entries.inputs == (1...300).map { UInt64($0) })
        #expect(entries.publications.map(\.number) == (1...300).map { UInt64($0) })
        #expect(entries.info?.startsWithEngine == true && entries.info?.hasPublications == true)
        #expect(entries.frames > 10)
        #expect(entries.isComplete)
        #expect(test.log.lines.map(\.text).map { $0.prefix(12) } == ["recording to", "recording en"])
    }

    @Test func aRecordingMayHaveTheFirstDescriptor() async {
        // GIVEN a process whose standard input is closed, so that the file gets its descriptor WHEN it records THEN the
        // inputs are in the file
        await #expect(processExitsWith: .success) {
            close(STDIN_FILENO)
            let test = try RecorderBench()
            for k in 0..<20 { test.step(Double(k) * 0.1) }
            test.end()
            let entries = try test.entries(try #require(test.files.first))
            #expect(entries.inputs == (1...20).map { UInt64($0) } && entries.isComplete)
        }
    }

    @Test func lostInputsAreCounted() throws {
        // GIVEN a recorder
        let test = try RecorderBench()
        test.step(0)
        // WHEN more inputs come at once than the queue holds
        for k in 1...5000 { test.input(Double(k) * 0.001) }
        test.step(6)
        // THEN those that found no room are counted
        #expect(test.worker.status(at: at(6)).lost == UInt64(5001 - 2048))
        test.end()
    }

    @Test func aFileEndsAtItsSizeAndTheNextOneContinues() throws {
        // GIVEN files of at most 1 MiB, and three of them in all
        var settings = RecorderSettings()
        (settings.fileMebibytes, settings.totalMebibytes) = (1, 3)
        let test = try RecorderBench(settings: settings)
        // WHEN 200,000 inputs come
        for k in 0..<200_000 {
            test.input(Double(k) * 0.001)
            if k % 500 == 499 { test.poll(Double(k) * 0.001) }
            // The inputs of minutes come within a second: the disk may be busy with other tests.
            if k % 10_000 == 9999 { test.settle() }
        }
        test.end()
        // THEN there are several files, together within the limit, and the last one says where it belongs
        #expect((3...4).contains(test.files.count), "\(test.files)")
        let last = try test.entries(try #require(test.files.last))
        #expect((last.info?.part ?? 0) > test.files.count - 1)
        #expect(last.inputs.last == 200_000)
        // THEN it starts with the states that still have an effect, as inputs without a number
        #expect(last.inputs.first == 0)
    }

    @Test func onlyTheMinuteBeforeAndAfterAnEventIsKept() throws {
        // GIVEN a recorder that waits for an event, and keeps no history
        var settings = RecorderSettings()
        settings.historyMebibytes = 0
        let test = try RecorderBench(settings: settings, mode: .event)
        // WHEN nothing happens for 300 s
        for k in 0..<3000 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(300)).state == .waiting)
        test.settle()
        // THEN the files of the last minute are there, and one that is being written
        #expect((2...4).contains(test.files.count), "\(test.files)")
        // WHEN the pose is lost, and nothing else for 300 s
        test.server.tap.note(.event(.init(timeNanoseconds: 1, change: .poseState(.lost))), now: at(300))
        for k in 3000..<3100 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(310)).state == .recording)
        for k in 3100..<6000 { test.step(Double(k) * 0.1) }
        test.end()
        // THEN what is left covers the minute before and after the event, and not much more
        var times: [Double] = []
        for file in test.files { times += try test.entries(file).times }
        #expect((times.min() ?? 0) <= 240 && (times.min() ?? 0) > 180, "\(times.min() ?? -1)")
        #expect((times.max() ?? 0) >= 360 && (times.max() ?? 0) < 400, "\(times.max() ?? -1)")
    }

    @Test func aFolderThatCannotBeWrittenIsOneLineAndRecordingContinuesLater() throws {
        // GIVEN a folder whose place is taken by a file
        let test = try RecorderBench(breaksFolder: true)
        // WHEN a minute passes
        for k in 0..<600 { test.step(Double(k) * 0.1, settles: k % 10 == 0) }
        // THEN there is one line about it with the remedy, the status says so, and nothing else is affected
        let errors = test.log.lines.filter { $0.level == .error }
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.text.contains("is not a folder; remove it, or name another folder") == true)
        #expect(test.worker.status(at: at(60)).problem?.contains("is not a folder") == true)
        // WHEN the folder can be made
        unlink(test.folder)
        for k in 600..<1000 { test.step(Double(k) * 0.1, settles: k % 10 == 0) }
        // THEN recording continues
        #expect(test.worker.status(at: at(100)).problem == nil)
        #expect(test.log.lines.contains { $0.text.hasPrefix("recording continues in") })
        test.end()
        #expect(test.files.count == 1)
    }

    @Test func aFullDiskInterruptsTheRecording() throws {
        // GIVEN more reserved space than any disk has
        var settings = RecorderSettings()
        settings.reserveMebibytes = 1 << 40
        let test = try RecorderBench(settings: settings)
        // WHEN it records for a minute THEN the problem names the setting
        for k in 0..<600 { test.step(Double(k) * 0.1, settles: true) }
        #expect(test.worker.status(at: at(60)).problem?.contains("lower recording.reserve_mib") == true)
        test.end()
        // THEN the attempts leave no files behind
        #expect(test.files.isEmpty, "\(test.files)")
    }

    @Test func aDiskThatStallsFor5SecondsLosesNothing() throws {
        // GIVEN a disk that does nothing for 5 s, and 1000 inputs per second
        let test = try RecorderBench(startsDisk: false)
        for k in 0..<5000 {
            test.input(Double(k) * 0.001)
            if k % 100 == 99 { test.poll(Double(k) * 0.001) }
        }
        // WHEN it continues
        test.startDisk()
        test.end()
        // THEN everything is in the file
        #expect(try test.entries(try #require(test.files.first)).inputs == (1...5000).map { UInt64($0) })
        #expect(test.worker.status(at: at(6)).lost == 0 && test.worker.status(at: at(6)).lostChunks == 0)
    }

    @Test func aDiskThatStallsForMinutesInterruptsAndIsCounted() throws {
        // GIVEN a disk that does nothing
        let test = try RecorderBench(startsDisk: false)
        // WHEN more is recorded than 4 MiB
        for k in 0..<200_000 {
            test.input(Double(k) * 0.001)
            if k % 500 == 499 { test.poll(Double(k) * 0.001) }
        }
        // THEN the memory for it stays within the limit, and the interruption is counted
        #expect(test.disk.queuedBytes <= RecordingDisk.mostBytes)
        #expect(test.worker.status(at: at(200)).lostChunks >= 1)
        #expect(test.log.lines.contains { $0.text.contains("the disk is too slow") })
        test.startDisk()
        test.end()
    }

    @Test func aFileThatEndsWhileTheDiskStallsLosesNothing() throws {
        // GIVEN files of at most 1 MiB, and a disk that does nothing
        var settings = RecorderSettings()
        settings.fileMebibytes = 1
        let test = try RecorderBench(settings: settings, startsDisk: false)
        // WHEN two files end, and a third one has begun, before it continues
        var number = 0
        func poll() {
            for _ in 0..<500 {
                test.input(Double(number) * 0.001)
                number += 1
            }
            test.poll(Double(number) * 0.001)
        }
        while test.disk.queuedBytes < 5 << 19, number < 200_000 { poll() }
        test.startDisk()
        test.settle()
        poll()
        let status = test.worker.status(at: at(Double(number) * 0.001))
        test.end()
        // THEN everything is in the files, and the recording is from the start
        let inputs = try test.files.flatMap { try test.entries($0).inputs }.filter { $0 > 0 }
        #expect(inputs == (1...UInt64(number)).map { $0 }, "\(inputs.count) of \(number)")
        #expect(test.files.count == 3 && status.isFromStart && status.lost == 0 && status.lostChunks == 0)
    }

    @Test func anEndThatCannotBeWrittenInterruptsTheRecording() throws {
        // GIVEN a file that has ended, of which the disk has written nothing
        var settings = RecorderSettings()
        settings.fileMebibytes = 1
        let test = try RecorderBench(settings: settings, startsDisk: false)
        var number = 0
        repeat {
            for _ in 0..<500 {
                test.input(Double(number) * 0.001)
                number += 1
            }
            test.poll(Double(number) * 0.001)
        } while test.worker.status(at: at(Double(number) * 0.001)).file != nil && number < 200_000
        // WHEN the disk has no room for it, and has room again before the next file
        (settings.mode, settings.reserveMebibytes) = (.always, 1 << 40)
        test.disk.use(RecordingFolder(path: test.folder, settings: settings))
        test.startDisk()
        test.settle()
        settings.reserveMebibytes = 0
        test.disk.use(RecordingFolder(path: test.folder, settings: settings))
        test.step(Double(number) * 0.001 + 0.1)
        // THEN the recording is interrupted, as in the middle of a file
        let status = test.worker.status(at: at(Double(number) * 0.001 + 0.1))
        #expect(status.state == .failed && !status.isFromStart)
        #expect(status.problem?.hasPrefix("recording interrupted: ") == true)
        test.end()
    }

    @Test func allRecordingsTogetherStayWithinTheirSizeWhileAFileGrows() throws {
        // GIVEN files of at most 256 MiB, and 2 MiB in all
        var settings = RecorderSettings()
        settings.totalMebibytes = 2
        let test = try RecorderBench(settings: settings)
        // WHEN more than that is recorded
        var sizes: [Int] = []
        for k in 0..<150_000 {
            test.input(Double(k) * 0.001)
            if k % 500 == 499 { test.poll(Double(k) * 0.001) }
            guard k % 5_000 == 4_999 else { continue }
            test.settle()
            var size = 0
            for file in test.files {
                size += (try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
            }
            sizes.append(size)
        }
        test.end()
        // THEN no more than 2 MiB are on the disk at any time, and what is removed is the oldest quarter
        #expect((sizes.max() ?? 0) <= 2 << 20, "\(sizes)")
        #expect((sizes.last ?? 0) > 5 << 18, "\(sizes)")
        #expect((3...4).contains(test.files.count), "\(test.files)")
        #expect(try test.entries(try #require(test.files.last)).inputs.last == 150_000)
    }

    @Test func aCommandOverridesTheSettingsUntilTheNextCommand() throws {
        // GIVEN a recorder that is off
        let test = try RecorderBench(mode: .off)
        for k in 0..<20 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(2)).state == .off && !test.inputs.isOpen)
        // WHEN it is started by command, with the state of a source
        var inbox = Recorder.Inbox()
        inbox.command = true
        inbox.context = [.report(SourceReport(time: at(0), source: .gps, state: .waiting))]
        test.worker.take(inbox, at: at(2))
        for k in 20..<60 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(6)).state == .recording)
        // WHEN it is stopped
        inbox = Recorder.Inbox()
        inbox.command = false
        test.worker.take(inbox, at: at(6))
        for k in 60..<80 { test.step(Double(k) * 0.1) }
        #expect(test.worker.status(at: at(8)).state == .off && !test.inputs.isOpen)
        test.end()
        // THEN the file has what came between, after the state; the engine was running before
        let entries = try test.entries(try #require(test.files.first))
        #expect(entries.inputs == [0] + (21...60).map { UInt64($0) })
        #expect(entries.info?.startsWithEngine == false && entries.info?.publishedBefore == 20)
    }
}
