import Frames
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath

/// The engine: sensor events in, frames out.
public struct Engine: Sendable {
    private let settings: EngineSettings
    private var estimator: PoseEstimator
    /// The estimate of the latest frame.
    private var estimate: PoseEstimate
    private var sequence: UInt64 = 0
    private var sources = Frame.Sources()
    /// Time of validity of the newest data of each kind.
    private var newest = NewestData()
    private var lastWheelSpeed: MonotonicTime?
    private var clock = UTCLabel()
    private var statedFixes = StatedFixes()
    private var origin: LocalFrame?
    private var originEpoch: UInt32 = 0
    private var headingTrimRadians = 0.0
    private var follower: RouteFollower
    private var speedAdvice: SpeedAdvice
    private var routeVersion: UInt32 = 0
    private var lastGuidanceTime: MonotonicTime?
    /// Time of the latest measurement that made an estimate.
    private var lastMeasurement = MonotonicTime(nanoseconds: 0)
    /// The last tick that made a frame; `nil` before the first one, and after a reset.
    private var lastTick: MonotonicTime?
    private var progress = ProgressWatch()
    /// Schedules questions about the road ahead and their answers; see ``speedHorizon(at:)``.
    var horizon = HorizonSchedule()

    /// The latest frame.
    public private(set) var frame = Frame()

    /// An engine without measurements.
    public init(settings: EngineSettings = EngineSettings()) {
        self.settings = settings
        estimator = PoseEstimator(settings: settings.fusion)
        estimate = estimator.estimate
        follower = RouteFollower(settings: settings.guidanceOfProfile)
        speedAdvice = SpeedAdvice(settings: settings.speedAdvice)
    }

    /// Processes one sensor event.
    ///
    /// - Returns: whether it made a new ``frame``: each IMU sample does, and each fix while no IMU runs. A measurement
    ///   from before the last tick makes none: that frame would be older than the one of the tick.
    public mutating func ingest(_ event: SensorEvent) -> Bool {
        switch event {
        case .gnss(let fix): if !estimator.isFromBeforeSuspension(fix.validityTime) { note(fix) }
        case .wheelSpeed(let sample): lastWheelSpeed = sample.time
        default: break
        }
        newest.note(event.kind, event.validityTime)
        let isNew = if case .inertial(let sample) = event { estimator.ingest(sample) } else { estimator.ingest(event) }
        guard isNew else { return false }
        lastMeasurement = max(lastMeasurement, event.validityTime)
        if let lastTick, estimator.estimate.time < lastTick { return false }
        estimate = estimator.estimate
        makeFrame()
        return true
    }

    /// Makes a frame of an estimate from a ``TrajectorySmoother``.
    ///
    /// - Parameters:
    ///   - smoothed: the estimate; estimates are passed in order of time.
    ///   - fix: the last fix before it; gives the frame its UTC, mode and satellites.
    public mutating func ingest(_ smoothed: PoseEstimate, after fix: GnssFix?) {
        if let fix { note(fix) }
        lastMeasurement = smoothed.time
        estimate = smoothed
        makeFrame()
    }

    /// Makes a frame for an instant without a measurement, so that a display continues while no IMU runs.
    ///
    /// - Returns: whether it made a frame. It makes none while IMU samples arrive, because these make the frames, and
    ///   none for an instant in the past.
    public mutating func tick(at time: MonotonicTime) -> Bool {
        guard estimator.carryOn(to: time) else { return false }
        lastTick = time
        estimate = estimator.estimate
        makeFrame()
        return true
    }

    /// Follows another route, or none. Progress restarts, and the published version changes.
    public mutating func setRoute(_ route: Route?, version: UInt32) {
        follower.setRoute(route)
        routeVersion = version
        progress.forget()
        lastGuidanceTime = nil
        guide()
    }

    /// Processes the changed state of a source.
    public mutating func ingest(_ report: SourceReport) {
        let state = Frame.SourceState(report.state)
        switch report.source {
        case .gps: sources.gps = state
        case .imu: sources.imu = state
        case .magnetometer: sources.magnetometer = state
        case .barometer: sources.barometer = state
        case .wheels: sources.wheels = state
        }
        newest.note(report)
        frame.isSimulated = newest.isSimulated
        frame.sources = sources
    }

    /// Turns every published heading and attitude by an angle, clockwise positive, in addition to the current trim.
    public mutating func trimHeading(byRadians angle: Double) { setHeadingTrim(radians: headingTrimRadians + angle) }

    /// Sets the heading trim, clockwise positive; it lasts until ``reset()``.
    public mutating func setHeadingTrim(radians: Double) {
        guard radians.isFinite else { return }
        headingTrimRadians = Angle.wrappedToPi(radians)
    }

    /// Discards origin, trim and progress, and aligns again.
    public mutating func reset() { reset(after: past) }

    /// Discards everything but a given past.
    mutating func reset(after past: EnginePast) {
        estimator.restart(after: past.estimator)
        // A route that is given before the next measurement must not be followed from the pose before.
        estimate = estimator.estimate
        follower.reset()
        speedAdvice = SpeedAdvice(settings: settings.speedAdvice)
        horizon = HorizonSchedule(after: horizon, forgettingUntil: past.estimator.time)
        (sequence, originEpoch, origin) = (past.sequence, past.originEpoch, nil)
        (routeVersion, lastGuidanceTime) = (past.routeVersion, nil)
        headingTrimRadians = past.headingTrimRadians
        progress = ProgressWatch(jumpCount: past.progressJumpCount, jumpDeltaMeters: past.progressJumpMeters)
        (lastMeasurement, lastWheelSpeed, clock) = (past.lastMeasurement, past.lastWheelSpeed, past.clock)
        // The past does not tell it, and what follows a reset depends on the past and the inputs alone.
        lastTick = nil
        statedFixes = StatedFixes()
        (frame.pose.fixMode, frame.pose.satellitesUsed) = (past.fixMode, past.satellitesUsed)
        sources = past.sources
        newest.forget()
    }

    /// What a reset would keep. Reading is `mutating` so that it does not copy the engine.
    package var past: EnginePast {
        mutating get {
            var past = EnginePast()
            (past.sequence, past.originEpoch, past.routeVersion) = (sequence, originEpoch, routeVersion)
            past.estimator = estimator.past
            (past.progressJumpCount, past.progressJumpMeters) = (progress.jumpCount, progress.jumpDeltaMeters)
            (past.lastMeasurement, past.lastWheelSpeed, past.clock) = (lastMeasurement, lastWheelSpeed, clock)
            (past.fixMode, past.satellitesUsed) = (frame.pose.fixMode, frame.pose.satellitesUsed)
            past.sources = sources
            return past
        }
    }

    /// What stays of the engine when the machine was suspended until an instant: as after a reset, and the mount as far
    /// as it is known, and the trim. UTC has moved on against the monotonic clock, and is unknown until the next fix.
    package mutating func pastOfSuspension(until time: MonotonicTime, published: UInt64) -> EnginePast {
        var past = past
        past.published = published
        past.estimator.keep(mount: estimator.lastingMount, measuredFrom: time)
        past.headingTrimRadians = headingTrimRadians
        past.clock = UTCLabel()
        return past
    }

    /// Current mount and magnetometer calibration.
    public var calibration: SensorCalibration { mutating get { estimator.calibration } }

    /// Uses the saved mount of an earlier drive as a prior; see ``PoseEstimator/offer(mount:)``.
    public mutating func offer(mount: MountEstimate) { estimator.offer(mount: mount) }

    /// Uses what an earlier drive has found of sensors and receiver; see ``PoseEstimator/offer(sensors:)``.
    public mutating func offer(sensors: SensorPrior) { estimator.offer(sensors: sensors) }

    /// Uses the pose of the last stop until the heading is found; see ``PoseEstimator/offer(resting:)``.
    public mutating func offer(resting pose: RestingPose) { estimator.offer(resting: pose) }

    /// Sets the declination here, or that it is unknown; it takes effect with the next frame.
    public mutating func set(declination: Declination?) { estimator.set(declination: declination) }

    /// Number of rejected measurements by reason.
    public var rejections: RejectionCounters { estimator.rejections }

    /// Describes the fault detection status.
    public mutating func describeTrust(_ report: inout TrustReport) { estimator.describeTrust(&report) }

    /// Status of the last measurement of an aiding source; `nil` while the Kalman filter does not run.
    public func aid(_ source: AidSource) -> AidSourceStatus? { estimator.aid(source) }

    private mutating func note(_ fix: GnssFix) {
        clock.note(fix)
        statedFixes.note(fix)
        frame.pose.fixMode = fix.mode.rawValue
        frame.pose.satellitesUsed = fix.satellitesUsed
    }

    /// Age of the last wheel speed beyond which the source is stale even if it has not reported that, seconds. Sources
    /// report it themselves, and the slowest one, a control unit that is asked every 2 s, not earlier.
    private static let wheelLimitSeconds = 5.0

    private var areWheelsStale: Bool {
        lastWheelSpeed.map { estimate.time.seconds(since: $0) > Self.wheelLimitSeconds } ?? false
    }

    private mutating func makeFrame() {
        sequence += 1
        frame.sequence = sequence
        horizon.begin(at: estimate.time)
        frame.timeNanoseconds = estimate.time.nanoseconds
        frame.measuredNanoseconds = min(lastMeasurement, estimate.time).nanoseconds
        frame.utcNanoseconds = clock.utcNanoseconds(at: estimate.time)
        frame.sources = sources
        newest.writeAges(at: estimate.time, to: &frame.sources)
        if sources.wheels == .streaming, areWheelsStale { frame.sources.wheels = .stale }
        if sources.gps == .streaming, estimator.isReceiverTooLate { frame.sources.gps = .stale }
        anchor(estimate)
        frame.pose.describe(
            estimate, origin: origin, trimRadians: headingTrimRadians,
            courseMinimumSpeed: settings.courseMinimumSpeedMetersPerSecond)
        frame.pose.originEpoch = originEpoch
        let due = lastGuidanceTime.map { !(estimate.time.seconds(since: $0) < settings.guidancePeriodSeconds) } ?? true
        if due { guide() } else { writeGuidanceAges() }
        horizon.end(hasPosition: frame.pose.latitudeRadians != nil)
    }

    /// Performs one step of route following and speed advice.
    private mutating func guide() {
        // Before the first measurement the estimate has no valid time for an interval.
        lastGuidanceTime = sequence > 0 ? estimate.time : nil
        let status = follower.update(guidanceInput())
        frame.guidance.describe(status)
        frame.guidance.routeVersion = routeVersion
        frame.guidance.log(status, routeVersion: routeVersion)
        frame.guidance.describe(thenOf: status, on: follower.route)
        progress.note(
            status.progressMeters, at: estimate.time,
            speedMetersPerSecond: estimate.velocityENUMetersPerSecond?.horizontalLength ?? 0,
            sigmaENUMeters: estimate.positionSigmaENUMeters)
        frame.guidance.jumpCount = progress.jumpCount
        frame.guidance.jumpDeltaMeters = progress.jumpDeltaMeters
        let limit = limitHere(status, at: estimate.time)
        let speed = speedAdvice.update(
            time: estimate.time, speedMetersPerSecond: estimate.velocityENUMetersPerSecond?.horizontalLength,
            limit: limit.limit, source: limit.source
        )
        frame.speed.describe(speed)
        frame.speed.describe(speedHorizon(at: estimate.time), status)
        writeGuidanceAges()
    }

    /// Within the guidance period the position and the speed that were used are older than the frame. The position is
    /// the last one that was accurate enough.
    private mutating func writeGuidanceAges() {
        let now = estimate.time
        func age(_ time: MonotonicTime?) -> Double? { time.map { max(now.seconds(since: $0), 0) } }
        frame.guidance.ageSeconds = frame.guidance.state == .noRoute ? nil : age(follower.status.positionTime)
        frame.speed.ageSeconds = frame.speed.speedMetersPerSecond == nil ? nil : age(lastGuidanceTime)
    }

    /// The guidance input from the estimate. An accuracy and a velocity that the receiver has not stated, and that no
    /// IMU measures, are assumptions: guidance makes its own from the positions. It is `mutating`, because the engine
    /// would be copied otherwise.
    private mutating func guidanceInput() -> GuidanceInput {
        let hasInertial = newest.imu.map { estimate.time.seconds(since: $0) <= 1 } ?? false
        var input = GuidanceInput(
            estimate, courseMinimumSpeed: settings.courseMinimumSpeedMetersPerSecond,
            withoutVelocity: statedFixes.isVelocityOutdated && !hasInertial)
        let assumed = follower.settings.defaultPositionSigmaMeters
        if !statedFixes.isAccuracyStated, !input.isDeadReckoning, (input.horizontalSigmaMeters ?? 0) <= assumed {
            input.horizontalSigmaMeters = nil
        }
        return input
    }

    /// Keeps the origin of the local frame near the position; its number changes with every new origin.
    private mutating func anchor(_ estimate: PoseEstimate) {
        guard let position = estimate.position else { return }
        if let origin {
            let offset = origin.origin.surfaceOffsetMeters(to: position)
            let radius = settings.originRadiusMeters
            guard !(offset.east * offset.east + offset.north * offset.north < radius * radius) else { return }
        }
        origin = LocalFrame(origin: position)
        originEpoch += 1
    }
}

extension Frame.SourceState {
    /// The state in the form of the frame. Frames is also the library of client programs and does not use Measurements,
    /// so it has its own enum. A new case in either enum does not compile until it is added here.
    init(_ state: SourceState) {
        self =
            switch state {
            case .absent: .absent
            case .opening: .opening
            case .waiting: .waiting
            case .streaming: .streaming
            case .stale: .stale
            case .lost: .lost
            }
    }
}
