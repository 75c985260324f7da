import Glibc
import Measurements
import PoseMath

/// Faults of an IMU: those that its samples alone show, and those that the motion shows.
public struct InertialFaults: OptionSet, Sendable, Hashable {
    /// One bit each.
    public let rawValue: UInt8
    /// The set of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The gyro repeats one reading, or one of its axes does while the others move.
    public static let gyroStuck = InertialFaults(rawValue: 1)
    /// The same of the accelerometer.
    public static let accelerometerStuck = InertialFaults(rawValue: 2)
    /// The gyro's reading is at the end of its range.
    public static let gyroClipped = InertialFaults(rawValue: 4)
    /// The same of the accelerometer.
    public static let accelerometerClipped = InertialFaults(rawValue: 8)
    /// The IMU contradicts the receiver or itself: a bias or a scale has jumped.
    public static let inconsistent = InertialFaults(rawValue: 16)
    /// The sensor has turned in the vehicle: its holder slipped, fell or was adjusted.
    public static let turned = InertialFaults(rawValue: 32)

    /// The names of the faults in the set, as `status` has them.
    public var names: [String] {
        let all: [(InertialFaults, String)] = [
            (.gyroStuck, "gyroStuck"), (.accelerometerStuck, "accelerometerStuck"), (.gyroClipped, "gyroClipped"),
            (.accelerometerClipped, "accelerometerClipped"), (.inconsistent, "inconsistent"), (.turned, "turned"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

/// Detects repeated readings: a dead axis, a stuck sensor, the end of the range.
///
/// The share of repetitions of a healthy sensor is learned: none for a fine sensor, many for a coarse one at rest. A
/// run is a fault if its probability by chance is below 1e-9, and if it is longer than any run that has ended.
struct IMUStuckClipDetector: Sendable {
    /// State of three axes.
    struct Triad: Sendable {
        /// Runs of each axis while the others changed, and of all three.
        private var runs = InlineArray<4, RepetitionRun>(repeating: RepetitionRun())
        /// The end of the range.
        private(set) var end: RangeEnd
        private var last: Vector3?

        /// Readings below `clippedFrom` do not count as the end of a range.
        init(clippedFrom: Double) { end = RangeEnd(leastRange: clippedFrom) }

        /// Updates with a reading: whether something is stuck, and whether a range has ended.
        ///
        /// - Parameter interval: since the reading before, seconds.
        mutating func update(_ reading: Vector3, interval: Double) -> (isStuck: Bool, isClipped: Bool) {
            end.update(reading, interval: interval)
            guard let last else {
                self.last = reading
                return (false, false)
            }
            let same = (reading.x == last.x, reading.y == last.y, reading.z == last.z)
            self.last = reading
            let all = same.0 && same.1 && same.2
            runs[3].count(all)
            if !all {
                if !same.1 || !same.2 { runs[0].count(same.0) }
                if !same.0 || !same.2 { runs[1].count(same.1) }
                if !same.0 || !same.1 { runs[2].count(same.2) }
            }
            let isStuck = runs[0].isFault || runs[1].isFault || runs[2].isFault || runs[3].isFault
            // An axis at the end of its range repeats readings, but is not dead.
            return (isStuck && !end.isReached, end.isReached)
        }
    }

    private var gyro = Triad(clippedFrom: Tuning.StuckClip.leastClippedRate)
    private var accelerometer = Triad(clippedFrom: Tuning.StuckClip.leastClippedForce)

    private var lastTime: MonotonicTime?

    /// What the last sample has hidden beyond the ends of the ranges. A gyro with a range below those that are sold is
    /// none, but a coarse one that turns steadily.
    var saturated: SaturatedMotion {
        var motion = SaturatedMotion()
        let g = gyro.end
        (motion.turn, motion.openTurnSigma) = (g.hidden, g.hiddenSigma)
        for axis in 0..<3 where !(g.range[axis] > Tuning.StuckClip.leastSoldRate) {
            (motion.turn[axis], motion.openTurnSigma[axis]) = (0, 0)
        }
        motion.velocity = accelerometer.end.hidden
        return motion
    }

    /// Updates with a sample, and gives its faults.
    mutating func update(_ sample: InertialSample) -> InertialFaults {
        var faults: InertialFaults = []
        let interval = lastTime.map { sample.time.seconds(since: $0) } ?? 0
        lastTime = sample.time
        let (g, a) = (
            gyro.update(sample.angularRateRadiansPerSecond, interval: interval),
            accelerometer.update(sample.specificForceMetersPerSecondSquared, interval: interval)
        )
        if g.isStuck { faults.insert(.gyroStuck) }
        if a.isStuck { faults.insert(.accelerometerStuck) }
        if g.isClipped { faults.insert(.gyroClipped) }
        if a.isClipped { faults.insert(.accelerometerClipped) }
        return faults
    }

    /// The noise of a sample with these faults.
    static func noise(_ density: IMUNoiseEstimator.Density, with faults: InertialFaults) -> IMUNoiseEstimator.Density {
        var density = density
        if !faults.isDisjoint(with: [.gyroStuck, .gyroClipped]) {
            density.gyro = density.gyro + SymmetricMatrix3(isotropic: Tuning.IMUNoise.blindGyro)
        }
        if !faults.isDisjoint(with: [.accelerometerStuck, .accelerometerClipped]) {
            density.accelerometer =
                density.accelerometer + SymmetricMatrix3(isotropic: Tuning.IMUNoise.blindAccelerometer)
        }
        return density
    }
}
