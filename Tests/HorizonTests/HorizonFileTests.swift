import Foundation
import Frames
import Guidance
import RoadData
import RoadMaps
import Testing

@testable import Horizon

/// What is read of files of roads and of points, when, and what the log tells of it.
@Suite struct HorizonFileTests {
    private static func settings(roads: String? = nil, points: String? = nil) -> HorizonSettings {
        var settings = HorizonSettings()
        (settings.roadFile, settings.pointFile) = (roads, points)
        return settings
    }

    /// So many roads, the first of them at the origin of the routes.
    private static func map(roads: Int) -> MapWriter {
        var map = MapWriter()
        for road in 0..<roads {
            let (first, longitude) = (Int64(2 * road + 1), 8.5 + 0.01 * Double(road))
            map.node(first, 47.5, longitude)
            map.node(first + 1, 47.501, longitude)
            map.way(Int64(road + 1), [first, first + 1])
        }
        return map
    }

    /// A folder with a file of so many roads.
    private static func folder(roads: Int) throws -> ImportFolder {
        let folder = ImportFolder()
        _ = try folder.roads(map(roads: roads))
        return folder
    }

    @Test func aFileOfRoadsIsReadOnceAndStaysWhileTheNextOneFails() throws {
        let folders = [try Self.folder(roads: 2), try Self.folder(roads: 3)]
        defer { withExtendedLifetime(folders) {} }
        let files = folders.map { "\($0.path)/roads.posed" }
        let run = WorkerRun()
        // GIVEN a file of roads THEN it is in use, and is not read again when other settings come
        var worker = try run.wake { $0.start(Self.settings(roads: files[0])) }
        #expect(worker.roads.inUse == files[0] && worker.roads.holds == "2 road segments")
        worker = try run.wake { worker in
            var settings = Self.settings(roads: files[0])
            settings.targetNearMeters = 30
            worker.use(settings)
        }
        #expect(run.log == ["notice: roads from \(files[0]): 2 road segments"])
        // AND another one replaces it, and one that is not there leaves it in use, with the problem
        worker = try run.wake { $0.use(Self.settings(roads: files[1])) }
        #expect(worker.roads.inUse == files[1] && worker.roads.holds == "3 road segments")
        worker = try run.wake { $0.use(Self.settings(roads: files[1] + "x")) }
        #expect(worker.roads.inUse == files[1] && worker.roads.problem != nil)
        // AND without a file there are none
        worker = try run.wake { $0.use(Self.settings()) }
        #expect(worker.roads.inUse == nil && worker.roads.problem == nil)
        let levels = run.log.map { $0.prefix { $0 != ":" } }
        #expect(levels == ["notice", "notice", "error"])
    }

    @Test func filesThatFailedAreTriedAgainWithTheSameSettings() throws {
        let (folder, other) = (try Self.folder(roads: 2), try Self.folder(roads: 3))
        defer { withExtendedLifetime((folder, other)) {} }
        let point = "id;name;lat;lon\na;a;47.5;8.5"
        let first = Self.settings(
            roads: "\(folder.path)/roads.posed", points: folder.write(Array(point.utf8), to: "points.csv"))
        let later = Self.settings(roads: "\(folder.path)/later.posed", points: "\(folder.path)/later.csv")
        let run = WorkerRun()
        // GIVEN files in use, and settings of others that are not there
        _ = try run.wake { $0.start(first) }
        var worker = try run.wake { $0.use(later) }
        #expect(worker.roads.inUse == first.roadFile && worker.roads.problem != nil)
        #expect(worker.points.inUse == first.pointFile && worker.points.problem != nil)
        // WHEN these are there and the same settings come again THEN they are in use
        folder.write(other.read("roads.posed"), to: "later.posed")
        folder.write(Array("\(point)\nb;b;47.6;8.5".utf8), to: "later.csv")
        worker = try run.wake { $0.use(later) }
        #expect(worker.roads.inUse == later.roadFile && worker.roads.holds == "3 road segments")
        #expect(worker.points.inUse == later.pointFile && worker.points.holds == "2 points of interest")
        #expect(worker.roads.problem == nil && worker.points.problem == nil && worker.pointSetVersion == 2)
        // AND are not read again
        worker = try run.wake { $0.use(later) }
        #expect(worker.pointSetVersion == 2)
        let levels = run.log.map { String($0.prefix { $0 != ":" }) }
        #expect(levels == ["notice", "notice", "error", "error", "notice", "notice"])
    }

    @Test func filesThatWereReplacedAtTheirPathsAreReadAgain() throws {
        // GIVEN files in use
        let folder = try Self.folder(roads: 2)
        defer { withExtendedLifetime(folder) {} }
        let rows = ["id;name;lat;lon", "a;a;47.5;8.5", "b;b;47.6;8.5"]
        func points(_ count: Int) -> String {
            folder.write(Array(rows.prefix(count + 1).joined(separator: "\n").utf8), to: "points.csv")
        }
        let settings = Self.settings(roads: "\(folder.path)/roads.posed", points: points(1))
        let run = WorkerRun()
        var worker = try run.wake { $0.start(settings) }
        #expect(worker.roads.holds == "2 road segments" && worker.points.holds == "1 points of interest")
        // WHEN others are at the same paths and the same settings come THEN these are in use
        _ = try folder.roads(Self.map(roads: 3))
        _ = points(2)
        worker = try run.wake { $0.use(settings) }
        #expect(worker.roads.holds == "3 road segments" && worker.points.holds == "2 points of interest")
        #expect(worker.pointSetVersion == 2)
        // AND stay in use when there are none any more
        #expect(unlink("\(folder.path)/roads.posed") == 0 && unlink("\(folder.path)/points.csv") == 0)
        worker = try run.wake { $0.use(settings) }
        #expect(worker.roads.inUse == settings.roadFile && worker.roads.holds == "3 road segments")
        #expect(worker.roads.problem == nil && worker.points.problem == nil && worker.pointSetVersion == 2)
        #expect(run.log.map { $0.prefix { $0 != ":" } } == ["notice", "notice", "notice", "notice"])
    }

    @Test func filesThatAreCutOffWhileInUseAreDropped() throws {
        // GIVEN a file of roads and a file of points in use, beside the vehicle
        let folder = try Self.folder(roads: 500)
        defer { withExtendedLifetime(folder) {} }
        let source = folder.write(Array("name;lat;lon\nA;47.5;8.5".utf8), to: "points.csv")
        let settings = Self.settings(roads: "\(folder.path)/roads.posed", points: "\(folder.path)/points.posed")
        let importPoints = { try PointImport().run(from: source, to: "\(folder.path)/points.posed") }
        _ = try importPoints()
        let (run, frame) = (WorkerRun(), ElectronicHorizonTests.pose(0))
        var worker = try run.wake([frame]) { $0.start(settings) }
        #expect(run.limitSources == [.roadClass] && worker.shown.map(\.fields.title) == ["A"])
        // WHEN another program cuts them off THEN the next answer is one without them, and the problem says why
        for file in ["roads", "points"] { #expect(truncate("\(folder.path)/\(file).posed", 0) == 0) }
        worker = try run.wake([frame]) { $0.show(categories: []) }
        #expect(run.limitSources == [.roadClass, .none] && worker.shown.isEmpty && worker.rounds == 2)
        for (state, name) in [(worker.roads, "roads"), (worker.points, "points")] {
            let place = "\(folder.path)/\(name).posed: was changed in place while in use"
            #expect(state.inUse == nil && state.holds.isEmpty && state.problem?.hasPrefix(place) == true)
            #expect(run.log.contains { $0.hasPrefix("error: \(name) no longer in use: \(place)") })
        }
        // AND when whole files are there and the same settings come, they are in use again
        _ = try folder.roads(Self.map(roads: 3))
        _ = try importPoints()
        worker = try run.wake([frame]) { $0.use(settings) }
        #expect(run.limitSources == [.roadClass, .none, .roadClass] && worker.shown.map(\.fields.title) == ["A"])
        #expect(worker.roads.problem == nil && worker.points.problem == nil)
    }

    @Test(arguments: [(47.5, []), (95.0, ["warning"])] as [(Double, [String])])
    func recordsThatAreSkippedAreToldInTheLog(latitude: Double, told: [String]) throws {
        // GIVEN a file of two points, of which the second one has a latitude that is one, or none
        let folder = ImportFolder()
        let text = "id;name;lat;lon\na;a;47.5;8.5\nb;b;\(latitude);8.6"
        let file = folder.write(Array(text.utf8), to: "points.csv")
        // WHEN it is read THEN the log tells how many there are, and a warning how many were skipped, if any
        let run = WorkerRun()
        let worker = try run.wake { $0.start(Self.settings(points: file)) }
        let count = 2 - told.count
        #expect(worker.points.inUse == file && worker.points.holds == "\(count) points of interest")
        #expect(run.log.first == "notice: points from \(file): \(count) points of interest")
        #expect(run.log.dropFirst().map { $0.prefix { $0 != ":" } } == told.map { $0[...] })
        #expect(run.log.dropFirst().allSatisfy { $0.contains("1 records skipped: ") })
    }
}
