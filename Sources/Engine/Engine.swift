import Frames
import Fusion
import Geodesy
import PoseMath

/// Sensors in, frames out.
public struct Engine: Sendable {
    private let settings: EngineSettings
    private var estimator: PoseEstimator
    private var sequence: UInt64 = 0
    private var sources = Frame.Sources()
    private var clock = UTCLabel()
    private var lastFix: GnssFix?
    private var origin: LocalFrame?
    private var originEpoch: UInt32 = 0
    private var headingTrimRadians = 0.0

    /// The latest frame.
    public private(set) var frame = Frame()

    /// An engine that has seen nothing.
    public init(settings: EngineSettings = EngineSettings()) {
        self.settings = settings
        estimator = PoseEstimator(settings: settings.fusion)
    }

    /// Takes one sensor event.
    ///
    /// - Returns: whether it made a new ``frame``: each IMU sample does, and each fix while no IMU runs.
    public mutating func ingest(_ event: SensorEvent) -> Bool {
        if case .gnss(let fix) = event { note(fix) }
        guard estimator.ingest(event) else { return false }
        makeFrame()
        return true
    }

    /// Takes the changed state of a source.
    public mutating func ingest(_ report: SourceReport) {
        let state = Frame.SourceState(report.state)
        switch report.source {
        case .gps: sources.gps = state
        case .imu: sources.imu = state
        case .magnetometer: sources.magnetometer = state
        case .barometer: sources.barometer = state
        case .wheels: sources.wheels = state
        }
        frame.sources = sources
    }

    /// Turns every published heading and attitude by an angle, clockwise positive, on top of the trim so far.
    public mutating func trimHeading(byRadians angle: Double) { setHeadingTrim(radians: headingTrimRadians + angle) }

    /// Sets the heading trim, clockwise positive; it lasts until ``reset()``.
    public mutating func setHeadingTrim(radians: Double) {
        guard radians.isFinite else { return }
        headingTrimRadians = Angle.wrappedToPi(radians)
    }

    /// Drops origin, trim and progress, and aligns anew.
    public mutating func reset() {
        estimator.restart()
        origin = nil
        headingTrimRadians = 0
    }

    /// What the estimator refused so far.
    public var rejections: RejectionCounters { estimator.rejections }

    /// The last use of one aiding source; `nil` while the Kalman filter does not run.
    public func aid(_ source: AidSource) -> AidRecord? { estimator.aid(source) }

    private mutating func note(_ fix: GnssFix) {
        clock.note(fix)
        frame.pose.fixMode = fix.mode.rawValue
        frame.pose.satellitesUsed = fix.satellitesUsed
        lastFix = fix
    }

    private mutating func makeFrame() {
        let estimate = estimator.estimate
        sequence += 1
        frame.sequence = sequence
        frame.timeNanoseconds = estimate.time.nanoseconds
        frame.utcNanoseconds = clock.utcNanoseconds(at: estimate.time)
        frame.sources = sources
        anchor(estimate)
        frame.pose.describe(
            estimate, origin: origin, trimRadians: headingTrimRadians, courseMinimumSpeed: settings.courseMinimumSpeedMetersPerSecond)
        frame.pose.originEpoch = originEpoch
        frame.speed.speedMetersPerSecond = estimate.velocityENUMetersPerSecond?.horizontalLength
    }

    /// Keeps a local frame near the position; its number changes with every new anchoring.
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
    /// The wire's form of a source's state.
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
