import Measurements
import PoseMath

/// The reason why a reading was rejected; the raw values are the names in `status`.
package enum IIORejection: String, Sendable, CaseIterable {
    /// A component is NaN or infinite.
    case notFinite = "not_finite"
    /// Beyond the sensor's possible range.
    case outOfRange = "out_of_range"
    /// The same reading, to the bit, too many times in succession.
    case stuck = "stuck"
    /// The time stamp did not increase.
    case timeNotIncreasing = "time_not_increasing"
    /// The time stamp is later than now.
    case timeInFuture = "time_in_future"
    /// The time stamp is too old.
    case timeInPast = "time_in_past"
    /// A gyro reading without an acceleration close in time.
    case withoutAcceleration = "without_acceleration"
    /// The queue between gyro and accelerometer was full.
    case queueFull = "queue_full"
}

/// Three raw readings from the driver, for the checks on raw values.
struct RawTriple: Hashable, Sendable {
    /// First axis.
    var x: Int64 = 0
    /// Second axis.
    var y: Int64 = 0
    /// Third axis.
    var z: Int64 = 0
}

/// The ends of a sensor's raw range.
struct RawRange: Hashable, Sendable {
    /// The lowest raw reading.
    var lowest: Int64
    /// The highest raw reading.
    var highest: Int64

    /// The range of an integer with `bits` bits; `nil` for more than 24: such fields (sensor hubs) are wider than any
    /// sensor's range.
    init?(bits: Int, isSigned: Bool) {
        guard bits > 1, bits <= 24 else { return nil }
        lowest = isSigned ? -(1 << (bits - 1)) : 0
        highest = isSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1
    }

    /// Whether a reading is at an end of the range: the true value may be larger.
    func isAtEnd(_ raw: RawTriple) -> Bool { isAtEnd(raw.x) || isAtEnd(raw.y) || isAtEnd(raw.z) }

    private func isAtEnd(_ raw: Int64) -> Bool { raw <= lowest || raw >= highest }
}

/// The checks of one sensor: finite, within range, not stuck. Also counts readings at the end of the range. Pure, no
/// allocation.
struct SampleCheck: Sendable {
    /// Highest accepted angular rate if the sensor's own range is not known to be larger: 2292 deg/s.
    static let gyroLimitRadiansPerSecond = 40.0
    /// 32 g.
    static let accelerometerLimitMetersPerSecondSquared = 32 * InertialSample.standardGravity
    /// 10 gauss: twenty times the Earth's field; a stronger field comes from a magnet.
    static let magnetometerLimitTesla = 1e-3

    /// Readings rejected as not finite.
    private(set) var notFinite: UInt64 = 0
    /// Readings rejected as out of range.
    private(set) var outOfRange: UInt64 = 0
    /// Readings rejected because the sensor is stuck.
    private(set) var stuck: UInt64 = 0
    /// Accepted readings at an end of the raw range.
    private(set) var clipped: UInt64 = 0
    /// Whether the sensor repeats its reading now.
    var isStuck: Bool { stuckLimit > 0 && repeats >= stuckLimit }

    private let limit: Double
    private let range: RawRange?
    private let stuckLimit: Int
    private var last: RawTriple?
    private var repeats = 0

    /// Creates a check with `limit` on each axis, in the unit of the values. A `stuckLimit` of 0 disables that check.
    init(limit: Double, range: RawRange?, stuckLimit: Int) {
        self.limit = limit
        self.range = range
        self.stuckLimit = stuckLimit
    }

    /// Whether the reading is accepted; a rejected reading is counted by its reason.
    mutating func passes(raw: RawTriple, value: Vector3) -> Bool {
        if raw == last { repeats += 1 } else { repeats = 1 }
        last = raw
        guard value.isFinite else {
            notFinite += 1
            return false
        }
        guard abs(value.x) <= limit, abs(value.y) <= limit, abs(value.z) <= limit else {
            outOfRange += 1
            return false
        }
        guard !isStuck else {
            stuck += 1
            return false
        }
        if let range, range.isAtEnd(raw) { clipped += 1 }
        return true
    }
}

/// The delay before a device is opened again. It doubles from the minimum to the maximum, minus up to a quarter of
/// random jitter, so that several devices with one fault do not retry at the same time. Pure: the jitter comes from its
/// own generator.
struct Backoff: Sendable {
    private let minimum: Double
    private let maximum: Double
    private var attempts = 0
    private var random: UInt64

    /// Creates a back-off between two delays in seconds.
    init(leastSeconds: Double, mostSeconds: Double, seed: UInt64 = 0x9E37_79B9_7F4A_7C15) {
        minimum = leastSeconds
        maximum = max(leastSeconds, mostSeconds)
        random = seed
    }

    /// Number of attempts since the last success.
    var attempt: Int { attempts }

    /// The next delay in seconds.
    mutating func nextSeconds() -> Double {
        var wait = minimum
        for _ in 0..<min(attempts, 30) where wait < maximum { wait *= 2 }
        attempts += 1
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let jitter = Double(random >> 40) / Double(1 << 24) * 0.25
        return max(minimum, min(wait, maximum) * (1 - jitter))
    }

    /// Resets the delay to the minimum after a success.
    mutating func reset() { attempts = 0 }
}
