import BoundedJSON
import Calibration
import Frames
import Glibc
import PoseMath

/// The corrections of the sensors of one device, measured by `posectl calibrate`, which the IIO source applies.
///
/// One line of JSON with version and checksum, checked like ``SavedMount``. The name of the device contains its serial
/// number where the driver tells it.
package struct SavedCalibration: Equatable, Sendable {
    /// The device, as the source identifies it.
    package var device: String
    /// The corrections.
    package var corrections: SensorCorrections

    private static let version = 1
    /// Maximum length of a file, bytes.
    static let longest = 4096
    /// Start of the file names.
    static let prefix = "calibration-"

    /// Creates the saved form of corrections of a device.
    package init(device: String, corrections: SensorCorrections) {
        (self.device, self.corrections) = (device, corrections)
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.integer("{\"posed_calibration\":", Self.version)
        writer.string(",\"imu\":", device)
        Self.write(",\"gyro\":", corrections.gyro, unit: 1, &writer)
        Self.write(",\"accelerometer\":", corrections.accelerometer, unit: 1, &writer)
        Self.write(",\"magnetometer_ut\":", corrections.magnetometer, unit: 1e6, &writer)
        return StateChecksum.closed(writer.withBytes { Array($0) })
    }

    private static func write(
        _ key: StaticString, _ correction: SensorCorrection?, unit: Double, _ writer: inout JSONWriter
    ) {
        guard let correction else { return }
        let (o, d, f) = (correction.offset * unit, correction.diagonal, correction.offDiagonal)
        writer.numbers(key, [o.x, o.y, o.z, d.x, d.y, d.z, f.x, f.y, f.z], decimals: 9)
    }

    /// Reads the content of a file, for one device or for the one that it states.
    package init(bytes: [UInt8], device expected: String? = nil) throws(StateProblem) {
        let stated = expected ?? (try? JSONDocument(bytes: bytes))?.root["imu"]?.string ?? ""
        let root = try StateChecksum.root(
            of: bytes, kind: "calibration", version: Self.version, imu: stated, longest: Self.longest)
        var corrections = SensorCorrections()
        corrections.gyro = try Self.correction(root, "gyro", unit: 1)
        corrections.accelerometer = try Self.correction(root, "accelerometer", unit: 1)
        corrections.magnetometer = try Self.correction(root, "magnetometer_ut", unit: 1e6)
        self.init(device: stated, corrections: corrections)
    }

    private static func correction(
        _ root: JSONValue, _ name: String, unit: Double
    ) throws(StateProblem) -> SensorCorrection? {
        guard let value = root[name] else { return nil }
        let n = value.elements.compactMap(\.double)
        guard n.count == 9, value.count == 9 else {
            throw StateProblem(description: "numbers of \(name) are missing")
        }
        let correction = SensorCorrection(
            offset: Vector3(n[0], n[1], n[2]) / unit, diagonal: Vector3(n[3], n[4], n[5]),
            offDiagonal: Vector3(n[6], n[7], n[8]))
        guard correction.isValid else {
            throw StateProblem(description: "the numbers of \(name) are no correction of a sensor")
        }
        return correction
    }

    /// The file name of a device.
    package static func fileName(device: String) -> String {
        "\(prefix)\(StateChecksum.name(of: device)).json"
    }
}

/// The calibrations in a folder of state files.
package struct CalibrationFolder: Sendable {
    /// The folder.
    package let path: String

    /// The calibrations of a folder.
    package init(path: String) { self.path = path }

    /// The calibration of a device; `nil` if none was measured.
    ///
    /// - Parameter note: called with what a user has to know: a damaged file, and what is used instead.
    package func calibration(of device: String, note: (String) -> Void) -> SavedCalibration? {
        let file = "\(path)/\(SavedCalibration.fileName(device: device))"
        return StateFile.newestValid(file, atMost: SavedCalibration.longest, note: note) {
            bytes throws(StateProblem) in
            try SavedCalibration(bytes: bytes, device: device)
        } otherwise: {
            Self.consequence
        }
    }

    /// The calibrations of all devices.
    ///
    /// - Parameter note: called with what a user has to know.
    package func all(note: (String) -> Void) -> [SavedCalibration] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: Set<String> = []
        while let entry = readdir(folder), names.count < Self.mostFiles {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(SavedCalibration.prefix), name.hasSuffix(".json") { names.insert(name) }
        }
        return names.sorted().compactMap { name in
            StateFile.newestValid("\(path)/\(name)", atMost: SavedCalibration.longest, note: note) {
                bytes throws(StateProblem) in
                try SavedCalibration(bytes: bytes)
            } otherwise: {
                Self.consequence
            }
        }
    }

    /// Files that are read at most.
    private static let mostFiles = 64
    private static let consequence =
        "the sensors are used without calibration; calibrate again with posectl calibrate"

    /// Replaces the calibration of a device; keeps the one before as `NAME.previous`.
    package func save(_ calibration: SavedCalibration) throws(StateProblem) {
        let file = "\(path)/\(SavedCalibration.fileName(device: calibration.device))"
        try StateFile.replace(file, with: calibration.bytes, folder: path) { bytes in
            (try? SavedCalibration(bytes: bytes, device: calibration.device)) != nil
        }
    }

    /// Path of the file of a device.
    package func file(of device: String) -> String { "\(path)/\(SavedCalibration.fileName(device: device))" }
}
