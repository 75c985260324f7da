import DriveRecording
import Engine
import Foundation
import Frames
import Glibc
import PoseMath
import Testing

@testable import Publishing
@testable import Recorder

/// When a recorder begins its files, what it keeps of them, and what each file says of its drive.
@Suite struct RecorderFilesTests {
    private func event(_ change: Message.Change, _ test: RecorderBench, at seconds: Double) {
        test.server.tap.note(.event(.init(timeNanoseconds: 1, change: change)), now: at(seconds))
    }

    @Test func whileItWaitsAFileHasThirtySeconds() throws {
        // GIVEN a recorder that waits for an event, and keeps no history WHEN time passes THEN a file is begun every 30
        // s, and those of more than a minute ago are removed
        var settings = RecorderSettings()
        settings.historyMebibytes = 0
        let test = try RecorderBench(settings: settings, mode: .event)
        var counts: [Int] = []
        for quarter in 0...(4 * 130) {
            test.step(Double(quarter) / 4)
            guard [0, 119, 121, 239, 243, 4 * 89, 4 * 95, 4 * 130].contains(quarter) else { continue }
            test.settle()
            counts.append(test.files.count)
        }
        // The files begin at 0, 30.25, 60.5, 90.75 and 121 s; the first one ends at 30 s.
        #expect(counts == [1, 1, 2, 2, 3, 3, 3, 3], "\(counts)")
        #expect(test.worker.status(at: at(130)).state == .waiting && !test.worker.status(at: at(130)).isFromStart)
        test.end()
        #expect(test.files.isEmpty)
    }

    @Test func afterAChangeOfTheModeOnlyWhatHappensIsKept() throws {
        // GIVEN a recorder that records always WHEN it is told to wait for an event THEN what comes 30 s later is no
        // longer kept
        var settings = RecorderSettings()
        settings.reserveMebibytes = 0
        let test = try RecorderBench(settings: settings, mode: .always)
        for second in 0..<5 { test.step(Double(second)) }
        #expect(test.worker.status(at: at(5)).state == .recording)
        settings.mode = .event
        test.use(settings, at: 5)
        for second in 5...50 { test.step(Double(second)) }
        #expect(test.worker.status(at: at(50)).state == .waiting)
        // WHEN an event comes THEN it is recorded, for a minute
        event(.poseState(.lost), test, at: 51)
        for second in 51...110 { test.step(Double(second)) }
        #expect(test.worker.status(at: at(110)).state == .recording)
        test.end()
        #expect(test.log.lines.filter { $0.level == .error }.isEmpty)
    }

    @Test func whatIsRecordedAlwaysIsNoHistory() throws {
        // GIVEN a disk that has nearly the reserve, and a recorder that records always WHEN it has recorded for a
        // minute THEN the recording is still from the start, and nothing was said of a history
        var settings = RecorderSettings()
        (settings.spareMebibytes, settings.historyMebibytes) = (1 << 40, 0)
        let test = try RecorderBench(settings: settings, mode: .always)
        for second in 0...60 { test.step(Double(second), settles: true) }
        #expect(test.disk.isShort)
        let status = test.worker.status(at: at(60))
        #expect(status.state == .recording && status.isFromStart)
        #expect(abs(status.seconds - 60) < 1e-6)
        #expect(test.log.lines.map(\.text).map { $0.prefix(12) } == ["recording to"], "\(test.log.lines)")
        test.end()
        #expect(test.files.count == 1)
    }

    @Test func eachFileSaysWhichRoadsWereInUse() throws {
        // GIVEN a recorder in a daemon that reads a road file after two seconds, and another one after four
        let test = try RecorderBench()
        for quarter in 0...24 {
            let path: String? = quarter < 8 ? nil : quarter < 16 ? "/a.roads" : "/b.roads"
            test.roads.file.withLock { $0 = path.map { RoadFileIdentity(path: $0, content: "1") } }
            test.step(Double(quarter) / 4)
        }
        // WHEN it goes on in a file of its own THEN that one says it too
        var settings = RecorderSettings()
        (settings.mode, settings.reserveMebibytes, settings.isPrivate) = (.always, 0, true)
        test.use(settings, at: 6.25)
        for quarter in 25...32 { test.step(Double(quarter) / 4) }
        settings.isPrivate = false
        test.use(settings, at: 8.25)
        for quarter in 33...40 { test.step(Double(quarter) / 4) }
        test.end()
        // THEN each road file is in a file once; a private recording has neither road files nor the settings file
        let contents = try test.files.map { try test.entries($0) }
        let whole = contents.filter { $0.info?.isPrivate == false }
        #expect(whole.count == 2 && contents.count == 3)
        #expect(Set(whole.map(\.roads)) == [["/a.roads", "/b.roads"], ["/b.roads"]], "\(whole.map(\.roads))")
        #expect(whole.map(\.settings) == [["whole"], ["whole"]])
        let other = contents.filter { $0.info?.isPrivate == true }
        #expect(other.map(\.roads) == [[]] && other.map(\.settings) == [[]])
    }

    @Test func aRecorderThatIsOffSaysNothing() {
        let status = RecorderStatus()
        #expect(status.state == .off && status.folder == nil && status.file == nil && status.problem == nil)
        #expect(status.bytes == 0 && status.seconds == 0 && status.lost == 0 && status.lostChunks == 0)
        #expect(!status.isFromStart && !status.hasReset && !status.isPrivate)
    }

    @Test func aDiskIsShortByWhatIsSpared() throws {
        // GIVEN a disk, and files for which three quarters of its free space are spared, or five quarters WHEN bytes
        // are written THEN it is short of space in the second case
        let path = NSTemporaryDirectory() + "posed-spare-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var information = statvfs()
        try #require(statvfs(path, &information) == 0)
        let mebibytes = Int(Double(information.f_bavail) * Double(information.f_frsize) / 1_048_576)
        try #require(mebibytes > 40)
        for (quarters, isShort) in [(3, false), (5, true)] {
            var settings = RecorderSettings()
            (settings.reserveMebibytes, settings.spareMebibytes) = (0, mebibytes * quarters / 4)
            let disk = RecordingDisk()
            disk.use(RecordingFolder(path: path, settings: settings))
            #expect(disk.start())
            disk.open(path: "\(path)/posed-\(quarters).mcap")
            _ = disk.submit(.append([1, 2, 3]))
            disk.settle()
            #expect(disk.isShort == isShort && disk.problem == nil, "\(quarters)")
            disk.stop()
        }
        #expect(RecorderSettings().spareMebibytes == 64)
    }

    @Test(arguments: [true, false])
    func aFileThatCannotGoOnIsKeptUnlessItIsEmpty(isBegun: Bool) throws {
        // GIVEN a recording, with or without something in it
        let folder = NSTemporaryDirectory() + "posed-full-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/posed-1.mcap"
        var settings = RecorderSettings()
        settings.reserveMebibytes = 0
        let disk = RecordingDisk()
        disk.use(RecordingFolder(path: folder, settings: settings))
        #expect(disk.start())
        disk.open(path: path)
        if isBegun { _ = disk.submit(.append([1, 2, 3])) }
        disk.settle()
        // WHEN the disk has no room for more
        settings.reserveMebibytes = 1 << 40
        disk.use(RecordingFolder(path: folder, settings: settings))
        _ = disk.submit(.append([4]))
        disk.settle()
        disk.stop()
        // THEN that is told, and only what has something in it stays
        #expect(disk.problem?.contains("MiB are free on the disk") == true)
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == (isBegun ? [1, 2, 3] : nil))
    }
}
