import DecimalNumbers
import Measurements
import PoseMath
import Recording

/// Reads a drive of the KITTI data set: a folder `oxts` with `timestamps.txt` and one file of 30 numbers for each time
/// (dataformat.txt of the data set).
///
/// The vehicle's OXTS unit gives positions and velocities that are already fused with its own IMU, in the time zone of
/// the recording computer, so that UTC is unknown. The recording's clock starts at zero.
final class KITTIReader: EventReader {
    let kinds: Set<SensorKind> = [.imu, .gps]
    /// Rows that were left out.
    var notes: [String] {
        disordered > 0 ? ["\(disordered) rows whose time does not go forward, as in some unsynchronised drives"] : []
    }

    private let folder: String
    private let times: LineReader
    private var index = -1
    private var start: Int64?
    private var latest: Int64?
    private var pending: SensorEvent?
    private var disordered = 0

    /// Height of the geoid above the ellipsoid around Karlsruhe, where all drives are (EGM96), metres: the unit gives
    /// heights above the sea.
    private static let geoidSeparationMeters = 48.0

    /// Indexes of the numbers of a file.
    private enum Field {
        static let latitude = 0
        static let longitude = 1
        static let altitude = 2
        static let north = 6
        static let east = 7
        static let up = 10
        static let acceleration = 11
        static let rate = 17
        static let positionAccuracy = 23
        static let velocityAccuracy = 24
        static let satellites = 26
        static let count = 30
    }

    /// Opens a folder: `oxts` itself, or the one that contains it.
    init(folder: String) throws(RecordingError) {
        let inner = try LineReader(path: "\(folder)/oxts/timestamps.txt")
        self.folder = inner == nil ? folder : "\(folder)/oxts"
        let outer = inner == nil ? try LineReader(path: "\(folder)/timestamps.txt") : nil
        guard let times = inner ?? outer else {
            throw RecordingError(
                path: folder, problem: "contains no oxts/timestamps.txt",
                remedy: "give the folder of a KITTI drive, such as 2011_09_26_drive_0001_sync")
        }
        self.times = times
    }

    var progress: Double { times.size > 0 ? min(Double(times.bytesRead) / Double(times.size), 1) : 0 }

    func next() throws(RecordingError) -> SensorEvent? {
        if let event = pending {
            pending = nil
            return event
        }
        while let line = try times.next() {
            index += 1
            // An empty line stands for a time without data.
            guard line.contains(where: { $0 > 32 }) else { continue }
            guard let time = try time(Array(line)[...]) else {
                disordered += 1
                continue
            }
            let values = try values()
            pending = .gnss(try fix(values, time))
            return .inertial(
                InertialSample(
                    time: time,
                    angularRateRadiansPerSecond: try vector(values, Field.rate, limit: 200, "angular rate"),
                    specificForceMetersPerSecondSquared: try vector(
                        values, Field.acceleration, limit: 5_000, "acceleration")))
        }
        return nil
    }

    /// The time of a row since the first one; `nil` if it does not go forward.
    private func time(_ text: ArraySlice<UInt8>) throws(RecordingError) -> MonotonicTime? {
        guard let stamp = UTCText.nanoseconds(text) else {
            throw RecordingError(
                path: times.path, line: times.line, problem: "is not a time such as 2011-09-26 13:02:25.964389445",
                remedy: "restore the file from the data set")
        }
        if let latest, stamp <= latest { return nil }
        latest = stamp
        let first = start ?? stamp
        start = first
        return MonotonicTime(nanoseconds: stamp - first)
    }

    private var path: String {
        let digits = String(index)
        return "\(folder)/data/\(String(repeating: "0", count: max(0, 10 - digits.utf8.count)))\(digits).txt"
    }

    private func values() throws(RecordingError) -> [Double] {
        guard let reader = try LineReader(path: path), let line = try reader.next() else {
            throw RecordingError(
                path: path, problem: "is missing or empty, but \(times.path) names its time in line \(times.line)",
                remedy: "restore the file from the data set, or empty that line")
        }
        var values: [Double] = []
        let fields = line.split(whereSeparator: { $0 <= 32 })
        for field in fields.prefix(Field.count) {
            guard case .number(let number) = DecimalNumber.parse(UnsafeBufferPointer(rebasing: field)) else {
                throw error("number \(values.count + 1) is not a decimal number")
            }
            values.append(number.double)
        }
        guard fields.count == Field.count else { throw error("has \(fields.count) numbers, not \(Field.count)") }
        return values
    }

    private func error(_ problem: String) -> RecordingError {
        RecordingError(path: path, line: 1, problem: problem, remedy: "restore the file from the data set")
    }

    private func vector(_ values: [Double], _ first: Int, limit: Double, _ name: String) throws(RecordingError)
        -> Vector3
    {
        guard values[first..<(first + 3)].allSatisfy({ abs($0) <= limit }) else {
            throw error("the \(name) is out of range")
        }
        return Vector3(values[first], values[first + 1], values[first + 2])
    }

    private func fix(_ values: [Double], _ time: MonotonicTime) throws(RecordingError) -> GnssFix {
        guard abs(values[Field.latitude]) <= 90, abs(values[Field.longitude]) <= 180,
            abs(values[Field.altitude]) <= 100_000
        else { throw error("the position is out of range") }
        guard [Field.north, Field.east, Field.up].allSatisfy({ abs(values[$0]) <= 2_000 }) else {
            throw error("the velocity is out of range")
        }
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        fix.latitudeRadians = values[Field.latitude].degreesInRadians
        fix.longitudeRadians = values[Field.longitude].degreesInRadians
        fix.altitudeMeanSeaMeters = values[Field.altitude]
        fix.geoidSeparationMeters = Self.geoidSeparationMeters
        fix.completeHeights()
        fix.horizontalVelocity = HorizontalVelocity(
            eastMetersPerSecond: values[Field.east], northMetersPerSecond: values[Field.north])
        fix.climbMetersPerSecond = values[Field.up]
        let (position, velocity) = (values[Field.positionAccuracy], values[Field.velocityAccuracy])
        if position > 0, position < 1e4 {
            fix.horizontalSigmaMeters = position
            // The data set gives only the horizontal one; a height is about 1.5 times as uncertain.
            fix.verticalSigmaMeters = 1.5 * position
        }
        if velocity > 0, velocity < 1e4 {
            fix.speedSigmaMetersPerSecond = velocity
            fix.climbSigmaMetersPerSecond = velocity
        }
        fix.satellitesUsed = UInt16(exactly: values[Field.satellites])
        return fix
    }
}
