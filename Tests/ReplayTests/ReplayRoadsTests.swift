import Foundation
import RoadData
import Testing

@testable import Replay

enum AndorraExtract {
    /// The extract of Andorra, if present.
    static let path: String? = {
        var candidate = URL(fileURLWithPath: #filePath)
        while candidate.path != "/" {
            candidate.deleteLastPathComponent()
            let file = candidate.deletingLastPathComponent().appendingPathComponent("shared/data/osm/andorra.osm.pbf")
                .path
            if FileManager.default.fileExists(atPath: file) { return file }
        }
        return nil
    }()
}

/// A replay with a road file.
@Suite(.enabled(if: AndorraExtract.path != nil, "the extract of OpenStreetMap is not beside the package"))
struct ReplayRoadsTests {
    /// Fixes along the road, one second and a twelfth of the road apart.
    private static func fixesAlongTheRoad() -> String {
        let (from, to) = ((latitude: 42.5279219, longitude: 1.5693149), (latitude: 42.5270023, longitude: 1.5678928))
        var fixes =
            "t_s,arrival_s,lat_deg,lon_deg,alt_hae_m,vel_n_m_s,vel_e_m_s,vel_d_m_s,eph_m,epv_m,sacc_m_s,mode,rtk\n"
        for step in 0...11 {
            let part = Double(step) / 12
            let latitude = from.latitude + part * (to.latitude - from.latitude)
            let longitude = from.longitude + part * (to.longitude - from.longitude)
            fixes += "\(step),\(Double(step) + 0.05),\(latitude),\(longitude),1100,-8.5,-9.7,0,2,4,0.3,3,0\n"
        }
        return fixes
    }

    @Test func limitsAreThoseOfTheRoadAndTheBytesTheSame() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "posed-replay-roads-\(UUID().uuidString)"
        ).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // GIVEN a recording of fixes along 150 m of a road in Andorra that a sign limits to 80 km/h, and a file of its
        // roads
        try Self.fixesAlongTheRoad().write(toFile: folder + "/gnss.csv", atomically: false, encoding: .utf8)
        _ = try RoadImport(country: "AD").run(from: try #require(AndorraExtract.path), to: folder + "/roads.posed")
        var replay = Replay(recording: folder)
        let output = folder + "/frames.ndjson"
        func sources() throws -> [String] {
            try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map { line in
                let root = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let speed = try #require(root["speed"] as? [String: Any])
                return
                    "\(speed["limit_source"] as? String ?? "") "
                    + "\(((speed["limit_m_s"] as? Double ?? 0) * 3.6).rounded())"
            }
        }
        // WHEN it is replayed without the file THEN the stand-in limits; with it THEN the road, and each time to the
        // same bytes
        _ = try replay.run(writingTo: output)
        #expect(try sources().last == "fallback 50.0")
        replay.horizon.roadFile = folder + "/roads.posed"
        _ = try replay.run(writingTo: output)
        let found = try sources()
        #expect(found.last == "road 80.0", "\(found)")
        let first = try Data(contentsOf: URL(fileURLWithPath: output))
        _ = try replay.run(writingTo: output)
        #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == first)
        // WHEN the file is none THEN that is said, and the old frames stay
        replay.horizon.roadFile = folder + "/gnss.csv"
        let failure = #expect(throws: Replay.Failure.self) { try replay.run(writingTo: output) }
        #expect(failure?.description.contains("gnss.csv") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == first)
    }
}
