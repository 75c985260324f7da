import Geodesy
import PoseMath

/// Noise that is the same in every run: SplitMix64 (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func uniform(_ low: Double, _ high: Double) -> Double { low + (high - low) * Double(next() >> 11) * 0x1p-53 }

    mutating func vector(_ size: Double) -> Vector3 {
        let x = uniform(-size, size)
        let y = uniform(-size, size)
        return Vector3(x, y, uniform(-size, size))
    }

    /// Anywhere in latitude and longitude; at a height of -500 to 9,000 m unless told.
    mutating func place(height: Double? = nil) -> GeodeticPosition {
        let latitude = uniform(-.pi / 2, .pi / 2)
        let longitude = uniform(-.pi, .pi)
        return GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height ?? uniform(-500, 9_000))
    }
}
