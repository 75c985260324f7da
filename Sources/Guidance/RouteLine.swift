import Geodesy
import PoseMath

/// The line of a route: vertices and the line's length up to each.
///
/// Vertices are Earth-centred at height 0, so longitudes do not wrap. A segment is at most ``maximumSegmentMeters``
/// long. Longer ones are divided along a straight line in longitude and latitude, as maps draw them (RFC 7946, section
/// 3.1.1). The chord then stays within 0.1 m of the surface, and its length equals the arc's to 1e-8.
struct RouteLine: Sendable {
    /// Maximum length of a segment, metres.
    static let maximumSegmentMeters = 2_000.0
    /// A point closer than this to the previous one is a duplicate, metres.
    static let duplicateMeters = 0.01

    /// Earth-centred vertices, metres.
    private(set) var vertices: [Vector3] = []
    /// Length of the line up to each vertex, metres; strictly increasing from 0.
    private(set) var vertexAlongMeters: [Double] = []
    /// Length of the line up to each point of the plan, metres.
    private(set) var pointAlongMeters: [Double] = []
    /// Number of plan points dropped as duplicates.
    private(set) var duplicates = 0

    /// Builds the line from the points of a plan.
    /// docs/math.md, eq. 11.2.
    init(points: [GeodeticPosition]) throws(RouteProblem) {
        vertices.reserveCapacity(points.count)
        vertexAlongMeters.reserveCapacity(points.count)
        pointAlongMeters.reserveCapacity(points.count)
        var last: GeodeticPosition?
        for (index, point) in points.enumerated() {
            guard point.isValid else { throw .invalidPoint(index: index) }
            guard let from = last else {
                append(RouteLine.surface(point))
                pointAlongMeters.append(0)
                last = point
                continue
            }
            if append(from: from, to: point) { last = point }
            guard lengthMeters <= Route.maximumLengthMeters else { throw .tooLong(index: index) }
            pointAlongMeters.append(lengthMeters)
        }
        guard vertices.count >= 2 else { throw .tooFewPoints(distinct: vertices.count) }
    }

    /// Length of the whole line, metres.
    var lengthMeters: Double { vertexAlongMeters.last ?? 0 }
    /// Number of segments.
    var segmentCount: Int { vertices.count - 1 }

    private static func surface(_ point: GeodeticPosition) -> Vector3 {
        var onGround = point
        onGround.altitudeEllipsoidMeters = 0
        return onGround.ecefMeters
    }

    private mutating func append(_ vertex: Vector3) {
        let along = vertices.last.map { lengthMeters + (vertex - $0).length }
        // The straight line between opposite points of the Earth is below no other point of the surface.
        if let along, !(along > lengthMeters) { return }
        vertexAlongMeters.append(along ?? 0)
        vertices.append(vertex)
    }

    /// Appends the line to a point; returns `false` for a duplicate of the previous point.
    private mutating func append(from: GeodeticPosition, to point: GeodeticPosition) -> Bool {
        let start = RouteLine.surface(from)
        let end = RouteLine.surface(point)
        let chord = (end - start).length
        guard chord > RouteLine.duplicateMeters else {
            duplicates += 1
            return false
        }
        let pieces = Int((chord / RouteLine.maximumSegmentMeters).rounded(.up))
        for piece in 1..<max(pieces, 1) {
            append(RouteLine.between(from, point, fraction: Double(piece) / Double(pieces)))
        }
        append(end)
        return true
    }

    /// A point between two positions, `fraction` 0 to 1: linear in longitude and latitude, but linear in space near the
    /// poles.
    private static func between(_ a: GeodeticPosition, _ b: GeodeticPosition, fraction: Double) -> Vector3 {
        if max(abs(a.latitudeRadians), abs(b.latitudeRadians)) > 85 * Angle.radiansPerDegree {
            let (start, end) = (surface(a), surface(b))
            return surface(GeodeticPosition(ecefMeters: start + (end - start) * fraction))
        }
        let dLon = Angle.wrappedToPi(b.longitudeRadians - a.longitudeRadians)
        return surface(
            GeodeticPosition(
                latitudeRadians: a.latitudeRadians + (b.latitudeRadians - a.latitudeRadians) * fraction,
                longitudeRadians: a.longitudeRadians + dLon * fraction, altitudeEllipsoidMeters: 0))
    }

    /// Index of the segment at a length along the line; a length outside the line gives the first or the last segment.
    func segment(atAlong meters: Double) -> Int {
        var (low, high) = (0, segmentCount - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if vertexAlongMeters[middle] <= meters { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The Earth-centred point at a length along the line, clamped to its ends.
    func point(atAlong meters: Double) -> Vector3 {
        let index = segment(atAlong: meters)
        let fraction =
            (min(max(meters, 0), lengthMeters) - vertexAlongMeters[index])
            / (vertexAlongMeters[index + 1] - vertexAlongMeters[index])
        return vertices[index] + (vertices[index + 1] - vertices[index]) * fraction
    }

    /// Bearing from one length along the line to another, in the tangent plane at a third, clockwise from true north,
    /// radians; `nil` if the points coincide.
    /// docs/math.md, eq. 11.6.
    func bearingRadians(fromAlong a: Double, toAlong b: Double, at place: Double) -> Double? {
        let plane = TangentPlane(at: GeodeticPosition(ecefMeters: point(atAlong: place)))
        return (plane.offset(of: point(atAlong: b)) - plane.offset(of: point(atAlong: a))).bearingRadians
    }
}
