import Geodesy
import PoseMath

/// Position and motion of the vehicle at one instant.
public struct GuidanceInput: Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Position; `nil` if unknown.
    public var position: GeodeticPosition?
    /// 1-sigma of the position on each horizontal axis, metres; `nil` if unknown.
    public var horizontalSigmaMeters: Double?
    /// Course over ground, clockwise from true north, radians; `nil` if unknown or the vehicle is too slow.
    public var courseOverGroundRadians: Double?
    /// 1-sigma of the course, radians.
    public var courseSigmaRadians: Double?
    /// True heading of the vehicle, clockwise from true north, radians; used where there is no course.
    public var headingTrueRadians: Double?
    /// 1-sigma of the heading, radians.
    public var headingSigmaRadians: Double?
    /// Speed over ground, m/s, not negative.
    public var speedMetersPerSecond: Double?
    /// Whether the position is dead-reckoned, without satellites.
    public var isDeadReckoning: Bool

    /// Creates an input; what is left out is unknown.
    public init(
        time: MonotonicTime, position: GeodeticPosition? = nil, horizontalSigmaMeters: Double? = nil,
        courseOverGroundRadians: Double? = nil,
        speedMetersPerSecond: Double? = nil, isDeadReckoning: Bool = false
    ) {
        self.time = time
        self.position = position
        self.horizontalSigmaMeters = horizontalSigmaMeters
        self.courseOverGroundRadians = courseOverGroundRadians
        self.speedMetersPerSecond = speedMetersPerSecond
        self.isDeadReckoning = isDeadReckoning
    }
}
