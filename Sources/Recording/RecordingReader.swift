import Glibc
import Measurements
import PoseMath

/// Reads the events of a recording folder in the order of their arrival, in constant memory.
///
/// The folder contains `imu.csv`, `mag.csv`, `gnss.csv`, `wheel.csv` and `pressure.csv` (or `baro.csv`); each is
/// optional. Events with the same time are ordered inertial, magnetic, pressure, wheels, satellites, so that every run
/// is identical.
public struct RecordingReader: ~Copyable {
    /// Sensors with a file in the folder.
    public let kinds: Set<SensorKind>

    private var streams: [Stream]
    private let tables: [any EventTable]

    /// The share of the files that has been read, 0 to 1.
    package var progress: Double {
        let bytes = tables.map(\.bytes)
        let total = bytes.reduce(0) { $0 + $1.total }
        return total > 0 ? min(Double(bytes.reduce(0) { $0 + $1.read }) / Double(total), 1) : 0
    }

    /// A file and its next event.
    private struct Stream {
        var table: any EventTable
        var pending: SensorEvent
    }

    /// Opens the files and reads the first row of each.
    ///
    /// Throws if the folder does not exist, contains no known file or no row, or if the start of a file is invalid.
    public init(folder: String) throws(RecordingError) {
        try self.init(tables: try Self.openTables(folder), of: folder)
    }

    /// Reads several tables of another recording; `path` is named if none of them has a row.
    package init(tables: [(kind: SensorKind, table: any EventTable)], of path: String) throws(RecordingError) {
        let opened = try Self.firstEvents(of: tables, path)
        kinds = Set(tables.map(\.kind))
        self.tables = tables.map(\.table)
        streams = opened
    }

    /// The next event; `nil` at the end. Must not be called again after an error.
    public mutating func next() throws(RecordingError) -> SensorEvent? {
        guard var earliest = streams.indices.first else { return nil }
        for index in streams.indices where streams[index].pending.arrivalTime < streams[earliest].pending.arrivalTime {
            earliest = index
        }
        let event = streams[earliest].pending
        if let following = try streams[earliest].table.next() {
            streams[earliest].pending = following
        } else {
            streams.remove(at: earliest)
        }
        return event
    }

    private static func firstEvents(of tables: [KnownTable], _ folder: String) throws(RecordingError) -> [Stream] {
        var streams: [Stream] = []
        for (_, table) in tables {
            if let first = try table.next() { streams.append(Stream(table: table, pending: first)) }
        }
        guard !streams.isEmpty else {
            throw RecordingError(
                path: folder, problem: "no file of the recording contains a row", remedy: "record again")
        }
        return streams
    }

    private static func checkFolder(_ folder: String) throws(RecordingError) {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            throw RecordingError(
                path: folder, problem: "cannot be opened (\(String(cString: strerror(errno))))",
                remedy: "give the folder of a recording")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw RecordingError(
                path: folder, problem: "is not a folder",
                remedy: "give the folder that holds imu.csv, gnss.csv and the rest, or convert it: posectl convert")
        }
    }

    private typealias KnownTable = (kind: SensorKind, table: any EventTable)

    /// The files present, in the order of events with the same time.
    private static func openTables(_ folder: String) throws(RecordingError) -> [KnownTable] {
        try checkFolder(folder)
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        var tables: [KnownTable] = []
        if let table = try SampleTable.inertial(path + "/imu.csv") { tables.append((.imu, table)) }
        if let table = try SampleTable.magnetic(path + "/mag.csv") { tables.append((.magnetometer, table)) }
        let pressure = try SampleTable.pressure(path + "/pressure.csv")
        let baro = try SampleTable.pressure(path + "/baro.csv")
        guard pressure == nil || baro == nil else {
            throw RecordingError(path: path, problem: "contains both pressure.csv and baro.csv", remedy: "keep one")
        }
        if let table = pressure ?? baro { tables.append((.barometer, table)) }
        if let table = try SampleTable.wheels(path + "/wheel.csv") { tables.append((.wheels, table)) }
        if let table = try FixTable(path: path + "/gnss.csv") { tables.append((.gps, table)) }
        guard !tables.isEmpty else {
            throw RecordingError(
                path: folder, problem: "contains no recording",
                remedy: "put imu.csv, mag.csv, gnss.csv, wheel.csv or pressure.csv there")
        }
        return tables
    }
}
