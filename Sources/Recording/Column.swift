/// A known column: name with unit, and range of its values.
struct Column {
    /// The quantity without its unit, as in `gyro_x`.
    var quantity: String
    /// The unit's suffix, as in `rad_s`; empty where there is none.
    var unit: String
    /// Valid range of a value.
    var range: ClosedRange<Double>
    /// Whether the column is required.
    var isEssential = true

    /// The name in the header.
    var name: String { unit.isEmpty ? quantity : "\(quantity)_\(unit)" }

    /// Seconds on the recording's clock; at most 145 years, so that the difference of two times fits in nanoseconds.
    static func seconds(_ quantity: String, isEssential: Bool = true) -> Column {
        Column(quantity: quantity, unit: "s", range: -4.6e9...4.6e9, isEssential: isEssential)
    }

    /// The three axes of a sensor.
    static func axes(_ quantity: String, unit: String, limit: Double) -> [Column] {
        ["x", "y", "z"].map { Column(quantity: "\(quantity)_\($0)", unit: unit, range: -limit...limit) }
    }

    /// An optional column.
    static func optional(_ quantity: String, _ unit: String, _ range: ClosedRange<Double>) -> Column {
        Column(quantity: quantity, unit: unit, range: range, isEssential: false)
    }
}

/// One field of the current row.
struct Cell {
    /// Its value; `nil` if the field is empty or the column is absent.
    var value: Double?
    /// Its value times 1e9, exact, if the column is a time.
    var nanoseconds: Int64 = 0
    /// Start of the field in the line, bytes from 1.
    var place = 1
}
