import Foundation
import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// An IMU that breaks on the way.
@Suite struct InertialFaultTests {
    /// The last two are the hardest of forty: one whose noise made a pitch bias look like a receiver that lies, and one
    /// that brakes for a stop as the fault begins: below a walking pace no velocity tells the heading.
    private static let seeds: [UInt64] = [1, 2, 3, 5, 8, 21, 29]

    /// What breaks.
    enum Fault: String, CaseIterable {
        case gyroStuck, gyroAxisDead, accelerometerAxisDead, gyroClipped, scaleDoubled, biasYaw, biasRoll, biasPitch

        /// Seconds within which it must be flagged.
        var limitSeconds: Double {
            switch self {
            case .gyroStuck, .gyroAxisDead, .accelerometerAxisDead: 0.5
            case .gyroClipped: 0.1
            case .scaleDoubled: 10
            case .biasYaw, .biasRoll, .biasPitch: 30
            }
        }
    }

    private struct Outcome {
        var secondsToFlag: Double?
        var errorAtFlagDegrees = 0.0
        var worstDegrees = 0.0
        var endDegrees = 0.0
        var flags: InertialFaults = []
    }

    /// Where the clipped gyro's range ends, rad/s.
    private static let range = 0.2
    private static let degree = Angle.radiansPerDegree

    /// A drive over common roads up to the first turn after 160 s.
    private struct Approach: Sendable {
        let simulated: SimulatedDrive
        /// The estimator at that moment, and the moment, seconds; `nil` where the drive ends before.
        var estimator = PoseEstimator()
        var begin: Double?
        /// The events of the minute after it.
        var events: [SensorEvent] = []

        init(seed: UInt64) throws {
            var plan = DrivePlan.random(seed: seed, edges: 16)
            plan.standingSecondsBefore = 5
            var suite = SensorSuite()
            suite.satellite?.rateHertz = 5
            suite.inertial?.errors = .consumer.withVibration
            simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
            for event in simulated {
                let seconds = event.arrivalTime.seconds
                if begin == nil, seconds > 160, estimator.isNavigating,
                    simulated.truth(at: event.arrivalTime).velocityENUMetersPerSecond.length > 6
                {
                    begin = seconds
                }
                if let begin {
                    guard seconds < begin + 60 else { break }
                    events.append(event)
                } else {
                    _ = estimator.ingest(event)
                }
            }
        }
    }

    /// One for each seed: every fault begins at the same moment.
    private static let approaches = SharedValues<UInt64, Approach>()

    /// Runs a minute in which the IMU breaks.
    private func run(_ fault: Fault?, seed: UInt64) throws -> Outcome {
        let approach = try Self.approaches.value(seed) { try Approach(seed: seed) }
        let begin = try #require(approach.begin)
        var (estimator, outcome) = (approach.estimator, Outcome())
        var (first, clippedAt) = (InertialSample?.none, Double?.none)
        for event in approach.events {
            var event = event
            let seconds = event.arrivalTime.seconds
            if case .inertial(var sample) = event {
                first = first ?? sample
                if let fault, let first { Self.breakDown(&sample, fault, first) }
                if fault == .gyroClipped, clippedAt == nil, abs(sample.angularRateRadiansPerSecond.z) == Self.range {
                    clippedAt = seconds - begin
                }
                event = .inertial(sample)
            }
            _ = estimator.ingest(event)
            let truth = approach.simulated.truth(at: estimator.estimate.time)
            let error = estimator.estimate.turnDegrees(to: truth.bodyToENU) ?? 0
            if outcome.secondsToFlag == nil, !estimator.inertialFaults.isEmpty {
                outcome.flags = estimator.inertialFaults
                outcome.secondsToFlag = seconds - begin - (fault == .gyroClipped ? clippedAt ?? 0 : 0)
                outcome.errorAtFlagDegrees = error
            }
            outcome.worstDegrees = max(outcome.worstDegrees, error)
            outcome.endDegrees = error
        }
        return outcome
    }

    private static func breakDown(_ sample: inout InertialSample, _ fault: Fault, _ first: InertialSample) {
        switch fault {
        case .gyroStuck: sample.angularRateRadiansPerSecond = first.angularRateRadiansPerSecond
        case .gyroAxisDead: sample.angularRateRadiansPerSecond.z = 0
        case .accelerometerAxisDead: sample.specificForceMetersPerSecondSquared.x = 0
        case .gyroClipped:
            sample.angularRateRadiansPerSecond.z = min(max(sample.angularRateRadiansPerSecond.z, -range), range)
        case .scaleDoubled: sample.angularRateRadiansPerSecond = sample.angularRateRadiansPerSecond * 2
        case .biasYaw: sample.angularRateRadiansPerSecond.z += degree
        case .biasRoll: sample.angularRateRadiansPerSecond.x += degree
        case .biasPitch: sample.angularRateRadiansPerSecond.y += degree
        }
    }

    private func report(_ fault: Fault, _ outcomes: [Outcome]) {
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
        let outcomes = try Self.seeds.map { try run(.gyroClipped, seed: $0) }
        report(.gyroClipped, outcomes)
        // A drive without a turn that fast does not clip.
        let clipped = outcomes.filter { $0.secondsToFlag != nil }
        #expect(clipped.count >= 3)
        for outcome in clipped {
            #expect((outcome.secondsToFlag ?? .infinity) <= Fault.gyroClipped.limitSeconds)
            #expect(outcome.errorAtFlagDegrees <= 5)
        }
    }

    @Test(arguments: [Fault.scaleDoubled, .biasYaw, .biasRoll, .biasPitch]) func aJumpOfScaleOrBiasIsFlagged(
        fault: Fault
    ) throws {
        let outcomes = try Self.seeds.map { try run(fault, seed: $0) }
        report(fault, outcomes)
        for outcome in outcomes {
            #expect((outcome.secondsToFlag ?? .infinity) <= fault.limitSeconds)
            #expect(outcome.errorAtFlagDegrees <= 5)
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
