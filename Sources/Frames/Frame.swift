/// One published answer: pose, guidance and speed at one instant. A flat value without references; unknown is `nil`.
///
/// Units are SI, angles radians inside; the binary and the JSON forms state theirs in the field names.
public struct Frame: Sendable, Equatable {
    /// Counts the frames of one engine from 1; a gap means that frames were dropped.
    public var sequence: UInt64 = 0
    /// When all of it is valid: CLOCK_MONOTONIC, nanoseconds. As published, the moment of publishing, to which the pose
    /// is predicted.
    public var timeNanoseconds: Int64 = 0
    /// When the newest measurement in it was valid: CLOCK_MONOTONIC, nanoseconds; its age and the span of the
    /// prediction are counted from here.
    public var measuredNanoseconds: Int64 = 0
    /// When it was handed to the clients: CLOCK_MONOTONIC, nanoseconds; 0 where it was not, as in a replay.
    public var publishedNanoseconds: Int64 = 0
    /// The same instant in UTC, nanoseconds since 1970, when a receiver has told it.
    public var utcNanoseconds: Int64?
    /// Where and how turned.
    public var pose = Pose()
    /// Along the route.
    public var guidance = Guidance()
    /// How fast against the limit.
    public var speed = Speed()
    /// State of each source, by the raw value of its kind; the raw values of its state.
    public var sources = Sources()

    /// A frame that knows nothing.
    public init() {}

    /// Three numbers: a vector whose frame and unit the holder names.
    public struct Triple: Sendable, Equatable {
        /// First component.
        public var x: Double
        /// Second component.
        public var y: Double
        /// Third component.
        public var z: Double

        /// The three numbers.
        public init(_ x: Double, _ y: Double, _ z: Double) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// A quaternion, scalar first.
    public struct Quadruple: Sendable, Equatable {
        /// Scalar part.
        public var w: Double
        /// First component of the vector part.
        public var x: Double
        /// Second component of the vector part.
        public var y: Double
        /// Third component of the vector part.
        public var z: Double

        /// The four numbers.
        public init(_ w: Double, _ x: Double, _ y: Double, _ z: Double) {
            self.w = w
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// Where and how turned.
    public struct Pose: Sendable, Equatable {
        /// How far it can be trusted.
        public var state: PoseState = .starting
        /// Latitude, radians.
        public var latitudeRadians: Double?
        /// Longitude, radians.
        public var longitudeRadians: Double?
        /// Height above the ellipsoid, metres.
        public var altitudeEllipsoidMeters: Double?
        /// Height above mean sea level, metres.
        public var altitudeMeanSeaMeters: Double?
        /// 1-sigma of the position, east, north, up, metres.
        public var positionSigmaENUMeters: Triple?
        /// Position in the local frame: east, north, up of ``originLatitudeRadians`` and the rest, metres.
        public var positionENUMeters: Triple?
        /// The local frame's origin: latitude, radians.
        public var originLatitudeRadians: Double?
        /// The local frame's origin: longitude, radians.
        public var originLongitudeRadians: Double?
        /// The local frame's origin: height above the ellipsoid, metres.
        public var originAltitudeEllipsoidMeters: Double?
        /// Counts the origins; changes when the local frame is anchored anew.
        public var originEpoch: UInt32 = 0
        /// Velocity over ground, east, north, up, m/s.
        public var velocityENUMetersPerSecond: Triple?
        /// 1-sigma of the velocity, m/s.
        public var velocitySigmaENUMetersPerSecond: Triple?
        /// Attitude, scalar first: body (x forward, y left, z up) to east-north-up.
        public var bodyToENU: Quadruple?
        /// Right side down positive, radians.
        public var rollRadians: Double?
        /// Nose up positive, radians.
        public var pitchRadians: Double?
        /// Clockwise from true north, radians; `nil` while no heading is known.
        public var headingTrueRadians: Double?
        /// Clockwise from magnetic north, radians; `nil` without a known declination.
        public var headingMagneticRadians: Double?
        /// Course over ground, clockwise from true north, radians; `nil` when too slow to have one.
        public var courseOverGroundRadians: Double?
        /// 1-sigma of roll and pitch, radians.
        public var tiltSigmaRadians: Double?
        /// 1-sigma of the true heading, radians.
        public var headingSigmaRadians: Double?
        /// Rate of turn about the body's axes, rad/s.
        public var angularRateBodyRadiansPerSecond: Triple?
        /// Acceleration along the body's axes, gravity removed, m/s2.
        public var linearAccelerationBodyMetersPerSecondSquared: Triple?
        /// Direction of gravity (down) in body axes, unit length.
        public var gravityDirectionBody: Triple?
        /// Sideways acceleration as felt (slip ball), m/s2, right positive.
        public var slipMetersPerSecondSquared: Double?
        /// Heading trim in force, radians, clockwise positive.
        public var headingTrimRadians: Double = 0
        /// Whether the body was found to stand still.
        public var isStandingStill = false
        /// Seconds since the last accepted fix was valid.
        public var fixAgeSeconds: Double?
        /// Satellites used in the last fix.
        public var satellitesUsed: UInt16?
        /// gpsd's mode of the last fix: 1 none, 2 two-dimensional, 3 three-dimensional; 0 never had one.
        public var fixMode: UInt8 = 0
        /// Counts announced jumps.
        public var resetCount: UInt32 = 0
        /// The last announced jump, east, north, up, metres.
        public var resetDeltaENUMeters = Triple(0, 0, 0)
        /// The last announced jump of heading, radians.
        public var resetDeltaHeadingRadians: Double = 0
        /// Acceleration over ground, east, north, up, m/s2: a display carries position and velocity on by it.
        public var accelerationENUMetersPerSecondSquared: Triple?
        /// Rate of the heading, clockwise positive, rad/s.
        public var turnRateRadiansPerSecond: Double?
        /// How far this pose still is from the best one, east, north, up, metres: what a glide over a jump has left.
        public var glideENUMeters = Triple(0, 0, 0)
        /// The same of its heading, radians.
        public var glideHeadingRadians: Double = 0

        /// A pose that knows nothing.
        public init() {}
    }

    /// Along the route.
    public struct Guidance: Sendable, Equatable {
        /// Where on or off the route.
        public var state: GuidanceState = .noRoute
        /// Changes with every route loaded or cleared, so that clients rebuild only then.
        public var routeVersion: UInt32 = 0
        /// Along the route from its start, metres.
        public var progressMeters: Double?
        /// Sideways distance from the route, metres, left negative.
        public var crossTrackMeters: Double?
        /// Bearing of the route here, clockwise from true north, radians.
        public var segmentBearingRadians: Double?
        /// Index of the next maneuver in the route's list.
        public var nextManeuver: UInt32?
        /// Along the route to the next maneuver, metres.
        public var distanceToTurnMeters: Double?
        /// Straight to the next maneuver, metres.
        public var straightDistanceToTurnMeters: Double?
        /// Its turn, clockwise positive, radians in (-pi, pi].
        public var turnAngleRadians: Double?
        /// Along the route to its end, metres.
        public var distanceLeftMeters: Double?
        /// Time to its end, seconds.
        public var timeLeftSeconds: Double?
        /// Counts the jumps of the progress along one route: a loop cut short, a return further ahead.
        public var jumpCount: UInt32 = 0
        /// The last of them, metres.
        public var jumpDeltaMeters: Double = 0
        /// Whether the route lies in a tunnel here.
        public var isInTunnel = false

        /// Guidance without a route.
        public init() {}
    }

    /// How fast against the limit.
    public struct Speed: Sendable, Equatable {
        /// Speed over ground, m/s.
        public var speedMetersPerSecond: Double?
        /// The limit here, m/s.
        public var limitMetersPerSecond: Double?
        /// What the vehicle's speedometer shows, as set, m/s: colour and ratio go by it.
        public var indicatedMetersPerSecond: Double?
        /// Speed over limit.
        public var ratio: Double?
        /// Colour to show.
        public var colour: SpeedColour = .unknown
        /// Where the limit comes from.
        public var limitSource: LimitSource = .none
        /// The next limit that is another one, m/s.
        public var nextLimitMetersPerSecond: Double?
        /// Along the way to where it begins, metres.
        public var distanceToNextLimitMeters: Double?
        /// Where the next limit comes from.
        public var nextLimitSource: LimitSource = .none
        /// Speed at which the next curve is comfortable, m/s.
        public var curveSpeedMetersPerSecond: Double?
        /// Along the way to where that speed should be reached, metres.
        public var distanceToCurveMeters: Double?
        /// Whether the limit also depends on conditions (time of day, rain, vehicle) that were left out.
        public var hasCondition = false

        /// Nothing known.
        public init() {}
    }

    /// State of each source: raw values of ``SourceState``.
    public struct Sources: Sendable, Equatable {
        /// Satellite receiver.
        public var gps: SourceState = .absent
        /// Gyro and accelerometer.
        public var imu: SourceState = .absent
        /// Magnetometer.
        public var magnetometer: SourceState = .absent
        /// Barometer.
        public var barometer: SourceState = .absent
        /// Wheel speed.
        public var wheels: SourceState = .absent

        /// All absent.
        public init() {}
    }

    /// How far the pose can be trusted; the raw value is the wire's.
    public enum PoseState: UInt8, Sendable, CaseIterable {
        /// Nothing usable yet.
        case starting = 0
        /// Level known; the rest being found.
        case aligning = 1
        /// Large or unproved uncertainty.
        case coarse = 2
        /// Everything known and consistent.
        case aligned = 3
        /// Without satellites, uncertainty growing.
        case deadReckoning = 4
        /// Too uncertain to be of use.
        case lost = 5
    }

    /// Where on or off the route; the raw value is the wire's.
    public enum GuidanceState: UInt8, Sendable, CaseIterable {
        /// No route is loaded.
        case noRoute = 0
        /// A route is loaded; no position yet.
        case waiting = 1
        /// Following it.
        case onRoute = 2
        /// On the route, off the present step.
        case offStep = 3
        /// Away from it.
        case offRoute = 4
        /// On it in the wrong direction.
        case wrongWay = 5
        /// A turn back is needed.
        case uTurnNeeded = 6
        /// Back on it further ahead.
        case rejoinedAhead = 7
        /// At its end.
        case arrived = 8
    }

    /// Colour of the speed; the raw value is the wire's.
    public enum SpeedColour: UInt8, Sendable, CaseIterable {
        /// No limit or no speed.
        case unknown = 0
        /// Below the limit.
        case blue = 1
        /// From the limit on.
        case orange = 2
        /// Well above it.
        case red = 3
    }

    /// Where a limit comes from; the raw value is the wire's.
    public enum LimitSource: UInt8, Sendable, CaseIterable {
        /// No limit.
        case none = 0
        /// The route's annotation.
        case route = 1
        /// The road data.
        case road = 2
        /// The table by class of road.
        case roadClass = 3
        /// The default, 50 km/h unless set.
        case fallback = 4
    }

    /// Life of a source; the raw value is the wire's.
    public enum SourceState: UInt8, Sendable, CaseIterable {
        /// Not there, or not configured.
        case absent = 0
        /// Being opened.
        case opening = 1
        /// Open; no data yet.
        case waiting = 2
        /// Data flows.
        case streaming = 3
        /// Data stopped; still open.
        case stale = 4
        /// Gone; being retried.
        case lost = 5
    }
}
