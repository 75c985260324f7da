import Engine
import Horizon
import Logging
import Routing
import SensorInterface

/// Where the measurements come from.
package enum SourceSelection: String, Sendable, CaseIterable {
    /// The real receiver and sensors where there are any, else the simulated drive.
    case auto
    /// The real receiver and sensors alone; waits for them.
    case live
    /// The simulated drive.
    case simulated
}

/// Everything a user may set, as the parts take it. The registry names, bounds and describes each of these.
package struct Settings: Sendable {
    /// Where the measurements come from.
    package var source = SourceSelection.live
    /// Samples a second of the simulated motion sensor, Hz.
    package var simulatedRateHertz = 100.0
    /// The least level of what is logged.
    package var logLevel = Logger.Level.info
    /// The route to follow from the start; `nil`: none until a client loads one.
    package var routeFile: String?
    /// Whether gpsd is asked at all.
    package var isGPSEnabled = true
    /// The satellite receiver.
    package var gps = GPSSettings()
    /// The inertial sensors and what goes with them.
    package var imu = IIOSettings()
    /// The engine and its estimators.
    package var engine = EngineSettings()
    /// The routing server.
    package var routing = RoutingSettings()
    /// Roads, points of interest and the scene.
    package var surroundings = HorizonSettings()
    /// The sockets.
    package var publishing = PublishingSettings()
    /// Other forms of the pose.
    package var outputs = OutputSettings()
    /// What is kept from one drive to the next.
    package var state = StateSettings()
    /// The process itself.
    package var process = ProcessSettings()

    /// The defaults.
    package init() {}
}
