import Measurements
import SensorInterface

/// Turns gpsd's estimates of error into 1-sigma values that a filter can use.
///
/// gpsd's manual says "certainty unknown" of all of them, and its code mixes two kinds:
/// - What gpsd models itself from the dilution of precision, with 15 m (19 m for `eph`, 23 m for `epv`; a quarter of
///   each with corrections) as the error of one range: its header calls that 95 % confidence. Such estimates also come
///   converted to 95 % from the Garmin and Zodiac drivers.
/// - What a u-blox receiver itself reports in UBX-NAV-PVT and its like (hAcc, vAcc, sAcc), passed on unchanged: 1-sigma
///   radii.
///
/// So with the u-blox driver `eph`, `epv`, `eps` are taken as 1-sigma and everything else as 95 %, unless the settings
/// say otherwise. Where nothing is said at all there are defaults, wide enough for a receiver of the u-blox class among
/// houses, so that a receiver that speaks only of its position can be used.
struct ErrorEstimates {
    /// Normal deviate of 95 % in one dimension, as 1-sigma units.
    static let ninetyFivePercentInOneDimension = 1.959964
    /// Radius of 95 % in two dimensions with equal sigmas: sqrt(-2 ln 0.05).
    static let ninetyFivePercentInTwoDimensions = 2.447747
    /// Radius of 95 % in three dimensions: square root of the chi-square quantile with three degrees of freedom.
    static let ninetyFivePercentInThreeDimensions = 2.795483
    /// Largest sigma that is taken for an estimate, metres or m/s.
    static let largestSigma = 1e4
    /// Smallest value that is taken for an estimate, metres or m/s: a tenth of what the best receivers reach.
    static let smallestSigma = 1e-4

    /// What the estimates are taken for.
    var confidence: GPSErrorConfidence
    /// gpsd's driver for the receiver.
    var driver: String

    private var isOneSigma: Bool { confidence == .oneSigma || (confidence == .automatic && driver == "u-blox") }

    private func scaled(_ value: Double, by ninetyFivePercent: Double) -> Double {
        isOneSigma ? value : value / ninetyFivePercent
    }

    /// 1-sigma of the position on each horizontal axis, metres; `nil` where nothing usable is said.
    ///
    /// In the order in which they are trusted: `eph`; `epx` and `epy`, which gpsd always models; its error in three
    /// dimensions. (The receiver's own, `ecefpAcc`, is not read by libgps 3.22.)
    func horizontalSigma(_ fix: GpsdFix) -> Double? {
        if let radius = Self.positive(fix.horizontalErrorMeters) {
            // A 1-sigma radius is the root of the sum of two equal variances.
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

    /// 1-sigma of the height, metres; `nil` where nothing usable is said.
    func verticalSigma(_ fix: GpsdFix) -> Double? {
        Self.positive(fix.verticalErrorMeters).map { scaled($0, by: Self.ninetyFivePercentInOneDimension) }
    }

    /// 1-sigma of the speed, m/s; `nil` where the receiver says nothing of its own.
    ///
    /// Where the receiver is silent gpsd gives twice the error of the position over the time between fixes, 50 m/s and
    /// more: as if positions had been subtracted. A Doppler speed has nothing to do with that, so it counts as silence.
    func speedSigma(_ fix: GpsdFix, intervalSeconds: Double) -> Double? {
        guard let speedError = Self.positive(fix.speedErrorMetersPerSecond) else { return nil }
        let positionError = max(fix.eastErrorMeters ?? 0, fix.northErrorMeters ?? 0)
        if driver != "u-blox", positionError > 0, speedError > Self.modelledShare * 2 * positionError / intervalSeconds
        {
            return nil
        }
        return scaled(speedError, by: Self.ninetyFivePercentInOneDimension)
    }

    /// 1-sigma of the climb, m/s; `nil` where the receiver says nothing of its own. See
    /// ``speedSigma(_:intervalSeconds:)``.
    func climbSigma(_ fix: GpsdFix, intervalSeconds: Double) -> Double? {
        guard let climbError = Self.positive(fix.climbErrorMetersPerSecond) else { return nil }
        if let heightError = fix.verticalErrorMeters,
            climbError > Self.modelledShare * 2 * heightError / intervalSeconds
        {
            return nil
        }
        return scaled(climbError, by: Self.ninetyFivePercentInOneDimension)
    }

    /// An error of speed at least this share of what gpsd's model gives is gpsd's model: the error of the epoch before
    /// may have been a little less.
    private static let modelledShare = 0.6

    private static func positive(_ value: Double?) -> Double? {
        guard let value, value >= smallestSigma, value <= largestSigma else { return nil }
        return value
    }
}

extension ErrorEstimates {
    /// Horizontal 1-sigma per axis where none is said, metres.
    ///
    /// A u-blox class receiver has a circular error of 2.5 m (50 %) under open sky, 2.1 m sigma per axis; three to four
    /// times that among houses.
    static func defaultHorizontalSigma(mode: FixMode, quality: FixQuality) -> Double {
        switch quality {
        case .rtkFixed: return 0.05
        case .rtkFloat: return 0.5
        case .differential: return mode == .threeDimensional ? 4 : 15
        case .deadReckoning: return 20
        case .unknown, .autonomous, .combinedDeadReckoning, .notMeasured: return mode == .threeDimensional ? 7 : 25
        }
    }

    /// Vertical 1-sigma where none is said: heights are about half again as uncertain as places, since no satellite is
    /// below.
    static func defaultVerticalSigma(horizontalSigmaMeters: Double) -> Double {
        min(1.5 * horizontalSigmaMeters, largestSigma)
    }

    /// 1-sigma of a Doppler speed where none is said, m/s: 0.05 m/s (50 %) under open sky by the data sheets, several
    /// times that among houses.
    static let defaultSpeedSigmaMetersPerSecond = 0.3

    /// 1-sigma of the climb where none is said, m/s. From NMEA receivers gpsd makes it itself, from heights given to a
    /// decimetre.
    static let defaultClimbSigmaMetersPerSecond = 1.0
}
