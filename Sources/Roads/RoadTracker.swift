import Geodesy
import Glibc
import PoseMath

/// Where the vehicle is, for finding its road.
public struct RoadInput: Sendable {
    /// When.
    public var time: MonotonicTime
    /// Where.
    public var position: GeodeticPosition
    /// 1-sigma of it on each horizontal axis, metres.
    public var sigmaMeters: Double
    /// Direction of travel, or of the nose where it stands, clockwise from true north, radians; `nil` where not known.
    public var directionRadians: Double?
    /// 1-sigma of it, radians.
    public var directionSigmaRadians: Double
    /// Speed, m/s; `nil` where not known.
    public var speedMetersPerSecond: Double?

    /// An input.
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

/// A place on a road.
public struct RoadPlace: Sendable, Equatable {
    /// The edge's number.
    public var edge: UInt32
    /// Whether the vehicle goes in the order of its points.
    public var isForward: Bool
    /// The segment's number within the edge.
    public var segment: Int
    /// From the edge's first point, metres.
    public var alongMeters: Double
    /// Distance of the position from the road, metres.
    public var distanceMeters: Double
}

/// Finds the road that the vehicle is on: by position and direction, and by what it can have reached from where it was.
public struct RoadTracker: Sendable {
    /// How far a vehicle on the road may be from the line drawn for it, 1-sigma, metres.
    static let mapSigmaMeters = 5.0
    /// A road's direction is drawn to this, 1-sigma, radians.
    static let mapDirectionSigmaRadians = 0.3
    /// No road farther away than this is the vehicle's, metres; or than 4 sigmas.
    static let reachMeters = 40.0
    /// Costs, in units of half a squared sigma.
    enum Cost {
        /// To a road that cannot be reached from where the vehicle was.
        static let unconnected = 6.0
        /// To a road reached through a junction.
        static let junction = 0.5
        /// Turning around on the same road.
        static let turnedAround = 3.0
        /// Against the one direction of a road.
        static let againstOneWay = 5.0
        /// At most for the direction.
        static let direction = 10.0
    }

    /// The latest place; `nil` where no road is near.
    public private(set) var place: RoadPlace?
    private var lastInput: RoadInput?
    private var reachable: [UInt32] = []

    /// A tracker that has seen nothing.
    public init() { reachable.reserveCapacity(64) }

    /// Forgets the road.
    public mutating func reset() { (place, lastInput) = (nil, nil) }

    /// Finds the road of a position; `nil` where there is none, or the position is too poor to tell.
    @discardableResult
    public mutating func update(_ input: RoadInput, on map: RoadMap) -> RoadPlace? {
        guard input.position.isValid, input.sigmaMeters >= 0, input.sigmaMeters <= 100 else {
            place = nil
            return nil
        }
        findReachable(input, on: map)
        var search = Search(input, reachable: reachable, last: place)
        map.forEachSegment(near: search.origin, withinMeters: search.reach) { search.consider($0, $1, $2, $3, $4) }
        lastInput = input
        place = search.best.map { found in
            var found = found
            found.alongMeters = Self.along(found, search.bestFraction, on: map)
            return found
        }
        return place
    }

    /// The edges that the vehicle can have reached since the last time, the one it was on first.
    private mutating func findReachable(_ input: RoadInput, on map: RoadMap) {
        reachable.removeAll(keepingCapacity: true)
        guard let place, let lastInput else { return }
        let seconds = input.time.seconds(since: lastInput.time)
        guard seconds >= 0, seconds < 30 else { return }
        let way = max(input.speedMetersPerSecond ?? 0, lastInput.speedMetersPerSecond ?? 0, 3) * seconds * 1.5 + 40
        reachable.append(place.edge)
        guard let edge = map.edge(place.edge) else { return }
        let length = Double(edge.lengthDecimeters) / 10
        expand(
            place.isForward ? edge.end : edge.start,
            left: way - (place.isForward ? length - place.alongMeters : place.alongMeters), depth: 0, on: map
        )
        // Behind as well: the vehicle may have been put on the next edge too early.
        expand(
            place.isForward ? edge.start : edge.end,
            left: 40 - (place.isForward ? place.alongMeters : length - place.alongMeters), depth: 2, on: map)
    }

    private mutating func expand(_ node: UInt32, left: Double, depth: Int, on map: RoadMap) {
        guard left > 0, depth < 5, reachable.count < 64 else { return }
        var next: [(node: UInt32, left: Double)] = []
        map.forEachEdge(at: node) { number, endsHere in
            guard !reachable.contains(number), let edge = map.edge(number), reachable.count < 64 else { return }
            reachable.append(number)
            next.append((endsHere ? edge.start : edge.end, left - Double(edge.lengthDecimeters) / 10))
        }
        for step in next { expand(step.node, left: step.left, depth: depth + 1, on: map) }
    }

    private static func along(_ place: RoadPlace, _ fraction: Double, on map: RoadMap) -> Double {
        guard let edge = map.edge(place.edge) else { return 0 }
        var along = 0.0
        var last = map.point(edge, 0)
        for index in 1...(place.segment + 1) {
            let next = map.point(edge, index)
            along += (next - last).length * (index == place.segment + 1 ? fraction : 1)
            last = next
        }
        return along
    }
}

/// The cheapest place among the segments near a position.
private struct Search {
    let origin: Vector3
    let reach: Double
    private let frame: LocalFrame
    private let input: RoadInput
    private let distanceWeight: Double
    private let directionWeight: Double
    private let reachable: [UInt32]
    private let last: RoadPlace?
    private(set) var best: RoadPlace?
    private(set) var bestFraction = 0.0
    private var bestCost = Double.infinity

    init(_ input: RoadInput, reachable: [UInt32], last: RoadPlace?) {
        var ground = input.position
        ground.altitudeEllipsoidMeters = 0
        frame = LocalFrame(origin: ground)
        origin = ground.ecefMeters
        self.input = input
        self.reachable = reachable
        self.last = last
        let variance = input.sigmaMeters * input.sigmaMeters + RoadTracker.mapSigmaMeters * RoadTracker.mapSigmaMeters
        distanceWeight = 0.5 / variance
        reach = max(RoadTracker.reachMeters, min(4 * variance.squareRoot(), 150))
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
        guard distance <= reach, let roadClass = RoadClass(rawValue: edge.roadClass) else { return }
        let fixed = distance * distance * distanceWeight + connection(number) + roadClass.cost
        guard fixed < bestCost else { return }
        let direction = frame.enuMeters(ofECEFMeters: origin + along)
        let bearing = atan2(direction.x, direction.y)
        for isForward in [true, false] {
            var cost = fixed
            if let travel = input.directionRadians {
                let difference = isForward ? travel - bearing : travel - bearing - .pi
                cost += min((1 - cos(difference)) * directionWeight, RoadTracker.Cost.direction)
            }
            if !isForward, edge.properties.contains(.oneWay) { cost += RoadTracker.Cost.againstOneWay }
            if let last, last.edge == number, last.isForward != isForward { cost += RoadTracker.Cost.turnedAround }
            guard cost < bestCost else { continue }
            bestCost = cost
            bestFraction = fraction
            best = RoadPlace(
                edge: number, isForward: isForward, segment: segment, alongMeters: 0, distanceMeters: distance)
        }
    }

    /// What it costs to be on an edge after the last one.
    private func connection(_ number: UInt32) -> Double {
        guard let first = reachable.first else { return 0 }
        if number == first { return 0 }
        return reachable.contains(number) ? RoadTracker.Cost.junction : RoadTracker.Cost.unconnected
    }
}
