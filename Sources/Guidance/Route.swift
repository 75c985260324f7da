import Geodesy
import PoseMath

/// A route that was measured and found sound: it never changes, so the engine and the sockets can share it.
public final class Route: Sendable {
    /// Longest route, metres: more than twice round the Earth is an error in the data.
    public static let maximumLengthMeters = 100_000_000.0
    /// How far before and behind a maneuver the line's direction is taken, metres: longer than the corner's rounding,
    /// shorter than a block.
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
    /// The tunnels from the start on.
    let tunnels: [Stretch]
    /// Planned time from the start to each point of the plan, seconds; empty where the router gave none.
    private let timeAtPoint: [Double]
    /// Height of each point of the plan, metres; NaN where unknown, empty where none is known.
    private let elevationAtPoint: [Double]
    private let alongOfPoint: [Double]

    /// A part of the route, metres along it.
    struct Stretch: Sendable {
        /// Where it starts.
        var startMeters: Double
        /// Where it ends.
        var endMeters: Double
    }

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
        tunnels = Route.tunnels(of: plan.tunnels, alongOfPoint: line.alongOfPoint)
        elevationAtPoint = plan.elevationsMeters.contains { $0 != nil } ? plan.elevationsMeters.map { $0 ?? .nan } : []
        alongOfPoint = plan.durationsSeconds.isEmpty && elevationAtPoint.isEmpty ? [] : line.alongOfPoint
        timeAtPoint =
            plan.durationsSeconds.isEmpty
            ? [] : plan.durationsSeconds.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + $1) }
        durationSeconds = timeAtPoint.last
        maneuvers = Route.place(plan.maneuvers, on: line)
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

    private static func runs(of limits: [SpeedLimit], alongOfPoint: [Double]) -> [LimitRun] {
        var runs: [LimitRun] = []
        for (index, limit) in limits.enumerated()
        where alongOfPoint[index + 1] > alongOfPoint[index] && runs.last?.limit != limit {
            runs.append(LimitRun(startMeters: alongOfPoint[index], limit: limit))
        }
        return runs
    }

    private static func tunnels(of marks: [Bool], alongOfPoint: [Double]) -> [Stretch] {
        var tunnels: [Stretch] = []
        for (index, isTunnel) in marks.enumerated() where isTunnel && alongOfPoint[index + 1] > alongOfPoint[index] {
            if let last = tunnels.last, last.endMeters >= alongOfPoint[index] {
                tunnels[tunnels.count - 1].endMeters = alongOfPoint[index + 1]
            } else {
                tunnels.append(Stretch(startMeters: alongOfPoint[index], endMeters: alongOfPoint[index + 1]))
            }
        }
        return tunnels
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
                instruction: maneuver.instruction, roadName: maneuver.roadName, exit: maneuver.exit,
                lanes: maneuver.lanes)
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
        let (point, fraction) = between(alongMeters)
        return timeAtPoint[point] + (timeAtPoint[point + 1] - timeAtPoint[point]) * fraction
    }

    /// Height of the road above mean sea level at a length along the route, metres; `nil` where the route's points
    /// before and behind do not tell.
    public func elevationMeters(alongMeters: Double) -> Double? {
        guard !elevationAtPoint.isEmpty, alongMeters.isFinite else { return nil }
        let (point, fraction) = between(alongMeters)
        let (before, behind) = (elevationAtPoint[point], elevationAtPoint[point + 1])
        // A point of known height tells of itself even beside one of unknown height.
        let value = fraction == 0 ? before : fraction == 1 ? behind : before + (behind - before) * fraction
        return value.isNaN ? nil : value
    }

    /// The point of the plan before a length along the route, and the share of the way to the next, 0 to 1.
    private func between(_ alongMeters: Double) -> (point: Int, fraction: Double) {
        var (low, high) = (0, alongOfPoint.count - 2)
        while low < high {
            let middle = (low + high + 1) / 2
            if alongOfPoint[middle] <= alongMeters { low = middle } else { high = middle - 1 }
        }
        let length = alongOfPoint[low + 1] - alongOfPoint[low]
        return (low, length > 0 ? min(max((alongMeters - alongOfPoint[low]) / length, 0), 1) : 1)
    }

    /// The tunnel at a length along the route or, `withinMeters` of it, the one ahead; metres along the route, `nil`
    /// where there is none.
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
    /// How much the line turns at a length along it, from the directions over `reachMeters` before and behind: (-pi,
    /// pi], right positive. `nil` at its ends.
    func turnAngleRadians(atAlong meters: Double, reachMeters: Double) -> Double? {
        guard meters > 0, meters < lengthMeters,
            let before = bearingRadians(fromAlong: max(0, meters - reachMeters), toAlong: meters, at: meters),
            let behind = bearingRadians(fromAlong: meters, toAlong: min(lengthMeters, meters + reachMeters), at: meters)
        else { return nil }
        return Angle.wrappedToPi(behind - before)
    }
}
