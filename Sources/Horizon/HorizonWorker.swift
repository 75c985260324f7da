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

/// The thread that may wait for the disk. It reads road files and computes the electronic horizon a few times per
/// second.
///
/// The engine asks with a frame. The thread answers all questions in the bounded queue in their order. The answer goes
/// into the engine's queue of commands, the scene content to the socket thread.
package final class HorizonWorker: Sendable {
    /// Status of a file.
    package struct FileState: Sendable {
        /// Path of the file in use; `nil` for none.
        package var inUse: String?
        /// The file that was at that path when it was read.
        var identity: FileIdentity?
        /// Description of the content.
        package var holds = ""
        /// Why the last requested file is not in use.
        package var problem: String?

        /// Whether a requested file is to be read: another one is in use, also one that was at the same path before, or
        /// the last one could not be read. May wait for the disk.
        func isToBeRead(_ path: String) -> Bool {
            if path != inUse || problem != nil { return true }
            guard let now = FileIdentity(path: path) else { return false }
            return now != identity
        }

        /// Takes the file out of use, because its bytes are gone; returns the problem.
        mutating func drop() -> String {
            let problem = ImportProblem(
                place: inUse ?? "", reason: "was changed in place while in use, or its disk cannot read it",
                remedy: "import it again, and replace it by the import or with mv, not with cp"
            ).description
            self = FileState(problem: problem)
            return problem
        }
    }

    private struct Inbox: Sendable {
        var settings: HorizonSettings?
        var categories: Set<String>?
        var targets: [GeodeticPosition]?
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

    /// Maximum number of waiting target events. The oldest are dropped, which happens only if the socket thread blocks
    /// for many seconds.
    private static let mostTargetChanges = 16

    private let inbox = Mutex(Inbox())
    private let outbox = Mutex(Outbox())
    private let wakeUp: EventFD
    private let nextQuestion: @Sendable () -> Frame?
    private let route: @Sendable (UInt32) -> Route?
    private let thread = Mutex<WorkerThread?>(nil)
    private let publishSpeedHorizon: @Sendable (SpeedHorizon) -> Void
    private let log: Logger

    /// Creates a worker without starting its thread.
    ///
    /// - Parameters:
    ///   - wakeUp: signalled when there is a question.
    ///   - nextQuestion: removes the next question from the queue.
    ///   - route: the route of a version, while the engine may use it.
    ///   - publishSpeedHorizon: receives the answer.
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

    /// Starts the thread. If the system cannot create one, there is no electronic horizon, and an error is logged.
    package func start(_ settings: HorizonSettings) {
        inbox.withLock { $0.settings = settings }
        let thread = WorkerThread(name: "horizon") { [weak self] stop in self?.run(stop) }
        guard thread.start() else {
            return log.error("cannot create the horizon thread: no road data, no scene")
        }
        self.thread.withLock { $0 = thread }
        wakeUp.signal()
    }

    /// Stops the thread and waits until it has ended.
    package func stop() {
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.stop()
    }

    /// Applies settings. Changed files are read, and those that could not be read before are tried again.
    package func use(_ settings: HorizonSettings) {
        inbox.withLock { $0.settings = settings }
        wakeUp.signal()
    }

    /// Shows only points of these categories; an empty set selects all.
    package func show(categories: Set<String>) {
        inbox.withLock { $0.categories = categories }
        wakeUp.signal()
    }

    /// Sets the targets in their order, or removes them.
    package func choose(targets: [GeodeticPosition]) {
        inbox.withLock { $0.targets = targets }
        wakeUp.signal()
    }

    /// The shown points of interest, nearest first.
    package var shown: [ShownPoint] { outbox.withLock { $0.shown } }
    /// Status of the file of points of interest.
    package var points: FileState { outbox.withLock { $0.points } }
    /// Incremented with each set of points that was read.
    package var pointSetVersion: UInt32 { outbox.withLock { $0.pointSets } }
    /// The latest scene content.
    package var content: SceneContent? { outbox.withLock { $0.content } }
    /// Status of the road file.
    package var roads: FileState { outbox.withLock { $0.roads } }
    /// The target events since the last call.
    package func takeTargetChanges() -> [Message.Event] {
        outbox.withLock { outbox in
            defer { outbox.targetChanges.removeAll() }
            return outbox.targetChanges
        }
    }

    /// Number of updates so far.
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
            if let categories = taken.categories { worker.horizon.pointQuery.categories = categories }
            if let targets = taken.targets { worker.horizon.targetPlaces = targets }
            while !stop.isRaised, let frame = nextQuestion() { answer(frame, &worker) }
        }
    }

    private func answer(_ frame: Frame, _ loaded: inout Loaded) {
        let route = self.route(frame.guidance.routeVersion)
        var found = loaded.horizon.answer(frame, route: route)
        // The target does not depend on the files, and its event comes once.
        let change = loaded.horizon.targetChange
        if dropDamagedFiles(&loaded) { found = loaded.horizon.answer(frame, route: route) }
        guard let speedHorizon = found else { return }
        publishSpeedHorizon(speedHorizon)
        let (content, shown) = (loaded.horizon.content, loaded.horizon.shown)
        outbox.withLock { outbox in
            outbox.content = content
            outbox.shown = shown
            outbox.rounds += 1
            guard let change else { return }
            if outbox.targetChanges.count >= Self.mostTargetChanges { outbox.targetChanges.removeFirst() }
            outbox.targetChanges.append(change)
        }
    }

    /// State of the thread.
    private struct Loaded {
        /// The settings in force; `nil` before the first.
        var settings: HorizonSettings?
        var map: RoadMap?
        var points: PointMap?
        var horizon = ElectronicHorizon(settings: HorizonSettings(), map: nil)

        /// Makes a horizon of the settings and files in force, with the target and the categories of the last one.
        mutating func renewHorizon() {
            let settings = self.settings ?? HorizonSettings()
            var query = horizon.pointQuery
            (query.radiusMeters, query.count) = (settings.pointRadiusMeters, settings.pointCount)
            let before = horizon
            horizon = ElectronicHorizon(settings: settings, map: map, points: points, pointQuery: query)
            horizon.goOn(after: before)
        }
    }

    /// Takes files out of use whose bytes are gone since they were read; returns whether there was one.
    private func dropDamagedFiles(_ loaded: inout Loaded) -> Bool {
        let isDamaged = (roads: loaded.map?.isDamaged == true, points: loaded.points?.isDamaged == true)
        guard isDamaged.roads || isDamaged.points else { return false }
        if isDamaged.roads {
            loaded.map = nil
            let problem = outbox.withLock { $0.roads.drop() }
            log.error("roads no longer in use: \(problem)")
        }
        if isDamaged.points {
            loaded.points = nil
            let problem = outbox.withLock { $0.points.drop() }
            log.error("points no longer in use: \(problem)")
        }
        loaded.renewHorizon()
        return true
    }

    /// Applies settings. Where neither these nor the files are new, the horizon goes on as it is.
    private func take(_ settings: HorizonSettings, _ loaded: inout Loaded) {
        var isNew = settings != loaded.settings
        if let path = settings.roadFile {
            if roads.isToBeRead(path), read(path, &loaded) { isNew = true }
        } else {
            loaded.map = nil
            outbox.withLock { $0.roads = FileState() }
        }
        if let path = settings.pointFile {
            if points.isToBeRead(path), readPoints(path, &loaded) { isNew = true }
        } else {
            loaded.points = nil
            outbox.withLock { $0.points = FileState() }
        }
        guard isNew else { return }
        loaded.settings = settings
        loaded.renewHorizon()
    }

    /// Reads points of interest; after an error, `false`, the previous ones stay in use.
    private func readPoints(_ path: String, _ loaded: inout Loaded) -> Bool {
        // Before it is read: a file that replaces it meanwhile is another one.
        let identity = FileIdentity(path: path)
        do throws(ImportProblem) {
            let (map, report) = try PointImport().open(path: path)
            loaded.points = map
            let holds = "\(map.count) points of interest"
            outbox.withLock { outbox in
                outbox.points = FileState(inUse: path, identity: identity, holds: holds)
                outbox.pointSets &+= 1
            }
            log.notice("points from \(path): \(holds)")
            if let report, report.skipped > 0 {
                let reasons = report.reasons.joined(separator: "; ")
                log.warning("points from \(path): \(report.skipped) records skipped: \(reasons)")
            }
            return true
        } catch {
            outbox.withLock { $0.points.problem = error.description }
            log.error("points not loaded: \(error)")
            return false
        }
    }

    /// Reads a road file; after an error, `false`, the previous one stays in use.
    private func read(_ path: String, _ loaded: inout Loaded) -> Bool {
        let identity = FileIdentity(path: path)
        do throws(ImportProblem) {
            let map = try RoadFile.open(path: path)
            loaded.map = map
            let holds = "\(map.summary.edges) road segments"
            if !map.hasRules {
                let remedy = "import the extract again"
                log.warning("roads from \(path): made by an earlier release, without conditional limits; \(remedy)")
            }
            outbox.withLock { $0.roads = FileState(inUse: path, identity: identity, holds: holds) }
            log.notice("roads from \(path): \(holds)")
            return true
        } catch {
            outbox.withLock { $0.roads.problem = error.description }
            log.error("roads not loaded: \(error)")
            return false
        }
    }
}
