import Geodesy
import Glibc
import PoseMath

/// Position and motion of the vehicle, for finding its road.
public struct RoadInput: Sendable {
    /// Time of validity.
    public var time: MonotonicTime
    /// Position.
    public var position: GeodeticPosition
    /// 1-sigma of the position on each horizontal axis, metres.
    public var sigmaMeters: Double
    /// Direction of travel, or the heading at standstill, clockwise from true north, radians; `nil` if unknown.
    public var directionRadians: Double?
    /// 1-sigma of the direction, radians.
    public var directionSigmaRadians: Double
    /// Speed, m/s; `nil` if unknown.
    public var speedMetersPerSecond: Double?

    /// Creates an input.
    public init(
        time: MonotonicTime, position: GeodeticPosition, sigmaMeters: Double, directionRadians: Double? = nil,
        directionSigmaRadians: Double = 0.1, speedMetersPerSecond: Double? = nil
    ) {
        self.time = time
        self.position = position
        self.sigmaMeters = sigmaMeters
        self.directionRadians = directionRadians
        self.directionSigmaRadians = directionSigmaRadians
        self.speedMetersPerSecond = speedMetersPerSecond
    }
}

/// A position matched to a road.
public struct RoadMatch: Sendable, Equatable {
    /// Number of the edge.
    public var edge: UInt32
    /// Whether the vehicle travels in the order of the edge's points.
    public var isForward: Bool
    /// Index of the segment within the edge.
    public var segment: Int
    /// Distance along the edge from its first point, metres.
    public var alongMeters: Double
    /// Distance of the position from the road, metres.
    public var distanceMeters: Double
}

/// Map matching: finds the vehicle's road from position and direction, and from the roads reachable from the previous
/// one.
public struct RoadTracker: Sendable {
    /// Distance of a vehicle on the road from the line drawn for that road, 1-sigma, metres.
    static let mapSigmaMeters = 5.0
    /// Error of a road's drawn direction, 1-sigma, radians.
    static let mapDirectionSigmaRadians = 0.3
    /// Search radius, metres; 4 sigmas if that is more.
    static let searchRadiusMeters = 40.0
    /// Costs, in the unit of half a squared normalised error.
    enum Cost {
        /// A road that is not reachable from the previous position.
        static let unconnected = 6.0
        /// A road reached through a junction.
        static let junction = 0.5
        /// A U-turn on the same road.
        static let uTurn = 3.0
        /// Travel against the direction of a one-way road.
        static let againstOneWay = 5.0
        /// Upper limit of the direction cost.
        static let direction = 10.0
    }

    /// The latest match; `nil` if no road is near.
    public private(set) var match: RoadMatch?
    private var lastInput: RoadInput?
    private var reachable: [UInt32] = []

    /// Creates a tracker without a previous match.
    public init() { reachable.reserveCapacity(64) }

    /// Discards the match and the previous input.
    public mutating func reset() { (match, lastInput) = (nil, nil) }

    /// Matches a position to a road; returns `nil` if no road is near or the sigma exceeds 100 m.
    @discardableResult
    public mutating func update(_ input: RoadInput, on map: RoadMap) -> RoadMatch? {
        guard input.position.isValid, input.sigmaMeters >= 0, input.sigmaMeters <= 100 else {
            match = nil
            return nil
        }
        findReachable(input, on: map)
        var search = Search(input, reachable: reachable, previous: match)
        map.forEachSegment(near: search.origin, withinMeters: search.searchRadiusMeters) {
            search.consider($0, $1, $2, $3, $4)
        }
        lastInput = input
        match = search.best.map { found in
            var found = found
            found.alongMeters = Self.along(found, search.bestFraction, on: map)
            return found
        }
        return match
    }

    /// Collects the edges that the vehicle can have reached since the previous update; the previous edge comes first.
    private mutating func findReachable(_ input: RoadInput, on map: RoadMap) {
        reachable.removeAll(keepingCapacity: true)
        guard let match, let lastInput else { return }
        let seconds = input.time.seconds(since: lastInput.time)
        guard seconds >= 0, seconds < 30 else { return }
        let reachableMeters =
            max(input.speedMetersPerSecond ?? 0, lastInput.speedMetersPerSecond ?? 0, 3) * seconds * 1.5 + 40
        reachable.append(match.edge)
        guard let edge = map.edge(match.edge) else { return }
        let length = Double(edge.lengthDecimeters) / 10
        expand(
            match.isForward ? edge.end : edge.start,
            remainingMeters: reachableMeters - (match.isForward ? length - match.alongMeters : match.alongMeters),
            depth: 0, on: map
        )
        // Edges behind are included: the previous match may have been on the next edge too early.
        expand(
            match.isForward ? edge.start : edge.end,
            remainingMeters: 40 - (match.isForward ? match.alongMeters : length - match.alongMeters), depth: 2, on: map)
    }

    private mutating func expand(_ node: UInt32, remainingMeters: Double, depth: Int, on map: RoadMap) {
        guard remainingMeters > 0, depth < 5 else { return }
        var next: [(node: UInt32, remainingMeters: Double)] = []
        map.forEachEdge(at: node) { number, endsHere in
            guard !reachable.contains(number), let edge = map.edge(number), reachable.count < 64 else { return }
            reachable.append(number)
            next.append((endsHere ? edge.start : edge.end, remainingMeters - Double(edge.lengthDecimeters) / 10))
        }
        for step in next { expand(step.node, remainingMeters: step.remainingMeters, depth: depth + 1, on: map) }
    }

    private static func along(_ match: RoadMatch, _ fraction: Double, on map: RoadMap) -> Double {
        guard let edge = map.edge(match.edge) else { return 0 }
        var along = 0.0
        var previous = map.point(edge, 0)
        for index in 1...(match.segment + 1) {
            let next = map.point(edge, index)
            along += (next - previous).length * (index == match.segment + 1 ? fraction : 1)
            previous = next
        }
        return along
    }
}

/// Search for the match with the lowest cost among the segments near a position.
private struct Search {
    let origin: Vector3
    let searchRadiusMeters: Double
    private let frame: LocalFrame
    private let input: RoadInput
    private let distanceWeight: Double
    private let directionWeight: Double
    private let reachable: [UInt32]
    private let previous: RoadMatch?
    private(set) var best: RoadMatch?
    private(set) var bestFraction = 0.0
    private var bestCost = Double.infinity

    init(_ input: RoadInput, reachable: [UInt32], previous: RoadMatch?) {
        var ground = input.position
        ground.altitudeEllipsoidMeters = 0
        frame = LocalFrame(origin: ground)
        origin = ground.ecefMeters
        self.input = input
        self.reachable = reachable
        self.previous = previous
        let variance = input.sigmaMeters * input.sigmaMeters + RoadTracker.mapSigmaMeters * RoadTracker.mapSigmaMeters
        distanceWeight = 0.5 / variance
        searchRadiusMeters = max(RoadTracker.searchRadiusMeters, min(4 * variance.squareRoot(), 150))
        let map = RoadTracker.mapDirectionSigmaRadians
        directionWeight = 1 / (input.directionSigmaRadians * input.directionSigmaRadians + map * map)
    }

    mutating func consider(
        _ number: UInt32, _ edge: RoadMap.EdgeRecord, _ segment: Int, _ start: Vector3, _ end: Vector3
    ) {
        let along = end - start
        let length = along.lengthSquared
        guard length > 1e-6 else { return }
        let fraction = min(max((origin - start).dot(along) / length, 0), 1)
        let offset = start + along * fraction - origin
        let distance = offset.length
        guard distance <= searchRadiusMeters, let roadClass = RoadClass(rawValue: edge.roadClass) else { return }
        let directionlessCost = distance * distance * distanceWeight + connection(number) + roadClass.cost
        guard directionlessCost < bestCost else { return }
        let direction = frame.enuMeters(ofECEFMeters: origin + along)
        let bearing = atan2(direction.x, direction.y)
        for isForward in [true, false] {
            var cost = directionlessCost
            if let travel = input.directionRadians {
                let difference = isForward ? travel - bearing : travel - bearing - .pi
                cost += min((1 - cos(difference)) * directionWeight, RoadTracker.Cost.direction)
            }
            if !isForward, edge.properties.contains(.oneWay) { cost += RoadTracker.Cost.againstOneWay }
            if let previous, previous.edge == number, previous.isForward != isForward { cost += RoadTracker.Cost.uTurn }
            guard cost < bestCost else { continue }
            bestCost = cost
            bestFraction = fraction
            best = RoadMatch(
                edge: number, isForward: isForward, segment: segment, alongMeters: 0, distanceMeters: distance)
        }
    }

    /// Cost of an edge from its connection to the previous edge.
    private func connection(_ number: UInt32) -> Double {
        guard let first = reachable.first else { return 0 }
        if number == first { return 0 }
        return reachable.contains(number) ? RoadTracker.Cost.junction : RoadTracker.Cost.unconnected
    }
}
