/// A column the reader knows: its name with the unit, and what its values may be.
struct Column {
    /// The quantity without its unit, as in `gyro_x`.
    var quantity: String
    /// The unit's suffix, as in `rad_s`; empty where there is none.
    var unit: String
    /// What a value may be.
    var range: ClosedRange<Double>
    /// Whether a file without it is of no use.
    var isEssential = true

    /// The name in the header.
    var name: String { unit.isEmpty ? quantity : "\(quantity)_\(unit)" }

    /// Seconds on the recording's clock: within 145 years, so that the difference of two times is a number of
    /// nanoseconds too.
    static func seconds(_ quantity: String, isEssential: Bool = true) -> Column {
        Column(quantity: quantity, unit: "s", range: -4.6e9...4.6e9, isEssential: isEssential)
    }

    /// The three axes of a sensor.
    static func axes(_ quantity: String, unit: String, limit: Double) -> [Column] {
        ["x", "y", "z"].map { Column(quantity: "\(quantity)_\($0)", unit: unit, range: -limit...limit) }
    }

    /// A column that a file may lack.
    static func optional(_ quantity: String, _ unit: String, _ range: ClosedRange<Double>) -> Column {
        Column(quantity: quantity, unit: unit, range: range, isEssential: false)
    }
}

/// One field of the present row.
struct Cell {
    /// Its value; `nil` where the field is empty or the column absent.
    var value: Double?
    /// Its value times 1e9, exactly, where the column is a time.
    var nanoseconds: Int64 = 0
    /// Where the field begins in the line, counted from 1.
    var place = 1
}
