import Glibc
import PoseMath

/// What is known of the Earth's magnetic field without a map of it: how strong it can be, and how strong and steep
/// about here.
enum EarthField {
    /// The weakest and the strongest field at the surface (South Atlantic, magnetic south pole) with a margin of a
    /// tenth, tesla.
    static let weakestTesla = 20e-6
    static let strongestTesla = 74e-6
    /// Strength of the dipole at its equator, tesla, and its north pole: IGRF-14 at 2025, degree 1.
    private static let dipoleTesla = 29.7e-6
    private static let pole = (latitude: 80.85 * Double.pi / 180, longitude: -72.7 * Double.pi / 180)
    /// What the field differs from the dipole's: share of the strength and angle of the dip, the largest on land with a
    /// margin.
    private static let largestShare = 0.5
    private static let largestDip = 0.6

    /// The dipole's field at a place: strength, tesla, and dip, radians, downward positive.
    /// docs/math.md, eq. 8.19.
    static func dipole(latitudeRadians: Double, longitudeRadians: Double) -> (tesla: Double, dipRadians: Double) {
        let sine =
            sin(latitudeRadians) * sin(pole.latitude) + cos(latitudeRadians) * cos(pole.latitude)
            * cos(longitudeRadians - pole.longitude)
        let cosine = max(1 - sine * sine, 0).squareRoot()
        return (dipoleTesla * (1 + 3 * sine * sine).squareRoot(), atan2(2 * sine, cosine))
    }

    /// Whether a field can be the Earth's: by its strength, and where the place is known by strength and dip there.
    ///
    /// - Parameters:
    ///   - field: level frame, tesla.
    ///   - place: latitude and longitude, radians; `nil` where it is not known.
    static func isPlausible(_ field: Vector3, at place: (latitudeRadians: Double, longitudeRadians: Double)?) -> Bool {
        let strength = field.length
        guard strength >= weakestTesla, strength <= strongestTesla else { return false }
        guard let place else { return true }
        let expected = dipole(latitudeRadians: place.latitudeRadians, longitudeRadians: place.longitudeRadians)
        let dip = atan2(-field.z, field.horizontalLength)
        return abs(strength / expected.tesla - 1) < largestShare && abs(dip - expected.dipRadians) < largestDip
    }
}
