import Calibration
import Foundation
import Fusion
import Geodesy
import PoseMath
import Testing

@testable import SavedState

/// Each file of the saved state, byte by byte, with everything and with nothing.
@Suite struct SavedDocumentTests {
    /// The text of a file without its checksum.
    private static func body(_ bytes: [UInt8]) throws -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(text.firstRange(of: ",\"check\":\""))
        #expect(text[end.upperBound...].count == 19 && text.hasSuffix("\"}\n"))
        return String(text[..<end.lowerBound])
    }

    /// Numbers in brackets, each with that many decimals.
    private static func list(_ numbers: [Double], _ decimals: Int) -> String {
        "[" + numbers.map { String(format: "%.\(decimals)f", $0) }.joined(separator: ",") + "]"
    }

    /// Numbers that differ from each other, from a first one on.
    private static func correction(_ first: Double, unit: Double = 1) -> SensorCorrection {
        SensorCorrection(
            offset: Vector3(first, first + 0.001, first + 0.002) * unit, diagonal: Vector3(1.01, 1.02, 1.03),
            offDiagonal: Vector3(0.004, 0.005, 0.006))
    }

    @Test func aMountIsWrittenWithItsAntenna() throws {
        // GIVEN a mount with a well known antenna; the quaternion is 0.8, 0, 0.6, 0
        var mount = MountEstimate(
            sensorToBody: Quaternion(w: 0.8, x: 0, y: 0.6, z: 0), sigmaBodyRadians: Vector3(0.001, 0.002, 0.003),
            origin: .found)
        let plain =
            "{\"posed_mount\":1,\"imu\":\"a\",\"q\":" + Self.list([0.8, 0, 0.6, 0], 9) + ",\"sigma_rad\":"
            + Self.list([0.001, 0.002, 0.003], 9)
        #expect(try Self.body(SavedMount(imu: "a", mount: mount).bytes) == plain)
        mount.antenna = AntennaArm(meters: SIMD2(1.23456, -0.5), sigmaMeters: SIMD2(0.04, 0.05))
        let bytes = SavedMount(imu: "a", mount: mount).bytes
        // THEN its metres have four decimals
        let antenna =
            ",\"antenna_m\":" + Self.list([1.2346, -0.5], 4) + ",\"antenna_sigma_m\":" + Self.list([0.04, 0.05], 4)
        #expect(try Self.body(bytes) == plain + antenna)
        let read = try SavedMount(bytes: bytes, imu: "a").mount
        #expect(read.antenna == AntennaArm(meters: SIMD2(1.2346, -0.5), sigmaMeters: SIMD2(0.04, 0.05)))
        #expect(read.sigmaBodyRadians == Vector3(0.001, 0.002, 0.003) && read.origin == .found)
        #expect(read.sensorToBody == mount.sensorToBody)
    }

    @Test func aRestIsWrittenWithItsDecimals() throws {
        let pose = RestingPose(
            position: GeodeticPosition(
                latitudeDegrees: 47.123456789, longitudeDegrees: -9.5, altitudeEllipsoidMeters: 460.1234),
            horizontalSigmaMeters: 1.23456, verticalSigmaMeters: 3, headingTrueRadians: 1.23456789,
            headingSigmaRadians: 0.01, downBody: Vector3(0.6, 0, -0.8))
        let bytes = SavedRest(imu: "a", pose: pose).bytes
        let expected =
            "{\"posed_rest\":1,\"imu\":\"a\",\"lat_lon_deg\":" + Self.list([47.123456789, -9.5], 9)
            + ",\"height_m\":" + Self.list([460.123], 3) + ",\"sigma_m\":" + Self.list([1.2346, 3], 4)
            + ",\"heading_rad\":" + Self.list([1.2345679, 0.01], 7) + ",\"down\":" + Self.list([0.6, 0, -0.8], 7)
        #expect(try Self.body(bytes) == expected)
        let read = try SavedRest(bytes: bytes, imu: "a").pose
        #expect(read.verticalSigmaMeters == 3 && read.headingSigmaRadians == 0.01)
        #expect(read.position.altitudeEllipsoidMeters == 460.123 && read.headingTrueRadians == 1.2345679)
    }

    @Test func sensorsAreWrittenWithEveryPart() throws {
        // GIVEN everything with a number of its own, and nothing
        var sensors = SavedSensors(imu: "a")
        #expect(try Self.body(sensors.bytes) == "{\"posed_sensors\":1,\"imu\":\"a\",\"gyro_bias\":[]")
        sensors.gyroBias = GyroBiasTable(
            entries: [
                .init(celsius: 20.5, bias: Vector3(0.001, 0.002, 0.003), drives: 3),
                .init(celsius: 41, bias: Vector3(0.004, 0.005, -0.000_000_6), drives: 1),
            ], latest: Vector3(0.007, 0.008, 0.009))
        sensors.correction = Self.correction(0.01)
        sensors.accelerometerBias = .init(
            metersPerSecondSquared: Vector3(0.1, 0.2, 0.3), sigmaMetersPerSecondSquared: Vector3(0.01, 0.02, 0.03))
        sensors.accelerometerCorrection = Self.correction(0.02)
        sensors.lags = LagCalibration(
            positionSeconds: 0.111_111_1, positionSigmaSeconds: 0.01, velocitySeconds: 0.13, velocitySigmaSeconds: 0.02)
        sensors.wheels = .init(scale: 1.031_111_1, scaleSigma: 0.004, lagSeconds: 0.21, lagSigmaSeconds: 0.022)
        let bytes = sensors.bytes
        let biases =
            "{\"posed_sensors\":1,\"imu\":\"a\",\"gyro_bias\":"
            + Self.list([20.5, 0.001, 0.002, 0.003, 3, 41, 0.004, 0.005, -0.000_000_6, 1], 9)
            + ",\"gyro_bias_last\":" + Self.list([0.007, 0.008, 0.009], 9) + ",\"gyro_correction\":"
            + Self.list([0.01, 0.011, 0.012, 1.01, 1.02, 1.03, 0.004, 0.005, 0.006], 9)
        let others =
            ",\"accelerometer_bias\":" + Self.list([0.1, 0.2, 0.3, 0.01, 0.02, 0.03], 6)
            + ",\"accelerometer_correction\":"
            + Self.list([0.02, 0.021, 0.022, 1.01, 1.02, 1.03, 0.004, 0.005, 0.006], 9) + ",\"lags_s\":"
            + Self.list([0.111111, 0.01, 0.13, 0.02], 6) + ",\"wheels\":"
            + Self.list([1.031111, 0.004, 0.21, 0.022], 6)
        #expect(try Self.body(bytes) == biases + others)
        // THEN all of it is read
        let read = try SavedSensors(bytes: bytes, imu: "a")
        #expect(
            read.gyroBias.entries == sensors.gyroBias.entries && read.gyroBias.latest == Vector3(0.007, 0.008, 0.009))
        #expect(read.correction == Self.correction(0.01) && read.accelerometerBias == sensors.accelerometerBias)
        #expect(read.accelerometerCorrection == Self.correction(0.02))
        #expect(read.lags?.positionSeconds == 0.111_111 && read.lags?.velocitySigmaSeconds == 0.02)
        #expect(read.wheels?.scale == 1.031_111 && read.wheels?.lagSigmaSeconds == 0.022)
    }

    @Test func aCalibrationIsWrittenInItsUnits() throws {
        // GIVEN corrections of all sensors, and none; those of the magnetometer are in microtesla
        var corrections = SensorCorrections()
        #expect(
            try Self.body(SavedCalibration(device: "a \"b\"", corrections: corrections).bytes)
                == "{\"posed_calibration\":1,\"imu\":\"a \\\"b\\\"\"")
        (corrections.gyro, corrections.accelerometer) = (Self.correction(0.01), Self.correction(0.2))
        corrections.magnetometer = Self.correction(30, unit: 1e-6)
        let bytes = SavedCalibration(device: "a", corrections: corrections).bytes
        func numbers(_ first: Double) -> String {
            Self.list([first, first + 0.001, first + 0.002, 1.01, 1.02, 1.03, 0.004, 0.005, 0.006], 9)
        }
        let expected =
            "{\"posed_calibration\":1,\"imu\":\"a\",\"gyro\":" + numbers(0.01) + ",\"accelerometer\":" + numbers(0.2)
            + ",\"magnetometer_ut\":" + numbers(30)
        #expect(try Self.body(bytes) == expected)
        let read = try SavedCalibration(bytes: bytes)
        #expect(read.corrections.gyro == corrections.gyro && read.device == "a")
        #expect(read.corrections.accelerometer == corrections.accelerometer)
        // The conversion to microtesla and back rounds.
        let field = try #require(read.corrections.magnetometer)
        #expect((field.offset - Vector3(30e-6, 30.001e-6, 30.002e-6)).length < 1e-18)
        #expect(field.diagonal == Vector3(1.01, 1.02, 1.03) && field.offDiagonal == Vector3(0.004, 0.005, 0.006))
    }

    /// A file with a valid checksum around a body.
    private static func signed(_ body: String) -> [UInt8] { StateChecksum.closed(Array(body.utf8)) }

    private static func reason(_ read: () throws -> Void) -> String {
        do {
            try read()
            return "read"
        } catch let problem as StateProblem {
            return problem.description
        } catch {
            return "another error"
        }
    }

    @Test(arguments: [
        ("\"gyro_bias\":[1,2,3,4]", "numbers of gyro_bias are missing"),
        ("\"gyro_bias_last\":[1,2]", "numbers of gyro_bias_last are missing"),
        ("\"gyro_correction\":[0,0,0,1,1,1,0,0]", "numbers of gyro_correction are missing"),
        ("\"accelerometer_bias\":[0,0,0,1,1]", "numbers of accelerometer_bias are missing"),
        ("\"accelerometer_correction\":[0,0,0,1,1,1,0,0]", "numbers of accelerometer_correction are missing"),
        ("\"accelerometer_correction\":[0,0,0,9,1,1,0,0,0]", "the numbers are not those of sensors"),
        ("\"lags_s\":[0,1,0,1,0]", "numbers of lags_s are missing"),
        ("\"wheels\":[1,1,0]", "numbers of wheels are missing"),
        ("\"wheels\":[1,1,0,1,\"x\"]", "numbers of wheels are missing"),
        ("\"wheels\":[1,0.01,0,0]", "the numbers are not those of sensors"), ("\"wheels\":[1,0.01,0,0.1]", "read"),
    ])
    func partsOfSensorsAreComplete(part: String, reason: String) {
        let bytes = Self.signed("{\"posed_sensors\":1,\"imu\":\"a\",\(part)")
        #expect(Self.reason { _ = try SavedSensors(bytes: bytes, imu: "a") } == reason)
    }

    @Test(arguments: [
        ("\"gyro\":[0,0,0,1,1,1,0,0]", "numbers of gyro are missing"),
        ("\"gyro\":[0,0,0,1,1,1,0,0,0,0]", "numbers of gyro are missing"),
        ("\"gyro\":[0,0,0,1,1,1,0,0,null]", "numbers of gyro are missing"),
        ("\"accelerometer\":[0,0,0,9,1,1,0,0,0]", "the numbers of accelerometer are no correction of a sensor"),
        ("\"magnetometer_ut\":[0,0,0,1,1,1,0,0,0]", "read"),
    ])
    func partsOfACalibrationAreComplete(part: String, reason: String) {
        let bytes = Self.signed("{\"posed_calibration\":1,\"imu\":\"a\",\(part)")
        #expect(Self.reason { _ = try SavedCalibration(bytes: bytes, device: "a") } == reason)
    }

    @Test(arguments: [
        ("\"antenna_m\":[1,2]", "numbers are missing"),
        ("\"antenna_m\":[1],\"antenna_sigma_m\":[1]", "numbers are missing"),
        ("\"antenna_m\":[1,2,3],\"antenna_sigma_m\":[1,2,3]", "numbers are missing"),
        ("\"antenna_m\":[1,2],\"antenna_sigma_m\":[0.1,0.1]", "read"),
    ])
    func partsOfAMountAreComplete(part: String, reason: String) {
        let bytes = Self.signed(
            "{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01],\(part)")
        #expect(Self.reason { _ = try SavedMount(bytes: bytes, imu: "a") } == reason)
    }

    @Test func theLongestFileIsRead() {
        // GIVEN files of the longest length and of one byte more: spaces around a valid one do not count for its
        // checksum
        let whole = Self.signed("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]")
        for (count, expected) in [(4096, "read"), (4097, "longer than 4096 bytes")] {
            let bytes = whole.dropLast() + [UInt8](repeating: 0x20, count: count - whole.count) + [0x0A]
            #expect(Self.reason { _ = try SavedMount(bytes: Array(bytes), imu: "a") } == expected)
        }
        #expect(SavedFile.longest == 16_384)
    }

    @Test func aFileIsCheckedByItsName() {
        // GIVEN a mount under the names of all kinds THEN only its own name finds no problem
        let bytes = Self.signed("{\"posed_mount\":1,\"imu\":\"a\",\"q\":[1,0,0,0],\"sigma_rad\":[0.01,0.01,0.01]")
        #expect(SavedFile.problem(name: "mount-1.json", bytes: bytes) == nil)
        #expect(SavedFile.problem(name: "other.json", bytes: [1]) == nil)
        for (name, kind) in [("rest-1.json", "rest"), ("sensors-1", "sensors"), ("calibration-1", "calibration")] {
            #expect(SavedFile.problem(name: name, bytes: bytes) == "not a \(kind) file of posed")
        }
        #expect(SavedFile.problem(name: "mount-1", bytes: Array(bytes.dropLast(9)))?.contains("invalid JSON") == true)
    }

    @Test func theNameOfAFileIsThatOfItsDevice() {
        // FNV-1a of "a" with 64 bits is af63dc4c8601ec8c (the published test vectors).
        #expect(SavedMount.fileName(imu: "a") == "mount-af63dc4c.json" && StateChecksum.name(of: "") == "cbf29ce4")
        #expect(SavedRest.fileName(imu: "foobar") == "rest-85944171.json")
        #expect(SavedSensors.fileName(imu: "a") == "sensors-af63dc4c.json")
        #expect(SavedCalibration.fileName(device: "a") == "calibration-af63dc4c.json")
    }
}
