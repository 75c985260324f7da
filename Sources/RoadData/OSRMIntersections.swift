import BoundedJSON
import Geodesy
import Guidance

/// Intersections in the OSRM format: the lanes before a maneuver, and tunnels.
extension OSRMResponse {
    /// The lanes at the first intersection of a step; empty if the router gave none.
    static func lanes(_ step: JSONValue) throws(JSONProblem) -> [Lane] {
        guard let intersections = try step.optional("intersections"),
            let first = try intersections.requiredElements().first(where: { _ in true }),
            let values = try first.optional("lanes")
        else { return [] }
        var lanes: [Lane] = []
        for value in try values.requiredElements() {
            var indications: [Maneuver.Modifier] = []
            if let words = try value.optional("indications") {
                // "none" is a lane without an arrow.
                for word in try words.requiredElements() {
                    if let known = Maneuver.Modifier(rawValue: try word.requiredString()) { indications.append(known) }
                }
            }
            let follow = try value.optional("valid_indication")?.requiredString()
            lanes.append(
                Lane(
                    indications: indications, isValid: try value.required("valid").requiredBool(),
                    isRecommended: try value.optional("active")?.requiredBool(),
                    validIndication: follow.flatMap { Maneuver.Modifier(rawValue: $0) }))
        }
        return lanes
    }

    /// Marks the segments of a step in tunnels: from an intersection of class `tunnel` to the next intersection, or to
    /// the step's end.
    mutating func readTunnels(_ step: JSONValue, from first: Int) throws(JSONProblem) {
        guard let intersections = try step.optional("intersections") else { return }
        var at = first
        var start: Int?
        for intersection in try intersections.requiredElements() {
            var isTunnel = false
            if let classes = try intersection.optional("classes") {
                for name in try classes.requiredElements() where try name.requiredString() == "tunnel" {
                    isTunnel = true
                }
            }
            guard isTunnel != (start != nil) else { continue }
            at = try point(of: intersection, from: at)
            if let from = start {
                tunnels.append(from..<at)
                start = nil
            } else {
                start = at
            }
        }
        if let from = start { tunnels.append(from..<(points.count - 1)) }
    }

    /// Index of the line's point nearest to an intersection, from point `first` on.
    private func point(of intersection: JSONValue, from first: Int) throws(JSONProblem) -> Int {
        let value = try intersection.required("location")
        let location = try Coordinates.position(value)
        var best = (point: first, meters: Double.infinity)
        for point in first..<points.count {
            let meters = Coordinates.distanceMeters(location, points[point])
            if meters < best.meters { best = (point, meters) }
            // Both coordinates have the same digits, so this is the point.
            if meters < 1 { break }
        }
        guard best.meters <= OSRMResponse.maneuverToleranceMeters else {
            throw value.problem(
                "is \(Coordinates.shown(best.meters)) from the step's line",
                remedy: "put the intersection on the line")
        }
        return best.point
    }

    /// Whether each segment is in a tunnel; empty if there is no tunnel.
    var tunnelMarks: [Bool] {
        guard !tunnels.isEmpty else { return [] }
        var marks = [Bool](repeating: false, count: points.count - 1)
        for range in tunnels { for segment in range { marks[segment] = true } }
        return marks
    }
}
