import Calibration
import Fusion
import PoseMath

/// Learns from a drive what the next one begins with, beside the mount, and decides when it is saved: something new or
/// clearly different is known, and the last save was long enough ago.
struct SensorSaving: Sendable {
    /// Shortest time between two saves, seconds.
    private static let intervalSeconds = 300.0
    /// Change of a bias that is worth a save, rad/s: 0.02 deg/s.
    private static let differentBias = 0.000_35
    /// Change of the bias of the accelerometer, m/s2: a sixth of a degree of tilt.
    private static let differentForce = 0.03
    /// Change of a lag, seconds, and of the scale of the wheels.
    private static let (differentLag, differentScale) = (0.02, 0.003)

    /// What was known before this drive.
    private var before: SavedSensors
    /// What is in the file; `nil` without a valid one.
    private(set) var saved: SavedSensors?
    private var found: [GyroBiasTable.Entry] = []
    private var latest: Vector3?
    private var force: SensorPrior.AccelerometerBias?
    private var (lags, wheels): (LagCalibration?, SensorPrior.Wheels?) = (nil, nil)
    private var lastTime: MonotonicTime?

    /// Begins a drive with what was read from the file, for the corrections in force.
    init(imu: String, read: SavedSensors?, corrections: SensorCorrections) {
        let own = read?.with(corrections: corrections)
        saved = own == read ? read : nil
        before = own ?? SavedSensors(imu: imu)
        (before.correction, before.accelerometerCorrection) = (corrections.gyro, corrections.accelerometer)
    }

    /// What the engine begins with.
    func prior(celsius: Double?) -> SensorPrior { before.prior(celsius: celsius) }

    /// Takes what is known now, at a temperature of the sensor.
    mutating func note(_ known: SensorPrior, celsius: Double?) {
        if let bias = known.gyroBias, bias.isWellKnown, bias.isValid {
            latest = bias.radiansPerSecond
            if let celsius { GyroBiasTable.note(bias.radiansPerSecond, at: celsius, in: &found) }
        }
        if let known = known.accelerometerBias, known.isValid { force = known }
        if let known = known.lags, known.isValid { lags = known }
        if let known = known.wheels, known.isValid { wheels = known }
    }

    /// What would be saved now.
    var current: SavedSensors {
        var current = before
        current.gyroBias.learn(found, latest: latest)
        current.accelerometerBias = force ?? before.accelerometerBias
        current.lags = lags ?? before.lags
        current.wheels = wheels ?? before.wheels
        return current
    }

    /// Whether to save ``current`` now; `true` counts as a save.
    ///
    /// - Parameter isLast: whether the daemon stops, so that the interval does not apply.
    mutating func shouldSave(at now: MonotonicTime, isLast: Bool = false) -> Bool {
        guard latest != nil || lags != nil || wheels != nil, isDifferent(current),
            isLast || (lastTime.map { now.seconds(since: $0) >= Self.intervalSeconds } ?? true)
        else { return false }
        lastTime = now
        return true
    }

    /// Records what was written.
    mutating func recordSaved(_ sensors: SavedSensors) { saved = sensors }

    private func isDifferent(_ new: SavedSensors) -> Bool {
        guard let saved else { return true }
        let (a, b) = (saved.gyroBias, new.gyroBias)
        if a.entries.count != b.entries.count || (a.latest == nil) != (b.latest == nil) { return true }
        let biases = zip(a.entries.map(\.bias) + [a.latest ?? .zero], b.entries.map(\.bias) + [b.latest ?? .zero])
        if biases.contains(where: { ($0 - $1).length > Self.differentBias }) { return true }
        return Self.differ(saved.accelerometerBias, new.accelerometerBias) || Self.differ(saved.lags, new.lags)
            || Self.differ(saved.wheels, new.wheels)
    }

    private static func differ(_ a: SensorPrior.AccelerometerBias?, _ b: SensorPrior.AccelerometerBias?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return (a.metersPerSecondSquared - b.metersPerSecondSquared).length > differentForce
    }

    private static func differ(_ a: LagCalibration?, _ b: LagCalibration?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return abs(a.positionSeconds - b.positionSeconds) > differentLag
            || abs(a.velocitySeconds - b.velocitySeconds) > differentLag
    }

    private static func differ(_ a: SensorPrior.Wheels?, _ b: SensorPrior.Wheels?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return abs(a.scale - b.scale) > differentScale || abs(a.lagSeconds - b.lagSeconds) > differentLag
    }
}
