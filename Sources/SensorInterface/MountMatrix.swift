import PoseMath

/// The orientation of a sensor on its board: the rotation from the sensor's axes to the board's axes, as drivers report
/// it.
///
/// `board = matrix * sensor`, the kernel's convention (Documentation/ABI/testing/sysfs-bus-iio, `mount_matrix`). The
/// matrix must be a rotation: any other matrix would mirror or scale every measurement unnoticed.
package struct MountMatrix: Sendable, Equatable {
    /// The rotation, sensor axes to board axes.
    package let sensorToBoard: Quaternion
    /// Whether the matrix is the identity.
    package let isIdentity: Bool
    private let rowX: Vector3
    private let rowY: Vector3
    private let rowZ: Vector3

    /// The identity: no rotation.
    package static let identity = MountMatrix(rows: [.unitX, .unitY, .unitZ])

    /// Largest accepted deviation of `M M^T` from the identity. Drivers print as few as three decimals (0.707 gives
    /// 3e-4), while a scale of 1.01 deviates by 2e-2.
    package static let tolerance = 2e-3

    private init(rows: [Vector3]) {
        isIdentity = rows == [.unitX, .unitY, .unitZ]
        // A matrix printed with few decimals is made an exact rotation (Gram-Schmidt). The 24 rotations by right angles
        // stay exact.
        let exact = rows.allSatisfy { row in (0..<3).allSatisfy { row[$0] == 0 || abs(row[$0]) == 1 } }
        let x = rows[0] / rows[0].length
        let y = rows[1] - x * x.dot(rows[1])
        rowX = exact ? rows[0] : x
        rowY = exact ? rows[1] : y / y.length
        rowZ = exact ? rows[2] : rowX.cross(rowY)
        sensorToBoard = Quaternion(matrix: Matrix(rows: rowX, rowY, rowZ))
    }

    /// Rotates a vector from the sensor's axes into the board's axes.
    package func apply(_ v: Vector3) -> Vector3 {
        Vector3(rowX.dot(v), rowY.dot(v), rowZ.dot(v))
    }

    /// Reads the kernel's form `a, b, c; d, e, f; g, h, i` and checks that it is a rotation.
    package init(_ text: String) throws(MountMatrixFault) {
        try self.init(checking: Self.parse(text))
    }

    /// Checks that the three rows form a rotation.
    package init(checking rows: [Vector3]) throws(MountMatrixFault) {
        guard rows.count == 3 else { throw .form("\(rows.count) rows; there must be 3") }
        try Self.check(rows)
        self.init(rows: rows)
    }

    private static func parse(_ text: String) throws(MountMatrixFault) -> [Vector3] {
        let lines = text.split(separator: ";", omittingEmptySubsequences: false)
        guard lines.count == 3 else {
            throw .form("\(lines.count) row\(lines.count == 1 ? "" : "s") separated by ';'; there must be 3")
        }
        var rows: [Vector3] = []
        for (i, line) in lines.enumerated() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard cells.count == 3 else {
                throw .form(
                    "row \(i + 1) has \(cells.count) number\(cells.count == 1 ? "" : "s") separated by ','; there "
                        + "must be 3"
                )
            }
            var row = Vector3()
            for (j, cell) in cells.enumerated() {
                guard let value = IIOText.number(cell) else {
                    throw .form("'\(IIOText.trimmed(cell))' in row \(i + 1) is not a number")
                }
                row[j] = value
            }
            rows.append(row)
        }
        return rows
    }

    private static func check(_ rows: [Vector3]) throws(MountMatrixFault) {
        for (i, row) in rows.enumerated() where !row.isFinite { throw .notFinite(row: i) }
        for (i, row) in rows.enumerated() where row.length <= tolerance { throw .zeroRow(i) }
        let columns = (0..<3).map { j in Vector3(rows[0][j], rows[1][j], rows[2][j]) }
        for (j, column) in columns.enumerated() where column.length <= tolerance { throw .zeroColumn(j) }
        for i in 0..<3 {
            let j = (i + 1) % 3
            let cosine = rows[i].dot(rows[j]) / (rows[i].length * rows[j].length)
            guard abs(cosine) <= tolerance else { throw .notPerpendicular(min(i, j), max(i, j), cosine: cosine) }
        }
        for (i, row) in rows.enumerated() {
            guard abs(row.lengthSquared - 1) <= tolerance else { throw .scaled(row: i, length: row.length) }
        }
        guard rows[0].dot(rows[1].cross(rows[2])) > 0 else { throw mirror(rows) }
    }

    /// Names the axes that make the matrix a mirror, if it is a signed permutation.
    private static func mirror(_ rows: [Vector3]) -> MountMatrixFault {
        let source = rows.map { row in (0..<3).first { abs(row[$0]) > 0.99 } }
        let negative = rows.map { row in (0..<3).contains { row[$0] < -0.5 } }
        guard source.allSatisfy({ $0 != nil }) else {
            return .mirror(detail: "one row must have all its signs changed")
        }
        let moved = (0..<3).filter { source[$0] != $0 }
        if moved.isEmpty {
            let flipped = (0..<3).filter { negative[$0] }.map { axisNames[$0] }
            return .mirror(
                detail:
                    "\(flipped.joined(separator: ", ")) \(flipped.count == 1 ? "is" : "are") reversed; an even number "
                    + "of axes must be"
            )
        }
        if moved.count == 2 {
            return .mirror(
                detail:
                    "axes \(axisNames[moved[0]]) and \(axisNames[moved[1]]) are swapped without a change of sign; one "
                    + "of them must be negative"
            )
        }
        return .mirror(detail: "the axes go around and an odd number of them is reversed; an even number must be")
    }

    /// Names of the three axes, for messages.
    package static let axisNames = ["x", "y", "z"]
}

/// The reason why a mount matrix is rejected.
package enum MountMatrixFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not three rows of three numbers.
    case form(String)
    /// A row contains NaN or an infinity.
    case notFinite(row: Int)
    /// A row is zero: this board axis would always read zero.
    case zeroRow(Int)
    /// A column is zero: this sensor axis would not be used.
    case zeroColumn(Int)
    /// Two rows are not perpendicular.
    case notPerpendicular(Int, Int, cosine: Double)
    /// A row's length is not 1.
    case scaled(row: Int, length: Double)
    /// The determinant is -1.
    case mirror(detail: String)

    /// The reason and the remedy in one sentence.
    package var description: String {
        let axes = MountMatrix.axisNames
        switch self {
        case .form(let what): return "not a mount matrix: \(what)"
        case .notFinite(let row): return "not a rotation: row \(row + 1) holds a number that is not finite"
        case .zeroRow(let row):
            return "not a rotation: row \(row + 1) is zero, so board axis \(axes[row]) would always read zero"
        case .zeroColumn(let column):
            return "not a rotation: column \(column + 1) is zero, so the sensor's \(axes[column]) axis is used nowhere"
        case .notPerpendicular(let i, let j, let cosine):
            if abs(cosine) > 0.999 { return "not a rotation: rows \(i + 1) and \(j + 1) take the same sensor axis" }
            return
                "not a rotation: rows \(i + 1) and \(j + 1) are not at right angles (cosine \(IIOText.short(cosine)))"
        case .scaled(let row, let length):
            return
                "not a rotation: row \(row + 1) has length \(IIOText.short(length)) in place of 1; a scale belongs "
                + "into the sensor's scale setting"
        case .mirror(let detail): return "a mirror image, not a rotation (determinant -1): \(detail)"
        }
    }
}
