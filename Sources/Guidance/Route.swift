import Geodesy
import PoseMath

/// A route that was measured and found sound: it never changes, so the engine and the sockets can share it.
public final class Route: Sendable {
    /// Longest route, metres: more than twice round the Earth is an error in the data.
    public static let maximumLengthMeters = 100_000_000.0
    /// How far before and behind a maneuver the line's direction is taken, metres: longer than the corner's rounding, shorter than a block.
    static let turnReachMeters = 20.0

    /// What it is called.
    public let name: String?
    /// Length, metres.
    public let lengthMeters: Double
    /// What there is to do, in the order of travel; the last is the arrival.
    public let maneuvers: [Maneuver]
    /// Planned time for the whole of it, seconds; `nil` where the router gave none.
    public let durationSeconds: Double?
    /// How many points of the plan were dropped because they repeated the one before.
    public let duplicatePoints: Int

    /// The line, measured.
    let line: RouteLine
    /// For finding segments near a place.
    let tree: SegmentTree
    /// The limits from the start on; each run differs from the one before.
    let limitRuns: [LimitRun]
    /// Planned time from the start to each point of the plan, seconds; empty where the router gave none.
    private let timeAtPoint: [Double]
    private let alongOfPoint: [Double]

    /// A stretch with one limit.
    struct LimitRun: Sendable {
        /// Where it starts, metres along the route.
        var startMeters: Double
        /// The limit.
        var limit: SpeedLimit
    }

    /// Measures a plan. Without an arrival at its end, one is added.
    ///
    /// - Throws: the first thing that makes the plan no route; nothing is repaired but repeated points.
    public init(_ plan: RoutePlan) throws(RouteProblem) {
        line = try RouteLine(points: plan.points)
        try Route.check(plan)
        tree = SegmentTree(vertices: line.vertices)
        name = plan.name
        lengthMeters = line.lengthMeters
        duplicatePoints = line.duplicates
        limitRuns = Route.runs(of: plan.limits, alongOfPoint: line.alongOfPoint)
        alongOfPoint = plan.durationsSeconds.isEmpty ? [] : line.alongOfPoint
        timeAtPoint = plan.durationsSeconds.isEmpty ? [] : plan.durationsSeconds.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + $1) }
        durationSeconds = timeAtPoint.last
        maneuvers = Route.place(plan.maneuvers, on: line)
    }

    private static func check(_ plan: RoutePlan) throws(RouteProblem) {
        let segments = plan.points.count - 1
        guard plan.limits.isEmpty || plan.limits.count == segments else { throw .wrongNumberOfLimits(plan.limits.count, expected: segments) }
        for (index, limit) in plan.limits.enumerated() {
            if case .metersPerSecond(let value) = limit { guard value >= 0, value.isFinite else { throw .invalidLimit(index: index) } }
        }
        guard plan.durationsSeconds.isEmpty || plan.durationsSeconds.count == segments else {
            throw .wrongNumberOfDurations(plan.durationsSeconds.count, expected: segments)
        }
        for (index, duration) in plan.durationsSeconds.enumerated() {
            guard duration >= 0, duration <= 1e9 else { throw .invalidDuration(index: index) }
        }
        var last = 0
        for (index, maneuver) in plan.maneuvers.enumerated() {
            guard maneuver.point >= last, maneuver.point < plan.points.count else { throw .invalidManeuver(index: index) }
            last = maneuver.point
        }
    }

    private static func runs(of limits: [SpeedLimit], alongOfPoint: [Double]) -> [LimitRun] {
        var runs: [LimitRun] = []
        for (index, limit) in limits.enumerated() where alongOfPoint[index + 1] > alongOfPoint[index] && runs.last?.limit != limit {
            runs.append(LimitRun(startMeters: alongOfPoint[index], limit: limit))
        }
        return runs
    }

    private static func place(_ planned: [PlannedManeuver], on line: RouteLine) -> [Maneuver] {
        var planned = planned
        let lastPoint = line.alongOfPoint.count - 1
        if planned.last?.kind != .arrive || line.alongOfPoint[planned.last?.point ?? 0] < line.lengthMeters {
            planned.append(PlannedManeuver(point: lastPoint, kind: .arrive))
        }
        return planned.enumerated().map { index, maneuver in
            let along = line.alongOfPoint[maneuver.point]
            return Maneuver(
                id: index, kind: maneuver.kind, modifier: maneuver.modifier, alongMeters: along,
                turnAngleRadians: line.turnAngleRadians(atAlong: along, reachMeters: turnReachMeters),
                instruction: maneuver.instruction, roadName: maneuver.roadName, exit: maneuver.exit)
        }
    }
}

extension Route {
    /// The place at a length along the route (held within its ends), on the ellipsoid.
    public func position(alongMeters: Double) -> GeodeticPosition {
        var place = GeodeticPosition(ecefMeters: line.point(atAlong: alongMeters))
        place.altitudeEllipsoidMeters = 0
        return place
    }

    /// Number of vertices of the line, those that divide long segments included.
    public var vertexCount: Int { line.vertices.count }

    /// A vertex of the line, by its index from 0, and its length along the route, metres.
    public func vertex(_ index: Int) -> (position: GeodeticPosition, alongMeters: Double) {
        var place = GeodeticPosition(ecefMeters: line.vertices[index])
        place.altitudeEllipsoidMeters = 0
        return (place, line.along[index])
    }

    /// The limit at a length along the route, and where it ends, metres along the route.
    public func limit(alongMeters: Double) -> (limit: SpeedLimit, endMeters: Double) {
        guard !limitRuns.isEmpty else { return (.unknown, lengthMeters) }
        var (low, high) = (0, limitRuns.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if limitRuns[middle].startMeters <= alongMeters { low = middle } else { high = middle - 1 }
        }
        return (limitRuns[low].limit, low + 1 < limitRuns.count ? limitRuns[low + 1].startMeters : lengthMeters)
    }

    /// Planned time from the start to a length along the route, seconds; `nil` where the router gave none.
    public func timeSeconds(alongMeters: Double) -> Double? {
        guard let durationSeconds else { return nil }
        guard alongMeters < lengthMeters else { return durationSeconds }
        var (low, high) = (0, alongOfPoint.count - 2)
        while low < high {
            let middle = (low + high + 1) / 2
            if alongOfPoint[middle] <= alongMeters { low = middle } else { high = middle - 1 }
        }
        let length = alongOfPoint[low + 1] - alongOfPoint[low]
        let fraction = length > 0 ? min(max((alongMeters - alongOfPoint[low]) / length, 0), 1) : 1
        return timeAtPoint[low] + (timeAtPoint[low + 1] - timeAtPoint[low]) * fraction
    }
}

extension RouteLine {
    /// How much the line turns at a length along it, from the directions over `reachMeters` before and behind: (-pi, pi], right
    /// positive. `nil` at its ends.
    func turnAngleRadians(atAlong meters: Double, reachMeters: Double) -> Double? {
        guard meters > 0, meters < lengthMeters,
            let before = bearingRadians(fromAlong: max(0, meters - reachMeters), toAlong: meters, at: meters),
            let behind = bearingRadians(fromAlong: meters, toAlong: min(lengthMeters, meters + reachMeters), at: meters)
        else { return nil }
        return Angle.wrappedToPi(behind - before)
    }
}
