import PoseMath

/// Fault detection of the IMU against the receiver and against itself.
///
/// A jump of a bias or a scale does not show in the samples. It shows in three ways: the receiver's velocity leaves the
/// predicted one step by step in the same direction (a faulty receiver jumps at once); the lateral acceleration in a
/// turn is not the speed times the rate of turn; and the rolling wheels, which follow the receiver's velocity, seem to
/// slip to one side.
struct IMUFaultMonitor: Sendable {
    private var settledFrom = MonotonicTime(nanoseconds: .min)
    private var mean = SIMD2<Double>.zero
    private var last = SIMD2<Double>.zero
    private var suddenSince: MonotonicTime?
    /// Fixes in a row that deviate, five a second at most.
    private var deviating = 0.0
    private var lastTime: MonotonicTime?
    private var lateralMean = 0.0
    private var lateralDeviationSeconds = 0.0
    private var slipMean = 0.0
    private var lastSlipTime: MonotonicTime?
    private var restRotationCount = 0
    private var since: MonotonicTime?

    /// Whether a fault was found a short time ago.
    func isFaultActive(at time: MonotonicTime) -> Bool {
        since.map { time.seconds(since: $0) < Tuning.IMUFault.doubtSeconds } ?? false
    }

    /// Whether the velocities deviate step by step, so that a rejected one is not the receiver's fault.
    var isGrowing: Bool {
        deviating >= Double(Tuning.IMUFault.growingFixes)
            && (mean * mean).sum() > Tuning.IMUFault.growingShare * Tuning.IMUFault.largestMean
                * Tuning.IMUFault.largestMean
    }

    /// Begins again after a gap in the samples: what it has hidden is no fault.
    mutating func restart(after time: MonotonicTime) {
        settle(after: time)
        slipMean = 0
        (lateralMean, lateralDeviationSeconds) = (0, 0)
    }

    /// Pauses the test of the velocities. The first ones after an outage correct its drift, and those before it have
    /// not led there.
    private mutating func settle(after time: MonotonicTime) {
        settledFrom = time.advanced(bySeconds: Tuning.IMUFault.settlingSeconds)
        (mean, deviating) = (.zero, 0)
    }

    /// Updates the test with the normalised innovations of a velocity, east and north; whether a fault begins.
    /// docs/math.md, eq. 12.6.
    mutating func note(innovation: SIMD2<Double>, at time: MonotonicTime) -> Bool {
        let gap = lastTime.map { time.seconds(since: $0) } ?? .infinity
        lastTime = time
        if gap > Tuning.IMUFault.longestGap { settle(after: time) }
        guard time >= settledFrom else { return false }
        let seconds = max(gap, 0)
        let size = (innovation * innovation).sum().squareRoot()
        let step = innovation - last
        last = innovation
        // Noise makes such a step, too, from one side to the other, and added to what has grown.
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
        // A receiver's error lasts: more than five fixes a second tell no more than those.
        let counted = min(seconds / Tuning.IMUFault.fastestSeconds, 1)
        deviating = size > Tuning.IMUFault.deviatingSize && !isSudden ? deviating + counted : 0
        guard !isSudden, size.isFinite else {
            mean = .zero
            return false
        }
        let limited =
            size > Tuning.IMUFault.largestSize ? innovation * (Tuning.IMUFault.largestSize / size) : innovation
        let weight = Tuning.IMUFault.newestWeight * max(seconds, counted * Tuning.IMUFault.leastSeconds)
        mean += (limited - mean) * min(weight, 1)
        guard deviating >= Double(Tuning.IMUFault.fewestFixes),
            (mean * mean).sum() > Tuning.IMUFault.largestMean * Tuning.IMUFault.largestMean
        else {
            return false
        }
        return raise(at: time)
    }

    /// Updates the test with the lateral acceleration of an interval, m/s2, and the product of speed and rate of turn.
    /// docs/math.md, eq. 12.7.
    mutating func note(lateral: Double, expected: Double, seconds: Double, at time: MonotonicTime) -> Bool {
        let slack = Tuning.IMUFault.leastLateral + Tuning.IMUFault.lateralShare * min(abs(lateral), abs(expected))
        // A bump moves the body to both sides in turn: it averages out over half a second.
        lateralMean += (lateral - expected - lateralMean) * min(seconds / Tuning.IMUFault.lateralSeconds, 1)
        lateralDeviationSeconds = abs(lateralMean) > slack ? lateralDeviationSeconds + seconds : 0
        return lateralDeviationSeconds >= Tuning.IMUFault.lateralLastsSeconds && raise(at: time)
    }

    /// Updates the test with the lateral slip of the wheels over its sigma, while the receiver's velocity is fused.
    /// docs/math.md, eq. 12.10.
    mutating func note(slip: Double, at time: MonotonicTime) -> Bool {
        let seconds = lastSlipTime.map { time.seconds(since: $0) } ?? .infinity
        lastSlipTime = time
        // A gap restarts the mean. A velocity that jumps is the receiver's fault, and it takes the wheels with it.
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

    /// Updates the test with a rotation at rest.
    mutating func note(turnsAtRest: Bool, at time: MonotonicTime) -> Bool {
        restRotationCount = turnsAtRest ? restRotationCount + 1 : 0
        guard restRotationCount >= Tuning.IMUFault.largestRestTurns else { return false }
        restRotationCount = 0
        return raise(at: time)
    }

    private mutating func raise(at time: MonotonicTime) -> Bool {
        let isNew = !isFaultActive(at: time)
        if isNew { since = time }
        mean = .zero
        deviating = 0
        lateralDeviationSeconds = 0
        slipMean = 0
        return isNew
    }
}

extension NavigationFilter {
    /// Checks a receiver's velocity before it is fused.
    mutating func checkVelocityInnovation(east: Component, north: Component) {
        guard profile.traits.isFastened, gnssIntegrity.isCrossChecked else { return }
        func normalised(_ c: Component) -> Double {
            c.innovation / (covariance.variance(of: c.row) + c.variance).squareRoot()
        }
        if imuFaults.note(innovation: SIMD2(normalised(east), normalised(north)), at: state.time) { inflateIMUErrors() }
    }

    /// Checks the rotation at rest.
    mutating func checkRestRotation(turns: Bool) {
        guard profile.traits.rollsOnWheels, gnssIntegrity.isCrossChecked else { return }
        if imuFaults.note(turnsAtRest: turns, at: state.time) { inflateIMUErrors() }
    }

    /// Checks the lateral slip of the wheels before it is fused.
    mutating func checkLateralSlip(_ lateral: Component) {
        guard gnssIntegrity.isCrossChecked, !heldCourse.isHeld,
            aids[Int(AidSource.gnssVelocity.rawValue)].rejection == .none
        else {
            return
        }
        // The filter's sigma counts a slip that lasts for longer than it is; here the slip itself is judged.
        let sigma = lateral.variance.squareRoot() - Tuning.Constraints.lateralSigma + Tuning.IMUFault.slipSigma
        let slip = lateral.innovation / (covariance.variance(of: lateral.row) + sigma * sigma).squareRoot()
        if imuFaults.note(slip: slip, at: state.time) { inflateIMUErrors() }
    }

    /// Checks the lateral acceleration against speed and rate of turn.
    mutating func checkLateralAcceleration(_ interval: ConstraintInterval) {
        guard profile.traits.rollsOnWheels, gnssIntegrity.isCrossChecked else { return }
        let ahead = state.vehicleToENU.rotate(.unitX)
        guard let level = Vector3(ahead.x, ahead.y, 0).normalized else { return }
        let left = Vector3(-level.y, level.x, 0)
        let speed = state.velocityENU.dot(level)
        let yawRate = state.sensorToVehicle.rotate(interval.angularRateSensor).z
        if imuFaults.note(
            lateral: interval.accelerationENU.dot(left), expected: speed * yawRate, seconds: interval.seconds,
            at: state.time)
        {
            inflateIMUErrors()
        }
    }

    /// Inflates gyro bias, gyro scale and attitude, which are then estimated again without a restart of the filter.
    /// docs/math.md, eq. 12.8.
    private mutating func inflateIMUErrors() {
        imuFaultCount &+= 1
        addVariance(Tuning.IMUFault.openedGyroBias * Tuning.IMUFault.openedGyroBias, to: .gyroBias)
        addVariance(Tuning.IMUFault.openedScale * Tuning.IMUFault.openedScale, to: .turnCoupling)
        addVariance(Tuning.IMUFault.openedTilt * Tuning.IMUFault.openedTilt, to: .attitude.horizontal)
        addVariance(Tuning.IMUFault.openedHeading * Tuning.IMUFault.openedHeading, to: .attitude.z)
        linearizationNoise = max(linearizationNoise, Tuning.IMUFault.openedDensity * Tuning.IMUFault.openedDensity)
    }
}
