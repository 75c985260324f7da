import PoseMath

#if canImport(Glibc)
    import Glibc
#endif

/// Complementary filter for attitude: the gyro carries it, gravity holds it level, the magnetometer (where there is one) turns it to north.
///
/// Gravity is looked for where it is constant: the specific force is low-passed in an almost inertial frame, so that only the gyro's drift
/// limits the time constant and the accelerations of a moving body average out (Laidig and Seel 2023, "VQF", section 3).
/// The heading correction is a separate angle, so that a disturbed magnetometer can never tilt the horizon.
struct AttitudeFilter: Sendable {
    /// Time constant with which gravity pulls the tilt, seconds.
    private static let levelSeconds = 3.0
    /// Time constant of the slow level, seconds: long enough that pulling away or braking hardly tilts it.
    private static let slowLevelSeconds = 15.0
    /// Time constant of the magnetic heading, seconds.
    private static let magneticSeconds = 9.0

    /// Sensor axes to a frame that is level but turned by an arbitrary, slowly drifting angle from east-north-up.
    private(set) var sensorToLevel: Quaternion?
    /// As ``sensorToLevel``, but level over the longer run: for the first seconds of a drive, whose accelerations pull the quick one over.
    private(set) var sensorToSlowLevel: Quaternion?
    /// Gyro bias, sensor axes, rad/s.
    private(set) var gyroBias = Vector3.zero
    /// 1-sigma of the gyro bias, rad/s.
    private(set) var gyroBiasSigma = 0.1
    /// Whether the gyro bias has been measured at rest, well enough for the slow level to stay level.
    var isBiasKnown: Bool { gyroBiasSigma < 0.005 }
    /// The level frame to begin from: the slow one once the gyro's bias is known; until then the bias would tilt it, and the quick one serves.
    var sensorToStartLevel: Quaternion? { isBiasKnown ? sensorToSlowLevel : sensorToLevel }
    /// Turn about up from the level frame to magnetic east-north-up, radians; `nil` until a magnetometer has told it.
    private(set) var levelToMagneticRadians: Double?
    /// Seconds of samples taken.
    private(set) var runSeconds = 0.0

    private var sensorToInertial = Quaternion.identity
    private var level = GravitySearch(seconds: AttitudeFilter.levelSeconds)
    private var slowLevel = GravitySearch(seconds: AttitudeFilter.slowLevelSeconds)
    private var lastTime: MonotonicTime?
    private var lastRate = Vector3.zero
    private var magneticGain = 1.0
    private var restSeconds = 0.0

    /// Takes the next sample; `still` and the mean rate of turn come from a ``StillnessDetector`` fed with the same samples.
    mutating func update(_ sample: InertialSample, still: Bool, meanAngularRate: Vector3) {
        guard let last = lastTime else {
            lastTime = sample.time
            lastRate = sample.angularRateRadiansPerSecond
            return
        }
        let dt = sample.time.seconds(since: last)
        guard dt > 0 else { return }
        lastTime = sample.time
        runSeconds += dt
        updateBias(still: still, meanAngularRate: meanAngularRate, seconds: dt)
        let rate = (sample.angularRateRadiansPerSecond + lastRate) * 0.5 - gyroBias
        lastRate = sample.angularRateRadiansPerSecond
        sensorToInertial = sensorToInertial * Quaternion(rotationVector: rate * min(dt, 1))
        sensorToInertial.normalize()
        let force = sensorToInertial.rotate(sample.specificForceMetersPerSecondSquared)
        sensorToLevel = level.inertialToLevel(force: force, seconds: min(dt, 1)).map { ($0 * sensorToInertial).normalized }
        sensorToSlowLevel = slowLevel.inertialToLevel(force: force, seconds: min(dt, 1)).map { ($0 * sensorToInertial).normalized }
    }

    /// Takes a magnetic field, sensor axes, any unit.
    mutating func update(magneticField: Vector3, seconds: Double) {
        guard let sensorToLevel, magneticField.isFinite else { return }
        let field = sensorToLevel.rotate(magneticField)
        guard field.horizontalLength > 1e-12 else { return }
        // Horizontal field points to magnetic north: turn it onto +y.
        let angle = atan2(field.x, field.y)
        guard let heading = levelToMagneticRadians else {
            levelToMagneticRadians = angle
            return
        }
        // The gain begins at one and falls to its steady value, so that the first samples are averaged, not filtered.
        let steady = 1 - exp(-min(max(seconds, 0), 1) / Self.magneticSeconds)
        magneticGain = max(magneticGain / (magneticGain + 1), steady)
        levelToMagneticRadians = Angle.wrappedToPi(heading + magneticGain * Angle.wrappedToPi(angle - heading))
    }

    /// Sensor axes to magnetic east-north-up, where a magnetometer has been heard.
    var sensorToMagneticENU: Quaternion? {
        guard let sensorToLevel, let turn = levelToMagneticRadians else { return nil }
        return Quaternion(rotationVector: Vector3(0, 0, turn)) * sensorToLevel
    }

    /// At rest the mean rate of turn is the bias, up to the Earth's own 0.004 deg/s.
    private mutating func updateBias(still: Bool, meanAngularRate: Vector3, seconds: Double) {
        guard still, meanAngularRate.length < 0.15 else {
            restSeconds = 0
            gyroBiasSigma = min(gyroBiasSigma + 2e-5 * seconds, 0.1)
            return
        }
        restSeconds += seconds
        let gain = 1 - exp(-seconds / min(max(restSeconds, 0.3), 5))
        gyroBias += (meanAngularRate - gyroBias) * gain
        gyroBiasSigma += (0.0005 - gyroBiasSigma) * gain
    }
}

/// The direction of gravity in the almost inertial frame, as the mean of the specific force over a time constant.
struct GravitySearch: Sendable {
    private var forceFilter: SecondOrderLowPass
    private var correction = Quaternion.identity

    /// A search with a time constant.
    init(seconds: Double) { forceFilter = SecondOrderLowPass(seconds: seconds) }

    /// Takes the next specific force, inertial frame; gives the turn to a level frame, `nil` in free fall.
    mutating func inertialToLevel(force: Vector3, seconds: Double) -> Quaternion? {
        guard let up = correction.rotate(forceFilter.filter(force, seconds: seconds)).normalized else { return nil }
        correction = (Quaternion(from: up, to: .unitZ) * correction).normalized
        return correction
    }
}

/// Butterworth low-pass of second order for vectors, begun with the mean of its first samples; the step may vary.
struct SecondOrderLowPass: Sendable {
    private let seconds: Double
    private var output = Vector3.zero
    private var slope = Vector3.zero
    private var age = 0.0
    private var count = 0.0

    /// A filter with a time constant.
    init(seconds: Double) { self.seconds = seconds }

    /// The next output, `dt` seconds after the one before.
    mutating func filter(_ input: Vector3, seconds dt: Double) -> Vector3 {
        age += dt
        count += 1
        guard age >= seconds else {
            output += (input - output) / count
            return output
        }
        // A damped oscillator, damping 1/sqrt(2); semi-implicit steps are stable while dt is well below the time constant.
        let omega = 2.0.squareRoot() / seconds
        slope += ((input - output) * (omega * omega) - slope * (2.0.squareRoot() * omega)) * dt
        output += slope * dt
        return output
    }
}
