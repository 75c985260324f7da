import Engine
import Fusion
import Logging
import Sensors

/// Where the measurements come from.
public enum SourceSelection: String, Sendable, CaseIterable {
    /// The real receiver and sensors where there are any, else the simulated drive.
    case auto
    /// The real receiver and sensors alone; waits for them.
    case live
    /// The simulated drive.
    case simulated
}

/// Everything a user may set, as the parts take it. The registry names, bounds and describes each of these.
public struct Settings: Sendable {
    /// Where the measurements come from.
    public var source = SourceSelection.live
    /// Samples a second of the simulated motion sensor, Hz.
    public var simulatedRateHertz = 100.0
    /// The least level of what is logged.
    public var logLevel = Logger.Level.info
    /// The route to follow from the start; `nil`: none until a client loads one.
    public var routeFile: String?
    /// Whether gpsd is asked at all.
    public var isGPSEnabled = true
    /// The satellite receiver.
    public var gps = GPSSettings()
    /// The inertial sensors and what goes with them.
    public var imu = IIOSettings()
    /// The engine and its estimators.
    public var engine = EngineSettings()
    /// The routing server.
    public var routing = RoutingSettings()
    /// Roads, points of interest and the scene.
    public var surroundings = SurroundingsSettings()
    /// The sockets.
    public var publishing = PublishingSettings()
    /// Other forms of the pose.
    public var outputs = OutputSettings()
    /// What is kept from one drive to the next.
    public var state = StateSettings()
    /// The process itself.
    public var process = ProcessSettings()

    /// The defaults.
    public init() {}
}
