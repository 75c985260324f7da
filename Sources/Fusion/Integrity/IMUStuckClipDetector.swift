import Glibc
import Measurements
import PoseMath

/// What an IMU was caught at, by what its samples alone show.
public struct InertialFaults: OptionSet, Sendable, Hashable {
    /// One bit each.
    public let rawValue: UInt8
    /// The set of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The gyro repeats one reading, or one of its axes does while the others move.
    public static let gyroStuck = InertialFaults(rawValue: 1)
    /// The accelerometer does.
    public static let accelerometerStuck = InertialFaults(rawValue: 2)
    /// The gyro's reading stands at the end of its range.
    public static let gyroClipped = InertialFaults(rawValue: 4)
    /// The accelerometer's does.
    public static let accelerometerClipped = InertialFaults(rawValue: 8)
    /// What the IMU feels does not fit what the receiver sees, nor each other: a bias has jumped, or a scale.
    public static let inconsistent = InertialFaults(rawValue: 16)
}

/// Watches the samples for readings that repeat: an axis that is dead, a sensor that is stuck, a range that has ended.
///
/// How often a reading repeats while all is well is learned: never with a fine sensor, often with a coarse one at rest.
/// So many repetitions are a fault as would come by chance once in a thousand million times, and more than have ever
/// ended by themselves.
struct IMUStuckClipDetector: Sendable {
    /// Watches three axes.
    struct Triad: Sendable {
        /// Repetitions of an axis while the others moved, and of all three; the longest of each that ended; how likely
        /// one more is.
        private var runs = InlineArray<4, Run>(repeating: Run())
        private var largest = Vector3.zero
        private var atLargest = InlineArray<3, Int>(repeating: 0)
        private var last: Vector3?
        private let clippedFrom: Double

        /// Repetitions of one kind. Its stride is a multiple of 16 bytes, as that of every structure in an
        /// `InlineArray` has to be: where the enclosing structure is aligned to 16 bytes, the compiler copies each
        /// element with moves that need that alignment, and traps on an element that lies between.
        struct Run {
            /// Readings in a row that repeat the one before.
            var length: Int32 = 0
            /// The longest such row that ended by itself.
            var longestEnded: Int32 = 0
            /// Share of repetitions.
            var share = Tuning.StuckClip.initialShare

            mutating func count(_ isSame: Bool) {
                share += ((isSame ? 1 : 0) - share) * Tuning.StuckClip.shareGain
                if isSame {
                    length = min(length, .max - 1) + 1
                } else {
                    longestEnded = max(longestEnded, length)
                    length = 0
                }
            }

            /// docs/math.md, eq. 12.9.
            var isFault: Bool {
                guard length > Tuning.StuckClip.fewestRepetitions,
                    Int(length) > Tuning.StuckClip.longestRunRatio * Int(longestEnded)
                else { return false }
                return Double(length) * log(min(share, Tuning.StuckClip.largestShare)) < Tuning.StuckClip.logProbability
            }
        }

        /// Readings below `clippedFrom` are not taken for the end of a range.
        init(clippedFrom: Double) { self.clippedFrom = clippedFrom }

        /// Takes the next reading: whether something is stuck, and whether a range has ended.
        mutating func update(_ reading: Vector3) -> (isStuck: Bool, isClipped: Bool) {
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
            var isClipped = false
            for axis in 0..<3 {
                let size = abs(reading[axis])
                if size > largest[axis] {
                    (largest[axis], atLargest[axis]) = (size, 1)
                } else if size == largest[axis], size > clippedFrom {
                    atLargest[axis] += 1
                    isClipped = isClipped || atLargest[axis] >= Tuning.StuckClip.clippedReadings
                } else {
                    atLargest[axis] = 0
                }
            }
            let isStuck = runs[0].isFault || runs[1].isFault || runs[2].isFault || runs[3].isFault
            // An axis at the end of its range repeats itself, but is not dead.
            return (isStuck && !isClipped, isClipped)
        }
    }

    private var gyro = Triad(clippedFrom: Tuning.StuckClip.leastClippedRate)
    private var accelerometer = Triad(clippedFrom: Tuning.StuckClip.leastClippedForce)

    /// Takes the next sample: what is wrong with it.
    mutating func update(_ sample: InertialSample) -> InertialFaults {
        var faults: InertialFaults = []
        let (g, a) = (
            gyro.update(sample.angularRateRadiansPerSecond),
            accelerometer.update(sample.specificForceMetersPerSecondSquared)
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
