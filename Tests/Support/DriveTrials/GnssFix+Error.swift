import Geodesy
import Measurements
import Simulation

extension GnssFix {
    /// From where the receiver was to where the fix says, east and north, metres.
    func error(from truth: DriveTruth) -> (east: Double, north: Double) {
        let seen = GeodeticPosition(
            latitudeRadians: latitudeRadians ?? .nan, longitudeRadians: longitudeRadians ?? .nan,
            altitudeEllipsoidMeters: 0)
        return truth.position.surfaceOffsetMeters(to: seen)
    }
}
