/// One thing to do on the way: where, what, and the words for it.
public struct Maneuver: Sendable, Equatable {
    /// What is to be done; the raw values are the words of the OSRM form.
    public enum Kind: String, Sendable, CaseIterable {
        /// The start.
        case depart
        /// The end of the route, or a waypoint on it.
        case arrive
        /// A turn at an intersection.
        case turn
        /// The road's name changes; nothing to do.
        case newName = "new name"
        /// Straight on, or along the bending road.
        case proceed = "continue"
        /// On to another road without an intersection.
        case merge
        /// On to a motorway.
        case onRamp = "on ramp"
        /// Off a motorway.
        case offRamp = "off ramp"
        /// One side of a fork.
        case fork
        /// A turn at the end of a road.
        case endOfRoad = "end of road"
        /// Into a roundabout.
        case roundabout
        /// Into a roundabout with a name.
        case rotary
        /// A turn at a roundabout so small that it is treated as an intersection.
        case roundaboutTurn = "roundabout turn"
        /// Out of a roundabout.
        case exitRoundabout = "exit roundabout"
        /// Out of a roundabout with a name.
        case exitRotary = "exit rotary"
        /// Something worth telling, nothing to do.
        case notification
        /// A bend found in the line of a route that came without maneuvers.
        case bend
        /// A kind that this program does not know.
        case other
    }

    /// The direction as the router tells it; the raw values are the words of the OSRM form.
    public enum Modifier: String, Sendable, CaseIterable {
        /// Back.
        case uTurn = "uturn"
        /// More than a right angle to the right.
        case sharpRight = "sharp right"
        /// To the right.
        case right
        /// A little to the right.
        case slightRight = "slight right"
        /// Straight on.
        case straight
        /// A little to the left.
        case slightLeft = "slight left"
        /// To the left.
        case left
        /// More than a right angle to the left.
        case sharpLeft = "sharp left"
    }

    /// Position in the route's list, from 0.
    public let id: Int
    /// What is to be done.
    public let kind: Kind
    /// The direction as the router tells it, if it does.
    public let modifier: Modifier?
    /// Where, along the route from its start, metres.
    public let alongMeters: Double
    /// How much the route turns here, measured over some metres before and behind, radians in (-pi, pi], right
    /// positive; `nil` where the route begins or ends.
    public let turnAngleRadians: Double?
    /// The router's words, untouched.
    public let instruction: String?
    /// Name of the road behind the maneuver, untouched.
    public let roadName: String?
    /// Which exit of a roundabout, from 1.
    public let exit: Int?
    /// The lanes before it from left to right; empty where the router gave none.
    public let lanes: [Lane]
}

/// A maneuver as a router gives it, before the route is measured.
public struct PlannedManeuver: Sendable, Equatable {
    /// Index of its point in the route's points.
    public var point: Int
    /// What is to be done.
    public var kind: Maneuver.Kind
    /// The direction as the router tells it.
    public var modifier: Maneuver.Modifier?
    /// The router's words.
    public var instruction: String?
    /// Name of the road behind it.
    public var roadName: String?
    /// Which exit of a roundabout, from 1.
    public var exit: Int?
    /// The lanes before it from left to right.
    public var lanes: [Lane]

    /// A maneuver at a point of the route.
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
