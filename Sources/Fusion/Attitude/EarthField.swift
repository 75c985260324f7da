import Glibc
import PoseMath

/// The Earth's magnetic field without a map: limits of its strength, and the dipole's strength and dip at a place.
enum EarthField {
    /// The dipole's field at a place: strength, tesla, and dip, radians, downward positive.
    /// docs/math.md, eq. 8.19.
    static func dipole(latitudeRadians: Double, longitudeRadians: Double) -> (tesla: Double, dipRadians: Double) {
        let sine =
            sin(latitudeRadians) * sin(Tuning.EarthField.poleLatitude) + cos(latitudeRadians)
            * cos(Tuning.EarthField.poleLatitude)
            * cos(longitudeRadians - Tuning.EarthField.poleLongitude)
        let cosine = max(1 - sine * sine, 0).squareRoot()
        return (Tuning.EarthField.dipoleTesla * (1 + 3 * sine * sine).squareRoot(), atan2(2 * sine, cosine))
    }

    /// Whether a field can be the Earth's: by its strength, and where the place is known by strength and dip there.
    ///
    /// - Parameters:
    ///   - field: level frame, tesla.
    ///   - place: latitude and longitude, radians; `nil` where it is not known.
    static func isPlausible(_ field: Vector3, at place: (latitudeRadians: Double, longitudeRadians: Double)?) -> Bool {
        let strength = field.length
        guard strength >= Tuning.EarthField.weakestTesla, strength <= Tuning.EarthField.strongestTesla else {
            return false
        }
        guard let place else { return true }
        let expected = dipole(latitudeRadians: place.latitudeRadians, longitudeRadians: place.longitudeRadians)
        let dip = atan2(-field.z, field.horizontalLength)
        return abs(strength / expected.tesla - 1) < Tuning.EarthField.largestStrengthDifference
            && abs(dip - expected.dipRadians) < Tuning.EarthField.largestDipDifference
    }
}
