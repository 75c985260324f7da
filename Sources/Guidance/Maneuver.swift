/// A maneuver on a route: position, kind and the router's texts.
public struct Maneuver: Sendable, Equatable {
    /// Kind of maneuver; the raw values are the words of the OSRM format.
    public enum Kind: String, Sendable, CaseIterable {
        /// Start of the route.
        case depart
        /// End of the route, or a waypoint on it.
        case arrive
        /// A turn at an intersection.
        case turn
        /// The road's name changes; no action.
        case newName = "new name"
        /// Continue straight, or follow a bend of the road.
        case proceed = "continue"
        /// Merge onto another road without an intersection.
        case merge
        /// Enter a motorway.
        case onRamp = "on ramp"
        /// Leave a motorway.
        case offRamp = "off ramp"
        /// Take one side of a fork.
        case fork
        /// Turn at the end of a road.
        case endOfRoad = "end of road"
        /// Enter a roundabout.
        case roundabout
        /// Enter a named roundabout.
        case rotary
        /// Turn at a small roundabout that is treated as an intersection.
        case roundaboutTurn = "roundabout turn"
        /// Leave a roundabout.
        case exitRoundabout = "exit roundabout"
        /// Leave a named roundabout.
        case exitRotary = "exit rotary"
        /// Information only; no action.
        case notification
        /// A bend found in the line of a route without maneuvers.
        case bend
        /// A kind unknown to this program.
        case other
    }

    /// Direction given by the router; the raw values are the words of the OSRM format.
    public enum Modifier: String, Sendable, CaseIterable {
        /// U-turn.
        case uTurn = "uturn"
        /// Sharp turn to the right.
        case sharpRight = "sharp right"
        /// Turn to the right.
        case right
        /// Slight turn to the right.
        case slightRight = "slight right"
        /// Straight ahead.
        case straight
        /// Slight turn to the left.
        case slightLeft = "slight left"
        /// Turn to the left.
        case left
        /// Sharp turn to the left.
        case sharpLeft = "sharp left"
    }

    /// Index in the route's list of maneuvers, from 0.
    public let id: Int
    /// Kind of the maneuver.
    public let kind: Kind
    /// Direction given by the router; `nil` if it gave none.
    public let modifier: Modifier?
    /// Along-route distance from the start, metres.
    public let alongMeters: Double
    /// Turn angle of the route, measured over some metres before and after, radians in (-pi, pi], right positive; `nil`
    /// at the start and the end of the route.
    public let turnAngleRadians: Double?
    /// The router's instruction text, unchanged.
    public let instruction: String?
    /// Name of the road after the maneuver, unchanged.
    public let roadName: String?
    /// Which exit of a roundabout, from 1.
    public let exit: Int?
    /// The lanes before the maneuver from left to right; empty if the router gave none.
    public let lanes: [Lane]
}

/// A maneuver as a router gives it, before the route is measured.
public struct PlannedManeuver: Sendable, Equatable {
    /// Index of its point in the plan's points.
    public var point: Int
    /// Kind of the maneuver.
    public var kind: Maneuver.Kind
    /// Direction given by the router; `nil` if it gave none.
    public var modifier: Maneuver.Modifier?
    /// The router's instruction text.
    public var instruction: String?
    /// Name of the road after the maneuver.
    public var roadName: String?
    /// Which exit of a roundabout, from 1.
    public var exit: Int?
    /// The lanes before the maneuver from left to right.
    public var lanes: [Lane]

    /// Creates a maneuver at a point of the plan.
    public init(
        point: Int, kind: Maneuver.Kind, modifier: Maneuver.Modifier? = nil, instruction: String? = nil,
        roadName: String? = nil, exit: Int? = nil,
        lanes: [Lane] = []
    ) {
        self.point = point
        self.kind = kind
        self.modifier = modifier
        self.instruction = instruction
        self.roadName = roadName
        self.exit = exit
        self.lanes = lanes
    }
}
