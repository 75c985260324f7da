import Geodesy
import Glibc
import PoseMath

/// The estimate: one value for each entry of the state table.
struct NavigationState: Sendable {
    /// When it is valid.
    var time: MonotonicTime
    /// Place of the IMU.
    var position: GeodeticPosition
    /// Attitude of the sensor's axes.
    var sensorToENU: Quaternion
    /// How the sensor sits in the vehicle.
    var sensorToVehicle = Quaternion.identity
    /// The states that are numbers; the elements of position, attitude and mount are zero.
    private var values = StateArray(repeating: 0)
    /// Latest rate of turn in sensor axes, bias removed, rad/s.
    var angularRateSensor = Vector3.zero
    /// The mean of the last moments of that, rad/s: a single sample holds the engine's vibration as well.
    var meanAngularRateSensor = Vector3.zero
    /// Latest acceleration over ground, east, north, up, m/s2.
    var accelerationENU = Vector3.zero
    /// The mean of the last moments of that, m/s2.
    var meanAccelerationENU = Vector3.zero
    /// Rate of turn about the vehicle's vertical, the mean of the last moments, rad/s.
    var meanYawRate = 0.0
    /// The turn that all corrections of the attitude since the start have made together, east, north, up: what was
    /// integrated before them is turned by it.
    var corrections = Quaternion.identity

    /// A state whose parameters have their initial values.
    init(time: MonotonicTime, position: GeodeticPosition, velocityENU: Vector3, sensorToENU: Quaternion) {
        (self.time, self.position, self.sensorToENU) = (time, position, sensorToENU)
        for entry in StateTable.entries where entry.state.length == 1 { self[entry.state] = entry.initialValue }
        self.velocityENU = velocityENU
    }

    /// A scalar state.
    subscript(state: FilterState) -> Double {
        @inline(__always) get { values[state.index] }
        @inline(__always) set { values[state.index] = newValue }
    }

    /// A state with three elements, other than position, attitude and mount.
    subscript(vector state: FilterState) -> Vector3 {
        @inline(__always) get { Vector3(values[state.index], values[state.index + 1], values[state.index + 2]) }
        @inline(__always) set { for k in 0..<3 { values[state.index + k] = newValue[k] } }
    }

    /// Attitude of the vehicle's axes (x forward, y left, z up).
    /// docs/math.md, eq. 3.3.
    var vehicleToENU: Quaternion { sensorToENU * sensorToVehicle.inverse }

    /// Rate of the Earth in sensor axes, rad/s.
    var earthRateSensor: Vector3 {
        let earth = WGS84.earthRateENU(latitudeRadians: position.latitudeRadians)
        return sensorToENU.inverse.rotate(Vector3(earth.east, earth.north, earth.up))
    }

    /// Velocity in vehicle axes at the IMU, m/s.
    var velocityVehicle: Vector3 { sensorToVehicle.rotate(sensorToENU.inverse.rotate(velocityENU)) }

    /// From the axes in which the vehicle drives to its own: it goes where its unsteered wheels go, and in a turn they
    /// slip outwards.
    /// docs/math.md, eq. 3.9.
    var drivenToVehicle: Quaternion {
        Quaternion(rotationVector: Vector3(0, 0, -sideslip * velocityVehicle.x * meanYawRate))
    }

    /// From the position to that at the time of a receiver's stamp, the lag of its position being a difference of the
    /// clocks, east, north, up, metres.
    /// docs/math.md, eq. 3.4.
    ///
    /// - Parameter lag: of the position, seconds; below zero the clock of the IMU is late.
    static func stampOffset(lag: Double, velocity: Vector3, acceleration: Vector3) -> Vector3 {
        velocity * -lag + acceleration * (0.5 * lag * lag)
    }

    /// Velocity and attitude set back by a time, or forward where it is below zero.
    /// docs/math.md, eq. 3.4.
    func turnedBack(seconds: Double) -> (velocityENU: Vector3, sensorToENU: Quaternion) {
        (
            velocityENU - meanAccelerationENU * seconds,
            sensorToENU * Quaternion(rotationVector: angularRateSensor * -seconds)
        )
    }

    /// Whether an element of the error vector is simply a difference: not so for position, attitude and mount.
    @inline(__always) private static func isAdditive(_ element: Int) -> Bool {
        !FilterState.position.elements.contains(element) && !FilterState.attitude.elements.contains(element)
            && !FilterState.mount.elements.contains(element)
    }

    /// Adds an estimated error to the estimate.
    /// docs/math.md, eq. 3.1.
    mutating func apply(_ error: borrowing ErrorVector) {
        move(byENU: error[vector: .position])
        let turn = Quaternion(rotationVector: error[vector: .attitude])
        sensorToENU = turn * sensorToENU
        sensorToENU.normalize()
        corrections = turn * corrections
        corrections.normalize()
        sensorToVehicle = Quaternion(rotationVector: error[vector: .mount]) * sensorToVehicle
        sensorToVehicle.normalize()
        for i in 0..<FilterState.count where Self.isAdditive(i) { values[i] += error[i] }
    }

    /// The error that takes `estimate` to this state: the inverse of ``apply(_:)``.
    /// docs/math.md, eq. 10.5.
    func error(from estimate: NavigationState) -> ErrorVector {
        var error = ErrorVector()
        error[vector: .position] = estimate.offsetENU(to: self)
        error[vector: .attitude] = (sensorToENU * estimate.sensorToENU.inverse).rotationVector
        error[vector: .mount] = (sensorToVehicle * estimate.sensorToVehicle.inverse).rotationVector
        for i in 0..<FilterState.count where Self.isAdditive(i) { error[i] = values[i] - estimate.values[i] }
        return error
    }

    /// From the place of this state to that of another one nearby, east, north, up, metres.
    func offsetENU(to other: NavigationState) -> Vector3 {
        let offset = position.surfaceOffsetMeters(to: other.position)
        return Vector3(
            offset.east, offset.north,
            other.position.altitudeEllipsoidMeters - position.altitudeEllipsoidMeters)
    }

    /// Moves the position by a small offset, east, north, up, metres.
    mutating func move(byENU offset: Vector3) { position = position.moved(byENU: offset) }

    /// Whether every state is finite and within its range.
    var isSound: Bool {
        guard position.isValid, sensorToENU.isFinite, sensorToVehicle.isFinite else { return false }
        let limits = StateTable.limits
        var isWithin = true
        // Without a branch for each element, because every sample asks.
        for i in 0..<FilterState.count { isWithin = isWithin && abs(values.span[i]) < limits.span[i] }
        return isWithin
    }
}

/// The states by their names.
extension NavigationState {
    /// Velocity over ground, east, north, up, m/s.
    var velocityENU: Vector3 {
        get { self[vector: .velocity] }
        set { self[vector: .velocity] = newValue }
    }
    /// Gyro bias, sensor axes, rad/s.
    var gyroBias: Vector3 {
        get { self[vector: .gyroBias] }
        set { self[vector: .gyroBias] = newValue }
    }
    /// Accelerometer bias, sensor axes, m/s2.
    var accelerometerBias: Vector3 {
        get { self[vector: .accelerometerBias] }
        set { self[vector: .accelerometerBias] = newValue }
    }
    /// Forward distance from the IMU to the point that does not slip sideways (the rear axle of a car), metres.
    var rearAxleOffsetMeters: Double {
        get { self[.rearAxleOffset] }
        set { self[.rearAxleOffset] = newValue }
    }
    /// The receiver's position is this much older than its time stamp, seconds.
    var positionLagSeconds: Double {
        get { self[.positionLag] }
        set { self[.positionLag] = newValue }
    }
    /// Lag of the receiver's velocity, seconds: a low-pass, beyond 0.2 s a delay; below zero a delay of the IMU.
    var velocityLagSeconds: Double {
        get { self[.velocityLag] }
        set { self[.velocityLag] = newValue }
    }
    /// Slowly varying error of the receiver's position, east, north, up, metres.
    var gnssBiasENU: Vector3 {
        get { self[vector: .gnssBias] }
        set { self[vector: .gnssBias] = newValue }
    }
    /// True speed over the wheels' stated speed.
    var wheelScale: Double {
        get { self[.wheelScale] }
        set { self[.wheelScale] = newValue }
    }
    /// The wheels' speed is this much older than its time stamp, seconds; below zero the IMU is.
    var wheelLagSeconds: Double {
        get { self[.wheelLag] }
        set { self[.wheelLag] = newValue }
    }
    /// Rise of the nose against the road per forward acceleration, rad per m/s2.
    var squat: Double {
        get { self[.squat] }
        set { self[.squat] = newValue }
    }
    /// False rate of the gyro, sensor axes, per rate of turn about the vehicle's vertical.
    var turnCoupling: Vector3 {
        get { self[vector: .turnCoupling] }
        set { self[vector: .turnCoupling] = newValue }
    }
    /// False specific force of the accelerometer in vehicle axes: forward per forward, forward per left, left per left.
    var forceCoupling: Vector3 {
        get { self[vector: .forceCoupling] }
        set { self[vector: .forceCoupling] = newValue }
    }
    /// Place of the antenna from the IMU in the vehicle, forward and left, metres.
    var antennaArmMeters: SIMD2<Double> {
        get { SIMD2(self[.antennaArm.x], self[.antennaArm.y]) }
        set { (self[.antennaArm.x], self[.antennaArm.y]) = (newValue.x, newValue.y) }
    }
    /// Slip angle of the rear wheels, to the outside of a turn, per sideways acceleration, rad per m/s2.
    var sideslip: Double {
        get { self[.sideslip] }
        set { self[.sideslip] = newValue }
    }

    /// What scale and cross-axis errors of the accelerometer add to a specific force, sensor axes, m/s2.
    /// docs/math.md, eq. 3.5.
    func falseForce(of force: Vector3) -> Vector3 { falseForceByCoupling(of: force) * forceCoupling }

    /// The false force of ``falseForce(of:)`` for each element of the force coupling, a column each.
    func falseForceByCoupling(of force: Vector3) -> Matrix<3, 3> {
        let toSensor = sensorToVehicle.inverse
        let (forward, left) = (toSensor.rotate(.unitX), toSensor.rotate(.unitY))
        let (along, across) = (forward.dot(force), left.dot(force))
        let columns = (forward * along, forward * across, left * across)
        return Matrix(
            rows: Vector3(columns.0.x, columns.1.x, columns.2.x), Vector3(columns.0.y, columns.1.y, columns.2.y),
            Vector3(columns.0.z, columns.1.z, columns.2.z))
    }
}

extension GeodeticPosition {
    /// The position a small offset away, east, north, up, metres (Groves 2013 eq. 2.111).
    /// docs/math.md, eq. 3.2.
    func moved(byENU offset: Vector3) -> GeodeticPosition {
        let meridian = WGS84.meridianRadiusMeters(latitudeRadians: latitudeRadians) + altitudeEllipsoidMeters
        let parallel =
            (WGS84.primeVerticalRadiusMeters(latitudeRadians: latitudeRadians) + altitudeEllipsoidMeters)
            * Strapdown.cosine(latitudeRadians)
        return GeodeticPosition(
            latitudeRadians: latitudeRadians + offset.y / meridian,
            longitudeRadians: Angle.wrappedToPi(longitudeRadians + offset.x / parallel),
            altitudeEllipsoidMeters: altitudeEllipsoidMeters + offset.z)
    }
}
