import Measurements
import PoseMath

/// Means over short windows of time, and whether the sensor lay still in them.
struct RestWindows: Sendable {
    /// A window.
    struct Window: Sendable {
        /// Mean angular rate, rad/s, and mean specific force, m/s2.
        var rate = Vector3.zero
        var force = Vector3.zero
        /// Standard deviation of the samples of the force on the worst axis, m/s2.
        var forceSpread = 0.0
        /// Number of samples.
        var count = 0
        /// Whether the sensor lay still.
        var isStill = false
    }

    /// Length of a window, seconds.
    static let seconds = 0.5
    /// Largest standard deviation of the samples at rest, rad/s and m/s2: ten times the noise of a consumer MEMS sensor
    /// at 200 Hz, and a tenth of that of a hand.
    private static let (rateSpread, forceSpread) = (0.02, 0.2)
    /// Largest mean rate at rest, rad/s: 20 deg/s, the worst bias that data sheets allow. A smaller limit would call a
    /// biased gyro one that moves; motion shows in the spread and the changes.
    private static let largestRate = 0.35
    /// Largest changes from the window before, rad/s and m/s2: a slow turn by hand changes the force.
    private static let (rateChange, forceChange) = (0.01, 0.08)
    /// A gap longer than this ends a window without a result, seconds.
    private static let longestGap = 0.25
    /// Fewest samples of a window.
    private static let fewest = 4

    private var rates = Spread()
    private var forces = Spread()
    private var begin: MonotonicTime?
    private var last: MonotonicTime?
    private var before: Window?

    /// Takes a sample; returns the window that it completes, unless it is the first one or comes after a gap.
    /// docs/math.md, eq. 13.2.
    mutating func add(_ sample: InertialSample) -> Window? {
        guard sample.angularRateRadiansPerSecond.isFinite, sample.specificForceMetersPerSecondSquared.isFinite else {
            return nil
        }
        if let last, !(sample.time > last && sample.time.seconds(since: last) <= Self.longestGap) {
            guard sample.time > last else { return nil }
            clear()
            before = nil
        }
        last = sample.time
        let start = begin ?? sample.time
        begin = start
        rates.add(sample.angularRateRadiansPerSecond)
        forces.add(sample.specificForceMetersPerSecondSquared)
        guard sample.time.seconds(since: start) >= Self.seconds, rates.count >= Self.fewest else { return nil }
        var window = Window(
            rate: rates.mean, force: forces.mean, forceSpread: forces.deviation.max(), count: rates.count)
        let rateSpread = rates.deviation.max()
        clear()
        let previous = before
        before = window
        // Nothing shows a slow turn in the first one.
        guard let previous else { return nil }
        window.isStill =
            rateSpread <= Self.rateSpread && window.forceSpread <= Self.forceSpread
            && window.rate.length <= Self.largestRate && (window.rate - previous.rate).length <= Self.rateChange
            && (window.force - previous.force).length <= Self.forceChange
        return window
    }

    private mutating func clear() {
        (rates, forces, begin) = (Spread(), Spread(), nil)
    }
}

/// Mean and standard deviation of vectors, one by one (Welford 1962).
struct Spread: Sendable {
    /// Number of vectors.
    private(set) var count = 0
    /// Their mean.
    private(set) var mean = Vector3.zero
    private var squares = Vector3.zero

    /// Takes a vector.
    mutating func add(_ value: Vector3) {
        count += 1
        let difference = value - mean
        mean += difference / Double(count)
        squares += difference * (value - mean)
    }

    /// Standard deviation of one vector on each axis; zero for fewer than two.
    var deviation: Vector3 { count > 1 ? (squares / Double(count - 1)).squareRoot() : .zero }
}
