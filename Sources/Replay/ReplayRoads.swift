import Engine
import Guidance
import Horizon
import RoadData
import Roads

/// Road data for a replay. Question and answer are the same as in the daemon, in the time of the recording.
struct ReplayRoads {
    /// The roads and the scene ahead.
    private(set) var horizon: ElectronicHorizon
    /// The route in force.
    var route: Route?
    /// Whether the answers go to the engine.
    let hasRoads: Bool

    /// Reads the road file of the settings; `nil` without a road file, unless scenes are wanted.
    init?(_ settings: HorizonSettings, route: Route?, wantsScene: Bool) throws(Replay.Failure) {
        guard settings.roadFile != nil || wantsScene else { return nil }
        do throws(ImportProblem) {
            let map = try settings.roadFile.map { (path) throws(ImportProblem) in try RoadFile.open(path: path) }
            horizon = ElectronicHorizon(settings: settings, map: map)
        } catch { throw .roads(error) }
        self.route = route
        hasRoads = settings.roadFile != nil
    }

    /// Takes the local time of a recorded answer.
    mutating func note(_ recorded: SpeedHorizon) {
        guard let seconds = recorded.utcOffsetSeconds, abs(seconds) <= 86_400 else { return }
        horizon.recordedOffsetSeconds = Int(seconds)
    }

    /// Answers the engine if its latest frame is a question.
    mutating func answer(_ machine: inout Engine) {
        guard machine.asksForHorizon, let answer = horizon.answer(machine.frame, route: route) else { return }
        // Without a road file the engine has its limits from the route, as it always had in a replay.
        if hasRoads { machine.use(answer) }
    }
}
