/// Everything about route following that may be set. Distances in metres, times in seconds, angles in radians.
///
/// The defaults are for a car; the reasons stand beside them. A sigma below is that of the position, joined with
/// ``mapSigmaMeters``.
public struct GuidanceSettings: Sendable, Equatable {
    /// A maneuver counts as reached this far before it, metres: the width of an intersection and the length of a car.
    public var maneuverReachedMeters = 20.0
    /// The route counts as finished this far before its end, metres: the entrance is in sight. 10 to 50 are sensible.
    public var arrivalMeters = 15.0
    /// How far a vehicle on the road may be from the line drawn for it, 1-sigma, metres: half a carriageway and the
    /// rounding of the data.
    public var mapSigmaMeters = 4.0
    /// Sigma taken for a position that comes without one, metres: a consumer receiver under open sky, with a margin.
    public var defaultPositionSigmaMeters = 8.0
    /// A position with a larger sigma is not followed, metres: it could be in the next street but one.
    public var maximumPositionSigmaMeters = 100.0

    /// Farther from the route than this, or than ``departureSigmas``, is a departure if it lasts, metres: a wide
    /// carriageway and a receiver's usual error stay below.
    public var departureMeters = 25.0
    /// The same in sigmas: with 3.5, chance alone does it in 1 of 2,000.
    public var departureSigmas = 3.5
    /// How long a departure that the direction of travel explains must last, seconds: three fixes a second apart.
    public var departureSeconds = 3.0
    /// Farther than this, in sigmas and metres, is a departure even if the vehicle never turned away from the route
    /// (a reflected signal moves the position without a turn, so this asks for more).
    public var unexplainedDepartureMeters = 50.0
    /// The same in sigmas.
    public var unexplainedDepartureSigmas = 5.0
    /// How long that must last, seconds.
    public var unexplainedDepartureSeconds = 8.0
    /// Nearer than this share of the departure's distance is back on the route: the band between them is the
    /// hysteresis.
    public var returnRatio = 0.75
    /// How long the vehicle must be back, seconds, and with how many positions.
    public var returnSeconds = 2.0
    /// With how many positions it must be back.
    public var returnPositions = 2
    /// Back this much farther along than it left is "rejoined ahead", metres.
    public var rejoinedAheadMeters = 60.0
    /// How long "rejoined ahead" is shown, seconds.
    public var rejoinedAheadShownSeconds = 5.0

    /// Before the route was ever joined, a vehicle this near to it is on its way there and not off it, metres: a car
    /// park, a farm's drive.
    public var approachMeters = 150.0
    /// But for no longer than this in motion, seconds.
    public var approachSeconds = 60.0
    /// Without positions the progress goes on with the vehicle's speed for this long, seconds; in a tunnel to its end.
    public var coastingSeconds = 20.0

    /// Below this speed a direction of travel means nothing, m/s: 1.5 m/s is a walk; a receiver's course at a stop is
    /// noise.
    public var movingMetersPerSecond = 1.5
    /// Travel against the line's direction by more than this is the wrong way, radians (120 degrees: an intersection's
    /// corner is not).
    public var wrongWayRadians = 2.094_395_102_393_195
    /// How long and how far against it, seconds.
    public var wrongWaySeconds = 3.0
    /// How far against it, metres: longer than a parking manoeuvre.
    public var wrongWayMeters = 20.0
    /// Within this of the line's direction is the right way, radians (60 degrees).
    public var rightWayRadians = 1.047_197_551_196_597_6
    /// The next point of the route this far or more to the rear for ``uTurnSeconds`` means that a turn back is needed,
    /// radians (135 degrees).
    public var uTurnRadians = 2.356_194_490_192_345
    /// For how long, seconds.
    public var uTurnSeconds = 10.0

    /// The defaults.
    public init() {}
}
