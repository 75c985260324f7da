import Frames
import PoseMath

/// The pose at one instant, as the report shows it.
struct TrackSample: Sendable {
    /// Time on the recording's clock.
    var time = MonotonicTime(nanoseconds: 0)
    /// Time in UTC, nanoseconds since 1970.
    var utcNanoseconds: Int64?
    /// How far the pose can be trusted.
    var state = Frame.PoseState.starting
    /// Place, radians and metres above the ellipsoid.
    var latitudeRadians: Double?
    var longitudeRadians: Double?
    var altitudeMeters: Double?
    /// 1-sigma of each horizontal axis together, `sqrt(east^2 + north^2)`, and of the height, metres.
    var horizontalSigmaMeters: Double?
    var verticalSigmaMeters: Double?
    /// Attitude and its 1-sigma, radians.
    var headingRadians: Double?
    var headingSigmaRadians: Double?
    var rollRadians: Double?
    var pitchRadians: Double?
    /// Speed and speed limit, m/s.
    var speedMetersPerSecond: Double?
    var limitMetersPerSecond: Double?
    /// Colour of the speed.
    var colour = Frame.SpeedColour.unknown
    /// Age of the last accepted fix, seconds.
    var fixAgeSeconds: Double?

    /// The sample of a frame.
    init(_ frame: Frame) {
        let pose = frame.pose
        time = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        utcNanoseconds = frame.utcNanoseconds
        state = pose.state
        (latitudeRadians, longitudeRadians) = (pose.latitudeRadians, pose.longitudeRadians)
        altitudeMeters = pose.altitudeEllipsoidMeters
        if let sigma = pose.positionSigmaENUMeters {
            horizontalSigmaMeters = (sigma.x * sigma.x + sigma.y * sigma.y).squareRoot()
            verticalSigmaMeters = pose.altitudeEllipsoidMeters == nil ? nil : sigma.z
        }
        (headingRadians, headingSigmaRadians) = (pose.headingTrueRadians, pose.headingSigmaRadians)
        (rollRadians, pitchRadians) = (pose.rollRadians, pose.pitchRadians)
        speedMetersPerSecond =
            frame.speed.speedMetersPerSecond
            ?? pose.velocityENUMetersPerSecond.map { ($0.x * $0.x + $0.y * $0.y).squareRoot() }
        // The limit of the settings that stands for an unknown one is none.
        let isLimitKnown = frame.speed.limitSource != .fallback
        limitMetersPerSecond = isLimitKnown ? frame.speed.limitMetersPerSecond : nil
        colour = isLimitKnown ? frame.speed.colour : .unknown
        fixAgeSeconds = pose.fixAgeSeconds
    }
}

/// Samples at a fixed interval, which doubles when they become too many: a recording of any length has room.
struct SampleTrain<Sample> {
    /// The samples in the order of time.
    private(set) var samples: [Sample] = []
    /// Interval between two samples, seconds.
    private(set) var intervalSeconds: Double
    private let most: Int
    private var next: MonotonicTime?

    /// - Parameters:
    ///   - intervalSeconds: the interval at first.
    ///   - most: number of samples from which the interval doubles.
    init(intervalSeconds: Double, most: Int) {
        self.intervalSeconds = intervalSeconds
        self.most = max(most, 2)
    }

    /// Whether a sample of that time is due; the caller then adds it.
    mutating func isDue(at time: MonotonicTime) -> Bool {
        guard let next else {
            self.next = time.advanced(bySeconds: intervalSeconds)
            return true
        }
        guard time >= next else { return false }
        let after = next.advanced(bySeconds: intervalSeconds)
        // After a gap the interval begins anew.
        self.next = after > time ? after : time.advanced(bySeconds: intervalSeconds)
        return true
    }

    /// Adds a sample that was due.
    mutating func add(_ sample: Sample) {
        samples.append(sample)
        guard samples.count >= most else { return }
        var kept: [Sample] = []
        kept.reserveCapacity(most)
        for index in stride(from: 0, to: samples.count, by: 2) { kept.append(samples[index]) }
        samples = kept
        intervalSeconds *= 2
    }
}
