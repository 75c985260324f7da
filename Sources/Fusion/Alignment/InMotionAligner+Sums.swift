import Glibc

/// What the search for the heading in motion is made of: its sums, and the prediction of the velocities.
extension InMotionAligner {
    /// A sum of vectors, and the sum of each times its age.
    struct Moments: Sendable {
        var sum = Complex()
        var byAge = Complex()

        /// Adds a vector times what a constant force and one that grows with its age gain.
        mutating func add(_ value: Complex, _ forced: (sum: Double, byAge: Double)) {
            sum = sum + value * forced.sum
            byAge = byAge + value * forced.byAge
        }

        /// Moves on by a time, and multiplies all vectors by a factor.
        mutating func age(by seconds: Double, times factor: Complex) {
            byAge = (byAge + sum * seconds) * factor
            sum = sum * factor
        }
    }

    /// The inverse of the weights of a force and of its change with age.
    struct LevelForce: Sendable {
        private let first: Double
        private let mixed: Double
        private let second: Double
        /// Numbers that the pairs fit, of the four of both vectors: less where more is known before (MacKay 1992,
        /// "Bayesian interpolation", eq. 4.8).
        let fittedNumbers: Double

        /// - Parameters:
        ///   - known: the weights of what is known of both before.
        ///   - sum: the weight of the pairs, the same times the age, and times its square.
        init(known: (Double, Double), sum: Double, byAge: Double, byAgeSquared: Double) {
            let (force, drift) = (sum + known.0, byAgeSquared + known.1)
            let determinant = force * drift - byAge * byAge
            (first, mixed, second) = (drift / determinant, -byAge / determinant, force / determinant)
            fittedNumbers = 2 * (2 - known.0 * first - known.1 * second)
        }

        /// What the force explains of the product of two sums.
        func explains(_ a: Moments, _ b: Moments) -> Complex {
            a.sum.conjugate * (b.sum * first + b.byAge * mixed) + a.byAge.conjugate * (b.sum * mixed + b.byAge * second)
        }
    }

    /// Predicts a velocity from those before and the accelerometer: a Kalman filter of one state, whose innovations are
    /// independent where the errors of the receiver are, and those of the accelerometer's changes.
    struct VelocityPredictor: Sendable {
        /// Variance of the velocity after the last one, (m/s)2.
        private var variance: Double
        /// What the next innovation has of the last one: what was not taken of it.
        private var left = 0.0

        /// - Parameter variance: of the first velocity on each axis, (m/s)2.
        init(variance: Double = 0) { self.variance = variance }

        /// Adds a velocity.
        ///
        /// - Parameters:
        ///   - own: variance of its error on each axis, (m/s)2.
        ///   - change: variance of what the accelerometer does not tell of the change since the one before, (m/s)2.
        /// - Returns: what is left of the innovation before, 0 to 1, and the variance of this one, (m/s)2.
        mutating func add(variance own: Double, change: Double) -> (left: Double, variance: Double) {
            let predicted = variance + change
            let (before, whole) = (left, predicted + own)
            left = own / whole
            variance = predicted * left
            return (before, whole)
        }
    }

    /// A horizontal vector as a number: the real part east (or level x), the imaginary north (level y).
    struct Complex: Sendable {
        var real = 0.0
        var imaginary = 0.0

        init() {}

        init(_ real: Double, _ imaginary: Double) { (self.real, self.imaginary) = (real, imaginary) }

        /// Length one.
        init(turnedBy angle: Double) { self.init(cos(angle), sin(angle)) }

        var conjugate: Complex { Complex(real, -imaginary) }
        var squared: Double { real * real + imaginary * imaginary }
        var length: Double { squared.squareRoot() }
        var angle: Double { atan2(imaginary, real) }

        static func + (a: Complex, b: Complex) -> Complex { Complex(a.real + b.real, a.imaginary + b.imaginary) }
        static func * (a: Complex, b: Complex) -> Complex {
            Complex(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
        }
        static func * (a: Complex, factor: Double) -> Complex { Complex(a.real * factor, a.imaginary * factor) }
    }
}
