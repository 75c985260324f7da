/// Settings of route following. Distances in metres, times in seconds, angles in radians.
///
/// The defaults suit a car; each states its reason. "Sigma" below is the position's sigma combined with
/// ``mapSigmaMeters``.
public struct GuidanceSettings: Sendable, Equatable {
    /// A maneuver counts as reached at this distance before it, metres: the width of an intersection plus a car's
    /// length.
    public var maneuverReachedMeters = 20.0
    /// The route counts as finished at this distance before its end, metres: the entrance is in sight. Useful values
    /// are 10 to 50.
    public var arrivalMeters = 15.0
    /// Distance of a vehicle on the road from the line drawn for that road, 1-sigma, metres: half a carriageway plus
    /// the rounding of the data.
    public var mapSigmaMeters = 4.0
    /// Sigma assumed for a position without one, metres: a consumer receiver under open sky, with a margin.
    public var defaultPositionSigmaMeters = 8.0
    /// A position with a larger sigma is not used, metres: it could be two streets away.
    public var maximumPositionSigmaMeters = 100.0

    /// A larger distance from the route, that also exceeds ``departureSigmas``, is a departure if it lasts, metres. A
    /// wide carriageway and a usual receiver error stay below.
    public var departureMeters = 25.0
    /// The same threshold in sigmas: with 3.5, chance alone exceeds it once in 2,000.
    public var departureSigmas = 3.5
    /// Minimum duration of a departure that the direction of travel explains, seconds: three fixes at 1 Hz.
    public var departureSeconds = 3.0
    /// A larger distance is a departure even if the vehicle never turned away from the route, metres. Reflected signals
    /// also move the position without a turn, so this threshold is higher.
    public var unexplainedDepartureMeters = 50.0
    /// The same threshold in sigmas.
    public var unexplainedDepartureSigmas = 5.0
    /// Minimum duration of such a departure, seconds.
    public var unexplainedDepartureSeconds = 8.0
    /// The vehicle is back on the route below this share of the departure distance. The band between is the hysteresis.
    public var returnRatio = 0.75
    /// Minimum duration back on the route, seconds.
    public var returnSeconds = 2.0
    /// Minimum number of positions back on the route.
    public var returnPositions = 2
    /// A rejoin at least this much farther along than the departure is "rejoined ahead", metres.
    public var rejoinedAheadMeters = 60.0
    /// Time for which "rejoined ahead" is shown, seconds.
    public var rejoinedAheadShownSeconds = 5.0

    /// Before the route is first joined, a vehicle within this distance is approaching it and not off route, metres: a
    /// car park, a farm's drive.
    public var approachMeters = 150.0
    /// Maximum time in motion for approaching the route, seconds.
    public var approachSeconds = 60.0
    /// Without positions the progress advances by the speed for this long, seconds; in a tunnel, to the tunnel's end.
    public var coastingSeconds = 20.0

    /// Below this speed the direction of travel is ignored, m/s. 1.5 m/s is walking speed; a receiver's course at
    /// standstill is noise.
    public var movingMetersPerSecond = 1.5
    /// The same speed for a person, m/s: a slow walk. Half of it is standing.
    public static let walkingMetersPerSecond = 0.8
    /// Travel at more than this angle to the line's direction is the wrong way, radians (120 degrees: more than the
    /// corner of an intersection).
    public var wrongWayRadians = 2.094_395_102_393_195
    /// Minimum duration against the route, seconds.
    public var wrongWaySeconds = 3.0
    /// Minimum distance against the route, metres: longer than a parking manoeuvre.
    public var wrongWayMeters = 20.0
    /// Travel within this angle of the line's direction is the right way, radians (60 degrees).
    public var rightWayRadians = 1.047_197_551_196_597_6
    /// The vehicle must turn back if the point to return to is at least this angle off its direction of travel for
    /// ``uTurnSeconds``, radians (135 degrees).
    public var uTurnRadians = 2.356_194_490_192_345
    /// Minimum duration before a U-turn is reported, seconds.
    public var uTurnSeconds = 10.0

    /// Creates the default settings.
    public init() {}

    /// Whether a vehicle of a speed, m/s, stands; `false` where the speed is unknown.
    func isStanding(_ speed: Double?) -> Bool { speed.map { $0 < movingMetersPerSecond / 2 } ?? false }
}
