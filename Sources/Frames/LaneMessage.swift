import CPosed

extension Message {
    /// Lanes that a maneuver has at most.
    static let mostLanes = 32

    /// One lane of the road before a maneuver.
    public struct Lane: Sendable, Equatable {
        /// Where an arrow points; the raw value is the wire's.
        public enum Direction: UInt8, Sendable, CaseIterable {
            /// Back.
            case uTurn = 1
            /// More than a right angle to the right.
            case sharpRight = 2
            /// To the right.
            case right = 3
            /// A little to the right.
            case slightRight = 4
            /// Straight on.
            case straight = 5
            /// A little to the left.
            case slightLeft = 6
            /// To the left.
            case left = 7
            /// More than a right angle to the left.
            case sharpLeft = 8
        }

        /// The arrows drawn on it, in the order of their raw values.
        public var arrows: [Direction]
        /// Whether the maneuver can be made from it.
        public var isValid: Bool
        /// Whether it is the one to take.
        public var isRecommended: Bool
        /// The arrow to follow, where the router tells.
        public var direction: Direction?

        /// A lane.
        public init(arrows: [Direction], isValid: Bool, isRecommended: Bool, direction: Direction? = nil) {
            self.arrows = Direction.allCases.filter { arrows.contains($0) }
            self.isValid = isValid
            self.isRecommended = isRecommended
            self.direction = direction
        }

        /// The lane of a record; what is not known of it is left out.
        init(_ record: posed_lane) {
            arrows = Direction.allCases.filter { record.arrows >> UInt16($0.rawValue) & 1 != 0 }
            isValid = UInt32(record.flags) & POSED_LANE_VALID != 0
            isRecommended = UInt32(record.flags) & POSED_LANE_RECOMMENDED != 0
            direction = Direction(rawValue: record.direction)
        }

        /// The lane as a record.
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
