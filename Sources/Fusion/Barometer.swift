import Glibc
import PoseMath

/// The barometer's place in the filter: one more state, the offset of its height (weather, the sensor, where its zero
/// lies), that drifts.
///
/// The state is kept beside the filter's covariance, with its own variance and its covariance with every other error:
/// the same as one more row and column, paid for only where there is a barometer (Groves 2013, section 3.2, by blocks).
struct Barometer: Sendable {
    /// 1-sigma of a reading that is the mean of a fifth of a second, metres: gusts and doors, far above the sensor's
    /// own noise.
    static let sigmaMeters = 0.4
    /// Drift of the offset (weather), m/sqrt(s), and with the climb (air warmer or colder than standard), part of it.
    private static let drift = 0.02
    private static let climbShare = 0.05
    /// Height over which the air keeps its difference from the standard one, metres.
    private static let climbMeters = 20.0

    /// Whether the offset has been found.
    private(set) var hasBegun = false
    /// The barometer's height minus the one above the ellipsoid, metres.
    private(set) var offsetMeters = 0.0
    /// Variance of the offset, m2.
    private(set) var variance = 0.0
    /// Covariance of the offset with the filter's errors.
    private var cross = InlineArray<30, Double>(repeating: 0)
    /// Seconds for which its readings have been refused.
    var refusedSeconds = 0.0
    /// When it was last used.
    var lastTime: MonotonicTime?

    /// A barometer that has not been heard.
    init() {}

    /// Height of a pressure in the International Standard Atmosphere below 11 km, metres above its zero (ICAO Doc 7488,
    /// eq. 13).
    /// docs/math.md, eq. 5.11.
    static func standardHeightMeters(pressurePascal: Double) -> Double {
        (1 - pow(pressurePascal / 101_325, 0.190_263)) * 44_330.77
    }

    /// Takes the offset from a height that the filter knows: its error is the height's, with the opposite sign.
    /// docs/math.md, eq. 5.13.
    mutating func begin(offsetMeters offset: Double, covariance: inout Covariance) {
        offsetMeters = offset
        variance = covariance[ErrorIndex.position + 2, ErrorIndex.position + 2] + Self.sigmaMeters * Self.sigmaMeters
        for i in 0..<ErrorIndex.count { cross[i] = -covariance[i, ErrorIndex.position + 2] }
        (hasBegun, refusedSeconds) = (true, 0)
    }

    /// Lets the offset drift.
    mutating func drift(seconds: Double, climb: Double) {
        // A share of the climb that lasts for some way is a random walk over the way.
        variance +=
            Self.drift * Self.drift * seconds + Self.climbShare * Self.climbShare * abs(climb) * seconds
            * Self.climbMeters
    }

    /// Carries the covariance with the others over a strapdown step: `F p`, F as in the filter's own.
    /// docs/math.md, eq. 5.14.
    mutating func propagate(over step: Strapdown.Step) {
        guard hasBegun else { return }
        func vector(_ at: Int) -> Vector3 { Vector3(cross[at], cross[at + 1], cross[at + 2]) }
        let dt = step.seconds
        let (velocity, attitude) = (vector(ErrorIndex.velocity), vector(ErrorIndex.attitude))
        let moved = vector(ErrorIndex.position) + velocity * dt
        let pushed =
            velocity - step.specificForceENU.cross(attitude) * dt - step.sensorToENU
            * vector(ErrorIndex.accelerometerBias) * dt
        let turned =
            attitude - step.frameRateENU.cross(attitude) * dt - step.sensorToENU
            * (vector(ErrorIndex.gyroBias) + vector(ErrorIndex.turnCoupling) * step.yawRate) * dt
        for k in 0..<3 {
            cross[ErrorIndex.position + k] = moved[k]
            cross[ErrorIndex.velocity + k] = pushed[k]
            cross[ErrorIndex.attitude + k] = turned[k]
        }
    }

    /// Multiplies some elements by a factor, as the filter does with its own.
    mutating func decay(_ range: Range<Int>, factor: Double) { for i in range { cross[i] *= factor } }

    /// Follows an observation of the filter's errors, before the filter itself takes it: what it tells of them, it
    /// tells of the offset.
    mutating func follow(
        _ row: ObservationRow, innovation: Double, variance noise: Double, covariance: inout Covariance
    ) {
        guard hasBegun else { return }
        var ph = InlineArray<30, Double>(repeating: 0)
        var (s, seen) = (noise, 0.0)
        for k in 0..<row.count {
            let (j, h) = row[k]
            for i in 0..<ErrorIndex.count { ph[i] += h * covariance[j, i] }
            seen += h * cross[j]
        }
        for k in 0..<row.count { s += row[k].value * ph[row[k].index] }
        guard s > 0, s.isFinite else { return }
        offsetMeters += seen / s * innovation
        variance = max(variance - seen * seen / s, 1e-6)
        for i in 0..<ErrorIndex.count { cross[i] -= ph[i] * seen / s }
    }

    /// Variance of the innovation of a reading without the reading's own.
    func expectedVariance(_ covariance: inout Covariance) -> Double {
        let up = ErrorIndex.position + 2
        return covariance[up, up] + 2 * cross[up] + variance
    }

    /// Folds in a reading: an observation of height and offset together.
    /// docs/math.md, eq. 5.12.
    mutating func observe(innovation: Double, covariance: inout Covariance, error: inout ErrorVector) {
        let up = ErrorIndex.position + 2
        let s = expectedVariance(&covariance) + Self.sigmaMeters * Self.sigmaMeters
        guard s > 0, s.isFinite else { return }
        var column = InlineArray<30, Double>(repeating: 0)
        for i in 0..<ErrorIndex.count { column[i] = covariance[i, up] + cross[i] }
        let own = cross[up] + variance
        for i in 0..<ErrorIndex.count {
            let gain = column[i] / s
            error[i] += gain * innovation
            for j in 0..<ErrorIndex.count { covariance[i, j] -= gain * column[j] }
            cross[i] -= gain * own
        }
        offsetMeters += own / s * innovation
        variance = max(variance - own * own / s, 1e-6)
    }
}
