import Conversion
import DriveRecording
import Engine
import Frames
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Replay

/// Collects what a report shows while a recording is replayed. Its memory is bounded: what is too much is thinned.
final class DriveCollector: ReplaySink {
    /// A fix of the receiver.
    struct Fix: Sendable {
        /// Arrival on the recording's clock.
        var time: MonotonicTime
        /// Place, radians.
        var latitudeRadians: Double
        var longitudeRadians: Double
        /// From its validity to its arrival, seconds.
        var latencySeconds: Double
        /// Stated 1-sigma of the position, metres.
        var sigmaMeters: Double?
    }

    /// Something that happened.
    struct Event: Sendable {
        /// When, on the recording's clock.
        var time: MonotonicTime
        /// What, for people.
        var text: String
        /// How much it matters.
        var weight: Finding.Severity
    }

    /// The poses.
    private(set) var track = SampleTrain<TrackSample>(intervalSeconds: 0.2, most: 24_000)
    /// The fixes with a position.
    private(set) var fixes = SampleTrain<Fix>(intervalSeconds: 0.05, most: 20_000)
    /// Time from the validity of a fix to its arrival, milliseconds.
    private(set) var latencies = Distribution()
    /// The innovations.
    private(set) var innovations = InnovationLog()
    /// The first events, and how many there were.
    private(set) var events: [Event] = []
    private(set) var eventCount = 0
    /// Counts, rates and gaps of the sensors.
    private(set) var summary: RecordingSummary
    /// Statistics of the poses at every frame.
    private(set) var poses = PoseStatistics()
    /// The route that was followed last.
    private(set) var route: Route?
    /// What the recording says of itself; `nil` for a foreign one.
    private(set) var info: RecordingInfo?
    /// Path of the road file that was in use.
    private(set) var roadFile: String?
    /// Mount, antenna and magnetometer as they were known last.
    private(set) var calibration = SensorCalibration()
    /// Faults of the IMU that occurred, and seconds with each verdict on the receiver.
    private(set) var inertialFaults: InertialFaults = []
    private(set) var verdictSeconds: [ReceiverVerdict: Double] = [:]
    /// Seconds in which the motion did not fit the profile.
    private(set) var misfitSeconds = 0.0
    /// Time of the first and the last measurement.
    private(set) var begin: MonotonicTime?
    private(set) var end: MonotonicTime?

    private var detector = EventDetector()
    private var unreadInputs = 0
    private var lastRead: MonotonicTime?
    private static let mostEvents = 2000
    private static let mostLatencies = 200_000

    /// Begins with the sensors of a recording, if they are known.
    init(kinds: Set<SensorKind>) { summary = RecordingSummary(kinds: kinds) }

    func write(_ frame: Frame) {
        let time = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        poses.note(frame)
        if track.isDue(at: time) { track.add(TrackSample(frame)) }
        for change in detector.changes(to: frame) { note(change, at: time) }
    }

    func finish() {}
    func note(_ route: Route?) { if let route { self.route = route } }
    func note(_ info: RecordingInfo) { self.info = info }
    func note(_ roads: RoadFileIdentity) { roadFile = roads.path }
    func note(_ past: EnginePast) { poses.countJumps(from: past.estimator.jumpCount) }

    func note(_ event: SensorEvent, _ engine: inout Engine) {
        summary.note(event)
        let now = event.arrivalTime
        if begin == nil { begin = min(now, event.validityTime) }
        end = max(end ?? now, now)
        if case .gnss(let fix) = event {
            note(fix)
            unreadInputs = 3
        } else if event.kind != .imu {
            unreadInputs = max(unreadInputs, 1)
        }
        // A fix takes effect with one of the next samples, and a drive without fixes is read now and then.
        let sinceRead = lastRead.map { now.seconds(since: $0) } ?? .infinity
        guard unreadInputs > 0 ? sinceRead >= 0.02 : sinceRead >= 1 else { return }
        unreadInputs = max(unreadInputs - 1, 0)
        read(&engine, at: now, after: sinceRead.isFinite ? min(sinceRead, 1) : 0)
    }

    private func read(_ engine: inout Engine, at now: MonotonicTime, after seconds: Double) {
        lastRead = now
        innovations.read(&engine, at: now)
        let trust = innovations.trust
        inertialFaults.formUnion(trust.inertial)
        verdictSeconds[trust.receiver, default: 0] += seconds
        if !trust.doesProfileFit { misfitSeconds += seconds }
        let known = engine.calibration
        calibration.isConfiguredMountRefused = known.isConfiguredMountRefused
        calibration.magnetometer = known.magnetometer ?? calibration.magnetometer
        calibration.mount = known.mount ?? calibration.mount
    }

    private func note(_ fix: GnssFix) {
        let latency = fix.arrivalTime.seconds(since: fix.validityTime)
        if latencies.count < Self.mostLatencies { latencies.add(latency * 1000) }
        guard let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians, fixes.isDue(at: fix.arrivalTime)
        else { return }
        fixes.add(
            Fix(
                time: fix.arrivalTime, latitudeRadians: latitude, longitudeRadians: longitude, latencySeconds: latency,
                sigmaMeters: fix.horizontalSigmaMeters))
    }

    private func note(_ change: Message.Change, at time: MonotonicTime) {
        guard let (text, weight) = EventText.describe(change) else { return }
        eventCount += 1
        guard events.count < Self.mostEvents else { return }
        events.append(Event(time: time, text: text, weight: weight))
    }
}
