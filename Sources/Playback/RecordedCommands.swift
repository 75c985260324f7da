import Engine
import Guidance
import Synchronization

/// Passes the recorded commands, routes and road answers to the engine.
final class RecordedCommands: Sendable {
    private let submit: @Sendable (EngineCommand) -> Void
    private let hasRoads: Bool
    private let follow: (@Sendable (Route?) -> Void)?
    private let hasAnswers = Atomic<Bool>(false)

    /// - Parameters:
    ///   - hasRoads: whether a road file is given: its answers replace the recorded ones.
    ///   - follow: follows a recorded route; `nil` if another route is given.
    ///   - submit: passes a command to the engine.
    init(
        hasRoads: Bool, follow: (@Sendable (Route?) -> Void)?, submit: @escaping @Sendable (EngineCommand) -> Void
    ) {
        self.hasRoads = hasRoads
        self.follow = follow
        self.submit = submit
    }

    /// Takes a recorded command.
    func take(_ command: EngineCommand) {
        switch command {
        case .setRoute(let route, _): follow?(route)
        case .setSpeedHorizon:
            guard !hasRoads else { return }
            hasAnswers.store(true, ordering: .relaxed)
            submit(command)
        // The recorded past has other times than the engine that plays.
        case .reset: submit(.reset())
        case .trimHeading, .setHeadingTrim, .offerMount, .offerSensors, .offerRest, .setDeclination:
            submit(command)
        }
    }

    /// Takes an answer about the road ahead that was computed now; it is not used once there are recorded ones.
    func takeComputed(_ answer: SpeedHorizon) {
        guard !hasAnswers.load(ordering: .relaxed) else { return }
        submit(.setSpeedHorizon(answer))
    }
}
