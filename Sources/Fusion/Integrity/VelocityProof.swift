import Geodesy
import Glibc
import Measurements

/// Whether the velocity that a receiver states is the one of its positions.
///
/// Some receivers state a speed of zero for ever, and some a magnetic course, or a speed in another unit. Positions
/// that go another way than such a velocity look like positions that are dragged off. What tells the two apart: a false
/// velocity is wrong by the same factor and angle wherever the body goes, and it has been so from the beginning.
/// Therefore the ways by velocity and by positions are compared over windows, and one factor and angle must explain
/// what differs in all of them. Where the velocity is zero, there is nothing to be turned or scaled: then the IMU must
/// show that the body moves, or the positions lead in one direction.
struct VelocityProof: Sendable {
    /// Whether the velocity is false.
    private(set) var isRefuted = false
    private var last: GnssFix?
    private var window: Window?
    private var sums = Sums()
    private var unstated = UnstatedWays()
    /// Whether the velocity that was refuted was zero, so that a smooth ride has looked like rest.
    private(set) var hasStatedRest = false
    /// Whether it has been right: zero is no false unit then.
    private var isProven = false

    /// Ways between two fixes.
    private struct Window: Sendable {
        /// Velocity at its begin, east and north, m/s.
        var firstVelocity: SIMD2<Double>
        /// Way by the positions, and by the velocities, east and north, metres.
        var moved = SIMD2<Double>.zero
        var expected = SIMD2<Double>.zero
        /// Length of the way by the velocities, metres.
        var length = 0.0
        var seconds = 0.0
        /// Whether the IMU has shown a motion all the time.
        var isMotionShown = true

        /// 1-sigma of the difference of both ways on each axis, metres. A speed of unknown accuracy may be wrong all
        /// the time, another one is so for a second.
        func noise(of fix: GnssFix) -> Double {
            let speed = fix.assumedSpeedSigma * (fix.speedSigmaMetersPerSecond == nil ? seconds : seconds.squareRoot())
            return (2 * fix.assumedHorizontalSigma * fix.assumedHorizontalSigma + speed * speed).squareRoot()
        }
    }

    /// Compares a fix with the one before.
    /// docs/math.md, eq. 12.19.
    ///
    /// - Parameter isStanding: whether the body has stood since then, as the IMU of a vehicle shows: then it shows
    ///   nothing. `nil` where no IMU shows it.
    mutating func note(_ fix: GnssFix, isStanding: Bool?) {
        defer { last = fix }
        guard let last, last.receiver == fix.receiver, let from = Self.place(of: last), let to = Self.place(of: fix),
            let before = Self.velocity(of: last), let now = Self.velocity(of: fix)
        else {
            window = nil
            return
        }
        let seconds = fix.validityTime.seconds(since: last.validityTime)
        guard seconds > 0, seconds <= Tuning.GNSSIntegrity.longestGap, fix.quality == last.quality else {
            window = nil
            return
        }
        guard isStanding != true else { return }
        var window = self.window ?? Window(firstVelocity: before)
        let moved = from.surfaceOffsetMeters(to: to)
        let mean = (before + now) * 0.5
        window.moved += SIMD2(moved.east, moved.north)
        window.expected += mean * seconds
        window.length += mean.length * seconds
        window.seconds += seconds
        window.isMotionShown = window.isMotionShown && isStanding == false
        self.window = judge(window, velocity: now, of: fix) ? nil : window
    }

    /// Judges a window at its present end; whether it is over.
    private mutating func judge(_ window: Window, velocity: SIMD2<Double>, of fix: GnssFix) -> Bool {
        typealias Limit = Tuning.VelocityProof
        guard window.seconds >= Limit.shortestSeconds else { return false }
        let change = velocity - window.firstVelocity
        let length = max(window.length, window.moved.length)
        let allowed = Limit.sigmas * window.noise(of: fix) + Limit.share * length
        let difference = window.moved - window.expected
        let differs = difference.length > allowed
        guard differs || window.seconds >= Limit.longestSeconds else { return false }
        sums.add(way: window.expected, change: change, difference, allowed: allowed)
        if differs, window.length < Limit.heldShare * window.moved.length {
            unstated.add(window.moved, isMotionShown: window.isMotionShown)
        } else {
            unstated = UnstatedWays()
        }
        let factor = sums.factor
        let isZero = unstated.areGone && !isProven
        if factor.isShown || isZero {
            if !isRefuted { hasStatedRest = isZero }
            (isRefuted, isProven, sums) = (true, false, Sums())
        } else if factor.isExcluded {
            (isRefuted, isProven) = (false, true)
        }
        return true
    }

    /// The last ways by the positions, in a row, of which the velocity states nothing.
    private struct UnstatedWays: Sendable {
        private var ways = InlineArray<4, SIMD2<Double>>(repeating: .zero)
        private var count = 0
        /// In how many of them, in a row, the IMU has shown a motion.
        private var shown = 0

        mutating func add(_ way: SIMD2<Double>, isMotionShown: Bool) {
            ways[count % ways.count] = way
            (count, shown) = (count + 1, isMotionShown ? shown + 1 : 0)
        }

        /// Whether the body has gone them: the IMU has shown it, or they lead in one direction, which the wandering
        /// error of a receiver that stands does not do.
        /// docs/math.md, eq. 12.19.
        var areGone: Bool {
            guard count >= ways.count, shown < ways.count else { return shown >= ways.count }
            var (sum, squares) = (SIMD2<Double>.zero, 0.0)
            for k in ways.indices { (sum, squares) = (sum + ways[k], squares + (ways[k] * ways[k]).sum()) }
            return (sum * sum).sum() > Tuning.VelocityProof.straightShare * Double(ways.count) * squares
        }
    }

    /// The least squares of one complex factor on the way by the velocity, and one lag on its change, for the
    /// difference of both ways.
    private struct Sums: Sendable {
        private var ways = 0.0
        private var changes = 0.0
        private var differences = 0.0
        /// Products of the way with the difference and with the change: along, and across to the left.
        private var wayDifference = SIMD2<Double>.zero
        private var wayChange = SIMD2<Double>.zero
        private var changeDifference = 0.0

        /// Adds a window. However large its difference is, it counts as one: a jump of the position is no reason to
        /// refute the velocity.
        /// docs/math.md, eq. 12.19.
        mutating func add(way: SIMD2<Double>, change: SIMD2<Double>, _ difference: SIMD2<Double>, allowed: Double) {
            let weight = 1 / max(allowed * allowed, (difference * difference).sum())
            ways += weight * (way * way).sum()
            changes += weight * (change * change).sum()
            differences += weight * (difference * difference).sum()
            wayDifference += weight * way.product(difference)
            wayChange += weight * way.product(change)
            changeDifference += weight * (change * difference).sum()
        }

        /// Whether a factor explains what no lag explains, and whether there is none.
        /// docs/math.md, eq. 12.19.
        var factor: (isShown: Bool, isExcluded: Bool) {
            typealias Limit = Tuning.VelocityProof
            let changes = changes + 1 / (Limit.largestLagSeconds * Limit.largestLagSeconds)
            // What is left of the products without the part of the lag.
            let left = wayDifference - wayChange * (changeDifference / changes)
            let whole = differences - changeDifference * changeDifference / changes
            let along = ways - wayChange.x * wayChange.x / changes
            let across = ways - wayChange.y * wayChange.y / changes
            let cross = -wayChange.x * wayChange.y / changes
            let determinant = along * across - cross * cross
            guard determinant > 0 else { return (false, false) }
            let explained =
                (across * left.x * left.x - 2 * cross * left.x * left.y + along * left.y * left.y) / determinant
            return (
                explained > Limit.explainedShare * max(Double(Limit.windows), whole),
                explained < 1 && min(along, across) * Limit.leastFactor * Limit.leastFactor > 1
            )
        }
    }

    private static func place(of fix: GnssFix) -> GeodeticPosition? {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return nil }
        return GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
    }

    private static func velocity(of fix: GnssFix) -> SIMD2<Double>? {
        fix.horizontalVelocity.map { SIMD2($0.eastMetersPerSecond, $0.northMetersPerSecond) }
    }
}

extension SIMD2<Double> {
    fileprivate var length: Double { (self * self).sum().squareRoot() }

    /// Scalar product, and component along z of the vector product, with another vector.
    fileprivate func product(_ other: SIMD2<Double>) -> SIMD2<Double> {
        SIMD2((self * other).sum(), x * other.y - y * other.x)
    }
}
