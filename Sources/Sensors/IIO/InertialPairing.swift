import Measurements
import PoseMath

/// One reading of a separate gyro or of a separate accelerometer.
struct AxisSample: Hashable, Sendable {
    /// Time of validity.
    var time: MonotonicTime
    /// Reading in rad/s or m/s2, board axes.
    var vector: Vector3
}

/// The results of the pairing, by kind.
struct PairingCounts: Equatable, Sendable {
    /// Readings paired by interpolation or by an equal time.
    var paired: UInt64 = 0
    /// Readings paired with the last acceleration because the next one was late.
    var held: UInt64 = 0
    /// Gyro readings dropped because there was no acceleration within ``InertialPairing/longestHoldNanoseconds``.
    var withoutAcceleration: UInt64 = 0
    /// Gyro readings dropped, the oldest first, because the queue was full.
    var overflowed: UInt64 = 0
    /// Readings dropped because their time did not increase.
    var disordered: UInt64 = 0
}

/// Combines a gyro and an accelerometer with separate time stamps: one inertial sample per gyro reading, at the gyro's
/// time, with the acceleration interpolated to that time.
///
/// A gyro reading waits for the next acceleration, at most ``longestWaitNanoseconds``. After that the last acceleration
/// is used if it is at most 100 ms old. Fixed storage, no allocation, no clock: time advances with the readings.
struct InertialPairing: Sendable {
    /// Maximum age of the last acceleration when it replaces a late one.
    static let longestHoldNanoseconds: Int64 = 100_000_000
    /// Readings closer in time than this count as simultaneous: at 1000 (m/s2)/s that is 0.1 m/s2.
    static let simultaneousNanoseconds: Int64 = 100_000
    private static let capacity = 64

    /// The results so far.
    private(set) var counts = PairingCounts()
    private var gyro = InlineArray<64, AxisSample>(
        repeating: AxisSample(time: MonotonicTime(nanoseconds: 0), vector: Vector3()))
    private var gyroHead = 0
    private var gyroCount = 0
    private var lastGyroTime = Int64.min
    private var accelBefore: AxisSample?
    private var accel = InlineArray<64, AxisSample>(
        repeating: AxisSample(time: MonotonicTime(nanoseconds: 0), vector: Vector3()))
    private var accelHead = 0
    private var accelCount = 0
    private var lastAccelTime = Int64.min

    /// Creates a pairing without readings.
    init() {}

    /// How long a gyro reading waits for the next acceleration: the two devices are read by separate threads, and
    /// either may be that late.
    static let longestWaitNanoseconds: Int64 = 50_000_000

    /// Adds a gyro reading. Call ``next()`` until it returns `nil` after each reading.
    mutating func ingest(gyro sample: AxisSample) {
        guard sample.time.nanoseconds > lastGyroTime else {
            counts.disordered += 1
            return
        }
        lastGyroTime = sample.time.nanoseconds
        if gyroCount == Self.capacity {
            gyroHead = (gyroHead + 1) % Self.capacity
            gyroCount -= 1
            counts.overflowed += 1
        }
        gyro[(gyroHead + gyroCount) % Self.capacity] = sample
        gyroCount += 1
    }

    /// Adds an accelerometer reading. Call ``next()`` until it returns `nil` after each reading.
    mutating func ingest(accelerometer sample: AxisSample) {
        guard sample.time.nanoseconds > lastAccelTime else {
            counts.disordered += 1
            return
        }
        lastAccelTime = sample.time.nanoseconds
        if accelCount == Self.capacity {
            accelHead = (accelHead + 1) % Self.capacity
            accelCount -= 1
        }
        accel[(accelHead + accelCount) % Self.capacity] = sample
        accelCount += 1
    }

    /// The next complete inertial sample; `nil` if there is none yet.
    mutating func next() -> InertialSample? {
        while gyroCount > 0 {
            let sample = gyro[gyroHead]
            switch acceleration(at: sample.time.nanoseconds) {
            case .wait:
                return nil
            case .missing:
                dropHead()
                counts.withoutAcceleration += 1
            case .value(let vector, let held):
                dropHead()
                if held { counts.held += 1 } else { counts.paired += 1 }
                return InertialSample(
                    time: sample.time, angularRateRadiansPerSecond: sample.vector,
                    specificForceMetersPerSecondSquared: vector)
            }
        }
        return nil
    }

    private mutating func dropHead() {
        gyroHead = (gyroHead + 1) % Self.capacity
        gyroCount -= 1
    }

    private enum Acceleration {
        case wait
        case missing
        case value(Vector3, held: Bool)
    }

    /// The acceleration at a time that never decreases from call to call.
    private mutating func acceleration(at time: Int64) -> Acceleration {
        while accelCount > 0, accel[accelHead].time.nanoseconds <= time {
            accelBefore = accel[accelHead]
            accelHead = (accelHead + 1) % Self.capacity
            accelCount -= 1
        }
        if let before = accelBefore, time - before.time.nanoseconds <= Self.simultaneousNanoseconds {
            return .value(before.vector, held: false)
        }
        guard accelCount > 0 else { return withoutNext(at: time) }
        return interpolated(accel[accelHead], at: time)
    }

    private func interpolated(_ after: AxisSample, at time: Int64) -> Acceleration {
        let ahead = after.time.nanoseconds - time
        if ahead <= Self.simultaneousNanoseconds { return .value(after.vector, held: false) }
        guard let before = accelBefore, ahead <= Self.longestHoldNanoseconds,
            time - before.time.nanoseconds <= Self.longestHoldNanoseconds
        else { return .missing }
        let fraction = Double(time - before.time.nanoseconds) / Double(after.time.nanoseconds - before.time.nanoseconds)
        return .value(before.vector + (after.vector - before.vector) * fraction, held: false)
    }

    private func withoutNext(at time: Int64) -> Acceleration {
        guard lastGyroTime - time >= Self.longestWaitNanoseconds else { return .wait }
        guard let before = accelBefore, time - before.time.nanoseconds <= Self.longestHoldNanoseconds else {
            return .missing
        }
        return .value(before.vector, held: true)
    }
}
