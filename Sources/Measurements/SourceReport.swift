import PoseMath

/// Kind of sensor.
public enum SensorKind: UInt8, Sendable, CaseIterable {
    /// Satellite receiver.
    case gps = 0
    /// Gyro and accelerometer.
    case imu = 1
    /// Magnetometer.
    case magnetometer = 2
    /// Barometer.
    case barometer = 3
    /// Wheel speed.
    case wheels = 4
}

/// State of a source.
public enum SourceState: UInt8, Sendable, CaseIterable {
    /// Not present, or not configured.
    case absent = 0
    /// Being opened.
    case opening = 1
    /// Open; no data yet.
    case waiting = 2
    /// Data arrive.
    case streaming = 3
    /// Data stopped; still open.
    case stale = 4
    /// Disconnected; being retried.
    case lost = 5
}

/// A change of a source's state.
public struct SourceReport: Hashable, Sendable {
    /// Time of the change.
    public var time: MonotonicTime
    /// Which source.
    public var source: SensorKind
    /// The new state.
    public var state: SourceState
    /// Whether the source is a simulation: no sensor is read.
    public var isSimulated: Bool

    /// Creates a report.
    public init(time: MonotonicTime, source: SensorKind, state: SourceState, isSimulated: Bool = false) {
        self.time = time
        self.source = source
        self.state = state
        self.isSimulated = isSimulated
    }
}

extension SensorEvent {
    /// The kind of sensor that it comes from.
    public var kind: SensorKind {
        switch self {
        case .inertial: .imu
        case .gnss: .gps
        case .magnetic: .magnetometer
        case .pressure: .barometer
        case .wheelSpeed: .wheels
        }
    }
}
