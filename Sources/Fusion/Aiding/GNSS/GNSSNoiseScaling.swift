import Glibc
import PoseMath

/// How far a receiver's word about its own accuracy is believed: a factor on the sigmas it states, found from how well
/// its positions fit the filter's.
///
/// The factor rises with the first few fixes that do not fit and falls over minutes: a receiver that was wrong once
/// about itself will be again. It is never below 1, so that a receiver that is better than it says is not believed more
/// than it asks for.
struct GNSSNoiseScaling: Sendable {
    /// Time constants of the two means, seconds; no fix weighs more than a quarter in the short one.
    private static let meanSeconds = (short: 6.0, long: 40.0)
    private static let largestWeight = 0.25
    /// A mean of the normalised squares above this raises the factor. With the factor right the long one is 1 where the
    /// errors are as assumed, and less where more of them is slow.
    private static let surprising = (short: 2.0, long: 1.25)
    /// No single fix counts for more than the square of three sigmas: what lies far beyond is a jump and judged as one.
    private static let largestSquare = 9.0
    /// Largest factor.
    private static let largestFactor = 12.0
    /// The square of the factor rises at least by this.
    private static let rise = 1.3
    /// How slowly the factor falls, 1/s.
    private static let forgetting = 1.0 / 300
    /// What lever arms, lags and the stiffness of cars leave open even where satellites do not, 1-sigma, metres: no
    /// receiver is doubted for that.
    fileprivate static let excusedMeters = 0.3

    /// Factor on the stated sigmas.
    private(set) var factor = 1.0
    /// Mean normalised squares of the innovations over some seconds, and over most of a minute.
    private(set) var meanSquare = (short: 0.8, long: 0.8)
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
        let square = min(normalisedSquare, Self.largestSquare)
        meanSquare.short += (square - meanSquare.short) * min(seconds / Self.meanSeconds.short, Self.largestWeight)
        meanSquare.long += (square - meanSquare.long) * min(seconds / Self.meanSeconds.long, Self.largestWeight)
        let surprise = max(meanSquare.short / Self.surprising.short, meanSquare.long / Self.surprising.long)
        guard surprise > 1, factor < Self.largestFactor else {
            factor = max(1, factor * (1 - min(seconds * Self.forgetting, 0.5)))
            return 1
        }
        let before = factor
        factor = min(factor * (surprise * Self.rise).squareRoot(), Self.largestFactor)
        // Restart the window after each increase.
        meanSquare = (0.8, 0.8)
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
            let excused = GNSSNoiseScaling.excusedMeters * GNSSNoiseScaling.excusedMeters
            return component.innovation * component.innovation
                / (covariance.variance(of: component.row) + component.variance + excused)
        }
        let rise = trust.learn(normalisedSquare: (square(east) + square(north)) / 2, at: state.time)
        guard rise > 1 else { return }
        covariance.scale(.position.horizontal, by: rise)
        covariance.scale(.gnssBias.horizontal, by: rise)
    }
}
