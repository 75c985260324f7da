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
    /// Integrals of each axis times the rates about all three, level frame, radians.
    private(set) var turns = (x: AxisTurns(), y: AxisTurns(), z: AxisTurns())

    /// Integrals of one axis times the rate about each, level frame, radians.
    struct AxisTurns: Sendable {
        /// Times the rate about the axis x.
        fileprivate(set) var x = Vector3.zero
        /// Times the rate about the axis y.
        fileprivate(set) var y = Vector3.zero
        /// Times the rate about the axis z.
        fileprivate(set) var z = Vector3.zero

        fileprivate mutating func add(_ axis: Vector3, _ turn: Vector3) {
            x += axis * turn.x
            y += axis * turn.y
            z += axis * turn.z
        }
    }

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
        turns.x.add(e.x, turn)
        turns.y.add(e.y, turn)
        turns.z.add(e.z, turn)
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

/// What each axis of a gyro measures of the turns about the other two: its axes are not square, or are turned against
/// those of the accelerometer.
struct GyroCrossTerms: Sendable {
    /// About x of the turn about y and z, and about y of that about x.
    private(set) var first = Vector3.zero
    /// About y of the turn about z, and about z of those about x and y.
    private(set) var second = Vector3.zero

    /// Adds a correction of the six.
    mutating func add(_ first: Vector3, _ second: Vector3) {
        self.first += first
        self.second += second
    }

    /// The error that they make of a rate of turn, rad/s.
    func error(of rate: Vector3) -> Vector3 {
        Vector3(
            first.x * rate.y + first.y * rate.z, first.z * rate.x + second.x * rate.z,
            second.y * rate.x + second.z * rate.y)
    }
}
