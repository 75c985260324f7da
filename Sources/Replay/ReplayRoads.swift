import Engine
import Guidance
import Horizon
import PoseMath
import RoadData
import Roads

/// Roads beside a replay: the engine is told of limits and curves as often as in the daemon, by the recording's time
/// and at once, so that the same recording gives the same bytes.
struct ReplayRoads {
    private var surroundings: ElectronicHorizon
    private let route: Route?
    private var last: MonotonicTime?

    /// The roads of the settings' file; `nil` where they name none.
    init?(_ settings: HorizonSettings, route: Route?) throws(Replay.Failure) {
        guard let path = settings.roadFile else { return nil }
        do throws(ImportProblem) {
            surroundings = ElectronicHorizon(settings: settings, map: try RoadFile.open(path: path))
        } catch { throw .roads(error) }
        self.route = route
    }

    /// Tells the engine what its latest frame has ahead, where that is due.
    mutating func update(_ machine: inout Engine) {
        let now = MonotonicTime(nanoseconds: machine.frame.timeNanoseconds)
        guard last.map({ now.seconds(since: $0) >= 1 / HorizonWorker.rateHertz }) ?? true,
            let input = HorizonInput(
                machine.frame, route: route, routeVersion: machine.frame.guidance.routeVersion)
        else { return }
        last = now
        machine.use(surroundings.update(input))
    }
}
