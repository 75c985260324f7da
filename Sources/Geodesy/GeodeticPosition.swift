import Glibc
import PoseMath

/// A position on or near the Earth, WGS 84.
public struct GeodeticPosition: Hashable, Sendable {
    /// Geodetic latitude, north positive, [-pi/2, pi/2].
    public var latitudeRadians: Double
    /// Longitude, east positive, (-pi, pi].
    public var longitudeRadians: Double
    /// Height above the ellipsoid, metres.
    public var altitudeEllipsoidMeters: Double

    /// Creates a position without checks; see ``isValid``.
    @inlinable public init(latitudeRadians: Double, longitudeRadians: Double, altitudeEllipsoidMeters: Double) {
        self.latitudeRadians = latitudeRadians
        self.longitudeRadians = longitudeRadians
        self.altitudeEllipsoidMeters = altitudeEllipsoidMeters
    }

    /// Creates a position from degrees.
    @inlinable public init(latitudeDegrees: Double, longitudeDegrees: Double, altitudeEllipsoidMeters: Double = 0) {
        self.init(
            latitudeRadians: latitudeDegrees.degreesInRadians, longitudeRadians: longitudeDegrees.degreesInRadians,
            altitudeEllipsoidMeters: altitudeEllipsoidMeters)
    }

    /// Latitude in degrees.
    @inlinable public var latitudeDegrees: Double { latitudeRadians.radiansInDegrees }
    /// Longitude in degrees.
    @inlinable public var longitudeDegrees: Double { longitudeRadians.radiansInDegrees }

    /// Whether all values are finite, latitude and longitude are in range, and the height is between -11 km and 100 km.
    @inlinable public var isValid: Bool {
        abs(latitudeRadians) <= .pi / 2 && abs(longitudeRadians) <= .pi && altitudeEllipsoidMeters > -11_000
            && altitudeEllipsoidMeters < 100_000
    }

    /// Earth-centred Earth-fixed coordinates, metres (Groves 2013 eq. 2.112).
    /// docs/math.md, eq. 2.5.
    public var ecefMeters: Vector3 {
        let n = WGS84.primeVerticalRadiusMeters(latitudeRadians: latitudeRadians)
        let (sinLat, cosLat) = (sin(latitudeRadians), cos(latitudeRadians))
        let r = (n + altitudeEllipsoidMeters) * cosLat
        return Vector3(
            r * cos(longitudeRadians), r * sin(longitudeRadians),
            (n * (1 - WGS84.eccentricitySquared) + altitudeEllipsoidMeters) * sinLat)
    }

    /// Converts Earth-centred coordinates, metres: Bowring's 1985 start value and three Newton-like rounds, exact to
    /// 1e-9 rad and 1e-6 m from -10 km to 10,000 km height. The centre of the Earth gives latitude 0 with a negative
    /// height.
    /// docs/math.md, eq. 2.6.
    public init(ecefMeters p: Vector3) {
        let a = WGS84.semiMajorAxisMeters
        let b = WGS84.semiMinorAxisMeters
        let e2 = WGS84.eccentricitySquared
        let rho = (p.x * p.x + p.y * p.y).squareRoot()
        let longitude = rho > 0 ? atan2(p.y, p.x) : 0
        var beta = atan2(a * p.z, b * rho)
        var latitude = 0.0
        for _ in 0..<3 {
            let (s, c) = (sin(beta), cos(beta))
            latitude = atan2(p.z + e2 / (1 - e2) * b * s * s * s, max(0, rho - e2 * a * c * c * c))
            beta = atan2((1 - WGS84.flattening) * sin(latitude), cos(latitude))
        }
        let (s, c) = (sin(latitude), cos(latitude))
        let n = WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude)
        // Well conditioned at the equator and at the poles.
        let height = rho * c + p.z * s - a * a / n
        self.init(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height)
    }
}
