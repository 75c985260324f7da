import Foundation
import Measurements
import PoseMath
import Testing

@testable import Recording

/// The limits of every column, just allowed and just refused, and whole messages.
@Suite struct ColumnLimitsTests {
    /// A column of a file, its limits, and the other columns with a value that is always right.
    struct Limit: CustomTestStringConvertible, Sendable {
        var file: String
        var column: String
        var low: String
        var high: String
        var others: String
        var testDescription: String { "\(file) \(column)" }

        init(_ file: String, _ column: String, _ low: String, _ high: String, _ others: String) {
            (self.file, self.column, self.low, self.high, self.others) = (file, column, low, high, others)
        }
    }

    private static let axes = ["x", "y", "z"]
    private static let inertial =
        axes.map { Limit("imu.csv", "gyro_\($0)_rad_s", "-200", "200", imuHeader) }
        + axes.map { Limit("imu.csv", "accel_\($0)_m_s2", "-5000", "5000", imuHeader) }
        + axes.map { Limit("mag.csv", "mag_\($0)_ut", "-100000", "100000", "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n") }
    private static let scalars = [
        Limit("wheel.csv", "speed_m_s", "-200", "200", "t_s,speed_m_s\n"),
        Limit("pressure.csv", "pressure_pa", "1000", "200000", "t_s,pressure_pa\n"),
        Limit("baro.csv", "pressure_pa", "1000", "200000", "t_s,pressure_pa\n"),
    ]
    private static let fixes: [Limit] = [
        ("lat_deg", "-90", "90"), ("lon_deg", "-180", "180"), ("alt_hae_m", "-11000", "100000"),
        ("alt_msl_m", "-11000", "100000"), ("vel_n_m_s", "-2000", "2000"), ("vel_e_m_s", "-2000", "2000"),
        ("vel_d_m_s", "-2000", "2000"), ("eph_m", "-1", "1000000000.0"), ("epv_m", "-1", "1000000000.0"),
        ("sacc_m_s", "-1", "1000000000.0"), ("mode", "0", "3"), ("rtk", "0", "2"),
        ("geoid_separation_m", "-200", "200"),
        ("magnetic_variation_deg", "-180", "180"), ("satellites_used", "0", "1000"),
        ("satellites_visible", "0", "1000"), ("quality", "0", "7"), ("interfered", "0", "1"),
        ("horizontal_sigma_m", "-1", "1000000000.0"), ("speed_sigma_m_s", "-1", "1000000000.0"),
        ("climb_sigma_m_s", "-1", "1000000000.0"), ("utc_s", "-4600000000.0", "4600000000.0"),
        ("heading_deg", "-360", "360"), ("heading_sigma_deg", "-1", "1000000000.0"), ("receiver", "0", "255"),
    ].map { Limit("gnss.csv", $0.0, $0.1, $0.2, "t_s,lat_deg,lon_deg\n") }

    @Test(arguments: inertial + scalars + fixes)
    func aValueAtItsLimitIsReadAndOneBeyondIsNamed(limit: Limit) throws {
        // GIVEN a file whose other values are right
        var names = limit.others.trimmingCharacters(in: .newlines).components(separatedBy: ",")
        if !names.contains(limit.column) { names.append(limit.column) }
        let place = try #require(names.firstIndex(of: limit.column))
        func read(_ value: String) throws -> Int {
            let values = names.indices.map { $0 == place ? value : names[$0] == "pressure_pa" ? "99999" : "1" }
            let text = "\(names.joined(separator: ","))\n\(values.joined(separator: ","))\n"
            let folder = try TemporaryFolder([limit.file: text])
            return try withExtendedLifetime(folder) { try events(in: folder.path).count }
        }
        // WHEN the value is at a limit THEN it is read
        #expect(try read(limit.low) == 1 && read(limit.high) == 1)
        // WHEN it is beyond THEN the message has value, limits and place
        let (low, high) = (try #require(Double(limit.low)), try #require(Double(limit.high)))
        let step = max(abs(high) * 1e-9, 0.001)
        for value in ["\(low - step)", "\(high + step)"] {
            let error = #expect(throws: RecordingError.self) { try read(value) }
            #expect(error?.problem == "\(limit.column) is out of range: \"\(value)\"")
            #expect(
                error?.line == 2 && error?.column == 1 + 2 * place + (names[..<place].contains("pressure_pa") ? 4 : 0))
            #expect(
                error?.remedy == "it must lie between \(limit.low) and \(limit.high); is it in the unit of the name?")
        }
        // AND the same limits hold for what is written
        try expectWritten(limit, low: low, high: high, step: step)
    }

    /// Writes measurements at and beyond the limits of a column that is written, and expects that these are left out.
    private func expectWritten(_ limit: Limit, low: Double, high: Double, step: Double) throws {
        guard let event = Self.event(limit.column) else { return }
        let folder = try TemporaryFolder()
        let writer = try FolderWriter(folder: folder.path + "/x")
        for value in [low, high, low - step, high + step] { try writer.write(event(value)) }
        #expect(writer.written == 2 && writer.skipped == 2, "\(limit.column)")
    }

    /// A measurement with a value of a column.
    private static func event(_ column: String) -> ((Double) -> SensorEvent)? {
        let time = MonotonicTime(nanoseconds: 5)
        func inertial(_ rate: Vector3, _ force: Vector3) -> SensorEvent {
            .inertial(
                InertialSample(
                    time: time, angularRateRadiansPerSecond: rate, specificForceMetersPerSecondSquared: force))
        }
        func fix(_ change: @escaping (inout GnssFix, Double) -> Void) -> (Double) -> SensorEvent {
            {
                var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
                change(&fix, $0)
                return .gnss(fix)
            }
        }
        switch column {
        case "gyro_x_rad_s": return { inertial(Vector3($0, 1, 2), .zero) }
        case "gyro_y_rad_s": return { inertial(Vector3(1, $0, 2), .zero) }
        case "accel_z_m_s2": return { inertial(.zero, Vector3(0, 0, $0)) }
        case "speed_m_s": return { .wheelSpeed(WheelSpeedSample(time: time, speedMetersPerSecond: $0)) }
        case "pressure_pa": return { .pressure(PressureSample(time: time, pressurePascal: $0)) }
        case "alt_hae_m": return fix { $0.altitudeEllipsoidMeters = $1 }
        case "alt_msl_m": return fix { $0.altitudeMeanSeaMeters = $1 }
        case "vel_d_m_s": return fix { $0.climbMetersPerSecond = -$1 }
        case "epv_m": return fix { $0.verticalSigmaMeters = $1 }
        case "geoid_separation_m": return fix { $0.geoidSeparationMeters = $1 }
        case "horizontal_sigma_m": return fix { $0.horizontalSigmaMeters = $1 }
        case "speed_sigma_m_s": return fix { $0.speedSigmaMetersPerSecond = $1 }
        case "climb_sigma_m_s": return fix { $0.climbSigmaMetersPerSecond = $1 }
        case "heading_deg": return fix { $0.headingTrueRadians = $1.degreesInRadians }
        case "utc_s": return fix { $0.utcNanoseconds = Int64(($1 * 1e9).rounded()) }
        default: return nil
        }
    }

    // MARK: - Messages

    @Test(arguments: [
        (
            "wheel.csv", "t_s\n",
            "1: the column speed_m_s is missing; add it, or remove the file to do without this sensor"
        ),
        (
            "wheel.csv", "t_s,speed_km_h\n",
            "1: the column speed_m_s is missing; found speed_km_h; convert it to the unit m_s and name it speed_m_s"
        ),
        (
            "wheel.csv", "t_s,speed\n",
            "1: the column speed_m_s is missing; found speed; convert it to the unit m_s and name it speed_m_s"
        ),
        (
            "wheel.csv", "t_s,speedy\n",
            "1: the column speed_m_s is missing; add it, or remove the file to do without this sensor"
        ),
        ("wheel.csv", "t_s,speed_m_s,t_s\n", "1: the column t_s occurs 2 times; keep one"),
        ("gnss.csv", "t_s,lat_deg,lon_deg,mode,mode,mode\n", "1: the column mode occurs 3 times; keep one"),
        (
            "wheel.csv", "t_s,speed_m_s\u{1F}\n",
            "1:14: the header holds byte 0x1f, which is not text; give a CSV file whose first line names the columns"
        ),
        (
            "wheel.csv", "t_s,\u{7F}\n",
            "1:5: the header holds byte 0x7f, which is not text; give a CSV file whose first line names the columns"
        ),
        ("wheel.csv", "", " the file is empty; remove it or record again"),
        (
            "wheel.csv", "t_s,speed_m_s\n1\n",
            "2: the line has 1 fields, the header 2; the line seems truncated: complete or remove it"
        ),
        ("wheel.csv", "t_s,speed_m_s\n1,2,\n", "2: the line has 3 fields, the header 2; remove the extra fields"),
        ("wheel.csv", "t_s,speed_m_s\n\n ,1\n", "3:1: t_s is empty; give each row its time"),
        (
            "wheel.csv", "t_s,speed_m_s\n1,12345678901234567890123x\n",
            "2:3: speed_m_s is not a number: \"12345678901234567890123x\"; write a decimal number or leave the field empty"
        ),
        (
            "wheel.csv", "t_s,speed_m_s\n1,123456789012345678901234x\n",
            "2:3: speed_m_s is not a number: \"123456789012345678901234...\"; write a decimal number or leave the field "
                + "empty"
        ),
        (
            "wheel.csv", "t_s,speed_m_s\n1,\u{1F} ~\u{7F}\n",
            "2:3: speed_m_s is not a number: \"? ~?\"; write a decimal number or leave the field empty"
        ),
        (
            "wheel.csv", "t_s,speed_m_s\n1,inf\n",
            "2:3: speed_m_s is not a finite number; leave the field empty where the value is unknown"
        ),
        (
            "wheel.csv", "t_s,speed_m_s\n2,1\n1.25,1\n",
            "3:1: time goes back by 0.75 s; sort the rows by time, or cut the recording where the clock was set"
        ),
        (
            "mag.csv", "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n0,1,,2\n",
            "2:5: one reading of several is empty; give all of them or leave all empty"
        ),
        (
            "gnss.csv", "t_s,lat_deg,lon_deg\n0,,1\n",
            "2:3: half of the position is empty; give lat_deg and lon_deg both or leave both empty"
        ),
        (
            "gnss.csv", "arrival_s,t_s,lat_deg,lon_deg\n1,2.5,1,1\n",
            "2:1: the fix came in 1.5 s before it was valid; arrival_s is t_s plus the delay"
        ),
        ("gnss.csv", "t_s,lat_deg,lon_deg\n,1,1\n", "2:1: t_s is empty; give each row its time"),
        (
            "gnss.csv", "t_s,lat_deg,lon_deg,quality\n0,1,1,1.5\n",
            "2:7: quality is not a whole number from 0 to 7; 0 is unknown, 1 autonomous, 2 differential, 3 RTK "
                + "fixed, 4 RTK float, 5 and 6 dead reckoning, 7 surveyed or simulated"
        ),
        (
            "gnss.csv", "t_s,lat_deg,lon_deg,mode\n0,1,1,0.5\n",
            "2:7: mode is not one of 0, 1, 2, 3; 0 and 1 are no fix, 2 is 2D, 3 is 3D"
        ),
        (
            "gnss.csv", "t_s,lat_deg,lon_deg,rtk\n0,1,1,1.5\n",
            "2:7: rtk is not one of 0, 1, 2; 0 is none, 1 float, 2 fixed"
        ),
    ])
    func aMistakeHasItsMessage(file: String, text: String, message: String) throws {
        let folder = try TemporaryFolder([file: text])
        let error = #expect(throws: RecordingError.self) { try events(in: folder.path) }
        #expect(error?.description == "\(folder.path)/\(file):\(message)")
    }

    @Test func aColumnMayHaveAnyName() throws {
        // GIVEN further columns whose names have letters beyond ASCII WHEN the file is read THEN they are ignored
        for name in ["temp_°C", "mag_µT", "Höhe", "温度"] {
            for text in ["t_s,\(name),speed_m_s\n1,7,2\n", "\u{FEFF}\(name),t_s,speed_m_s\n7,1,2\n"] {
                let folder = try TemporaryFolder(["wheel.csv": text])
                #expect(try events(in: folder.path).map(\.validityTime.seconds) == [1], "\(text)")
            }
        }
        // AND what is no text is refused
        let folder = try TemporaryFolder()
        try folder.write("wheel.csv", Data("t_s,speed_m_s,".utf8) + Data([0xC2, 0x82, 0x82, 0x0A]))
        let error = #expect(throws: RecordingError.self) { try events(in: folder.path) }
        #expect(
            error?.description
                == "\(folder.path)/wheel.csv:1:15: the header holds byte 0xc2, which is not text; give a CSV file "
                + "whose first line names the columns")
    }

    @Test func aPathHasItsMessage() throws {
        let folder = try TemporaryFolder(["notes.txt": "hello"])
        let path = folder.path
        for (place, message) in [
            ("", ": contains no recording; put imu.csv, mag.csv, gnss.csv, wheel.csv or pressure.csv there"),
            (
                "/notes.txt",
                ": is not a folder; give the folder that holds imu.csv, gnss.csv and the rest, or convert it: "
                    + "posectl convert"
            ), ("/none", ": cannot be opened (No such file or directory); give the folder of a recording"),
        ] {
            let error = #expect(throws: RecordingError.self) { try events(in: path + place) }
            #expect(error?.description == path + place + message)
        }
        for name in ["imu", "mag", "gnss", "wheel", "pressure", "baro"] {
            let own = try TemporaryFolder()
            let file = "\(own.path)/\(name).csv"
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            let error = #expect(throws: RecordingError.self) { try events(in: own.path) }
            #expect(
                error?.description
                    == "\(file): cannot be read (Is a directory); it is a folder; put a file of this name there")
            // Nothing is written beside it either.
            let other = #expect(throws: RecordingError.self) { try FolderWriter(folder: own.path + "///") }
            #expect(other?.description == "\(own.path): already holds a recording (\(name).csv); name a new folder")
        }
    }

    // MARK: - Order and progress

    @Test func theReaderTellsItsSensorsAndItsProgress() throws {
        // GIVEN two files, of which one has no row, longer than what is read at once
        var text = "t_s,speed_m_s\n"
        for row in 0..<40_000 { text += "\(row),1\n" }
        let folder = try TemporaryFolder(["wheel.csv": text, "mag.csv": "t_s,mag_x_ut,mag_y_ut,mag_z_ut\n"])
        let reader = try FolderReader(folder: folder.path + "//")
        #expect(reader.kinds == [.wheels, .magnetometer] && reader.notes.isEmpty && reader.details.isEmpty)
        // THEN the progress grows from the first block, of 128 KiB, to the end
        let whole = Double(text.utf8.count + 31)
        #expect(abs(reader.progress - (131_072 + 31) / whole) < 1e-9)
        var (last, count) = (reader.progress, 0)
        while try reader.next() != nil {
            count += 1
            #expect(reader.progress >= last)
            last = reader.progress
        }
        #expect(count == 40_000 && reader.progress == 1)
        #expect(try reader.next() == nil)
    }

    @Test func aFixIsSortedByItsArrival() throws {
        // GIVEN fixes and speeds THEN a fix comes when it arrived, after what has the same time
        let folder = try TemporaryFolder([
            "wheel.csv": "t_s,speed_m_s\n1,1\n2,2\n3,3\n",
            "gnss.csv": "t_s,arrival_s,lat_deg,lon_deg\n0,2,1,1\n2.5,,1,1\n0.5,3,1,1\n",
        ])
        let order = try events(in: folder.path).map {
            "\($0.kind) \($0.arrivalTime.seconds) \($0.validityTime.seconds)"
        }
        #expect(
            order == [
                "wheels 1.0 1.0", "wheels 2.0 2.0", "gps 2.0 0.0", "gps 2.5 2.5", "wheels 3.0 3.0", "gps 3.0 0.5",
            ])
    }
}
