import BoundedJSON
import Guidance

/// Numeric codes of maneuvers and lanes in Valhalla's own format.
enum ValhallaManeuver {
    /// Kind and direction of a maneuver type, from the list in Valhalla's API reference.
    static func meaning(of type: Int) -> (kind: Maneuver.Kind, modifier: Maneuver.Modifier?) {
        switch type {
        case 1: (.depart, nil)
        case 2: (.depart, .right)
        case 3: (.depart, .left)
        case 4: (.arrive, nil)
        case 5: (.arrive, .right)
        case 6: (.arrive, .left)
        case 7: (.newName, .straight)
        case 8: (.proceed, .straight)
        case 9...16: (.turn, turns[type - 9])
        case 17: (.onRamp, .straight)
        case 18: (.onRamp, .right)
        case 19: (.onRamp, .left)
        case 20: (.offRamp, .right)
        case 21: (.offRamp, .left)
        case 22: (.fork, .straight)
        case 23: (.fork, .slightRight)
        case 24: (.fork, .slightLeft)
        case 25: (.merge, nil)
        case 26: (.roundabout, nil)
        case 27: (.exitRoundabout, nil)
        case 28, 29: (.notification, nil)
        case 37: (.merge, .slightRight)
        case 38: (.merge, .slightLeft)
        default: (.other, nil)
        }
    }

    /// Types 9 to 16.
    private static let turns: [Maneuver.Modifier] = [
        .slightRight, .right, .sharpRight, .uTurn, .uTurn, .sharpLeft, .left, .slightLeft,
    ]

    /// The arrows on a lane by bit, ordered from left to right.
    private static let arrows: [(bit: Int, arrow: Maneuver.Modifier)] = [
        (1 << 8, .uTurn), (1 << 2, .sharpLeft), (1 << 3, .left), (1 << 4, .slightLeft), (1 << 9, .slightLeft),
        (1 << 1, .straight),
        (1 << 10, .slightRight), (1 << 5, .slightRight), (1 << 6, .right), (1 << 7, .sharpRight),
    ]

    /// The lanes of a maneuver; empty if the router gave none.
    static func lanes(_ maneuver: JSONValue) throws(JSONProblem) -> [Lane] {
        guard let values = try maneuver.optional("lanes") else { return [] }
        var lanes: [Lane] = []
        for value in try values.requiredElements() {
            let directions = try value.required("directions").requiredInt(in: 0...0xFFFF)
            let active = try value.optional("active")?.requiredInt(in: 0...0xFFFF)
            let valid = try value.optional("valid")?.requiredInt(in: 0...0xFFFF)
            let follow = active ?? valid ?? 0
            lanes.append(
                Lane(
                    indications: arrows.filter { directions & $0.bit != 0 }.map(\.arrow), isValid: follow != 0,
                    isRecommended: (active ?? 0) != 0,
                    validIndication: arrows.first { follow & $0.bit != 0 }?.arrow))
        }
        return lanes
    }
}
