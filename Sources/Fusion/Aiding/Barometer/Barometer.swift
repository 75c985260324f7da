import Glibc
import PoseMath

/// Use of the barometer beside the state `barometerOffset`.
struct Barometer: Sendable {
    /// Time for which its readings have been rejected, seconds.
    var refusedSeconds = 0.0
    /// Time of the last reading.
    var lastTime: MonotonicTime?

    /// A barometer that has not been read.
    init() {}

    /// Height of a pressure in the International Standard Atmosphere below 11 km, metres above its zero (ICAO Doc 7488,
    /// eq. 13).
    /// docs/math.md, eq. 5.11.
    static func standardHeightMeters(pressurePascal: Double) -> Double {
        (1 - pow(pressurePascal / 101_325, 0.190_263)) * 44_330.77
    }

    /// Growth of the offset's variance, m2.
    /// docs/math.md, eq. 5.13.
    static func driftVariance(seconds: Double, climb: Double) -> Double {
        // A share of the climb that is correlated over a height is a random walk over the height.
        Tuning.Barometer.drift * Tuning.Barometer.drift * seconds + Tuning.Barometer.climbShare
            * Tuning.Barometer.climbShare * abs(climb) * seconds * Tuning.Barometer.climbMeters
    }
}
