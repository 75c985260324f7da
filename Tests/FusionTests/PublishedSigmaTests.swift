import DriveTrials
import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// How often the published 1-sigma of velocity, tilt and heading holds on simulated drives.
///
/// The shares are pinned as they are, so that a change shows; a normal error would be within 1-sigma 68 % of the time.
@Suite struct PublishedSigmaTests {
    /// One random drive with random sensors, judged twice a second from half a minute after the alignment on.
    private static func drive(seed: UInt64) throws -> PublishedConsistency {
        let simulated = SimulatedDrive(
            drive: try Drive(.random(seed: seed, edges: 6)), sensors: .random(seed: seed), seed: seed)
        var (estimator, outcome) = (PoseEstimator(), PublishedConsistency())
        var (aligned, due): (Double?, Double) = (nil, 0)
        for event in simulated where estimator.ingest(event) {
            let seconds = estimator.estimate.time.seconds
            if aligned == nil, estimator.estimate.state == .aligned { aligned = seconds }
            guard let aligned, seconds > aligned + 30, seconds >= due else { continue }
            due = seconds + 0.5
            outcome.add(estimator.estimate, simulated.truth(at: estimator.estimate.time))
        }
        return outcome
    }

    @Test func theSigmasHoldAsOftenAsTheyDid() async throws {
        // GIVEN forty random drives with random sensors and mounts (seeds kept)
        let outcome = try await withThrowingTaskGroup(of: PublishedConsistency.self) { group in
            for seed in 1...40 { group.addTask { try Self.drive(seed: UInt64(seed)) } }
            var sum = PublishedConsistency()
            for try await outcome in group { sum = sum + outcome }
            return sum
        }
        // THEN each share is what it was when this was written, within five points; and so is error over sigma, within
        // a fifth: a share near 100 % does not show a sigma that was halved
        for (name, share, percent, ratio) in [
            ("horizontal velocity", outcome.velocity, 84.2, 0.74),
            ("vertical velocity", outcome.climb, 85.0, 0.71), ("tilt", outcome.tilt, 100.0, 0.182),
            ("heading", outcome.heading, 87.2, 0.66),
        ] {
            let within = 100 * share.shareWithin
            #expect(share.count > 10_000)
            #expect(abs(within - percent) < 5, "\(name): within 1-sigma \(within) %, was \(percent) %")
            #expect(abs(share.ratio / ratio - 1) < 0.2, "\(name): error over sigma \(share.ratio), was \(ratio)")
        }
    }
}
