import Glibc

/// Probability density of the distance that a vehicle has travelled between two positions far apart in time, per metre,
/// from its mean speed alone.
///
/// A vehicle in traffic travels its mean speed times the time in the mean, less than half or more than twice of it in
/// one of eight cases each. On the way it may also have crept or waited for a part of the time.
struct TravelDensity {
    /// Expected distance, metres.
    let meanMeters: Double

    /// Mean speeds outside this range are limited to it, m/s: a mean over a traffic jam does not describe a free road,
    /// and a vehicle slower than 4 m/s has no direction of its own between positions that are 10 m off.
    private static let speedRange = 4.0...30
    /// Speed of a vehicle whose mean speed is not known yet, m/s: city traffic.
    private static let defaultMetersPerSecond = 8.0
    /// Longest distance relative to the mean that is searched; 0.6 % of the distances are longer.
    static let longestRatio = 3.0
    /// Share of intervals in which traffic or a light held the vehicle up for a part of the time.
    private static let heldUpShare = 0.25

    /// The density for an interval. `displacementMeters`: straight distance between the two positions. A vehicle that
    /// has gone farther than twice its mean is on a faster road, whether on the route or not.
    init(meanMetersPerSecond: Double?, seconds: Double, displacementMeters: Double) {
        let range = TravelDensity.speedRange
        let speed = meanMetersPerSecond.map { min(max($0, range.lowerBound), range.upperBound) }
        meanMeters = max((speed ?? TravelDensity.defaultMetersPerSecond) * seconds, displacementMeters / 2)
    }

    /// Density of a distance in flowing traffic: a gamma density of order three.
    /// docs/math.md, eq. 11.14.
    func flowing(_ meters: Double) -> Double {
        let ratio = meters / meanMeters
        guard ratio > 0 else { return 0 }
        return 13.5 * ratio * ratio * exp(-3 * ratio) / meanMeters
    }

    /// Density of a distance in any traffic, in motion.
    /// docs/math.md, eq. 11.14.
    func any(_ meters: Double) -> Double {
        guard meters >= 0 else { return 0 }
        let heldUp = meters < meanMeters ? TravelDensity.heldUpShare / meanMeters : 0
        return heldUp + (1 - TravelDensity.heldUpShare) * flowing(meters)
    }
}
