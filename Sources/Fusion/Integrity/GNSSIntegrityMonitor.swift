import Measurements
import PoseMath

/// What a receiver was caught at.
public enum ReceiverVerdict: UInt8, Sendable, CaseIterable {
    /// Nothing: it is believed.
    case trusted = 0
    /// It repeats one position while it says that it moves.
    case stuck
    /// Its positions go elsewhere than its own velocity: they are being dragged off, or reflected.
    case drifting
    /// Its speed is another than the body's own, felt by the accelerometer and counted by the wheels.
    case contradicted
    /// It says itself that it is jammed or spoofed.
    case interference
}

/// Watches a receiver for what no honest one does, and says when it is not to be believed.
///
/// Each of three tests needs no more than the fixes and the filter's own velocity: a position that stays while the
/// receiver moves; positions that drift steadily away from the receiver's own velocity; a speed that the body does not
/// have. The heading plays no part in the last, so that a wrong heading is not blamed on the receiver. A verdict ends
/// when the receiver has been in order for some seconds.
struct GNSSIntegrityMonitor: Sendable {
    /// What the receiver does now.
    private(set) var verdict = ReceiverVerdict.trusted

    /// Takes whether the receiver says itself that it is jammed or spoofed.
    mutating func note(isInterfered: Bool) {
        if isInterfered {
            verdict = .interference
        } else if verdict == .interference {
            verdict = .trusted
        }
    }

    // MARK: A position that stays

    /// Way by the receiver's own velocity after which its position must have changed, metres.
    private static let stuckMeters = 1.0
    private var latitude: Double?
    private var longitude: Double?
    private var heldSince: MonotonicTime?

    /// Whether the position is the one before to the last digit, though the receiver has moved by more than a metre
    /// since by its own word.
    mutating func isStuck(_ fix: GnssFix) -> Bool {
        let isSame = fix.latitudeRadians == latitude && fix.longitudeRadians == longitude
        guard isSame, let since = heldSince, let velocity = fix.horizontalVelocity else {
            (latitude, longitude, heldSince) = (fix.latitudeRadians, fix.longitudeRadians, fix.validityTime)
            if verdict == .stuck { verdict = .trusted }
            return false
        }
        guard velocity.speedMetersPerSecond * fix.validityTime.seconds(since: since) > Self.stuckMeters else {
            return verdict == .stuck
        }
        if verdict == .trusted { verdict = .stuck }
        return true
    }

    // MARK: Positions against their own velocity

    /// Least drift, metres, and drift in stated sigmas, the receiver's trust in them.
    private static let (leastDrift, driftSigmas) = (12.0, 6.0)
    /// Windows over which a drift is looked for, seconds, and how steady it is at least: its mean in standard errors of
    /// the moves from second to second. A jump has 1, a wandering error seldom 3; the fewer the seconds, the more by
    /// chance.
    private static let windows: [(seconds: Int, steadiness: Double)] = [(6, 7), (12, 6), (24, 5)]
    /// How steady, and how large a part of the limit, a drift is that has been caught and goes on.
    private static let (lastingSteadiness, lastingPart) = (4.0, 0.3)
    /// How long a drift must be over before positions are taken again, seconds.
    private static let driftOverSeconds = 6.0
    /// Fixes further apart are not compared, seconds.
    private static let longestGap = 2.5
    /// How slowly the trust in the stated sigma follows a rise, seconds: a drift must not make itself believed.
    private static let factorSeconds = 30.0

    /// Place by the fixes less the way by their velocity, east and north, metres, once a second, the newest at `count -
    /// 1`.
    private var track = InlineArray<25, SIMD2<Double>>(repeating: .zero)
    private var count = 0
    private var sum = SIMD2<Double>.zero
    private var lastEntry: MonotonicTime?
    private var driftSeen: MonotonicTime?
    private var settledFactor = 1.0

    /// Takes a position's move since the fix before, and the velocities at both.
    /// docs/math.md, eq. 12.3.
    ///
    /// - Parameters:
    ///   - moved: from the fix before, east and north, metres.
    ///   - expected: the way by the receiver's velocity, metres.
    ///   - sigma: as stated, metres; `factor`: the receiver's trust.
    mutating func compare(
        moved: SIMD2<Double>, expected: SIMD2<Double>, seconds: Double, sigma: Double, factor: Double,
        at time: MonotonicTime
    ) {
        guard seconds > 0, seconds <= Self.longestGap else {
            (count, sum, lastEntry) = (0, .zero, nil)
            return
        }
        settledFactor =
            factor < settledFactor
            ? factor : settledFactor + (factor - settledFactor) * min(seconds / Self.factorSeconds, 1)
        sum += moved - expected
        guard time.seconds(since: lastEntry ?? time.advanced(bySeconds: -1)) >= 0.99 else { return }
        // Slow receivers fill in the seconds between.
        let missed = lastEntry.map { max(1, Int((time.seconds(since: $0) + 0.5).rounded(.down))) } ?? 1
        for _ in 0..<min(missed, track.count) { append(sum) }
        lastEntry = time
        judgeDrift(limit: max(Self.leastDrift, Self.driftSigmas * sigma * settledFactor), at: time)
    }

    // MARK: The end of a veto

    /// Longest time for which the filter alone contradicts a receiver that agrees with itself, and for which wheels do
    /// whose speed is the filter's and not the receiver's, seconds.
    static let longestVetoSeconds = (filter: 4.0, wheels: 90.0)
    private var contradictedSince: MonotonicTime?
    private var speedOffTime: MonotonicTime?

    /// Takes note of a fix whose speed, not only its direction, is another than the filter's.
    mutating func noteSpeedOff(at time: MonotonicTime) { speedOffTime = time }

    /// Whether the receiver's speed was another than the filter's within the last seconds.
    func wasSpeedOff(at time: MonotonicTime) -> Bool {
        speedOffTime.map { time.seconds(since: $0) < Self.longestVetoSeconds.filter } ?? false
    }

    /// Takes one more fix of a receiver that the filter contradicts: whether it is the filter that is wrong.
    ///
    /// The filter's word against the receiver's ends soon. Positions that go where the receiver's own velocity goes are
    /// then believed; those that go elsewhere are not, however long that lasts.
    /// docs/math.md, eq. 12.11.
    ///
    /// - Parameters:
    ///   - sigma: of the position, as stated, metres.
    ///   - wheelsContradict: whether wheels agree with the filter's speed and contradict the receiver's.
    mutating func refutesFilter(sigma: Double, wheelsContradict: Bool, at time: MonotonicTime) -> Bool {
        guard verdict == .contradicted else {
            contradictedSince = nil
            return false
        }
        let since = contradictedSince ?? time
        contradictedSince = since
        let limit = wheelsContradict ? Self.longestVetoSeconds.wheels : Self.longestVetoSeconds.filter
        guard time.seconds(since: since) >= limit else { return false }
        let window = min(Int(Self.longestVetoSeconds.filter), count - 1)
        guard window > 1 else { return false }
        let strayed = track[count - 1] - track[count - 1 - window]
        let allowed = max(Self.leastDrift, Self.driftSigmas * sigma * settledFactor)
        return (strayed * strayed).sum() < allowed * allowed
    }

    private mutating func append(_ entry: SIMD2<Double>) {
        if count == track.count {
            for k in 1..<count { track[k - 1] = track[k] }
            count -= 1
        }
        track[count] = entry
        count += 1
    }

    private mutating func judgeDrift(limit: Double, at time: MonotonicTime) {
        var drifts = false
        for window in Self.windows where count > window.seconds {
            drifts = drifts || isDrift(over: window.seconds, limit: limit, steadiness: window.steadiness)
        }
        if drifts, verdict == .trusted { verdict = .drifting }
        guard verdict == .drifting else { return }
        let lasts = isDrift(
            over: min(Self.windows[0].seconds, count - 1), limit: Self.lastingPart * limit,
            steadiness: Self.lastingSteadiness)
        if drifts || lasts { driftSeen = time }
        if let driftSeen, time.seconds(since: driftSeen) > Self.driftOverSeconds { verdict = .trusted }
    }

    /// Whether the moves of so many seconds sum up to the limit, and go the same way every second.
    private func isDrift(over window: Int, limit: Double, steadiness: Double) -> Bool {
        guard window > 1 else { return false }
        let start = count - 1 - window
        let whole = track[count - 1] - track[start]
        guard (whole * whole).sum() > limit * limit else { return false }
        let mean = whole / Double(window)
        var scatter = 0.0
        for k in start..<(count - 1) {
            let beside = track[k + 1] - track[k] - mean
            scatter += (beside * beside).sum()
        }
        let error = scatter / Double((window - 1) * window)
        return (mean * mean).sum() > steadiness * steadiness * error
    }

    // MARK: Speed against the body's own

    /// Fixes and seconds for which the speed must differ, and must agree again before the receiver is believed.
    private static let (contradictions, contradictionSeconds) = (3, 2.0)
    private static let (agreements, agreementSeconds) = (5, 4.0)
    private var differing = 0
    private var differingSince: MonotonicTime?
    private var agreeing = 0
    private var agreeingSince: MonotonicTime?

    /// Whether the speed differs, for now or for long.
    var isSpeedDoubted: Bool { differing > 0 || verdict == .contradicted }

    /// Changes of speed that filter and receiver must have agreed upon before either is blamed for a difference, m/s:
    /// what has only rolled along may have its axes wrong.
    private static let provingSpeedChange = 5.0
    private var agreedSpeedChange = 0.0
    private var lastAgreedSpeed: Double?

    /// Whether filter and receiver have agreed for long enough, through enough changes of speed, for a difference to
    /// mean that one of them has changed.
    var isProven: Bool { agreedSpeedChange > Self.provingSpeedChange }

    /// Takes whether a fix's velocity agrees with the filter's, and whether its speed alone contradicts; wheels that
    /// agree with the filter prove its speed.
    mutating func note(agrees: Bool, speedContradicts: Bool, speed: Double, wheelsTurn: Bool, at time: MonotonicTime) {
        if agrees { agreedSpeedChange += abs(speed - (lastAgreedSpeed ?? speed)) }
        lastAgreedSpeed = agrees ? speed : nil
        if speedContradicts, isProven || wheelsTurn {
            if differing == 0 { differingSince = time }
            (differing, agreeing) = (differing + 1, 0)
            if differing >= Self.contradictions, let differingSince,
                time.seconds(since: differingSince) >= Self.contradictionSeconds,
                verdict == .trusted
            {
                verdict = .contradicted
            }
        } else if agrees {
            if agreeing == 0 { agreeingSince = time }
            (differing, agreeing) = (0, agreeing + 1)
            if verdict == .contradicted, agreeing >= Self.agreements, let agreeingSince,
                time.seconds(since: agreeingSince) >= Self.agreementSeconds
            {
                verdict = .trusted
            }
        } else {
            (differing, agreeing) = (0, 0)
        }
    }
}
