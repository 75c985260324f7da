import Glibc
import PoseMath

/// The first seconds of an attitude filter: gravity is the mean of the specific force in the frame that the gyro holds.
///
/// A gyro whose bias is that of the worst of its kind turns that frame by up to a right angle in this time. A fastened
/// sensor only turns about the vertical, so that gravity stands still in its own axes, too: where the force adds up to
/// more in these, the rates about the level axes were the bias.
struct AttitudeStart: Sendable {
    /// Integrals of the specific force in the frame of the gyro, m/s, and in sensor axes, m/s, and of the rate of turn,
    /// radians.
    private var force = Vector3.zero
    private var sensorForce = Vector3.zero
    private var turn = Vector3.zero
    private var seconds = 0.0
    /// That turn and its time in the first half.
    private var firstTurn = Vector3.zero
    private var firstSeconds = 0.0

    /// A gyro bias that the first seconds show.
    struct Bias {
        /// About the level axes, sensor axes, rad/s, and its 1-sigma.
        var level: Vector3
        var sigma: Double
        /// Up in sensor axes, by the force in these.
        var up: Vector3
    }

    /// Takes a sample; the rotation that makes the force so far point up, `nil` where there is none.
    /// docs/math.md, eq. 8.2.
    ///
    /// - Parameters:
    ///   - specificForce: sensor axes, m/s2.
    ///   - rate: of turn, as the gyro has it, sensor axes, rad/s.
    ///   - attitude: of the sensor in the frame of the gyro.
    mutating func add(
        _ specificForce: Vector3, rate: Vector3, attitude: Quaternion, seconds dt: Double
    ) -> Quaternion? {
        seconds += dt
        turn += rate * dt
        if seconds <= Tuning.Attitude.startMovingSeconds / 2 { (firstTurn, firstSeconds) = (turn, seconds) }
        sensorForce += specificForce * dt
        force += attitude.rotate(specificForce) * dt
        guard let up = force.normalized else { return nil }
        let toUp = Quaternion(from: up, to: .unitZ)
        force = toUp.rotate(force)
        return toUp
    }

    /// The bias of the gyro of a fastened sensor; `nil` where it is within what any sensor has, or a turn, or did not
    /// last.
    /// docs/math.md, eq. 8.2.
    var bias: Bias? {
        guard firstSeconds > 0, seconds > firstSeconds, sensorForce.lengthSquared > force.lengthSquared,
            let up = sensorForce.normalized
        else { return nil }
        let mean = turn * (1 / seconds)
        let about = mean.dot(up)
        let level = mean - up * about
        let change = (turn - firstTurn) * (1 / (seconds - firstSeconds)) - firstTurn * (1 / firstSeconds)
        // What turns about the vertical shows about axes that are not quite level.
        let sigma = hypot(Tuning.Attitude.startTiltRate, about * Tuning.Attitude.movingTilt)
        guard level.length > max(Tuning.Attitude.initialGyroBias, Tuning.Attitude.startBiasSigmas * sigma),
            (change - up * change.dot(up)).length < level.length
        else { return nil }
        return Bias(level: level, sigma: sigma, up: up)
    }
}
