import Glibc

/// Conversions and wrapping of plane angles.
public enum Angle {
    /// Radians in one degree.
    public static let radiansPerDegree = Double.pi / 180

    /// Degrees to radians.
    @inlinable public static func radians(fromDegrees degrees: Double) -> Double { degrees * radiansPerDegree }

    /// Radians to degrees.
    @inlinable public static func degrees(fromRadians radians: Double) -> Double { radians / radiansPerDegree }

    /// The same direction in (-pi, pi]; NaN and infinities give NaN.
    /// docs/math.md, eq. 1.1.
    @inlinable public static func wrappedToPi(_ radians: Double) -> Double {
        // Most angles need no division.
        if radians > -.pi, radians <= .pi { return radians }
        let r = remainder(radians, 2 * .pi)
        return r <= -.pi ? .pi : r
    }

    /// The same direction in [0, 2 pi): the form of a heading; NaN and infinities give NaN.
    @inlinable public static func wrappedToTwoPi(_ radians: Double) -> Double {
        if radians >= 0, radians < 2 * .pi { return radians }
        let r = fmod(radians, 2 * .pi)
        let positive = r < 0 ? r + 2 * .pi : r
        return positive >= 2 * .pi ? 0 : positive
    }
}

extension Double {
    /// This number of degrees in radians.
    @inlinable public var degreesInRadians: Double { Angle.radians(fromDegrees: self) }
    /// This number of radians in degrees.
    @inlinable public var radiansInDegrees: Double { Angle.degrees(fromRadians: self) }
}
