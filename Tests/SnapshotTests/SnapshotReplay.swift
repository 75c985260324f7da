import Engine
import Foundation
import Fusion
import Geodesy
import Guidance
import Measurements
import PoseMath
import Recording
import RoadData
import Testing

/// One replay whose results are kept: settings, a route or none, and events.
struct SnapshotReplay: Sendable, CustomTestStringConvertible {
    /// Gives a consumer the events in order of their arrival.
    typealias Events = @Sendable (_ take: (SensorEvent) -> Void) throws -> Void

    /// Of the file.
    let name: String
    /// From line to line, seconds.
    var periodSeconds = 1
    /// What the sensors are mounted on.
    var profile = MotionProfile.vehicle
    /// The route that is followed from the start; `nil`: none.
    var route: (@Sendable () throws -> Route)?
    /// What the sensors tell.
    let events: Events

    var testDescription: String { name }

    /// Runs the engine as a replay of `posectl` does, and gives the lines.
    func run() throws -> [String] {
        var settings = EngineSettings()
        settings.fusion.profile = profile
        var engine = Engine(settings: settings)
        if let route { engine.setRoute(try route(), version: 1) }
        var snapshot = SnapshotLines(periodSeconds: periodSeconds)
        try events { event in
            if engine.ingest(event) { snapshot.note(engine.frame) }
        }
        return snapshot.lines
    }
}

extension SnapshotReplay {
    /// The recordings beside the package; `nil` where they are absent.
    static let recordings: String? = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../shared/data"
        ).standardizedFileURL.path
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }()

    /// The replays of recordings.
    static let recorded: [SnapshotReplay] = [
        SnapshotReplay(name: "drive", events: recording("car_drive", fixes: { number, _ in number % 4 == 0 })),
        SnapshotReplay(
            name: "drive-outages",
            events: recording("car_drive") { number, seconds in number % 4 == 0 && !isOutage(seconds) }),
        SnapshotReplay(name: "walk", profile: .wearable, events: recording("handheld_walk")),
        trial("15_undisturbed_fast_translation_A"),
        trial("21_undisturbed_fast_combined"),
        trial("24_disturbed_tapping_A"),
        SnapshotReplay(
            name: "route-drive", periodSeconds: 10,
            route: {
                try RouteFile.read(path: (Self.recordings ?? "") + "/route_drive/route.geojson").route
            }, events: recording("route_drive")),
    ]

    private static func trial(_ folder: String) -> SnapshotReplay {
        SnapshotReplay(
            name: "orientation-" + folder.prefix(2), profile: .wearable, events: recording("orientation/" + folder))
    }

    /// Half a minute of every 90 s without fixes, from 75 s on.
    private static func isOutage(_ seconds: Double) -> Bool {
        seconds > 75 && (seconds - 75).truncatingRemainder(dividingBy: 90) <= 30
    }

    /// The events of a recording; of its fixes, those that are wanted by number and time of validity.
    private static func recording(
        _ folder: String, fixes: @escaping @Sendable (Int, Double) -> Bool = { _, _ in true }
    ) -> Events {
        { take in
            var reader = try RecordingReader(folder: (recordings ?? "") + "/" + folder)
            var number = 0
            while let event = try reader.next() {
                if case .gnss(let fix) = event {
                    defer { number += 1 }
                    guard fixes(number, fix.validityTime.seconds) else { continue }
                }
                take(event)
            }
        }
    }
}
