import PoseMath

/// Whether what the IMU feels still fits what the receiver sees, and itself.
///
/// A bias or a scale that jumps cannot be seen in the samples. It shows in three ways: the receiver's velocity leaves
/// the predicted one further and further the same way, where a receiver that lies begins at once; the sideways
/// acceleration in a turn is no longer the speed times the rate of turn; and the wheels, which follow the receiver's
/// velocity, seem to slip more and more to one side.
struct IMUFaultMonitor: Sendable {
    private var settledFrom = MonotonicTime(nanoseconds: .min)
    private var mean = SIMD2<Double>.zero
    private var last = SIMD2<Double>.zero
    private var suddenSince: MonotonicTime?
    private var deviating = 0
    private var lastTime: MonotonicTime?
    private var lateralMean = 0.0
    private var lateralFor = 0.0
    private var slipMean = 0.0
    private var lastSlipTime: MonotonicTime?
    private var restTurns = 0
    private var since: MonotonicTime?

    /// Whether the IMU is in doubt.
    func isDoubted(at time: MonotonicTime) -> Bool {
        since.map { time.seconds(since: $0) < Tuning.IMUFault.doubtSeconds } ?? false
    }

    /// Whether the velocities have begun to deviate step by step, so that one that is refused is not the receiver's
    /// fault.
    var isGrowing: Bool {
        deviating >= Tuning.IMUFault.growingFixes
            && (mean * mean).sum() > Tuning.IMUFault.growingShare * Tuning.IMUFault.largestMean
                * Tuning.IMUFault.largestMean
    }

    /// Takes the normalised innovations of a velocity, east and north; whether the IMU is in doubt from now on.
    /// docs/math.md, eq. 12.6.
    mutating func note(innovation: SIMD2<Double>, at time: MonotonicTime) -> Bool {
        let gap = lastTime.map { time.seconds(since: $0) } ?? .infinity
        lastTime = time
        // What an outage has let drift is taken in by the first fixes after it.
        if gap > Tuning.IMUFault.longestGap { settledFrom = time.advanced(bySeconds: Tuning.IMUFault.settlingSeconds) }
        guard time >= settledFrom else { return false }
        let seconds = max(gap, 0)
        let size = (innovation * innovation).sum().squareRoot()
        let step = innovation - last
        last = innovation
        // Noise makes such a step, too, from one side to the other, and on top of what has grown.
        let least =
            (mean * mean).sum() < Tuning.IMUFault.calmMean * Tuning.IMUFault.calmMean
            ? Tuning.IMUFault.suddenCalm : Tuning.IMUFault.suddenGrown
        if (step * step).sum() > least * least, size > Tuning.IMUFault.suddenSize, suddenSince == nil {
            suddenSince = time
        }
        if let began = suddenSince,
            size < Tuning.IMUFault.deviatingSize || time.seconds(since: began) > Tuning.IMUFault.suddenSeconds
        {
            suddenSince = nil
        }
        let isSudden = suddenSince != nil
        deviating = size > Tuning.IMUFault.deviatingSize && !isSudden ? deviating + 1 : 0
        guard !isSudden, size.isFinite else {
            mean = .zero
            return false
        }
        let limited =
            size > Tuning.IMUFault.largestSize ? innovation * (Tuning.IMUFault.largestSize / size) : innovation
        mean += (limited - mean) * min(Tuning.IMUFault.newestWeight * max(seconds, Tuning.IMUFault.leastSeconds), 1)
        guard deviating >= Tuning.IMUFault.fewestFixes,
            (mean * mean).sum() > Tuning.IMUFault.largestMean * Tuning.IMUFault.largestMean
        else {
            return false
        }
        return raise(at: time)
    }

    /// Takes the sideways acceleration of a stretch, m/s2, and what speed and rate of turn make of it.
    /// docs/math.md, eq. 12.7.
    mutating func note(lateral: Double, expected: Double, seconds: Double, at time: MonotonicTime) -> Bool {
        let slack = Tuning.IMUFault.leastLateral + Tuning.IMUFault.lateralShare * min(abs(lateral), abs(expected))
        // A bump throws the body to both sides in turn; what is left after half a second is not the road's.
        lateralMean += (lateral - expected - lateralMean) * min(seconds / Tuning.IMUFault.lateralSeconds, 1)
        lateralFor = abs(lateralMean) > slack ? lateralFor + seconds : 0
        return lateralFor >= Tuning.IMUFault.lateralLastsSeconds && raise(at: time)
    }

    /// Takes the sideways slip of the wheels over its sigma, while the receiver's velocity is taken.
    /// docs/math.md, eq. 12.10.
    mutating func note(slip: Double, at time: MonotonicTime) -> Bool {
        let seconds = lastSlipTime.map { time.seconds(since: $0) } ?? .infinity
        lastSlipTime = time
        // What lies further apart begins anew; and a velocity that went off at once is the receiver's, and takes the
        // wheels with it.
        if seconds > Tuning.IMUFault.longestSlipGap { slipMean = 0 }
        let isFollowing = lastTime.map { time.seconds(since: $0) < Tuning.IMUFault.longestGap } ?? false
        guard isFollowing, suddenSince == nil, time >= settledFrom, slip.isFinite else {
            slipMean = 0
            return false
        }
        let limited = min(max(slip, -Tuning.IMUFault.largestSlipSigmas), Tuning.IMUFault.largestSlipSigmas)
        slipMean += (limited - slipMean) * min(seconds, Tuning.IMUFault.longestSlipGap) / Tuning.IMUFault.slipSeconds
        return abs(slipMean) > Tuning.IMUFault.largestMeanSlip && raise(at: time)
    }

    /// Takes whether the gyro feels a turn while the body stands.
    mutating func note(turnsAtRest: Bool, at time: MonotonicTime) -> Bool {
        restTurns = turnsAtRest ? restTurns + 1 : 0
        guard restTurns >= Tuning.IMUFault.largestRestTurns else { return false }
        restTurns = 0
        return raise(at: time)
    }

    private mutating func raise(at time: MonotonicTime) -> Bool {
        let isNew = !isDoubted(at: time)
        if isNew { since = time }
        mean = .zero
        deviating = 0
        lateralFor = 0
        slipMean = 0
        return isNew
    }
}

extension NavigationFilter {
    /// Looks whether a receiver's velocity still fits, before it is taken.
    mutating func doubtInertial(east: Component, north: Component) {
        guard profile == .vehicle, receiver.isProven else { return }
        func normalised(_ c: Component) -> Double {
            c.innovation / (covariance.variance(of: c.row) + c.variance).squareRoot()
        }
        if inertial.note(innovation: SIMD2(normalised(east), normalised(north)), at: state.time) { openInertial() }
    }

    /// Looks whether the gyro feels a turn where there is none.
    mutating func doubtRest(turns: Bool) {
        guard profile == .vehicle, receiver.isProven else { return }
        if inertial.note(turnsAtRest: turns, at: state.time) { openInertial() }
    }

    /// Looks whether the wheels seem to slip to one side, before that is taken.
    mutating func doubtSlip(_ lateral: Component) {
        guard receiver.isProven, aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .none else { return }
        let slip = lateral.innovation / (covariance.variance(of: lateral.row) + lateral.variance).squareRoot()
        if inertial.note(slip: slip, at: state.time) { openInertial() }
    }

    /// Looks whether sideways acceleration and turn fit each other.
    mutating func doubtTurn(_ interval: ConstraintInterval) {
        defer { turnedENU = 0 }
        guard profile == .vehicle, receiver.isProven else { return }
        let ahead = state.vehicleToENU.rotate(.unitX)
        guard let level = Vector3(ahead.x, ahead.y, 0).normalized else { return }
        let left = Vector3(-level.y, level.x, 0)
        let speed = state.velocityENU.dot(level)
        if inertial.note(
            lateral: interval.accelerationENU.dot(left), expected: speed * turnedENU / interval.seconds,
            seconds: interval.seconds, at: state.time)
        {
            openInertial()
        }
    }

    /// The gyro's bias, its scale and the attitude are not what they were: they are found anew, without beginning the
    /// filter anew.
    /// docs/math.md, eq. 12.8.
    private mutating func openInertial() {
        inertialDoubts &+= 1
        covariance.addVariance(Tuning.IMUFault.openedGyroBias * Tuning.IMUFault.openedGyroBias, to: .gyroBias)
        covariance.addVariance(Tuning.IMUFault.openedScale * Tuning.IMUFault.openedScale, to: .turnCoupling)
        covariance.addVariance(Tuning.IMUFault.openedTilt * Tuning.IMUFault.openedTilt, to: .attitude.horizontal)
        covariance.addVariance(Tuning.IMUFault.openedHeading * Tuning.IMUFault.openedHeading, to: .attitude.z)
        linearizationNoise = max(linearizationNoise, Tuning.IMUFault.openedDensity * Tuning.IMUFault.openedDensity)
    }
}
