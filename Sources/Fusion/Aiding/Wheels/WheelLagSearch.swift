import Glibc
import Measurements

/// Searches scale and lag of wheel speeds: a line through the filter's speeds of the past, for each lag of a bank.
///
/// A bank is needed because the lag of a bridge may be a second, and a wrong lag looks like a wrong scale while the
/// vehicle speeds up.
struct WheelLagSearch: Sendable {
    /// Scale and lag as found.
    struct Result: Sendable {
        /// True speed over the stated speed, and its variance.
        var scale: Double
        var scaleVariance: Double
        /// Age of a reading beyond its time stamp, seconds, and its variance, s2.
        var lagSeconds: Double
        var lagVariance: Double
        /// Covariance of both, seconds.
        var covariance: Double
    }

    /// State of the search.
    enum Outcome {
        /// It goes on.
        case searching
        /// No lag explains the readings.
        case misfit
        /// Scale and lag are known well enough to start.
        case found(Result)
    }

    /// Weighted sums over the readings: of 1, of them and of their squares; for each lag the products with the speed,
    /// and its squares.
    private var weights = 0.0
    private var readings = 0.0
    private var readingSquares = 0.0
    private var products = InlineArray<31, Double>(repeating: 0)
    private var speedSquares = InlineArray<31, Double>(repeating: 0)
    /// Number of readings with errors of their own: faster ones count together, a slower one no more than once.
    private var independentReadings = 0.0
    /// Time that the readings stand for, seconds.
    private(set) var seconds = 0.0

    /// Adds a reading.
    /// docs/math.md, eq. 5.17.
    ///
    /// - Parameters:
    ///   - reading: stated speed, magnitude.
    ///   - seconds: time that it stands for.
    ///   - variance: of the difference of speed and scaled reading, (m/s)2.
    ///   - speeds: of the filter, m/s, for each lag of the bank.
    mutating func add(_ reading: Double, seconds: Double, variance: Double, speeds: InlineArray<31, Double>) {
        let own = min(seconds, Tuning.Wheels.correlationSeconds)
        let weight = own / (Tuning.Wheels.correlationSeconds * variance)
        self.seconds += seconds
        independentReadings += own / Tuning.Wheels.correlationSeconds
        weights += weight
        readings += weight * reading
        readingSquares += weight * reading * reading
        for k in 0..<products.count {
            products[k] += weight * speeds[k] * reading
            speedSquares[k] += weight * speeds[k] * speeds[k]
        }
    }

    /// What the readings so far say.
    /// docs/math.md, eq. 5.17.
    var outcome: Outcome {
        guard seconds >= Tuning.Wheels.calibrationSeconds, readingSquares > 0 else { return .searching }
        var least = Double.infinity
        for k in 0..<products.count { least = min(least, cost(k)) }
        guard least < Tuning.Wheels.largestMisfit * independentReadings else { return .misfit }
        var (sum, scale, lag) = (0.0, 0.0, 0.0)
        var (scaleSquare, lagSquare, product) = (0.0, 0.0, 0.0)
        for k in 0..<products.count {
            let weight = exp(0.5 * (least - cost(k)))
            let (s, l) = (products[k] / readingSquares, Double(k) * Tuning.Wheels.lagStepSeconds)
            sum += weight
            scale += weight * s
            lag += weight * l
            scaleSquare += weight * s * s
            lagSquare += weight * l * l
            product += weight * s * l
        }
        (scale, lag) = (scale / sum, lag / sum)
        let between = Tuning.Wheels.lagStepSeconds * Tuning.Wheels.lagStepSeconds / 12
        let lagVariance = max(lagSquare / sum - lag * lag, 0) + between
        let isKnown = lagVariance < Tuning.Wheels.knownLagSigma * Tuning.Wheels.knownLagSigma
        guard isKnown || seconds >= Tuning.Wheels.longestSearchSeconds else { return .searching }
        // A wheel that repeats one value explains a constant speed, too.
        let change = scale * scale * (readingSquares - readings * readings / weights)
        guard change > Tuning.Wheels.leastChange else { return .searching }
        guard scale >= Tuning.Wheels.leastScale, scale <= Tuning.Wheels.largestScale else { return .misfit }
        let own = Tuning.Wheels.calibratedScaleSigma * scale
        return .found(
            Result(
                scale: scale, scaleVariance: max(scaleSquare / sum - scale * scale, 0) + own * own,
                lagSeconds: lag, lagVariance: lagVariance, covariance: product / sum - scale * lag))
    }

    /// Twice the negative logarithm of the likelihood of a lag, and of its prior: most lags are short.
    private func cost(_ k: Int) -> Double {
        speedSquares[k] - products[k] * products[k] / readingSquares
            + 2 * Double(k) * Tuning.Wheels.lagStepSeconds / Tuning.Wheels.commonLagSeconds
    }
}

/// Resolution of the stated speeds: the smallest step between two of them, and how often one has been repeated.
struct WheelResolution: Sendable {
    private var last: Double?
    private var heldCount = 0.0
    private var smallestStep: Double?
    /// The last speed that was repeated, and how many others have followed it; `nil` after more than one.
    private var lastRepeated: Double?
    private var othersSince = 0

    /// Takes the next reading.
    /// docs/math.md, eq. 5.19.
    ///
    /// - Parameter seconds: since the one before.
    mutating func update(_ reading: Double, seconds: Double) {
        defer { last = reading }
        // Readings that come so fast may be means (WheelSpeedMean): one across a step of the speed shows a part of it.
        let mayBeMean = seconds < 2 * WheelSpeedMean.spanSeconds
        // In single precision, as fine as any speed: a mean of equal ones differs from them in its last bits.
        guard let last, Float(reading) == Float(last) else {
            if let last {
                if !mayBeMean { noteStep(abs(reading - last)) }
                noteEnd(of: last)
            }
            heldCount = 1
            return
        }
        heldCount += 1
        if mayBeMean, heldCount == 2, let lastRepeated, Float(reading) != Float(lastRepeated) {
            noteStep(abs(reading - lastRepeated))
        }
    }

    private mutating func noteStep(_ difference: Double) {
        smallestStep = min(smallestStep ?? .infinity, difference)
    }

    /// Notes that another speed follows one.
    private mutating func noteEnd(of speed: Double) {
        if heldCount > 1 {
            (lastRepeated, othersSince) = (speed, 0)
        } else {
            othersSince += 1
            if othersSince > 1 { lastRepeated = nil }
        }
    }

    /// The smallest step between two speeds, in the reading's unit; zero before any.
    var step: Double { smallestStep ?? 0 }

    /// Variance of the rounding of one reading, in the square of the reading's unit.
    private var rounding: Double { step * step / 12 }

    /// Variance of the rounding, in the square of the reading's unit, for a reading as a new one: a rounded speed that
    /// is repeated says nothing new.
    /// docs/math.md, eq. 5.19.
    ///
    /// - Parameter seconds: since the reading before.
    func variance(afterSeconds seconds: Double) -> Double {
        let mostRepeats = max(Tuning.Wheels.roundingSeconds / max(seconds, Tuning.Wheels.leastIntervalSeconds), 2)
        return rounding * min(heldCount * (heldCount + 1), mostRepeats)
    }

    /// Variance of the rounding of one reading by itself.
    var ownVariance: Double { rounding }
}
