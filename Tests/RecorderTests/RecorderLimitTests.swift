import DriveRecording
import Engine
import Foundation
import Frames
import Glibc
import KeptLog
import Logging
import Measurements
import PoseMath
import Testing

@testable import EngineRuntime
@testable import Publishing
@testable import Recorder

/// When the recorder does what, to the step of the test's clock, and what it tells.
@Suite struct RecorderLimitTests {
    private func bytes(_ path: String?) -> Int {
        var information = stat()
        return path.map { stat($0, &information) == 0 ? Int(information.st_size) : 0 } ?? 0
    }

    @Test func aFailureIsTriedAgainAfterTenSecondsAndOverAfterThree() throws {
        // GIVEN a folder whose place is taken by a file, which the recorder finds out a quarter of a second later
        let test = try RecorderBench(breaksFolder: true, startsDisk: false)
        func step(_ quarter: Int) -> RecorderStatus {
            test.step(Double(quarter) / 4, settles: true)
            return test.worker.status(at: at(Double(quarter) / 4))
        }
        test.step(0)
        #expect(test.worker.status(at: at(0)).file != nil)
        test.startDisk()
        test.settle()
        let failed = step(1)
        #expect(failed.state == .failed && failed.file == nil && failed.seconds == 0 && failed.bytes == 0)
        // WHEN the folder can be made THEN nothing is tried for ten seconds
        unlink(test.folder)
        for quarter in 2...40 { #expect(step(quarter).file == nil) }
        // AND the problem is over when a file was written for three seconds
        for quarter in 41...52 {
            let status = step(quarter)
            #expect(status.file != nil && status.problem == failed.problem && status.state == .recording)
            #expect(status.seconds == Double(quarter - 41) / 4)
        }
        let over = step(53)
        #expect(over.problem == nil && over.state == .recording && !over.isFromStart)
        let path = try #require(over.file)
        #expect(test.log.lines.map(\.text).suffix(1) == ["recording continues in \(path)"])
        test.end()
        #expect(test.log.lines.map(\.text).suffix(1) == ["recording ended: \(path)"])
    }

    @Test func aChunkIsWrittenEverySecond() throws {
        // GIVEN a recorder that looks into its queues four times a second WHEN it records THEN the file grows with each
        // full second
        let test = try RecorderBench()
        var sizes: [Int] = []
        for quarter in 0...12 {
            test.step(Double(quarter) / 4, settles: true)
            let status = test.worker.status(at: at(Double(quarter) / 4))
            #expect(status.bytes >= bytes(status.file))
            sizes.append(bytes(status.file))
        }
        for quarter in 1...12 {
            #expect((sizes[quarter] > sizes[quarter - 1]) == (quarter % 4 == 0), "\(quarter): \(sizes)")
        }
        test.end()
    }

    @Test func aResetIsToldOfTheRecordingThatHasIt() throws {
        // GIVEN a recorder that is off WHEN posed is reset THEN that is not of a recording
        let test = try RecorderBench(mode: .off)
        let reset = EngineInput.command(.reset())
        test.inputs.isOpen = true
        test.inputs.note(reset, published: 0)
        test.poll(0)
        // WHEN it records, and posed is reset THEN it is, until the recording ends
        var inbox = Recorder.Inbox()
        inbox.command = true
        test.worker.take(inbox, at: at(1))
        test.step(1)
        #expect(!test.worker.status(at: at(1)).hasReset)
        test.inputs.note(reset, published: 1)
        test.poll(2)
        #expect(test.worker.status(at: at(2)).hasReset)
        inbox.command = false
        test.worker.take(inbox, at: at(3))
        test.poll(3)
        #expect(!test.worker.status(at: at(3)).hasReset)
        inbox.command = true
        test.worker.take(inbox, at: at(4))
        test.step(4)
        #expect(!test.worker.status(at: at(4)).hasReset && test.worker.status(at: at(4)).state == .recording)
        test.end()
    }

    @Test func withoutAFolderThereIsAProblem() throws {
        // GIVEN settings without a folder THEN a mode that records is a problem, told once, and `off` is none
        for mode in RecordingMode.allCases {
            let test = try RecorderBench(mode: .off)
            var (settings, inbox) = (RecorderSettings(), Recorder.Inbox())
            (settings.mode, settings.isPrivate) = (mode, true)
            (inbox.settings, inbox.folder) = (settings, nil)
            for _ in 0..<2 { test.worker.take(inbox, at: at(1)) }
            test.step(1)
            let text = "nothing is recorded: no folder; set recording.folder, or run posed as a service"
            let status = test.worker.status(at: at(1))
            #expect(status.problem == (mode == .off ? nil : text) && status.isPrivate)
            #expect(status.state == (mode == .off ? .off : .failed))
            #expect(test.log.lines.map(\.text) == (mode == .off ? [] : [text]) && test.files.isEmpty)
            #expect(!test.inputs.isOpen && !test.server.tap.isOpen && test.worker.isIdle)
            test.end()
        }
    }

    @Test func whatTheSettingsSwitchOffHasNoProblem() throws {
        // GIVEN a recording that cannot be written, because the place of the folder is taken by a file
        let test = try RecorderBench(breaksFolder: true)
        test.step(0, settles: true)
        test.step(0.1)
        #expect(test.worker.status(at: at(0.1)).state == .failed)
        // WHEN recording is switched off THEN there is nothing that fails
        var settings = RecorderSettings()
        settings.mode = .off
        test.use(settings, at: 1)
        test.step(1)
        let status = test.worker.status(at: at(1))
        #expect(status.state == .off && status.problem == nil)
        test.end()
    }

    @Test func whatIsLostIsTheSumOfAllQueues() throws {
        // GIVEN a recorder that does not look WHEN each queue gets more than it holds THEN what found no room is added
        let test = try RecorderBench()
        for number in 0..<2058 { test.input(Double(number) * 0.001) }
        let tap = test.server.tap
        tap.frameIntervalNanoseconds = 0
        for number in 0..<2053 {
            tap.note(
                Frame(), of: PublishedFrame(frame: Frame(), isRepeat: number >= 35, number: UInt64(number)),
                isNewest: true, now: at(1))
        }
        for _ in 0..<66 { tap.note(.event(.init(timeNanoseconds: 1, change: .reset(count: 0))), now: at(1)) }
        // 10 inputs, 5 notes, 3 frames and 2 events.
        #expect(test.worker.status(at: at(1)).lost == 20)
        test.end()
    }

    // MARK: - The disk and the folder

    @Test(arguments: [((2 << 20) - 1, true), (2 << 20, false)])
    func aRecordingBeginsWhileLessThanTwoMebibytesWait(waiting: Int, begins: Bool) throws {
        // GIVEN a disk for which so many bytes wait WHEN an input comes THEN a recording begins, or not yet
        let test = try RecorderBench(startsDisk: false)
        #expect(test.disk.submit(.append([UInt8](repeating: 0, count: waiting))))
        test.step(0)
        #expect((test.worker.status(at: at(0)).file != nil) == begins)
        test.startDisk()
        test.end()
        #expect(test.files.count == (begins ? 1 : 0), "\(test.files)")
    }

    @Test func aChunkWithoutRoomInterruptsTheRecording() throws {
        // GIVEN a recording whose disk takes nothing, and for which four mebibytes wait
        let test = try RecorderBench(startsDisk: false)
        test.step(0)
        let room = (4 << 20) - test.disk.queuedBytes
        #expect(test.disk.submit(.append([UInt8](repeating: 0, count: room))))
        // WHEN the first chunk is to be written THEN it is counted as lost, and the reason is told
        test.step(1)
        let status = test.worker.status(at: at(1))
        #expect(status.lostChunks == 1 && status.state == .failed)
        #expect(
            status.problem
                == "recording interrupted: the disk is too slow: 4 MiB are waiting for it; use a faster one")
        test.startDisk()
        test.end()
    }

    @Test func aFileHasItsEndThoughNothingElseHasRoom() throws {
        // GIVEN a recording whose disk takes nothing, and for which four mebibytes wait
        let test = try RecorderBench(startsDisk: false)
        test.step(0)
        let room = (4 << 20) - test.disk.queuedBytes
        #expect(test.disk.submit(.append([UInt8](repeating: 0, count: room))))
        // WHEN it ends, and the disk continues THEN the end of the file is there
        test.worker.close()
        test.startDisk()
        test.settle()
        test.end()
        let file = try #require(test.files.first)
        let content = try #require(FileManager.default.contents(atPath: file))
        #expect(content.count > 4 << 20)
        #expect(Array(content.suffix(8)) == [0x89] + Array("MCAP0\r\n".utf8))
        #expect(test.disk.queuedBytes == 0)
    }

    @Test func theOldestGoAsSoonAsAFileGrowsBeyondTheTotal() throws {
        // GIVEN a recording of 1.5 MiB, and 2 MiB for all WHEN a file grows to the rest THEN both stay, and with one
        // byte more the older one goes
        let folder = try TemporaryPlace()
        let (older, path) = ("\(folder.path)/posed-a.mcap", "\(folder.path)/posed-b.mcap")
        try Data(count: 3 << 19).write(to: URL(fileURLWithPath: older))
        var settings = RecorderSettings()
        (settings.totalMebibytes, settings.reserveMebibytes) = (2, 0)
        let disk = RecordingDisk()
        disk.use(RecordingFolder(path: folder.path, settings: settings))
        #expect(disk.start())
        disk.open(path: path)
        _ = disk.submit(.append([UInt8](repeating: 1, count: 1 << 19)))
        disk.settle()
        #expect(bytes(older) == 3 << 19 && bytes(path) == 1 << 19)
        _ = disk.submit(.append([2]))
        disk.settle()
        #expect(access(older, F_OK) != 0 && bytes(path) == (1 << 19) + 1 && disk.problem == nil)
        disk.stop()
    }

    @Test func fourMebibytesWaitForTheDisk() throws {
        // GIVEN a disk that does nothing WHEN 4 MiB wait THEN not one byte more is taken, but other work is
        let disk = RecordingDisk()
        #expect(!disk.isBusy && disk.submit(.append([UInt8](repeating: 0, count: (4 << 20) - 1))) && disk.isBusy)
        #expect(disk.submit(.append([1])) && !disk.submit(.append([1])) && disk.submit(.close))
        #expect(disk.queuedBytes == 4 << 20)
        // WHEN it works, without a file THEN the bytes are gone, and there is room again
        disk.use(RecordingFolder(path: "/nowhere/posed", settings: RecorderSettings()))
        #expect(disk.start() && disk.start())
        disk.settle()
        #expect(disk.queuedBytes == 0 && disk.problem == nil)
        disk.stop()
    }

    @Test(arguments: [(0, 0, false), (0, 1 << 40, true)])
    func aDiskIsShortWithLessThanTheSpareRoom(reserve: Int, spare: Int, isShort: Bool) throws {
        // GIVEN a disk with room for the reserve, and for what is spared beyond it or not WHEN bytes are written THEN
        // it is short in the second case
        let folder = try TemporaryPlace()
        var settings = RecorderSettings()
        (settings.reserveMebibytes, settings.spareMebibytes) = (reserve, spare)
        let disk = RecordingDisk()
        disk.use(RecordingFolder(path: folder.path, settings: settings))
        #expect(disk.start())
        let path = "\(folder.path)/posed-a.mcap"
        disk.open(path: path)
        _ = disk.submit(.append([1, 2, 3]))
        disk.settle()
        #expect(disk.isShort == isShort && disk.problem == nil && bytes(path) == 3)
        // AND what is not needed is removed
        _ = disk.submit(.close)
        _ = disk.submit(.remove(path: path))
        disk.settle()
        #expect(access(path, F_OK) != 0)
        // WHEN a file is there already THEN that is a problem, and the next file is none
        try Data([9]).write(to: URL(fileURLWithPath: path))
        disk.open(path: path)
        _ = disk.submit(.append([4]))
        disk.settle()
        #expect(disk.problem?.contains("cannot be created: File exists; check the folder's ") == true)
        #expect(bytes(path) == 1)
        disk.open(path: "\(folder.path)/posed-b.mcap")
        disk.settle()
        #expect(disk.problem == nil)
        disk.stop()
    }

    @Test func aReserveThatCannotBeKeptIsToldWithItsSize() throws {
        let folder = try TemporaryPlace()
        var settings = RecorderSettings()
        settings.reserveMebibytes = 1 << 40
        let disk = RecordingDisk()
        disk.use(RecordingFolder(path: folder.path, settings: settings))
        #expect(disk.start())
        disk.open(path: "\(folder.path)/posed-a.mcap")
        disk.settle()
        #expect(
            disk.problem
                == "\(folder.path): less than 1099511627776 MiB are free on the disk; free space, or lower "
                + "recording.reserve_mib")
        disk.stop()
    }

    @Test func onlyFilesThatAreTooOldAreRemoved() throws {
        // GIVEN recordings of an unset clock and of the second after, some just older than 30 days or just younger, and
        // a folder and a link of such a name
        let folder = try TemporaryPlace()
        let now = Int(Date().timeIntervalSince1970)
        let days = 30 * 86_400
        for (name, changed) in [
            ("unset", 1_577_836_800), ("old", 1_577_836_801), ("older", now - days - 60), ("younger", now - days + 60),
        ] {
            let path = "\(folder.path)/posed-\(name).mcap"
            try Data([1]).write(to: URL(fileURLWithPath: path))
            var times = [timeval(tv_sec: changed, tv_usec: 0), timeval(tv_sec: changed, tv_usec: 0)]
            #expect(utimes(path, &times) == 0)
        }
        mkdir("\(folder.path)/posed-folder.mcap", 0o700)
        symlink("/nowhere", "\(folder.path)/posed-link.mcap")
        var settings = RecorderSettings()
        (settings.reserveMebibytes, settings.totalMebibytes) = (0, 1)
        // WHEN there must be room THEN those that are too old go; when there must be more, all files
        let place = RecordingFolder(path: folder.path, settings: settings)
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        let others = ["posed-folder.mcap", "posed-link.mcap"]
        #expect(place.makeRoom(for: (1 << 20) - 2, except: nil))
        #expect(try names() == others + ["posed-unset.mcap", "posed-younger.mcap"])
        #expect(place.makeRoom(for: 1 << 20, except: nil))
        #expect(try names() == others)
    }

    @Test func aFileIsForItsUserAloneAndNew() throws {
        let folder = try TemporaryPlace()
        let place = RecordingFolder(path: "\(folder.path)/own", settings: RecorderSettings())
        let path = place.path(session: "s", part: 1)
        let descriptor = try place.create(path)
        defer { close(descriptor) }
        var information = stat()
        #expect(stat(place.path, &information) == 0 && information.st_mode & 0o777 == 0o700)
        #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == 0o600)
        #expect(throws: (any Error).self) { try place.create(path) }
    }
}

/// The recorder with its threads.
@Suite struct RecorderThreadTests {
    private let log = LogLines()
    private let inputs = InputTap()
    private let server = RecorderBench.Server()

    private func recorder() -> Recorder {
        let log = log
        return Recorder(
            source: Recorder.Source(
                inputs: inputs, publications: server.tap, release: "1", settings: { _ in RecordedSettings() },
                roads: { nil }), log: Logger(label: "test") { _ in log })
    }

    @Test func withoutAFolderNoRecordingStarts() {
        // GIVEN a recorder without a folder WHEN it is started by command THEN it says what to do, and nothing begins
        let recorder = recorder()
        var settings = RecorderSettings()
        (settings.isPrivate, settings.frameRateHertz) = (true, 2)
        recorder.use(settings, folder: nil)
        #expect(recorder.status.isPrivate && recorder.status.folder == nil && recorder.status.state == .off)
        #expect(server.tap.frameIntervalNanoseconds == 500_000_000)
        let refusal = recorder.startRecording(context: [])
        #expect(refusal?.problem == "no folder for recordings is set")
        #expect(refusal?.remedy == "set recording.folder, or run posed as a service" && !inputs.isOpen)
        recorder.note(RecordedLogLine(time: at(0), level: .info, text: "x"))
        recorder.stop()
        #expect(log.lines.isEmpty)
    }

    @Test(arguments: [true, false]) func whatComesUntilTheEndIsInTheFile(byCommand: Bool) throws {
        // GIVEN a recorder that records, by its settings or by command WHEN inputs and a line of the log come, and it
        // is stopped THEN all are in the file, with what the command knew before
        let folder = try TemporaryPlace()
        let recorder = recorder()
        var settings = RecorderSettings()
        (settings.mode, settings.reserveMebibytes) = (byCommand ? .off : .always, 0)
        recorder.use(settings, folder: folder.path)
        #expect(recorder.status.folder == folder.path && inputs.isOpen == !byCommand)
        let known = EngineInput.report(SourceReport(time: at(0), source: .gps, state: .stale))
        if byCommand { #expect(recorder.startRecording(context: [known]) == nil) }
        #expect(inputs.isOpen && server.tap.isOpen)
        inputs.note(.tick(at(0)), published: 0)
        recorder.note(RecordedLogLine(time: at(0), level: .warning, text: "told"))
        inputs.note(.tick(at(1)), published: 1)
        recorder.stop()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = try #require(names.first)
        var reader = try DriveRecordingReader(path: "\(folder.path)/\(name)")
        var (numbers, lines): ([UInt64], [String]) = ([], [])
        while let entry = try reader.next() {
            if case .input(_, let number) = entry { numbers.append(number) }
            if case .log(let line) = entry { lines.append("\(line.level) \(line.text)") }
        }
        #expect(numbers == [1, 2] && lines == ["warning told"] && reader.end == .complete && names.count == 1)
        #expect(log.lines.map(\.text.description).map { $0.prefix(9) } == ["recording", "recording"])
    }

    @Test func aRecordingThatOtherSettingsBeginHasWhatIsInForce() throws {
        // GIVEN a recorder that is off, while the engine takes its first input WHEN other settings record always THEN
        // the file begins with what they know
        let folder = try TemporaryPlace()
        let recorder = recorder()
        var settings = RecorderSettings()
        settings.reserveMebibytes = 0
        recorder.use(settings, folder: folder.path)
        inputs.note(.tick(at(0)), published: 0)
        settings.mode = .always
        let known = EngineInput.report(SourceReport(time: at(0), source: .gps, state: .stale))
        recorder.use(settings, folder: folder.path, context: [known])
        inputs.note(.tick(at(1)), published: 1)
        recorder.stop()
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        var reader = try DriveRecordingReader(path: "\(folder.path)/\(name)")
        var numbers: [UInt64] = []
        while let entry = try reader.next() {
            if case .input(_, let number) = entry { numbers.append(number) }
        }
        #expect(numbers == [0, 2])
    }
}

/// A folder that is removed with its content.
private final class TemporaryPlace {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "posed-recordings-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
