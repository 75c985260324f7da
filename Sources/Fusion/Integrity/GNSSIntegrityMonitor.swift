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
        guard velocity.speedMetersPerSecond * fix.validityTime.seconds(since: since) > Tuning.GNSSIntegrity.stuckMeters
        else {
            return verdict == .stuck
        }
        if verdict == .trusted { verdict = .stuck }
        return true
    }

    // MARK: Positions against their own velocity

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
        guard seconds > 0, seconds <= Tuning.GNSSIntegrity.longestGap else {
            (count, sum, lastEntry) = (0, .zero, nil)
            return
        }
        settledFactor =
            factor < settledFactor
            ? factor : settledFactor + (factor - settledFactor) * min(seconds / Tuning.GNSSIntegrity.factorSeconds, 1)
        sum += moved - expected
        guard time.seconds(since: lastEntry ?? time.advanced(bySeconds: -1)) >= Tuning.GNSSIntegrity.entrySeconds else {
            return
        }
        // Slow receivers fill in the seconds between.
        let missed = lastEntry.map { max(1, Int((time.seconds(since: $0) + 0.5).rounded(.down))) } ?? 1
        for _ in 0..<min(missed, track.count) { append(sum) }
        lastEntry = time
        judgeDrift(
            limit: max(Tuning.GNSSIntegrity.leastDrift, Tuning.GNSSIntegrity.driftSigmas * sigma * settledFactor),
            at: time)
    }

    // MARK: The end of a veto

    private var contradictedSince: MonotonicTime?
    private var speedOffTime: MonotonicTime?

    /// Takes note of a fix whose speed, not only its direction, is another than the filter's.
    mutating func noteSpeedOff(at time: MonotonicTime) { speedOffTime = time }

    /// Whether the receiver's speed was another than the filter's within the last seconds.
    func wasSpeedOff(at time: MonotonicTime) -> Bool {
        speedOffTime.map { time.seconds(since: $0) < Tuning.GNSSIntegrity.vetoSecondsFilter } ?? false
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
        let limit = wheelsContradict ? Tuning.GNSSIntegrity.vetoSecondsWheels : Tuning.GNSSIntegrity.vetoSecondsFilter
        guard time.seconds(since: since) >= limit else { return false }
        let window = min(Int(Tuning.GNSSIntegrity.vetoSecondsFilter), count - 1)
        guard window > 1 else { return false }
        let strayed = track[count - 1] - track[count - 1 - window]
        let allowed = max(Tuning.GNSSIntegrity.leastDrift, Tuning.GNSSIntegrity.driftSigmas * sigma * settledFactor)
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
        let drifts =
            isDrift(
                over: Tuning.GNSSIntegrity.shortWindow, limit: limit, steadiness: Tuning.GNSSIntegrity.shortSteadiness)
            || isDrift(
                over: Tuning.GNSSIntegrity.mediumWindow, limit: limit, steadiness: Tuning.GNSSIntegrity.mediumSteadiness
            )
            || isDrift(
                over: Tuning.GNSSIntegrity.longWindow, limit: limit, steadiness: Tuning.GNSSIntegrity.longSteadiness)
        if drifts, verdict == .trusted { verdict = .drifting }
        guard verdict == .drifting else { return }
        let lasts = isDrift(
            over: min(Tuning.GNSSIntegrity.shortWindow, count - 1), limit: Tuning.GNSSIntegrity.lastingShare * limit,
            steadiness: Tuning.GNSSIntegrity.lastingSteadiness)
        if drifts || lasts { driftSeen = time }
        if let driftSeen, time.seconds(since: driftSeen) > Tuning.GNSSIntegrity.driftOverSeconds { verdict = .trusted }
    }

    /// Whether the moves of so many seconds sum up to the limit, and go the same way every second.
    private func isDrift(over window: Int, limit: Double, steadiness: Double) -> Bool {
        guard window > 1, count > window else { return false }
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

    private var differing = 0
    private var differingSince: MonotonicTime?
    private var agreeing = 0
    private var agreeingSince: MonotonicTime?

    /// Whether the speed differs, for now or for long.
    var isSpeedDoubted: Bool { differing > 0 || verdict == .contradicted }

    private var agreedSpeedChange = 0.0
    private var lastAgreedSpeed: Double?

    /// Whether filter and receiver have agreed for long enough, through enough changes of speed, for a difference to
    /// mean that one of them has changed.
    var isProven: Bool { agreedSpeedChange > Tuning.GNSSIntegrity.provingSpeedChange }

    /// Takes whether a fix's velocity agrees with the filter's, and whether its speed alone contradicts; wheels that
    /// agree with the filter prove its speed.
    mutating func note(agrees: Bool, speedContradicts: Bool, speed: Double, wheelsTurn: Bool, at time: MonotonicTime) {
        if agrees { agreedSpeedChange += abs(speed - (lastAgreedSpeed ?? speed)) }
        lastAgreedSpeed = agrees ? speed : nil
        if speedContradicts, isProven || wheelsTurn {
            if differing == 0 { differingSince = time }
            (differing, agreeing) = (differing + 1, 0)
            if differing >= Tuning.GNSSIntegrity.contradictions, let differingSince,
                time.seconds(since: differingSince) >= Tuning.GNSSIntegrity.contradictionSeconds,
                verdict == .trusted
            {
                verdict = .contradicted
            }
        } else if agrees {
            if agreeing == 0 { agreeingSince = time }
            (differing, agreeing) = (0, agreeing + 1)
            if verdict == .contradicted, agreeing >= Tuning.GNSSIntegrity.agreements, let agreeingSince,
                time.seconds(since: agreeingSince) >= Tuning.GNSSIntegrity.agreementSeconds
            {
                verdict = .trusted
            }
        } else {
            (differing, agreeing) = (0, 0)
        }
    }
}
