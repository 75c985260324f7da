import Measurements
import PoseMath

/// A file of a recording that yields events in the order of their arrival.
package protocol EventTable: AnyObject {
    /// The next event, or `nil` at the end of the file.
    func next() throws(RecordingError) -> SensorEvent?
    /// Number of bytes read, and size of the file.
    var bytes: (read: Int, total: Int) { get }
}

/// The columns of the sensors' files after the time, for reading and writing.
enum SensorColumns {
    /// Gyro and accelerometer; the limits are beyond the range of any such sensor.
    static let inertial =
        Column.axes("gyro", unit: "rad_s", limit: 200) + Column.axes("accel", unit: "m_s2", limit: 5_000)
    /// Magnetometer, written in microtesla.
    static let magnetic = Column.axes("mag", unit: "ut", limit: 100_000)
    /// Wheel speed.
    static let wheels = [Column(quantity: "speed", unit: "m_s", range: -200...200)]
    /// Air pressure.
    static let pressure = [Column(quantity: "pressure", unit: "pa", range: 1_000...200_000)]
    /// Tesla in one microtesla, the unit of ``magnetic``.
    static let teslaPerMicrotesla = 1e-6
}

/// Checks common to all files: the time must not go back.
struct RowClock {
    private var latest: MonotonicTime?

    /// Accepts the time of a row, unless it is before that of the previous row.
    mutating func advance(to time: MonotonicTime, _ column: Int, of table: Table) throws(RecordingError) {
        if let latest, time < latest {
            throw table.error(
                at: column, "time goes back by \(latest.seconds(since: time)) s",
                "sort the rows by time, or cut the recording where the clock was set")
        }
        latest = time
    }
}

/// A file with one time column and the readings of one sensor: `imu.csv`, `mag.csv`, `wheel.csv`, `pressure.csv`.
final class SampleTable: EventTable {
    private let table: Table
    private let readings: Range<Int>
    private let event: (MonotonicTime, Table) -> SensorEvent
    private var clock = RowClock()

    /// Opens the file; `event` creates the event of a row whose readings are complete.
    init?(path: String, readings columns: [Column], event: @escaping (MonotonicTime, Table) -> SensorEvent)
        throws(RecordingError)
    {
        guard let table = try Table(path: path, columns: [.seconds("t")] + columns) else { return nil }
        self.table = table
        self.event = event
        readings = 1..<(columns.count + 1)
    }

    var bytes: (read: Int, total: Int) { table.bytes }

    func next() throws(RecordingError) -> SensorEvent? {
        while try table.advance() {
            guard let time = table.time(0) else { throw table.error(at: 0, "t_s is empty", "give each row its time") }
            try clock.advance(to: time, 0, of: table)
            guard let missing = readings.first(where: { table.value($0) == nil }) else { return event(time, table) }
            // A row without any reading means that the sensor had none; an incomplete reading is an error.
            guard readings.allSatisfy({ table.value($0) == nil }) else {
                throw table.error(at: missing, "one reading of several is empty", "give all of them or leave all empty")
            }
        }
        return nil
    }
}

extension SampleTable {
    /// Gyro and accelerometer.
    static func inertial(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: SensorColumns.inertial) { time, row in
            .inertial(
                InertialSample(
                    time: time, angularRateRadiansPerSecond: row.vector(1),
                    specificForceMetersPerSecondSquared: row.vector(4)))
        }
    }

    /// Magnetometer.
    static func magnetic(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: SensorColumns.magnetic) { time, row in
            let tesla = row.vector(1) * SensorColumns.teslaPerMicrotesla
            return .magnetic(MagneticSample(time: time, fluxDensityTesla: tesla))
        }
    }

    /// Wheel speed.
    static func wheels(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: SensorColumns.wheels) { time, row in
            .wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: row.value(1) ?? 0))
        }
    }

    /// Air pressure.
    static func pressure(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: SensorColumns.pressure) { time, row in
            .pressure(PressureSample(time: time, pressurePascal: row.value(1) ?? 0))
        }
    }
}

extension Table {
    /// Three consecutive columns, which the caller has checked to be present.
    fileprivate func vector(_ first: Int) -> Vector3 {
        Vector3(value(first) ?? 0, value(first + 1) ?? 0, value(first + 2) ?? 0)
    }
}
