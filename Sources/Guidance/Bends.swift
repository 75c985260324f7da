import PoseMath

/// Finds the turns of a route without maneuvers: points where its direction changes much over a short distance.
public enum Bends {
    /// Smallest turn, radians (50 degrees): a corner at an intersection, not the curve of a road.
    static let minimumRadians = 50 * Angle.radiansPerDegree
    /// Minimum distance between two turns, metres.
    static let spacingMeters = 30.0

    /// The bends as maneuvers. Their point indices are those of the plan that the route was made from.
    public static func find(in route: Route) -> [PlannedManeuver] {
        let line = route.line
        var found: [(point: Int, along: Double, size: Double, angle: Double)] = []
        for (point, along) in line.pointAlongMeters.enumerated()
        where point > 0 && along > line.pointAlongMeters[point - 1] {
            guard let angle = line.turnAngleRadians(atAlong: along, reachMeters: Route.turnReachMeters),
                abs(angle) >= minimumRadians
            else {
                continue
            }
            if let last = found.last, along - last.along < spacingMeters {
                if abs(angle) > last.size { found[found.count - 1] = (point, along, abs(angle), angle) }
            } else {
                found.append((point, along, abs(angle), angle))
            }
        }
        return found.map { PlannedManeuver(point: $0.point, kind: .bend, modifier: modifier(angle: $0.angle)) }
    }

    /// The maneuver modifier for a turn angle, radians, right positive.
    static func modifier(angle: Double) -> Maneuver.Modifier {
        let degrees = abs(angle.radiansInDegrees)
        let isRight = angle > 0
        if degrees < 20 { return .straight }
        if degrees < 50 { return isRight ? .slightRight : .slightLeft }
        if degrees < 120 { return isRight ? .right : .left }
        return degrees < 170 ? (isRight ? .sharpRight : .sharpLeft) : .uTurn
    }
}
