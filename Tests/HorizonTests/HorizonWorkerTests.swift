import Foundation
import Frames
import Geodesy
import Guidance
import PoseMath
import Scene
import Testing

@testable import Horizon

/// The thread that reads files and answers the questions of the engine.
@Suite struct HorizonWorkerTests {
    private static func settings(points: String? = nil) -> HorizonSettings {
        var settings = HorizonSettings()
        settings.pointFile = points
        return settings
    }

    @Test func aFileOfPointsIsReadWhenItIsAnotherOne() throws {
        let folder = try ShownPointTests.Folder()
        let first = try folder.points(ShownPointTests.rows, to: "first.csv")
        let second = try folder.points(Array(ShownPointTests.rows.prefix(2)), to: "second.csv")
        let run = WorkerRun()
        // GIVEN a file of points THEN the first set is in use, and stays when the same settings come again
        var worker = try run.wake { $0.start(Self.settings(points: first)) }
        #expect(worker.points.inUse == first && worker.points.holds == "4 points of interest")
        #expect(worker.pointSetVersion == 1 && worker.points.problem == nil)
        worker = try run.wake { $0.use(Self.settings(points: first)) }
        #expect(worker.pointSetVersion == 1)
        // AND another file is the second set; one that is not there leaves it in use, with the problem
        worker = try run.wake { $0.use(Self.settings(points: second)) }
        #expect(worker.points.inUse == second && worker.pointSetVersion == 2)
        worker = try run.wake { $0.use(Self.settings(points: second + "x")) }
        #expect(worker.points.inUse == second && worker.points.holds == "2 points of interest")
        #expect(worker.points.problem?.contains("No such file") == true && worker.pointSetVersion == 2)
        // AND without a file there are none
        worker = try run.wake { $0.use(Self.settings()) }
        #expect(worker.points.inUse == nil && worker.points.holds.isEmpty && worker.points.problem == nil)
    }

    @Test func aFileOfRoadsThatIsNoneHasItsProblem() throws {
        let folder = try ShownPointTests.Folder()
        let run = WorkerRun()
        var settings = HorizonSettings()
        settings.roadFile = try folder.points(ShownPointTests.rows, to: "points.csv")
        var worker = try run.wake { $0.start(settings) }
        #expect(worker.roads.inUse == nil && worker.roads.problem?.contains("not a data file of posed") == true)
        worker = try run.wake { $0.use(HorizonSettings()) }
        #expect(worker.roads.problem == nil)
    }

    @Test func everyQuestionIsAnsweredInItsOrder() throws {
        let folder = try ShownPointTests.Folder()
        let run = WorkerRun()
        var worker = try run.wake { [path = try folder.points(ShownPointTests.rows, to: "p.csv")] in
            $0.start(Self.settings(points: path))
        }
        #expect(worker.rounds == 0 && worker.content == nil && worker.shown.isEmpty)
        // GIVEN three questions, one of them without a position THEN the others are answered, each with the route of
        // its version; the content is that of the last one
        var frames = [0.0, 20, 290].enumerated().map { index, meters in
            var frame = ElectronicHorizonTests.pose(meters, version: UInt32(index) + 7)
            frame.timeNanoseconds = Int64(index + 1) * 1_000_000_000
            return frame
        }
        frames[1].pose.latitudeRadians = nil
        worker = try run.wake(frames) { $0.show(categories: ["bar", "zoo"]) }
        #expect(run.times == [1_000_000_000, 3_000_000_000] && run.versions == [7, 8, 9])
        #expect(worker.rounds == 2 && worker.shown.map(\.fields.title) == ["middle", "near", "out"])
        #expect(worker.content?.pointsOfInterestTotal == 3)
        // AND of other settings the categories stay
        worker = try run.wake([frames[0]]) { [path = folder.url.appendingPathComponent("p.csv").path] in
            var settings = Self.settings(points: path)
            (settings.pointRadiusMeters, settings.pointCount) = (500, 1)
            $0.use(settings)
        }
        #expect(worker.rounds == 3 && worker.shown.map(\.fields.title) == ["near"])
        #expect(worker.content?.pointsOfInterestTotal == 2)
    }

    @Test func theSameSettingsAgainLeaveTheContent() throws {
        // GIVEN a content WHEN the same settings come again THEN the same pose has the same content, of other settings
        // it has another one
        let folder = try ShownPointTests.Folder()
        defer { withExtendedLifetime(folder) {} }
        let settings = Self.settings(points: try folder.points(ShownPointTests.rows, to: "p.csv"))
        let frames = [ElectronicHorizonTests.pose(0)]
        let run = WorkerRun()
        var worker = try run.wake(frames) { $0.start(settings) }
        let content = try #require(worker.content)
        worker = try run.wake(frames) { $0.use(settings) }
        #expect(worker.rounds == 2 && worker.content === content)
        // AND so it has while the file is replaced by one that cannot be read
        _ = try folder.write(Data("none".utf8), to: "p.csv")
        worker = try run.wake(frames) { $0.use(settings) }
        #expect(worker.points.problem != nil && worker.rounds == 3 && worker.content === content)
        worker = try run.wake(frames) { worker in
            var other = settings
            other.pointCount = 1
            worker.use(other)
        }
        #expect(worker.rounds == 4 && worker.content !== content)
    }

    @Test func theLatestSixteenEventsOfTheTargetAreKept() throws {
        let run = WorkerRun()
        _ = try run.wake { $0.start(HorizonSettings()) }
        // GIVEN nine times near the target and far from it WHEN nobody took the events THEN the oldest two are dropped
        let frames = (0..<18).map { second in
            var frame = ElectronicHorizonTests.pose(second % 2 == 0 ? 0 : 200)
            frame.timeNanoseconds = Int64(second)
            return frame
        }
        let target = ElectronicHorizonTests.frame.position(ofENUMeters: .zero)
        let worker = try run.wake(frames) { $0.choose(targets: [target]) }
        let events = worker.takeTargetChanges()
        #expect(events.map(\.timeNanoseconds) == Array(2..<18))
        #expect(events.first?.change == .target(number: 1, isNear: true))
        #expect(events.last?.change == .target(number: 1, isNear: false))
        #expect(worker.takeTargetChanges().isEmpty)
        // AND no target has no event
        let without = try run.wake([frames[0]]) { $0.choose(targets: []) }
        #expect(without.takeTargetChanges().isEmpty && without.rounds == 19)
        // AND is no longer a part of what is shown, though nothing else has changed
        #expect(without.content?.targets.isEmpty == true)
    }
}
