import Geodesy
import PoseMath

/// Where the vehicle is and how it moves, at one instant.
public struct GuidanceInput: Sendable {
    /// When all of it is valid.
    public var time: MonotonicTime
    /// Where; `nil` while unknown.
    public var position: GeodeticPosition?
    /// 1-sigma of the position on each horizontal axis, metres; `nil` where unknown.
    public var horizontalSigmaMeters: Double?
    /// Direction of travel over ground, clockwise from true north, radians; `nil` where unknown or too slow to have
    /// one.
    public var courseOverGroundRadians: Double?
    /// 1-sigma of it, radians.
    public var courseSigmaRadians: Double?
    /// Direction of the vehicle's nose, clockwise from true north, radians; used where there is no course.
    public var headingTrueRadians: Double?
    /// 1-sigma of it, radians.
    public var headingSigmaRadians: Double?
    /// Speed over ground, m/s, not negative.
    public var speedMetersPerSecond: Double?
    /// Whether the position is carried on without satellites.
    public var isDeadReckoning: Bool

    /// An input; what is left out is unknown.
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
