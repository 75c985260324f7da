import Foundation
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
            #expect(fix.climbMetersPerSecond == 0.02)
            // The heights of the data set are above the sea; the geoid is 48 m above the ellipsoid there.
            #expect(fix.altitudeMeanSeaMeters == 116.4 && fix.geoidSeparationMeters == 48)
            #expect(fix.altitudeEllipsoidMeters == 116.4 + 48)
            #expect(fix.horizontalSigmaMeters == 0.5 && fix.speedSigmaMetersPerSecond == 0.05)
            #expect(fix.satellitesUsed == 10 && fix.utcNanoseconds == nil)
        }
    }

    @Test func aDriveInOrderHasNoNote() throws {
        // GIVEN a drive whose times go forward WHEN it is read THEN nothing is said to be left out
        let folder = try Self.drive([Self.row, Self.row])
        let reader = try Conversion.open(folder.path, .kitti)
        #expect(try events(reader).count == 4 && reader.notes.isEmpty)
    }

    @Test func aRowAsTheDataSetHasItIsRead() throws {
        // GIVEN a row with the digits, the exponents and the order of the data set: north and east before forward,
        // left and up; gravity in the acceleration; accuracies, state, satellites and three modes at the end
        let row =
            "48.025004921272 9.1342971012335 212.41032836914 0.031752 0.00813 -2.6087000000000 -6.553548618429 "
            + "-11.111300576705 12.900000000000 -0.11475264293164 -0.031919903047354 -0.34519814607457 "
            + "3.2957369847256e-02 10.109865300506 -0.24030092211055 -0.21686915378551 10.109117821189 "
            + "8.0951755733632e-03 -0.013140741253985 -0.027909034508194 0.0079018002187228 -0.012495299354602 "
            + "-0.028809330937153 0.037658633371879 0.022727922061358 4 11 6 6 6"
        let folder = try Self.drive([row, row], times: "2011-09-26 13:02:25.964389445\n2011-09-26 13:02:26.074389445")
        // WHEN it is read
        let all = try events(folder.path, .kitti)
        #expect(all.count == 4 && all.last?.arrivalTime.nanoseconds == 110_000_000)
        // THEN course and speed of north and east are those of the forward velocity and the heading
        let (sample, fix) = (all.samples[0], all.fixes[0])
        let velocity = try #require(fix.horizontalVelocity)
        #expect(abs(velocity.speedMetersPerSecond - 12.9) < 1e-9)
        let heading = atan2(velocity.northMetersPerSecond, velocity.eastMetersPerSecond)
        #expect(abs(heading - -2.6087) < 1e-9)
        #expect(fix.climbMetersPerSecond == -0.031919903047354 && fix.satellitesUsed == 11)
        #expect(fix.horizontalSigmaMeters == 0.037658633371879 && fix.speedSigmaMetersPerSecond == 0.022727922061358)
        #expect(sample.specificForceMetersPerSecondSquared.z == 10.109865300506)
        #expect(sample.specificForceMetersPerSecondSquared.y == 0.032957369847256)
        #expect(sample.angularRateRadiansPerSecond.x == 0.0080951755733632)
    }

    @Test func rowsWhoseTimeGoesBackAreLeftOut() throws {
        // GIVEN four rows, of which the third is earlier than the second, and the fourth equal to it
        let stamps = ["20", "22", "21", "22", "23"].map { "2011-09-26 13:02:\($0)\n" }.joined()
        let folder = try Self.drive(Array(repeating: Self.row, count: 5), times: stamps)
        // WHEN they are read THEN the others are used, and those are counted
        let reader = try Conversion.open(folder.path, .kitti)
        #expect(try events(reader).fixes.map(\.validityTime.seconds) == [0, 2, 3])
        #expect(reader.notes == ["2 rows whose time does not go forward, as in some unsynchronised drives"])
    }

    @Test(
        arguments: [
            (["1 2 3"], nil, "data/0000000000.txt:1: has 3 numbers, not 30"),
            ([row.replacingOccurrences(of: "116.4", with: "up")], nil, "number 3 is not a decimal number"),
            ([row.replacingOccurrences(of: "116.4", with: "1e300")], nil, "the position is out of range"),
            ([row.replacingOccurrences(of: " 9.75", with: " 1e9")], nil, "the acceleration is out of range"),
            ([row], "yesterday\n", "timestamps.txt:1: is not a time"),
            ([row], "2011-09-26 13:02:20\n2011-09-26 13:02:21\n", "data/0000000001.txt: is missing or empty"),
        ] as [([String], String?, String)])
    func brokenDrivesNameTheFile(_ rows: [String], _ times: String?, _ expected: String) throws {
        let folder = try Self.drive(rows, times: times)
        let error = #expect(throws: RecordingError.self) { try events(folder.path, .kitti) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }
}
