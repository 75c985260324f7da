import Engine
import Horizon
import Logging
import Recorder
import Routing
import SensorInterface

/// The source of the measurements.
package enum SourceSelection: String, Sendable, CaseIterable {
    /// The real receiver and sensors if there are any, otherwise the simulated drive.
    case auto
    /// Only the real receiver and sensors; waits for them.
    case live
    /// The simulated drive.
    case simulated
}

/// All settings, grouped as the targets take them. The registry has the name, range and description of each.
package struct Settings: Sendable {
    /// Files of settings that are read first.
    package var includes: [String] = []
    /// The source of the measurements.
    package var source = SourceSelection.live
    /// Sample rate of the simulated IMU, Hz.
    package var simulatedRateHertz = 100.0
    /// Minimum level of logged messages.
    package var logLevel = Logger.Level.info
    /// Path of the route to follow from the start; `nil`: none until a client loads one.
    package var routeFile: String?
    /// Whether gpsd is used.
    package var isGPSEnabled = true
    /// The satellite receiver.
    package var gps = GPSSettings()
    /// The inertial sensors, magnetometer and barometer.
    package var imu = IIOSettings()
    /// The vehicle bus.
    package var can = CANSettings()
    /// The engine and its estimators.
    package var engine = EngineSettings()
    /// The declination.
    package var magnetic = MagneticSettings()
    /// The routing server.
    package var routing = RoutingSettings()
    /// The electronic horizon: roads, points of interest and scene.
    package var horizon = HorizonSettings()
    /// The sockets.
    package var publishing = PublishingSettings()
    /// Output formats for other programs.
    package var outputs = OutputSettings()
    /// What is saved from one drive to the next.
    package var state = StateSettings()
    /// The recorder.
    package var recording = RecorderSettings()
    /// posed-bridge.
    package var bridge = BridgeSettings()
    /// The process.
    package var process = ProcessSettings()

    /// The defaults.
    package init() {}
}
