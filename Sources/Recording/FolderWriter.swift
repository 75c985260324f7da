import Files
import Glibc
import Measurements
import PoseMath

/// Writes measurements as a folder of CSV files, which ``RecordingReader`` reads back with the same values.
///
/// The files appear as a whole in ``finish()``. A measurement that such a file cannot hold (a value out of its range, a
/// time that goes back) is left out and counted.
package final class FolderWriter {
    /// Number of measurements left out.
    package private(set) var skipped = 0
    /// Number of measurements written.
    package private(set) var written = 0

    private let folder: String
    private var tables: [SensorKind: TableWriter] = [:]

    /// Names that a recording may have in its folder.
    private static let names = ["imu.csv", "mag.csv", "gnss.csv", "wheel.csv", "pressure.csv", "baro.csv"]

    /// Creates the folder, or uses an existing one without a recording.
    package init(folder: String) throws(RecordingError) {
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.folder = path
        do throws(FileFault) { try Folder.create(path, permissions: 0o755) } catch {
            throw RecordingError(
                path: path, problem: error.reason, remedy: "name a folder in a place that may be written to")
        }
        for name in Self.names where access("\(path)/\(name)", F_OK) == 0 {
            throw RecordingError(
                path: path, problem: "already holds a recording (\(name))", remedy: "name a new folder")
        }
    }

    /// Writes one measurement.
    package func write(_ event: SensorEvent) throws(RecordingError) {
        let values: [Field]
        switch event {
        case .inertial(let sample):
            values = (sample.angularRateRadiansPerSecond.fields + sample.specificForceMetersPerSecondSquared.fields)
        case .magnetic(let sample): values = sample.fluxDensityTesla.fields(unit: SensorColumns.teslaPerMicrotesla)
        case .pressure(let sample): values = [.number(sample.pressurePascal)]
        case .wheelSpeed(let sample): values = [.number(sample.speedMetersPerSecond)]
        case .gnss(let fix):
            guard (fix.latitudeRadians == nil) == (fix.longitudeRadians == nil) else {
                skipped += 1
                return
            }
            values = Self.fields(of: fix)
        }
        let wasWritten = try table(of: event.kind).write(event.validityTime, sorted: event.arrivalTime, values)
        if wasWritten { written += 1 } else { skipped += 1 }
    }

    /// Completes the files.
    package func finish() throws(RecordingError) {
        for kind in SensorKind.allCases { try tables[kind]?.finish() }
    }

    private func table(of kind: SensorKind) throws(RecordingError) -> TableWriter {
        if let table = tables[kind] { return table }
        let (name, columns): (String, [Column]) =
            switch kind {
            case .imu: ("imu.csv", SensorColumns.inertial)
            case .magnetometer: ("mag.csv", SensorColumns.magnetic)
            case .barometer: ("pressure.csv", SensorColumns.pressure)
            case .wheels: ("wheel.csv", SensorColumns.wheels)
            case .gps: ("gnss.csv", Self.fixColumns)
            }
        let table = try TableWriter(path: "\(folder)/\(name)", columns: columns)
        tables[kind] = table
        return table
    }

    /// The columns of a fix after its time: all but those that repeat others in another form.
    private static let fixColumns: [Column] = {
        let repeated: [FixTable.Index] = [.validity, .horizontal, .speed, .rtk]
        return FixTable.columns.indices.filter { index in !repeated.contains { $0.rawValue == index } }
            .map { FixTable.columns[$0] }
    }()

    /// The values in the order of ``fixColumns``.
    private static func fields(of fix: GnssFix) -> [Field] {
        let degree = Angle.radiansPerDegree
        return [
            .time(fix.arrivalTime.nanoseconds), .number(fix.latitudeRadians, unit: degree),
            .number(fix.longitudeRadians, unit: degree), .number(fix.altitudeEllipsoidMeters),
            .number(fix.horizontalVelocity?.northMetersPerSecond), .number(fix.horizontalVelocity?.eastMetersPerSecond),
            .number(fix.climbMetersPerSecond.map { -$0 }), .number(fix.verticalSigmaMeters),
            .number(Double(fix.mode.rawValue)), .number(fix.altitudeMeanSeaMeters), .number(fix.geoidSeparationMeters),
            .number(fix.magneticVariationRadians, unit: degree), .number(fix.satellitesUsed.map { Double($0) }),
            .number(fix.satellitesVisible.map { Double($0) }), .number(Double(fix.quality.rawValue)),
            .number(fix.isInterfered ? 1 : 0), .number(fix.horizontalSigmaMeters),
            .number(fix.speedSigmaMetersPerSecond), .number(fix.climbSigmaMetersPerSecond), .time(fix.utcNanoseconds),
            .number(fix.headingTrueRadians, unit: degree), .number(fix.headingSigmaRadians, unit: degree),
            .number(fix.receiver == 0 ? nil : Double(fix.receiver)), .number(fix.timeSigmaSeconds),
        ]
    }
}

/// A value of a row.
private enum Field {
    /// A number; `nil` is unknown.
    case number(Double?)
    /// Nanoseconds, written in seconds; `nil` is unknown.
    case time(Int64?)

    /// A number in a unit, such that the reader's product with the unit gives this number again where a `Double` can.
    static func number(_ value: Double?, unit: Double) -> Field {
        guard let value, value.isFinite else { return .number(value) }
        let quotient = value / unit
        let short = (quotient * 1e9).rounded() / 1e9
        let near = [short, quotient, quotient.nextUp, quotient.nextDown, quotient.nextUp.nextUp]
        return .number(near.first { $0 * unit == value } ?? quotient)
    }
}

extension Vector3 {
    /// The components as fields.
    fileprivate var fields: [Field] { [.number(x), .number(y), .number(z)] }

    /// The components as fields in a unit.
    fileprivate func fields(unit: Double) -> [Field] {
        [.number(x, unit: unit), .number(y, unit: unit), .number(z, unit: unit)]
    }
}

/// Writes one CSV file.
private final class TableWriter {
    private let path: String
    private let columns: [Column]
    private var file: AtomicFile
    private var text: [UInt8] = []
    private var latest: MonotonicTime?

    private static let bufferBytes = 1 << 17

    init(path: String, columns: [Column]) throws(RecordingError) {
        self.path = path
        self.columns = columns
        do throws(FileFault) {
            file = try AtomicFile(replacing: path, permissions: 0o644)
        } catch { throw Self.error(path, error) }
        text.reserveCapacity(Self.bufferBytes + 4096)
        text += Array(([Column.seconds("t")] + columns).map(\.name).joined(separator: ",").utf8)
        text.append(UInt8(ascii: "\n"))
    }

    /// Appends a row; `false` if the reader would refuse it. Rows are sorted by the second time.
    func write(_ time: MonotonicTime, sorted: MonotonicTime, _ fields: [Field]) throws(RecordingError) -> Bool {
        guard latest.map({ sorted >= $0 }) ?? true, time <= sorted, isReadable(fields) else { return false }
        latest = sorted
        append(nanoseconds: time.nanoseconds)
        for field in fields {
            text.append(UInt8(ascii: ","))
            switch field {
            case .number(let value?): append(value)
            case .time(let nanoseconds?): append(nanoseconds: nanoseconds)
            case .number(nil), .time(nil): break
            }
        }
        text.append(UInt8(ascii: "\n"))
        if text.count >= Self.bufferBytes { try flush() }
        return true
    }

    func finish() throws(RecordingError) {
        try flush()
        do throws(FileFault) { try file.commit() } catch { throw Self.error(path, error) }
    }

    private func isReadable(_ fields: [Field]) -> Bool {
        zip(fields, columns).allSatisfy { field, column in
            switch field {
            case .number(let value): value.map { column.range.contains($0) } ?? true
            case .time(let nanoseconds): nanoseconds.map { column.range.contains(Double($0) * 1e-9) } ?? true
            }
        }
    }

    private func append(_ value: Double) {
        var word = value.description
        if word.hasSuffix(".0") { word.removeLast(2) }
        text += Array(word.utf8)
    }

    /// Seconds with all nanoseconds, without trailing zeros.
    private func append(nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var word = (nanoseconds < 0 ? "-" : "") + String(seconds)
        if rest > 0 {
            let digits = String(rest)
            word += "." + String(repeating: "0", count: 9 - digits.utf8.count) + digits
            while word.hasSuffix("0") { word.removeLast() }
        }
        text += Array(word.utf8)
    }

    private func flush() throws(RecordingError) {
        do throws(FileFault) {
            let descriptor = file.descriptor
            try text.span.withUnsafeBytes { bytes throws(FileFault) in
                try FileTransfer.write(bytes, to: descriptor)
            }
        } catch { throw Self.error(path, error) }
        text.removeAll(keepingCapacity: true)
    }

    private static func error(_ path: String, _ fault: FileFault) -> RecordingError {
        RecordingError(path: path, problem: fault.reason, remedy: fault.remedy)
    }
}
