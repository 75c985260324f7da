import Foundation
import Recording
import Testing

@testable import Conversion

/// What `posectl info` shows.
@Suite struct RecordingSummaryTests {
    private static let header = "t_s,gyro_x_rad_s,gyro_y_rad_s,gyro_z_rad_s,accel_x_m_s2,accel_y_m_s2,accel_z_m_s2\n"

    private static func text(_ folder: TemporaryFolder) throws -> (info: RecordingSummary, text: String) {
        let info = RecordingSummary(try Conversion.open(folder.path, .csv))
        return (info, info.text(name: "drive", format: "folder of CSV files"))
    }

    @Test func ratesGapsAndRepetitionsAreFound() throws {
        // GIVEN an IMU at 100 Hz that stops for 2 s and repeats every fourth reading, and fixes on a way of 90 m
        let times = (0..<200).map { Double($0) / 100 } + (400..<600).map { Double($0) / 100 }
        let rows = times.enumerated().map { index, time in
            "\(time),\(Double(index - index % 4 / 3) * 1e-3),0,0,0,0,9.8\n"
        }
        let fixes = (0..<10).map { "\($0),\(Double($0) + ($0 == 4 ? 2 : 0.1)),\(47 + Double($0) * 9e-5),8\n" }
        let folder = try TemporaryFolder([
            "imu.csv": Self.header + rows.joined(),
            "gnss.csv": "t_s,arrival_s,lat_deg,lon_deg\n" + fixes.filter { !$0.hasPrefix("5") }.joined(),
        ])
        // WHEN it is read THEN all of that is found
        let (info, text) = try Self.text(folder)
        let imu = try #require(info.sensors[.imu])
        #expect(imu.count == 400 && imu.gaps == 1 && abs(imu.longestGap - 2.01) < 1e-9 && imu.repeats == 100)
        #expect(abs(info.lengthMeters - 90) < 0.5 && info.isComplete)
        #expect(abs(info.longestDelay - 2) < 1e-9)
        #expect(info.problems.contains("imu: 1 gaps, the longest of 2.01 s"))
        #expect(
            text.hasPrefix("drive: folder of CSV files, 9.1 s, 0.09 km\nstarts at 47.00000, 8.00000, UTC unknown\n"))
        // AND everything fits on a screen
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 24 && lines.allSatisfy { $0.count < 80 })
        // AND a long path keeps its end, where the name is
        let path = String(repeating: "/folder", count: 20) + "/drive"
        let long = info.text(name: path, format: "folder of CSV files").components(separatedBy: "\n")
        #expect(long.allSatisfy { $0.count < 80 } && long[0].hasSuffix("/folder/drive:"))
        #expect(long[1] == "folder of CSV files, 9.1 s, 0.09 km")
    }

    @Test func aFixWithoutAPositionHasNoHeight() throws {
        // GIVEN a log that states three dimensions also while there is no position WHEN it is shown THEN each fix is
        // counted once
        let folder = try TemporaryFolder([
            "gnss.csv": "t_s,lat_deg,lon_deg,alt_hae_m,mode\n0,47,8,400,3\n1,,,,3\n2,,,,3\n3,47,8,,2\n"
        ])
        let (info, text) = try Self.text(folder)
        #expect(info.threeDimensional == 1 && info.withoutPosition == 2)
        #expect(text.contains("fixes: 1 with height, 1 without, 2 without position;"), "\(text)")
    }

    @Test(arguments: [(1_700_000_000.0, "1700000000.000 1700000001.000"), (-10, "-10.000 -9.000")])
    func timesAreThoseOfTheClockOfTheRecording(start: Double, times: String) throws {
        // GIVEN a recording whose clock counts from 1970, and one that ends before the zero of its clock WHEN it is
        // shown THEN begin, end and rate are its own, with a blank between them
        let rows = [start, start + 0.5, start + 1].map { "\($0),3\n" }
        let folder = try TemporaryFolder(["wheel.csv": "t_s,speed_m_s\n" + rows.joined()])
        let text = try Self.text(folder).text
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("wheels 3 2.00 \(times) 0 0.500 problems:"), "\(text)")
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 80 })
    }

    @Test func aBrokenRecordingShowsWhatComesBeforeTheProblem() throws {
        // GIVEN a recording that is cut within a line
        let folder = try TemporaryFolder(["imu.csv": Self.header + "0,0,0,0,0,0,9.8\n0.01,0,0,0,0,0,9.8\n0.02,0,0"])
        let (info, text) = try Self.text(folder)
        // THEN the rows before it are there but for the last, after which the reader looks
        #expect(!info.isComplete && info.sensors[.imu]?.count == 1)
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("imu.csv:4: the line has 3 fields, the header 7"))
        #expect(words.contains("no gps: the pose has no position"))
    }
}
