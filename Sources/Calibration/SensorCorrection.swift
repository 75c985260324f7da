import PoseMath

/// Correction of a sensor with three axes: an offset that is taken off, and a matrix for scale and misalignment, or for
/// soft iron.
public struct SensorCorrection: Hashable, Sendable {
    /// Taken off each reading, in the sensor's unit (rad/s, m/s2 or tesla) and axes.
    public var offset: Vector3
    /// Diagonal of the matrix that is applied afterwards, near 1.
    public var diagonal: Vector3
    /// Off-diagonal elements of the symmetric matrix: yz, xz, xy; near 0.
    public var offDiagonal: Vector3

    /// A correction; without arguments one that changes nothing.
    public init(offset: Vector3 = .zero, diagonal: Vector3 = Vector3(repeating: 1), offDiagonal: Vector3 = .zero) {
        self.offset = offset
        self.diagonal = diagonal
        self.offDiagonal = offDiagonal
    }

    /// The corrected reading.
    /// docs/math.md, eq. 13.1.
    @inlinable public func apply(_ reading: Vector3) -> Vector3 {
        let d = reading - offset
        return Vector3(
            diagonal.x * d.x + offDiagonal.z * d.y + offDiagonal.y * d.z,
            offDiagonal.z * d.x + diagonal.y * d.y + offDiagonal.x * d.z,
            offDiagonal.y * d.x + offDiagonal.x * d.y + diagonal.z * d.z)
    }

    /// Whether it changes nothing.
    public var isIdentity: Bool { self == SensorCorrection() }

    /// Whether it is finite, and its matrix is within a half of the identity: a larger one is no correction of a
    /// working sensor.
    public var isValid: Bool {
        guard offset.isFinite, diagonal.isFinite, offDiagonal.isFinite else { return false }
        return (0..<3).allSatisfy { abs(diagonal[$0] - 1) <= 0.5 && abs(offDiagonal[$0]) <= 0.5 }
    }

    /// The rows of the matrix.
    public var rows: [Vector3] {
        [
            Vector3(diagonal.x, offDiagonal.z, offDiagonal.y), Vector3(offDiagonal.z, diagonal.y, offDiagonal.x),
            Vector3(offDiagonal.y, offDiagonal.x, diagonal.z),
        ]
    }

    /// The one correction that acts like an earlier one followed by this one, which was found from corrected readings.
    ///
    /// The product of two symmetric matrices near the identity is symmetric but for a small rotation, which no
    /// measurement of lengths shows; its symmetric part is kept, and differs by the product of their deviations.
    public func after(_ earlier: SensorCorrection) -> SensorCorrection {
        let (a, b) = (rows, earlier.rows)
        func element(_ i: Int, _ j: Int) -> Double { a[i].dot(Vector3(b[0][j], b[1][j], b[2][j])) }
        var product = SensorCorrection()
        product.diagonal = Vector3(element(0, 0), element(1, 1), element(2, 2))
        product.offDiagonal = Vector3(
            0.5 * (element(1, 2) + element(2, 1)), 0.5 * (element(0, 2) + element(2, 0)),
            0.5 * (element(0, 1) + element(1, 0)))
        product.offset = earlier.offset + earlier.inverse(offset)
        return product
    }

    /// The inverse of the matrix, times a vector.
    private func inverse(_ vector: Vector3) -> Vector3 {
        let m = rows
        let adjugate = Vector3(m[1].cross(m[2]).dot(vector), m[2].cross(m[0]).dot(vector), m[0].cross(m[1]).dot(vector))
        return adjugate / m[0].dot(m[1].cross(m[2]))
    }
}
