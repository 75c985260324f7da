import Engine
import Measurements

/// The frames of a replay that are written. With a rate all of them, for the pacer to choose from. Without one, a
/// recording with an IMU gives one line for each sample and one for each prediction where samples are missing, from the
/// first sample on; one without an IMU gives one line for each other measurement.
struct FrameSelection {
    private let hasRate: Bool
    private let hasIMU: Bool
    private var hasBegun = false

    /// The selection for a rate, Hz, and the kinds of measurement in the recording.
    init(rateHertz: Double?, kinds: Set<SensorKind>) {
        (hasRate, hasIMU) = (rateHertz != nil, kinds.contains(.imu))
    }

    /// Whether a frame is written, by the kind of the measurement that made it; `nil` for a prediction.
    mutating func wants(_ kind: SensorKind?) -> Bool {
        if kind == .imu { hasBegun = true }
        if hasRate { return true }
        return hasIMU ? hasBegun && (kind == .imu || kind == nil) : kind != nil
    }
}
