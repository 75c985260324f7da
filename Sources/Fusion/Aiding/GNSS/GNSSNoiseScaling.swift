import Glibc
import Measurements
import PoseMath

/// Factor on the sigmas that a receiver states, estimated from the innovations of its positions, or from the changes of
/// those of its velocities.
///
/// The factor rises with the first fixes that do not fit and falls over minutes. It is never below 1: a receiver that
/// is better than it states keeps its stated sigma.
struct GNSSNoiseScaling: Sendable {
    /// Factor on the stated sigmas.
    private(set) var factor = 1.0
    /// Mean normalised squares of the innovations over some seconds, and over most of a minute.
    private(set) var meanSquare = (
        short: Tuning.NoiseScaling.initialMeanSquare, long: Tuning.NoiseScaling.initialMeanSquare
    )
    private var lastTime: MonotonicTime?

    /// Updates the factor with the normalised squared innovation of a fix.
    /// docs/math.md, eq. 12.1.
    ///
    /// - Parameters:
    ///   - normalisedSquare: mean over both axes of the squared innovation over its variance, with the present factor
    ///     already in it.
    ///   - time: of validity.
    /// - Returns: ratio of the new factor to the old one; 1 where it has not risen.
    mutating func learn(normalisedSquare: Double, at time: MonotonicTime) -> Double {
        defer { lastTime = time }
        guard normalisedSquare.isFinite else { return 1 }
        let seconds = lastTime.map { max(time.seconds(since: $0), 0) } ?? 1
        let square = min(normalisedSquare, Tuning.NoiseScaling.largestSquare)
        meanSquare.short +=
            (square - meanSquare.short)
            * min(seconds / Tuning.NoiseScaling.shortMeanSeconds, Tuning.NoiseScaling.largestWeight)
        meanSquare.long +=
            (square - meanSquare.long)
            * min(seconds / Tuning.NoiseScaling.longMeanSeconds, Tuning.NoiseScaling.largestWeight)
        let surprise = max(
            meanSquare.short / Tuning.NoiseScaling.shortThreshold, meanSquare.long / Tuning.NoiseScaling.longThreshold)
        guard surprise > 1, factor < Tuning.NoiseScaling.largestFactor else {
            factor = max(
                1, factor * (1 - min(seconds * Tuning.NoiseScaling.decayRate, Tuning.NoiseScaling.largestDecay)))
            return 1
        }
        let before = factor
        factor = min(
            factor * (surprise * Tuning.NoiseScaling.leastRise).squareRoot(), Tuning.NoiseScaling.largestFactor)
        // Restart the window after each increase.
        meanSquare = (Tuning.NoiseScaling.initialMeanSquare, Tuning.NoiseScaling.initialMeanSquare)
        return factor / before
    }
}

extension GnssAccuracy {
    /// Scales the horizontal sigmas.
    mutating func scale(by factor: Double) {
        horizontalWhite *= factor
        horizontalBias *= factor
    }
}

extension GnssFix {
    /// 1-sigma of the position on each horizontal axis, metres: as stated, or assumed where the receiver states none.
    var assumedHorizontalSigma: Double { horizontalSigmaMeters ?? GnssAccuracy.unstatedHorizontalSigma(of: quality) }

    /// 1-sigma of the velocity on each axis, m/s: as stated, or assumed where the receiver states none.
    var assumedSpeedSigma: Double { speedSigmaMetersPerSecond ?? Tuning.GNSS.unstatedSpeedSigma }

    /// 1-sigma of the climb, m/s: as stated, or assumed. Of a fix without a climb: that of slopes, stairs and lifts.
    var assumedClimbSigma: Double {
        guard climbMetersPerSecond != nil else {
            let slope = Tuning.Mount.restingSlope * (horizontalVelocity?.speedMetersPerSecond ?? 0)
            return max(Tuning.Constraints.unknownClimb, slope)
        }
        return max(climbSigmaMetersPerSecond ?? Tuning.GNSS.unstatedClimbSigma, Tuning.GNSS.leastClimbSigma)
    }
}

extension NavigationFilter {
    /// Updates the factor on the receiver's sigmas. Where it rises, the variances of position and GNSS bias rise with
    /// it: they were derived from the smaller sigmas.
    /// docs/math.md, eq. 12.2.
    ///
    /// - Parameters:
    ///   - east: the east component, before it is fused.
    ///   - north: the north component.
    mutating func updateNoiseScaling(east: Component, north: Component) {
        func square(_ component: Component) -> Double {
            let excused = Tuning.NoiseScaling.unmodeledMeters * Tuning.NoiseScaling.unmodeledMeters
            return component.innovation * component.innovation
                / (covariance.variance(of: component.row) + component.variance + excused)
        }
        let rise = noiseScaling.learn(normalisedSquare: (square(east) + square(north)) / 2, at: state.time)
        guard rise > 1 else { return }
        covariance.scale(.position.horizontal, by: rise)
        covariance.scale(.gnssBias.horizontal, by: rise)
        gnssBiasSigma.horizontal *= rise
    }

    /// 1-sigma of a fix's velocity on each axis, m/s: as stated, times the factor. `mutating` so that the call does not
    /// copy the filter.
    mutating func speedSigma(of fix: GnssFix) -> Double {
        velocityScaling.factor * max(fix.assumedSpeedSigma, Tuning.GNSS.leastSpeedSigma)
    }

    /// The innovation of a velocity and its variance, east and north.
    struct VelocityInnovation: Sendable {
        /// Time of validity.
        var time: MonotonicTime
        var value: SIMD2<Double>
        var variance: SIMD2<Double>
    }

    /// Updates the factor on the receiver's speed sigma by the change of the innovation since the last fix: what is new
    /// with each fix is the receiver's noise. An error of the filter lasts, and takes no part.
    /// docs/math.md, eq. 12.18.
    ///
    /// - Parameters:
    ///   - east: the east component, before it is fused.
    ///   - north: the north component.
    ///   - time: of validity.
    mutating func updateVelocityScaling(east: Component, north: Component, at time: MonotonicTime) {
        let excused = Tuning.Alignment.velocityChangeSigma * Tuning.Alignment.velocityChangeSigma
        let now = VelocityInnovation(
            time: time, value: SIMD2(east.innovation, north.innovation),
            variance: SIMD2(
                covariance.variance(of: east.row) + east.variance + excused,
                covariance.variance(of: north.row) + north.variance + excused))
        let last = lastVelocityInnovation
        lastVelocityInnovation = now
        guard profile.traits.rollsOnWheels, let last,
            time.seconds(since: last.time) <= Tuning.ReceiverLag.longestPairSeconds
        else { return }
        let change = now.value - last.value
        _ = velocityScaling.learn(
            normalisedSquare: (change * change / (now.variance + last.variance)).sum() / 2, at: state.time)
    }
}
