import Foundation
import SeededNumbers
import Testing

@testable import Recording

/// Every kind of invalid recording gives one message with location and remedy.
@Suite struct BrokenRecordingTests {
    struct Case: CustomTestStringConvertible {
        var file: String
        var text: String
        var place: String
        var words: String
        var testDescription: String { words }
    }

    static let cases = [
        Case(file: "imu.csv", text: "", place: "imu.csv:", words: "the file is empty"),
        Case(
            file: "imu.csv", text: "t_s,gyro_x_deg_s\n", place: "imu.csv:1:",
            words: "gyro_x_rad_s is missing; found gyro_x_deg_s; convert it"),
        Case(file: "imu.csv", text: "gyro_x_rad_s\n", place: "imu.csv:1:", words: "the column t_s is missing"),
        Case(
            file: "wheel.csv", text: "t_s;speed_m_s\n0,5;3\n", place: "wheel.csv:1:",
            words: "the columns are not separated by commas; separate them by commas, and write numbers with a point"),
        Case(
            file: "wheel.csv", text: "t_s\tspeed_m_s\n0\t3\n", place: "wheel.csv:1:",
            words: "the columns are not separated by commas"),
        Case(
            file: "wheel.csv", text: "\"t_s\",\"speed_m_s\"\n0,3\n", place: "wheel.csv:1:",
            words: "the names of the columns are in quotes; write names and numbers without quotes"),
        Case(
            file: "wheel.csv", text: "t_s,speed_m_s,speed_m_s\n", place: "wheel.csv:1:",
            words: "speed_m_s occurs 2 times"),
        Case(
            file: "wheel.csv", text: "t_s,sp\u{07}eed_m_s\n", place: "wheel.csv:1:7:",
            words: "byte 0x7, which is not text"),
        Case(
            file: "imu.csv", text: imuHeader + "0,0,0,0,0,0,9.8\n0.01,0,0,0,0", place: "imu.csv:3:",
            words: "has 5 fields, the header 7"),
        Case(
            file: "imu.csv", text: imuHeader + "0,0,0,0,0,0,9.8,1\n", place: "imu.csv:2:",
            words: "has 8 fields, the header 7"),
        Case(
            file: "imu.csv", text: imuHeader + "0,0,0,nan,0,0,9.8\n", place: "imu.csv:2:7:",
            words: "gyro_z_rad_s is not a finite number"),
        Case(
            file: "imu.csv", text: imuHeader + "0,0,0,0,0,0,9.8g\n", place: "imu.csv:2:13:",
            words: "accel_z_m_s2 is not a number: \"9.8g\""),
        Case(
            file: "imu.csv", text: imuHeader + "0,0,0,0,0,0,1e30\n", place: "imu.csv:2:13:",
            words: "accel_z_m_s2 is out of range"),
        Case(
            file: "imu.csv", text: imuHeader + "0,0,0,0,0,0,1e999\n", place: "imu.csv:2:13:",
            words: "accel_z_m_s2 is out of range"),
        Case(
            file: "imu.csv", text: imuHeader + "0,900,0,0,0,0,9.8\n", place: "imu.csv:2:3:",
            words: "is it in the unit of the name?"),
        Case(
            file: "imu.csv", text: imuHeader + "0,,0,0,0,0,9.8\n", place: "imu.csv:2:3:",
            words: "one reading of several is empty"),
        Case(file: "imu.csv", text: imuHeader + ",0,0,0,0,0,9.8\n", place: "imu.csv:2:1:", words: "t_s is empty"),
        Case(
            file: "imu.csv", text: imuHeader + "1e12,0,0,0,0,0,9.8\n", place: "imu.csv:2:1:",
            words: "t_s is out of range"),
        // The difference of two rows must also fit in nanoseconds.
        Case(
            file: "imu.csv", text: imuHeader + "-9e9,0,0,0,0,0,9.8\n9e9,0,0,0,0,0,9.8\n", place: "imu.csv:2:1:",
            words: "t_s is out of range"),
        Case(
            file: "imu.csv", text: imuHeader + "1,0,0,0,0,0,9.8\n0.5,0,0,0,0,0,9.8\n", place: "imu.csv:3:1:",
            words: "time goes back by 0.5 s"),
        Case(
            file: "gnss.csv", text: "t_s,lat_deg,lon_deg\n0,91,7\n", place: "gnss.csv:2:3:",
            words: "lat_deg is out of range"),
        Case(
            file: "gnss.csv", text: "t_s,lat_deg,lon_deg\n0,51,\n", place: "gnss.csv:2:6:",
            words: "half of the position is empty"),
        Case(
            file: "gnss.csv", text: "t_s,arrival_s,lat_deg,lon_deg\n1,0.5,51,7\n", place: "gnss.csv:2:3:",
            words: "0.5 s before it was valid"),
        Case(
            file: "gnss.csv", text: "t_s,lat_deg,lon_deg,mode\n1,51,7,2.5\n", place: "gnss.csv:2:8:",
            words: "mode is not one of"),
        Case(
            file: "gnss.csv", text: "t_s,arrival_s,lat_deg,lon_deg\n1,2,5,7\n1,1,5,7\n", place: "gnss.csv:3:3:",
            words: "time goes back by 1.0 s"),
        Case(file: "wheel.csv", text: "t_s,speed_m_s\n", place: ":", words: "no file of the recording contains a row"),
    ]

    @Test(arguments: cases) func errorNamesTheLocation(_ broken: Case) throws {
        // GIVEN a recording with one invalid file
        let folder = try TemporaryFolder([broken.file: broken.text])
        // WHEN it is read THEN it ends with one message
        let error = #expect(throws: RecordingError.self) { try events(in: folder.path) }
        let text = "\(try #require(error))"
        #expect(text.contains(broken.words))
        #expect(text.contains(broken.place))
        #expect(error?.remedy.isEmpty == false)
        #expect(!text.contains("\n"))
    }

    @Test func binaryDataIsRefused() throws {
        // GIVEN files of random bytes, with and without a valid header
        var noiseSource = SplitMix64(seed: 20_260_102)
        for header in ["", imuHeader, "t_s,speed_m_s\n"] {
            let folder = try TemporaryFolder()
            let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &noiseSource) }
            try folder.write(header.contains("speed") ? "wheel.csv" : "imu.csv", Data(header.utf8) + Data(noise))
            // THEN each is refused
            #expect(throws: RecordingError.self) { try events(in: folder.path) }
        }
    }

    @Test func overlongLineIsRefused() throws {
        let folder = try TemporaryFolder(["wheel.csv": "t_s,speed_m_s\n" + String(repeating: "1", count: 300_000)])
        let error = #expect(throws: RecordingError.self) { try events(in: folder.path) }
        #expect(error?.problem.contains("longer than") == true)
        #expect(error?.line == 2)
    }

    @Test func pathsWithoutARecordingAreRefused() throws {
        let folder = try TemporaryFolder(["notes.txt": "hello"])
        for (path, words) in [
            (folder.path, "contains no recording"), (folder.path + "/notes.txt", "is not a folder"),
            (folder.path + "/none", "cannot be opened"),
        ] {
            let error = #expect(throws: RecordingError.self) { try events(in: path) }
            #expect(error?.problem.contains(words) == true)
        }
    }

    @Test func folderInPlaceOfAFileIsRefused() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/imu.csv", withIntermediateDirectories: false)
        let error = #expect(throws: RecordingError.self) { try events(in: folder.path) }
        #expect(error?.problem.contains("cannot be read") == true)
    }

    @Test func twoBarometerFilesAreRefused() throws {
        let text = "t_s,pressure_pa\n0,101325\n"
        let folder = try TemporaryFolder(["baro.csv": text, "pressure.csv": text])
        let error = #expect(throws: RecordingError.self) { try events(in: folder.path) }
        #expect(error?.problem.contains("both") == true)
    }
}
