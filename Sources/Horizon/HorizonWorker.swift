import Frames
import Geodesy
import Glibc
import Guidance
import Logging
import Platform
import PoseMath
import RoadData
import Roads
import Scene
import Synchronization

/// The thread that may wait for the disk: it reads files of roads and works out what is around and ahead, a few times a
/// second.
///
/// The engine asks with a frame, and every question that its queue had room for is answered in its order; the answer
/// goes into the engine's queue of commands, the scene's content to the socket thread.
package final class HorizonWorker: Sendable {
    /// A file that is wanted: what came of it.
    package struct FileState: Sendable {
        /// The file in use; `nil`: none.
        package var inUse: String?
        /// What it holds, for people.
        package var holds = ""
        /// Why the one wanted last is not in use.
        package var problem: String?
    }

    private struct Inbox: Sendable {
        var settings: HorizonSettings?
        var categories: Set<String>?
        var target: GeodeticPosition??
    }

    private struct Outbox: Sendable {
        var content: SceneContent?
        var shown: [ShownPoint] = []
        var roads = FileState()
        var points = FileState()
        var pointSets: UInt32 = 0
        var rounds: UInt64 = 0
        var targetChanges: [Message.Event] = []
    }

    /// Changes of the target that may wait to be told; the oldest are lost, which takes a socket thread that stands
    /// still for many seconds.
    private static let mostTargetChanges = 16

    private let inbox = Mutex(Inbox())
    private let outbox = Mutex(Outbox())
    private let wakeUp: EventFD
    private let nextQuestion: @Sendable () -> Frame?
    private let route: @Sendable (UInt32) -> Route?
    private let thread = Mutex<WorkerThread?>(nil)
    private let publishSpeedHorizon: @Sendable (SpeedHorizon) -> Void
    private let log: Logger

    /// A thread that has not started.
    ///
    /// - Parameters:
    ///   - wakeUp: signalled when there is a question.
    ///   - nextQuestion: takes the next frame with which the engine asks what lies ahead.
    ///   - route: the route of a version, while the engine may follow it.
    ///   - publishSpeedHorizon: takes the answer.
    package init(
        log: Logger, wakeUp: EventFD, nextQuestion: @escaping @Sendable () -> Frame?,
        route: @escaping @Sendable (UInt32) -> Route?, publishSpeedHorizon: @escaping @Sendable (SpeedHorizon) -> Void
    ) {
        self.wakeUp = wakeUp
        self.nextQuestion = nextQuestion
        self.route = route
        self.publishSpeedHorizon = publishSpeedHorizon
        self.log = log
    }

    /// Starts the thread with settings; without a thread there are no surroundings, and the log says so.
    package func start(_ settings: HorizonSettings) {
        inbox.withLock { $0.settings = settings }
        let thread = WorkerThread(name: "surroundings") { [weak self] stop in self?.run(stop) }
        guard thread.start() else {
            return log.error("cannot create the horizon thread: no road data, no scene")
        }
        self.thread.withLock { $0 = thread }
        wakeUp.signal()
    }

    /// Ends the thread and returns when it has ended.
    package func stop() {
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.stop()
    }

    /// Takes other settings; files that are others are read.
    package func use(_ settings: HorizonSettings) {
        inbox.withLock { $0.settings = settings }
        wakeUp.signal()
    }

    /// Shows points of these categories alone; none: all.
    package func show(categories: Set<String>) {
        inbox.withLock { $0.categories = categories }
        wakeUp.signal()
    }

    /// Chooses a target, or none.
    package func choose(target: GeodeticPosition?) {
        inbox.withLock { $0.target = .some(target) }
        wakeUp.signal()
    }

    /// The points of interest that are shown, nearest first.
    package var shown: [ShownPoint] { outbox.withLock { $0.shown } }
    /// How the file of points is.
    package var points: FileState { outbox.withLock { $0.points } }
    /// Changes with every set of points that was read.
    package var pointSetVersion: UInt32 { outbox.withLock { $0.pointSets } }
    /// What there is to be seen.
    package var content: SceneContent? { outbox.withLock { $0.content } }
    /// How the file of roads is.
    package var roads: FileState { outbox.withLock { $0.roads } }
    /// The changes of the target since the last call.
    package func takeTargetChanges() -> [Message.Event] {
        outbox.withLock { outbox in
            defer { outbox.targetChanges.removeAll() }
            return outbox.targetChanges
        }
    }

    /// How often the surroundings were worked out.
    package var rounds: UInt64 { outbox.withLock { $0.rounds } }

    private func run(_ stop: StopSignal) {
        var worker = Loaded()
        while !stop.isRaised {
            _ = stop.wait(for: wakeUp.descriptor, seconds: 60)
            wakeUp.drain()
            let taken = inbox.withLock { inbox in
                defer { inbox = Inbox() }
                return inbox
            }
            if let settings = taken.settings { take(settings, &worker) }
            if let categories = taken.categories { worker.surroundings.pointQuery.categories = categories }
            if let target = taken.target { worker.surroundings.targetPlace = target }
            while !stop.isRaised, let frame = nextQuestion() { answer(frame, &worker.surroundings) }
        }
    }

    private func answer(_ frame: Frame, _ horizon: inout ElectronicHorizon) {
        guard let speedHorizon = horizon.answer(frame, route: route(frame.guidance.routeVersion)) else { return }
        publishSpeedHorizon(speedHorizon)
        let (content, shown, change) = (horizon.content, horizon.shown, horizon.targetChange)
        outbox.withLock { outbox in
            outbox.content = content
            outbox.shown = shown
            outbox.rounds += 1
            guard let change else { return }
            if outbox.targetChanges.count >= Self.mostTargetChanges { outbox.targetChanges.removeFirst() }
            outbox.targetChanges.append(change)
        }
    }

    /// What the thread keeps.
    private struct Loaded {
        var settings = HorizonSettings()
        var map: RoadMap?
        var points: PointMap?
        var surroundings = ElectronicHorizon(settings: HorizonSettings(), map: nil)
    }

    private func take(_ settings: HorizonSettings, _ loaded: inout Loaded) {
        if settings.roadFile == nil {
            loaded.map = nil
            outbox.withLock { $0.roads = FileState() }
        } else if settings.roadFile != loaded.settings.roadFile || loaded.map == nil, let path = settings.roadFile {
            read(path, &loaded)
        }
        if settings.pointFile == nil {
            loaded.points = nil
            outbox.withLock { $0.points = FileState() }
        } else if settings.pointFile != loaded.settings.pointFile || loaded.points == nil, let path = settings.pointFile
        {
            readPoints(path, &loaded)
        }
        loaded.settings = settings
        var query = loaded.surroundings.pointQuery
        (query.radiusMeters, query.count) = (settings.pointRadiusMeters, settings.pointCount)
        let before = loaded.surroundings
        loaded.surroundings = ElectronicHorizon(
            settings: settings, map: loaded.map, points: loaded.points, pointQuery: query)
        loaded.surroundings.keepTarget(of: before)
    }

    /// Reads points of interest; bad ones leave those before in use.
    private func readPoints(_ path: String, _ loaded: inout Loaded) {
        do throws(ImportProblem) {
            let (map, report) = try PointImport().open(path: path)
            loaded.points = map
            let holds = "\(map.count) points of interest"
            outbox.withLock { outbox in
                outbox.points = FileState(inUse: path, holds: holds)
                outbox.pointSets &+= 1
            }
            log.notice("points from \(path): \(holds)")
            if let report, report.skipped > 0 {
                let reasons = report.reasons.joined(separator: "; ")
                log.warning("points from \(path): \(report.skipped) records skipped: \(reasons)")
            }
        } catch {
            outbox.withLock { $0.points.problem = error.description }
            log.error("points not loaded: \(error)")
        }
    }

    /// Reads a file of roads; a bad one leaves the one before in use.
    private func read(_ path: String, _ loaded: inout Loaded) {
        do throws(ImportProblem) {
            let map = try RoadFile.open(path: path)
            loaded.map = map
            let holds = "\(map.summary.edges) road segments"
            outbox.withLock { $0.roads = FileState(inUse: path, holds: holds) }
            log.notice("roads from \(path): \(holds)")
        } catch {
            outbox.withLock { $0.roads.problem = error.description }
            log.error("roads not loaded: \(error)")
        }
    }
}
