extension GNSSPositionFilter {
    /// Variances of one axis; the states themselves are kept together.
    struct Axis: Sendable, Equatable {
        /// Variance of the position, m2.
        var position = 0.0
        /// Covariance of position and GNSS bias, m2.
        var cross = 0.0
        /// Variance of the GNSS bias, m2.
        var gnssBias = 0.0

        /// A start at one fix: all of its GNSS bias is in the position.
        init(gnssBiasSigma: Double, white: Double) {
            gnssBias = gnssBiasSigma * gnssBiasSigma
            position = gnssBias + white * white
            cross = -gnssBias
        }

        /// docs/math.md, eq. 7.8.
        mutating func predict(factor: Double, gnssBiasSigma: Double, motion: Double) {
            position += motion
            cross *= factor
            gnssBias = gnssBias * factor * factor + (1 - factor * factor) * gnssBiasSigma * gnssBiasSigma
        }

        /// Gains of position and GNSS bias for an observation of their sum.
        /// docs/math.md, eq. 7.9.
        mutating func observe(white: Double) -> (position: Double, gnssBias: Double) {
            let sum = innovationVariance(white: white)
            let (kp, kb) = ((position + cross) / sum, (cross + gnssBias) / sum)
            let (pp, pb) = (position + cross, cross + gnssBias)
            position -= kp * pp
            cross -= kp * pb
            gnssBias -= kb * pb
            return (kp, kb)
        }

        /// Adds a 1-sigma to the position, metres.
        mutating func widen(by sigma: Double) { position += sigma * sigma }

        /// Variance of the innovation of a fix with a white 1-sigma, metres.
        func innovationVariance(white: Double) -> Double {
            position + 2 * cross + gnssBias + white * white
        }
    }
}
