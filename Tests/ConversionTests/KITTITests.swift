import Measurements
import PoseMath
import Recording
import Testing

@testable import Conversion

/// Drives of the KITTI data set.
@Suite struct KITTITests {
    private static let row =
        "49.015 8.434 116.4 0.03 0.01 -1.2 -3.5 5.25 6.3 0.01 0.02 0.5 -0.25 9.75 0.5 -0.2 9.7 0.01 0.02 -0.03 0.01 "
        + "0.02 -0.03 0.5 0.05 4 10 4 4 0"

    private static func drive(_ rows: [String], times: String? = nil) throws -> TemporaryFolder {
        let stamps = rows.indices.map { "2011-09-26 13:02:2\($0).500000000\n" }.joined()
        let folder = try TemporaryFolder(["oxts/timestamps.txt": times ?? stamps])
        for (index, row) in rows.enumerated() { try folder.write(row + "\n", to: "oxts/data/000000000\(index).txt") }
        return folder
    }

    @Test func eachRowIsAReadingAndAFix() throws {
        // GIVEN a drive of three rows, of which the second has no data
        let folder = try Self.drive(
            [Self.row, "", Self.row],
            times: "2011-09-26 13:02:20.5\n\n2011-09-26 13:02:20.700000001\n")
        #expect(try InputFormat.detect(path: folder.path) == .kitti)
        #expect(try InputFormat.detect(path: folder.path + "/oxts") == .kitti)
        for path in [folder.path, folder.path + "/oxts"] {
            // WHEN it is read THEN there are two of each, in turn, with the values of the format's page
            let all = try events(path, .kitti)
            #expect(all.count == 4 && all.map(\.arrivalTime.nanoseconds) == [0, 0, 200_000_001, 200_000_001])
            let (sample, fix) = (all.samples[1], all.fixes[1])
            #expect(sample.specificForceMetersPerSecondSquared == Vector3(0.5, -0.25, 9.75))
            #expect(sample.angularRateRadiansPerSecond == Vector3(0.01, 0.02, -0.03))
            #expect(fix.latitudeRadians == 49.015.degreesInRadians && fix.longitudeRadians == 8.434.degreesInRadians)
            #expect(fix.horizontalVelocity == HorizontalVelocity(eastMetersPerSecond: 5.25, northMetersPerSecond: -3.5))
            #expect(fix.climbMetersPerSecond == 0.02 && fix.altitudeEllipsoidMeters == 116.4)
            #expect(fix.horizontalSigmaMeters == 0.5 && fix.speedSigmaMetersPerSecond == 0.05)
            #expect(fix.satellitesUsed == 10 && fix.utcNanoseconds == nil)
        }
    }

    @Test(
        arguments: [
            (["1 2 3"], nil, "data/0000000000.txt:1: has 3 numbers, not 30"),
            ([row.replacingOccurrences(of: "116.4", with: "up")], nil, "number 3 is not a decimal number"),
            ([row.replacingOccurrences(of: "116.4", with: "1e300")], nil, "the position is out of range"),
            ([row.replacingOccurrences(of: " 9.75", with: " 1e9")], nil, "the acceleration is out of range"),
            (
                [row, row], "2011-09-26 13:02:20\n2011-09-26 13:02:19\n",
                "timestamps.txt:2: the time does not go forward"
            ),
            ([row], "yesterday\n", "timestamps.txt:1: is not a time"),
            ([row], "2011-09-26 13:02:20\n2011-09-26 13:02:21\n", "data/0000000001.txt: is missing or empty"),
        ] as [([String], String?, String)])
    func brokenDrivesNameTheFile(_ rows: [String], _ times: String?, _ expected: String) throws {
        let folder = try Self.drive(rows, times: times)
        let error = #expect(throws: RecordingError.self) { try events(folder.path, .kitti) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }
}
