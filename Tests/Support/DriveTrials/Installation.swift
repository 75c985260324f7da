import Glibc
import Measurements
import PoseMath
import Simulation

/// How the receiver and the IMU of a simulated drive are connected, and what they leave out.
package struct Installation: Sendable {
    /// How late every fix arrives, seconds.
    package var fixDelaySeconds: Double
    /// One fix of so many arrives.
    package var everyNthFix = 1
    /// Whether a fix states its velocity.
    package var statesVelocity = true
    /// What is wrong with that velocity, by the seed: see ``FalseVelocity``.
    package var isVelocityFalse = false
    /// Whether a fix states how accurate it is.
    package var statesAccuracy = true
    /// Whether the receiver is as late as those of telephones and loggers: see ``SatelliteReceiver/becomeLate(_:)``.
    package var isReceiverLate = false
    /// Whether the gyro becomes warm: see ``GyroWarming``.
    package var isGyroWarming = false
    /// Whether the gyro is biased by 5 to 20 deg/s about a random axis, as the worst that data sheets allow.
    package var isGyroBiased = false
    /// Whether the holder of the IMU turns on the way, in a vehicle: see ``SensorSuite/HolderTurn/random(seed:)``.
    package var isHolderTurning = false
    /// Whether the antenna is elsewhere, and nobody tells where: see ``antennaArm(seed:reach:)``.
    package var isAntennaElsewhere = false
    /// One sample of the IMU of so many arrives.
    package var everyNthSample = 1
    /// The IMU is silent for so long out of every `secondsBetweenGaps`; zero for never.
    package var gapSeconds = 0.0
    /// From the begin of a gap to the next one's, seconds.
    package var secondsBetweenGaps = 20.0

    /// Everything but what is given arrives at once and whole.
    package init(fixDelaySeconds: Double = 0) {
        self.fixDelaySeconds = fixDelaySeconds
    }

    /// What arrives of `events`, in the order of arrival.
    ///
    /// - Parameter seed: of the gyro that becomes warm, or is biased, and of a false velocity.
    package func events(of events: some Sequence<SensorEvent>, seed: UInt64) -> [SensorEvent] {
        var (fixes, samples) = (0, 0)
        var warming = isGyroWarming ? GyroWarming(seed: seed) : nil
        let bias = isGyroBiased ? Self.gyroBias(seed: seed) : .zero
        let falseVelocity = isVelocityFalse ? FalseVelocity(seed: seed) : nil
        let arrived = events.compactMap { event -> SensorEvent? in
            switch event {
            case .gnss(let fix):
                fixes += 1
                return fixes.isMultiple(of: everyNthFix) ? .gnss(changed(fix, falseVelocity)) : nil
            case .inertial(let sample):
                samples += 1
                var measured = warming?.changed(sample) ?? sample
                measured.angularRateRadiansPerSecond += bias
                return samples.isMultiple(of: everyNthSample) && !isInGap(sample.time.seconds)
                    ? .inertial(measured) : nil
            default: return event
            }
        }
        return arrived.enumerated().sorted { ($0.element.arrivalTime, $0.offset) < ($1.element.arrivalTime, $1.offset) }
            .map(\.element)
    }

    /// The way from the IMU to an antenna that is elsewhere, body axes, metres: in any direction, 0.2 m away or more,
    /// and up to a metre above.
    ///
    /// - Parameter reach: the largest horizontal distance, metres.
    static func antennaArm(seed: UInt64, reach: Double) -> Vector3 {
        var random = RandomSource(seed: seed, use: 66)
        let (direction, distance) = (random.uniform(-Double.pi, .pi), random.uniform(0.2, reach))
        return Vector3(distance * cos(direction), distance * sin(direction), random.uniform(0, 1))
    }

    private func changed(_ fix: GnssFix, _ falseVelocity: FalseVelocity?) -> GnssFix {
        var fix = fix
        if let falseVelocity { fix.horizontalVelocity = fix.horizontalVelocity.map(falseVelocity.changed) }
        fix.arrivalTime = fix.arrivalTime.advanced(bySeconds: fixDelaySeconds)
        if !statesVelocity {
            (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil)
            (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (nil, nil)
        }
        if !statesAccuracy {
            (fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (nil, nil)
            (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (nil, nil)
        }
        return fix
    }

    private static func gyroBias(seed: UInt64) -> Vector3 {
        var random = RandomSource(seed: seed, use: 64)
        return random.rotation().rotate(.unitX) * random.uniform(5, 20).degreesInRadians
    }

    private func isInGap(_ seconds: Double) -> Bool {
        gapSeconds > 0 && seconds.truncatingRemainder(dividingBy: secondsBetweenGaps) < gapSeconds
    }
}

/// A gyro that becomes warm after it was switched on: its bias changes by 0.1 to 1 deg/s about a random axis, within
/// one to five minutes. Data sheets of consumer sensors allow 0.01 to 0.1 deg/s/K, and a board warms up by some 10 K.
struct GyroWarming {
    private let change: Vector3
    private let seconds: Double
    private var beganAt: Double?

    init(seed: UInt64) {
        var random = RandomSource(seed: seed, use: 62)
        change = random.rotation().rotate(.unitX) * random.uniform(0.1, 1).degreesInRadians
        seconds = random.uniform(60, 300)
    }

    mutating func changed(_ sample: InertialSample) -> InertialSample {
        let begin = beganAt ?? sample.time.seconds
        beganAt = begin
        var sample = sample
        sample.angularRateRadiansPerSecond += change * (1 - exp((begin - sample.time.seconds) / seconds))
        return sample
    }
}

extension SensorSuite.HolderTurn {
    /// A holder that slips, falls or is adjusted: by 20 to 90 degrees about a random axis, within 0.3 to 2 s, after one
    /// to two minutes.
    static func random(seed: UInt64) -> Self {
        var random = RandomSource(seed: seed, use: 63)
        return Self(
            begin: random.uniform(60, 120), seconds: random.uniform(0.3, 2),
            rotationVector: random.rotation().rotate(.unitX) * random.uniform(20, 90).degreesInRadians)
    }
}

extension SatelliteReceiver {
    /// Makes places and velocities old, by random times: five receivers of telephones and loggers had places 0 to 1.2 s
    /// and velocities 0.5 to 2.0 s old.
    mutating func becomeLate(_ random: inout RandomSource) {
        positionLagSeconds = random.uniform(0, 1.2)
        velocityLagSeconds = positionLagSeconds + random.uniform(0, 0.8)
    }
}
