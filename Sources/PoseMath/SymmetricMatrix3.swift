/// A symmetric 3x3 matrix, such as the covariance of a vector: stores six instead of nine elements.
public struct SymmetricMatrix3: Sendable, Equatable {
    /// The elements (0,0), (1,1) and (2,2).
    public var diagonal: Vector3
    /// The elements (1,2), (2,0) and (0,1): component i is the element without index i.
    public var offDiagonal: Vector3

    /// Creates a matrix from its elements.
    @inlinable public init(diagonal: Vector3, offDiagonal: Vector3 = .zero) {
        self.diagonal = diagonal
        self.offDiagonal = offDiagonal
    }

    /// The zero matrix.
    @inlinable public static var zero: Self { Self(diagonal: .zero) }

    /// The identity matrix times a number.
    @inlinable public init(isotropic value: Double) { self.init(diagonal: Vector3(repeating: value)) }

    /// `v v^T`.
    @inlinable public init(squareOf v: Vector3) {
        diagonal = v * v
        offDiagonal = Vector3(v.y * v.z, v.z * v.x, v.x * v.y)
    }

    /// Element-wise sum.
    @inlinable public static func + (a: Self, b: Self) -> Self {
        Self(diagonal: a.diagonal + b.diagonal, offDiagonal: a.offDiagonal + b.offDiagonal)
    }

    /// Element-wise difference.
    @inlinable public static func - (a: Self, b: Self) -> Self {
        Self(diagonal: a.diagonal - b.diagonal, offDiagonal: a.offDiagonal - b.offDiagonal)
    }

    /// Product with a scalar.
    @inlinable public static func * (a: Self, factor: Double) -> Self {
        Self(diagonal: a.diagonal * factor, offDiagonal: a.offDiagonal * factor)
    }

    /// The product with a column vector.
    @inlinable public static func * (a: Self, v: Vector3) -> Vector3 {
        Vector3(
            a.diagonal.x * v.x + a.offDiagonal.z * v.y + a.offDiagonal.y * v.z,
            a.offDiagonal.z * v.x + a.diagonal.y * v.y + a.offDiagonal.x * v.z,
            a.offDiagonal.y * v.x + a.offDiagonal.x * v.y + a.diagonal.z * v.z)
    }

    /// `C S C^T`: the covariance of a vector in rotated axes.
    @inlinable public func turned(by c: borrowing Matrix<3, 3>) -> Self {
        let (x, y, z) = (c.row(0), c.row(1), c.row(2))
        let (sx, sy, sz) = (self * x, self * y, self * z)
        return Self(
            diagonal: Vector3(x.dot(sx), y.dot(sy), z.dot(sz)), offDiagonal: Vector3(y.dot(sz), z.dot(sx), x.dot(sy)))
    }

    /// The inverse, by the adjugate; not finite where the matrix is singular.
    @inlinable public var inverse: Self {
        let (d, o) = (diagonal, offDiagonal)
        let adjugate = Self(
            diagonal: Vector3(d.y * d.z - o.x * o.x, d.z * d.x - o.y * o.y, d.x * d.y - o.z * o.z),
            offDiagonal: Vector3(o.y * o.z - d.x * o.x, o.z * o.x - d.y * o.y, o.x * o.y - d.z * o.z))
        return adjugate
            * (1 / (d.x * adjugate.diagonal.x + o.z * adjugate.offDiagonal.z + o.y * adjugate.offDiagonal.y))
    }

    /// Whether all elements are finite.
    @inlinable public var isFinite: Bool { diagonal.isFinite && offDiagonal.isFinite }
}
