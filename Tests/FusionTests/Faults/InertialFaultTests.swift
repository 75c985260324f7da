import DriveTrials
import Foundation
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// An IMU that breaks on the way.
@Suite struct InertialFaultTests {
    typealias Trial = InertialFaultTrial
    typealias Fault = Trial.Fault
    private static let seeds = Trial.seeds
    private static let degree = Angle.radiansPerDegree

    /// One for each seed: every fault begins at the same moment.
    private static let trials = SharedValues<UInt64, Trial>()

    /// Runs a minute in which the IMU breaks.
    private func run(_ fault: Trial.Fault?, seed: UInt64) throws -> Trial.Outcome {
        try #require(Self.trials.value(seed) { try Trial(seed: seed) }.run(fault))
    }

    private func report(_ fault: Fault, _ outcomes: [Trial.Outcome]) {
        let flags = outcomes.map { $0.secondsToFlag.map { String(format: "%.2f", $0) } ?? "none" }.joined(
            separator: " ")
        let errors = outcomes.map { String(format: "%.1f", $0.errorAtFlagDegrees) }.joined(separator: " ")
        let worst = outcomes.map { String(format: "%.0f", $0.worstDegrees) }.joined(separator: " ")
        print(
            "\(fault): flagged after \(flags) s; attitude then wrong by \(errors) deg, at worst in a minute by "
                + "\(worst) deg"
        )
    }

    @Test(arguments: [Fault.gyroStuck, .gyroAxisDead, .accelerometerAxisDead])
    func aDeadSensorIsFlaggedWithinHalfASecond(fault: Fault) throws {
        let outcomes = try Self.seeds.map { try run(fault, seed: $0) }
        report(fault, outcomes)
        for outcome in outcomes {
            #expect((outcome.secondsToFlag ?? .infinity) <= fault.limitSeconds)
            #expect(outcome.errorAtFlagDegrees <= 5)
            #expect(outcome.flags == (fault == .accelerometerAxisDead ? .accelerometerStuck : .gyroStuck))
        }
    }

    @Test func aClippedGyroIsFlaggedWithinATenthOfASecond() throws {
        // GIVEN drives with a gyro of a small range
        var clippedCount = 0
        for seed in Self.seeds {
            let clip = try Self.trials.value(seed) { try Trial(seed: seed) }.runClipped()
            let name = "seed \(seed): \(clip)"
            // THEN the end of the range is reported where a turn reaches it, as what it is, and nothing before; and the
            // attitude has not become wrong meanwhile
            guard let began = clip.beganSeconds else {
                #expect(clip.flaggedSeconds == nil, "\(name)")
                continue
            }
            clippedCount += 1
            let seconds = (clip.flaggedSeconds ?? .infinity) - began
            #expect(seconds > 0 && seconds <= 0.1, "\(name)")
            #expect(clip.flags.contains(.gyroClipped) && clip.errorDegrees <= 5, "\(name)")
        }
        // A drive without a turn that fast does not clip.
        #expect(clippedCount >= 3)
    }

    @Test(arguments: [Fault.scaleDoubled, .biasYaw, .biasRoll, .biasPitch]) func aJumpOfScaleOrBiasIsFlagged(
        fault: Fault
    ) throws {
        let outcomes = try Self.seeds.map { try run(fault, seed: $0) }
        report(fault, outcomes)
        for outcome in outcomes {
            #expect((outcome.secondsToFlag ?? .infinity) <= fault.limitSeconds)
            #expect(outcome.errorAtFlagDegrees <= 5)
            #expect(outcome.flags == .inconsistent)
        }
    }

    @Test(arguments: seeds) func aSoundIMUIsNeverFlagged(seed: UInt64) throws {
        let outcome = try run(nil, seed: seed)
        #expect(outcome.secondsToFlag == nil && outcome.worstDegrees < 3)
    }

    @Test func aCoarseSensorAtRestIsNotDead() {
        // GIVEN a gyro with steps of 0.1 deg/s that drives, shaken, and then stands with the engine off: noise below a
        // step, and now and then one
        var (watch, random) = (IMUStuckClipDetector(), RandomSource(seed: 7, use: 1))
        var flagged = 0
        let step = 0.1 * Self.degree
        for k in 0..<60_000 {
            let noise = (k / 6_000) % 2 == 0 ? 5.0 : 0.25
            func coarse(_ value: Double) -> Double { (value / step).rounded() * step }
            let rate = Vector3(random.gaussian(), random.gaussian(), random.gaussian()) * (noise * step)
            let force = Vector3(random.gaussian(), random.gaussian(), 9.8 + random.gaussian()) * 0.05
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 10_000_000),
                angularRateRadiansPerSecond: Vector3(coarse(rate.x), coarse(rate.y), coarse(rate.z)),
                specificForceMetersPerSecondSquared: force)
            let faults = watch.update(sample)
            if !faults.isEmpty { flagged += 1 }
        }
        // THEN less than a hundredth of ten minutes is taken for a fault, nearly all of it in the first seconds at rest
        #expect(flagged < 600)
    }
}

extension InertialFaultTrial.Fault {
    /// Seconds within which it must be flagged.
    fileprivate var limitSeconds: Double {
        switch self {
        case .gyroStuck, .gyroAxisDead, .accelerometerAxisDead: 0.5
        case .scaleDoubled: 10
        case .biasYaw, .biasRoll, .biasPitch: 30
        }
    }
}
