import Glibc

extension Frame.Pose {
    /// The position in Earth-centred, Earth-fixed coordinates, WGS 84, metres; `nil` without a position or its height
    /// above the ellipsoid. Computed from these on every call (Groves 2013 eq. 2.112): no frame contains it unless a
    /// client asks for it.
    public var ecefMeters: Frame.Triple? {
        EarthCentred(latitudeRadians, longitudeRadians, altitudeEllipsoidMeters).meters
    }
}

/// A geodetic position that is converted when it is needed.
struct EarthCentred {
    private var latitude: Double?
    private var longitude: Double?
    private var altitude: Double?

    /// Semi-major axis of WGS 84, metres.
    private static let semiMajorAxis = 6_378_137.0
    /// Square of the first eccentricity, from the flattening 1 / 298.257223563.
    private static let eccentricitySquared = (2 - 1 / 298.257_223_563) / 298.257_223_563

    /// Latitude and longitude, radians, and height above the ellipsoid, metres.
    init(_ latitude: Double? = nil, _ longitude: Double? = nil, _ altitude: Double? = nil) {
        (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
    }

    /// Earth-centred coordinates, metres; `nil` if one of the three is unknown or no number that can be written.
    var meters: Frame.Triple? {
        guard let latitude, let longitude, let altitude, abs(latitude) < 10, abs(longitude) < 10, abs(altitude) < 1e8
        else { return nil }
        let (sine, cosine) = (sin(latitude), cos(latitude))
        let normal = Self.semiMajorAxis / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        let radius = (normal + altitude) * cosine
        return Frame.Triple(
            radius * cos(longitude), radius * sin(longitude),
            (normal * (1 - Self.eccentricitySquared) + altitude) * sine)
    }
}
