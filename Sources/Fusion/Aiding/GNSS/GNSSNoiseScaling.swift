import Glibc
import PoseMath

/// How far a receiver's word about its own accuracy is believed: a factor on the sigmas it states, found from how well
/// its positions fit the filter's.
///
/// The factor rises with the first few fixes that do not fit and falls over minutes: a receiver that was wrong once
/// about itself will be again. It is never below 1, so that a receiver that is better than it says is not believed more
/// than it asks for.
struct GNSSNoiseScaling: Sendable {
    /// Factor on the stated sigmas.
    private(set) var factor = 1.0
    /// Mean normalised squares of the innovations over some seconds, and over most of a minute.
    private(set) var meanSquare = (
        short: Tuning.NoiseScaling.initialMeanSquare, long: Tuning.NoiseScaling.initialMeanSquare
    )
    private var lastTime: MonotonicTime?

    /// Takes how well the next fix fits.
    /// docs/math.md, eq. 12.1.
    ///
    /// - Parameters:
    ///   - normalisedSquare: mean over both axes of the innovation's square over its variance, the factor so far
    ///     already in it.
    ///   - time: of validity.
    /// - Returns: by how much the factor has risen, 1 where it has not.
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
    /// The same divided accuracy of a receiver whose horizontal sigmas are larger than stated.
    mutating func scale(by factor: Double) {
        horizontalFast *= factor
        horizontalSlow *= factor
    }
}

extension NavigationFilter {
    /// Learns from a position how far the receiver is to be believed. What it made believe before is put right:
    /// position and GNSS bias were as unsure together as it was.
    /// docs/math.md, eq. 12.2.
    ///
    /// - Parameters:
    ///   - east: the eastern component, as it stands before it is taken.
    ///   - north: the northern one.
    mutating func learnTrust(east: Component, north: Component) {
        func square(_ component: Component) -> Double {
            let excused = Tuning.NoiseScaling.unmodeledMeters * Tuning.NoiseScaling.unmodeledMeters
            return component.innovation * component.innovation
                / (covariance.variance(of: component.row) + component.variance + excused)
        }
        let rise = trust.learn(normalisedSquare: (square(east) + square(north)) / 2, at: state.time)
        guard rise > 1 else { return }
        covariance.scale(.position.horizontal, by: rise)
        covariance.scale(.gnssBias.horizontal, by: rise)
    }
}
