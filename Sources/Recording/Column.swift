/// A known column: name with unit, and range of its values.
package struct Column {
    /// A time is kept as a whole number of nanoseconds, too.
    package enum Clock {
        /// Not a time.
        case none
        /// A time in seconds.
        case seconds
        /// A time in whole nanoseconds.
        case nanoseconds
    }

    /// The quantity without its unit, as in `gyro_x`.
    package var quantity: String
    /// The unit's suffix, as in `rad_s`; empty where there is none.
    package var unit: String
    /// Valid range of a value.
    package var range: ClosedRange<Double>
    /// Whether the column is required.
    package var isEssential = true
    /// Whether it is a time.
    package var clock = Clock.none

    /// The name in the header.
    package var name: String { unit.isEmpty ? quantity : "\(quantity)_\(unit)" }

    /// Creates a required column without a time.
    package init(quantity: String, unit: String = "", range: ClosedRange<Double>) {
        self.quantity = quantity
        self.unit = unit
        self.range = range
    }

    /// Seconds on the recording's clock; at most 145 years, so that the difference of two times fits in nanoseconds.
    package static func seconds(_ quantity: String, isEssential: Bool = true) -> Column {
        var column = Column(quantity: quantity, unit: "s", range: -4.6e9...4.6e9)
        column.isEssential = isEssential
        column.clock = .seconds
        return column
    }

    /// Whole nanoseconds since 1970; at most 145 years.
    package static func nanoseconds(_ quantity: String) -> Column {
        var column = Column(quantity: quantity, range: 0...4.6e18)
        column.clock = .nanoseconds
        return column
    }

    /// The three axes of a sensor.
    package static func axes(_ quantity: String, unit: String, limit: Double) -> [Column] {
        ["x", "y", "z"].map { Column(quantity: "\(quantity)_\($0)", unit: unit, range: -limit...limit) }
    }

    /// An optional column.
    package static func optional(_ quantity: String, _ unit: String, _ range: ClosedRange<Double>) -> Column {
        var column = Column(quantity: quantity, unit: unit, range: range)
        column.isEssential = false
        return column
    }
}

/// One field of the current row.
package struct Cell {
    /// Its value; `nil` if the field is empty or the column is absent.
    package var value: Double?
    /// The exact nanoseconds, if the column is a time.
    package var nanoseconds: Int64 = 0
    /// Start of the field in the line, bytes from 1.
    package var place = 1
}
