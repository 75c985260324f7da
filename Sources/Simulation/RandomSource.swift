import Glibc
import PoseMath
import SeededNumbers

/// Random numbers that are identical in every run with the same seed.
public struct RandomSource: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64
    private var spare: Double?

    /// Creates a source from a seed.
    public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// Creates the source for one of several uses of a seed. Numbers drawn for one use do not change those of another.
    public init(seed: UInt64, use: UInt64) {
        var root = RandomSource(seed: seed &+ use &* 0xD1B5_4A32_D192_ED03)
        numbers = SplitMix64(seed: root.next())
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 { numbers.next() }

    /// A number uniformly distributed in [0, 1).
    public mutating func unit() -> Double { numbers.uniform() }

    /// A number uniformly distributed between two bounds.
    public mutating func uniform(_ low: Double, _ high: Double) -> Double { numbers.uniform(low, high) }

    /// `true` with a probability.
    public mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    /// A standard normal number, by the polar form of the Box-Muller method.
    public mutating func gaussian() -> Double {
        if let spare {
            self.spare = nil
            return spare
        }
        while true {
            let (a, b) = (uniform(-1, 1), uniform(-1, 1))
            let r = a * a + b * b
            if r > 0, r < 1 {
                let factor = (-2 * log(r) / r).squareRoot()
                spare = b * factor
                return a * factor
            }
        }
    }

    /// Three independent standard normal numbers.
    public mutating func gaussianVector() -> Vector3 {
        let x = gaussian()
        let y = gaussian()
        return Vector3(x, y, gaussian())
    }

    /// A rotation uniformly distributed over all rotations (a normalised normal 4-vector).
    public mutating func rotation() -> Quaternion {
        let v = gaussianVector()
        var q = Quaternion(w: gaussian(), x: v.x, y: v.y, z: v.z)
        q.normalize()
        return q
    }
}

/// A first-order Gauss-Markov process on three axes: an error of constant variance that decorrelates with a time
/// constant.
struct GaussMarkovVector: Sendable {
    /// 1-sigma per axis.
    var sigma: Vector3
    /// Correlation time, seconds; 0 or less gives white noise.
    var timeConstantSeconds: Double
    private var value: Vector3?

    init(sigma: Vector3, timeConstantSeconds: Double) {
        self.sigma = sigma
        self.timeConstantSeconds = timeConstantSeconds
    }

    /// The next error, a number of seconds after the previous one.
    mutating func next(afterSeconds dt: Double, _ random: inout RandomSource) -> Vector3 {
        let fresh = random.gaussianVector() * sigma
        guard let old = value else {
            value = fresh
            return fresh
        }
        let kept = timeConstantSeconds > 0 ? exp(-dt / timeConstantSeconds) : 0
        let new = old * kept + fresh * (1 - kept * kept).squareRoot()
        value = new
        return new
    }
}
