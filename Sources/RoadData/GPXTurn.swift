import Guidance

/// Turns in GPX: the codes that OsmAnd and BRouter write into a route point's extensions.
enum GPXTurn {
    /// The maneuver of a route point at a point of the line; `isEnd`: it is the end of the route.
    static func maneuver(of point: GPXRoute.Point, at index: Int, isEnd: Bool) -> PlannedManeuver {
        let (kind, modifier, exit) = meaning(of: point.turn)
        return PlannedManeuver(
            point: index, kind: isEnd ? .arrive : index == 0 ? .depart : kind, modifier: modifier,
            instruction: point.instruction,
            roadName: point.name, exit: exit)
    }

    private static func meaning(of code: String?) -> (kind: Maneuver.Kind, modifier: Maneuver.Modifier?, exit: Int?) {
        // A point with a description but without a turn code.
        guard let code else { return (.turn, nil, nil) }
        switch code.uppercased() {
        case "C": return (.proceed, .straight, nil)
        case "TL": return (.turn, .left, nil)
        case "TSLL": return (.turn, .slightLeft, nil)
        case "TSHL": return (.turn, .sharpLeft, nil)
        case "TR": return (.turn, .right, nil)
        case "TSLR": return (.turn, .slightRight, nil)
        case "TSHR": return (.turn, .sharpRight, nil)
        case "KL": return (.fork, .slightLeft, nil)
        case "KR": return (.fork, .slightRight, nil)
        case "TU", "TLU", "TRU": return (.turn, .uTurn, nil)
        case "EL": return (.offRamp, .left, nil)
        case "ER": return (.offRamp, .right, nil)
        case let roundabout where roundabout.hasPrefix("RNDB") || roundabout.hasPrefix("RNLB"):
            return (.roundabout, nil, Int(roundabout.dropFirst(4)).flatMap { (1...100).contains($0) ? $0 : nil })
        default: return (.other, nil, nil)
        }
    }
}
