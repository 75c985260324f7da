/// A vector of three components; the variable's name states its frame and unit.
public typealias Vector3 = SIMD3<Double>

extension SIMD3 where Scalar == Double {
    /// The unit vector of the first axis.
    public static var unitX: Vector3 { Vector3(1, 0, 0) }
    /// The unit vector of the second axis.
    public static var unitY: Vector3 { Vector3(0, 1, 0) }
    /// The unit vector of the third axis.
    public static var unitZ: Vector3 { Vector3(0, 0, 1) }

    /// The scalar product.
    @inlinable public func dot(_ other: Vector3) -> Double { x * other.x + y * other.y + z * other.z }

    /// The vector product `self x other`.
    @inlinable public func cross(_ other: Vector3) -> Vector3 {
        Vector3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    /// The squared Euclidean length.
    @inlinable public var lengthSquared: Double { dot(self) }

    /// The Euclidean length.
    @inlinable public var length: Double { dot(self).squareRoot() }

    /// Length of the first two components: the horizontal part of an ENU or NED vector.
    @inlinable public var horizontalLength: Double { (x * x + y * y).squareRoot() }

    /// The unit vector of the same direction; `nil` if the length is zero or not finite.
    @inlinable public var normalized: Vector3? {
        let l = length
        guard l > 1e-300, l.isFinite else { return nil }
        return self / l
    }

    /// Whether all components are finite.
    @inlinable public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    /// The matrix `[self]x` with `[self]x * v == self.cross(v)`.
    /// docs/math.md, eq. 1.9.
    @inlinable public var skew: Matrix<3, 3> {
        var m = Matrix<3, 3>()
        m[0, 1] = -z
        m[0, 2] = y
        m[1, 0] = z
        m[1, 2] = -x
        m[2, 0] = -y
        m[2, 1] = x
        return m
    }
}
