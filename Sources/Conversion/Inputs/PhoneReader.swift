import Measurements
import PoseMath
import Recording

/// Reads a recording of the phone app Sensor Logger: a folder with `Gyroscope.csv`, `Accelerometer.csv`, `Location.csv`
/// and others.
///
/// Android has the acceleration with gravity in `TotalAcceleration.csv`. Elsewhere it is the sum of `Accelerometer.csv`
/// and `Gravity.csv`. iOS has the opposite sign of both, unless the app standardises the axes; `Metadata.csv` tells.
/// The acceleration is interpolated to the times of the gyro. A fix arrives when it is valid, because the app does not
/// record when it came.
final class PhoneReader: EventReader {
    let kinds: Set<SensorKind>

    private let reader: Merged
    private let tables: [PhoneTable]

    /// Opens a folder.
    init(folder: String) throws(RecordingError) {
        let streams = try PhoneStreams(folder: folder)
        let clock = PhoneClock()
        var sources: [PhoneSource] = []
        if let gyro = streams.gyro, let acceleration = streams.acceleration {
            sources.append(
                PhoneSource(kind: .imu, table: gyro) { (table) throws(RecordingError) in
                    guard let force = try acceleration.value(at: table.time) else { return nil }
                    return .inertial(
                        InertialSample(
                            time: clock.time(table.time), angularRateRadiansPerSecond: table.vector(),
                            specificForceMetersPerSecondSquared: force))
                })
        }
        if let magnetometer = streams.magnetometer {
            sources.append(
                PhoneSource(kind: .magnetometer, table: magnetometer) { table in
                    .magnetic(MagneticSample(time: clock.time(table.time), fluxDensityTesla: table.vector() * 1e-6))
                })
        }
        if let barometer = streams.barometer {
            sources.append(
                PhoneSource(kind: .barometer, table: barometer) { table in
                    .pressure(
                        PressureSample(time: clock.time(table.time), pressurePascal: (table.values[0] ?? 0) * 100))
                })
        }
        if let location = streams.location {
            sources.append(
                PhoneSource(kind: .gps, table: location) { table in
                    .gnss(PhoneStreams.fix(table, clock.time(table.time)))
                })
        }
        tables = streams.tables
        kinds = Set(sources.map(\.kind))
        reader = try Merged(sources, clock, folder)
    }

    var progress: Double {
        let bytes = tables.map(\.bytes)
        let total = bytes.reduce(0) { $0 + $1.total }
        return total > 0 ? min(Double(bytes.reduce(0) { $0 + $1.read }) / Double(total), 1) : 0
    }

    var notes: [String] {
        let skipped = tables.reduce(0) { $0 + $1.skipped }
        let unpaired = reader.sources.reduce(0) { $0 + $1.unused }
        return [
            skipped > 0 ? "\(skipped) rows without a value or with a time that does not go forward" : nil,
            unpaired > 0 ? "\(unpaired) gyro readings without acceleration around them" : nil,
            reader.oldFixes > 0 ? "\(reader.oldFixes) positions from before the recording" : nil,
        ].compactMap { $0 }
    }

    func next() throws(RecordingError) -> SensorEvent? { try reader.next() }
}

/// The recording's clock: zero at its first reading.
final class PhoneClock {
    /// Nanoseconds since 1970 of its zero.
    var start: Int64 = 0

    /// The time of a reading; both lie in 0 to 4.6e18, so that the difference fits.
    func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds - start) }
}

/// One sensor of a phone's recording.
final class PhoneSource {
    let kind: SensorKind
    /// Rows that gave no measurement.
    private(set) var unused = 0
    private let table: PhoneTable
    private let event: (PhoneTable) throws(RecordingError) -> SensorEvent?

    init(kind: SensorKind, table: PhoneTable, _ event: @escaping (PhoneTable) throws(RecordingError) -> SensorEvent?) {
        self.kind = kind
        self.table = table
        self.event = event
    }

    /// Nanoseconds since 1970 of the current row.
    var time: Int64 { table.time }

    /// Moves to the next row; `false` at the end.
    func advance() throws(RecordingError) -> Bool { try table.advance() }

    /// The measurement of the current row.
    func current() throws(RecordingError) -> SensorEvent? {
        let found = try event(table)
        if found == nil { unused += 1 }
        return found
    }
}

/// Merges the sensors in the order of their times.
private final class Merged {
    let sources: [PhoneSource]
    /// Fixes that the phone had from before the recording.
    private(set) var oldFixes = 0
    private var waiting: [PhoneSource] = []
    private let clock: PhoneClock

    /// A phone may give its last known position first; older than this it is left out, nanoseconds.
    private static let oldestFix: Int64 = 2_000_000_000

    init(_ sources: [PhoneSource], _ clock: PhoneClock, _ folder: String) throws(RecordingError) {
        self.sources = sources
        self.clock = clock
        for source in sources where try source.advance() { waiting.append(source) }
        let samples = waiting.filter { $0.kind != .gps }.map(\.time).min()
        if let samples, let location = waiting.last(where: { $0.kind == .gps }) {
            while location.time < samples - Self.oldestFix {
                oldFixes += 1
                guard try location.advance() else {
                    waiting.removeAll { $0 === location }
                    break
                }
            }
        }
        guard let start = waiting.map(\.time).min() else {
            throw RecordingError(path: folder, problem: "contains no reading", remedy: "record again")
        }
        clock.start = start
    }

    func next() throws(RecordingError) -> SensorEvent? {
        while var earliest = waiting.first {
            for source in waiting where source.time < earliest.time { earliest = source }
            let event = try earliest.current()
            if try !earliest.advance() { waiting.removeAll { $0 === earliest } }
            if let event { return event }
        }
        return nil
    }
}
