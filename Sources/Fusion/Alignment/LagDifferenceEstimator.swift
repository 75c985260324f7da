import Geodesy
import Glibc
import Measurements
import PoseMath

/// Estimates by how much a receiver's velocity is older than its position, from its fixes alone.
///
/// The position moves by the integral of the velocity. A velocity that is `D` older than the position states at `t + D`
/// what moved the position at `t`. A bank of differences is tried in parallel, each weighted by its likelihood.
struct LagDifferenceEstimator: Sendable {
    /// Lag of the velocity minus lag of the position, seconds, and its 1-sigma.
    struct Difference: Sendable {
        var seconds: Double
        var sigma: Double

        /// Whether it is more than a smoothing of the velocity: the receiver delays it.
        var isDelay: Bool { seconds - Tuning.GNSS.longestSmoothingSeconds > Tuning.Mount.gate * sigma }
    }

    /// One fix of the past seconds.
    private struct Entry: Sendable {
        var time = MonotonicTime(nanoseconds: 0)
        /// Place by the positions, and by the integral of the velocity, since the first entry, metres.
        var place = SIMD2<Double>.zero
        var way = SIMD2<Double>.zero
        var velocity = SIMD2<Double>.zero
        /// Variance of the place's change since the entry before on each axis, m2.
        var variance = 0.0
    }

    private var entries = ContiguousArray(repeating: Entry(), count: 16)
    /// Number of entries written so far, and of the first one after a gap and the next pair to compare.
    private var count = 0
    private var first = 0
    private var next = 1
    /// For each difference: sum of squares that it leaves over their variances.
    private var misfits = InlineArray<31, Double>(repeating: 0)
    private var pairCount = 0.0
    private var place = SIMD2<Double>.zero
    private var way = SIMD2<Double>.zero
    private var last: GnssFix?

    /// Result of the fixes so far; `nil` without any in motion.
    private(set) var found: Difference?

    /// An estimator without fixes.
    init() {}

    /// Adds a fix. Fixes closer than half a second are joined; a gap of three seconds begins anew.
    mutating func add(_ fix: GnssFix) {
        guard let velocity = fix.horizontalVelocity, let here = Self.position(of: fix) else { return }
        let now = SIMD2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
        var entry = Entry(time: fix.validityTime, velocity: now)
        if let last, let before = last.horizontalVelocity, let there = Self.position(of: last) {
            let seconds = fix.validityTime.seconds(since: last.validityTime)
            guard seconds > 0 else { return }
            if seconds > Tuning.ReceiverLag.longestPairSeconds {
                first = count
                next = count + 1
            } else {
                let then = SIMD2(before.eastMetersPerSecond, before.northMetersPerSecond)
                way += (then + now) * (0.5 * seconds)
                let moved = there.surfaceOffsetMeters(to: here)
                place += SIMD2(moved.east, moved.north)
            }
        }
        last = fix
        (entry.way, entry.place) = (way, place)
        if count > first {
            let seconds = entry.time.seconds(since: newest.time)
            guard seconds >= Tuning.Alignment.shortestPairSeconds else { return }
            entry.variance = Self.variance(of: fix, seconds: seconds)
        }
        entries[count & 15] = entry
        count += 1
        compareWaitingPairs()
    }

    private var newest: Entry { entries[(count - 1) & 15] }

    private static func position(of fix: GnssFix) -> GeodeticPosition? {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return nil }
        return GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
    }

    /// Variance of the change of position, and of the integral of the velocity, over an interval.
    private static func variance(of fix: GnssFix, seconds: Double) -> Double {
        let accuracy = GnssAccuracy(of: fix)
        let speed = fix.assumedSpeedSigma * seconds
        let changed = 1 - exp(-seconds / FilterState.gnssBiasSeconds)
        let between = Tuning.Alignment.interpolationSigma * seconds
        return 2 * accuracy.horizontalWhite * accuracy.horizontalWhite
            + 2 * changed * accuracy.horizontalBias * accuracy.horizontalBias + speed * speed
            + between * between
    }

    private static func difference(_ k: Int) -> Double {
        Double(k - Tuning.Alignment.earlierSteps) * Tuning.Alignment.lagStepSeconds
    }

    /// Compares the pairs whose velocities have all come.
    private mutating func compareWaitingPairs() {
        let ahead = Self.difference(misfits.count - 1)
        next = max(next, count - 15)
        while next < count, newest.time.seconds(since: entries[next & 15].time) >= ahead {
            if next - 1 >= first { compare(entries[(next - 1) & 15], entries[next & 15]) }
            next += 1
        }
    }

    /// docs/math.md, eq. 7.19.
    private mutating func compare(_ a: Entry, _ b: Entry) {
        let seconds = b.time.seconds(since: a.time)
        let keep = exp(-seconds / Tuning.Alignment.lagMemorySeconds)
        for k in misfits.indices { misfits[k] *= keep }
        pairCount *= keep
        let oldest = entries[max(first, count - 16) & 15].time
        guard
            (a.velocity * a.velocity).sum() > Tuning.Start.leastSpeed * Tuning.Start.leastSpeed
                || (b.velocity * b.velocity).sum() > Tuning.Start.leastSpeed * Tuning.Start.leastSpeed,
            a.time.seconds(since: oldest) >= -Self.difference(0)
        else { return }
        var squares = misfits
        var least = Double.infinity
        for k in misfits.indices {
            let seen = way(at: b.time, after: Self.difference(k)) - way(at: a.time, after: Self.difference(k))
            let left = b.place - a.place - seen
            squares[k] = (left * left).sum() / b.variance
            least = min(least, squares[k])
        }
        // A position that jumps says nothing about a lag.
        guard least < Tuning.Alignment.largestPairMisfit * noise else { return }
        for k in misfits.indices { misfits[k] += squares[k] }
        pairCount += 1
        found = solve()
    }

    /// The integral of the velocity up to some time after an instant: cubic between two entries.
    private func way(at time: MonotonicTime, after seconds: Double) -> SIMD2<Double> {
        let instant = time.advanced(bySeconds: seconds)
        var k = count - 2
        while k > max(first, count - 16), entries[k & 15].time > instant { k -= 1 }
        let (a, b) = (entries[k & 15], entries[(k + 1) & 15])
        let span = b.time.seconds(since: a.time)
        let s = instant.seconds(since: a.time) / span
        let (s2, s3) = (s * s, s * s * s)
        return a.way * (2 * s3 - 3 * s2 + 1) + b.way * (3 * s2 - 2 * s3)
            + (a.velocity * (s3 - 2 * s2 + s) + b.velocity * (s3 - s2)) * span
    }

    private var leastMisfit: Double {
        var least = Double.infinity
        for k in misfits.indices { least = min(least, misfits[k]) }
        return least
    }

    /// Variance factor of the pairs: two numbers for each pair, less the fitted difference.
    private var noise: Double { max(1, leastMisfit / max(2 * pairCount - 1, 1)) }

    private func solve() -> Difference? {
        let (least, noise) = (leastMisfit, noise)
        var (sum, square, total) = (0.0, 0.0, 0.0)
        for k in misfits.indices {
            let likelihood = exp(-0.5 * (misfits[k] - least) / noise)
            let d = Self.difference(k)
            sum += likelihood * d
            square += likelihood * d * d
            total += likelihood
        }
        let mean = sum / total
        let step = Tuning.Alignment.lagStepSeconds
        return Difference(seconds: mean, sigma: (max(square / total - mean * mean, 0) + step * step / 12).squareRoot())
    }
}
