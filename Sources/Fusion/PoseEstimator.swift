import Geodesy
import Glibc
import Measurements
import PoseMath

/// Measurements in, one estimate out: guards the inputs, finds the beginning, runs the filters and says how far the
/// answer can be trusted.
public struct PoseEstimator: Sendable {
    let settings: FusionSettings
    var stillness = StillnessDetector()
    var vibration = IMUNoiseEstimator()
    var gait = GaitDetector()
    var inertialWatch = IMUStuckClipDetector()
    /// What the last sample was caught at.
    var sampleFaults: InertialFaults = []
    /// Whether the gait is looked for; tests compare.
    var isGaitUsed = true
    var attitude: AttitudeFilter
    var aligner: InMotionAligner
    /// What the estimator does now. Only the transitions in `PoseEstimator+LifeCycle.swift` change it.
    var lifeCycle = LifeCycle.waiting
    /// The navigation filter of ``LifeCycle/navigating``. It stands beside the enumeration, because taking a payload
    /// out of one copies it, and its covariance has 8 kB. In the other states it is idle and nothing reads it.
    var filter: NavigationFilter
    var history = DelayedMeasurementBuffer()
    var felt = PreintegratedMotion()
    var lastSample: DelayedMeasurementBuffer.Sample?
    var lastFix: GnssFix?
    var lastMagneticTime: MonotonicTime?
    var pressures = PressureMean()
    var restingUp: Vector3?
    /// What is known of the mount beforehand.
    var mounts: MountPrior
    /// When the body was last taken to rest.
    var lastRestTime: MonotonicTime?
    var courseRadians: Double?
    /// Whether any fix since the start has had a height.
    var hasSeenAltitude = false
    /// Jumps of filters that have been given up; the running filter's own come on top.
    var pastResets = NavigationFilter.Reset()
    /// What was refused, by reason.
    public internal(set) var rejections = RejectionCounters()
    /// The latest answer.
    public internal(set) var estimate = PoseEstimate(time: MonotonicTime(nanoseconds: .min))

    /// An estimator that has seen nothing.
    public init(settings: FusionSettings = FusionSettings()) {
        self.settings = settings
        attitude = AttitudeFilter(profile: settings.profile)
        aligner = InMotionAligner(profile: settings.profile)
        mounts = MountPrior(settings: settings)
        filter = NavigationFilter(idleWith: settings)
    }

    /// Takes the next event.
    ///
    /// - Returns: whether there is a new estimate: after each IMU sample, and after each fix while no IMU runs.
    public mutating func ingest(_ event: SensorEvent) -> Bool {
        switch event {
        case .inertial(let sample): return ingest(sample)
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

    /// Renews the estimate for an instant at which nothing was measured.
    ///
    /// - Returns: whether it did: not while IMU samples come in, and not for an instant that has passed.
    public mutating func carryOn(to time: MonotonicTime) -> Bool {
        guard time > estimate.time, !hasFreshSample(at: time) else { return false }
        if isNavigating { giveUpFilter() }
        publish(at: time)
        return true
    }

    /// Whether the IMU runs: its last sample is less than a second old.
    func hasFreshSample(at time: MonotonicTime) -> Bool {
        lastSample.map { time.seconds(since: $0.time) < Tuning.Output.freshSampleSeconds } ?? false
    }

    /// Whether the receiver has just said that the body moves. `mutating` so that the call does not copy the estimator.
    mutating func isSeenMoving(at time: MonotonicTime) -> Bool {
        guard let fix = lastFix, let velocity = fix.horizontalVelocity,
            time.seconds(since: fix.validityTime) < Tuning.Output.courseSeconds
        else {
            return false
        }
        return velocity.speedMetersPerSecond
            > max(
                Tuning.Mount.standingSpeed,
                Tuning.Mount.standingSigmas * (fix.speedSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.horizontal)
            )
    }

    /// Forgets everything but the settings and begins anew.
    public mutating func restart() {
        let time = estimate.time
        let resets = totalResets
        self = PoseEstimator(settings: settings)
        pastResets = resets
        pastResets.count += 1
        estimate.time = time
        estimate.resetCount = pastResets.count
    }

    /// The last use of one aiding source; `nil` while the filter does not run.
    public func aid(_ source: AidSource) -> AidSourceStatus? { isNavigating ? filter.aids[Int(source.rawValue)] : nil }

    /// All jumps so far. Reading is `mutating` so that it does not copy the estimator, 33 kB for each sample.
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
        let still = stillness.isStill
        if settings.profile == .wearable, settings.estimator == .kalman, isGaitUsed { gait.update(sample) }
        let biasWasKnown = attitude.findings.isBiasKnown
        // A smooth ride feels like rest; the filter tells them apart by its velocity, what runs without it by the
        // receiver's.
        let rests = still && !isSeenMoving(at: sample.time)
        attitude.update(sample, still: rests, meanAngularRate: stillness.meanAngularRate)
        // Another level frame, another heading to find.
        if biasWasKnown != attitude.findings.isBiasKnown { forgetAlignment() }
        let entry = DelayedMeasurementBuffer.Sample(
            time: sample.time, angularRate: sample.angularRateRadiansPerSecond,
            specificForce: sample.specificForceMetersPerSecondSquared,
            meanAngularRate: stillness.meanAngularRate, isStill: still, spread: stillness.spread,
            noise: IMUStuckClipDetector.noise(vibration.update(sample).on(settings.profile), with: watch(sample)),
            stepsPerSecond: gait.stepsPerSecond)
        if rests {
            restingUp = stillness.meanSpecificForce.normalized
            lastRestTime = sample.time
            checkMountAtRest()
        }
        advanceFilter(to: entry)
        if !isNavigating || mounts.isUnconfirmed { feel(entry) }
        lastSample = entry
        publish(at: sample.time)
        return true
    }

    /// Looks for readings that repeat, and counts the samples in which they do.
    private mutating func watch(_ sample: InertialSample) -> InertialFaults {
        sampleFaults = inertialWatch.update(sample)
        if !sampleFaults.isDisjoint(with: [.gyroStuck, .accelerometerStuck]) { rejections.inertialStuck += 1 }
        if !sampleFaults.isDisjoint(with: [.gyroClipped, .accelerometerClipped]) { rejections.inertialClipped += 1 }
        return sampleFaults
    }

    /// What is wrong with the IMU now, as far as can be told.
    public var inertialFaults: InertialFaults {
        isNavigating && filter.inertial.isDoubted(at: filter.state.time)
            ? sampleFaults.union(.inconsistent) : sampleFaults
    }

    /// What the receiver was caught at.
    public var receiverVerdict: ReceiverVerdict {
        isNavigating ? filter.receiver.verdict : positionFilter?.watch.verdict ?? .trusted
    }

    private mutating func advanceFilter(to entry: DelayedMeasurementBuffer.Sample) {
        guard isNavigating else { return }
        if let last = lastSample, entry.time.seconds(since: last.time) > Tuning.Gap.filterTimeoutSeconds {
            giveUpFilter()
            return
        }
        history.advance(&filter, to: entry)
        if !filter.isHealthy() {
            rejections.filterRestarted += 1
            giveUpFilter(mountHolds: false)
        }
    }

    /// Begins the search for the heading anew.
    mutating func forgetAlignment() {
        aligner = InMotionAligner(profile: settings.profile)
        felt.restart()
    }

    /// Sums the level specific force for the search of the heading, and for the way from fix to fix until it is found.
    private mutating func feel(_ entry: DelayedMeasurementBuffer.Sample) {
        guard let last = lastSample, let toLevel = attitude.sensorToStartLevel else { return }
        let seconds = min(entry.time.seconds(since: last.time), Tuning.Start.longestStepSeconds)
        let force = toLevel.rotate((entry.specificForce + last.specificForce) * 0.5)
        felt.add(force: force, seconds: seconds, until: entry.time)
    }

    private mutating func ingest(_ fix: GnssFix) -> Bool {
        guard let fix = accept(fix) else { return false }
        if fix.isInterfered {
            rejections.fixInterfered += 1
            // A filter records the veto; without one there is nothing that a jammed receiver could begin.
            if isNavigating, hasFreshSample(at: fix.arrivalTime) { _ = history.insert(.fix(fix), into: &filter) }
            return false
        }
        lastFix = fix
        if fix.altitudeEllipsoidMeters != nil { hasSeenAltitude = true }
        if let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians {
            attitude.compass.place = (latitude, longitude)
        }
        if let v = fix.horizontalVelocity, v.speedMetersPerSecond > Tuning.Output.courseSpeed {
            courseRadians = Angle.wrappedToTwoPi(Self.course(of: v))
        }
        unlearnFalseRest(fix)
        if isNavigating, !hasFreshSample(at: fix.arrivalTime) { giveUpFilter() }
        if isNavigating {
            if !history.insert(.fix(fix), into: &filter) { rejections.fixTooLate += 1 }
            if filter.hasLostHeading || filter.isRefuted {
                if filter.isRefuted { rejections.filterRefuted += 1 } else { rejections.headingLost += 1 }
                if mounts.isUnconfirmed { mounts.contradict() }
                giveUpFilter(mountHolds: false)
            } else {
                watchMount(against: fix)
            }
        } else {
            if followFix(fix), settings.estimator == .kalman { tryToStart(with: fix) }
        }
        guard !hasFreshSample(at: fix.arrivalTime) else { return false }
        publish(at: max(fix.validityTime, estimate.time))
        return true
    }

    /// A smooth ride before the first fix passes for rest; what was learned from it, level and gyro bias, is worth
    /// nothing.
    private mutating func unlearnFalseRest(_ fix: GnssFix) {
        guard !isNavigating, let rest = lastRestTime, let velocity = fix.horizontalVelocity,
            velocity.speedMetersPerSecond > Tuning.Output.courseSpeed,
            isSeenMoving(at: fix.validityTime), fix.validityTime.seconds(since: rest) < Tuning.Output.falseRestSeconds
        else { return }
        attitude = AttitudeFilter(profile: settings.profile)
        restingUp = nil
        lastRestTime = nil
        forgetAlignment()
    }

    private mutating func ingest(_ sample: WheelSpeedSample) {
        guard abs(sample.speedMetersPerSecond) < Tuning.Input.largestWheelSpeed else {
            rejections.wheelSpeedOutOfRange += 1
            return
        }
        guard isNavigating else { return }
        if !history.insert(.wheelSpeed(sample), into: &filter) { rejections.wheelSpeedTooLate += 1 }
    }

    private mutating func ingest(_ sample: MagneticSample) {
        let strength = sample.fluxDensityTesla.length
        guard strength > Tuning.Magnetometer.leastFieldTesla, strength < Tuning.Magnetometer.largestFieldTesla else {
            rejections.magneticOutOfRange += 1
            return
        }
        let seconds = lastMagneticTime.map { sample.time.seconds(since: $0) } ?? Tuning.Magnetometer.firstSampleSeconds
        guard seconds > 0 else {
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
