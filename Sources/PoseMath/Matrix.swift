/// A dense matrix of fixed size, row-major, stored inline (no heap).
public struct Matrix<let rows: Int, let columns: Int>: Sendable {
    /// Rows of elements.
    @usableFromInline package var storage: InlineArray<rows, InlineArray<columns, Double>>

    /// The zero matrix.
    @inlinable public init() {
        storage = InlineArray(repeating: InlineArray(repeating: 0))
    }

    /// The element at a row and a column, both from 0.
    @inlinable public subscript(row: Int, column: Int) -> Double {
        get { storage[row][column] }
        set { storage[row][column] = newValue }
    }

    /// The transposed matrix.
    @inlinable public var transposed: Matrix<columns, rows> {
        var t = Matrix<columns, rows>()
        for i in 0..<rows { for j in 0..<columns { t[j, i] = self[i, j] } }
        return t
    }

    /// Element-wise sum.
    @inlinable public static func + (a: borrowing Self, b: borrowing Self) -> Self {
        var s = Self()
        for i in 0..<rows { for j in 0..<columns { s[i, j] = a[i, j] + b[i, j] } }
        return s
    }

    /// Element-wise difference.
    @inlinable public static func - (a: borrowing Self, b: borrowing Self) -> Self {
        var s = Self()
        for i in 0..<rows { for j in 0..<columns { s[i, j] = a[i, j] - b[i, j] } }
        return s
    }

    /// Product with a scalar.
    @inlinable public static func * (a: borrowing Self, factor: Double) -> Self {
        var s = Self()
        for i in 0..<rows { for j in 0..<columns { s[i, j] = a[i, j] * factor } }
        return s
    }

    /// Whether all elements are finite.
    @inlinable public var isFinite: Bool {
        for i in 0..<rows { for j in 0..<columns where !self[i, j].isFinite { return false } }
        return true
    }
}

extension Matrix where rows == columns {
    /// The identity matrix.
    @inlinable public static var identity: Self {
        var m = Self()
        for i in 0..<rows { m[i, i] = 1 }
        return m
    }
}

/// The matrix product.
@inlinable public func * <let R: Int, let K: Int, let C: Int>(a: borrowing Matrix<R, K>, b: borrowing Matrix<K, C>)
    -> Matrix<R, C>
{
    var product = Matrix<R, C>()
    for i in 0..<R {
        for k in 0..<K {
            let f = a[i, k]
            for j in 0..<C { product[i, j] += f * b[k, j] }
        }
    }
    return product
}

/// The product with a column vector.
@inlinable public func * (m: borrowing Matrix<3, 3>, v: Vector3) -> Vector3 {
    Vector3(
        m[0, 0] * v.x + m[0, 1] * v.y + m[0, 2] * v.z,
        m[1, 0] * v.x + m[1, 1] * v.y + m[1, 2] * v.z,
        m[2, 0] * v.x + m[2, 1] * v.y + m[2, 2] * v.z)
}

extension Matrix where rows == 3, columns == 3 {
    /// Creates a matrix from its rows.
    @inlinable public init(rows a: Vector3, _ b: Vector3, _ c: Vector3) {
        self.init()
        for j in 0..<3 {
            self[0, j] = a[j]
            self[1, j] = b[j]
            self[2, j] = c[j]
        }
    }

    /// One row as a vector.
    @inlinable public func row(_ i: Int) -> Vector3 { Vector3(self[i, 0], self[i, 1], self[i, 2]) }

    /// One column as a vector.
    @inlinable public func column(_ j: Int) -> Vector3 { Vector3(self[0, j], self[1, j], self[2, j]) }

    /// The determinant.
    @inlinable public var determinant: Double { row(0).dot(row(1).cross(row(2))) }
}
