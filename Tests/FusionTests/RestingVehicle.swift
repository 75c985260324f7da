import Glibc
import Measurements
import PoseMath

@testable import Fusion

/// A level vehicle that has rested for two seconds, whose level frame is that of the sensor. The body is turned by 0.3
/// rad about the vertical against that, which is known beforehand.
struct RestingVehicle {
    /// The time of the last sample.
    static let now = MonotonicTime(nanoseconds: 10_000_000_000)
    /// The turn from the sensor's axes to the body's about the vertical, radians.
    static let mountYaw = 0.3

    var estimator = PoseEstimator()

    /// - Parameter knowsBias: whether the rest has shown the bias of the gyro.
    init(knowsBias: Bool = true) {
        estimator.offer(
            mount: MountEstimate(
                sensorToBody: Quaternion(rotationVector: Vector3(0, 0, Self.mountYaw)),
                sigmaBodyRadians: Vector3(0.01, 0.01, 0.02), origin: .kept))
        for k in 0...200 {
            let sample = InertialSample(
                time: Self.now.advanced(bySeconds: 0.01 * Double(k - 200)), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
            estimator.attitude.update(sample, still: knowsBias, meanAngularRate: .zero)
        }
        estimator.attitude.gyroBias = .zero
        estimator.lastSample = Self.sample()
    }

    /// A sample of now.
    static func sample(rate: Vector3 = .zero) -> DelayedMeasurementBuffer.Sample {
        DelayedMeasurementBuffer.Sample(
            time: now, angularRate: rate, specificForce: Vector3(0, 0, 9.806_65), meanAngularRate: rate,
            isStill: true, noise: IMUNoiseEstimator.Density())
    }

    /// The moment of a fix.
    static func moment(rate: Vector3 = .zero, toLevel: Quaternion = .identity) -> PoseEstimator.Moment {
        PoseEstimator.Moment(sample: sample(rate: rate), number: 0, sensorToLevel: toLevel, runSeconds: 2)
    }

    /// A velocity in a direction, counterclockwise from east, radians.
    static func velocity(_ speed: Double, toward angle: Double) -> HorizontalVelocity {
        HorizontalVelocity(eastMetersPerSecond: speed * cos(angle), northMetersPerSecond: speed * sin(angle))
    }

    /// Lets the search in motion find the turn of the level frame to north, from accelerations of half a minute, known
    /// to 0.017 rad where they are 2 m/s2 large, and to 0.079 rad where they are 0.4 m/s2 large.
    mutating func align(radians: Double, acceleration: Double = 2) {
        func velocity(_ seconds: Double) -> Vector3 {
            let (along, across) = (sin(0.5 * seconds), (1 - cos(0.35 * seconds)) / 0.7)
            return Vector3(10 + 2 * acceleration * along, 2 * acceleration * across, 0)
        }
        let toLevel = Quaternion(rotationVector: Vector3(0, 0, -radians))
        var aligner = InMotionAligner(profile: .vehicle)
        for k in 0...30 {
            let seen = velocity(Double(k) - 0.1)
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.05,
                isLevelKnown: true, at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            ) { time, _ in toLevel.rotate(velocity(time.seconds)) }
        }
        estimator.aligner = aligner
    }
}
