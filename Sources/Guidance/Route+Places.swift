import PoseMath

extension Route {
    /// Along-route distance of each point of the plan, metres; a duplicate point has that of the previous point.
    public var planPointsAlongMeters: [Double] { line.pointAlongMeters }

    /// Bearing of the route from an along-route distance over the next `reachMeters`, clockwise from true north,
    /// radians; `nil` at the route's end.
    public func bearingRadians(alongMeters: Double, reachMeters: Double = 5) -> Double? {
        let start = min(max(alongMeters, 0), lengthMeters)
        return line.bearingRadians(fromAlong: start, toAlong: min(start + reachMeters, lengthMeters), at: start)
    }
}
