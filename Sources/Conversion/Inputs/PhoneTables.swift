import Measurements
import PoseMath
import Recording

/// One file of the phone app Sensor Logger: a time in nanoseconds since 1970 and the values of one sensor.
final class PhoneTable {
    private let table: Table
    /// Rows left out, because their time did not go forward or a value was empty.
    private(set) var skipped = 0
    /// Nanoseconds since 1970 of the latest row.
    private(set) var time: Int64 = 0
    /// The values of the latest row in the order of the columns; `nil` is unknown.
    private(set) var values: [Double?] = []
    private let essential: [Bool]
    private var hasRow = false

    /// Opens a file; `nil` if it does not exist.
    init?(path: String, columns: [Column]) throws(RecordingError) {
        guard let table = try Table(path: path, columns: [.nanoseconds("time")] + columns) else { return nil }
        self.table = table
        essential = columns.map(\.isEssential)
    }

    /// Number of bytes read, and size of the file.
    var bytes: (read: Int, total: Int) { table.bytes }

    /// Moves to the next row with all values whose time is later; `false` at the end.
    func advance() throws(RecordingError) -> Bool {
        while try table.advance() {
            let stamp = table.time(0)?.nanoseconds
            values = essential.indices.map { table.value($0 + 1) }
            let isComplete = zip(values, essential).allSatisfy { $0 != nil || !$1 }
            guard let stamp, isComplete, !hasRow || stamp > time else {
                skipped += 1
                continue
            }
            (time, hasRow) = (stamp, true)
            return true
        }
        return false
    }

    /// Three values from an index on.
    func vector(_ first: Int = 0) -> Vector3 {
        Vector3(values[first] ?? 0, values[first + 1] ?? 0, values[first + 2] ?? 0)
    }

    /// The columns of a sensor with three axes; the app writes them in the order z, y, x.
    static func axes(_ limit: Double) -> [Column] {
        ["x", "y", "z"].map { Column(quantity: $0, range: -limit...limit) }
    }
}

/// The total acceleration of a phone at any time, by interpolation between two readings.
final class PhoneAcceleration {
    private let tables: [PhoneTable]
    private let sign: Double
    private var before: [(time: Int64, value: Vector3)?]
    private var after: [(time: Int64, value: Vector3)?]

    /// Readings further apart than this are not interpolated, nanoseconds.
    private static let longestGap: Int64 = 200_000_000

    /// The sum of one or two tables. `sign` is -1 if the phone's axes are those of iOS, where gravity points down.
    init(_ tables: [PhoneTable], sign: Double) throws(RecordingError) {
        self.tables = tables
        self.sign = sign
        before = tables.map { _ in nil }
        after = tables.map { _ in nil }
        for index in tables.indices { try advance(index) }
    }

    /// The time of the first reading; `nil` without one.
    var start: Int64? { after.compactMap { $0?.time }.max() }

    /// The specific force; `nil` if there are no readings around the time.
    func value(at time: Int64) throws(RecordingError) -> Vector3? {
        var sum = Vector3(0, 0, 0)
        for index in tables.indices {
            while let next = after[index], next.time < time { try advance(index) }
            guard let next = after[index] else { return nil }
            guard next.time > time else {
                sum += next.value
                continue
            }
            guard let last = before[index], next.time - last.time <= Self.longestGap else { return nil }
            let share = Double(time - last.time) / Double(next.time - last.time)
            sum += last.value + (next.value - last.value) * share
        }
        return sum * sign
    }

    private func advance(_ index: Int) throws(RecordingError) {
        before[index] = after[index]
        guard try tables[index].advance() else {
            after[index] = nil
            return
        }
        after[index] = (tables[index].time, tables[index].vector())
    }
}
