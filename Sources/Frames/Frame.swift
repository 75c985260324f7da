/// One published frame: pose, guidance and speed at one instant. A value without references; unknown values are `nil`.
///
/// Units are SI and angles are radians; field names of the binary and JSON forms state their units.
public struct Frame: Sendable, Equatable {
    /// Counts the frames of one engine from 1; a gap means that frames were dropped.
    public var sequence: UInt64 = 0
    /// Time for which the frame is valid: CLOCK_MONOTONIC, nanoseconds. In a published frame it is the moment of
    /// publishing, to which the pose is predicted.
    public var timeNanoseconds: Int64 = 0
    /// Time of validity of the newest measurement in the frame: CLOCK_MONOTONIC, nanoseconds. Age and prediction
    /// interval start here.
    public var measuredNanoseconds: Int64 = 0
    /// Time of publishing to the clients: CLOCK_MONOTONIC, nanoseconds; 0 if it was not published, as in a replay.
    public var publishedNanoseconds: Int64 = 0
    /// The same time as ``timeNanoseconds`` in UTC, nanoseconds since 1970; `nil` before a receiver has reported UTC.
    public var utcNanoseconds: Int64?
    /// Whether the frame comes from a simulated drive: no sensor is read.
    public var isSimulated = false
    /// Position, velocity and attitude.
    public var pose = Pose()
    /// Guidance along the route.
    public var guidance = Guidance()
    /// Speed and speed limit.
    public var speed = Speed()
    /// State of each source.
    public var sources = Sources()

    /// Creates a frame in which everything is unknown.
    public init() {}

    /// Three numbers: a vector. The property that holds it names its coordinate frame and unit.
    public struct Triple: Sendable, Equatable {
        /// First component.
        public var x: Double
        /// Second component.
        public var y: Double
        /// Third component.
        public var z: Double

        /// Creates the vector from its components.
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

        /// Creates the quaternion from its components.
        public init(_ w: Double, _ x: Double, _ y: Double, _ z: Double) {
            self.w = w
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// Position, velocity and attitude.
    public struct Pose: Sendable, Equatable {
        /// How far the pose can be trusted.
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
        /// Position in the local frame: east, north, up from the origin at ``originLatitudeRadians``, metres.
        public var positionENUMeters: Triple?
        /// The local frame's origin: latitude, radians.
        public var originLatitudeRadians: Double?
        /// The local frame's origin: longitude, radians.
        public var originLongitudeRadians: Double?
        /// The local frame's origin: height above the ellipsoid, metres.
        public var originAltitudeEllipsoidMeters: Double?
        /// Counts the origins; changes when the local frame gets a new origin.
        public var originEpoch: UInt32 = 0
        /// Velocity over ground, east, north, up, m/s.
        public var velocityENUMetersPerSecond: Triple?
        /// 1-sigma of the velocity, m/s.
        public var velocitySigmaENUMetersPerSecond: Triple?
        /// Attitude, scalar first: rotation from body (x forward, y left, z up) to east-north-up. Its north is the
        /// magnetic one where only the magnetic heading is known, and arbitrary where no heading is.
        public var bodyToENU: Quadruple?
        /// Roll, right side down positive, radians.
        public var rollRadians: Double?
        /// Pitch, nose up positive, radians.
        public var pitchRadians: Double?
        /// True heading, clockwise from true north, radians; `nil` while unknown.
        public var headingTrueRadians: Double?
        /// Magnetic heading, clockwise from magnetic north, radians; `nil` without a magnetometer and without a known
        /// declination.
        public var headingMagneticRadians: Double?
        /// 1-sigma of the magnetic heading, radians; known with it.
        public var headingMagneticSigmaRadians: Double?
        /// Course over ground, clockwise from true north, radians; `nil` when the speed is too low for a course.
        public var courseOverGroundRadians: Double?
        /// 1-sigma of roll and pitch, radians.
        public var tiltSigmaRadians: Double?
        /// 1-sigma of the true heading, radians.
        public var headingSigmaRadians: Double?
        /// Angular rate about the body axes, rad/s.
        public var angularRateBodyRadiansPerSecond: Triple?
        /// Acceleration along the body axes without gravity, m/s2.
        public var linearAccelerationBodyMetersPerSecondSquared: Triple?
        /// Direction of gravity (down) in body axes, unit length.
        public var gravityDirectionBody: Triple?
        /// Specific force to the left, m/s2: a slip ball goes right where it is positive.
        public var slipMetersPerSecondSquared: Double?
        /// Heading trim in force, radians, clockwise positive.
        public var headingTrimRadians: Double = 0
        /// Whether the body stands still: it does not vibrate or turn, and has no speed.
        public var isStandingStill = false
        /// Whether a correction is blended whose steps are visible: larger than 3 cm or 0.05 degrees at 60 Hz. Only for
        /// clients that subscribed to a smooth pose.
        public var isBlending = false
        /// Time since the last accepted fix was valid, seconds.
        public var fixAgeSeconds: Double?
        /// Satellites used in the last fix.
        public var satellitesUsed: UInt16?
        /// gpsd's mode of the last fix: 0 none yet, 1 no fix (replays only), 2 two-dimensional, 3 three-dimensional.
        public var fixMode: UInt8 = 0
        /// Counts announced jumps of the pose.
        public var resetCount: UInt32 = 0
        /// The last announced jump, east, north, up, metres.
        public var resetDeltaENUMeters = Triple(0, 0, 0)
        /// The last announced jump of heading, radians.
        public var resetDeltaHeadingRadians: Double = 0
        /// Acceleration over ground, east, north, up, m/s2: a display extrapolates position and velocity with it.
        public var accelerationENUMetersPerSecondSquared: Triple?
        /// Rate of the heading, clockwise positive, rad/s.
        public var turnRateRadiansPerSecond: Double?
        /// Remaining difference between this pose and the best one while gliding over a jump, east, north, up, metres.
        public var glideENUMeters = Triple(0, 0, 0)
        /// Remaining difference of the heading while gliding over a jump, radians.
        public var glideHeadingRadians: Double = 0

        /// Creates a pose in which everything is unknown.
        public init() {}
    }

    /// Guidance along the route.
    public struct Guidance: Sendable, Equatable {
        /// Position relative to the route.
        public var state: GuidanceState = .noRoute
        /// Changes with every route that is loaded or cleared, so that clients rebuild their view only then.
        public var routeVersion: UInt32 = 0
        /// Distance along the route from its start, metres.
        public var progressMeters: Double?
        /// Sideways distance from the route, metres, left negative.
        public var crossTrackMeters: Double?
        /// Bearing of the route here, clockwise from true north, radians.
        public var segmentBearingRadians: Double?
        /// Index of the next maneuver in the route's list.
        public var nextManeuver: UInt32?
        /// Distance along the route to the next maneuver, metres.
        public var distanceToTurnMeters: Double?
        /// Straight-line distance to the next maneuver, metres.
        public var straightDistanceToTurnMeters: Double?
        /// Turn angle of the next maneuver, clockwise positive, radians in (-pi, pi].
        public var turnAngleRadians: Double?
        /// Distance along the route to its end, metres.
        public var distanceLeftMeters: Double?
        /// Time to the end of the route, seconds.
        public var timeLeftSeconds: Double?
        /// Counts the jumps of the progress along one route, for example when a loop is skipped or the route is
        /// rejoined further ahead.
        public var jumpCount: UInt32 = 0
        /// The last jump of the progress, metres.
        public var jumpDeltaMeters: Double = 0
        /// Whether the route is in a tunnel here.
        public var isInTunnel = false
        /// Distance along the route to the maneuver after the next one, metres; known when it is near.
        public var distanceToThenMeters: Double?
        /// Age of the position that the guidance used, seconds; `nil` before the first one.
        public var ageSeconds: Double?
        /// Index of the first maneuver that can be a waypoint not yet reached; not a part of the messages of a frame.
        package var firstWaypointAhead = 0
        /// What happened along the route. It is not a part of the messages of a frame: ``EventDetector`` makes events
        /// of it.
        package var log = GuidanceLog()

        /// Guidance without a route.
        public init() {}
    }

    /// Speed and speed limit.
    public struct Speed: Sendable, Equatable {
        /// Speed over ground, m/s.
        public var speedMetersPerSecond: Double?
        /// The speed limit here, m/s.
        public var limitMetersPerSecond: Double?
        /// Speed that the vehicle's speedometer shows, from the settings, m/s: colour and ratio use it.
        public var indicatedMetersPerSecond: Double?
        /// Speed divided by the limit.
        public var ratio: Double?
        /// Colour for the display.
        public var colour: SpeedColour = .unknown
        /// Source of the limit.
        public var limitSource: LimitSource = .none
        /// The next limit with a different value, m/s.
        public var nextLimitMetersPerSecond: Double?
        /// Distance along the way to the start of the next limit, metres.
        public var distanceToNextLimitMeters: Double?
        /// Source of the next limit.
        public var nextLimitSource: LimitSource = .none
        /// Comfortable speed for the next curve, m/s.
        public var curveSpeedMetersPerSecond: Double?
        /// Distance along the way to the point where that speed should be reached, metres.
        public var distanceToCurveMeters: Double?
        /// Whether the limit also depends on something that is not known, such as wetness, a holiday or a weight.
        public var hasCondition = false
        /// Why the limit here is not the road's general one.
        public var limitReason: LimitReason = .none
        /// Why the next limit is not its road's general one.
        public var nextLimitReason: LimitReason = .none
        /// Age of the speed that was used, seconds; `nil` while there is none.
        public var ageSeconds: Double?

        /// Creates a value in which everything is unknown.
        public init() {}
    }

    /// State of each source.
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
        /// Age of the newest fix, seconds; like the ages below `nil` while there are no data.
        public var gpsAgeSeconds: Double?
        /// Age of the newest IMU sample, seconds.
        public var imuAgeSeconds: Double?
        /// Age of the newest reading of the magnetometer, seconds.
        public var magnetometerAgeSeconds: Double?
        /// Age of the newest reading of the barometer, seconds.
        public var barometerAgeSeconds: Double?
        /// Age of the newest wheel speed, seconds.
        public var wheelsAgeSeconds: Double?

        /// Creates a value in which every source is absent.
        public init() {}
    }

    /// How far the pose can be trusted; the raw value is the code in the wire format.
    public enum PoseState: UInt8, Sendable, CaseIterable {
        /// Nothing usable yet.
        case starting = 0
        /// Roll and pitch are known; position and heading are being estimated.
        case aligning = 1
        /// Large or unconfirmed uncertainty.
        case coarse = 2
        /// Everything is known and consistent.
        case aligned = 3
        /// Without satellites; the uncertainty grows.
        case deadReckoning = 4
        /// Too uncertain to be used.
        case lost = 5
        /// Attitude without a position.
        case attitudeOnly = 6
    }

    /// Position relative to the route; the raw value is the code in the wire format.
    public enum GuidanceState: UInt8, Sendable, CaseIterable {
        /// No route is loaded.
        case noRoute = 0
        /// A route is loaded; no position yet.
        case waiting = 1
        /// Following the route.
        case onRoute = 2
        /// On the route, but away from its current step.
        case offStep = 3
        /// Away from the route.
        case offRoute = 4
        /// On the route in the wrong direction.
        case wrongWay = 5
        /// A U-turn is needed.
        case uTurnNeeded = 6
        /// Back on the route, further ahead.
        case rejoinedAhead = 7
        /// At the end of the route.
        case arrived = 8
    }

    /// Colour of the speed; the raw value is the code in the wire format.
    public enum SpeedColour: UInt8, Sendable, CaseIterable {
        /// No limit or no speed known.
        case unknown = 0
        /// Below the limit.
        case blue = 1
        /// At or above the limit.
        case orange = 2
        /// Far above the limit.
        case red = 3
    }

    /// Source of a limit; the raw value is the code in the wire format.
    public enum LimitSource: UInt8, Sendable, CaseIterable {
        /// No limit.
        case none = 0
        /// The route's annotation.
        case route = 1
        /// The imported road data.
        case road = 2
        /// The table of limits by road class.
        case roadClass = 3
        /// The fallback setting, 50 km/h by default.
        case fallback = 4
    }

    /// Why a limit is not the road's general one; the raw value is the code in the wire format.
    public enum LimitReason: UInt8, Sendable, CaseIterable {
        /// It is the general limit, or no limit is known.
        case none = 0
        /// The hour or the day of the week.
        case time = 1
        /// The date.
        case season = 2
        /// A wet road.
        case weather = 3
        /// The kind of vehicle.
        case vehicle = 4
        /// A trailer.
        case trailer = 5
        /// The weight.
        case weight = 6
        /// Several of them.
        case several = 7
    }

    /// State of a source; the raw value is the code in the wire format.
    public enum SourceState: UInt8, Sendable, CaseIterable {
        /// Not present, or not configured.
        case absent = 0
        /// Being opened.
        case opening = 1
        /// Open; no data yet.
        case waiting = 2
        /// Data arrives.
        case streaming = 3
        /// Data stopped; the source is still open.
        case stale = 4
        /// The source was lost and is being retried.
        case lost = 5
    }
}
