import Fusion
import Measurements
import PoseMath
import Simulation

/// A drive over common roads up to the first turn after 160 s, from where on the IMU breaks in one way or another.
/// Every fault begins at the same moment.
package struct InertialFaultTrial: Sendable {
    /// What breaks.
    package enum Fault: String, CaseIterable, Sendable {
        case gyroStuck, gyroAxisDead, accelerometerAxisDead, gyroClipped, scaleDoubled, biasYaw, biasRoll, biasPitch
    }

    /// What came of a minute with a fault.
    package struct Outcome: Sendable {
        /// From the fault to its report, seconds; `nil` if none came.
        package var secondsToFlag: Double?
        /// Attitude error at the report, and the largest within the minute, degrees.
        package var errorAtFlagDegrees = 0.0
        package var worstDegrees = 0.0
        /// Attitude error at the end of the minute, degrees.
        package var endDegrees = 0.0
        /// What was reported.
        package var flags: InertialFaults = []
    }

    /// Seeds of the drives. The last two are the hardest of forty: one whose noise made a pitch bias look like a
    /// receiver that lies, and one that brakes for a stop as the fault begins: below a walking pace no velocity tells
    /// the heading.
    package static let seeds: [UInt64] = [1, 2, 3, 5, 8, 21, 29]

    /// Where the clipped gyro's range ends, rad/s.
    private static let range = 0.2
    private static let degree = Angle.radiansPerDegree

    private let simulated: SimulatedDrive
    /// The estimator at that moment.
    private var estimator = PoseEstimator()
    /// The moment, seconds; `nil` where the drive ends before.
    private var begin: Double?
    /// The events of the minute after it.
    private var events: [SensorEvent] = []

    /// Drives up to the moment of the fault.
    package init(seed: UInt64) throws {
        var plan = DrivePlan.random(seed: seed, edges: 16)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        suite.satellite?.rateHertz = 5
        suite.inertial?.errors = .consumer.withVibration
        simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
        for event in simulated {
            let seconds = event.arrivalTime.seconds
            // A source has a status only while the filter runs.
            if begin == nil, seconds > 160, estimator.aid(.gnssPosition) != nil,
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

    /// Runs the minute in which the IMU breaks, or stays sound without a fault; `nil` if the drive ended before.
    package func run(_ fault: Fault?) -> Outcome? {
        guard let begin else { return nil }
        var (estimator, outcome) = (estimator, Outcome())
        var (first, clippedAt) = (InertialSample?.none, Double?.none)
        for event in events {
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
            let truth = simulated.truth(at: estimator.estimate.time)
            let error = Self.turnDegrees(from: estimator.estimate.bodyToENU, to: truth.bodyToENU)
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

    /// Angle between two attitudes, degrees; 0 where none is estimated.
    private static func turnDegrees(from estimated: Quaternion?, to attitude: Quaternion) -> Double {
        estimated.map { ($0 * attitude.inverse).rotationVector.length.radiansInDegrees } ?? 0
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
}
