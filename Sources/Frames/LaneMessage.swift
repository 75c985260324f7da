import CPosed

extension Message {
    /// Maximum number of lanes of a maneuver.
    static let mostLanes = 32

    /// One lane of the road before a maneuver.
    public struct Lane: Sendable, Equatable {
        /// The direction of a lane arrow; the raw value is the code in the wire format.
        public enum Direction: UInt8, Sendable, CaseIterable {
            /// U-turn.
            case uTurn = 1
            /// More than a right angle to the right.
            case sharpRight = 2
            /// To the right.
            case right = 3
            /// Slightly to the right.
            case slightRight = 4
            /// Straight on.
            case straight = 5
            /// Slightly to the left.
            case slightLeft = 6
            /// To the left.
            case left = 7
            /// More than a right angle to the left.
            case sharpLeft = 8
        }

        /// The arrows on the lane, in the order of their raw values.
        public var arrows: [Direction]
        /// Whether the maneuver is possible from this lane.
        public var isValid: Bool
        /// Whether this lane is recommended.
        public var isRecommended: Bool
        /// The arrow to follow; `nil` if the router does not report it.
        public var direction: Direction?

        /// Creates a lane.
        public init(arrows: [Direction], isValid: Bool, isRecommended: Bool, direction: Direction? = nil) {
            self.arrows = Direction.allCases.filter { arrows.contains($0) }
            self.isValid = isValid
            self.isRecommended = isRecommended
            self.direction = direction
        }

        /// Reads a lane from a record; unknown arrows are ignored.
        init(_ record: posed_lane) {
            arrows = Direction.allCases.filter { record.arrows >> UInt16($0.rawValue) & 1 != 0 }
            isValid = UInt32(record.flags) & POSED_LANE_VALID != 0
            isRecommended = UInt32(record.flags) & POSED_LANE_RECOMMENDED != 0
            direction = Direction(rawValue: record.direction)
        }

        /// The lane as a record of posed.h.
        var record: posed_lane {
            var record = posed_lane()
            for arrow in arrows { record.arrows |= 1 << UInt16(arrow.rawValue) }
            record.flags = UInt8(
                truncatingIfNeeded: (isValid ? POSED_LANE_VALID : 0) | (isRecommended ? POSED_LANE_RECOMMENDED : 0))
            record.direction = direction?.rawValue ?? 0
            return record
        }
    }
}

extension Message.Lane.Direction {
    /// The direction's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .uTurn: "uTurn"
        case .sharpRight: "sharpRight"
        case .right: "right"
        case .slightRight: "slightRight"
        case .straight: "straight"
        case .slightLeft: "slightLeft"
        case .left: "left"
        case .sharpLeft: "sharpLeft"
        }
    }
}
