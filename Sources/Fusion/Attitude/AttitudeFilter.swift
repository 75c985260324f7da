import Glibc
import Measurements
import PoseMath

/// Attitude without satellites: the gyro predicts it, gravity corrects roll and pitch, the magnetometer (if there is
/// one) gives north.
///
/// A Kalman filter on the errors of attitude, velocity, gyro bias, scale and cross terms, accelerometer bias and
/// gravity. The tilt is observable because the body stays near its place: the integrated velocity is zero on average,
/// over a time that depends on the profile, and zero at rest. Biases and scale are observable in the same way, at rest
/// and in motion. Each sample is integrated; the covariance is updated ten times a second.
///
/// Magnetic north is estimated separately, in the level frame, so that a disturbed magnetometer cannot change roll,
/// pitch or the gyro biases.
struct AttitudeFilter: Sendable {
    /// 1-sigma of the body's velocity on each axis, m/s, and its correlation time, seconds.
    let velocitySigma: Double
    let velocitySeconds: Double
    /// Sensor axes to a frame that is level but turned by an arbitrary, slowly drifting angle from east-north-up; up to
    /// the last sample.
    var attitude = Quaternion.identity
    /// Velocity in the level frame as the specific force adds it up, held near zero, m/s.
    var velocity = Vector3.zero
    /// Gyro bias, sensor axes, rad/s.
    var gyroBias = Vector3.zero
    /// 1-sigma of the biases at the start, sensor axes, rad/s and m/s2.
    private var startingSigma = StartingSigma()
    /// Gyro scale error, each axis: measured over true, minus one.
    var gyroScale = Vector3.zero
    /// What each gyro axis measures of the turns about the other two.
    var gyroCross = GyroCrossTerms()
    /// Accelerometer bias, sensor axes, m/s2.
    var accelerometerBias = Vector3.zero
    /// Whether it comes from an earlier drive.
    var hasKeptAccelerometerBias = false
    /// Gravity as this sensor sees it, above the standard one, m/s2.
    var gravityExcess = 0.0
    /// Covariance of the errors of all that.
    var covariance = Matrix<22, 22>()
    /// The samples since the last step.
    var interval = InertialInterval()
    /// Magnetic north, and the calibration of the magnetometer.
    var magnetometer: MagnetometerCalibration
    /// What gaps and the ends of the ranges have hidden since the last step.
    var unseen = UnseenMotion()
    /// What readings at the end of the gyro's range hide at present, beside the covariance: variances of the tilt and
    /// of the turn about the vertical, rad2.
    private var openTilt = 0.0
    private var openTurn = 0.0
    /// The same of the turn about the vertical since it was last asked for, rad2; see ``takeUnseenTurn()``.
    private var unseenTurn = 0.0
    /// Mean squared velocity over the expected one: above 1 on a faster carrier than the profile assumes (a hand in a
    /// car).
    var velocityRatio = 1.0
    /// Speed of the receiver and the largest that the body can have by it, m/s, and until when both are known.
    private var receiverSpeed = (
        stated: 0.0, largest: Tuning.Attitude.largestSpeed, until: MonotonicTime(nanoseconds: .min)
    )
    /// Whether the steps of a person go on.
    private var isWalking = false
    /// Number of times that the search for the level was begun anew.
    private(set) var restartCount = 0
    /// Results.
    private(set) var findings = Findings()
    /// Duration of the samples so far, seconds.
    private(set) var runSeconds = 0.0
    /// Whether the covariance has been initialised.
    private(set) var isRunning = false

    /// Whether the sensor is fastened to a rigid body of some mass, and not to a limb.
    var isFastened: Bool { profile.traits.isFastened }
    /// Whether turns against the magnetic field show the gyro's scale and cross terms: a hand turns about every axis.
    var learnsFromField: Bool { !isFastened }
    /// Whether the turn of the level frame is that since the first reading of the magnetometer.
    var isYawHeld = false

    private var hasSample = false
    private var lastTime = MonotonicTime(nanoseconds: 0)
    private var rate = Vector3.zero
    private var meanRate = Vector3.zero
    private let profile: MotionProfile
    private var sampleSeconds = 0.01
    private var start = AttitudeStart()

    /// A filter without samples.
    init(profile: MotionProfile = .wearable) {
        self.profile = profile
        magnetometer = MagnetometerCalibration(isFastened: profile.traits.isFastened)
        (velocitySigma, velocitySeconds) =
            profile.traits.isFastened
            ? (Tuning.Attitude.velocitySigmaVehicle, Tuning.Attitude.velocitySecondsVehicle)
            : (Tuning.Attitude.velocitySigmaWearable, Tuning.Attitude.velocitySecondsWearable)
    }

    /// Updates with a sample; `still` and the mean rate of turn come from a ``StillnessDetector`` with the same
    /// samples.
    /// docs/math.md, eq. 8.1.
    ///
    /// - Parameters:
    ///   - quietSeconds: for how long the body has been still, seconds.
    ///   - restNoise: density of the noise of the mean rate of turn beyond that of samples that come evenly, sensor
    ///     axes, (rad/s)2/Hz.
    ///   - saturated: what lies beyond the ends of the sensor's ranges.
    ///   - isWalking: whether the motion shows a gait.
    mutating func update(
        _ sample: InertialSample, still: Bool, meanAngularRate: Vector3, quietSeconds: Double = 0,
        restNoise: Vector3 = .zero, saturated: SaturatedMotion = SaturatedMotion(), isWalking: Bool = false
    ) {
        self.isWalking = isWalking
        guard hasSample else {
            hasSample = true
            lastTime = sample.time
            return
        }
        let elapsed = sample.time.seconds(since: lastTime)
        guard elapsed > 0 else { return }
        defer { findings.sensorToLevel = nowLevel() }
        let dt = min(elapsed, Tuning.Attitude.longestStepSeconds)
        note(elapsed, until: sample.time)
        rate = sample.angularRateRadiansPerSecond - gyroBias
        rate -= rate * gyroScale + gyroCross.error(of: rate)
        if elapsed > Tuning.Gap.bridgedSeconds, profile.traits.rollsOnWheels, isRunning {
            return crossGap(seconds: elapsed)
        }
        if elapsed > Tuning.Attitude.gapSeconds { noteUnseenTurn(seconds: elapsed) }
        meanRate += (rate - meanRate) * min(elapsed / Tuning.Gap.meanSeconds, 1)
        // A sample is the mean since the one before: it is the turn since then.
        attitude = attitude * Quaternion(rotationVector: rate * dt + saturated.turn)
        attitude.normalize()
        note(saturated)
        if elapsed > Tuning.Attitude.longestStepSeconds, !profile.traits.rollsOnWheels {
            return restartLevelAfterGap()
        }
        let force = sample.specificForceMetersPerSecondSquared
        guard isRunning else { return begin(force, dt, still: still) }
        if still, isBias(meanAngularRate: meanAngularRate, force: force, quietSeconds: quietSeconds) {
            return restart(withGyroBias: meanAngularRate)
        }
        interval.add(axes: SensorAxes(attitude), force: force, rate: rate, seconds: dt)
        if interval.seconds >= Tuning.Attitude.stepSeconds - 1e-4 {
            step(
                still: still && mayRest(meanAngularRate: meanAngularRate), meanAngularRate: meanAngularRate,
                restNoise: restNoise)
            if isRunning { noteFindings() }
        }
    }

    /// Whether a mean rate of turn may be that of a body at rest: what is known of the gyro is taken off.
    private func mayRest(meanAngularRate: Vector3) -> Bool {
        let isKnown = findings.gyroBiasSigma < Tuning.Attitude.knownBiasSigma
        return (isKnown ? meanAngularRate - gyroBias : meanAngularRate).length < Tuning.Attitude.largestRestRate
    }

    /// Whether the mean rate of turn of a still body is the bias of one of the worst gyros: a still force shows no turn
    /// about the level axes, and no body turns that evenly about the vertical for so long.
    /// docs/math.md, eq. 8.7.
    ///
    /// - Parameter force: specific force, sensor axes, m/s2.
    private func isBias(meanAngularRate rate: Vector3, force: Vector3, quietSeconds: Double) -> Bool {
        let known = Tuning.Attitude.knownBiasSigma * Tuning.Attitude.knownBiasSigma
        guard !mayRest(meanAngularRate: rate), (6..<9).contains(where: { covariance[$0, $0] > known }),
            max(abs(rate.x), abs(rate.y), abs(rate.z)) < Tuning.SensorPrior.largestGyroBias, let up = force.normalized
        else { return false }
        return abs(rate.dot(up)) < Tuning.Attitude.largestRestRate
            || quietSeconds > Tuning.Attitude.longRestSeconds
    }

    /// Begins the search for the level anew with the gyro bias that a rest has shown: the level was turned by it.
    private mutating func restart(withGyroBias bias: Vector3) {
        restartLevel()
        gyroBias = bias
        startingSigma.gyroBias = Vector3(repeating: Tuning.Attitude.restRate)
    }

    /// Takes the speed of the receiver and its 1-sigma, m/s, at an instant.
    mutating func note(speed: Double, sigma: Double, at time: MonotonicTime) {
        let largest = speed + Tuning.Attitude.speedGate * sigma + Tuning.Attitude.speedAllowance
        receiverSpeed = (
            speed, min(largest, Tuning.Attitude.largestSpeed), time.advanced(bySeconds: Tuning.Output.courseSeconds)
        )
    }

    /// Speed at which a person goes or is carried, m/s: the receiver's, that of the last fix while steps go on. Steps
    /// alone do not count: a hand that shakes the sensor looks like them. Zero where the sensor is fastened.
    /// docs/math.md, eq. 8.8.
    var waySpeed: Double {
        !isFastened && (lastTime < receiverSpeed.until || isWalking) ? receiverSpeed.stated : 0
    }

    /// Largest speed that the body can have, m/s.
    var largestSpeed: Double {
        lastTime < receiverSpeed.until ? receiverSpeed.largest : Tuning.Attitude.largestSpeed
    }

    /// Begins the search for the level anew where the level was wrong. The bias of the gyro stays as a first guess, as
    /// unsure as that of any sensor: the wrong level may have taught it.
    mutating func restartLevel() {
        (accelerometerBias, gravityExcess) = (.zero, 0)
        startingSigma = StartingSigma()
        hasKeptAccelerometerBias = false
        limitTilt(.infinity)
        // The frame of the level that is found next is another one.
        unseen.turnVariance += Tuning.Attitude.initialHeadingVariance
        magnetometer.noteHiddenTurn(variance: Tuning.Attitude.initialHeadingVariance)
        forgetLevel()
    }

    /// Begins the search for the level anew after a gap that may have hidden a larger turn than a linear error holds.
    /// What is known of the sensor stays.
    /// docs/math.md, eq. 8.6.
    private mutating func restartLevelAfterGap() {
        if isRunning {
            startingSigma.gyroBias = Vector3(covariance[6, 6], covariance[7, 7], covariance[8, 8]).squareRoot()
            startingSigma.accelerometerBias =
                Vector3(covariance[9, 9], covariance[10, 10], covariance[11, 11]).squareRoot()
            // The bias is known before the level is.
            if findings.isBiasKnown { limitTilt(Tuning.SensorPrior.foundTilt) }
        }
        forgetLevel()
    }

    /// Forgets the level, and all that was found with it. Until the covariance runs again, nothing counts as known.
    private mutating func forgetLevel() {
        (isRunning, isYawHeld, runSeconds, velocityRatio) = (false, false, 0, 1)
        (start, velocity) = (AttitudeStart(), .zero)
        interval = InertialInterval()
        (unseen.tiltVariance, unseen.velocityVariance, unseenTurn) = (0, 0, 0)
        covariance = Matrix()
        let unknown = Findings()
        (findings.tiltSigma, findings.gyroBiasSigmas) = (unknown.tiltSigma, unknown.gyroBiasSigmas)
        (findings.levelToMagnetic, findings.magneticHeadingSigma) = (nil, unknown.magneticHeadingSigma)
        restartCount += 1
    }

    /// Sets the largest sigma of roll and pitch of a level that counts as found.
    mutating func limitTilt(_ sigma: Double) { findings.largestTiltSigma = sigma }

    /// Takes the biases of an earlier drive as the first guess.
    mutating func begin(with prior: SensorPrior) {
        if let kept = prior.gyroBias {
            (gyroBias, startingSigma.gyroBias) = (kept.radiansPerSecond, kept.sigmaRadiansPerSecond)
            limitTilt(Tuning.SensorPrior.foundTilt)
        }
        if let kept = prior.accelerometerBias {
            accelerometerBias = kept.metersPerSecondSquared
            startingSigma.accelerometerBias = kept.sigmaMetersPerSecondSquared
            hasKeptAccelerometerBias = true
        }
    }

    private mutating func note(_ elapsed: Double, until time: MonotonicTime) {
        lastTime = time
        runSeconds += elapsed
        sampleSeconds +=
            (min(elapsed, Tuning.Attitude.longestSampleSeconds) - sampleSeconds) * Tuning.Attitude.sampleSecondsGain
    }

    /// Adds what the ends of the ranges have hidden: to the velocity, and to the variances. The turn has been added.
    /// docs/math.md, eq. 12.14.
    private mutating func note(_ saturated: SaturatedMotion) {
        let wasOpen = openTilt + openTurn > 0
        let turn = attitude.rotate(saturated.openTurnSigma)
        (openTilt, openTurn) = ((turn.x * turn.x + turn.y * turn.y) / 2, turn.z * turn.z)
        if isRunning, wasOpen || openTilt + openTurn > 0 { noteFindings() }
        let share = Tuning.StuckClip.hiddenShare
        if saturated.turn != .zero {
            let turn = attitude.rotate(saturated.turn) * share
            unseen.tiltVariance += (turn.x * turn.x + turn.y * turn.y) / 2
            unseen.turnVariance += turn.z * turn.z
            unseenTurn += turn.z * turn.z
            magnetometer.noteHiddenTurn(variance: turn.z * turn.z)
        }
        if saturated.velocity != .zero {
            velocity += attitude.rotate(saturated.velocity)
            unseen.velocityVariance += share * share * saturated.velocity.lengthSquared
        }
    }

    /// Adds the turn that a short gap may hide.
    private mutating func noteUnseenTurn(seconds: Double) {
        let turn = Tuning.Attitude.unseenRate * Tuning.Attitude.unseenRate * seconds * seconds
        unseen.tiltVariance += turn
        unseen.turnVariance += turn
        unseenTurn += turn
        magnetometer.noteHiddenTurn(variance: turn)
    }

    /// Crosses a gap in the samples of a vehicle: it turns about the vertical by the mean of the rates before and
    /// after, and neither rolls nor pitches.
    /// docs/math.md, eq. 8.6.
    private mutating func crossGap(seconds: Double) {
        let up = attitude.inverse.rotate(.unitZ)
        let (before, after) = (up.dot(meanRate), up.dot(rate))
        attitude = attitude * Quaternion(rotationVector: up * (0.5 * (before + after) * seconds))
        attitude.normalize()
        let turning = max(before * before, after * after)
        let walk =
            Tuning.Gap.yawWalkShare * Tuning.Gap.yawWalkShare
            * (turning + Tuning.Gap.unseenRate * Tuning.Gap.unseenRate)
        let turn = walk * seconds * seconds * seconds / 12
        unseen.turnVariance += turn
        unseenTurn += turn
        unseen.tiltVariance += Tuning.Gap.tiltWalk * Tuning.Gap.tiltWalk * seconds
        unseen.velocityVariance +=
            Tuning.Gap.usualAccelerationWalk * Tuning.Gap.usualAccelerationWalk * seconds * seconds * seconds / 3
        meanRate = rate
    }

    /// Variance of the turn of the level frame about the vertical that gaps and the ends of the ranges have hidden
    /// since the last call, rad2.
    mutating func takeUnseenTurn() -> Double {
        defer { unseenTurn = 0 }
        return unseenTurn
    }

    /// What gaps in the samples have hidden: variances.
    struct UnseenMotion: Sendable {
        /// Of roll and pitch, rad2.
        var tiltVariance = 0.0
        /// Of the turn about the vertical, rad2.
        var turnVariance = 0.0
        /// Of the velocity on each axis, m2/s2.
        var velocityVariance = 0.0
    }

    /// Updates with a magnetic field, sensor axes, tesla.
    mutating func update(magneticField: Vector3) {
        guard isRunning, magneticField.isFinite else { return }
        magnetometer.add(magneticField, axes: SensorAxes(attitude), rate: rate)
    }

    /// Before the covariance is initialised, gravity is the mean of the specific force: over seconds while the body
    /// moves.
    /// docs/math.md, eq. 8.2.
    private mutating func begin(_ force: Vector3, _ dt: Double, still: Bool) {
        let toUp = start.add(force - accelerometerBias, rate: rate + gyroBias, attitude: attitude, seconds: dt)
        guard let toUp else { return }
        attitude = (toUp * attitude).normalized
        guard runSeconds > (still ? Tuning.Attitude.startRestSeconds : Tuning.Attitude.startMovingSeconds) else {
            return
        }
        isRunning = true
        if !still, isFastened, startingSigma == StartingSigma(), let shown = start.bias { take(shown) }
        let tilt = still ? Tuning.Attitude.restingTilt : Tuning.Attitude.movingTilt
        covariance.addVariance(of: tilt, at: Part.attitude)
        covariance[2, 2] = Tuning.Attitude.initialHeadingVariance
        covariance.addVariance(of: velocitySigma, at: Part.velocity)
        let (gyro, force) = (startingSigma.gyroBias, startingSigma.accelerometerBias)
        for axis in 0..<3 {
            covariance[Part.gyroBias + axis, Part.gyroBias + axis] += gyro[axis] * gyro[axis]
            let index = Part.accelerometerBias + axis
            covariance[index, index] += force[axis] * force[axis]
        }
        covariance.addVariance(of: Tuning.Attitude.initialGyroScale, at: Part.gyroScale)
        covariance[Part.gravity, Part.gravity] = Tuning.Attitude.initialGravity * Tuning.Attitude.initialGravity
    }

    /// Takes a gyro bias that the first seconds have shown, and the level without it. About the vertical they show
    /// none.
    private mutating func take(_ shown: AttitudeStart.Bias) {
        attitude = (Quaternion(from: attitude.rotate(shown.up), to: .unitZ) * attitude).normalized
        gyroBias = shown.level + shown.up * shown.up.dot(gyroBias)
        let own = shown.sigma * shown.sigma
        let unseen = max(Tuning.Attitude.initialGyroBias * Tuning.Attitude.initialGyroBias - own, 0)
        for i in 0..<3 {
            for j in 0..<3 {
                covariance[Part.gyroBias + i, Part.gyroBias + j] += unseen * shown.up[i] * shown.up[j]
            }
        }
        startingSigma.gyroBias = Vector3(repeating: shown.sigma)
    }

    /// 1-sigma of the biases at the start, sensor axes, rad/s and m/s2.
    private struct StartingSigma: Sendable, Equatable {
        var gyroBias = Vector3(repeating: Tuning.Attitude.initialGyroBias)
        var accelerometerBias = Vector3(repeating: Tuning.Attitude.initialAccelerometerBias)
    }

    /// Corrects the gyro bias about the vertical by what the courses of a vehicle show of it, rad/s.
    mutating func correctGyroBias(aboutVertical rate: Double) {
        gyroBias += attitude.inverse.rotate(.unitZ) * rate
    }

    /// Results, in a small structure that is read without a copy of the rest.
    struct Findings: Sendable {
        /// Sensor axes to a level frame turned by an arbitrary, slowly drifting angle from east-north-up, now; `nil`
        /// before the second sample.
        ///
        /// A sensor's own low-pass delays its samples by about half their interval beyond the mean that each of them
        /// is: the attitude is moved on by that.
        var sensorToLevel: Quaternion?
        /// 1-sigma of roll and pitch, radians.
        var tiltSigma = 0.3
        /// 1-sigma of the gyro bias, sensor axes, rad/s.
        var gyroBiasSigmas = Vector3(0.1, 0.1, 0.1)
        /// Turn about up from the level frame to magnetic east-north-up; `nil` without a magnetometer.
        var levelToMagnetic: Quaternion?
        /// 1-sigma of the magnetic heading, radians.
        var magneticHeadingSigma = Double.pi
        /// Calibration of the magnetometer.
        var magnetometer: MagnetometerStatus?

        /// The same of the worst axis, rad/s.
        var gyroBiasSigma: Double { max(gyroBiasSigmas.x, gyroBiasSigmas.y, gyroBiasSigmas.z) }

        /// Largest sigma of roll and pitch of a level that counts as found, radians: until the body has rested, a bias
        /// of an earlier drive is known before the level is.
        var largestTiltSigma = Double.infinity

        /// Whether the gyro bias is accurate enough for the level to hold, and the level has been found.
        var isBiasKnown: Bool { gyroBiasSigma < Tuning.Attitude.knownBiasSigma && tiltSigma < largestTiltSigma }

        /// Sensor axes to magnetic east-north-up, where a magnetometer has delivered a reading.
        var sensorToMagneticENU: Quaternion? {
            guard let sensorToLevel, let levelToMagnetic else { return nil }
            return levelToMagnetic * sensorToLevel
        }
    }

    /// The attitude now.
    /// docs/math.md, eq. 8.16.
    private func nowLevel() -> Quaternion { attitude * Quaternion(rotationVector: rate * (0.5 * sampleSeconds)) }

    /// Updates the results that change with a step of the covariance.
    mutating func noteFindings() {
        // What the next step adds belongs to it.
        findings.tiltSigma = ((covariance[0, 0] + covariance[1, 1]) / 2 + unseen.tiltVariance + openTilt).squareRoot()
        let (x, y, z) = (covariance[6, 6], covariance[7, 7], covariance[8, 8])
        findings.gyroBiasSigmas = Vector3(x.squareRoot(), y.squareRoot(), z.squareRoot())
        findings.levelToMagnetic = magnetometer.levelToMagneticRadians.map {
            Quaternion(rotationVector: Vector3(0, 0, $0))
        }
        let heading = magnetometer.statedHeadingSigma
        findings.magneticHeadingSigma = (heading * heading + unseen.turnVariance + openTurn).squareRoot()
        findings.magnetometer = magnetometer.status
    }

    /// The attitude from which a search for the heading starts; `nil` before the second sample.
    var sensorToStartLevel: Quaternion? { runSeconds > 0 ? attitude : nil }
    /// Sensor axes to the level frame, now.
    var sensorToLevel: Quaternion? { findings.sensorToLevel }
    /// Sensor axes to magnetic east-north-up, where a magnetometer has delivered a reading.
    var sensorToMagneticENU: Quaternion? { findings.sensorToMagneticENU }
    /// 1-sigma of the gyro bias, the worst axis, rad/s.
    var gyroBiasSigma: Double { findings.gyroBiasSigma }
    /// Whether the gyro bias is known well enough for the level to hold.
    var isBiasKnown: Bool { findings.isBiasKnown }
}
