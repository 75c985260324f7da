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
        /// 1-sigma of the acceleration on each axis, m/s2: that of a drive, or as the means before show it.
        var accelerationSigma = Tuning.ReceiverAcceleration.sigma
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
    /// The last position that a motion explains, and the mean velocity at its time, `nil` before there is one.
    private var last: (entry: Entry, mean: Mean?)?
    /// The last position where no motion of a vehicle or person explains it: the receiver has made a step, or reports a
    /// false place. With the mean velocity before it, as old as that is by then.
    private var stray: (entry: Entry, mean: Mean)?
    /// That velocity; `nil` where a motion explains the last position.
    var meanBeforeStray: Mean? { stray?.mean }

    /// Forgets the positions: the receiver states its velocity, or it has moved to another place.
    mutating func restart() { (count, last, stray) = (0, nil, nil) }

    /// Adds a position, but one that no motion explains; the mean velocity since the oldest kept position of the
    /// interval, `nil` without one.
    /// docs/math.md, eq. 7.20.
    ///
    /// - Parameter isStanding: whether the body has stood since the position before, as the IMU shows.
    mutating func add(_ fix: GnssFix, isStanding: Bool = false) -> Mean? {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return nil }
        let here = Entry(
            time: fix.validityTime,
            position: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0),
            quality: fix.quality)
        let accuracy = GnssAccuracy(of: fix)
        // A step of the receiver is no motion: the means of the next seconds would all hold it.
        if let before = meanBefore(stray: here, accuracy, isStanding: isStanding) {
            stray = (here, before)
            return nil
        }
        var mean = mean(to: here, accuracy)
        if let now = mean { mean?.accelerationSigma = accelerationSigma(of: now, at: here) }
        keep(here)
        (last, stray) = ((here, mean), nil)
        return mean
    }

    /// The mean velocity before a position that is farther from where the last one and that velocity lead than white
    /// noise and the acceleration of a vehicle explain, or goes on with one that was; `nil` where they explain it.
    /// docs/math.md, eq. 7.20.
    private func meanBefore(stray here: Entry, _ accuracy: GnssAccuracy, isStanding: Bool) -> Mean? {
        guard let last, var mean = last.mean else { return nil }
        let seconds = here.time.seconds(since: last.entry.time)
        if isStanding { mean = standing(mean, accuracy, over: seconds) }
        let beside = Self.distance(of: here, from: last.entry, mean.velocity)
        // A mean of standing has no age: nothing has accelerated the body.
        let accelerated =
            mean.age > 0 ? Tuning.PositionFilter.largestAcceleration * seconds * (mean.age + 0.5 * seconds) : 0
        let white = accuracy.horizontalWhite
        var variance = 2 * white * white + mean.sigma * mean.sigma * seconds * seconds
        // Another kind of solution has another GNSS bias.
        if here.quality != last.entry.quality { variance += accuracy.horizontalBias * accuracy.horizontalBias }
        let noise = Tuning.PositionFilter.stepSigmas * variance.squareRoot()
        let goesOn = stray.map { Self.distance(of: here, from: $0.entry, mean.velocity) < beside } ?? false
        guard goesOn || beside > accelerated + max(noise, Tuning.PositionFilter.leastStepMeters) else { return nil }
        mean.age += seconds
        return mean
    }

    /// 1-sigma of the acceleration on each axis where the mean velocity has changed to another one by more than its
    /// noise, m/s2. What has changed it goes on, or one of the positions was false.
    /// docs/math.md, eq. 7.20.
    private func accelerationSigma(of now: Mean, at here: Entry) -> Double {
        guard let last, let before = last.mean else { return now.accelerationSigma }
        let seconds = here.time.seconds(since: last.entry.time) + before.age - now.age
        let changed = SIMD2(
            now.velocity.eastMetersPerSecond - before.velocity.eastMetersPerSecond,
            now.velocity.northMetersPerSecond - before.velocity.northMetersPerSecond)
        let noise = Tuning.PositionFilter.stepSigmas * hypot(now.sigma, before.sigma)
        let seen = max((changed * changed).sum().squareRoot() - noise, 0) / max(seconds, now.age)
        return max(now.accelerationSigma, seen)
    }

    /// The velocity of a body that stands, as its positions may show it after a time, seconds; the mean one where that
    /// is a motion: a smooth ride looks like rest.
    private func standing(_ mean: Mean, _ accuracy: GnssAccuracy, over seconds: Double) -> Mean {
        if GnssAccuracy.isMotion(mean.velocity.speedMetersPerSecond, sigma: mean.sigma) { return mean }
        return Mean(
            velocity: HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 0),
            sigma: Self.biasChangeVariance(of: accuracy, over: seconds).squareRoot() / seconds, age: 0)
    }

    /// Distance of a position from where another one and a velocity lead, metres.
    private static func distance(of here: Entry, from before: Entry, _ velocity: HorizontalVelocity) -> Double {
        let seconds = here.time.seconds(since: before.time)
        let way = before.position.surfaceOffsetMeters(to: here.position)
        return hypot(
            way.east - velocity.eastMetersPerSecond * seconds, way.north - velocity.northMetersPerSecond * seconds)
    }

    /// Variance of the change of the GNSS bias on each axis, m2.
    /// docs/math.md, eq. 7.20.
    private static func biasChangeVariance(of accuracy: GnssAccuracy, over seconds: Double) -> Double {
        2 * (1 - exp(-seconds / FilterState.gnssBiasSeconds)) * accuracy.horizontalBias * accuracy.horizontalBias
    }

    /// The mean velocity since the oldest kept position of the interval, `nil` without one.
    private func mean(to here: Entry, _ accuracy: GnssAccuracy) -> Mean? {
        guard let before = start(for: here) else { return nil }
        let seconds = here.time.seconds(since: before.time)
        let way = before.position.surfaceOffsetMeters(to: here.position)
        let variance =
            2 * accuracy.horizontalWhite * accuracy.horizontalWhite
            + Self.biasChangeVariance(of: accuracy, over: seconds)
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
