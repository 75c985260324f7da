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
        var (count, brokenCount) = (0, UInt64(0))
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
                    brokenCount += 1
                }
                sample.time = sample.time.advanced(bySeconds: 0)
            }
            _ = hit.ingest(event)
            #expect(isFinite(hit.estimate))
        }
        // THEN each is counted, and the end is the clean run's to the bit
        #expect(brokenCount > 10)
        #expect(hit.rejections.inertialNotFinite + hit.rejections.inertialOutOfRange == brokenCount)
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

    /// An estimator that has got one fix, which `change` has changed.
    private func estimator(_ change: (inout GnssFix) -> Void) -> PoseEstimator {
        var estimator = PoseEstimator()
        let time = MonotonicTime(nanoseconds: 100_000_000_000)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        change(&fix)
        _ = estimator.ingest(.gnss(fix))
        return estimator
    }

    @Test func aPartOfAFixIsTakenUpToTheEndsOfItsRange() {
        // GIVEN a part of a fix, its least and its largest value, and those just beyond them
        let sigma = (1e-4, 1e4, 0.999e-4, 1.001e4)
        let parts: [(WritableKeyPath<GnssFix, Double?>, (Double, Double, Double, Double))] = [
            (\.verticalSigmaMeters, sigma), (\.speedSigmaMetersPerSecond, sigma), (\.climbSigmaMetersPerSecond, sigma),
            (\.climbMetersPerSecond, (-599.9, 599.9, -600, 600)), (\.geoidSeparationMeters, (-200, 200, -200.1, 200.1)),
            (\.magneticVariationRadians, (-.pi, .pi, -3.1416, 3.1416)),
            (\.headingTrueRadians, (-2 * .pi, 2 * .pi, -6.2832, 6.2832)),
            (\.headingSigmaRadians, (1e-9, .pi, 0, 3.1416)),
        ]
        for (part, (least, largest, below, above)) in parts {
            for (value, isTaken) in [(least, true), (largest, true), (below, false), (above, false)] {
                // WHEN the fix comes THEN it is taken, without the part where that is out of range, which is counted
                let estimator = estimator { $0[keyPath: part] = value }
                #expect(estimator.lastFix?[keyPath: part] == (isTaken ? value : nil), "\(part) \(value)")
                #expect(estimator.lastFix != nil && estimator.rejections.fixPartUnusable == (isTaken ? 0 : 1))
            }
        }
        // AND so is a velocity
        for (speed, isTaken) in [(599.9, true), (600, false)] {
            let estimator = estimator {
                $0.horizontalVelocity = HorizontalVelocity(
                    eastMetersPerSecond: 0.6 * speed, northMetersPerSecond: -0.8 * speed)
            }
            #expect((estimator.lastFix?.horizontalVelocity != nil) == isTaken)
            #expect(estimator.rejections.fixPartUnusable == (isTaken ? 0 : 1))
        }
    }

    @Test(arguments: [
        (MotionProfile.vehicle, 20, 20.001), (.boat, 20, 20.001), (.wearable, 80, 80.001),
    ]) func aSampleIsTakenUpToTheEndsOfItsRanges(profile: MotionProfile, rate: Double, beyond: Double) {
        // GIVEN a sample with the largest rate of turn of a vehicle or a hand, or the largest force, and with more THEN
        // the first is taken, and the other one is counted
        var settings = FusionSettings()
        settings.profile = profile
        for (rate, force, isTaken) in [
            (rate, 9.8, true), (beyond, 9.8, false), (0, 320, true), (0, 320.001, false),
        ] {
            var estimator = PoseEstimator(settings: settings)
            _ = estimator.ingest(
                InertialSample(
                    time: MonotonicTime(nanoseconds: 5), angularRateRadiansPerSecond: Vector3(0, -rate, 0),
                    specificForceMetersPerSecondSquared: Vector3(0, 0, -force)))
            #expect((estimator.lastSample != nil) == isTaken, "\(rate) \(force)")
            #expect(estimator.rejections.inertialOutOfRange == (isTaken ? 0 : 1))
        }
    }

    @Test func aFixIsTakenWithinItsTimesAndAccuracies() {
        // GIVEN fixes with times and accuracies about the ends of their ranges THEN each is taken or counted by reason
        func rejections(_ change: (inout GnssFix) -> Void) -> RejectionCounters { estimator(change).rejections }
        func lateness(_ nanoseconds: Int64) -> RejectionCounters {
            rejections { $0.arrivalTime = MonotonicTime(nanoseconds: 100_000_000_000 + nanoseconds) }
        }
        #expect(lateness(0).total == 0 && lateness(-1).fixTimeInvalid == 1)
        #expect(lateness(29_999_999_999).fixTooLate == 1 && lateness(30_000_000_000).fixTimeInvalid == 1)
        #expect(rejections { $0.horizontalSigmaMeters = 1e-4 }.total == 0)
        #expect(rejections { $0.horizontalSigmaMeters = 0.999e-4 }.fixPoorAccuracy == 1)
        let worst = FusionSettings().worstUsableFixSigmaMeters / 2.0.squareRoot()
        #expect(rejections { $0.horizontalSigmaMeters = worst * 0.999 }.total == 0)
        #expect(rejections { $0.horizontalSigmaMeters = worst * 1.001 }.fixPoorAccuracy == 1)
        // AND a fix in two dimensions has no height
        #expect(estimator { $0.mode = .twoDimensional }.lastFix?.altitudeEllipsoidMeters == nil)
        #expect(estimator { _ in }.lastFix?.altitudeEllipsoidMeters == 300)
    }

    @Test func readingsOfTheOtherSensorsAreTakenWithinTheirRanges() {
        // GIVEN readings of magnetometer, barometer and wheels at the ends of their ranges, and beyond THEN only the
        // latter are counted as such
        func rejections(_ events: [SensorEvent]) -> RejectionCounters {
            var estimator = PoseEstimator()
            for event in events { _ = estimator.ingest(event) }
            return estimator.rejections
        }
        let time = MonotonicTime(nanoseconds: 7)
        for (tesla, count) in [(1.01e-6, 0), (0.99e-6, 1), (0.99e-3, 0), (1.01e-3, 1), (Double.nan, 1)] {
            let sample = MagneticSample(time: time, fluxDensityTesla: Vector3(0, 0.6 * tesla, -0.8 * tesla))
            #expect(rejections([.magnetic(sample)]).magneticOutOfRange == UInt64(count), "\(tesla)")
            let both = rejections([.magnetic(sample), .magnetic(sample)])
            #expect(both.magneticTimeBackwards == UInt64(1 - count), "\(tesla)")
        }
        for (pascal, count) in [(10_000.1, 0), (9_999.9, 1), (119_999.9, 0), (120_000.1, 1)] {
            let sample = PressureSample(time: time, pressurePascal: pascal)
            #expect(rejections([.pressure(sample)]).pressureOutOfRange == UInt64(count), "\(pascal)")
            let both = rejections([.pressure(sample), .pressure(sample)])
            #expect(both.pressureTimeBackwards == UInt64(1 - count), "\(pascal)")
        }
        for (speed, count) in [(150.0, 0), (-150, 0), (150.1, 1), (-150.1, 1), (Double.nan, 1)] {
            let sample = WheelSpeedSample(time: time, speedMetersPerSecond: speed)
            let found = rejections([.wheelSpeed(sample)])
            #expect(found.wheelSpeedOutOfRange == UInt64(count), "\(speed)")
            #expect(found.wheelSpeedWithoutFilter == UInt64(1 - count), "\(speed)")
        }
    }
}
