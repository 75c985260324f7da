import Geodesy
import Glibc
import PoseMath

/// Local east and north coordinates: Earth-centred points are projected on the plane tangent to the ellipsoid at an
/// origin.
///
/// The projection does not use longitudes, so it is valid at the antimeridian and at the poles. At a distance d the
/// scale error is d^2 / (2 R^2): 1e-6 at 10 km.
struct TangentPlane {
    /// The origin, Earth-centred, at height 0, metres.
    let origin: Vector3
    private let east: Vector3
    private let north: Vector3

    /// Creates the plane at a position, whose height is ignored.
    init(at place: GeodeticPosition) {
        let (sinLat, cosLat) = (sin(place.latitudeRadians), cos(place.latitudeRadians))
        let (sinLon, cosLon) = (sin(place.longitudeRadians), cos(place.longitudeRadians))
        let n = WGS84.semiMajorAxisMeters / (1 - WGS84.eccentricitySquared * sinLat * sinLat).squareRoot()
        origin = Vector3(n * cosLat * cosLon, n * cosLat * sinLon, n * (1 - WGS84.eccentricitySquared) * sinLat)
        east = Vector3(-sinLon, cosLon, 0)
        north = Vector3(-sinLat * cosLon, -sinLat * sinLon, cosLat)
    }

    /// The east and north coordinates of an Earth-centred point, metres.
    /// docs/math.md, eq. 11.1.
    @inline(__always) func offset(of point: Vector3) -> PlaneOffset {
        let d = point - origin
        return PlaneOffset(east: east.dot(d), north: north.dot(d))
    }

    /// The Earth-centred point at an offset.
    func point(at offset: PlaneOffset) -> Vector3 { origin + east * offset.east + north * offset.north }
}

/// A vector in a tangent plane, metres.
struct PlaneOffset {
    /// East component, metres.
    var east: Double
    /// North component, metres.
    var north: Double

    /// Length, metres.
    var length: Double { (east * east + north * north).squareRoot() }

    /// Direction, clockwise from north, in [0, 2 pi); `nil` for a zero vector.
    var bearingRadians: Double? { east == 0 && north == 0 ? nil : Angle.wrappedToTwoPi(atan2(east, north)) }

    /// The zero vector.
    static let zero = PlaneOffset(east: 0, north: 0)

    /// Vector sum.
    static func + (a: PlaneOffset, b: PlaneOffset) -> PlaneOffset {
        PlaneOffset(east: a.east + b.east, north: a.north + b.north)
    }

    /// Product with a scalar.
    static func * (a: PlaneOffset, factor: Double) -> PlaneOffset {
        PlaneOffset(east: a.east * factor, north: a.north * factor)
    }

    /// Dot product.
    func dot(_ other: PlaneOffset) -> Double { east * other.east + north * other.north }

    /// Vector difference: from `b` to `a`.
    static func - (a: PlaneOffset, b: PlaneOffset) -> PlaneOffset {
        PlaneOffset(east: a.east - b.east, north: a.north - b.north)
    }
}
