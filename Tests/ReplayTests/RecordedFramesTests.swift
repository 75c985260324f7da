import DriveRecording
import Engine
import Foundation
import Frames
import Measurements
import PoseMath
import Recording
import Synchronization
import Testing

@testable import Replay

/// The frames that are made again of a recording, and what is written of them.
@Suite struct RecordedFramesTests {
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())) }

    /// A fix, which makes a frame where there is no IMU.
    private func fix(_ seconds: Double) -> SensorEvent {
        var fix = GnssFix(validityTime: at(seconds), arrivalTime: at(seconds + 0.05), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.1, 400)
        (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (2, 4)
        return .gnss(fix)
    }

    private func sample(_ seconds: Double) -> SensorEvent {
        .inertial(
            InertialSample(
                time: at(seconds), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.81)))
    }

    private func frames(hasPublications: Bool, publishedBefore: UInt64 = 0) -> RecordedFrames {
        var info = RecordingInfo(release: "1", session: "s")
        (info.hasPublications, info.publishedBefore) = (hasPublications, publishedBefore)
        var frames = RecordedFrames(engine: EngineSettings())
        frames.begin(info)
        return frames
    }

    /// The engine's number of the frame of a publication; `nil` if the frame was not made.
    private func published(_ number: UInt64, _ frames: inout RecordedFrames) -> UInt64? {
        var found: [UInt64] = []
        let publication = Publication(number: number, time: at(100), isNewest: false, isRepeat: false)
        let isMade = frames.publish(publication) {
            found.append($0.sequence)
        } published: {
            found.append($0.sequence)
        }
        #expect(isMade == (found.count == 2) && Set(found).count <= 1)
        return isMade ? found.first : nil
    }

    @Test func thePublicationsOfASecondComeTogether() {
        // GIVEN a file before which ten frames were published, with the frames of a second WHEN they are published
        // after them all, one of them not at all THEN each is the frame of its number, and no other is there
        var frames = frames(hasPublications: true, publishedBefore: 10)
        for second in 1...5 { _ = frames.apply(fix(Double(second))) }
        #expect([11, 12, 14, 15].map { published($0, &frames) } == [1, 2, 4, 5])
        #expect(published(15, &frames) == nil && published(16, &frames) == nil)
        // AND so are those of the next second, also those that were passed over
        for second in 6...8 { _ = frames.apply(fix(Double(second))) }
        #expect([16, 18].map { published($0, &frames) } == [6, 8] && published(17, &frames) == nil)
    }

    @Test(arguments: [(8192, 1), (8193, 4097)] as [(Int, UInt64)])
    func manyFramesWaitForTheirPublication(count: Int, first: UInt64) {
        // GIVEN so many frames whose publications were lost WHEN the next publications come THEN with 8192 frames all
        // are there, and with one more the older half is gone
        var frames = frames(hasPublications: true)
        for _ in 0..<count { _ = frames.apply(.repetition(at(1))) }
        #expect(first == 1 || published(first - 1, &frames) == nil)
        #expect(published(first, &frames) != nil && published(UInt64(count), &frames) != nil)
    }

    @Test func aResetContinuesTheNumbersOfTheLiveEngine() {
        // GIVEN three frames of which none is published, and a reset after which the live engine had made 100 WHEN more
        // follow THEN the first of them has the number 101, and that stays the first one whose past is known
        var frames = frames(hasPublications: true)
        for second in 1...3 { _ = frames.apply(fix(Double(second))) }
        #expect(frames.firstKnown == nil)
        var past = EnginePast()
        past.published = 100
        _ = frames.apply(.command(.reset(after: past)))
        #expect(frames.firstKnown == nil)
        for second in 4...6 {
            _ = frames.apply(fix(Double(second)))
            #expect(frames.firstKnown == 101)
        }
        #expect(published(101, &frames) != nil && published(103, &frames) != nil && published(104, &frames) == nil)
        // AND one after which it had made fewer takes those beyond it away
        past.published = 101
        _ = frames.apply(.command(.reset(after: past)))
        _ = frames.apply(fix(7))
        #expect(frames.firstKnown == 102 && published(102, &frames) != nil)
    }

    @Test func withoutPublicationsTheFramesOfTheIMUAreTheLines() {
        // GIVEN recordings without publications THEN with an IMU its samples are lines; without, what makes a frame is;
        // with publications nothing is a line by itself
        for (hasIMU, hasPublications) in [(true, false), (false, false), (true, true), (false, true)] {
            var frames = frames(hasPublications: hasPublications)
            let source = hasIMU ? SensorKind.imu : .gps
            let isLine = frames.apply(.report(SourceReport(time: at(0), source: source, state: .streaming)))
            #expect(!isLine)
            let fixIsLine = frames.apply(fix(1))
            #expect(fixIsLine == (!hasIMU && !hasPublications))
            guard hasIMU else { continue }
            let samples = (0..<3).map { frames.apply(sample(1.1 + Double($0) / 100)) }
            #expect(samples == [Bool](repeating: !hasPublications, count: 3))
        }
    }

    @Test func predictionsAreLinesWithoutPublicationsAndWithoutAnIMU() {
        // GIVEN recordings without an IMU WHEN the engine predicts its pose after a fix THEN that is a line, unless the
        // recording has publications; an IMU that is reported only after a measurement changes nothing
        for hasPublications in [false, true] {
            var frames = frames(hasPublications: hasPublications)
            let first = frames.apply(fix(1))
            let late = frames.apply(.report(SourceReport(time: at(1.1), source: .imu, state: .waiting)))
            let second = frames.apply(fix(2))
            let tick = frames.apply(.tick(at(2.3)))
            let past = frames.apply(.tick(at(2)))
            #expect(
                [first, late, second, tick, past] == [
                    !hasPublications, false, !hasPublications, !hasPublications, false,
                ])
        }
    }

    @Test func messagesOfARecordingAreWrittenEachForItself() throws {
        // GIVEN a converted recording of fixes, during which a source is lost WHEN it is replayed with the file of
        // events, or with that of maneuvers THEN the one that was named is there, with what belongs into it
        let folder = NSTemporaryDirectory() + "posed-messages-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var info = RecordingInfo(release: "1", session: "s")
        info.convertedFrom = "CSV folder"
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.write(.report(SourceReport(time: at(0), source: .gps, state: .streaming)), number: 1)
        for second in 1...3 { writer.write(.event(fix(Double(second))), number: UInt64(second + 1)) }
        writer.write(.report(SourceReport(time: at(4), source: .wheels, state: .lost)), number: 5)
        writer.write(.event(fix(5)), number: 6)
        writer.finish()
        let path = folder + "/a.mcap"
        try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: path))
        var replay = Replay(recording: path)
        replay.eventsFile = folder + "/events"
        let summary = try replay.run(writingTo: folder + "/frames")
        #expect(summary.lines == 4 && summary.events == 4)
        let events = try String(contentsOfFile: folder + "/events", encoding: .utf8).split(separator: "\n")
        #expect(events.contains { $0.contains(#""event":"source","source":"wheels","state":"lost""#) }, "\(events)")
        (replay.eventsFile, replay.maneuversFile) = (nil, folder + "/maneuvers")
        _ = try replay.run(writingTo: folder + "/frames")
        #expect(try String(contentsOfFile: folder + "/maneuvers", encoding: .utf8).isEmpty)
    }

    /// Keeps the numbers of jumps at the resets, and those of the frames after each.
    private final class Resets: ReplaySink {
        var jumps: [UInt32] = []

        func write(_ frame: Frame) { jumps.append(frame.pose.resetCount) }
        func finish() {}
        func note(_ past: EnginePast) { jumps.append(past.estimator.jumpCount) }
    }

    @Test func aSinkIsToldWhereTheNumbersOfTheLiveEngineGoOn() throws {
        // GIVEN a recording that begins in mid-run, with a reset of an engine that had jumped 57 times WHEN it is
        // replayed THEN the sink gets that number before the frames that count on from it
        var info = RecordingInfo(release: "1", session: "s")
        info.hasPublications = true
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        writer.write(.report(SourceReport(time: at(0), source: .gps, state: .streaming)), number: 0)
        writer.write(.event(fix(1)), number: 11)
        writer.write([Publication(number: 1, time: at(1.1), isNewest: false, isRepeat: false)])
        var past = EnginePast()
        (past.published, past.estimator.time, past.estimator.jumpCount) = (1, at(1), 57)
        writer.write(.command(.reset(after: past)), number: 12)
        writer.write(.event(fix(2)), number: 13)
        writer.write([Publication(number: 2, time: at(2.1), isNewest: false, isRepeat: false)])
        writer.finish()
        let path = NSTemporaryDirectory() + "posed-resets-\(UUID().uuidString).mcap"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: path))
        let sink = Resets()
        _ = try Replay(recording: path).runRecorded(into: sink)
        #expect(sink.jumps.count == 3 && sink.jumps[1] == 57, "\(sink.jumps)")
        #expect((sink.jumps.first ?? 57) < 57 && (sink.jumps.last ?? 0) > 57, "\(sink.jumps)")
    }

    @Test func theStandardOutputIsNoFile() throws {
        // GIVEN lines for `-` WHEN nothing is written THEN there is no file of that name
        var output = try LineOutput(path: "-")
        try output.finish()
        #expect(access("-", F_OK) != 0)
        unlink("-")
    }

    /// Measurements in memory.
    private final class Events: EventReader {
        let kinds: Set<SensorKind>
        let progress = 1.0
        let notes: [String] = []
        private var rest: [SensorEvent]

        init(_ events: [SensorEvent], _ kinds: Set<SensorKind>) { (rest, self.kinds) = (events.reversed(), kinds) }

        func next() throws(RecordingError) -> SensorEvent? { rest.popLast() }
    }

    /// Keeps the frames, and whether they were completed.
    private final class Kept: ReplaySink {
        var frames: [Frame] = []
        var isFinished = false

        func write(_ frame: Frame) { frames.append(frame) }
        func finish() { isFinished = true }
    }

    @Test(arguments: [true, false]) func everySampleIsSmoothed(hasIMU: Bool) throws {
        // GIVEN ten seconds of a vehicle at standstill with a fix a second, with samples of 50 Hz or without WHEN the
        // drive is smoothed THEN each sample has a line, or each fix, in the order of time
        var events: [SensorEvent] = []
        for step in 0...500 {
            if hasIMU { events.append(sample(Double(step) / 50)) }
            if step % 50 == 0 { events.append(fix(Double(step) / 50 - 0.05)) }
        }
        let reader = Events(events, hasIMU ? [.imu, .gps] : [.gps])
        let kept = Kept()
        let summary = try Replay(recording: "").smooth(reader, into: kept)
        #expect(summary.lines == kept.frames.count && summary.events == events.count && kept.isFinished)
        #expect(abs(summary.lines - (hasIMU ? 501 : 11)) <= 1, "\(summary.lines)")
        #expect(zip(kept.frames, kept.frames.dropFirst()).allSatisfy { $0.timeNanoseconds < $1.timeNanoseconds })
        #expect(kept.frames.last?.pose.fixMode == 3)
    }

    @Test func withoutASampleOfItsIMUADriveHasNoSmoothedFrame() throws {
        // GIVEN fixes of ten seconds, and a file of an IMU without a sample WHEN the drive is smoothed THEN there is no
        // frame, as there is one for each sample
        let kept = Kept()
        let reader = Events((0...10).map { fix(Double($0)) }, [.imu, .gps])
        let summary = try Replay(recording: "").smooth(reader, into: kept)
        #expect(summary.lines == 0 && summary.events == 11 && kept.frames.isEmpty && kept.isFinished)
    }

    @Test func aSmoothedDriveFollowsTheGivenRoute() throws {
        // GIVEN fixes of ten seconds, and a route WHEN the drive is smoothed along it THEN it is the first route from
        // the first frame on, and without a route there is none
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let given = package.standardized.path + "/config/demo-route.json"
        for (route, version) in [(given, 1), (nil, 0)] as [(String?, UInt32)] {
            var replay = Replay(recording: "")
            replay.routeFile = route
            let kept = Kept()
            _ = try replay.smooth(Events((0...10).map { fix(Double($0)) }, [.gps]), into: kept)
            #expect(kept.frames.count > 5 && kept.frames.allSatisfy { $0.guidance.routeVersion == version })
        }
    }

    @Test func theProgressIsToldAfterEveryHundredMeasurements() throws {
        // GIVEN recordings of so many measurements WHEN they are replayed THEN the progress is told after each hundred
        for (count, times) in [(99, 0), (100, 1), (200, 2), (299, 2)] {
            let told = Atomic(0)
            var replay = Replay(recording: "")
            replay.onProgress = { share in told.add(share == 1 ? 1 : 1000, ordering: .relaxed) }
            let events = (0..<count).map { sample(Double($0) / 100) }
            #expect(try replay.run(Events(events, [.imu]), into: Kept()).events == count)
            #expect(told.load(ordering: .relaxed) == times, "\(count)")
        }
    }
}
