import Foundation
import Frames
import Testing

/// Whole replays, compared to the last bit with what they gave when their snapshots were written.
///
/// A change that only moves or renames leaves them alone. A change of a number shows in their diff.
@Suite struct SnapshotTests {
    @Test(
        .enabled(if: SnapshotReplay.recordings != nil, "the recordings are not beside the package"),
        arguments: SnapshotReplay.recorded)
    func aRecordingGivesWhatItGave(replay: SnapshotReplay) throws { try check(replay) }

    @Test(arguments: SnapshotReplay.simulated)
    func aSimulatedDriveWithFaultsGivesWhatItGave(replay: SnapshotReplay) throws { try check(replay) }

    private func check(_ replay: SnapshotReplay) throws {
        // GIVEN a recording or a simulated drive; WHEN the engine runs through it
        let now = SnapshotFile(lines: try replay.run())
        guard !SnapshotFile.isWriting else { return try now.write(replay.name) }
        // THEN every frame is that of the snapshot
        if let difference = try SnapshotFile(reading: replay.name).difference(from: now) {
            Issue.record("\(replay.name): \(difference)")
        }
    }
}

@Suite struct SnapshotFileTests {
    private let line = "12.00 aligned 46.05000001 - 340.123 0a0a0a0a 0b0b0b0b 0c0c0c0c 0d0d0d0d"

    private func difference(_ other: String, sameArithmetic: Bool) -> String? {
        var kept = SnapshotFile(lines: [line])
        if !sameArithmetic { kept.arithmetic = "none" }
        return kept.difference(from: SnapshotFile(lines: [other]))
    }

    @Test func oneBitOfAnyNumberShows() {
        var (a, b, unknown) = (Digest(), Digest(), Digest())
        a.add(1.0)
        b.add(1.0.nextUp)
        unknown.add(nil)
        #expect(Set([a.text, b.text, unknown.text, Digest().text]).count == 4)
    }

    @Test func aLastBitOfAnythingPublishedShows() {
        // GIVEN a frame, and others with one number more that no column shows and no digest of a part has
        let changes: [(inout Frame) -> Void] = [
            { _ in }, { $0.pose.headingMagneticSigmaRadians = 0.1 }, { $0.pose.satellitesUsed = 7 },
            { $0.guidance.ageSeconds = 0.1 }, { $0.guidance.ageSeconds = 0.1.nextUp }, { $0.utcNanoseconds = 1 },
        ]
        let lines = changes.map { change in
            var (frame, snapshot) = (Frame(), SnapshotLines(periodSeconds: 1))
            change(&frame)
            snapshot.note(frame)
            return snapshot.lines.joined()
        }
        // THEN no line is that of another one, and only the last column tells them apart
        #expect(Set(lines).count == changes.count)
        #expect(Set(lines.map { $0.split(separator: " ").dropLast().joined() }).count == 1)
    }

    @Test func onTheSameArithmeticADigestDecides() {
        #expect(difference(line, sameArithmetic: true) == nil)
        let other = line.replacingOccurrences(of: "0c0c0c0c", with: "0c0c0c0d")
        #expect(difference(other, sameArithmetic: true)?.contains("0 of them in more than rounding") == true)
        #expect(difference(other, sameArithmetic: false) == nil)
    }

    @Test(arguments: [("340.123", "340.127", true), ("340.123", "340.130", false), ("aligned", "coarse", false)])
    func onAnotherArithmeticRoundingIsForgiven(old: String, new: String, isSame: Bool) {
        let other = line.replacingOccurrences(of: old, with: new)
        #expect((difference(other, sameArithmetic: false) == nil) == isSame)
        #expect(difference(other, sameArithmetic: true) != nil)
    }

    @Test func aMissingLineShows() {
        let kept = SnapshotFile(lines: [line, line])
        #expect(kept.difference(from: SnapshotFile(lines: [line])) == "2 lines were kept, there are 1")
    }
}
