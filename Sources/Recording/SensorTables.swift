import Measurements
import PoseMath

/// A file of a recording that yields events in the order of their arrival.
protocol EventTable: AnyObject {
    /// The next event, or `nil` at the end of the file.
    func next() throws(RecordingError) -> SensorEvent?
}

/// What all files have in common: time goes forward, and rows that know nothing are passed over.
struct RowClock {
    private var latest: MonotonicTime?

    /// Accepts the time of a row, unless it lies before that of the row above.
    mutating func advance(to time: MonotonicTime, _ column: Int, of table: Table) throws(RecordingError) {
        if let latest, time < latest {
            throw table.error(
                at: column, "time goes back by \(latest.seconds(since: time)) s",
                "sort the rows by time, or cut the recording where the clock was set")
        }
        latest = time
    }
}

/// A file with one time and the readings of one sensor: `imu.csv`, `mag.csv`, `wheel.csv`, `pressure.csv`.
final class SampleTable: EventTable {
    private let table: Table
    private let readings: Range<Int>
    private let event: (MonotonicTime, Table) -> SensorEvent
    private var clock = RowClock()

    /// Opens the file; `event` makes the event of a row whose readings are all there.
    init?(path: String, readings columns: [Column], event: @escaping (MonotonicTime, Table) -> SensorEvent)
        throws(RecordingError)
    {
        guard let table = try Table(path: path, columns: [.seconds("t")] + columns) else { return nil }
        self.table = table
        self.event = event
        readings = 1..<(columns.count + 1)
    }

    func next() throws(RecordingError) -> SensorEvent? {
        while try table.advance() {
            guard let time = table.time(0) else { throw table.error(at: 0, "t_s is empty", "give each row its time") }
            try clock.advance(to: time, 0, of: table)
            guard let missing = readings.first(where: { table.value($0) == nil }) else { return event(time, table) }
            // A row without any reading says that the sensor had none; half a reading is a mistake.
            guard readings.allSatisfy({ table.value($0) == nil }) else {
                throw table.error(at: missing, "one reading of several is empty", "give all of them or leave all empty")
            }
        }
        return nil
    }
}

extension SampleTable {
    /// Gyro and accelerometer; the limits are beyond what any such sensor measures.
    static func inertial(_ path: String) throws(RecordingError) -> SampleTable? {
        let columns = Column.axes("gyro", unit: "rad_s", limit: 200) + Column.axes("accel", unit: "m_s2", limit: 5_000)
        return try SampleTable(path: path, readings: columns) { time, row in
            .inertial(
                InertialSample(
                    time: time, angularRateRadiansPerSecond: row.vector(1),
                    specificForceMetersPerSecondSquared: row.vector(4)))
        }
    }

    /// Magnetometer, written in microtesla.
    static func magnetic(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: Column.axes("mag", unit: "ut", limit: 100_000)) { time, row in
            .magnetic(MagneticSample(time: time, fluxDensityTesla: row.vector(1) * 1e-6))
        }
    }

    /// Wheel speed.
    static func wheels(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: [Column(quantity: "speed", unit: "m_s", range: -200...200)]) {
            time, row in
            .wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: row.value(1) ?? 0))
        }
    }

    /// Air pressure.
    static func pressure(_ path: String) throws(RecordingError) -> SampleTable? {
        try SampleTable(path: path, readings: [Column(quantity: "pressure", unit: "pa", range: 1_000...200_000)]) {
            time, row in
            .pressure(PressureSample(time: time, pressurePascal: row.value(1) ?? 0))
        }
    }
}

extension Table {
    /// Three neighbouring columns, which the caller has found to be there.
    fileprivate func vector(_ first: Int) -> Vector3 {
        Vector3(value(first) ?? 0, value(first + 1) ?? 0, value(first + 2) ?? 0)
    }
}
