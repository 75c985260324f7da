import Engine
import Guidance
import Horizon
import RoadData
import Roads

/// Roads beside a replay. The engine asks and is answered as in the daemon, by the recording's time.
struct ReplayRoads {
    private var horizon: ElectronicHorizon
    private let route: Route?

    /// The roads of the settings' file; `nil` where they name none.
    init?(_ settings: HorizonSettings, route: Route?) throws(Replay.Failure) {
        guard let path = settings.roadFile else { return nil }
        do throws(ImportProblem) {
            horizon = ElectronicHorizon(settings: settings, map: try RoadFile.open(path: path))
        } catch { throw .roads(error) }
        self.route = route
    }

    /// Answers the engine where its latest frame asks what lies ahead.
    mutating func answer(_ machine: inout Engine) {
        guard machine.asksForHorizon, let answer = horizon.answer(machine.frame, route: route) else { return }
        machine.use(answer)
    }
}
