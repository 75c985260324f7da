import Geodesy
import Glibc
import PoseMath

/// East and north around a place: Earth-centred points are projected on the plane that touches the ellipsoid there.
///
/// Free of longitude, so it is right at the antimeridian and at the poles. At a distance d the scale is off by d^2 / 2
/// R^2: 1e-6 at 10 km.
struct TangentPlane {
    /// The place, Earth-centred, height 0, metres.
    let origin: Vector3
    private let east: Vector3
    private let north: Vector3

    /// The plane at a place, whose height is taken as 0.
    init(at place: GeodeticPosition) {
        let (sinLat, cosLat) = (sin(place.latitudeRadians), cos(place.latitudeRadians))
        let (sinLon, cosLon) = (sin(place.longitudeRadians), cos(place.longitudeRadians))
        let n = WGS84.semiMajorAxisMeters / (1 - WGS84.eccentricitySquared * sinLat * sinLat).squareRoot()
        origin = Vector3(n * cosLat * cosLon, n * cosLat * sinLon, n * (1 - WGS84.eccentricitySquared) * sinLat)
        east = Vector3(-sinLon, cosLon, 0)
        north = Vector3(-sinLat * cosLon, -sinLat * sinLon, cosLat)
    }

    /// East and north of an Earth-centred point, metres.
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
    /// To the east, metres.
    var east: Double
    /// To the north, metres.
    var north: Double

    /// Its length, metres.
    var length: Double { (east * east + north * north).squareRoot() }

    /// Its direction, clockwise from north in [0, 2 pi); `nil` when it has no length.
    var bearingRadians: Double? { east == 0 && north == 0 ? nil : Angle.wrappedToTwoPi(atan2(east, north)) }

    /// No way at all.
    static let zero = PlaneOffset(east: 0, north: 0)

    /// One after the other.
    static func + (a: PlaneOffset, b: PlaneOffset) -> PlaneOffset {
        PlaneOffset(east: a.east + b.east, north: a.north + b.north)
    }

    /// So many times as long.
    static func * (a: PlaneOffset, factor: Double) -> PlaneOffset {
        PlaneOffset(east: a.east * factor, north: a.north * factor)
    }

    /// The product of the lengths and the cosine of the angle between them.
    func dot(_ other: PlaneOffset) -> Double { east * other.east + north * other.north }

    /// The vector from `b` to `a`.
    static func - (a: PlaneOffset, b: PlaneOffset) -> PlaneOffset {
        PlaneOffset(east: a.east - b.east, north: a.north - b.north)
    }
}
