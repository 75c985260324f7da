import Glibc
import PoseMath

/// Distances and bearings on a sphere: simple, defined everywhere, with an error of up to 0.56 % relative to the
/// ellipsoid.
///
/// Use a ``LocalFrame`` or ``GeodeticPosition/surfaceOffsetMeters(to:)`` for accurate short distances.
public enum GreatCircle {
    /// Distance between two positions by the haversine formula, metres; the radius defaults to that of the equator.
    /// docs/math.md, eq. 2.9.
    public static func distanceMeters(
        from a: GeodeticPosition, to b: GeodeticPosition, radiusMeters: Double = WGS84.semiMajorAxisMeters
    ) -> Double {
        let sinHalfLat = sin((b.latitudeRadians - a.latitudeRadians) / 2)
        let sinHalfLon = sin((b.longitudeRadians - a.longitudeRadians) / 2)
        let h = sinHalfLat * sinHalfLat + cos(a.latitudeRadians) * cos(b.latitudeRadians) * sinHalfLon * sinHalfLon
        return 2 * radiusMeters * atan2(h.squareRoot(), max(0, 1 - h).squareRoot())
    }

    /// Initial bearing from `a` to `b`, clockwise from true north in [0, 2 pi), radians; `nil` if the positions
    /// coincide or are antipodal.
    /// docs/math.md, eq. 2.10.
    public static func initialBearingRadians(from a: GeodeticPosition, to b: GeodeticPosition) -> Double? {
        let dLon = b.longitudeRadians - a.longitudeRadians
        let y = sin(dLon) * cos(b.latitudeRadians)
        let x =
            cos(a.latitudeRadians) * sin(b.latitudeRadians) - sin(a.latitudeRadians) * cos(b.latitudeRadians)
            * cos(dLon)
        guard (x * x + y * y).squareRoot() > 1e-14 else { return nil }
        return Angle.wrappedToTwoPi(atan2(y, x))
    }
}

extension GeodeticPosition {
    /// East and north offset to another position along the surface of the ellipsoid, metres: differences of longitude
    /// and latitude times the radii of curvature at the mean latitude. Accurate to 1e-6 of the distance within 10 km
    /// and 65 degrees of latitude; valid across the antimeridian, undefined at a pole.
    /// docs/math.md, eq. 2.8.
    @inlinable public func surfaceOffsetMeters(to other: GeodeticPosition) -> (east: Double, north: Double) {
        let middle = 0.5 * (latitudeRadians + other.latitudeRadians)
        let dLon = Angle.wrappedToPi(other.longitudeRadians - longitudeRadians)
        return (
            dLon * WGS84.primeVerticalRadiusMeters(latitudeRadians: middle) * cos(middle),
            (other.latitudeRadians - latitudeRadians) * WGS84.meridianRadiusMeters(latitudeRadians: middle)
        )
    }
}
