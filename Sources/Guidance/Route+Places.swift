import PoseMath

extension Route {
    /// Length along the route up to each point it was made from, metres; a repeated point has that of the one before.
    public var planPointsAlongMeters: [Double] { line.alongOfPoint }

    /// Direction of the route from a length along it over the next metres, clockwise from true north, radians; `nil` at
    /// its end.
    public func bearingRadians(alongMeters: Double, reachMeters: Double = 5) -> Double? {
        let start = min(max(alongMeters, 0), lengthMeters)
        return line.bearingRadians(fromAlong: start, toAlong: min(start + reachMeters, lengthMeters), at: start)
    }
}
