import Engine
import Frames
import Guidance
import Horizon

/// Writes the messages that a client would have got between the frames: events, maneuvers and scenes.
struct ReplayMessages {
    private let events: MessageLines?
    private let maneuvers: MessageLines?
    private let scene: MessageLines?
    /// The route in force.
    var route: Route?
    private var detector = EventDetector()
    private var announced: (version: UInt32, maneuver: UInt32?) = (0, nil)
    private var messenger: SceneMessenger

    /// Opens the outputs that a replay names.
    init(_ replay: Replay, route: Route?) throws(LineOutputError) {
        events = try Self.open(replay.eventsFile)
        maneuvers = try Self.open(replay.maneuversFile)
        scene = try Self.open(replay.sceneFile)
        messenger = SceneMessenger(settings: replay.horizon.sceneWithDisplay)
        self.route = route
    }

    /// Whether anything is written.
    var hasOutput: Bool { events != nil || maneuvers != nil || scene != nil }
    /// Whether scenes are written.
    var wantsScene: Bool { scene != nil }

    /// Writes what follows from a frame, in the order of the daemon: events, scene, maneuver.
    mutating func note(_ frame: Frame, horizon: ElectronicHorizon?) throws(LineOutputError) {
        if let events {
            for change in detector.changes(to: frame) {
                try events.write(.event(.init(timeNanoseconds: frame.timeNanoseconds, change: change)))
            }
        }
        if let scene, messenger.isDue(at: frame), let content = horizon?.content,
            let view = messenger.place(content, frame: frame)
        {
            try scene.write(.scene(SceneMessenger.message(view, content: content, frame: frame)))
        }
        let next = (frame.guidance.routeVersion, frame.guidance.nextManeuver)
        guard let maneuvers, next != announced else { return }
        announced = next
        try maneuvers.write(
            .maneuver(Message.Maneuver(frame.guidance, route: route, version: frame.guidance.routeVersion)))
    }

    /// Completes the outputs.
    func finish() throws(LineOutputError) {
        for output in [events, maneuvers, scene] { try output?.finish() }
    }

    private static func open(_ path: String?) throws(LineOutputError) -> MessageLines? {
        guard let path else { return nil }
        return try MessageLines(path: path)
    }
}
