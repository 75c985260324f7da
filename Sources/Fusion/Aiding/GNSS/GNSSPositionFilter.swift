import Geodesy
import Glibc
import Measurements
import PoseMath

/// Position from fixes alone: predicted by the receiver's velocity, or held while the body stands.
///
/// Used before the heading is known, and on drives without an IMU. Each axis is a Kalman filter of two states, position
/// and GNSS bias (a first-order Gauss-Markov process). A minute of standing then counts for more than one fix, as far
/// as the correlation allows.
struct GNSSPositionFilter: Sendable {
    /// Where the antenna is.
    private(set) var position: GeodeticPosition
    /// Estimated GNSS bias, east, north, up, metres.
    private(set) var gnssBiasENU = Vector3.zero
    /// Variances of each horizontal axis.
    private(set) var horizontal: Axis
    /// Variances of the height; those of an unknown one before the first fix with a height.
    private(set) var vertical: Axis
    /// Whether a fix has told the height.
    private(set) var hasHeight: Bool
    /// Velocity of the last fix that stated one, or the one before where no body changes its velocity so fast, m/s; the
    /// climb is 0 where the fix states none. `nil` before the first. Never that between two places: where the error of
    /// the receiver has jumped, it would be one of that.
    private(set) var velocity: Vector3?
    /// Acceleration, from the velocities; `nil` without any.
    private(set) var acceleration: ReceiverAcceleration?
    /// Time of validity of the last accepted fix.
    private(set) var acceptedTime: MonotonicTime
    /// The run of rejected fixes that agree with each other; `nil` without one.
    private(set) var rejectedRun: FixRun?
    /// The run of accepted fixes.
    private var acceptedRun: FixRun
    /// Whether the position has been shown by as many fixes as a run of rejected ones needs to replace it.
    private var isConfirmed = false
    /// The moves of restarts, east, north, metres, since one that came two minutes after the one before.
    private var wayFromTrusted = Vector3.zero
    /// When the position was restarted last.
    private var restartTime: MonotonicTime?
    /// 1-sigma by which it may have been wrong, metres, decreasing since.
    private var doubtSigma = 0.0
    /// Fault detection of the receiver.
    private(set) var integrity = GNSSIntegrityMonitor()
    private var last: GnssFix
    /// Whether the velocity is stated by the receiver.
    private var isVelocityStated: Bool
    /// Sum of the changes of velocity, with exponential decay, m/s.
    private var velocityChangeSum = 0.0
    /// What the last fix may be wrong by beside all that it states.
    var unstatedError: UnstatedError { GnssAccuracy(of: last).unstated }
    /// 1-sigma of the common error of the fixes' times of validity, seconds.
    var timeSigma: Double { last.timeSigmaSeconds ?? 0 }
    /// Time of the position: that of the last fix, accepted or rejected.
    var time: MonotonicTime { last.validityTime }

    /// How a fix was used.
    enum Use: Equatable {
        /// It was fused.
        case accepted
        /// It is late, or lies outside the gate and is not confirmed.
        case rejected
        /// The filter restarted at it, because a run of fixes agrees. With the move, metres.
        case restarted(Vector3)
    }

    /// Other knowledge of the motion.
    struct Motion {
        /// Whether the body has stood since the last fix.
        var isStill: Bool
        /// By how much the receiver's velocity is older than its position, seconds.
        var lagDifferenceSeconds: Double
        /// Usual interval of the fixes, seconds.
        var intervalSeconds = 1.0
        /// Correlation time of the acceleration, seconds.
        var accelerationSeconds = Tuning.ReceiverAcceleration.correlationSeconds
        /// By how much the velocity is older than the position, as the fixes alone show it; `nil` before they do.
        var seenLag: LagDifferenceEstimator.Difference?
        /// The mean velocity of the places before a fix, m/s, where no motion explains its place; `nil` where one does.
        var velocityBeforeStray: HorizontalVelocity?
    }

    /// Starts at a fix; `nil` without a position.
    init?(fix: GnssFix) {
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else {
            return nil
        }
        position = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: fix.altitudeEllipsoidMeters ?? 0)
        let accuracy = GnssAccuracy(of: fix)
        horizontal = Axis(gnssBiasSigma: accuracy.horizontalBias, white: accuracy.horizontalWhite)
        hasHeight = fix.altitudeEllipsoidMeters != nil
        vertical = Axis(
            gnssBiasSigma: accuracy.verticalBias,
            white: hasHeight ? accuracy.verticalWhite : Tuning.PositionFilter.unknownHeightSigma)
        velocity = Self.velocity(of: fix)
        isVelocityStated = velocity != nil
        acceleration = velocity.map { ReceiverAcceleration(velocity: $0, sigma: fix.assumedSpeedSigma) }
        acceptedTime = fix.validityTime
        acceptedRun = FixRun.run(after: nil, with: fix, at: position)
        last = fix
    }

    /// Fuses the next fix, or takes its position after a gap or where the kind of solution or the receiver changes. A
    /// fix outside the gate is rejected, and the position is predicted by the velocity, until a run of such fixes is
    /// confirmed.
    /// docs/math.md, eq. 7.17.
    @discardableResult
    mutating func update(_ fix: GnssFix, _ motion: Motion) -> Use {
        let seconds = fix.validityTime.seconds(since: time)
        guard seconds > 0, var fresh = GNSSPositionFilter(fix: fix) else { return .rejected }
        let from = self
        let isContinued = predict(to: fix, seconds: seconds, motion)
        let offset = position.surfaceOffsetMeters(to: fresh.position)
        let (move, distance) = (Vector3(offset.east, offset.north, 0), hypot(offset.east, offset.north))
        fresh.keep(from: self)
        let silence = fix.validityTime.seconds(since: acceptedTime)
        let isWithin = explains(fix, at: fresh.position, distance, motion, isContinued: isContinued, from)
        let isTrusted = integrity.verdict == .trusted
        guard (isWithin && isTrusted) || !Self.isLost(after: silence, intervalSeconds: motion.intervalSeconds) else {
            self = fresh
            return .restarted(move)
        }
        guard isTrusted else {
            rejectedRun = nil
            return .rejected
        }
        guard isWithin else {
            carryOn(motion, seconds: seconds)
            guard confirms(fix, at: fresh.position) else { return .rejected }
            fresh.isConfirmed = true
            fresh.doubt(move, after: self)
            self = fresh
            return .restarted(move)
        }
        (rejectedRun, acceptedTime) = (nil, fix.validityTime)
        acceptedRun = FixRun.run(after: acceptedRun, with: fix, at: fresh.position)
        isConfirmed = isConfirmed || Self.isConfirmed(acceptedRun)
        (fresh.acceptedRun, fresh.isConfirmed) = (acceptedRun, isConfirmed)
        if isContinued {
            observe(fresh, GnssAccuracy(of: fix), distance: distance)
        } else {
            fresh.velocity = fresh.velocity ?? velocity
            self = fresh
        }
        return .accepted
    }

    /// Whether motion and errors explain the distance of a fix from the prediction, metres.
    /// docs/math.md, eq. 7.15, 7.17, 7.25.
    private func explains(
        _ fix: GnssFix, at place: GeodeticPosition, _ distance: Double, _ motion: Motion, isContinued: Bool,
        _ from: GNSSPositionFilter
    ) -> Bool {
        let seconds = fix.validityTime.seconds(since: from.time)
        // Where no velocity has carried the place on past refused fixes, the places before tell what is near.
        let silence = velocity == nil ? seconds : fix.validityTime.seconds(since: acceptedTime)
        let gate = min(
            gateRadius(for: fix, seconds: seconds, motion, isContinued: isContinued, from),
            nearRadius(for: fix, silence: silence, intervalSeconds: motion.intervalSeconds))
        return distance < gate && motion.velocityBeforeStray == nil && !goesOnWithRejected(place, distance, from)
    }

    /// Goes on by the mean velocity of the places before a refused fix, where the receiver states none.
    private mutating func carryOn(_ motion: Motion, seconds: Double) {
        guard velocity == nil, let seen = motion.velocityBeforeStray else { return }
        move(by: Vector3(seen.eastMetersPerSecond, seen.northMetersPerSecond, 0) * seconds)
    }

    /// Whether the place is that of the next fix, wherever that lies, after a silence, seconds: the fixes of a receiver
    /// that sends one every minute are too far apart to confirm each other.
    /// docs/math.md, eq. 7.25.
    private static func isLost(after silence: Double, intervalSeconds: Double) -> Bool {
        silence >= Tuning.PositionFilter.positionTimeoutSeconds
            && intervalSeconds >= Tuning.FixRun.longestGapSeconds
    }

    /// Adds a rejected fix to the run, and tells whether the run is confirmed.
    private mutating func confirms(_ fix: GnssFix, at place: GeodeticPosition) -> Bool {
        let run = FixRun.run(after: rejectedRun, with: fix, at: place)
        rejectedRun = run
        return Self.isConfirmed(run)
    }

    /// Whether a fix lies nearer to where the refused ones lead than to the prediction: the gate, which is wide where
    /// fixes are rare, would take it without confirmation.
    /// docs/math.md, eq. 7.17.
    private func goesOnWithRejected(
        _ place: GeodeticPosition, _ distance: Double, _ from: GNSSPositionFilter
    ) -> Bool {
        guard let rejectedRun, from.velocity != nil,
            time.seconds(since: from.time) > Tuning.PositionFilter.largestVelocityLagSeconds
        else { return false }
        let way = from.position.surfaceOffsetMeters(to: position)
        let moved = rejectedRun.position.surfaceOffsetMeters(to: place)
        return hypot(moved.east - way.east, moved.north - way.north) < distance
    }

    /// Takes over what a new place does not change.
    private mutating func keep(from before: GNSSPositionFilter) {
        (integrity, velocityChangeSum) = (before.integrity, before.velocityChangeSum)
        (wayFromTrusted, doubtSigma, restartTime) = (before.wayFromTrusted, before.doubtSigma, before.restartTime)
        acceleration = before.acceleration ?? acceleration
        guard !hasHeight, before.hasHeight else { return }
        position.altitudeEllipsoidMeters = before.position.altitudeEllipsoidMeters
        (vertical, gnssBiasENU.z, hasHeight) = (before.vertical, before.gnssBiasENU.z, true)
    }

    /// Keeps in the sigma of a restart by a move, east, north, metres, that the place before may have been right where
    /// fixes had shown it. A move back is in no doubt.
    /// docs/math.md, eq. 7.17.
    private mutating func doubt(_ move: Vector3, after before: GNSSPositionFilter) {
        let isProven = restartTime.map { time.seconds(since: $0) > Tuning.Reset.longOutageSeconds } ?? true
        wayFromTrusted = before.isConfirmed ? (isProven ? move : wayFromTrusted + move) : .zero
        restartTime = time
        doubtSigma = min(
            Tuning.Reset.doubtedShare * wayFromTrusted.horizontalLength,
            Tuning.PositionFilter.largestRejectedDistance)
    }

    /// Whether a run of fixes is enough to believe its position.
    private static func isConfirmed(_ run: FixRun) -> Bool {
        run.isConfirmed(
            count: Tuning.PositionFilter.confirmingFixes, seconds: Tuning.PositionFilter.confirmingSeconds)
    }

    /// Predicts the position to the time of a fix by the receiver's velocity, as far as its change is physically
    /// possible.
    /// docs/math.md, eq. 7.7.
    ///
    /// - Returns: whether the fix continues the ones before: its GNSS bias is theirs.
    private mutating func predict(to fix: GnssFix, seconds: Double, _ motion: Motion) -> Bool {
        checkIntegrity(of: fix, seconds: seconds, motion)
        let stated = Self.velocity(of: fix) ?? (seconds < Tuning.PositionFilter.missingVelocitySeconds ? velocity : nil)
        let isContinued =
            seconds < Tuning.PositionFilter.longestGapSeconds && fix.quality == last.quality
            && fix.receiver == last.receiver && isVelocityStated && stated != nil
        defer { last = fix }
        let factor = exp(-seconds / FilterState.gnssBiasSeconds)
        doubtSigma *= factor
        let speedSigma = fix.assumedSpeedSigma
        if fix.horizontalVelocity != nil { isVelocityStated = true }
        guard let before = velocity else {
            velocity = stated
            acceleration = stated.map { ReceiverAcceleration(velocity: $0, sigma: speedSigma) }
            return false
        }
        var now = stated ?? before
        let longest = seconds + Tuning.PositionFilter.largestVelocityLagSeconds
        if (now - before).horizontalLength > Tuning.PositionFilter.largestAcceleration * longest { now = before }
        velocityChangeSum =
            velocityChangeSum * exp(-seconds / Tuning.PositionFilter.velocityChangeSeconds)
            + (now - before).horizontalLength
        acceleration?.note(now, sigma: speedSigma, after: seconds, correlationSeconds: motion.accelerationSeconds)
        let accuracy = GnssAccuracy(of: fix)
        let standing = Tuning.PositionFilter.standingDrift * Tuning.PositionFilter.standingDrift * seconds
        var way = (horizontal: standing, vertical: Tuning.PositionFilter.verticalNoiseRatio * standing)
        if !motion.isStill {
            // A late velocity leaves the distance short by the lag times the change of velocity.
            let change = now - before
            move(by: (before + now) * (0.5 * seconds) + change * motion.lagDifferenceSeconds)
            way = Self.wayVariances(until: fix, seconds: seconds, change: change)
        }
        gnssBiasENU = gnssBiasENU * factor
        horizontal.predict(factor: factor, gnssBiasSigma: accuracy.horizontalBias, motion: way.horizontal)
        vertical.predict(factor: factor, gnssBiasSigma: accuracy.verticalBias, motion: way.vertical)
        velocity = now
        return isContinued
    }

    /// Variances of the way to a fix, on each horizontal axis and up, m2.
    /// docs/math.md, eq. 7.7.
    private static func wayVariances(until fix: GnssFix, seconds: Double, change: Vector3) -> (
        horizontal: Double, vertical: Double
    ) {
        let (speedSigma, climbSigma) = (fix.assumedSpeedSigma, fix.assumedClimbSigma)
        let lagSigma = FilterState.velocityLagSigma
        let unseen = Tuning.PositionFilter.unmodeledAcceleration * seconds * seconds / 6
        // A climb that is not stated goes on, at whatever rate the fixes come.
        let climbSeconds =
            fix.climbMetersPerSecond == nil ? max(seconds, Tuning.PositionFilter.unstatedClimbSeconds) : seconds
        return (
            speedSigma * speedSigma * seconds * seconds + unseen * unseen
                + lagSigma * lagSigma * change.lengthSquared,
            climbSigma * climbSigma * seconds * climbSeconds
                + Tuning.PositionFilter.verticalNoiseRatio * unseen * unseen
        )
    }

    /// Updates the fault detection with a fix. Another receiver has not the faults of the one before.
    private mutating func checkIntegrity(of fix: GnssFix, seconds: Double, _ motion: Motion) {
        if fix.receiver != last.receiver { (integrity, rejectedRun) = (GNSSIntegrityMonitor(), nil) }
        defer { integrity.endDrift(at: fix.validityTime) }
        guard !integrity.isStuck(fix), let v0 = last.horizontalVelocity, let v1 = fix.horizontalVelocity,
            let from = GNSSPositionFilter(fix: last)?.position, let to = GNSSPositionFilter(fix: fix)?.position
        else { return }
        let moved = from.surfaceOffsetMeters(to: to)
        let way =
            SIMD2(
                v0.eastMetersPerSecond + v1.eastMetersPerSecond,
                v0.northMetersPerSecond + v1.northMetersPerSecond)
            * (0.5 * seconds)
        // Until the fixes show it, the velocity may be as late as any that is looked for.
        let longest = Double(Tuning.Alignment.lagCount - 1) * Tuning.Alignment.lagStepSeconds
        let late = GNSSIntegrityMonitor.LateVelocity(
            metersPerSecond: SIMD2(v1.eastMetersPerSecond, v1.northMetersPerSecond),
            lagSeconds: motion.seenLag?.seconds ?? motion.lagDifferenceSeconds,
            slackSeconds: motion.seenLag.map { Tuning.Mount.gate * $0.sigma } ?? longest)
        integrity.compare(
            moved: SIMD2(moved.east, moved.north), expected: way, seconds: seconds,
            sigma: GnssAccuracy(of: fix).horizontalBias, factor: 1, late: late, at: fix.validityTime)
    }

    /// Largest distance of a fix from the prediction, metres.
    /// docs/math.md, eq. 7.15.
    private func gateRadius(
        for fix: GnssFix, seconds: Double, _ motion: Motion, isContinued: Bool, _ from: GNSSPositionFilter
    ) -> Double {
        let accuracy = GnssAccuracy(of: fix)
        var variance = horizontal.innovationVariance(white: accuracy.horizontalWhite)
        // Another kind of solution, or another receiver, has another GNSS bias.
        if !isContinued { variance += accuracy.horizontalBias * accuracy.horizontalBias }
        let noise = Tuning.PositionFilter.gate * (2 * variance).squareRoot()
        guard let before = from.velocity else { return noise + Tuning.PositionFilter.largestSpeed * seconds }
        let isStanding =
            motion.isStill
            && !GnssAccuracy.isMotion(max(before.length, velocity?.length ?? 0), sigma: fix.assumedSpeedSigma)
        if isStanding { return noise + Tuning.PositionFilter.leastStepMeters }
        // The way is that of the trapezium rule where the velocity is known at both ends.
        let share = fix.horizontalVelocity == nil ? 0.5 : 0.25
        let lag = Tuning.PositionFilter.largestVelocityLagSeconds
        return noise + Tuning.PositionFilter.largestAcceleration * (share * seconds * seconds + min(seconds, lag) * lag)
            + lag * velocityChangeSum
    }

    /// Largest distance of a fix from the prediction, metres, where the receiver has been silent, so that the motion
    /// allows much and nothing shows a false fix; infinite where it has not.
    /// docs/math.md, eq. 7.25.
    private func nearRadius(for fix: GnssFix, silence: Double, intervalSeconds: Double) -> Double {
        let longest = max(
            Tuning.PositionFilter.silentSeconds, Tuning.PositionFilter.silentIntervals * intervalSeconds)
        guard silence > longest else { return .infinity }
        return Tuning.PositionFilter.nearMeters + Tuning.PositionFilter.gate * GnssAccuracy(of: fix).horizontalBias
    }

    /// Velocity for the prediction: that of the fix or, while fixes are rejected, the last accepted one.
    func carryingVelocity(of fix: GnssFix) -> HorizontalVelocity? {
        guard rejectedRun != nil, let velocity else { return fix.horizontalVelocity }
        return HorizontalVelocity(eastMetersPerSecond: velocity.x, northMetersPerSecond: velocity.y)
    }

    /// Whether as many fixes speak against the position as for it, and it is not confirmed: no position is known.
    /// docs/math.md, eq. 7.17.
    var isContested: Bool { !isConfirmed && rejectedRun.map { $0.count >= acceptedRun.count } ?? false }

    /// 1-sigma of each horizontal axis, metres, including the rejected fixes, which may be right.
    /// docs/math.md, eq. 7.16.
    var horizontalSigma: Double {
        let way = velocity.map { hypot($0.x, $0.y) * timeSigma } ?? 0
        let hidden = hypot(unstatedError.horizontal, way / 2.0.squareRoot())
        let own = hypot(hypot(horizontal.position.squareRoot(), doubtSigma), hidden)
        let lost = Tuning.PositionFilter.positionLossSpeed * max(time.seconds(since: acceptedTime), 0)
        guard let rejectedRun else { return lost > 0 ? hypot(own, lost) : own }
        let offset = position.surfaceOffsetMeters(to: rejectedRun.position)
        let share = Tuning.PositionFilter.rejectedDistanceShare * hypot(offset.east, offset.north)
        // A position that no more fixes have shown than these is no better than they are.
        let distance = isConfirmed ? min(share, Tuning.PositionFilter.largestRejectedDistance) : share
        return hypot(own, lost + distance)
    }

    /// 1-sigma of the height, metres.
    var verticalSigma: Double { hypot(vertical.position.squareRoot(), unstatedError.vertical) }

    /// Fuses a fix that lies within the gate; position and GNSS bias share the innovation.
    /// docs/math.md, eq. 7.9.
    private mutating func observe(_ fresh: GNSSPositionFilter, _ accuracy: GnssAccuracy, distance: Double) {
        let offset = position.surfaceOffsetMeters(to: fresh.position)
        let (east, north) = (offset.east - gnssBiasENU.x, offset.north - gnssBiasENU.y)
        let variance = horizontal.innovationVariance(white: accuracy.horizontalWhite)
        guard east * east + north * north < Tuning.PositionFilter.gate * Tuning.PositionFilter.gate * 2 * variance
        else {
            // Within the outer gate but not explained: the GNSS bias has changed, or the position was wrong.
            self = fresh
            horizontal.widen(by: Tuning.PositionFilter.rejectedDistanceShare * distance)
            return
        }
        let gain = horizontal.observe(white: accuracy.horizontalWhite)
        var step = Vector3(gain.position * east, gain.position * north, 0)
        gnssBiasENU += Vector3(gain.gnssBias * east, gain.gnssBias * north, 0)
        if last.altitudeEllipsoidMeters != nil {
            let up = fresh.position.altitudeEllipsoidMeters - position.altitudeEllipsoidMeters - gnssBiasENU.z
            let gain = vertical.observe(white: accuracy.verticalWhite)
            step.z = gain.position * up
            gnssBiasENU.z += gain.gnssBias * up
            hasHeight = true
        }
        move(by: step)
    }

    /// Moves the position, east, north, up, metres.
    private mutating func move(by enu: Vector3) {
        position = position.moved(byENU: enu)
    }

    /// Velocity of a fix, east, north, up, m/s; `nil` where it states none.
    private static func velocity(of fix: GnssFix) -> Vector3? {
        fix.horizontalVelocity.map {
            Vector3($0.eastMetersPerSecond, $0.northMetersPerSecond, fix.climbMetersPerSecond ?? 0)
        }
    }
}
