import Geodesy
import Glibc
import PoseMath

/// What a simulated drive shall be: the way, the limits, the stops and the manners of the driver.
public struct DrivePlan: Sendable {
    /// A halt on the way.
    public struct Stop: Hashable, Sendable {
        /// At which vertex of the way.
        public var vertex: Int
        /// For how long, seconds.
        public var durationSeconds: Double

        /// A halt at a vertex.
        public init(vertex: Int, durationSeconds: Double) {
            self.vertex = vertex
            self.durationSeconds = durationSeconds
        }
    }

    /// The corners of the way; corners are rounded, and heights come from ``hillHeightMeters`` over the first vertex's.
    public var vertices: [GeodeticPosition]
    /// Speed limit of each edge, m/s; a single one holds for all.
    public var limitsMetersPerSecond: [Double]
    /// Halts on the way.
    public var stops: [Stop] = []
    /// Standing still before the start, seconds.
    public var standingSecondsBefore = 10.0
    /// Standing still at the end, seconds.
    public var standingSecondsAfter = 5.0
    /// Acceleration on the straight, m/s2.
    public var accelerationMetersPerSecondSquared = 1.8
    /// Braking, m/s2.
    public var brakingMetersPerSecondSquared = 2.2
    /// Sideways acceleration allowed in turns, m/s2.
    public var lateralMetersPerSecondSquared = 2.5
    /// Part of the limit that is driven; above 1 the driver speeds.
    public var limitFactor = 1.0
    /// Height of the ground's waves from valley to top, metres; 0 for level ground.
    public var hillHeightMeters = 0.0
    /// From top to top, metres.
    public var hillWavelengthMeters = 900.0
    /// Lean to the outside in a turn, radians for each m/s2 of sideways acceleration.
    public var rollPerLateralAcceleration = 0.005
    /// Nose down when braking, up when accelerating, radians for each m/s2.
    public var pitchPerAcceleration = 0.003

    /// Whether the drive begins again when it has ended, without end. The way should then end where and as it began.
    public var repeats = false

    /// A drive along corners with one limit for each edge, or one for all.
    public init(vertices: [GeodeticPosition], limitsMetersPerSecond: [Double]) {
        self.vertices = vertices
        self.limitsMetersPerSecond = limitsMetersPerSecond
    }
}

/// Why a plan cannot be driven.
public enum DrivePlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer than two places apart from each other.
    case tooShort
    /// A vertex is not a place on Earth, or lies within 1 km of a pole.
    case badVertex(Int)
    /// Two neighbouring vertices are less than half a metre or more than 50 km apart.
    case badEdge(Int)
    /// The way turns by more than 150 degrees at a vertex.
    case tooSharp(Int)
    /// The number or the size of the limits is wrong.
    case badLimits
    /// A stop is not on the way, or lasts a negative time.
    case badStop(Int)
    /// A figure of the driver's manners is out of range.
    case badManners

    /// One sentence.
    public var description: String {
        switch self {
        case .tooShort: "a drive needs at least two vertices"
        case .badVertex(let index): "vertex \(index) is not a place that can be driven to"
        case .badEdge(let index): "vertices \(index) and \(index + 1) are closer than 0.5 m or farther than 50 km"
        case .tooSharp(let index): "the way turns by more than 150 degrees at vertex \(index)"
        case .badLimits: "give one speed limit for all edges or one for each, 0.5 to 100 m/s"
        case .badStop(let index): "stop \(index) is not at a vertex of the way, or does not last 0 to 3600 s"
        case .badManners:
            "accelerations must be 0.1 to 20 m/s2, standing 0 to 3600 s, hills finite and at least 50 m long"
        }
    }
}

extension DrivePlan {
    /// Sharpest turn that can be rounded between its two edges.
    static let sharpestTurnRadians = 150.0 * Angle.radiansPerDegree

    /// Throws the first thing that makes the plan impossible.
    func check() throws(DrivePlanError) {
        guard vertices.count >= 2 else { throw .tooShort }
        for (index, vertex) in vertices.enumerated() {
            guard vertex.isValid, abs(vertex.latitudeRadians) < .pi / 2 - 1.6e-4 else { throw .badVertex(index) }
        }
        guard limitsMetersPerSecond.count == 1 || limitsMetersPerSecond.count == vertices.count - 1,
            limitsMetersPerSecond.allSatisfy({ $0 >= 0.5 && $0 <= 100 }), limitFactor > 0.1, limitFactor < 3
        else { throw .badLimits }
        for (index, stop) in stops.enumerated() {
            guard vertices.indices.contains(stop.vertex), stop.durationSeconds >= 0, stop.durationSeconds <= 3_600
            else { throw .badStop(index) }
        }
        let accelerations = [
            accelerationMetersPerSecondSquared, brakingMetersPerSecondSquared, lateralMetersPerSecondSquared,
        ]
        guard accelerations.allSatisfy({ $0 >= 0.1 && $0 <= 20 }), hillWavelengthMeters >= 50,
            abs(hillHeightMeters) < 1_000,
            [standingSecondsBefore, standingSecondsAfter].allSatisfy({ $0 >= 0 && $0 <= 3_600 }),
            abs(rollPerLateralAcceleration) < 0.1, abs(pitchPerAcceleration) < 0.1
        else { throw .badManners }
    }

    /// The track with its corners rounded, and where each vertex comes to lie on it.
    func track() throws(DrivePlanError) -> (track: RoadTrack, vertexDistances: [Double]) {
        let edges = try edgesOfPlan()
        let corners = try cornersBetween(edges)
        var pieces: [RoadTrack.Piece] = []
        var distances = [0.0]
        var heading = edges[0].heading
        var at = 0.0
        func append(_ length: Double, _ turn: Double, _ limit: Double) {
            guard length > 0 else { return }
            pieces.append(RoadTrack.Piece(start: at, length: length, heading: heading, turn: turn, limit: limit))
            at += length
            heading += turn
        }
        for (index, edge) in edges.enumerated() {
            let before = index > 0 ? corners[index - 1].tangent : 0
            let after = index < corners.count ? corners[index].tangent : 0
            append(edge.length - before - after, 0, edge.limit)
            guard index < corners.count else { continue }
            distances.append(at + corners[index].length / 2)
            append(corners[index].length, corners[index].turn, min(edge.limit, edges[index + 1].limit))
        }
        distances.append(at)
        let hill = RoadTrack.Hill(amplitude: hillHeightMeters / 2, wavelength: hillWavelengthMeters)
        return (RoadTrack(origin: vertices[0], pieces: pieces, hills: hillHeightMeters == 0 ? [] : [hill]), distances)
    }

    private struct Edge {
        var length: Double
        var heading: Double
        var limit: Double
    }

    private struct Corner {
        var turn: Double
        var length: Double
        var tangent: Double
    }

    private func edgesOfPlan() throws(DrivePlanError) -> [Edge] {
        var edges: [Edge] = []
        for index in 0..<(vertices.count - 1) {
            let offset = vertices[index].surfaceOffsetMeters(to: vertices[index + 1])
            // The offset is measured on the ellipsoid; at height the same angles span more ground.
            let scale = 1 + vertices[0].altitudeEllipsoidMeters / WGS84.semiMajorAxisMeters
            let length = (offset.east * offset.east + offset.north * offset.north).squareRoot() * scale
            guard length >= 0.5, length <= 50_000 else { throw .badEdge(index) }
            let limit = limitsMetersPerSecond.count == 1 ? limitsMetersPerSecond[0] : limitsMetersPerSecond[index]
            edges.append(Edge(length: length, heading: atan2(offset.east, offset.north), limit: limit))
        }
        return edges
    }

    private func cornersBetween(_ edges: [Edge]) throws(DrivePlanError) -> [Corner] {
        var corners: [Corner] = []
        for (index, (before, after)) in zip(edges, edges.dropFirst()).enumerated() {
            let turn = Angle.wrappedToPi(after.heading - before.heading)
            guard abs(turn) <= Self.sharpestTurnRadians else { throw .tooSharp(index + 1) }
            guard abs(turn) > 1e-9 else {
                corners.append(Corner(turn: 0, length: 0, tangent: 0))
                continue
            }
            // A corner of a street is taken with about 10 m radius, a kink of a road with 60 m; less where the edges
            // are short.
            let radius = abs(turn) > 0.5 ? 10.0 : 60.0
            let unit = TurnShape.tangentLength(turnRadians: turn)
            let wanted = TurnShape.steepest * abs(turn) * radius
            let length = min(wanted, 0.45 * min(before.length, after.length) / unit)
            corners.append(Corner(turn: turn, length: length, tangent: length * unit))
        }
        return corners
    }
}
