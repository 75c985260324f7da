import BoundedJSON
import Foundation
import Testing

@testable import Batch

/// Manifests, trends and the tables of a fleet.
@Suite struct FleetTests {
    @Test func aManifestReadsBackAndPartsCoverAllTasks() throws {
        // GIVEN recordings of two vehicles, two of them with the same name
        let manifest = BatchManifest(["/d/bus1/a.mcap", "/d/bus2/a.mcap", "/d/bus2/drive"], options: ["--smooth"])
        #expect(manifest.tasks.map(\.name) == ["a", "a-2", "drive"])
        #expect(manifest.tasks.map(\.vehicle) == ["bus1", "bus2", "bus2"])
        // WHEN it is written and read THEN it is the same
        let path = NSTemporaryDirectory() + "posed-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try manifest.write(to: path)
        #expect(try BatchManifest(path: path) == manifest)
        // THEN the parts of any division have each task once
        for total in 1...5 {
            #expect((0..<total).flatMap { manifest.part($0, of: total) }.sorted() == [0, 1, 2])
        }
        #expect(manifest.part(5, of: 5) == [] && manifest.part(-1, of: 3) == [])
    }

    @Test func aHostileManifestIsRefused() throws {
        // GIVEN texts that are no manifest, or whose names lead elsewhere WHEN they are read THEN each is refused
        let path = NSTemporaryDirectory() + "posed-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let head = "{\"options\":[],\"tasks\":[{\"recording\":\"/x\",\"vehicle\":\"v\",\"name\":"
        for text in ["", "[]", "{\"options\":[]}", "\(head)\"../../etc/x\"}]}", "\(head)\"\"}]}", "\(head)7}]}"] {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: BatchManifest.Failure.self) { try BatchManifest(path: path) }
        }
    }

    @Test(arguments: [(7, true), (8, false)]) func aManifestIsNestedUpTo8Deep(lists: Int, isRead: Bool) throws {
        // GIVEN a manifest with lists in each other, within its object
        let path = NSTemporaryDirectory() + "posed-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let deep = String(repeating: "[", count: lists) + String(repeating: "]", count: lists)
        try "{\"options\":[],\"tasks\":[],\"x\":\(deep)}".write(toFile: path, atomically: false, encoding: .utf8)
        // THEN eight levels are read
        #expect(((try? BatchManifest(path: path)) != nil) == isRead)
    }

    @Test func aTrendIsThatOfALine() throws {
        // GIVEN values on a line with an alternating error of 0.1 THEN slope and mean are those of the line
        let points = (0..<10).map { index -> (time: Double, value: Double) in
            let error = index % 2 == 0 ? 0.1 : -0.1
            return (Double(index), 5 + 0.5 * Double(index) + error)
        }
        let trend = try #require(Trend(points))
        #expect(abs(trend.mean - 7.25) < 1e-9)
        // The alternation turns the line by less than its sigma.
        let (slope, sigma) = (try #require(trend.slope), try #require(trend.slopeSigma))
        #expect(abs(slope - 0.5) < sigma && sigma < 0.02 && trend.isDrifting)
        // GIVEN noise without a slope, or too few values THEN nothing drifts
        #expect(Trend([(0, 1), (1, 1.1), (2, 0.9), (3, 1.05)])?.isDrifting == false)
        #expect(Trend([(0, 1), (1, 2)])?.slope == nil && Trend([(0, 1), (0, 2), (0, 3)])?.slope == nil)
        #expect(Trend([]) == nil && Trend([(.nan, 1)]) == nil)
    }

    /// The figures of a drive in one week.
    private func figures(week: Int, yaw: Double, bad: Int) throws -> JSONValue {
        try JSONDocument(
            """
            {"begin_utc_s":\(Double(week) * 604_800),"duration_s":3600,"length_m":50000,
            "pose":{"state_share":{"aligned":0.9}},"fixes":{"refused":3},"wheel_scale":1.01,
            "mount":{"rpy_deg":[1,2,\(yaw)]},"imu_faults":["gyroClipped"],
            "findings":[{"severity":"problem","text":"the mount moves"},{"severity":"hint","text":"x"}],
            "guidance":{"on_route_s":1800,"off_route_s":360,"departures":2},
            "places":{"cell_deg":0.001,"cells":[[42500,1500,10,\(bad)],[-1,-1,4,4],[9e9,0,5,5]]}}
            """
        ).root
    }

    @Test func aMountThatMovesIsTold() throws {
        // GIVEN a vehicle whose mount turns by half a degree per week, and one that stays
        var fleet = FleetTable()
        for week in 0..<6 {
            fleet.add(try figures(week: 2800 + week, yaw: 66 + 0.5 * Double(week), bad: 8), vehicle: "bus1")
            fleet.add(try figures(week: 2800 + week, yaw: 10 + (week % 2 == 0 ? 0.1 : -0.1), bad: 0), vehicle: "bus,2")
        }
        // THEN the table has a row for each, and tells which one drifts
        let rows = fleet.csv.split(separator: "\r\n").map(String.init)
        #expect(rows.count == 3 && rows[2].hasPrefix("bus1,6,6.00,300.0,5.40,18,3.00,0.60,12,"), "\(rows)")
        #expect(rows[1].hasPrefix("\"bus,2\",6,"))
        #expect(
            fleet.report.contains("mount_yaw_deg: 67.25, scatter 0.00; DRIFTS by 0.500 per week"), "\(fleet.report)")
        #expect(fleet.report.components(separatedBy: "DRIFTS").count == 2)
        #expect(
            fleet.report.contains("IMU: gyroClipped on 6 drives") && fleet.report.contains("6 times: the mount moves"))
        // THEN the map has the cell with enough fixes of both, and no impossible one
        let root = try JSONDocument(fleet.geoJSON).root
        let features = try #require(root["features"]).elements.map { $0 }
        #expect(features.count == 2)
        let places = features.map { $0["properties"]?["bad_share"]?.double }
        #expect(places == [1, 0.4])
        let corner = features[1]["geometry"]?["coordinates"]?[0]?[0]
        #expect(corner?[0]?.double == 1.5 && corner?[1]?.double == 42.5)
        #expect(features[1]["properties"]?["vehicles"]?.int == 2)
    }

    @Test func aMountAtTheEndOfTheRangeDoesNotScatter() throws {
        // GIVEN a vehicle whose IMU looks backwards, so that the yaw is 179.9 or -179.9 degrees
        var fleet = FleetTable()
        for week in 0..<6 {
            fleet.add(try figures(week: 2800 + week, yaw: week % 2 == 0 ? 179.9 : -179.9, bad: 0), vehicle: "bus")
        }
        // THEN the mean is there, and the scatter is that of the values: 0.1 around it, and two lost for the line
        let row = fleet.report.split(separator: "\n").first { $0.contains("mount_yaw_deg") } ?? ""
        #expect(row.hasPrefix("- mount_yaw_deg: 180.00, scatter 0.12") && !row.contains("DRIFTS"), "\(row)")
    }

    @Test func hostileCountsOfPlacesDoNotTrap() throws {
        // GIVEN figures that name one cell many times, with the largest counts
        let cells = Array(repeating: "[1,1,100000000,100000000]", count: 2000).joined(separator: ",")
        var fleet = FleetTable()
        fleet.add(
            try JSONDocument("{\"places\":{\"cells\":[[2,2,9,1],\(cells)]}}").root, vehicle: "bus")
        // THEN the map is made, the worst cell first
        let features = try #require(try JSONDocument(fleet.geoJSON).root["features"]).elements.map { $0 }
        #expect(features.map { $0["properties"]?["bad_share"]?.double } == [1, 0.111])
    }
}
