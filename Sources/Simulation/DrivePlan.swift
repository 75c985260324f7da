import Geodesy
import Glibc
import PoseMath

/// The plan of a simulated drive: path, limits, stops and driver parameters.
public struct DrivePlan: Sendable {
    /// A stop on the path.
    public struct Stop: Hashable, Sendable {
        /// Index of the vertex.
        public var vertex: Int
        /// Duration, seconds.
        public var durationSeconds: Double

        /// Creates a stop at a vertex.
        public init(vertex: Int, durationSeconds: Double) {
            self.vertex = vertex
            self.durationSeconds = durationSeconds
        }
    }

    /// Vertices of the path. Corners are rounded, and heights follow ``hillHeightMeters`` above the first vertex's.
    public var vertices: [GeodeticPosition]
    /// Speed limit of each edge, m/s; a single value applies to all.
    public var limitsMetersPerSecond: [Double]
    /// Stops on the path.
    public var stops: [Stop] = []
    /// Standstill before the start, seconds.
    public var standingSecondsBefore = 10.0
    /// Standstill at the end, seconds.
    public var standingSecondsAfter = 5.0
    /// Acceleration on the straight, m/s2.
    public var accelerationMetersPerSecondSquared = 1.8
    /// Braking deceleration, m/s2.
    public var brakingMetersPerSecondSquared = 2.2
    /// Maximum lateral acceleration in turns, m/s2.
    public var lateralMetersPerSecondSquared = 2.5
    /// Speed as a fraction of the limit; above 1 the driver exceeds it.
    public var limitFactor = 1.0
    /// Height of the hills from valley to top, metres; 0 for level ground.
    public var hillHeightMeters = 0.0
    /// Distance between two hilltops, metres.
    public var hillWavelengthMeters = 900.0
    /// Roll to the outside in a turn, radians per m/s2 of lateral acceleration.
    public var rollPerLateralAcceleration = 0.005
    /// Pitch (nose down when braking, up when accelerating), radians per m/s2.
    public var pitchPerAcceleration = 0.003

    /// Whether the drive repeats endlessly. The path should then end at its start position and in its start direction.
    public var repeats = false

    /// Creates a plan from vertices with one limit per edge, or one for all.
    public init(vertices: [GeodeticPosition], limitsMetersPerSecond: [Double]) {
        self.vertices = vertices
        self.limitsMetersPerSecond = limitsMetersPerSecond
    }
}

/// Why a plan is invalid.
public enum DrivePlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer than two distinct positions.
    case tooShort
    /// A vertex is not a position on Earth, or is within 1 km of a pole.
    case badVertex(Int)
    /// Two neighbouring vertices are less than half a metre or more than 50 km apart.
    case badEdge(Int)
    /// The path turns by more than 150 degrees at a vertex.
    case tooSharp(Int)
    /// The number or the values of the limits are invalid.
    case badLimits
    /// A stop is not on the path, or its duration is negative.
    case badStop(Int)
    /// A driver parameter is out of range.
    case badDriverParameters

    /// The problem as one sentence.
    public var description: String {
        switch self {
        case .tooShort: "a drive needs at least two vertices"
        case .badVertex(let index): "vertex \(index) is not a valid position, or is within 1 km of a pole"
        case .badEdge(let index): "vertices \(index) and \(index + 1) are closer than 0.5 m or farther than 50 km"
        case .tooSharp(let index): "the path turns by more than 150 degrees at vertex \(index)"
        case .badLimits: "give one speed limit for all edges or one for each, 0.5 to 100 m/s"
        case .badStop(let index): "stop \(index) is not at a vertex of the path, or does not last 0 to 3600 s"
        case .badDriverParameters:
            "accelerations must be 0.1 to 20 m/s2, standing 0 to 3600 s, hills finite and at least 50 m long"
        }
    }
}

extension DrivePlan {
    /// Maximum turn angle that can be rounded between two edges.
    static let sharpestTurnRadians = 150.0 * Angle.radiansPerDegree

    /// Checks the plan; throws the first problem.
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
        else { throw .badDriverParameters }
    }

    /// The track with rounded corners, and the distance of each vertex along it, metres.
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
            // The offset is on the ellipsoid; at height the same angles span a longer distance.
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
            // The radius is about 10 m for a street corner and 60 m for a bend of a road; less where the edges are
            // short.
            let radius = abs(turn) > 0.5 ? 10.0 : 60.0
            let unit = TurnShape.tangentLength(turnRadians: turn)
            let wanted = TurnShape.steepest * abs(turn) * radius
            let length = min(wanted, 0.45 * min(before.length, after.length) / unit)
            corners.append(Corner(turn: turn, length: length, tangent: length * unit))
        }
        return corners
    }
}
