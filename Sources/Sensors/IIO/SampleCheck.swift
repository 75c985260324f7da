import PoseMath

/// Why a reading was refused; the raw values are the names in `status`.
package enum IIORejection: String, Sendable, CaseIterable {
    /// A component is NaN or infinite.
    case notFinite = "not_finite"
    /// Beyond what the sensor can measure.
    case outOfRange = "out_of_range"
    /// The same reading, to the bit, too many times in a row.
    case stuck = "stuck"
    /// The time stamp did not rise.
    case timeNotIncreasing = "time_not_increasing"
    /// The time stamp lies ahead of now.
    case timeInFuture = "time_in_future"
    /// The time stamp lies too far back.
    case timeInPast = "time_in_past"
    /// A gyro reading without an acceleration near it.
    case withoutAcceleration = "without_acceleration"
    /// The queue between gyro and accelerometer was full.
    case queueFull = "queue_full"
}

/// Three raw readings as the driver gave them, for the checks on raw values.
struct RawTriple: Hashable, Sendable {
    /// First axis.
    var x: Int64 = 0
    /// Second axis.
    var y: Int64 = 0
    /// Third axis.
    var z: Int64 = 0
}

/// Where the raw readings of a sensor end.
struct RawRange: Hashable, Sendable {
    /// The least raw reading.
    var lowest: Int64
    /// The greatest raw reading.
    var highest: Int64

    /// The range of an integer of so many bits; `nil` for more than 24: such fields (sensor hubs) are wider than any
    /// sensor's range.
    init?(bits: Int, isSigned: Bool) {
        guard bits > 1, bits <= 24 else { return nil }
        lowest = isSigned ? -(1 << (bits - 1)) : 0
        highest = isSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1
    }

    /// Whether a reading stands at either end: the true value may be larger.
    func isAtEnd(_ raw: RawTriple) -> Bool { isAtEnd(raw.x) || isAtEnd(raw.y) || isAtEnd(raw.z) }

    private func isAtEnd(_ raw: Int64) -> Bool { raw <= lowest || raw >= highest }
}

/// The gate of one sensor: finite, within range, not stuck; counts readings at the end of the range. Pure, no
/// allocation.
struct SampleCheck: Sendable {
    /// Fastest turn that is believed where the sensor's own range is not known to be larger: 2292 deg/s.
    static let gyroLimitRadiansPerSecond = 40.0
    /// 32 g.
    static let accelerometerLimitMetersPerSecondSquared = 32 * 9.80665
    /// 10 gauss: twenty times the Earth's field; what exceeds it is a magnet.
    static let magnetometerLimitTesla = 1e-3

    /// Readings refused as not finite.
    private(set) var notFinite: UInt64 = 0
    /// Readings refused as out of range.
    private(set) var outOfRange: UInt64 = 0
    /// Readings refused because the sensor is stuck.
    private(set) var stuck: UInt64 = 0
    /// Readings let through that stand at an end of the raw range.
    private(set) var clipped: UInt64 = 0
    /// Whether the sensor repeats itself now.
    var isStuck: Bool { stuckLimit > 0 && repeats >= stuckLimit }

    private let limit: Double
    private let range: RawRange?
    private let stuckLimit: Int
    private var last: RawTriple?
    private var repeats = 0

    /// A gate at `limit` on each axis, in the unit of the values. `stuckLimit` 0 turns that check off.
    init(limit: Double, range: RawRange?, stuckLimit: Int) {
        self.limit = limit
        self.range = range
        self.stuckLimit = stuckLimit
    }

    /// Whether the reading may pass; what may not is counted by its reason.
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

/// How long to wait before opening again: doubling from the least to the most, with up to a quarter of jitter taken off
/// so that several devices behind one fault do not return in step. Pure: the jitter comes from its own generator.
struct Backoff: Sendable {
    private let least: Double
    private let most: Double
    private var attempts = 0
    private var random: UInt64

    /// A back-off between two times in seconds.
    init(leastSeconds: Double, mostSeconds: Double, seed: UInt64 = 0x9E37_79B9_7F4A_7C15) {
        least = leastSeconds
        most = max(leastSeconds, mostSeconds)
        random = seed
    }

    /// Openings tried since the last success.
    var attempt: Int { attempts }

    /// The next wait in seconds.
    mutating func nextSeconds() -> Double {
        var wait = least
        for _ in 0..<min(attempts, 30) where wait < most { wait *= 2 }
        attempts += 1
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let jitter = Double(random >> 40) / Double(1 << 24) * 0.25
        return max(least, min(wait, most) * (1 - jitter))
    }

    /// Data flowed: the next wait is the least again.
    mutating func reset() { attempts = 0 }
}
