import Measurements
import SensorInterface

/// Converts gpsd's error estimates into 1-sigma values for the filter.
///
/// gpsd's manual gives their confidence as "certainty unknown", and its code mixes two kinds:
/// - Values that gpsd computes from the dilution of precision, with a range error of 15 m (19 m for `eph`, 23 m for
///   `epv`; a quarter of each with corrections). gpsd's header calls them 95 % confidence. The Garmin and Zodiac
///   drivers also convert to 95 %.
/// - Values that a u-blox receiver reports in UBX-NAV-PVT and similar messages (hAcc, vAcc, sAcc), passed on unchanged:
///   1-sigma radii.
///
/// Therefore `eph`, `epv` and `eps` count as 1-sigma with the u-blox driver and as 95 % otherwise, unless the settings
/// say otherwise. If no estimate is reported, defaults are used. They are wide enough for a receiver of the u-blox
/// class in a city, so that a receiver that reports only its position can be used.
package struct ErrorEstimates {
    /// 95 % quantile of the normal distribution in one dimension, in units of sigma.
    static let ninetyFivePercentInOneDimension = 1.959964
    /// 95 % radius in two dimensions with equal sigmas: sqrt(-2 ln 0.05), in units of sigma.
    static let ninetyFivePercentInTwoDimensions = 2.447747
    /// 95 % radius in three dimensions: square root of the chi-square quantile with three degrees of freedom.
    static let ninetyFivePercentInThreeDimensions = 2.795483
    /// Largest accepted estimate, metres or m/s.
    static let largestSigma = 1e4
    /// Smallest accepted estimate, metres or m/s: one tenth of what the best receivers reach.
    static let smallestSigma = 1e-4

    /// The confidence of the estimates.
    var confidence: GPSErrorConfidence
    /// gpsd's driver for the receiver.
    var driver: String

    /// Creates a conversion for a receiver's estimates.
    package init(confidence: GPSErrorConfidence, driver: String) {
        self.confidence = confidence
        self.driver = driver
    }

    private var isOneSigma: Bool { confidence == .oneSigma || (confidence == .automatic && driver == "u-blox") }

    private func scaled(_ value: Double, by ninetyFivePercent: Double) -> Double {
        isOneSigma ? value : value / ninetyFivePercent
    }

    /// 1-sigma of the position on each horizontal axis, metres; `nil` if there is no usable estimate.
    ///
    /// In order of preference: `eph`; `epx` and `epy`, which gpsd always computes itself; the error in three
    /// dimensions. (libgps 3.22 does not read the receiver's own `ecefpAcc`.)
    func horizontalSigma(_ fix: GpsdFix) -> Double? {
        if let radius = Self.positive(fix.horizontalErrorMeters) {
            // A 1-sigma radius is the square root of the sum of two equal variances.
            return isOneSigma ? radius / 2.0.squareRoot() : radius / Self.ninetyFivePercentInTwoDimensions
        }
        if let east = Self.positive(fix.eastErrorMeters), let north = Self.positive(fix.northErrorMeters) {
            let meanSquare = (east * east + north * north) / 2
            return meanSquare.squareRoot() / (confidence == .oneSigma ? 1 : Self.ninetyFivePercentInOneDimension)
        }
        if let radius = Self.positive(fix.sphericalErrorMeters) {
            return confidence == .oneSigma
                ? radius / 3.0.squareRoot() : radius / Self.ninetyFivePercentInThreeDimensions
        }
        return nil
    }

    /// 1-sigma of the height, metres; `nil` if there is no usable estimate.
    func verticalSigma(_ fix: GpsdFix) -> Double? {
        Self.positive(fix.verticalErrorMeters).map { scaled($0, by: Self.ninetyFivePercentInOneDimension) }
    }

    /// 1-sigma of the speed, m/s; `nil` if the receiver reports no estimate of its own.
    ///
    /// Without one, gpsd computes twice the position error divided by the time between fixes, 50 m/s and more, as if
    /// positions had been differenced. A Doppler speed does not depend on that, so such a value counts as no estimate.
    func speedSigma(_ fix: GpsdFix, intervalSeconds: Double) -> Double? {
        guard let speedError = Self.positive(fix.speedErrorMetersPerSecond) else { return nil }
        let positionError = max(fix.eastErrorMeters ?? 0, fix.northErrorMeters ?? 0)
        if driver != "u-blox", positionError > 0, speedError > Self.modelFraction * 2 * positionError / intervalSeconds
        {
            return nil
        }
        return scaled(speedError, by: Self.ninetyFivePercentInOneDimension)
    }

    /// 1-sigma of the climb, m/s; `nil` if the receiver reports no estimate of its own. See
    /// ``speedSigma(_:intervalSeconds:)``.
    func climbSigma(_ fix: GpsdFix, intervalSeconds: Double) -> Double? {
        guard let climbError = Self.positive(fix.climbErrorMetersPerSecond) else { return nil }
        if let heightError = fix.verticalErrorMeters,
            climbError > Self.modelFraction * 2 * heightError / intervalSeconds
        {
            return nil
        }
        return scaled(climbError, by: Self.ninetyFivePercentInOneDimension)
    }

    /// A speed error of at least this fraction of the value that gpsd's model gives counts as gpsd's model: the
    /// position error of the previous epoch may have been a little smaller.
    private static let modelFraction = 0.6

    private static func positive(_ value: Double?) -> Double? {
        guard let value, value >= smallestSigma, value <= largestSigma else { return nil }
        return value
    }
}

extension ErrorEstimates {
    /// Default horizontal 1-sigma per axis, metres.
    ///
    /// A u-blox class receiver has a circular error of 2.5 m (50 %) under open sky, 2.1 m sigma per axis; three to four
    /// times that in a city.
    static func defaultHorizontalSigma(mode: FixMode, quality: FixQuality) -> Double {
        switch quality {
        case .rtkFixed: return 0.05
        case .rtkFloat: return 0.5
        case .differential: return mode == .threeDimensional ? 4 : 15
        case .deadReckoning: return 20
        case .unknown, .autonomous, .combinedDeadReckoning, .notMeasured: return mode == .threeDimensional ? 7 : 25
        }
    }

    /// Default vertical 1-sigma, metres: heights are about 1.5 times as uncertain as horizontal positions, since no
    /// satellite is below the horizon.
    static func defaultVerticalSigma(horizontalSigmaMeters: Double) -> Double {
        min(1.5 * horizontalSigmaMeters, largestSigma)
    }

    /// Default 1-sigma of a Doppler speed, m/s: data sheets state 0.05 m/s (50 %) under open sky; several times that in
    /// a city.
    static let defaultSpeedSigmaMetersPerSecond = 0.3

    /// Default 1-sigma of the climb, m/s. For NMEA receivers gpsd computes the climb from heights in decimetres.
    static let defaultClimbSigmaMetersPerSecond = 1.0
}
