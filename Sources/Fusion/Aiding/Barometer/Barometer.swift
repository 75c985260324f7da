import Glibc
import PoseMath

/// Use of the barometer beside the state `barometerOffset`.
struct Barometer: Sendable {
    /// Time for which its readings have been rejected, seconds.
    var refusedSeconds = 0.0
    /// Time of the last reading.
    var lastTime: MonotonicTime?
    /// Height from which the climb counts, metres.
    private var baseMeters: Double?

    /// A barometer that has not been read.
    init() {}

    /// Height of a pressure in the International Standard Atmosphere below 11 km, metres above its zero (ICAO Doc 7488,
    /// eq. 13).
    /// docs/math.md, eq. 5.11.
    static func standardHeightMeters(pressurePascal: Double) -> Double {
        (1 - pow(pressurePascal / 101_325, 0.190_263)) * 44_330.77
    }

    /// Begins to count the climb from a height.
    mutating func restartClimb(at height: Double) { baseMeters = height }

    /// Height above or below the one from which the climb counts, which follows at a distance, metres.
    mutating func climbedMeters(at height: Double) -> Double {
        let most = Tuning.Barometer.largestClimbMeters
        let base = min(max(baseMeters ?? height, height - most), height + most)
        baseMeters = base
        return abs(height - base)
    }

    /// Growth of the offset's variance, m2.
    /// docs/math.md, eq. 5.13.
    static func driftVariance(seconds: Double, climb: Double, climbed: Double) -> Double {
        // A share that stays the same makes an error that grows with the climb, its variance with the square: hills
        // take back what they gave, a long climb does not.
        let meters = max(Tuning.Barometer.climbMeters, 2 * climbed)
        return Tuning.Barometer.drift * Tuning.Barometer.drift * seconds + Tuning.Barometer.climbShare
            * Tuning.Barometer.climbShare * abs(climb) * seconds * meters
    }
}
