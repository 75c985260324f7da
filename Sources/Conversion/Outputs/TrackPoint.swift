import Frames

/// One point of an exported track.
struct TrackPoint {
    /// Latitude, degrees.
    var latitudeDegrees: Double
    /// Longitude, degrees.
    var longitudeDegrees: Double
    /// Height above the ellipsoid, metres.
    var altitudeEllipsoidMeters: Double?
    /// Height above mean sea level, metres.
    var altitudeMeanSeaMeters: Double?
    /// UTC, nanoseconds since 1970.
    var utcNanoseconds: Int64?

    /// The position of a frame; `nil` if it has none that may be used.
    init?(_ frame: Frame) {
        guard frame.pose.state != .starting, frame.pose.state != .lost, let latitude = frame.pose.latitudeRadians,
            let longitude = frame.pose.longitudeRadians, abs(latitude) < 2, abs(longitude) < 4
        else { return nil }
        latitudeDegrees = latitude * 180 / .pi
        longitudeDegrees = longitude * 180 / .pi
        altitudeEllipsoidMeters = frame.pose.altitudeEllipsoidMeters
        altitudeMeanSeaMeters = frame.pose.altitudeMeanSeaMeters
        utcNanoseconds = frame.utcNanoseconds
    }

    /// `latitude` and `longitude` with nine decimals, a tenth of a millimetre.
    var latitude: String { Decimal.text(latitudeDegrees, decimals: 9) }
    var longitude: String { Decimal.text(longitudeDegrees, decimals: 9) }

    /// UTC as text; `nil` if it is unknown.
    var time: String? { utcNanoseconds.map { UTCText.text($0) } }
}
