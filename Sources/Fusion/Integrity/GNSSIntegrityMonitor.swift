import Measurements
import PoseMath

/// Verdict on a receiver.
public enum ReceiverVerdict: UInt8, Sendable, CaseIterable {
    /// No fault.
    case trusted = 0
    /// It repeats one position while it states a speed.
    case stuck
    /// Its positions drift away from its own velocity: spoofing, or reflections.
    case drifting
    /// Its speed is not that of IMU and wheels.
    case contradicted
    /// It reports jamming or spoofing.
    case interference
    /// The velocity that it states is not that of its positions, which are used without it.
    case falseVelocity
}

/// Fault detection of a receiver.
///
/// Three tests use the fixes and the filter's velocity alone: a position that stays while the receiver states a speed;
/// positions that drift steadily away from the receiver's velocity; a speed that the body does not have. The heading
/// does not take part in the last one, so that a wrong heading is not attributed to the receiver. `stuck`
/// and `interference` end with their cause, the others when the receiver has been consistent for some seconds.
struct GNSSIntegrityMonitor: Sendable {
    /// Present verdict.
    private(set) var verdict = ReceiverVerdict.trusted

    /// Updates the verdict with the receiver's own report of jamming or spoofing.
    mutating func note(isInterfered: Bool) {
        if isInterfered {
            verdict = .interference
        } else if verdict == .interference {
            verdict = .trusted
        }
    }

    // MARK: A position that stays

    private var repeatedPosition = RepeatedPositionDetector()
    /// The position that it was found to repeat, radians.
    private var repeated: (latitude: Double?, longitude: Double?) = (nil, nil)

    /// Whether the position equals the one before to the last digit, though by its own velocity the receiver has moved
    /// since.
    mutating func isStuck(_ fix: GnssFix) -> Bool {
        switch repeatedPosition.update(fix) {
        case .changed:
            guard verdict == .stuck else { return false }
            // A fix without a velocity, which cannot be compared, may repeat that position as well.
            let isSame = fix.latitudeRadians == repeated.latitude && fix.longitudeRadians == repeated.longitude
            if !isSame { verdict = .trusted }
            return isSame
        case .held:
            return verdict == .stuck
        case .stuck:
            repeated = (fix.latitudeRadians, fix.longitudeRadians)
            if verdict == .trusted { verdict = .stuck }
            return true
        }
    }

    // MARK: Positions against their own velocity

    /// Position by the fixes minus the integral of their velocity, east and north, metres, once a second or, where the
    /// receiver is slower, at each fix, the newest at `count - 1`.
    private var deviations = InlineArray<25, SIMD2<Double>>(repeating: .zero)
    /// Velocity of the receiver at each of them, east and north, m/s; zero where its lag is in the integral.
    private var velocities = InlineArray<25, SIMD2<Double>>(repeating: .zero)
    /// Stated 1-sigma of the position at each of them, metres.
    private var sigmas = InlineArray<25, Double>(repeating: 0)
    private var late = LateVelocity()
    private var count = 0
    private var sum = SIMD2<Double>.zero
    private var lastEntry: MonotonicTime?
    private var driftSeen: MonotonicTime?
    private var settledFactor = 1.0

    /// A velocity whose lag is not a part of its integral.
    struct LateVelocity: Sendable {
        /// The velocity, east and north, m/s.
        var metersPerSecond = SIMD2<Double>.zero
        /// By how much it is older than the position, seconds, and by how much more or less it may be.
        var lagSeconds = 0.0
        var slackSeconds = 0.0
    }

    /// Updates the drift test with the move between two fixes.
    /// docs/math.md, eq. 12.3.
    ///
    /// - Parameters:
    ///   - moved: difference of the two positions, east and north, metres.
    ///   - expected: integral of the receiver's velocity, metres.
    ///   - sigma: as stated, metres; `factor`: on it, from ``GNSSNoiseScaling``.
    ///   - late: the receiver's velocity at the second position, where `expected` leaves its lag out.
    mutating func compare(
        moved: SIMD2<Double>, expected: SIMD2<Double>, seconds: Double, sigma: Double, factor: Double,
        late: LateVelocity = LateVelocity(), at time: MonotonicTime
    ) {
        guard seconds > 0, seconds <= Tuning.GNSSIntegrity.longestGap else {
            (count, sum, lastEntry) = (0, .zero, nil)
            return
        }
        settledFactor =
            factor < settledFactor
            ? factor : settledFactor + (factor - settledFactor) * min(seconds / Tuning.GNSSIntegrity.factorSeconds, 1)
        sum += moved - expected
        self.late = late
        guard time.seconds(since: lastEntry ?? time.advanced(bySeconds: -1)) >= Tuning.GNSSIntegrity.entrySeconds else {
            return
        }
        append(sum, sigma: sigma)
        lastEntry = time
        judgeDrift(at: time)
    }

    /// Way beside the integral of the velocity from which positions of a 1-sigma, metres, have drifted, metres.
    private func limit(sigma: Double) -> Double {
        max(Tuning.GNSSIntegrity.leastDrift, Tuning.GNSSIntegrity.driftSigmas * sigma * settledFactor)
    }

    // MARK: The end of a veto

    /// For how long a veto by the filter has lasted, seconds, and the time of its newest fix.
    private var veto: (seconds: Double, newest: MonotonicTime)?

    /// Updates the duration of a veto by the filter with one more fix; whether it is the filter that is wrong.
    ///
    /// The veto ends soon, if the positions follow the receiver's own velocity: wheels do not prolong it, because a
    /// wrong wheel reading must not override fixes. Positions that do not follow it are never accepted that way. A gap
    /// counts little: no fix tells of it. A receiver that agrees again has been wrong itself.
    /// docs/math.md, eq. 12.11.
    ///
    /// - Parameters:
    ///   - sigma: of the position, as stated, metres.
    mutating func refutesFilter(sigma: Double, at time: MonotonicTime) -> Bool {
        guard verdict == .contradicted else {
            veto = nil
            return false
        }
        let interval = veto.map { max(time.seconds(since: $0.newest), 0) } ?? 0
        let elapsed = (veto?.seconds ?? 0) + min(interval, 0.5 * Tuning.GNSSIntegrity.uncomparedVetoSeconds)
        veto = (elapsed, time)
        if let agreedAt, time.seconds(since: agreedAt) < Tuning.GNSSIntegrity.uncomparedVetoSeconds { return false }
        guard let strayed = strayed(over: Int(Tuning.GNSSIntegrity.vetoSeconds), at: time) else {
            return elapsed >= Tuning.GNSSIntegrity.uncomparedVetoSeconds
        }
        let allowed = limit(sigma: sigma)
        return elapsed >= Tuning.GNSSIntegrity.vetoSeconds && (strayed * strayed).sum() < allowed * allowed
    }

    /// Way of the positions beside the integral of their velocity over the last seconds, east and north, metres; `nil`
    /// where they cannot be compared: the fixes are rare, or state no velocity.
    private func strayed(over seconds: Int, at time: MonotonicTime) -> SIMD2<Double>? {
        let window = min(seconds, count - 1)
        guard window > 1, let lastEntry, time.seconds(since: lastEntry) <= Tuning.GNSSIntegrity.longestGap else {
            return nil
        }
        return deviations[count - 1] - deviations[count - 1 - window]
    }

    private mutating func append(_ entry: SIMD2<Double>, sigma: Double) {
        if count == deviations.count {
            for k in 1..<count {
                (deviations[k - 1], velocities[k - 1], sigmas[k - 1]) = (deviations[k], velocities[k], sigmas[k])
            }
            count -= 1
        }
        (deviations[count], velocities[count], sigmas[count]) = (entry, late.metersPerSecond, sigma)
        count += 1
    }

    private mutating func judgeDrift(at time: MonotonicTime) {
        let drifts =
            isDrift(over: Tuning.GNSSIntegrity.shortWindow, steadiness: Tuning.GNSSIntegrity.shortSteadiness)
            || isDrift(over: Tuning.GNSSIntegrity.mediumWindow, steadiness: Tuning.GNSSIntegrity.mediumSteadiness)
            || isDrift(over: Tuning.GNSSIntegrity.longWindow, steadiness: Tuning.GNSSIntegrity.longSteadiness)
        if drifts, verdict == .trusted { verdict = .drifting }
        guard verdict == .drifting else { return }
        let lasts = isDrift(
            over: min(Tuning.GNSSIntegrity.shortWindow, count - 1),
            steadiness: Tuning.GNSSIntegrity.lastingSteadiness, share: Tuning.GNSSIntegrity.lastingShare)
        if drifts || lasts { driftSeen = time }
    }

    /// Ends the verdict of a drift that has not been seen for some seconds. For every fix: rare fixes, and those
    /// without a velocity, are not compared.
    mutating func endDrift(at time: MonotonicTime) {
        guard verdict == .drifting, let driftSeen else { return }
        if time.seconds(since: driftSeen) > Tuning.GNSSIntegrity.driftOverSeconds { verdict = .trusted }
    }

    /// A deviation without what the velocity's lag makes of its change. The lag may have been found since.
    private func deviation(_ index: Int) -> SIMD2<Double> { deviations[index] - velocities[index] * late.lagSeconds }

    /// Whether the moves of a window sum up to a share of the limit, and have the same direction each second. The limit
    /// is that of the worse end: positions that come back from poor ones are no drift.
    private func isDrift(over window: Int, steadiness: Double, share: Double = 1) -> Bool {
        guard window > 1, count > window else { return false }
        let start = count - 1 - window
        let limit = share * limit(sigma: max(sigmas[start], sigmas[count - 1]))
        let whole = deviation(count - 1) - deviation(start)
        let unseen = (velocities[count - 1] - velocities[start]) * late.slackSeconds
        guard (whole * whole).sum() > limit * limit + (unseen * unseen).sum() else { return false }
        let mean = whole / Double(window)
        var scatter = 0.0
        for k in start..<(count - 1) {
            let beside = deviation(k + 1) - deviation(k) - mean
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
    /// Time of the newest velocity, where that has agreed.
    private var agreedAt: MonotonicTime?

    /// Whether the speed differs at present, or has been found wrong.
    var isSpeedSuspect: Bool { differing > 0 || verdict == .contradicted }

    private var agreedSpeedChange = 0.0
    private var lastAgreedSpeed: Double?

    /// Whether filter and receiver have agreed through enough changes of speed, so that a difference means that one of
    /// them has changed.
    var isCrossChecked: Bool { agreedSpeedChange > Tuning.GNSSIntegrity.provingSpeedChange }

    /// Updates the speed test: whether the velocity agrees with the filter's, and whether the speed alone contradicts
    /// it. Wheels that agree with the filter prove its speed. Velocities before and after a silence of the receiver are
    /// not in a row.
    mutating func note(
        agrees: Bool, speedContradicts: Bool, speed: Double, wheelsTurn: Bool, isAfterSilence: Bool = false,
        at time: MonotonicTime
    ) {
        if isAfterSilence { (differing, agreeing) = (0, 0) }
        if agrees { agreedSpeedChange += abs(speed - (lastAgreedSpeed ?? speed)) }
        lastAgreedSpeed = agrees ? speed : nil
        agreedAt = agrees ? time : nil
        if speedContradicts, isCrossChecked || wheelsTurn {
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
