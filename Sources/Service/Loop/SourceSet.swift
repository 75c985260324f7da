import Logging
import Sensors

/// The sources that the settings ask for, each with its own queue to the engine. One that is missing is degraded, with the reason on `status`; never an exit.
final class SourceSet {
    private var sources: [any SensorSource] = []

    /// The sources, not started yet.
    init(settings: Settings, loop: EngineLoop, board: SourceStatusBoard, log: Logger) {
    }

    /// Starts all.
    func start() { sources.forEach { $0.start() } }

    /// Stops all; returns when they have ended.
    func stop() { sources.forEach { $0.stop() } }
}
