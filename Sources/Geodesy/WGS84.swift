import Glibc

/// The World Geodetic System 1984: defining and derived constants (NIMA TR8350.2, tables 3.1 to 3.4), radii and
/// gravity.
public enum WGS84 {
    /// Semi-major axis, metres.
    public static let semiMajorAxisMeters = 6_378_137.0
    /// Flattening.
    public static let flattening = 1 / 298.257_223_563
    /// Semi-minor axis, metres.
    public static let semiMinorAxisMeters = semiMajorAxisMeters * (1 - flattening)
    /// First eccentricity squared.
    public static let eccentricitySquared = flattening * (2 - flattening)
    /// Rotation of the Earth, rad/s.
    public static let earthRateRadiansPerSecond = 7.292_115e-5
    /// Gravitational constant of the Earth with its atmosphere, m3/s2.
    public static let gravitationalParameter = 3.986_004_418e14
    /// Normal gravity at the equator, m/s2.
    public static let equatorialGravity = 9.780_325_335_9
    /// Somigliana's constant.
    static let somigliana = 0.001_931_852_652_41

    /// Radius of curvature in the meridian, metres (Groves 2013 eq. 2.105).
    /// docs/math.md, eq. 2.1.
    @inlinable public static func meridianRadiusMeters(latitudeRadians: Double) -> Double {
        let s = sin(latitudeRadians)
        let d = 1 - eccentricitySquared * s * s
        return semiMajorAxisMeters * (1 - eccentricitySquared) / (d * d.squareRoot())
    }

    /// Radius of curvature in the prime vertical, metres (Groves 2013 eq. 2.106).
    /// docs/math.md, eq. 2.2.
    @inlinable public static func primeVerticalRadiusMeters(latitudeRadians: Double) -> Double {
        let s = sin(latitudeRadians)
        return semiMajorAxisMeters / (1 - eccentricitySquared * s * s).squareRoot()
    }

    /// Normal gravity (gravitation and centrifugal), m/s2, positive down: Somigliana's formula at the ellipsoid
    /// (TR8350.2 eq. 4-1) with the second-order height term (eq. 4-3). Good to 1e-5 m/s2 up to 10 km.
    /// docs/math.md, eq. 2.3.
    public static func normalGravity(latitudeRadians: Double, altitudeEllipsoidMeters: Double) -> Double {
        let s = sin(latitudeRadians)
        let s2 = s * s
        let surface = equatorialGravity * (1 + somigliana * s2) / (1 - eccentricitySquared * s2).squareRoot()
        let a = semiMajorAxisMeters
        let m =
            earthRateRadiansPerSecond * earthRateRadiansPerSecond * a * a * semiMinorAxisMeters / gravitationalParameter
        let h = altitudeEllipsoidMeters
        return surface * (1 - 2 / a * (1 + flattening + m - 2 * flattening * s2) * h + 3 / (a * a) * h * h)
    }

    /// The Earth's rotation in the local east-north-up frame, rad/s.
    /// docs/math.md, eq. 2.4.
    @inlinable public static func earthRateENU(latitudeRadians: Double) -> (east: Double, north: Double, up: Double) {
        (0, earthRateRadiansPerSecond * cos(latitudeRadians), earthRateRadiansPerSecond * sin(latitudeRadians))
    }
}
