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

    /// Sums for an antenna at an unknown place of the body: turns swing it. A horizontal arm is one complex number, in
    /// axes that turn with the sensor.
    struct SwingSums: Sendable {
        /// For each rate: sum of conj(swing) times receiver, turned to the present.
        private var receiver = InlineArray<41, Complex>(repeating: Complex())
        /// Sum of conj(swing) times accelerometer.
        private var inertial = Complex()
        /// Sum of the swing times what a constant force gains.
        private var forced = Moments()
        private var power = 0.0
        private var lastVelocity = Complex()
        /// The last change, with what is left of those before.
        private var innovation = Complex()

        /// Begins a row of pairs with the velocity of an antenna one metre ahead, m/s.
        mutating func begin(with velocity: Complex) { (lastVelocity, innovation) = (velocity, Complex()) }

        /// Takes that velocity at the end of a pair.
        ///
        /// - Parameter left: what is left of the innovations before.
        mutating func move(to velocity: Complex, left: Double) {
            innovation = velocity + lastVelocity * -1 + innovation * left
            lastVelocity = velocity
        }

        /// Adds the last change to the sums.
        mutating func add(
            weight: Double, inertial change: Complex, receiver turned: InlineArray<41, Complex>,
            forced gained: (sum: Double, byAge: Double)
        ) {
            let weighted = innovation * weight
            for k in receiver.indices { receiver[k] = receiver[k] + weighted.conjugate * turned[k] }
            inertial = inertial + weighted.conjugate * change
            forced.add(weighted, gained)
            power += innovation.squared * weight
        }

        /// Decays old pairs; angles become the present ones.
        mutating func forget(keep: Double, seconds: Double, turn: InlineArray<41, Complex>) {
            for k in receiver.indices { receiver[k] = receiver[k] * turn[k] }
            inertial = inertial * keep
            forced.age(by: seconds, times: Complex(keep, 0))
            power *= keep
        }

        /// The sums for a rate, without what the force from a wrong level explains of them.
        /// docs/math.md, eq. 7.43.
        ///
        /// - Parameter known: weight of what is known of the arm before.
        func reduced(
            _ k: Int, level: LevelForce, inertialSum: Moments, receiverSum: Moments, known: Double
        ) -> ReducedSwing {
            ReducedSwing(
                power: power - level.explains(forced, forced).real, known: known,
                inertial: inertial + level.explains(forced, inertialSum) * -1,
                receiver: receiver[k] + level.explains(forced, receiverSum) * -1)
        }
    }

    /// What an arm explains of the changes.
    struct ReducedSwing: Sendable {
        /// Sum of the squares of the swing, and the weight of what is known of the arm before.
        let power, known: Double
        /// Sum of conj(swing) times accelerometer, and times receiver.
        let inertial, receiver: Complex

        /// The part of the accelerometer's power, of the receiver's, and of their product.
        var inertialPower: Double { inertial.squared / (power + known) }
        var receiverPower: Double { receiver.squared / (power + known) }
        var product: Complex { inertial.conjugate * receiver * (1 / (power + known)) }
        /// Numbers of the arm that the pairs fit.
        var fittedNumbers: Double { 2 * power / (power + known) }
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
