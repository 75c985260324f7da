import Glibc
import PoseMath

/// The surroundings of a position as a plane: differences of longitude and latitude, scaled to metres there.
///
/// A line that is straight in longitude and latitude, as maps draw it, is straight in the plane. Offsets from the
/// position are accurate to 2e-4 of their length within 1 km and 45 degrees of latitude. Valid across the antimeridian;
/// at a pole nothing is east of anything.
public struct LocalPlane: Sendable {
    /// The position whose scale the plane has.
    public let center: GeodeticPosition
    @usableFromInline let eastMetersPerRadian: Double
    @usableFromInline let northMetersPerRadian: Double

    /// Creates the plane at a position, whose height is ignored.
    public init(at center: GeodeticPosition) {
        self.center = center
        let latitude = center.latitudeRadians
        eastMetersPerRadian = WGS84.primeVerticalRadiusMeters(latitudeRadians: latitude) * cos(latitude)
        northMetersPerRadian = WGS84.meridianRadiusMeters(latitudeRadians: latitude)
    }

    /// East and north offset from one position to another, metres.
    @inlinable public func offsetMeters(
        from a: GeodeticPosition, to b: GeodeticPosition
    ) -> (east: Double, north: Double) {
        (
            Angle.wrappedToPi(b.longitudeRadians - a.longitudeRadians) * eastMetersPerRadian,
            (b.latitudeRadians - a.latitudeRadians) * northMetersPerRadian
        )
    }
}
