import Engine
import Guidance
import Horizon
import RoadData
import Roads

/// Road data for a replay. Question and answer are the same as in the daemon, in the time of the recording.
struct ReplayRoads {
    private var horizon: ElectronicHorizon
    private let route: Route?

    /// Reads the road file of the settings; `nil` without a road file.
    init?(_ settings: HorizonSettings, route: Route?) throws(Replay.Failure) {
        guard let path = settings.roadFile else { return nil }
        do throws(ImportProblem) {
            horizon = ElectronicHorizon(settings: settings, map: try RoadFile.open(path: path))
        } catch { throw .roads(error) }
        self.route = route
    }

    /// Answers the engine if its latest frame is a question.
    mutating func answer(_ machine: inout Engine) {
        guard machine.asksForHorizon, let answer = horizon.answer(machine.frame, route: route) else { return }
        machine.use(answer)
    }
}
