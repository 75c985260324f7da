import Geodesy
import Glibc
import Guidance
import PoseMath

/// The way ahead: its line, and the limits along it.
public struct RoadHorizon: Sendable {
    /// A point of the line.
    struct Point: Sendable {
        /// Earth-centred, metres.
        var place: Vector3
        /// From the vehicle, metres.
        var alongMeters: Double
    }

    /// A stretch with one limit.
    public struct Run: Sendable, Equatable {
        /// Where it begins, metres from the vehicle.
        public var startMeters: Double
        /// The limit.
        public var limit: SpeedLimit
        /// Where that comes from.
        public var source: SpeedLimitSource
        /// Whether it also depends on conditions that are left out.
        public var hasCondition: Bool
    }

    /// The line from the vehicle on.
    private(set) var points: [Point] = []
    /// The limits from the vehicle on; each differs from the one before.
    public private(set) var runs: [Run] = []
    /// How far it reaches, metres.
    public private(set) var lengthMeters = 0.0

    /// Nothing ahead.
    public init() {
        points.reserveCapacity(512)
        runs.reserveCapacity(32)
    }

    mutating func clear() {
        points.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        lengthMeters = 0
    }

    mutating func append(_ place: Vector3) {
        if let last = points.last { lengthMeters += (place - last.place).length }
        points.append(Point(place: place, alongMeters: lengthMeters))
    }

    mutating func append(_ run: Run) {
        if let last = runs.last, last.limit == run.limit, last.source == run.source,
            last.hasCondition == run.hasCondition
        {
            return
        }
        runs.append(run)
    }

    /// Follows the road from a place on, at junctions the likeliest way, until it is not clear which that is.
    public mutating func follow(_ place: RoadPlace, on map: RoadMap, reachMeters: Double) {
        clear()
        var (number, isForward) = (place.edge, place.isForward)
        guard let first = map.edge(number) else { return }
        begin(first, place, on: map)
        var edge = first
        for _ in 0..<64 where lengthMeters < reachMeters {
            guard let next = Self.next(number, edge, isForward: isForward, on: map), let record = map.edge(next.edge)
            else { return }
            (number, isForward, edge) = (next.edge, next.isForward, record)
            addRun(edge, isForward: isForward, on: map)
            let count = Int(edge.pointCount)
            for step in 1..<count { append(map.point(edge, isForward ? step : count - 1 - step)) }
        }
    }

    private mutating func begin(_ edge: RoadMap.EdgeRecord, _ place: RoadPlace, on map: RoadMap) {
        addRun(edge, isForward: place.isForward, on: map)
        let before = map.point(edge, place.segment)
        let behind = map.point(edge, place.segment + 1)
        var start = 0.0
        for index in 0..<place.segment { start += (map.point(edge, index + 1) - map.point(edge, index)).length }
        let length = (behind - before).length
        append(before + (behind - before) * (length > 0 ? min(max((place.alongMeters - start) / length, 0), 1) : 0))
        if place.isForward {
            for index in (place.segment + 1)..<Int(edge.pointCount) { append(map.point(edge, index)) }
        } else {
            for index in stride(from: place.segment, through: 0, by: -1) { append(map.point(edge, index)) }
        }
    }

    private mutating func addRun(_ edge: RoadMap.EdgeRecord, isForward: Bool, on map: RoadMap) {
        let found = map.limit(edge, isForward: isForward)
        append(
            Run(
                startMeters: lengthMeters, limit: found.limit.limit,
                source: found.limit == .unknown ? .none : found.isOwn ? .road : .roadClass,
                hasCondition: edge.properties.contains(.conditional)))
    }

    /// The likeliest edge behind another: straight on, of the same name and class. `nil` where two are about as likely,
    /// or none is open.
    static func next(
        _ number: UInt32, _ edge: RoadMap.EdgeRecord, isForward: Bool, on map: RoadMap
    ) -> (edge: UInt32, isForward: Bool)? {
        let node = isForward ? edge.end : edge.start
        let count = Int(edge.pointCount)
        let here = map.point(edge, isForward ? count - 1 : 0)
        let coming = here - map.point(edge, isForward ? count - 2 : 1)
        var (best, bestCost, secondCost): ((UInt32, Bool)?, Double, Double) = (nil, .infinity, .infinity)
        map.forEachEdge(at: node) { candidate, endsHere in
            guard candidate != number, let record = map.edge(candidate),
                !(endsHere && record.properties.contains(.oneWay))
            else { return }
            let last = Int(record.pointCount) - 1
            let going = map.point(record, endsHere ? last - 1 : 1) - map.point(record, endsHere ? last : 0)
            let cost = turnCost(coming, going) + kinship(edge, record)
            if cost < bestCost {
                (best, bestCost, secondCost) = ((candidate, !endsHere), cost, bestCost)
            } else {
                secondCost = min(secondCost, cost)
            }
        }
        guard let best, bestCost < 4, secondCost - bestCost > 0.5 else { return nil }
        return best
    }

    /// 1 for each 45 degrees that the way turns.
    private static func turnCost(_ a: Vector3, _ b: Vector3) -> Double {
        let lengths = a.length * b.length
        guard lengths > 0 else { return 0 }
        return acos(min(max(a.dot(b) / lengths, -1), 1)) / (.pi / 4)
    }

    /// How little one road is the other's continuation.
    private static func kinship(_ a: RoadMap.EdgeRecord, _ b: RoadMap.EdgeRecord) -> Double {
        var cost = 0.5 * min(abs(Double(a.roadClass) - Double(b.roadClass)), 4)
        if a.name != b.name { cost += 1 }
        if a.properties.contains(.link) != b.properties.contains(.link) { cost += 0.5 }
        if a.properties.contains(.roundabout), !b.properties.contains(.roundabout) { cost += 0.5 }
        return cost
    }
}
