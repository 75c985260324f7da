import Geodesy
import Glibc
import Measurements
import PoseMath

/// Velocity over ground from the positions of a receiver that states none.
///
/// It is the mean over up to 2.5 s, valid in the middle. The Kalman filter does not use it, because it uses the
/// positions themselves; the start of the filter does, and the prediction from fix to fix before it.
struct PositionDerivedVelocity: Sendable {
    /// A mean velocity.
    struct Mean: Sendable {
        /// The velocity.
        var velocity: HorizontalVelocity
        /// 1-sigma on each axis, m/s.
        var sigma: Double
        /// Age of its middle at the time of the last position, seconds.
        var age: Double
    }

    /// One position.
    private struct Entry: Sendable {
        var time = MonotonicTime(nanoseconds: 0)
        var position = GeodeticPosition(latitudeRadians: 0, longitudeRadians: 0, altitudeEllipsoidMeters: 0)
        var quality = FixQuality.unknown
    }

    /// Allocated once; the last eight positions, used in turn.
    private var entries = ContiguousArray(repeating: Entry(), count: 8)
    private var count = 0
    /// The last position, and the mean velocity at its time.
    private var last: (entry: Entry, mean: Mean)?

    /// Forgets the positions: the receiver states its velocity, or one of them was rejected.
    mutating func restart() { (count, last) = (0, nil) }

    /// Adds a position; the mean velocity since the oldest kept position of the interval, `nil` without one.
    /// docs/math.md, eq. 7.20.
    mutating func add(_ fix: GnssFix) -> Mean? {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return nil }
        let here = Entry(
            time: fix.validityTime,
            position: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0),
            quality: fix.quality)
        let accuracy = GnssAccuracy(of: fix)
        // A step of the receiver is no motion: the means of the next seconds would all hold it.
        if isStep(to: here, white: accuracy.horizontalWhite) { restart() }
        let mean = mean(to: here, accuracy)
        keep(here)
        last = mean.map { (here, $0) }
        return mean
    }

    /// Whether a position is farther from where the last one and the mean velocity lead than white noise and the
    /// acceleration of a vehicle explain. docs/math.md, eq. 7.20.
    private func isStep(to here: Entry, white: Double) -> Bool {
        guard let (before, mean) = last else { return false }
        let seconds = here.time.seconds(since: before.time)
        let way = before.position.surfaceOffsetMeters(to: here.position)
        let beside = hypot(
            way.east - mean.velocity.eastMetersPerSecond * seconds,
            way.north - mean.velocity.northMetersPerSecond * seconds)
        let accelerated = Tuning.PositionFilter.largestAcceleration * seconds * (mean.age + 0.5 * seconds)
        let variance = 2 * white * white + mean.sigma * mean.sigma * seconds * seconds
        let noise = Tuning.PositionFilter.stepSigmas * variance.squareRoot()
        return beside > accelerated + max(noise, Tuning.PositionFilter.leastStepMeters)
    }

    /// The mean velocity since the oldest kept position of the interval, `nil` without one.
    private func mean(to here: Entry, _ accuracy: GnssAccuracy) -> Mean? {
        guard let before = start(for: here) else { return nil }
        let seconds = here.time.seconds(since: before.time)
        let way = before.position.surfaceOffsetMeters(to: here.position)
        let changed = 1 - exp(-seconds / FilterState.gnssBiasSeconds)
        let variance =
            2 * accuracy.horizontalWhite * accuracy.horizontalWhite
            + 2 * changed * accuracy.horizontalBias * accuracy.horizontalBias
        let velocity = HorizontalVelocity(
            eastMetersPerSecond: way.east / seconds, northMetersPerSecond: way.north / seconds)
        guard velocity.speedMetersPerSecond < Tuning.Input.largestSpeed else { return nil }
        return Mean(velocity: velocity, sigma: variance.squareRoot() / seconds, age: 0.5 * seconds)
    }

    /// The oldest position within the interval of a velocity, else the last one of a slow receiver.
    private func start(for here: Entry) -> Entry? {
        for k in max(0, count - entries.count)..<count where entries[k & 7].quality == here.quality {
            let seconds = here.time.seconds(since: entries[k & 7].time)
            let isSlow = k == count - 1 && seconds < Tuning.Alignment.longestPairSeconds
            guard seconds <= Tuning.PositionFilter.derivedVelocitySeconds || isSlow else { continue }
            return seconds > Tuning.PositionFilter.shortestVelocitySeconds ? entries[k & 7] : nil
        }
        return nil
    }

    /// Keeps positions of a fast receiver at intervals, so that the ring spans more than the interval of a velocity.
    private mutating func keep(_ here: Entry) {
        if count > 0,
            here.time.seconds(since: entries[(count - 1) & 7].time) < Tuning.PositionFilter.shortestVelocitySeconds
        {
            return
        }
        entries[count & 7] = here
        count += 1
    }
}
