import Glibc
import PoseMath

/// Use of the barometer: its constants, and what is kept beside the state `barometerOffset`.
struct Barometer: Sendable {
    /// 1-sigma of a reading that is the mean of a fifth of a second, metres: gusts and doors, far above the sensor's
    /// own noise.
    static let sigmaMeters = 0.4
    /// Drift of the offset (weather), m/sqrt(s), and with the climb (air warmer or colder than standard), part of it.
    private static let drift = 0.02
    private static let climbShare = 0.05
    /// Height over which the air keeps its difference from the standard one, metres.
    private static let climbMeters = 20.0

    /// Seconds for which its readings have been refused.
    var refusedSeconds = 0.0
    /// When it was last used.
    var lastTime: MonotonicTime?

    /// A barometer that has not been read.
    init() {}

    /// Height of a pressure in the International Standard Atmosphere below 11 km, metres above its zero (ICAO Doc 7488,
    /// eq. 13).
    /// docs/math.md, eq. 5.11.
    static func standardHeightMeters(pressurePascal: Double) -> Double {
        (1 - pow(pressurePascal / 101_325, 0.190_263)) * 44_330.77
    }

    /// By how much the offset's variance grows, m2.
    /// docs/math.md, eq. 5.13.
    static func driftVariance(seconds: Double, climb: Double) -> Double {
        // A share of the climb that lasts for some way is a random walk over the way.
        drift * drift * seconds + climbShare * climbShare * abs(climb) * seconds * climbMeters
    }
}
