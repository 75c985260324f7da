import PoseMath

extension Route {
    /// Distance up to which the maneuver after the next one is told, metres.
    public static let thenRangeMeters = 500.0

    /// Index of the maneuver after another one; `nil` after the last one. The departure from a waypoint is none: it is
    /// at the same place as the arrival there.
    public func maneuver(after index: Int) -> Int? {
        guard index >= 0 else { return nil }
        return maneuvers.indices.dropFirst(index).dropFirst().first { maneuvers[$0].kind != .depart }
    }

    /// Along-route distance of each point of the plan, metres; a duplicate point has that of the previous point.
    public var planPointsAlongMeters: [Double] { line.pointAlongMeters }

    /// Bearing of the route from an along-route distance over the next `reachMeters`, clockwise from true north,
    /// radians; `nil` at the route's end.
    public func bearingRadians(alongMeters: Double, reachMeters: Double = 5) -> Double? {
        let start = min(max(alongMeters, 0), lengthMeters)
        return line.bearingRadians(fromAlong: start, toAlong: min(start + reachMeters, lengthMeters), at: start)
    }
}
