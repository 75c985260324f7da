import DriveRecording
import Engine
import Foundation
import Frames
import Guidance
import Measurements
import PoseMath
import Recording
import RoadData
import Testing

@testable import Replay

/// Recordings that begin in mid-run, or have several files: which frames of the replay are those that were published.
@Suite struct ExactReplayTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardized.path

    /// A live engine with what it publishes, and a recording of it from some time on.
    private final class Live {
        var machine = Engine()
        var predictor = FramePredictor()
        var writer: DriveRecordingWriter
        var (number, made) = (UInt64(0), UInt64(0))
        let begin: Double
        /// Frames published since the reset.
        var published = 0
        var isAfterReset = false

        private var info = RecordingInfo(release: "1", session: "s")
        /// The files that are complete.
        private(set) var files: [[UInt8]] = []

        init(begin: Double) {
            self.begin = begin
            (info.hasPublications, info.startsWithEngine) = (true, begin <= 0)
            writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        }

        /// Ends the file, and starts the next one with a route as the recorder does.
        func nextFile(_ route: Route) {
            writer.finish()
            files.append(writer.takeBytes())
            (info.part, info.publishedBefore) = (info.part + 1, made)
            writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
            writer.write(.command(.setRoute(route, version: 4)), number: 0)
        }

        /// Writes the files; the path of the first one.
        func save() throws -> String {
            writer.finish()
            let stem = NSTemporaryDirectory() + "posed-reset-\(UUID().uuidString)"
            for (part, bytes) in (files + [writer.takeBytes()]).enumerated() {
                try Data(bytes).write(to: URL(fileURLWithPath: "\(stem)-00\(part).mcap"))
            }
            return "\(stem)-000.mcap"
        }

        func take(_ input: EngineInput, at time: MonotonicTime) {
            number += 1
            let isRecorded = time.seconds >= begin
            var input = input
            if case .command(let command) = input {
                input = .command(command.completed(by: &machine, published: made))
            }
            if isRecorded { writer.write(input, number: number) }
            let isRepeat = if case .repetition = input { true } else { false }
            guard machine.apply(input) || isRepeat else { return }
            made += 1
            // Every third frame is not the newest when it is published.
            let isNewest = made % 3 != 0
            let now = time.advanced(bySeconds: 3e-4)
            let frame = predictor.prepare(machine.frame, isRepeat: isRepeat, isNewest: isNewest, now: now)
            guard isRecorded else { return }
            if isAfterReset { published += 1 }
            writer.write(frame, number: made)
            writer.write([Publication(number: made, time: now, isNewest: isNewest, isRepeat: isRepeat)])
        }

        /// The machine was suspended until an instant.
        func suspend(until time: MonotonicTime) {
            take(.command(.reset(after: machine.pastOfSuspension(until: time, published: made))), at: time)
            isAfterReset = true
        }

        func reset(at time: MonotonicTime) {
            take(.command(.reset()), at: time)
            isAfterReset = true
        }
    }

    /// The sample drive along its route, recorded from a second on, with resets and with a new file at some seconds.
    /// Returns the path of the first file and the number of frames from the first reset on.
    ///
    /// - Parameter areSuspensions: whether the machine is suspended instead of each reset.
    private func record(from begin: Double, resets: [Double], files: [Double] = [], areSuspensions: Bool = false) throws
        -> (path: String, published: Int)
    {
        let live = Live(begin: begin)
        let route = try RouteFile.read(path: "\(Self.package)/config/demo-route.json").route
        live.take(.command(.setRoute(route, version: 4)), at: MonotonicTime(nanoseconds: 0))
        if begin > 0 { live.writer.write(.command(.setRoute(route, version: 4)), number: 0) }
        let reader = try FolderReader(folder: "\(Self.package)/samples/drive")
        var (rest, ends, wheels) = (resets[...], files[...], 0.0)
        while let event = try reader.next() {
            let time = event.arrivalTime
            if let end = ends.first, time.seconds >= end {
                live.nextFile(route)
                ends.removeFirst()
            }
            if let next = rest.first, time.seconds >= next {
                if areSuspensions { live.suspend(until: time) } else { live.reset(at: time) }
                live.take(.repetition(time), at: time)
                rest.removeFirst()
            }
            if time.seconds > wheels + 2 {
                wheels = time.seconds
                live.take(.report(SourceReport(time: time, source: .wheels, state: .streaming)), at: time)
                live.take(.event(.wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: 9))), at: time)
                var answer = SpeedHorizon(time: MonotonicTime(nanoseconds: live.machine.frame.timeNanoseconds))
                (answer.limit, answer.limitSource) = (.metersPerSecond(14), .road)
                live.take(.command(.setSpeedHorizon(answer)), at: time)
            }
            live.take(.event(event), at: time)
        }
        return (try live.save(), live.published)
    }

    /// Removes the files of a recording.
    private func remove(_ path: String) {
        for part in 0..<4 { unlink(path.replacing("-000.mcap", with: "-00\(part).mcap")) }
    }

    @Test(arguments: [(20.0, [20.0]), (13.37, [31.0]), (5.0, [5.5, 40.0])])
    func aRecordingFromMidRunIsTheSameAfterAReset(begin: Double, resets: [Double]) throws {
        // GIVEN a drive along a route that is recorded from some second on, and reset then or later
        let (path, published) = try record(from: begin, resets: resets)
        defer { remove(path) }
        // WHEN it is replayed
        let summary = try Replay(recording: path).run(writingTo: "/dev/null")
        // THEN all frames since the first reset are the same to the byte, but for repetitions of the last frame from
        // before it, and for up to two whose time follows from an unknown one
        #expect(summary.recordedFrames >= published - 4 && summary.recordedFrames > 1000, "\(summary)")
        #expect(summary.identicalFrames == summary.recordedFrames, "\(summary)")
        let begins = summary.notes.filter { $0.contains("those that were published only from") }
        #expect(begins.count == 1, "\(summary.notes)")
        let seconds = begins.first?.split(separator: " ").compactMap { Double($0) }.first ?? -1
        #expect(abs(seconds - (resets[0] - begin)) <= 0.2, "\(begins)")
    }

    @Test(arguments: [20.0, -1])
    func aSuspensionIsReplayedWithWhatStays(begin: Double) throws {
        // GIVEN a drive whose machine is suspended when its mount is known, recorded from the start or from mid-run
        let (path, published) = try record(from: begin, resets: [41.5], areSuspensions: true)
        defer { remove(path) }
        // WHEN it is replayed THEN all frames that are known are the same to the byte
        let summary = try Replay(recording: path).run(writingTo: "/dev/null")
        #expect(summary.recordedFrames >= published - 4 && summary.recordedFrames > 500, "\(summary)")
        #expect(summary.identicalFrames == summary.recordedFrames, "\(summary)")
    }

    @Test func aRecordingOfSeveralFilesIsTheSame() throws {
        // GIVEN a recording of three files from the start
        let (path, _) = try record(from: -1, resets: [], files: [17.3, 40])
        defer { remove(path) }
        // WHEN it is replayed by its first file THEN the other files continue it, and all frames are the same
        let whole = try Replay(recording: path).run(writingTo: "/dev/null")
        #expect(whole.recordedFrames >= 3000 && whole.identicalFrames == whole.recordedFrames, "\(whole)")
        #expect(whole.notes.isEmpty, "\(whole.notes)")
        // WHEN the second file is missing THEN the replay ends with the first
        unlink(path.replacing("-000.mcap", with: "-001.mcap"))
        let first = try Replay(recording: path).run(writingTo: "/dev/null")
        #expect(abs(first.seconds - 17.3) < 0.5 && first.identicalFrames == first.recordedFrames, "\(first)")
        // WHEN it is replayed by its third file THEN nothing is claimed, and the note says which part it is
        let last = try Replay(recording: path.replacing("-000.mcap", with: "-002.mcap")).run(writingTo: "/dev/null")
        #expect(last.recordedFrames == 0 && last.notes.contains { $0.contains("is part 2 of its") }, "\(last.notes)")
    }

    /// Keeps the versions of the route in the frames, in their order, and counts the routes.
    private final class RouteVersions: ReplaySink {
        private(set) var versions: [UInt32] = []
        private(set) var routes = 0

        func write(_ frame: Frame) {
            if frame.guidance.routeVersion != versions.last { versions.append(frame.guidance.routeVersion) }
        }

        func finish() {}
        func note(_ route: Route?) { routes += 1 }
    }

    @Test func aGivenRouteIsTheFirstOneAndReplacesTheRecordedOnes() throws {
        // GIVEN a recording of two files whose route has version 4, with a reset, and a drive of measurements alone
        let (path, _) = try record(from: -1, resets: [31], files: [17.3])
        defer { remove(path) }
        let given = "\(Self.package)/config/demo-route.json"
        // WHEN each is replayed along a given route THEN that has version 1 from the first frame to the last
        var (replay, kept) = (Replay(recording: path), RouteVersions())
        replay.routeFile = given
        _ = try replay.runRecorded(into: kept)
        #expect(kept.versions == [1] && kept.routes == 1)
        (replay, kept) = (Replay(recording: "\(Self.package)/samples/drive"), RouteVersions())
        replay.routeFile = given
        _ = try replay.run(try replay.openRecording(), into: kept)
        #expect(kept.versions == [1] && kept.routes == 1)
        // WHEN the recording is replayed without one THEN it has the recorded one
        kept = RouteVersions()
        _ = try Replay(recording: path).runRecorded(into: kept)
        #expect(kept.versions == [4])
    }

    /// Pasts as nobody but an attacker writes them, each with extreme times and counts.
    private static let hostilePasts: [@Sendable (inout EnginePast) -> Void] = [
        { $0.estimator.time = MonotonicTime(nanoseconds: (1 << 62) - 1) },
        { $0.estimator.time = MonotonicTime(nanoseconds: -(1 << 62) + 1) },
        { $0.lastMeasurement = MonotonicTime(nanoseconds: (1 << 62) - 1) },
        { $0.lastMeasurement = MonotonicTime(nanoseconds: -(1 << 62) + 1) },
        { $0.lastWheelSpeed = MonotonicTime(nanoseconds: -(1 << 62) + 1) },
        { $0.clock = UTCLabel(recentOffsets: [Int64](repeating: .max, count: 20)) },
        { $0.clock = UTCLabel(recentOffsets: [.min, .max, 0]) },
        { ($0.published, $0.sequence) = ((1 << 62) - 1, (1 << 62) - 1) },
        { ($0.originEpoch, $0.progressJumpCount) = ((1 << 31) - 1, (1 << 31) - 1) },
        { ($0.estimator.jumpCount, $0.routeVersion, $0.fixMode) = ((1 << 31) - 1, .max, .max) },
        { $0.estimator.jumpCount = .max - 1 },
        { ($0.progressJumpMeters, $0.estimator.lastJumpENUMeters.x) = (1e300, -1e300) },
        { ($0.headingTrimRadians, $0.estimator.measuredFrom) = (1e300, MonotonicTime(nanoseconds: (1 << 62) - 1)) },
    ]

    @Test(arguments: hostilePasts.indices)
    func aHostilePastHarmsNothing(index: Int) throws {
        // GIVEN a recording with resets whose past nobody could have had
        var info = RecordingInfo(release: "1", session: "s")
        info.hasPublications = true
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        let reader = try FolderReader(folder: "\(Self.package)/samples/drive")
        var number = UInt64(0)
        while number < 1500, let event = try reader.next() {
            number += 1
            if number % 400 == 100 {
                var past = EnginePast()
                Self.hostilePasts[index](&past)
                writer.write(.command(.reset(after: past)), number: number)
                writer.write(.tick(event.arrivalTime), number: number)
            }
            writer.write(.event(event), number: number)
            writer.write([Publication(number: number, time: event.arrivalTime, isNewest: true, isRepeat: false)])
        }
        writer.finish()
        let path = NSTemporaryDirectory() + "posed-hostile-\(UUID().uuidString).mcap"
        try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        // WHEN it is replayed THEN it ends, and no line has a number that is none
        let output = path + ".ndjson"
        defer { unlink(output) }
        _ = try Replay(recording: path).run(writingTo: output)
        let lines = try String(contentsOfFile: output, encoding: .utf8)
        #expect(!lines.contains("nan") && !lines.contains("inf"))
    }

    @Test func withoutAResetNothingIsClaimed() throws {
        let (path, _) = try record(from: 20, resets: [])
        defer { remove(path) }
        let summary = try Replay(recording: path).run(writingTo: "/dev/null")
        #expect(summary.recordedFrames == 0)
        #expect(summary.notes.contains { $0.contains("posectl record start --reset") }, "\(summary.notes)")
    }
}
