import Glibc
import PoseMath

/// A right-handed east-north-up frame tangent to the ellipsoid at an origin, metres.
public struct LocalFrame: Hashable, Sendable {
    /// Position of (0, 0, 0).
    public let origin: GeodeticPosition
    @usableFromInline let originECEF: Vector3
    @usableFromInline let east: Vector3
    @usableFromInline let north: Vector3
    @usableFromInline let up: Vector3

    /// Creates the frame at an origin (Groves 2013 eq. 2.150).
    public init(origin: GeodeticPosition) {
        self.origin = origin
        originECEF = origin.ecefMeters
        let (sinLat, cosLat) = (sin(origin.latitudeRadians), cos(origin.latitudeRadians))
        let (sinLon, cosLon) = (sin(origin.longitudeRadians), cos(origin.longitudeRadians))
        east = Vector3(-sinLon, cosLon, 0)
        north = Vector3(-sinLat * cosLon, -sinLat * sinLon, cosLat)
        up = Vector3(cosLat * cosLon, cosLat * sinLon, sinLat)
    }

    /// East, north, up coordinates of a position, metres.
    /// docs/math.md, eq. 2.7.
    public func enuMeters(of position: GeodeticPosition) -> Vector3 {
        let d = position.ecefMeters - originECEF
        return Vector3(east.dot(d), north.dot(d), up.dot(d))
    }

    /// East, north, up coordinates of an Earth-centred point, metres.
    @inlinable @inline(__always) public func enuMeters(ofECEFMeters point: Vector3) -> Vector3 {
        let d = point - originECEF
        return Vector3(east.dot(d), north.dot(d), up.dot(d))
    }

    /// Unit vector upwards at the origin, in Earth-centred axes.
    public var upECEF: Vector3 { up }

    /// The position at east, north, up coordinates, metres.
    public func position(ofENUMeters enu: Vector3) -> GeodeticPosition {
        GeodeticPosition(ecefMeters: originECEF + east * enu.x + north * enu.y + up * enu.z)
    }
}
