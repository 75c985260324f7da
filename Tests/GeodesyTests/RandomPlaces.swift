import Geodesy
import PoseMath
import SeededNumbers

extension SplitMix64 {
    mutating func vector(_ size: Double) -> Vector3 {
        let x = uniform(-size, size)
        let y = uniform(-size, size)
        return Vector3(x, y, uniform(-size, size))
    }

    /// A random position; height -500 to 9,000 m by default.
    mutating func place(height: Double? = nil) -> GeodeticPosition {
        let latitude = uniform(-.pi / 2, .pi / 2)
        let longitude = uniform(-.pi, .pi)
        return GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude,
            altitudeEllipsoidMeters: height ?? uniform(-500, 9_000))
    }
}
