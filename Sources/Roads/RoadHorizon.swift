import Geodesy
import Glibc
import Guidance
import PoseMath

/// The road ahead: its line and the limits along it.
public struct RoadHorizon: Sendable {
    /// A point of the line.
    struct Point: Sendable {
        /// Earth-centred, metres.
        var place: Vector3
        /// Distance along the line from the vehicle, metres.
        var alongMeters: Double
    }

    /// A section with one speed limit.
    public struct LimitSection: Sendable, Equatable {
        /// Start, metres along the line from the vehicle.
        public var startMeters: Double
        /// The limit.
        public var limit = SpeedLimit.unknown
        /// Source of the limit.
        public var source = SpeedLimitSource.none
        /// Why the limit is not the road's general one.
        public var reason = LimitReason.none
        /// Whether the limit also depends on something that is not known.
        public var hasCondition = false
    }

    /// The line, starting at the vehicle.
    private(set) var points: [Point] = []
    /// The limits in order, starting at the vehicle; each differs from the previous one.
    public private(set) var limitSections: [LimitSection] = []
    /// Length of the line, metres.
    public private(set) var lengthMeters = 0.0

    /// Creates an empty horizon.
    public init() {
        points.reserveCapacity(512)
        limitSections.reserveCapacity(32)
    }

    mutating func clear() {
        points.removeAll(keepingCapacity: true)
        limitSections.removeAll(keepingCapacity: true)
        lengthMeters = 0
    }

    /// Maximum length of the line, metres; ten times what is looked ahead. The points of a damaged road file may be
    /// anywhere, and the work of every reader of the line grows with its length.
    static let longestMeters = 20_000.0

    /// Appends a point; the line ends at ``longestMeters``.
    mutating func append(_ place: Vector3) {
        guard let last = points.last else { return points.append(Point(place: place, alongMeters: lengthMeters)) }
        guard lengthMeters < Self.longestMeters else { return }
        let (step, room) = (place - last.place, Self.longestMeters - lengthMeters)
        let fits = step.length <= room
        let end = fits ? place : last.place + step * (room / step.length)
        lengthMeters = fits ? lengthMeters + step.length : Self.longestMeters
        points.append(Point(place: end, alongMeters: lengthMeters))
    }

    /// Appends a section. If it starts at the vehicle or behind it, it replaces the sections before it.
    mutating func append(_ section: LimitSection) {
        if !(section.startMeters > 0) { limitSections.removeAll(keepingCapacity: true) }
        if let last = limitSections.last, last.limit == section.limit, last.source == section.source,
            last.reason == section.reason, last.hasCondition == section.hasCondition
        {
            return
        }
        limitSections.append(section)
    }

    /// Follows the road from a match up to a distance, metres. At junctions it takes the most probable edge, and it
    /// ends where none is clearly the most probable.
    public mutating func follow(
        _ place: RoadMatch, on map: RoadMap, reachMeters: Double, from position: GeodeticPosition? = nil,
        _ context: LimitContext = LimitContext()
    ) {
        clear()
        var (number, isForward) = (place.edge, place.isForward)
        guard let first = map.edge(number) else { return }
        append(LimitSection(map, number, isForward: isForward, startMeters: 0, context))
        appendStart(first, place, on: map)
        let isAtEnd = points.count == 2 && lengthMeters < 0.1
        var edge = first
        for _ in 0..<64 where lengthMeters < reachMeters {
            guard let next = Self.next(number, edge, isForward: isForward, on: map), let record = map.edge(next.edge)
            else { break }
            (number, isForward, edge) = (next.edge, next.isForward, record)
            append(LimitSection(map, number, isForward: isForward, startMeters: lengthMeters, context))
            let count = Int(edge.pointCount)
            for step in 1..<count { append(map.point(edge, isForward ? step : count - 1 - step)) }
        }
        if isAtEnd, var position {
            position.altitudeEllipsoidMeters = 0
            removeStart(upTo: position.ecefMeters)
        }
    }

    /// Distance after the end of the matched road within which the vehicle is searched on the next one, metres: the
    /// match stays on a road while the difference explains less than a change of road costs.
    private static let overrunMeters = 30.0

    /// Removes the part of the line before its point nearest to a place, Earth-centred.
    private mutating func removeStart(upTo place: Vector3) {
        var best = (squared: Double.infinity, along: 0.0, index: 0)
        for index in 0..<max(points.count - 1, 0) where points[index].alongMeters < Self.overrunMeters {
            let (start, way) = (points[index].place, points[index + 1].place - points[index].place)
            let length = way.lengthSquared
            let fraction = length > 0 ? min(max((place - start).dot(way) / length, 0), 1) : 0
            let squared = (start + way * fraction - place).lengthSquared
            if squared < best.squared {
                best = (squared, points[index].alongMeters + length.squareRoot() * fraction, index)
            }
        }
        guard best.along > 0 else { return }
        let (a, b) = (points[best.index], points[best.index + 1])
        let share = (best.along - a.alongMeters) / max(b.alongMeters - a.alongMeters, 1e-9)
        points.removeFirst(best.index)
        points[0] = Point(place: a.place + (b.place - a.place) * share, alongMeters: best.along)
        for index in points.indices { points[index].alongMeters -= best.along }
        lengthMeters -= best.along
        let sections = limitSections
        limitSections.removeAll(keepingCapacity: true)
        for var section in sections {
            section.startMeters -= best.along
            append(section)
        }
    }

    private mutating func appendStart(_ edge: RoadMap.EdgeRecord, _ match: RoadMatch, on map: RoadMap) {
        let segmentStart = map.point(edge, match.segment)
        let segmentEnd = map.point(edge, match.segment + 1)
        var startMeters = 0.0
        for index in 0..<match.segment { startMeters += (map.point(edge, index + 1) - map.point(edge, index)).length }
        let length = (segmentEnd - segmentStart).length
        let fraction = length > 0 ? min(max((match.alongMeters - startMeters) / length, 0), 1) : 0
        append(segmentStart + (segmentEnd - segmentStart) * fraction)
        if match.isForward {
            for index in (match.segment + 1)..<Int(edge.pointCount) { append(map.point(edge, index)) }
        } else {
            for index in stride(from: match.segment, through: 0, by: -1) { append(map.point(edge, index)) }
        }
    }

    /// The most probable next edge: straight on, same name, same class. `nil` if two are about equally probable or none
    /// is open to traffic.
    static func next(
        _ number: UInt32, _ edge: RoadMap.EdgeRecord, isForward: Bool, on map: RoadMap
    ) -> (edge: UInt32, isForward: Bool)? {
        let node = isForward ? edge.end : edge.start
        let count = Int(edge.pointCount)
        let here = map.point(edge, isForward ? count - 1 : 0)
        let incoming = here - map.point(edge, isForward ? count - 2 : 1)
        var (best, bestCost, secondCost): ((UInt32, Bool)?, Double, Double) = (nil, .infinity, .infinity)
        map.forEachEdge(at: node) { candidate, endsHere in
            guard candidate != number, let record = map.edge(candidate),
                !(endsHere && record.properties.contains(.oneWay))
            else { return }
            let last = Int(record.pointCount) - 1
            let outgoing = map.point(record, endsHere ? last - 1 : 1) - map.point(record, endsHere ? last : 0)
            let cost = turnCost(incoming, outgoing) + continuityCost(edge, record, on: map)
            if cost < bestCost {
                (best, bestCost, secondCost) = ((candidate, !endsHere), cost, bestCost)
            } else {
                secondCost = min(secondCost, cost)
            }
        }
        guard let best, bestCost < 4, secondCost - bestCost > 0.5 else { return nil }
        return best
    }

    /// Cost of a change of direction: 1 per 45 degrees.
    private static func turnCost(_ a: Vector3, _ b: Vector3) -> Double {
        let lengths = a.length * b.length
        guard lengths > 0 else { return 0 }
        return acos(min(max(a.dot(b) / lengths, -1), 1)) / (.pi / 4)
    }

    /// Cost of a discontinuity between two roads: class, name, link, roundabout.
    private static func continuityCost(_ a: RoadMap.EdgeRecord, _ b: RoadMap.EdgeRecord, on map: RoadMap) -> Double {
        var cost = 0.5 * min(abs(Double(a.roadClass) - Double(b.roadClass)), 4)
        // A large file has some names more than once.
        if a.name != b.name, map.name(a) != map.name(b) { cost += 1 }
        if a.properties.contains(.link) != b.properties.contains(.link) { cost += 0.5 }
        if a.properties.contains(.roundabout), !b.properties.contains(.roundabout) { cost += 0.5 }
        return cost
    }
}

extension RoadHorizon.LimitSection {
    /// The section that starts with a road in one direction.
    init(_ map: RoadMap, _ number: UInt32, isForward: Bool, startMeters: Double, _ context: LimitContext) {
        self.init(startMeters: startMeters)
        guard let here = map.limit(number, isForward: isForward, context) else { return }
        limit = here.limit.limit
        source = here.limit == .unknown ? .none : here.isTagged ? .road : .roadClass
        (reason, hasCondition) = (here.reason, here.isUncertain)
    }
}
