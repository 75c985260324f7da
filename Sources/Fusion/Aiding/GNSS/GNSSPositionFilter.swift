import Geodesy
import Glibc
import Measurements
import PoseMath

/// The best position that fixes alone give: carried on by the receiver's velocity, or held while the body stands.
///
/// For the time before the heading is known, and for drives without an IMU. Each axis is a Kalman filter of two states,
/// position and the GNSS bias (a first-order Gauss-Markov process), so that a minute of
/// standing tells more than one fix does, and no more than it can.
struct GNSSPositionFilter: Sendable {
    /// One axis: its variances, the states themselves being kept together.
    struct Axis: Sendable, Equatable {
        /// Variance of the position, m2.
        var position = 0.0
        /// Covariance of position and GNSS bias, m2.
        var both = 0.0
        /// Variance of the GNSS bias, m2.
        var bias = 0.0

        /// One fix: all of its GNSS bias is in the position.
        init(slow: Double, fast: Double) {
            position = slow * slow + fast * fast
            both = -slow * slow
            bias = slow * slow
        }

        /// docs/math.md, eq. 7.8.
        fileprivate mutating func predict(factor: Double, slow: Double, motion: Double) {
            position += motion
            both *= factor
            bias = bias * factor * factor + (1 - factor * factor) * slow * slow
        }

        /// Gains of position and GNSS bias for an observation of their sum.
        /// docs/math.md, eq. 7.9.
        fileprivate mutating func observe(fast: Double) -> (position: Double, bias: Double) {
            let sum = innovationVariance(fast: fast)
            let (kp, kb) = ((position + both) / sum, (both + bias) / sum)
            let (pp, pb) = (position + both, both + bias)
            position -= kp * pp
            both -= kp * pb
            bias -= kb * pb
            return (kp, kb)
        }

        /// The place may be wrong by so much more, metres.
        fileprivate mutating func widen(by sigma: Double) { position += sigma * sigma }

        fileprivate func innovationVariance(fast: Double) -> Double {
            position + 2 * both + bias + fast * fast
        }
    }

    /// Where the antenna is.
    private(set) var position: GeodeticPosition
    /// Slow error of the receiver's position, east, north, up, metres.
    private(set) var biasENU = Vector3.zero
    /// Variances of the horizontal axes, alike for both.
    private(set) var horizontal: Axis
    /// Variances of the height.
    private(set) var vertical: Axis
    /// How fast it goes, as the receiver says, or as the last two places tell; `nil` while neither does.
    private(set) var velocity: Vector3?
    /// When a fix was last taken.
    private(set) var takenTime: MonotonicTime
    /// The run of fixes that were not used and agree with each other, if any.
    private(set) var refusals: FixRun?
    /// What the receiver is caught at.
    private(set) var watch = GNSSIntegrityMonitor()
    private var last: GnssFix
    /// Whether the velocity is the receiver's own word.
    private var isVelocityStated: Bool
    /// Sum of the changes of velocity, forgotten over seconds, m/s.
    private var swing = 0.0
    private var time: MonotonicTime { last.validityTime }

    /// What became of a fix.
    enum Use: Equatable {
        /// It was taken.
        case taken
        /// It is late, or lies where the motion cannot have led, and others have not confirmed it.
        case refused
        /// The filter began anew at it: what was known is forgotten, or as many others agree. With the move, metres.
        case begun(Vector3)
    }

    /// What is known of the motion besides.
    struct Motion {
        /// Whether the body has stood since the last fix.
        var isStill: Bool
        /// Correlation time of the slow error, seconds.
        var correlationSeconds: Double
        /// By how much the receiver's velocity is late, seconds.
        var velocityLagSeconds: Double
        /// Largest speed, m/s, and acceleration, m/s2.
        var largest = (
            speed: Tuning.PositionFilter.largestSpeed, acceleration: Tuning.PositionFilter.largestAcceleration
        )
    }

    /// Begins at a fix; `nil` where that has no position.
    init?(fix: GnssFix) {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else {
            return nil
        }
        position = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0)
        let accuracy = GnssAccuracy(of: fix)
        horizontal = Axis(slow: accuracy.horizontalSlow, fast: accuracy.horizontalFast)
        vertical = Axis(slow: accuracy.verticalSlow, fast: accuracy.verticalFast)
        velocity = Self.velocity(of: fix)
        isVelocityStated = velocity != nil
        takenTime = fix.validityTime
        last = fix
    }

    /// Takes the next fix; begins anew at one that comes after a gap, or is of another kind. One that lies where the
    /// motion cannot have led is refused, and the place carried on by the receiver's velocity, until as many others
    /// agree with it.
    @discardableResult
    mutating func update(_ fix: GnssFix, _ motion: Motion) -> Use {
        let seconds = fix.validityTime.seconds(since: time)
        guard seconds > 0, var fresh = GNSSPositionFilter(fix: fix) else { return .refused }
        let from = self
        let isContinued = carry(to: fix, seconds: seconds, motion)
        let offset = position.surfaceOffsetMeters(to: fresh.position)
        let distance = hypot(offset.east, offset.north)
        let move = Vector3(offset.east, offset.north, 0)
        (fresh.watch, fresh.swing) = (watch, swing)
        guard fix.validityTime.seconds(since: takenTime) < Tuning.PositionFilter.positionTimeoutSeconds else {
            self = fresh
            return .begun(move)
        }
        guard watch.verdict == .trusted else {
            refusals = nil
            return .refused
        }
        guard
            distance < reach(for: fix, seconds: seconds, isContinued: isContinued, motion.largest, from)
        else {
            let run = FixRun.run(after: refusals, with: fix, at: fresh.position, largest: motion.largest)
            refusals = run
            guard
                run.isConfirmed(
                    count: Tuning.PositionFilter.confirmingFixes, seconds: Tuning.PositionFilter.confirmingSeconds)
            else {
                return .refused
            }
            self = fresh
            return .begun(move)
        }
        refusals = nil
        takenTime = fix.validityTime
        if isContinued {
            observe(fresh, GnssAccuracy(of: fix), distance: distance)
        } else {
            fresh.deriveVelocity(from: from.position, seconds: seconds)
            self = fresh
        }
        return .taken
    }

    /// Where the receiver states no velocity, two places tell one.
    private mutating func deriveVelocity(from place: GeodeticPosition, seconds: Double) {
        guard velocity == nil, seconds < Tuning.PositionFilter.longestGapSeconds else { return }
        let way = place.surfaceOffsetMeters(to: position)
        velocity = Vector3(way.east, way.north, 0) / seconds
    }

    /// Carries the place on to the time of a fix, by the receiver's velocity as far as a body can have come to it.
    /// docs/math.md, eq. 7.7.
    ///
    /// - Returns: whether the fix continues the ones before: the slow error is theirs.
    private mutating func carry(to fix: GnssFix, seconds: Double, _ motion: Motion) -> Bool {
        look(at: fix, seconds: seconds)
        let stated = Self.velocity(of: fix) ?? (seconds < Tuning.PositionFilter.missingVelocitySeconds ? velocity : nil)
        let isContinued =
            seconds < Tuning.PositionFilter.longestGapSeconds && fix.quality == last.quality && isVelocityStated
            && stated != nil
        defer { last = fix }
        if fix.horizontalVelocity != nil { isVelocityStated = true }
        guard let before = velocity else {
            velocity = stated
            return false
        }
        var now = stated ?? before
        let largestChange = motion.largest.acceleration * (seconds + Tuning.PositionFilter.largestVelocityLagSeconds)
        if (now - before).horizontalLength > largestChange { now = before }
        swing = swing * exp(-seconds / Tuning.PositionFilter.velocityChangeSeconds) + (now - before).horizontalLength
        let accuracy = GnssAccuracy(of: fix)
        var variance = Tuning.PositionFilter.standingDrift * Tuning.PositionFilter.standingDrift * seconds
        if !motion.isStill {
            let (sigma, lagSigma) = (
                fix.speedSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.horizontal,
                FilterState.velocityTimeConstantSigma
            )
            let unseen = Tuning.PositionFilter.unmodeledAcceleration * seconds * seconds / 6
            // A velocity that comes late leaves the way behind by the lag times what it has changed.
            let change = now - before
            move(by: (before + now) * (0.5 * seconds) + change * motion.velocityLagSeconds)
            variance =
                sigma * sigma * seconds * seconds + unseen * unseen + lagSigma * lagSigma
                * change.lengthSquared
        }
        let factor = exp(-seconds / motion.correlationSeconds)
        biasENU *= factor
        horizontal.predict(factor: factor, slow: accuracy.horizontalSlow, motion: variance)
        vertical.predict(
            factor: factor, slow: accuracy.verticalSlow, motion: Tuning.PositionFilter.verticalNoiseRatio * variance)
        velocity = now
        return isContinued
    }

    /// Lets the watch see a fix.
    private mutating func look(at fix: GnssFix, seconds: Double) {
        guard !watch.isStuck(fix), let v0 = last.horizontalVelocity, let v1 = fix.horizontalVelocity,
            let from = GNSSPositionFilter(fix: last)?.position, let to = GNSSPositionFilter(fix: fix)?.position
        else { return }
        let moved = from.surfaceOffsetMeters(to: to)
        let way =
            SIMD2(
                v0.eastMetersPerSecond + v1.eastMetersPerSecond,
                v0.northMetersPerSecond + v1.northMetersPerSecond)
            * (0.5 * seconds)
        watch.compare(
            moved: SIMD2(moved.east, moved.north), expected: way, seconds: seconds,
            sigma: GnssAccuracy(of: fix).horizontalSlow, factor: 1, at: fix.validityTime)
    }

    /// How far from where it was carried a body may be seen, metres.
    /// docs/math.md, eq. 7.15.
    private func reach(
        for fix: GnssFix, seconds: Double, isContinued: Bool,
        _ largest: (speed: Double, acceleration: Double),
        _ from: GNSSPositionFilter
    ) -> Double {
        let accuracy = GnssAccuracy(of: fix)
        var variance = horizontal.innovationVariance(fast: accuracy.horizontalFast)
        // Another kind of fix has another slow error.
        if !isContinued { variance += accuracy.horizontalSlow * accuracy.horizontalSlow }
        let noise = Tuning.PositionFilter.gate * (2 * variance).squareRoot()
        guard from.velocity != nil else { return noise + largest.speed * seconds }
        return noise + largest.acceleration * seconds
            * (0.5 * seconds + Tuning.PositionFilter.largestVelocityLagSeconds)
            + Tuning.PositionFilter.largestVelocityLagSeconds * swing
    }

    /// The velocity to carry the place on with: of a fix, or where that is refused and may lie, too, the one in which
    /// fixes that were taken have led.
    func carryingVelocity(of fix: GnssFix) -> HorizontalVelocity? {
        guard refusals != nil else { return fix.horizontalVelocity }
        return velocity.map { HorizontalVelocity(eastMetersPerSecond: $0.x, northMetersPerSecond: $0.y) }
    }

    /// 1-sigma of the place on each horizontal axis, metres: with the fixes that are refused, which may be right.
    /// docs/math.md, eq. 7.16.
    var horizontalSigma: Double {
        let own = horizontal.position.squareRoot()
        let lost = Tuning.PositionFilter.positionLossSpeed * max(time.seconds(since: takenTime), 0)
        guard let refusals else { return lost > 0 ? hypot(own, lost) : own }
        let offset = position.surfaceOffsetMeters(to: refusals.position)
        let distance = min(
            Tuning.PositionFilter.rejectedDistanceShare * hypot(offset.east, offset.north),
            Tuning.PositionFilter.largestRejectedDistance)
        return hypot(own, lost + distance)
    }

    private mutating func observe(_ fresh: GNSSPositionFilter, _ accuracy: GnssAccuracy, distance: Double) {
        let offset = position.surfaceOffsetMeters(to: fresh.position)
        let (east, north) = (offset.east - biasENU.x, offset.north - biasENU.y)
        let variance = horizontal.innovationVariance(fast: accuracy.horizontalFast)
        guard east * east + north * north < Tuning.PositionFilter.gate * Tuning.PositionFilter.gate * 2 * variance
        else {
            // Within reach, but not explained: the receiver's error is another, or the place was wrong.
            self = fresh
            horizontal.widen(by: Tuning.PositionFilter.rejectedDistanceShare * distance)
            return
        }
        let gain = horizontal.observe(fast: accuracy.horizontalFast)
        var step = Vector3(gain.position * east, gain.position * north, 0)
        biasENU += Vector3(gain.bias * east, gain.bias * north, 0)
        if last.altitudeEllipsoidMeters != nil {
            let up = fresh.position.altitudeEllipsoidMeters - position.altitudeEllipsoidMeters - biasENU.z
            let gain = vertical.observe(fast: accuracy.verticalFast)
            step.z = gain.position * up
            biasENU.z += gain.bias * up
        }
        move(by: step)
    }

    private mutating func move(by enu: Vector3) {
        var state = NavigationState(
            time: last.validityTime, position: position, velocityENU: .zero, sensorToENU: .identity)
        state.move(byENU: enu)
        position = state.position
    }

    private static func velocity(of fix: GnssFix) -> Vector3? {
        fix.horizontalVelocity.map {
            Vector3($0.eastMetersPerSecond, $0.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
        }
    }
}
