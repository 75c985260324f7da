import Glibc
import PoseMath

/// Overlapping Allan variance of three axes, one sample at a time.
///
/// Averaging times are 1, 2, 3, 4, 6, 8, 12, ... samples. An averaging time of m samples is evaluated at m/8 to m/12
/// instants per averaging time instead of at every sample, so that each keeps at most 25 sums and a sample costs a
/// constant number of operations: memory grows with the logarithm of the number of samples. The estimate loses nearly
/// nothing: neighbouring evaluations share 7/8 of their samples.
public struct AllanVariance: Sendable {
    /// One point of the curve.
    public struct Point: Hashable, Sendable {
        /// Averaging time, in samples.
        public var samples: Int
        /// Allan variance of each axis, in the square of the unit of the samples.
        public var variance: Vector3
        /// Number of evaluations.
        public var count: Int
    }

    /// One averaging time.
    private struct Level: Sendable {
        /// Averaging time and distance of evaluations, samples.
        let (samples, stride): (Int, Int)
        /// The last sums, a ring of `2 samples / stride + 1`.
        var ring: [Vector3]
        /// Number of sums since the last gap.
        var filled = 0
        var squares = Vector3.zero
        var count = 0

        init(samples: Int, stride: Int) {
            (self.samples, self.stride) = (samples, stride)
            ring = Array(repeating: .zero, count: 2 * samples / stride + 1)
        }

        /// Takes the sum of all samples so far.
        mutating func add(_ sum: Vector3) {
            let size = ring.count
            ring[filled % size] = sum
            filled += 1
            guard filled >= size else { return }
            // The oldest, the middle and the newest sum.
            let oldest = ring[filled % size]
            let middle = ring[(filled + (size - 1) / 2) % size]
            let difference = sum - middle * 2 + oldest
            squares += difference * difference
            count += 1
        }
    }

    private var levels: [Level] = []
    private var sum = Vector3.zero
    /// The first sample: taken off each, so that the sums stay small.
    private var first: Vector3?
    /// Samples since the last gap.
    private var run = 0
    /// Number of samples.
    public private(set) var count = 0

    /// Longest averaging time, samples: 12 days at 1 kHz.
    private static let longest = 1 << 30

    /// A variance without samples.
    public init() {
        var power = 1
        while power <= Self.longest {
            let stride = max(power / 8, 1)
            levels.append(Level(samples: power, stride: stride))
            if power >= 2 { levels.append(Level(samples: power + power / 2, stride: stride)) }
            power *= 2
        }
    }

    /// Takes a sample. The samples must be equally spaced.
    /// docs/math.md, eq. 13.8.
    public mutating func add(_ value: Vector3) {
        let start = first ?? value
        first = start
        // The sum before the first sample of a run is the first one.
        if run == 0 { for index in levels.indices { levels[index].add(sum) } }
        run += 1
        count += 1
        sum += value - start
        // The distances of evaluations are rising powers of two.
        let largest = run & -run
        var index = 0
        while index < levels.count, levels[index].stride <= largest {
            levels[index].add(sum)
            index += 1
        }
    }

    /// Notes that samples are missing: no difference reaches across the gap.
    public mutating func noteGap() {
        run = 0
        for index in levels.indices { levels[index].filled = 0 }
    }

    /// The curve, by rising averaging time, where there are evaluations.
    public var points: [Point] {
        levels.filter { $0.count > 0 }.map { level in
            let m = Double(level.samples)
            return Point(
                samples: level.samples, variance: level.squares / (2 * m * m * Double(level.count)),
                count: level.count)
        }
    }

    /// Equivalent degrees of freedom of a point for white noise, with that many samples.
    /// docs/math.md, eq. 13.9.
    public static func degreesOfFreedom(samples m: Int, of count: Int) -> Double {
        let (m, n) = (Double(m), Double(count))
        guard n > 2 * m else { return 0 }
        let edf = (3 * (n - 1) / (2 * m) - 2 * (n - 2) / n) * 4 * m * m / (4 * m * m + 5)
        return max(edf, 0)
    }
}
