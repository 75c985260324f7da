import Geodesy
import Glibc
import PoseMath

/// Where each part of the error state lies in its vector.
///
/// Errors are "true minus estimated"; the attitude error is a rotation vector in east-north-up, `true = Exp(error) *
/// estimated` (Sola 2017, section 7, the global form), the mount's one in vehicle axes.
enum ErrorIndex {
    static let position = 0
    static let velocity = 3
    static let attitude = 6
    static let gyroBias = 9
    static let accelerometerBias = 12
    static let mount = 15
    static let noSlipOffset = 18
    static let positionLag = 19
    static let velocityLag = 20
    static let gnssBias = 21
    static let wheelScale = 24
    static let squat = 25
    static let turnCoupling = 26
    static let sideslip = 29
    /// Length of the error state.
    static let count = 30
    /// The leading part that moves from sample to sample; what follows only drifts.
    static let dynamicCount = 9
}

/// The covariance of the error state.
typealias Covariance = Matrix<30, 30>

/// The filter's best knowledge of everything it estimates.
struct NavigationState: Sendable {
    /// When it is valid.
    var time: MonotonicTime
    /// Place of the IMU.
    var position: GeodeticPosition
    /// Velocity over ground, east, north, up, m/s.
    var velocityENU: Vector3
    /// Attitude of the sensor's axes.
    var sensorToENU: Quaternion
    /// Gyro bias, sensor axes, rad/s.
    var gyroBias = Vector3.zero
    /// Accelerometer bias, sensor axes, m/s2.
    var accelerometerBias = Vector3.zero
    /// How the sensor sits in the vehicle.
    var sensorToVehicle = Quaternion.identity
    /// Forward distance from the IMU to the point of the vehicle that does not slip sideways (the rear axle of a car),
    /// metres.
    var noSlipOffsetMeters = 0.0
    /// The receiver's position is this much older than its time stamp, seconds.
    var positionLagSeconds = 0.0
    /// Time constant of the receiver's low-pass on its velocity, seconds; below zero a delay of the IMU.
    var velocityLagSeconds = 0.0
    /// Slowly varying error of the receiver's position, east, north, up, metres.
    var gnssBiasENU = Vector3.zero
    /// True speed over the wheels' stated speed.
    var wheelScale = 1.0
    /// Rise of the nose against the road per forward acceleration, rad per m/s2.
    var squat = 0.0
    /// Angle by which the rear wheels run to the outside of a turn per sideways acceleration, rad per m/s2.
    var sideslip = 0.0
    /// False rate of the gyro, sensor axes, per rate of turn about the vehicle's vertical: its scale and cross-axis
    /// errors where a car shows them.
    var turnCoupling = Vector3.zero
    /// Latest rate of turn in sensor axes, bias removed, rad/s.
    var angularRateSensor = Vector3.zero
    /// Latest acceleration over ground, east, north, up, m/s2.
    var accelerationENU = Vector3.zero
    /// Rate of turn about the vehicle's vertical, the mean of the last moments, rad/s.
    var meanYawRate = 0.0

    /// Attitude of the vehicle's axes (x forward, y left, z up).
    /// docs/math.md, eq. 3.3.
    var vehicleToENU: Quaternion { sensorToENU * sensorToVehicle.inverse }

    /// Velocity in vehicle axes at the IMU, m/s.
    var velocityVehicle: Vector3 { sensorToVehicle.rotate(sensorToENU.inverse.rotate(velocityENU)) }

    /// From the axes in which the vehicle drives to its own: it goes where its unsteered wheels go, and in a turn they
    /// slip outwards.
    /// docs/math.md, eq. 3.9.
    var drivenToVehicle: Quaternion {
        Quaternion(rotationVector: Vector3(0, 0, -sideslip * velocityVehicle.x * meanYawRate))
    }

    /// The state as the receiver sees it, and what the lag of its position means for the place.
    struct Received {
        var state: NavigationState
        /// How the place changes with the lag, east, north, up, m/s.
        var lagSlope = Vector3.zero
        /// By what the place differs from what the receiver sees, east, north, up, metres.
        var offset = Vector3.zero
    }

    /// The state as the receiver sees it.
    ///
    /// A receiver can be late but not early: a lag below zero is a delay inside the IMU (its low-pass), so that all
    /// that is carried by its samples is as much too old, and is moved on by that much. A few milliseconds above zero
    /// are as likely an antenna a hand's breadth behind the IMU: then the place is the antenna's; more than twice that
    /// are none. A delay of the IMU counts as far as it is beyond its own sigma: one that fixes do not show is none.
    /// docs/math.md, eq. 3.4.
    ///
    /// - Parameters:
    ///   - lagSigma: of the lag, seconds.
    ///   - isAntennaKnown: whether the place of the antenna or the receiver's lag was told: then nothing is left to an
    ///     antenna.
    func asReceived(lagSigma: Double, isAntennaKnown: Bool) -> Received {
        let lag = positionLagSeconds
        var seen = Received(state: self)
        if lag < 0 {
            let delay = max(-lag - lagSigma, 0)
            seen.state.move(byENU: velocityENU * delay)
            seen.state.sensorToENU = sensorToENU * Quaternion(rotationVector: angularRateSensor * delay)
            (seen.lagSlope, seen.offset) = (-velocityENU, velocityENU * (-lag - delay))
            return seen
        }
        guard !isAntennaKnown, lag < 2 * Self.antennaSeconds else { return seen }
        let isRising = lag < Self.antennaSeconds
        let back = velocityENU * (isRising ? lag : 2 * Self.antennaSeconds - lag)
        let share = min(1, Self.antennaMeters / max(back.length, Self.antennaMeters))
        seen.state.move(byENU: back * -share)
        if share == 1 { seen.lagSlope = isRising ? -velocityENU : velocityENU }
        return seen
    }

    /// The probability that the lag of the receiver's position is one that an antenna or the IMU may look like, and not
    /// a long one.
    func probabilityOfShortLag(sigma: Double) -> Double {
        0.5 * erfc((positionLagSeconds - 2 * Self.antennaSeconds) / (max(sigma, 1e-6) * 2.0.squareRoot()))
    }

    /// A lag that an antenna not quite at the IMU looks like, seconds, and how far such an antenna is away at most,
    /// metres.
    private static let (antennaSeconds, antennaMeters) = (0.01, 0.2)
    /// Time constant of ``meanYawRate``, seconds: the engine's shaking is no turn.
    static let yawRateSeconds = 0.2

    /// Adds an estimated error to the estimate.
    /// docs/math.md, eq. 3.1.
    mutating func apply(_ error: borrowing ErrorVector) {
        let p = error.vector(at: ErrorIndex.position)
        move(byENU: p)
        velocityENU += error.vector(at: ErrorIndex.velocity)
        sensorToENU = Quaternion(rotationVector: error.vector(at: ErrorIndex.attitude)) * sensorToENU
        sensorToENU.normalize()
        gyroBias += error.vector(at: ErrorIndex.gyroBias)
        accelerometerBias += error.vector(at: ErrorIndex.accelerometerBias)
        sensorToVehicle = Quaternion(rotationVector: error.vector(at: ErrorIndex.mount)) * sensorToVehicle
        sensorToVehicle.normalize()
        noSlipOffsetMeters += error[ErrorIndex.noSlipOffset]
        positionLagSeconds += error[ErrorIndex.positionLag]
        velocityLagSeconds += error[ErrorIndex.velocityLag]
        gnssBiasENU += error.vector(at: ErrorIndex.gnssBias)
        wheelScale += error[ErrorIndex.wheelScale]
        squat += error[ErrorIndex.squat]
        sideslip += error[ErrorIndex.sideslip]
        turnCoupling += error.vector(at: ErrorIndex.turnCoupling)
    }

    /// The error that takes `estimate` to this state: the inverse of ``apply(_:)``.
    /// docs/math.md, eq. 10.5.
    func error(from estimate: NavigationState) -> ErrorVector {
        var error = ErrorVector()
        let offset = estimate.position.surfaceOffsetMeters(to: position)
        let up = position.altitudeEllipsoidMeters - estimate.position.altitudeEllipsoidMeters
        error.set(Vector3(offset.east, offset.north, up), at: ErrorIndex.position)
        error.set(velocityENU - estimate.velocityENU, at: ErrorIndex.velocity)
        error.set((sensorToENU * estimate.sensorToENU.inverse).rotationVector, at: ErrorIndex.attitude)
        error.set(gyroBias - estimate.gyroBias, at: ErrorIndex.gyroBias)
        error.set(accelerometerBias - estimate.accelerometerBias, at: ErrorIndex.accelerometerBias)
        error.set((sensorToVehicle * estimate.sensorToVehicle.inverse).rotationVector, at: ErrorIndex.mount)
        error[ErrorIndex.noSlipOffset] = noSlipOffsetMeters - estimate.noSlipOffsetMeters
        error[ErrorIndex.positionLag] = positionLagSeconds - estimate.positionLagSeconds
        error[ErrorIndex.velocityLag] = velocityLagSeconds - estimate.velocityLagSeconds
        error.set(gnssBiasENU - estimate.gnssBiasENU, at: ErrorIndex.gnssBias)
        error[ErrorIndex.wheelScale] = wheelScale - estimate.wheelScale
        error[ErrorIndex.squat] = squat - estimate.squat
        error.set(turnCoupling - estimate.turnCoupling, at: ErrorIndex.turnCoupling)
        error[ErrorIndex.sideslip] = sideslip - estimate.sideslip
        return error
    }

    /// Moves the position by a small offset, east, north, up, metres (Groves 2013 eq. 2.111).
    /// docs/math.md, eq. 3.2.
    mutating func move(byENU offset: Vector3) {
        let latitude = position.latitudeRadians
        let meridian = WGS84.meridianRadiusMeters(latitudeRadians: latitude) + position.altitudeEllipsoidMeters
        let parallel =
            (WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude) + position.altitudeEllipsoidMeters)
            * Strapdown.cosine(latitude)
        position.latitudeRadians += offset.y / meridian
        position.longitudeRadians = Angle.wrappedToPi(position.longitudeRadians + offset.x / parallel)
        position.altitudeEllipsoidMeters += offset.z
    }

    /// Whether nothing in it is infinite or NaN.
    var isFinite: Bool {
        position.isValid && velocityENU.isFinite && sensorToENU.isFinite && gyroBias.isFinite
            && accelerometerBias.isFinite
            && sensorToVehicle.isFinite && noSlipOffsetMeters.isFinite && positionLagSeconds.isFinite
            && velocityLagSeconds.isFinite
            && gnssBiasENU.isFinite && wheelScale.isFinite && squat.isFinite && sideslip.isFinite
            && turnCoupling.isFinite
    }
}

/// An error of the whole state.
struct ErrorVector: Sendable {
    private var storage = InlineArray<30, Double>(repeating: 0)

    /// One element.
    subscript(index: Int) -> Double {
        get { storage[index] }
        set { storage[index] = newValue }
    }

    /// Sets three elements from `index` on.
    mutating func set(_ v: Vector3, at index: Int) { for k in 0..<3 { storage[index + k] = v[k] } }

    /// Three elements from `index` on.
    borrowing func vector(at index: Int) -> Vector3 { Vector3(storage[index], storage[index + 1], storage[index + 2]) }
}
