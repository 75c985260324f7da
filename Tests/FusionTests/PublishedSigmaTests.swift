import Geodesy
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// How often the published 1-sigma of velocity, tilt and heading holds on simulated drives.
///
/// The shares are pinned as they are, so that a change shows; a normal error would be within 1-sigma 68 % of the time.
@Suite struct PublishedSigmaTests {
    /// Errors within their stated 1-sigma, of all.
    private struct Share {
        private(set) var within = 0.0
        private(set) var all = 0.0
        /// Sum of the squares of error over sigma.
        private var squares = 0.0

        mutating func add(error: Double, sigma: Double) {
            all += 1
            squares += error * error / (sigma * sigma)
            if abs(error) < sigma { within += 1 }
        }

        mutating func add(_ other: Share) {
            within += other.within
            all += other.all
            squares += other.squares
        }

        var percent: Double { 100 * within / all }
        /// Root mean square of error over sigma; 1 for an honest sigma.
        var ratio: Double { (squares / all).squareRoot() }
    }

    /// The shares of one drive, or of many.
    private struct Outcome {
        var horizontalVelocity = Share()
        var verticalVelocity = Share()
        var tilt = Share()
        var heading = Share()

        mutating func add(_ other: Outcome) {
            horizontalVelocity.add(other.horizontalVelocity)
            verticalVelocity.add(other.verticalVelocity)
            tilt.add(other.tilt)
            heading.add(other.heading)
        }

        /// Compares what is published at one instant with the truth.
        mutating func add(_ estimate: PoseEstimate, _ truth: DriveTruth) {
            guard let velocity = estimate.velocityENUMetersPerSecond,
                let velocitySigma = estimate.velocitySigmaENUMetersPerSecond, let attitude = estimate.bodyToENU,
                let tiltSigma = estimate.tiltSigmaRadians, let headingSigma = estimate.headingSigmaRadians
            else { return }
            let error = velocity - truth.velocityENUMetersPerSecond
            horizontalVelocity.add(error: error.x, sigma: velocitySigma.x)
            horizontalVelocity.add(error: error.y, sigma: velocitySigma.y)
            verticalVelocity.add(error: error.z, sigma: velocitySigma.z)
            let turn = (attitude * truth.bodyToENU.inverse).rotationVector
            tilt.add(error: turn.x, sigma: tiltSigma)
            tilt.add(error: turn.y, sigma: tiltSigma)
            heading.add(error: turn.z, sigma: headingSigma)
        }
    }

    /// One random drive with random sensors, judged twice a second from half a minute after the alignment on.
    private static func drive(seed: UInt64) throws -> Outcome {
        let simulated = SimulatedDrive(
            drive: try Drive(.random(seed: seed, edges: 6)), sensors: .random(seed: seed), seed: seed)
        var (estimator, outcome) = (PoseEstimator(), Outcome())
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
        let outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for seed in 1...40 { group.addTask { try Self.drive(seed: UInt64(seed)) } }
            var sum = Outcome()
            for try await outcome in group { sum.add(outcome) }
            return sum
        }
        // THEN each share is what it was when this was written, within five points; and so is error over sigma, within
        // a fifth: a share near 100 % does not show a sigma that was halved
        for (name, share, percent, ratio) in [
            ("horizontal velocity", outcome.horizontalVelocity, 84.2, 0.74),
            ("vertical velocity", outcome.verticalVelocity, 85.0, 0.71), ("tilt", outcome.tilt, 100.0, 0.182),
            ("heading", outcome.heading, 87.2, 0.66),
        ] {
            #expect(share.all > 10_000)
            #expect(abs(share.percent - percent) < 5, "\(name): within 1-sigma \(share.percent) %, was \(percent) %")
            #expect(abs(share.ratio / ratio - 1) < 0.2, "\(name): error over sigma \(share.ratio), was \(ratio)")
        }
    }
}
