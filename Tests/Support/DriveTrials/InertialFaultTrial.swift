import Fusion
import Measurements
import PoseMath
import Simulation

/// A drive over common roads up to the first turn after 160 s, from where on the IMU breaks in one way or another.
/// Every fault begins at the same moment.
package struct InertialFaultTrial: Sendable {
    /// What breaks.
    package enum Fault: String, CaseIterable, Sendable {
        case gyroStuck, gyroAxisDead, accelerometerAxisDead, scaleDoubled, biasYaw, biasRoll, biasPitch
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

    /// What came of the first turn that is too fast for a gyro.
    package struct Clip: Sendable {
        /// When the first readings in a row at the end of the range began, as many as show that it is one, seconds;
        /// `nil` if none came.
        package var beganSeconds: Double?
        /// When the first fault was reported, seconds; `nil` if none was.
        package var flaggedSeconds: Double?
        /// By how much more the attitude was wrong then than before those readings, degrees.
        package var errorDegrees = 0.0
        /// What was reported.
        package var flags: InertialFaults = []
    }

    /// Seeds of the drives. The last two are the hardest of forty: one whose noise made a pitch bias look like a
    /// receiver that lies, and one that brakes for a stop as the fault begins: below a walking pace no velocity tells
    /// the heading.
    package static let seeds: [UInt64] = [1, 2, 3, 5, 8, 21, 29]

    /// Where the range of a gyro ends that clips, rad/s, and how many readings in a row there show it.
    private static let (range, clippedReadings) = (0.2, 4)
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
        var first: InertialSample?
        for event in events {
            var event = event
            let seconds = event.arrivalTime.seconds
            if case .inertial(var sample) = event {
                first = first ?? sample
                if let fault, let first { Self.breakDown(&sample, fault, first) }
                event = .inertial(sample)
            }
            _ = estimator.ingest(event)
            let error = attitudeError(of: estimator)
            if outcome.secondsToFlag == nil, !estimator.inertialFaults.isEmpty {
                outcome.flags = estimator.inertialFaults
                outcome.secondsToFlag = seconds - begin
                outcome.errorAtFlagDegrees = error
            }
            outcome.worstDegrees = max(outcome.worstDegrees, error)
            outcome.endDegrees = error
        }
        return outcome
    }

    /// Drives from the start with a gyro whose range is that small, up to the first report, or to a second after it was
    /// due. The range is so small all the time: a gyro that has shown more has no end there.
    package func runClipped() -> Clip {
        var (estimator, clip) = (PoseEstimator(), Clip())
        var (readings, since, errorBefore) = (0, 0.0, 0.0)
        for event in simulated {
            var event = event
            let seconds = event.arrivalTime.seconds
            if let began = clip.beganSeconds, seconds > began + 1 { break }
            if case .inertial(var sample) = event {
                let rate = min(max(sample.angularRateRadiansPerSecond.z, -Self.range), Self.range)
                sample.angularRateRadiansPerSecond.z = rate
                event = .inertial(sample)
                if readings == 0 { (since, errorBefore) = (seconds, attitudeError(of: estimator)) }
                readings = abs(rate) == Self.range ? readings + 1 : 0
                if readings == Self.clippedReadings { clip.beganSeconds = clip.beganSeconds ?? since }
            }
            _ = estimator.ingest(event)
            guard !estimator.inertialFaults.isEmpty else { continue }
            clip.flaggedSeconds = seconds
            clip.flags = estimator.inertialFaults
            clip.errorDegrees = attitudeError(of: estimator) - errorBefore
            break
        }
        return clip
    }

    /// Angle between the estimated and the true attitude, degrees; 0 where none is estimated.
    private func attitudeError(of estimator: PoseEstimator) -> Double {
        guard let estimated = estimator.estimate.bodyToENU else { return 0 }
        let attitude = simulated.truth(at: estimator.estimate.time).bodyToENU
        return (estimated * attitude.inverse).rotationVector.length.radiansInDegrees
    }

    private static func breakDown(_ sample: inout InertialSample, _ fault: Fault, _ first: InertialSample) {
        switch fault {
        case .gyroStuck: sample.angularRateRadiansPerSecond = first.angularRateRadiansPerSecond
        case .gyroAxisDead: sample.angularRateRadiansPerSecond.z = 0
        case .accelerometerAxisDead: sample.specificForceMetersPerSecondSquared.x = 0
        case .scaleDoubled: sample.angularRateRadiansPerSecond = sample.angularRateRadiansPerSecond * 2
        case .biasYaw: sample.angularRateRadiansPerSecond.z += degree
        case .biasRoll: sample.angularRateRadiansPerSecond.x += degree
        case .biasPitch: sample.angularRateRadiansPerSecond.y += degree
        }
    }
}
