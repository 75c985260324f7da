import Foundation
import Geodesy
import Guidance
import PoseMath
import RoadData

/// The shared recordings, where present.
enum SharedData {
    /// The folder; `nil` if it does not exist.
    static let folder: URL? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var candidate = package
        for _ in 0..<3 {
            candidate.deleteLastPathComponent()
            let folder = candidate.appendingPathComponent("shared/data")
            if FileManager.default.fileExists(atPath: folder.path) { return folder }
        }
        return nil
    }()

    /// The OpenStreetMap extract; `nil` if it does not exist.
    static let extract: String? = {
        guard let path = folder?.appendingPathComponent("osm/andorra.osm.pbf").path,
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        return path
    }()

    /// One fix of a drive.
    struct Fix {
        var time: Double
        var place: GeodeticPosition
    }

    /// The fixes of a drive.
    static func fixes(of drive: String) throws -> [Fix] {
        guard let folder else { return [] }
        let text = try String(contentsOf: folder.appendingPathComponent("\(drive)/gnss.csv"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard fields.count >= 4, let time = fields[0], let latitude = fields[2], let longitude = fields[3] else {
                return nil
            }
            return Fix(time: time, place: GeodeticPosition(latitudeDegrees: latitude, longitudeDegrees: longitude))
        }
    }
}
