import Geodesy
import PoseMath

/// A checked and measured route. It is immutable, so the engine and the sockets can share it.
public final class Route: Sendable {
    /// Maximum length of a route, metres: more than twice round the Earth is a data error.
    public static let maximumLengthMeters = 100_000_000.0
    /// Distance before and after a maneuver over which the line's direction is measured, metres: longer than the
    /// rounding of a corner, shorter than a block.
    static let turnReachMeters = 20.0

    /// Name of the route.
    public let name: String?
    /// Length, metres.
    public let lengthMeters: Double
    /// Maneuvers in the order of travel; the last is the arrival.
    public let maneuvers: [Maneuver]
    /// Planned duration of the route, seconds; `nil` if the router gave none.
    public let durationSeconds: Double?
    /// The plan that the route was made of, for recordings. Its arrays are shared with the reader's.
    public let plan: RoutePlan
    /// Number of plan points dropped as duplicates of the previous point.
    public let duplicatePoints: Int

    /// The line with its lengths.
    let line: RouteLine
    /// Search tree over the segments.
    let tree: SegmentTree
    /// The limits from the start on; each section's limit differs from the previous one.
    let limitSections: [LimitSection]
    /// The tunnels in the order of travel.
    let tunnels: [Section]
    /// Planned time from the start to each point of the plan, seconds; empty if the router gave none.
    private let timeAtPoint: [Double]
    /// Height of each point of the plan above mean sea level, metres; NaN where unknown, empty if none is known.
    private let elevationAtPoint: [Double]
    private let pointAlongMeters: [Double]

    /// A section of the route, in along-route distances.
    struct Section: Sendable {
        /// Start, metres.
        var startMeters: Double
        /// End, metres.
        var endMeters: Double
    }

    /// A section with one speed limit.
    struct LimitSection: Sendable {
        /// Start, metres along the route.
        var startMeters: Double
        /// The limit.
        var limit: SpeedLimit
    }

    /// Checks and measures a plan. Adds an arrival if the plan does not end with one.
    ///
    /// - Throws: the first problem that makes the plan invalid. Only duplicate points are repaired.
    public init(_ plan: RoutePlan) throws(RouteProblem) {
        line = try RouteLine(points: plan.points)
        try Route.check(plan)
        tree = SegmentTree(vertices: line.vertices)
        name = plan.name
        self.plan = plan
        lengthMeters = line.lengthMeters
        duplicatePoints = line.duplicates
        limitSections = Route.limitSections(of: plan.limits, pointAlongMeters: line.pointAlongMeters)
        tunnels = Route.tunnels(of: plan.tunnels, pointAlongMeters: line.pointAlongMeters)
        elevationAtPoint = plan.elevationsMeters.contains { $0 != nil } ? plan.elevationsMeters.map { $0 ?? .nan } : []
        pointAlongMeters = plan.durationsSeconds.isEmpty && elevationAtPoint.isEmpty ? [] : line.pointAlongMeters
        timeAtPoint =
            plan.durationsSeconds.isEmpty
            ? [] : plan.durationsSeconds.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + $1) }
        durationSeconds = timeAtPoint.last
        maneuvers = Route.makeManeuvers(plan.maneuvers, on: line)
    }

    private static func check(_ plan: RoutePlan) throws(RouteProblem) {
        let segments = plan.points.count - 1
        guard plan.limits.isEmpty || plan.limits.count == segments else {
            throw .wrongNumberOfLimits(plan.limits.count, expected: segments)
        }
        for (index, limit) in plan.limits.enumerated() {
            if case .metersPerSecond(let value) = limit {
                guard value >= 0, value.isFinite else { throw .invalidLimit(index: index) }
            }
        }
        guard plan.durationsSeconds.isEmpty || plan.durationsSeconds.count == segments else {
            throw .wrongNumberOfDurations(plan.durationsSeconds.count, expected: segments)
        }
        for (index, duration) in plan.durationsSeconds.enumerated() {
            guard duration >= 0, duration <= 1e9 else { throw .invalidDuration(index: index) }
        }
        guard plan.tunnels.isEmpty || plan.tunnels.count == segments else {
            throw .wrongNumberOfTunnels(plan.tunnels.count, expected: segments)
        }
        guard plan.elevationsMeters.isEmpty || plan.elevationsMeters.count == plan.points.count else {
            throw .wrongNumberOfElevations(plan.elevationsMeters.count, expected: plan.points.count)
        }
        for (index, elevation) in plan.elevationsMeters.enumerated() {
            if let elevation {
                guard elevation >= -1_000, elevation <= 10_000 else { throw .invalidElevation(index: index) }
            }
        }
        var last = 0
        for (index, maneuver) in plan.maneuvers.enumerated() {
            guard maneuver.point >= last, maneuver.point < plan.points.count else {
                throw .invalidManeuver(index: index)
            }
            last = maneuver.point
        }
    }

    private static func limitSections(of limits: [SpeedLimit], pointAlongMeters: [Double]) -> [LimitSection] {
        var limitSections: [LimitSection] = []
        for (index, limit) in limits.enumerated()
        where pointAlongMeters[index + 1] > pointAlongMeters[index] && limitSections.last?.limit != limit {
            limitSections.append(LimitSection(startMeters: pointAlongMeters[index], limit: limit))
        }
        return limitSections
    }

    private static func tunnels(of marks: [Bool], pointAlongMeters: [Double]) -> [Section] {
        var tunnels: [Section] = []
        for (index, isTunnel) in marks.enumerated()
        where isTunnel && pointAlongMeters[index + 1] > pointAlongMeters[index] {
            if let last = tunnels.last, last.endMeters >= pointAlongMeters[index] {
                tunnels[tunnels.count - 1].endMeters = pointAlongMeters[index + 1]
            } else {
                tunnels.append(Section(startMeters: pointAlongMeters[index], endMeters: pointAlongMeters[index + 1]))
            }
        }
        return tunnels
    }

    private static func makeManeuvers(_ planned: [PlannedManeuver], on line: RouteLine) -> [Maneuver] {
        var planned = planned
        let lastPoint = line.pointAlongMeters.count - 1
        if planned.last?.kind != .arrive || line.pointAlongMeters[planned.last?.point ?? 0] < line.lengthMeters {
            planned.append(PlannedManeuver(point: lastPoint, kind: .arrive))
        }
        return planned.enumerated().map { index, maneuver in
            let along = line.pointAlongMeters[maneuver.point]
            return Maneuver(
                id: index, kind: maneuver.kind, modifier: maneuver.modifier, alongMeters: along,
                turnAngleRadians: line.turnAngleRadians(atAlong: along, reachMeters: turnReachMeters),
                instruction: maneuver.instruction, roadName: maneuver.roadName, exit: maneuver.exit,
                lanes: maneuver.lanes)
        }
    }
}

extension Route {
    /// The position at an along-route distance, metres, clamped to the route's ends; on the ellipsoid.
    public func position(alongMeters: Double) -> GeodeticPosition {
        var position = GeodeticPosition(ecefMeters: line.point(atAlong: alongMeters))
        position.altitudeEllipsoidMeters = 0
        return position
    }

    /// Number of vertices of the line, including those that divide long segments.
    public var vertexCount: Int { line.vertices.count }

    /// A vertex of the line by its index from 0, and its along-route distance, metres.
    public func vertex(_ index: Int) -> (position: GeodeticPosition, alongMeters: Double) {
        var position = GeodeticPosition(ecefMeters: line.vertices[index])
        position.altitudeEllipsoidMeters = 0
        return (position, line.vertexAlongMeters[index])
    }

    /// The limit at an along-route distance, and the along-route distance where it ends, metres.
    public func limit(alongMeters: Double) -> (limit: SpeedLimit, endMeters: Double) {
        guard !limitSections.isEmpty else { return (.unknown, lengthMeters) }
        var (low, high) = (0, limitSections.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if limitSections[middle].startMeters <= alongMeters { low = middle } else { high = middle - 1 }
        }
        return (
            limitSections[low].limit, low + 1 < limitSections.count ? limitSections[low + 1].startMeters : lengthMeters
        )
    }

    /// Planned time from the start to an along-route distance, seconds; `nil` if the router gave none.
    public func timeSeconds(alongMeters: Double) -> Double? {
        guard let durationSeconds else { return nil }
        guard alongMeters < lengthMeters else { return durationSeconds }
        let (point, fraction) = interpolation(alongMeters)
        return timeAtPoint[point] + (timeAtPoint[point + 1] - timeAtPoint[point]) * fraction
    }

    /// Height of the road above mean sea level at an along-route distance, metres; `nil` where the height of a
    /// neighbouring point is unknown.
    public func elevationMeters(alongMeters: Double) -> Double? {
        guard !elevationAtPoint.isEmpty, alongMeters.isFinite else { return nil }
        let (point, fraction) = interpolation(alongMeters)
        let (previous, next) = (elevationAtPoint[point], elevationAtPoint[point + 1])
        // Exactly at a point of known height, the neighbour's height is not needed.
        let value = fraction == 0 ? previous : fraction == 1 ? next : previous + (next - previous) * fraction
        return value.isNaN ? nil : value
    }

    /// Index of the plan point before an along-route distance, and the fraction of the distance to the next point, 0 to
    /// 1.
    private func interpolation(_ alongMeters: Double) -> (point: Int, fraction: Double) {
        var (low, high) = (0, pointAlongMeters.count - 2)
        while low < high {
            let middle = (low + high + 1) / 2
            if pointAlongMeters[middle] <= alongMeters { low = middle } else { high = middle - 1 }
        }
        let length = pointAlongMeters[low + 1] - pointAlongMeters[low]
        return (low, length > 0 ? min(max((alongMeters - pointAlongMeters[low]) / length, 0), 1) : 1)
    }

    /// The tunnel at an along-route distance or, `withinMeters` ahead, the next one; start and end in metres along the
    /// route; `nil` if there is none.
    public func tunnel(alongMeters: Double, withinMeters reach: Double = 0) -> (startMeters: Double, endMeters: Double)?
    {
        var (low, high) = (0, tunnels.count)
        while low < high {
            let middle = (low + high) / 2
            if tunnels[middle].endMeters > alongMeters { high = middle } else { low = middle + 1 }
        }
        guard low < tunnels.count, tunnels[low].startMeters <= alongMeters + reach else { return nil }
        return (tunnels[low].startMeters, tunnels[low].endMeters)
    }
}

extension RouteLine {
    /// Turn angle of the line at a length along it, from the directions over `reachMeters` before and after: (-pi, pi],
    /// right positive. `nil` at the line's ends.
    func turnAngleRadians(atAlong meters: Double, reachMeters: Double) -> Double? {
        guard meters > 0, meters < lengthMeters,
            let before = bearingRadians(fromAlong: max(0, meters - reachMeters), toAlong: meters, at: meters),
            let after = bearingRadians(fromAlong: meters, toAlong: min(lengthMeters, meters + reachMeters), at: meters)
        else { return nil }
        return Angle.wrappedToPi(after - before)
    }
}
