import Geodesy
import Glibc
import Measurements
import PoseMath

/// The estimator: measurements in, one estimate out. It checks the inputs, starts and runs the filters, and states the
/// accuracy of the result.
public struct PoseEstimator: Sendable {
    let settings: FusionSettings
    /// What the filters use of the profile.
    let traits: MotionTraits
    var stillness = StillnessDetector()
    var imuNoise: IMUNoiseEstimator
    var gait = GaitDetector()
    var stuckClipDetector = IMUStuckClipDetector()
    /// Faults of the last sample.
    var sampleFaults: InertialFaults = []
    /// Whether the gait detector runs; tests compare.
    var isGaitUsed = true
    var attitude: AttitudeFilter
    var aligner: InMotionAligner
    var lagDifference = LagDifferenceEstimator()
    /// Lags of the receiver as the filter before has found them; `nil` before the first.
    var carriedLags: ReceiverLags?
    /// Bias of the accelerometer as an earlier drive has found it; `nil` without.
    var accelerometerPrior: SensorPrior.AccelerometerBias?
    /// Scale and lag of the wheels as an earlier drive or the filter before has found them; `nil` without.
    var wheelPrior: SensorPrior.Wheels?
    /// Sign of their readings ahead, 1 or -1, as the filter before has found it; `nil` without.
    var wheelSign: Double?
    /// What an earlier drive has found of the sensors, as it was offered.
    var offeredSensors = SensorPrior()
    /// Baseline of the receiver's antennas as the filter before has found it.
    var carriedBaseline: HeadingBaseline
    /// Whether the constraints of a vehicle fit, as the filter before has found it.
    var carriedFit = ConstraintFit()
    /// The receiver's last heading while the filter does not run; `nil` without one.
    var receiverHeading: ReceiverHeading?
    /// State of the life cycle. Only the transitions in `PoseEstimator+LifeCycle.swift` change it.
    var lifeCycle = LifeCycle.waiting
    /// The navigation filter of ``LifeCycle/navigating``. It is stored beside the enumeration, because taking a payload
    /// out of one copies it, and its covariance has 9 kB. In the other states it is idle and not read.
    var filter: NavigationFilter
    var delayedMeasurements = DelayedMeasurementBuffer()
    var preintegrated = PreintegratedMotion()
    /// Dead reckoning while the filter does not run, and the gyro bias that it takes off, rad/s.
    var reckoning = CourseDeadReckoning()
    var reckoningBias: Vector3?
    var lastSample: DelayedMeasurementBuffer.Sample?
    /// The last fix; where it states no velocity, or on a person a worse one, with the one from its positions.
    var lastFix: GnssFix?
    /// Whether it stated a velocity itself.
    var isVelocityStated = false
    var derivedVelocity = PositionDerivedVelocity()
    /// Whether the velocity that the receiver states is that of its positions.
    var velocityProof = VelocityProof()
    /// Age of the velocity of ``lastFix`` at the time of its position, seconds: zero where it is that of the receiver.
    var velocityAge = 0.0
    /// 1-sigma of the acceleration since that, each axis, m/s2.
    var derivedAccelerationSigma = Tuning.ReceiverAcceleration.sigma
    var fixInterval = FixInterval()
    var lastMagneticTime: MonotonicTime?
    /// When the running filter was last given a magnetic heading.
    var lastMagneticHeadingTime: MonotonicTime?
    /// Velocity of the antenna over that of the IMU, level frame, m/s; `nil` where none is told or it does not swing.
    var antennaSwings: VectorHistory?
    /// From the sensor's axes to those in which the place of an untold antenna is found on a person: level when the
    /// search for the heading began. `nil` in a vehicle, and before.
    var sensorToAntennaAxes: Quaternion?
    /// A horizontal direction that turns with the sensor, level frame; `nil` where turns show no unknown antenna.
    var bodyDirections: VectorHistory?
    /// The declination here by the magnetic model; `nil` while it is unknown.
    var declination: Declination?
    /// The declination as the receiver has stated it last, east positive, radians.
    var statedDeclination: Double?
    var pressures = PressureMean()
    var restingUp: Vector3?
    /// Prior of the mount.
    var mounts: MountPrior
    /// What is known from the last stop.
    var warmStart = WarmStart()
    /// Time of the last sample at rest, and of the first one of that rest.
    var lastRestTime: MonotonicTime?
    var restBeginTime: MonotonicTime?
    /// The last course of the receiver, when it was, and the way since, metres: infinite where fixes were missing.
    var courseRadians: Double?
    var courseTime = MonotonicTime(nanoseconds: .min)
    var courseWay = 0.0
    /// Whether the last valid fix says that the receiver is jammed or spoofed.
    var isReceiverInterfered = false
    /// Whether a fix had told the height with which the running filter has begun.
    var hasBegunWithHeight = false
    /// Jumps of filters that were stopped; those of the running filter are added.
    var pastResets = NavigationFilter.Reset()
    /// Measurements that were valid before are not used; `nil` if the machine was not suspended.
    var measuredFrom: MonotonicTime?
    /// Age of the last fix on arrival, seconds, used or too late.
    var fixLatenessSeconds = 0.0
    /// Rejected inputs by reason.
    public internal(set) var rejections = RejectionCounters()
    /// The latest estimate.
    public internal(set) var estimate = PoseEstimate(time: MonotonicTime(nanoseconds: .min))

    /// An estimator without measurements.
    public init(settings: FusionSettings = FusionSettings()) {
        self.settings = settings
        traits = settings.profile.traits
        imuNoise = IMUNoiseEstimator(settings: settings)
        attitude = AttitudeFilter(profile: settings.profile)
        aligner = InMotionAligner(profile: settings.profile)
        mounts = MountPrior(settings: settings)
        carriedBaseline = HeadingBaseline(settings: settings)
        filter = NavigationFilter(idleWith: settings)
        if !traits.rollsOnWheels, settings.antennaLeverArmBodyMeters != nil { antennaSwings = VectorHistory() }
        if traits.findsAntenna, !traits.rollsOnWheels { bodyDirections = VectorHistory() }
    }

    /// Processes the next event.
    ///
    /// - Returns: whether there is a new estimate: after each IMU sample, and after each fix while no IMU runs.
    public mutating func ingest(_ event: SensorEvent) -> Bool {
        if case .inertial(let sample) = event { return ingest(sample) }
        guard !isFromBeforeSuspension(event.validityTime) else {
            rejections.beforeSuspension += 1
            return false
        }
        switch event {
        case .inertial: return false
        case .gnss(let fix): return ingest(fix)
        case .magnetic(let sample):
            ingest(sample)
            return false
        case .wheelSpeed(let sample):
            ingest(sample)
            return false
        case .pressure(let sample):
            ingest(sample)
            return false
        }
    }

    /// Publishes an estimate for an instant without a measurement.
    ///
    /// - Returns: whether it did: not while IMU samples come in, and not for an instant in the past.
    public mutating func carryOn(to time: MonotonicTime) -> Bool {
        let missing = lastSample.map { time.seconds(since: $0.time) >= Tuning.Output.missingSampleSeconds } ?? true
        guard time > estimate.time, missing else { return false }
        if isNavigating, !canBridge(to: time) { stopFilter() }
        publish(at: time)
        return true
    }

    /// Whether the body rests, as far as that can be told from the IMU alone. `mutating` so that the call does not copy
    /// the estimator.
    var isStill: Bool { mutating get { traits.restsWhenQuiet && stillness.isStill && !isFrozenInMotion } }

    /// Whether the readings repeat though the body moves: they are as quiet as rest, and prove none.
    private var isFrozenInMotion: Bool {
        mutating get {
            !sampleFaults.isDisjoint(with: [.gyroStuck, .accelerometerStuck]) && isNavigating
                && filter.state.velocityENU.length > Tuning.Constraints.movingSpeed
        }
    }

    /// Whether the IMU runs: its last sample is less than a second old.
    mutating func hasFreshSample(at time: MonotonicTime) -> Bool {
        lastSample.map { time.seconds(since: $0.time) < Tuning.Output.freshSampleSeconds } ?? false
    }

    /// Whether the navigation filter may run without samples until an instant.
    mutating func canBridge(to time: MonotonicTime) -> Bool {
        let longest =
            traits.rollsOnWheels ? Tuning.Gap.longestBridgeVehicle : Tuning.Gap.longestBridgeWearable
        return lastSample.map { time.seconds(since: $0.time) < longest } ?? false
    }

    /// Sets the declination here, or that it is unknown.
    public mutating func set(declination: Declination?) { self.declination = declination }

    /// Restarts with the same settings.
    public mutating func restart() {
        let (time, resets, declination) = (estimate.time, totalResets, declination)
        self = PoseEstimator(settings: settings)
        self.declination = declination
        pastResets.count = resets.count &+ 1
        estimate.time = time
        estimate.resetCount = pastResets.count
    }

    /// Status of one aiding source; `nil` while the filter does not run.
    public func aid(_ source: AidSource) -> AidSourceStatus? { isNavigating ? filter.aids[Int(source.rawValue)] : nil }

    /// Number of all jumps, with the last one. Reading is `mutating` so that it does not copy the estimator, 33 kB for
    /// each sample.
    var totalResets: NavigationFilter.Reset {
        mutating get {
            guard isNavigating, filter.reset.count > 0 else { return pastResets }
            var sum = filter.reset
            sum.count &+= pastResets.count
            return sum
        }
    }

    /// Takes the next IMU sample; whether there is a new estimate, which there is unless it was refused.
    public mutating func ingest(_ sample: InertialSample) -> Bool {
        guard accept(sample) else { return false }
        stillness.update(sample)
        let faults = faults(of: sample)
        let still = isStill
        if traits.hasGait, settings.estimator == .kalman, isGaitUsed { gait.update(sample) }
        let (biasWasKnown, restartsBefore) = (attitude.findings.isBiasKnown, attitude.restartCount)
        // A smooth ride looks like rest. The navigation filter distinguishes them by its velocity, the other parts by
        // that of the receiver.
        let rests = still && !isReceiverMoving(at: sample.time)
        let noise = imuNoise.update(sample).on(settings.profile)
        attitude.update(
            sample, still: rests, meanAngularRate: stillness.meanAngularRate, quietSeconds: stillness.quietSeconds,
            restNoise: imuNoise.unresolvedGyro, saturated: stuckClipDetector.saturated,
            isWalking: gait.stepsPerSecond > 0)
        // The level frame has changed, and with it the heading that is searched.
        if biasWasKnown != attitude.findings.isBiasKnown { forgetAlignment() }
        if restartsBefore != attitude.restartCount { forgetLevelFrame() }
        let entry = DelayedMeasurementBuffer.Sample(
            time: sample.time, angularRate: sample.angularRateRadiansPerSecond,
            specificForce: sample.specificForceMetersPerSecondSquared,
            meanAngularRate: stillness.meanAngularRate, isStill: still, spread: stillness.spread,
            noise: IMUStuckClipDetector.noise(noise, with: faults),
            stepsPerSecond: gait.stepsPerSecond, sensorToLevel: attitude.sensorToStartLevel)
        if rests {
            restingUp = stillness.meanSpecificForce.normalized
            noteRest(at: sample.time)
            checkMountAtRest()
        }
        warmUp(at: sample.time, rests: rests)
        advanceFilter(to: entry)
        if !isNavigating || mounts.isUnconfirmed { preintegrate(entry) }
        if !isNavigating { reckon(entry) }
        lastSample = entry
        if isNavigating { aidWithMagneticHeading() }
        describe(at: sample.time)
        return true
    }

    /// Repeated and clipped readings of a sample; counts them.
    private mutating func faults(of sample: InertialSample) -> InertialFaults {
        sampleFaults = stuckClipDetector.update(sample)
        if !sampleFaults.isDisjoint(with: [.gyroStuck, .accelerometerStuck]) { rejections.inertialStuck += 1 }
        if !sampleFaults.isDisjoint(with: [.gyroClipped, .accelerometerClipped]) { rejections.inertialClipped += 1 }
        return sampleFaults
    }

    /// Present faults of the IMU.
    public var inertialFaults: InertialFaults {
        guard isNavigating else { return sampleFaults }
        var faults = sampleFaults
        if filter.imuFaults.isFaultActive(at: filter.state.time) { faults.insert(.inconsistent) }
        if filter.holder.hasTurned(at: filter.state.time) { faults.insert(.turned) }
        return faults
    }

    /// Present verdict on the receiver.
    public var receiverVerdict: ReceiverVerdict {
        var verdict = positionFilter?.integrity.verdict ?? .trusted
        if isReceiverInterfered { verdict = .interference }
        if isNavigating { verdict = filter.gnssIntegrity.verdict }
        return verdict == .trusted && velocityProof.isRefuted ? .falseVelocity : verdict
    }

    /// Runs the filter to a sample. A filter that has lost its way, or cannot bridge the gap, is stopped.
    private mutating func advanceFilter(to entry: DelayedMeasurementBuffer.Sample) {
        guard isNavigating, canBridge(to: entry.time) else {
            if isNavigating { stopFilter() }
            delayedMeasurements.note(entry)
            return
        }
        let isAfterGap = lastSample.map { entry.time.seconds(since: $0.time) > Tuning.Gap.bridgedSeconds } ?? false
        if delayedMeasurements.advance(&filter, to: entry), stopWrongFilter() { return }
        if isAfterGap {
            let limit =
                traits.rollsOnWheels
                ? Tuning.Gap.largestHeadingSigmaVehicle : Tuning.Gap.largestHeadingSigmaWearable
            guard filter.headingVariance() < limit * limit else {
                stopFilter()
                return
            }
        }
        if !filter.isHealthy() {
            rejections.filterRestarted += 1
            stopFilter(mountHolds: false)
        }
    }

    /// Restarts the search for the heading.
    mutating func forgetAlignment() {
        aligner.restart(prior: carriedLags.map { ($0.velocity, $0.velocitySigma) })
        preintegrated.restart()
        delayedMeasurements.forgetLevel()
        antennaSwings?.count = 0
        bodyDirections?.count = 0
        // What was unseen before, with a filter that ran, is no turn since the search has begun.
        _ = takeUnseenTurn()
    }

    /// Preintegrates the level specific force, for the search for the heading and for the motion between fixes until it
    /// is found.
    private mutating func preintegrate(_ entry: DelayedMeasurementBuffer.Sample) {
        guard let last = lastSample, let toLevel = attitude.sensorToStartLevel else { return }
        let interval = entry.time.seconds(since: last.time)
        let unseen = takeUnseenTurn()
        if unseen > 0 { aligner.noteUnseenTurn(variance: unseen) }
        guard interval <= Tuning.Gap.bridgedSeconds else {
            aligner.noteGap(from: last.time, until: entry.time)
            preintegrated.add(force: .zero, seconds: interval, until: entry.time)
            return
        }
        noteAntennaSwing(entry, toLevel: toLevel)
        noteBodyDirection(entry, toLevel: toLevel)
        let force = toLevel.rotate((entry.specificForce + last.specificForce) * 0.5)
        preintegrated.add(force: force, seconds: interval, until: entry.time)
    }

    /// Takes a fix: into the running filter, or into the position while none runs; whether there is a new estimate.
    private mutating func ingest(_ fix: GnssFix) -> Bool {
        guard let accepted = accept(fix), canUse(accepted) else { return false }
        forgetKeptLags(before: accepted)
        noteReceiver(of: accepted)
        fixInterval.note(accepted.validityTime)
        let (fix, isNewlyRefuted) = withoutFalseVelocity(accepted)
        let completed = withVelocity(fix)
        noteCourse(of: completed)
        lastFix = completed
        revokeFalseRest(completed)
        statedDeclination = fix.magneticVariationRadians ?? statedDeclination
        if let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians {
            attitude.magnetometer.place = (latitude, longitude)
        }
        boundSpeed(by: completed)
        if isNavigating, !canBridge(to: fix.arrivalTime) { stopFilter() }
        if isNewlyRefuted {
            beginAgain(at: fix)
        } else if isNavigating {
            if !insert(fix) { rejections.fixTooLate += 1 }
            if !stopWrongFilter() { checkMount(against: completed) }
        } else {
            noteHeading(of: fix)
            checkWarmStart(against: completed)
            if followFix(fix) {
                reckon(with: completed)
                if settings.estimator == .kalman { tryToStart(with: completed) }
            } else {
                carryOn(after: fix)
            }
        }
        guard !hasFreshSample(at: fix.arrivalTime) else { return false }
        publish(at: max(fix.validityTime, estimate.time))
        return true
    }

    /// Tells the attitude filter how fast the body can be.
    private mutating func boundSpeed(by fix: GnssFix) {
        guard let velocity = fix.horizontalVelocity else { return }
        attitude.note(
            speed: velocity.speedMetersPerSecond,
            sigma: fix.assumedSpeedSigma, at: fix.validityTime)
    }

    /// Stops the filter where fixes have shown that it is wrong; whether it did.
    private mutating func stopWrongFilter() -> Bool {
        guard filter.hasLostHeading || filter.isRefuted || filter.isMisfit else { return false }
        if filter.isMisfit {
            rejections.profileRefuted += 1
        } else if filter.isRefuted {
            rejections.filterRefuted += 1
        } else {
            rejections.headingLost += 1
        }
        if mounts.isUnconfirmed { mounts.contradict() }
        stopFilter(mountHolds: false)
        return true
    }

    /// Inserts a fix at the time of its position, as far as that is known: where the clock of the IMU is late, one that
    /// the samples have yet to reach.
    mutating func insert(_ fix: GnssFix) -> Bool {
        let age = assumedAgeSeconds(of: fix)
        return delayedMeasurements.insert(.fix(fix, age: age), into: &filter)
            || (age != 0 && delayedMeasurements.insert(.fix(fix, age: 0), into: &filter))
    }

    /// By how much the position of a fix is older than the fix, seconds, as far as that is known.
    mutating func assumedAgeSeconds(of fix: GnssFix) -> Double {
        filter.showsLags && fix.receiver == filter.receiver ? filter.knownFixAge : 0
    }

    /// Stores when the body rests, and since when.
    private mutating func noteRest(at time: MonotonicTime) {
        let isContinued = lastRestTime.map { time.seconds(since: $0) < Tuning.Output.falseRestSeconds } ?? false
        if !isContinued { restBeginTime = time }
        lastRestTime = time
    }

    /// Takes a wheel speed: into the running filter, or into the dead reckoning while none runs.
    private mutating func ingest(_ sample: WheelSpeedSample) {
        guard abs(sample.speedMetersPerSecond) <= Tuning.Input.largestWheelSpeed else {
            rejections.wheelSpeedOutOfRange += 1
            return
        }
        guard traits.rollsOnWheels, isNavigating || reckoning.isStarted else {
            rejections.wheelSpeedWithoutFilter += 1
            return
        }
        guard isNavigating else { return reckoning.note(wheelSpeed: sample.speedMetersPerSecond) }
        if !delayedMeasurements.insert(.wheelSpeed(sample), into: &filter) { rejections.wheelSpeedTooLate += 1 }
    }

    /// Takes a magnetometer sample into the attitude filter.
    private mutating func ingest(_ sample: MagneticSample) {
        let strength = sample.fluxDensityTesla.length
        guard strength > Tuning.Magnetometer.leastFieldTesla, strength < Tuning.Magnetometer.largestFieldTesla else {
            rejections.magneticOutOfRange += 1
            return
        }
        guard lastMagneticTime.map({ sample.time > $0 }) ?? true else {
            rejections.magneticTimeBackwards += 1
            return
        }
        lastMagneticTime = sample.time
        attitude.update(magneticField: sample.fluxDensityTesla)
    }

    /// Course over ground of a velocity, clockwise from north, radians.
    static func course(of velocity: HorizontalVelocity) -> Double {
        Angle.wrappedToTwoPi(atan2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond))
    }
}
