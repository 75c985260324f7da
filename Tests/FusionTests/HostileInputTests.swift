import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Broken values are refused by name, and the estimate goes on as if they had not been there.
@Suite struct HostileInputTests {
    private static let hostile: [Double] = [.nan, .infinity, -.infinity, 1e30, -1e30]

    private func drive() throws -> [SensorEvent] {
        let simulated = SimulatedDrive(drive: try Drive(.random(seed: 2, edges: 3)), sensors: SensorSuite(), seed: 2)
        return Array(simulated)
    }

    private func isFinite(_ estimate: PoseEstimate) -> Bool {
        (estimate.position.map { $0.isValid } ?? true) && (estimate.velocityENUMetersPerSecond?.isFinite ?? true)
            && (estimate.bodyToENU?.isFinite ?? true) && (estimate.positionSigmaENUMeters?.isFinite ?? true)
            && (estimate.headingSigmaRadians?.isFinite ?? true) && (estimate.tiltSigmaRadians?.isFinite ?? true)
            && (estimate.linearAccelerationBodyMetersPerSecondSquared?.isFinite ?? true)
    }

    @Test(arguments: hostile) func oneBrokenSampleLeavesNoTrace(value: Double) throws {
        let events = try drive()
        var clean = PoseEstimator()
        var hit = PoseEstimator()
        var count = 0
        for event in events {
            _ = clean.ingest(event)
            // WHEN each axis of gyro and accelerometer is broken once, at six moments of the drive
            if case .inertial(var sample) = event {
                count += 1
                if count % 1500 < 6 {
                    var broken = sample
                    let axis = count % 3
                    if count % 1500 < 3 {
                        broken.angularRateRadiansPerSecond[axis] = value
                    } else {
                        broken.specificForceMetersPerSecondSquared[axis] = value
                    }
                    broken.time = sample.time.advanced(bySeconds: -0.001)
                    _ = hit.ingest(.inertial(broken))
                }
                sample.time = sample.time.advanced(bySeconds: 0)
            }
            _ = hit.ingest(event)
            #expect(isFinite(hit.estimate))
        }
        // THEN each is counted, and the end is the clean run's to the bit
        #expect(hit.rejections.inertialNotFinite + hit.rejections.inertialOutOfRange > 10)
        #expect(hit.estimate.position == clean.estimate.position)
        #expect(hit.estimate.bodyToENU == clean.estimate.bodyToENU)
    }

    @Test(arguments: hostile) func brokenFixesAreRefused(value: Double) throws {
        let events = try drive()
        var clean = PoseEstimator()
        var hit = PoseEstimator()
        for event in events {
            _ = clean.ingest(event)
            if case .gnss(let fix) = event {
                var broken = [fix, fix, fix]
                broken[0].latitudeRadians = value
                broken[1].longitudeRadians = value
                broken[2].altitudeEllipsoidMeters = value
                for b in broken { _ = hit.ingest(.gnss(b)) }
            }
            _ = hit.ingest(event)
            #expect(isFinite(hit.estimate))
        }
        #expect(hit.rejections.fixOutOfRange > 100)
        #expect(hit.estimate.position == clean.estimate.position)
    }

    @Test func timeGoingBackwardsIsCountedAndIgnored() throws {
        var estimator = PoseEstimator()
        var last: SensorEvent?
        for event in try drive() {
            _ = estimator.ingest(event)
            if case .inertial = event {
                if let last {
                    let isNew = estimator.ingest(last)
                    #expect(!isNew)
                }
                last = event
            }
        }
        #expect(estimator.rejections.inertialTimeBackwards > 1000)
        #expect(isFinite(estimator.estimate))
    }

    @Test func randomHostileSequencesNeverBreakTheEstimate() {
        // GIVEN ten thousand events of random, often absurd content (seed kept)
        var random = RandomSource(seed: 99, use: 1)
        var estimator = PoseEstimator()
        func wild(_ scale: Double) -> Double {
            random.chance(0.05) ? Self.hostile[Int(random.uniform(0, 5))] : random.gaussian() * scale
        }
        var now = 0.0
        for _ in 0..<10_000 {
            now += random.chance(0.02) ? random.uniform(-5, 20) : 0.01
            guard let time = MonotonicTime(seconds: now) else { continue }
            if random.chance(0.9) {
                _ = estimator.ingest(
                    .inertial(
                        InertialSample(
                            time: time, angularRateRadiansPerSecond: Vector3(wild(2), wild(2), wild(2)),
                            specificForceMetersPerSecondSquared: Vector3(wild(20), wild(20), wild(20)))))
            } else {
                var fix = GnssFix(
                    validityTime: time, arrivalTime: time.advanced(bySeconds: random.uniform(-0.2, 2)),
                    mode: .threeDimensional)
                fix.latitudeRadians = wild(0.5)
                fix.longitudeRadians = wild(1)
                fix.altitudeEllipsoidMeters = wild(1000)
                fix.horizontalSigmaMeters = wild(5)
                fix.speedSigmaMetersPerSecond = wild(1)
                fix.horizontalVelocity = HorizontalVelocity(
                    eastMetersPerSecond: wild(20), northMetersPerSecond: wild(20))
                fix.climbMetersPerSecond = wild(2)
                _ = estimator.ingest(.gnss(fix))
            }
            // THEN nothing traps and nothing published is NaN or infinite
            #expect(isFinite(estimator.estimate))
        }
    }

    @Test func anImpossibleJumpIsNotFollowedUntilConfirmed() throws {
        // GIVEN a running filter
        var estimator = PoseEstimator()
        let events = try drive()
        let half = events.count * 2 / 3
        for event in events[..<half] { _ = estimator.ingest(event) }
        let before = try #require(estimator.estimate.position)
        guard var fix = estimator.lastFix, let latitude = fix.latitudeRadians else { return }
        // WHEN two fixes lie 840 m to the north
        fix.latitudeRadians = latitude + 840 / 6.37e6
        for k in 1...2 {
            fix.validityTime = estimator.estimate.time.advanced(bySeconds: -0.05 + 0.01 * Double(k))
            fix.arrivalTime = estimator.estimate.time
            _ = estimator.ingest(.gnss(fix))
        }
        // THEN the next sample's estimate has not gone along
        for event in events[half..<(half + 20)] { if case .inertial = event { _ = estimator.ingest(event) } }
        let offset = before.surfaceOffsetMeters(to: try #require(estimator.estimate.position))
        #expect(abs(offset.north) < 10)
        #expect(estimator.estimate.resetCount == 0)
    }
}
