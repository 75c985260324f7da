import PoseMath

/// Sums of the inertial samples between two steps of a covariance that moves more slowly than they come.
struct InertialInterval: Sendable {
    /// Length, seconds.
    private(set) var seconds = 0.0
    /// Integral of the specific force, level frame, m/s.
    private(set) var force = Vector3.zero
    /// Integral of the squared rate of turn, rad2/s.
    private(set) var squaredTurn = 0.0
    /// Integral of the sensor's axes, level frame: the columns of the rotation, seconds.
    private(set) var axes = (x: Vector3.zero, y: Vector3.zero, z: Vector3.zero)
    /// Integral of each axis times the rate about it, level frame, radians.
    private(set) var turns = (x: Vector3.zero, y: Vector3.zero, z: Vector3.zero)
    private var lastForce: Vector3?

    /// An interval without samples.
    init() {}

    /// Adds a sample.
    /// docs/math.md, eq. 8.3.
    ///
    /// - Parameters:
    ///   - axes: the sensor's axes in the level frame at its end.
    ///   - force: specific force, sensor axes, m/s2.
    ///   - rate: rate of turn, bias removed, rad/s.
    ///   - dt: seconds since the sample before.
    mutating func add(axes e: SensorAxes, force f: Vector3, rate: Vector3, seconds dt: Double) {
        let level = e.x * f.x + e.y * f.y + e.z * f.z
        force += (level + (lastForce ?? level)) * (0.5 * dt)
        lastForce = level
        let turn = rate * dt
        axes.x += e.x * dt
        axes.y += e.y * dt
        axes.z += e.z * dt
        turns.x += e.x * turn.x
        turns.y += e.y * turn.y
        turns.z += e.z * turn.z
        squaredTurn += turn.dot(rate)
        seconds += dt
    }

    /// Begins the next interval where this one ended.
    mutating func restart() {
        let last = lastForce
        self = InertialInterval()
        lastForce = last
    }
}

/// The axes of the sensor in another frame: the columns of a rotation matrix.
struct SensorAxes: Sendable {
    /// The first axis.
    let x: Vector3
    /// The second axis.
    let y: Vector3
    /// The third axis.
    let z: Vector3

    /// The axes after a rotation (Sola 2017 eq. 115, by columns).
    init(_ q: Quaternion) {
        x = Vector3(1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y))
        y = Vector3(2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x))
        z = x.cross(y)
    }
}
