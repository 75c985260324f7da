import Glibc
import Measurements
import PoseMath
import Recording

/// The files of a phone's recording, opened.
struct PhoneStreams {
    private(set) var gyro: PhoneTable?
    private(set) var acceleration: PhoneAcceleration?
    private(set) var magnetometer: PhoneTable?
    private(set) var barometer: PhoneTable?
    private(set) var location: PhoneTable?
    /// All tables that are read.
    private(set) var tables: [PhoneTable] = []

    /// Files of which one makes a folder a recording of this app.
    static let names = [
        "Gyroscope.csv", "Location.csv", "LocationGps.csv", "Accelerometer.csv", "TotalAcceleration.csv",
        "Magnetometer.csv", "Barometer.csv",
    ]

    /// Opens the files of a folder.
    init(folder: String) throws(RecordingError) {
        gyro = try PhoneTable(path: "\(folder)/Gyroscope.csv", columns: PhoneTable.axes(200))
        magnetometer = try PhoneTable(path: "\(folder)/Magnetometer.csv", columns: PhoneTable.axes(100_000))
        barometer = try PhoneTable(
            path: "\(folder)/Barometer.csv", columns: [Column(quantity: "pressure", range: 10...2_000)])
        location = try Self.openLocation(folder)
        let forces = gyro == nil ? [] : try openAcceleration(folder)
        tables = [gyro, magnetometer, barometer, location].compactMap { $0 } + forces
        guard !tables.isEmpty else {
            throw RecordingError(
                path: folder, problem: "contains no Gyroscope.csv, Location.csv, Magnetometer.csv or Barometer.csv",
                remedy: "give the unpacked folder of a recording of Sensor Logger")
        }
    }

    /// The positions of the receiver alone, which Android gives on request, or else those that the phone has fused with
    /// mobile networks and its own motion.
    private static func openLocation(_ folder: String) throws(RecordingError) -> PhoneTable? {
        let path = "\(folder)/LocationGps.csv"
        if let receiver = try PhoneTable(path: path, columns: locationColumns), try receiver.advance() {
            return try PhoneTable(path: path, columns: locationColumns)
        }
        return try PhoneTable(path: "\(folder)/Location.csv", columns: locationColumns)
    }

    /// The tables whose sum is the acceleration with gravity.
    private mutating func openAcceleration(_ folder: String) throws(RecordingError) -> [PhoneTable] {
        let limit = 5_000.0
        let platform = try PhoneMetadata(folder: folder)
        let sign = platform.hasReversedAxes ? -1.0 : 1.0
        if let total = try PhoneTable(path: "\(folder)/TotalAcceleration.csv", columns: PhoneTable.axes(limit)) {
            acceleration = try PhoneAcceleration([total], sign: sign)
            return [total]
        }
        guard let own = try PhoneTable(path: "\(folder)/Accelerometer.csv", columns: PhoneTable.axes(limit)),
            let gravity = try PhoneTable(path: "\(folder)/Gravity.csv", columns: PhoneTable.axes(limit))
        else {
            throw RecordingError(
                path: folder, problem: "has a gyro, but no acceleration with gravity",
                remedy:
                    "add TotalAcceleration.csv, or Accelerometer.csv and Gravity.csv; or remove Gyroscope.csv to use "
                    + "the positions alone")
        }
        guard platform.isKnown else {
            throw RecordingError(
                path: "\(folder)/Metadata.csv", problem: "is missing or names no platform",
                remedy: "keep this file of the recording: iOS and Android have opposite signs of the acceleration")
        }
        acceleration = try PhoneAcceleration([own, gravity], sign: sign)
        return [own, gravity]
    }

    private static let locationColumns: [Column] = [
        Column(quantity: "latitude", range: -90...90), Column(quantity: "longitude", range: -180...180),
        .optional("altitude", "", -11_000...100_000), .optional("altitudeAboveMeanSeaLevel", "", -11_000...100_000),
        .optional("speed", "", -1...2_000), .optional("bearing", "", -1...360),
        .optional("horizontalAccuracy", "", -1...1e9), .optional("verticalAccuracy", "", -1...1e9),
        .optional("speedAccuracy", "", -1...1e9),
    ]

    /// The fix of a row of Location.csv. Negative values mean unknown; the accuracies are 1-sigma, the horizontal one a
    /// radius.
    static func fix(_ table: PhoneTable, _ time: MonotonicTime) -> GnssFix {
        let values = table.values
        func positive(_ index: Int) -> Double? { values[index].flatMap { $0 > 0 ? $0 : nil } }
        let hasHeight = values[7].map { $0 > 0 } ?? true
        let altitude = hasHeight ? values[2] : nil
        var fix = GnssFix(
            validityTime: time, arrivalTime: time, mode: altitude == nil ? .twoDimensional : .threeDimensional)
        fix.utcNanoseconds = table.time
        fix.latitudeRadians = values[0]?.degreesInRadians
        fix.longitudeRadians = values[1]?.degreesInRadians
        fix.altitudeEllipsoidMeters = altitude
        fix.altitudeMeanSeaMeters = hasHeight ? values[3] : nil
        fix.completeHeights()
        fix.horizontalSigmaMeters = positive(6).map { $0 / 2.0.squareRoot() }
        fix.verticalSigmaMeters = positive(7)
        // Android writes zeros for a velocity that it does not know; one that it knows has an accuracy.
        let isUnknown = values[4] == 0 && values[8] == 0
        if !isUnknown, let speed = values[4], speed >= 0, let bearing = values[5], bearing >= 0 {
            fix.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: speed * sin(bearing.degreesInRadians),
                northMetersPerSecond: speed * cos(bearing.degreesInRadians))
            fix.speedSigmaMetersPerSecond = positive(8)
        }
        return fix
    }
}
