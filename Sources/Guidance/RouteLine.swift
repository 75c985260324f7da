import Geodesy
import PoseMath

/// The line of a route: vertices and the length up to each.
///
/// Vertices are Earth-centred at height 0, so that no longitude wraps. Segments are at most ``maximumSegmentMeters``
/// long: longer ones are divided, straight in longitude and latitude as maps draw them (RFC 7946, section 3.1.1), so
/// that the chord stays within 0.1 m of the surface and the length of the chord is that of the arc to 1e-8.
struct RouteLine: Sendable {
    /// Longest segment, metres.
    static let maximumSegmentMeters = 2_000.0
    /// Points nearer than this to the one before are the same point, metres.
    static let duplicateMeters = 0.01

    /// Earth-centred vertices, metres.
    private(set) var vertices: [Vector3] = []
    /// Length of the line up to each vertex, metres; strictly increasing from 0.
    private(set) var along: [Double] = []
    /// Length of the line up to each point of the plan, metres.
    private(set) var alongOfPoint: [Double] = []
    /// How many points of the plan were dropped as duplicates.
    private(set) var duplicates = 0

    /// Measures the points of a plan.
    /// docs/math.md, eq. 11.2.
    init(points: [GeodeticPosition]) throws(RouteProblem) {
        vertices.reserveCapacity(points.count)
        along.reserveCapacity(points.count)
        alongOfPoint.reserveCapacity(points.count)
        var last: GeodeticPosition?
        for (index, point) in points.enumerated() {
            guard point.isValid else { throw .invalidPoint(index: index) }
            guard let from = last else {
                append(RouteLine.surface(point))
                alongOfPoint.append(0)
                last = point
                continue
            }
            if append(from: from, to: point) { last = point }
            guard lengthMeters <= Route.maximumLengthMeters else { throw .tooLong(index: index) }
            alongOfPoint.append(lengthMeters)
        }
        guard vertices.count >= 2 else { throw .tooFewPoints(distinct: vertices.count) }
    }

    /// Length of the whole line, metres.
    var lengthMeters: Double { along.last ?? 0 }
    /// Number of segments.
    var segmentCount: Int { vertices.count - 1 }

    private static func surface(_ point: GeodeticPosition) -> Vector3 {
        var onGround = point
        onGround.altitudeEllipsoidMeters = 0
        return onGround.ecefMeters
    }

    private mutating func append(_ vertex: Vector3) {
        along.append(vertices.last.map { lengthMeters + (vertex - $0).length } ?? 0)
        vertices.append(vertex)
    }

    /// Appends the way to a point; `false` where it is the same point again.
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

    /// A place between two: straight in longitude and latitude, but near the poles in space.
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

    /// The segment that holds a length along the line; lengths outside give the first or the last.
    func segment(atAlong meters: Double) -> Int {
        var (low, high) = (0, segmentCount - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if along[middle] <= meters { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The Earth-centred point at a length along the line, held within its ends.
    func point(atAlong meters: Double) -> Vector3 {
        let index = segment(atAlong: meters)
        let fraction = (min(max(meters, 0), lengthMeters) - along[index]) / (along[index + 1] - along[index])
        return vertices[index] + (vertices[index + 1] - vertices[index]) * fraction
    }

    /// Direction from one length along the line to another, seen from a third, clockwise from north; `nil` where the
    /// points coincide.
    /// docs/math.md, eq. 11.6.
    func bearingRadians(fromAlong a: Double, toAlong b: Double, at place: Double) -> Double? {
        let plane = TangentPlane(at: GeodeticPosition(ecefMeters: point(atAlong: place)))
        return (plane.offset(of: point(atAlong: b)) - plane.offset(of: point(atAlong: a))).bearingRadians
    }
}
