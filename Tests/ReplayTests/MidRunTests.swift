import DriveRecording
import Engine
import Foundation
import Measurements
import PoseMath
import Recording
import Testing

@testable import Replay

/// Replays of recordings that began while the engine was running.
@Suite struct MidRunTests {
    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../samples/drive").standardized.path

    /// The sample drive from a second on, with its frames and their publications.
    private func record(from begin: Double, part: Int = 0, startsWithEngine: Bool, converted: Bool = false) throws
        -> String
    {
        let path = NSTemporaryDirectory() + "posed-midrun-\(UUID().uuidString).mcap"
        var info = RecordingInfo(release: "1", session: "s")
        (info.part, info.startsWithEngine, info.hasPublications) = (part, startsWithEngine, true)
        info.convertedFrom = converted ? "CSV folder" : nil
        var writer = DriveRecordingWriter(info: info, settings: RecordedSettings())
        let reader = try FolderReader(folder: Self.sample)
        var machine = Engine()
        var (number, published) = (UInt64(1000), UInt64(0))
        while let event = try reader.next() {
            let isNew = machine.ingest(event)
            guard event.arrivalTime.seconds >= begin else { continue }
            writer.write(.event(event), number: number)
            number += 1
            guard isNew else { continue }
            published += 1
            writer.write(machine.frame, number: published)
            writer.write([
                Publication(number: published, time: event.arrivalTime, isNewest: false, isRepeat: false)
            ])
        }
        writer.finish()
        try Data(writer.takeBytes()).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func replay(_ path: String) throws -> Replay.Summary {
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try Replay(recording: path).run(writingTo: "/dev/null")
    }

    @Test func aRecordingFromTheStartIsCompared() throws {
        // GIVEN a recording that has all inputs WHEN it is replayed
        let summary = try replay(try record(from: -1, startsWithEngine: true))
        // THEN its frames are compared
        #expect(summary.recordedFrames > 2000)
        #expect(!summary.notes.contains { $0.contains("mid-run") }, "\(summary.notes)")
    }

    @Test(arguments: [(0, false), (2, true), (3, false)])
    func aRecordingThatBeginsInMidRunClaimsNothing(part: Int, startsWithEngine: Bool) throws {
        // GIVEN a recording whose first 20 s are not in the file, or in an earlier file
        let summary = try replay(try record(from: 20, part: part, startsWithEngine: startsWithEngine))
        // WHEN it is replayed THEN no frame is compared, and one note says so with the time of the alignment
        #expect(summary.recordedFrames == 0 && summary.lines > 1500)
        let notes = summary.notes.filter { $0.contains("begins in mid-run: its frames are not those") }
        #expect(notes.count == 1, "\(summary.notes)")
        let seconds = notes.first?.split(separator: " ").compactMap { Double($0) }.first ?? -1
        #expect(seconds > 0.5 && seconds < 35, "\(notes)")
        #expect(!summary.notes.contains { $0.contains("differs") })
        #expect(summary.notes.contains { $0.contains("part \(part) of its recording") } == (part > 0))
    }

    @Test func aRecordingTooShortForAlignmentSaysSo() throws {
        // GIVEN the last second of a drive WHEN it is replayed THEN there is no frame that resembles the live ones
        let summary = try replay(try record(from: 59, startsWithEngine: false))
        #expect(summary.notes.contains { $0.contains("the pose is never aligned") }, "\(summary.notes)")
    }

    @Test func thePartAfterAnotherHasTheNextNumber() {
        for (path, next) in [
            ("a-000.mcap", "a-001.mcap"), ("/x/a-b-998.mcap", "/x/a-b-999.mcap"), ("a-999.mcap", "a-1000.mcap"),
            ("a-1000.mcap", "a-1001.mcap"), ("a-12.mcap", nil), ("a.mcap", nil), ("a-00x.mcap", nil), ("-", nil),
            ("a-9999999.mcap", nil), ("a-001", nil),
        ] {
            #expect(RecordedParts.path(after: path) == next, "\(path)")
        }
    }

    @Test func aConvertedRecordingHasNoLiveFrames() throws {
        let summary = try replay(try record(from: 20, startsWithEngine: false, converted: true))
        #expect(!summary.notes.contains { $0.contains("mid-run") }, "\(summary.notes)")
    }
}
