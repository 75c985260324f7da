import PoseMath

/// One of the inputs the daemon knows.
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

/// Life of a source.
public enum SourceState: UInt8, Sendable, CaseIterable {
    /// Not there, or not configured.
    case absent = 0
    /// Being opened.
    case opening = 1
    /// Open; no data yet.
    case waiting = 2
    /// Data flows.
    case streaming = 3
    /// Data stopped; still open.
    case stale = 4
    /// Gone; being retried.
    case lost = 5
}

/// A source changed its state.
public struct SourceReport: Hashable, Sendable {
    /// When.
    public var time: MonotonicTime
    /// Which source.
    public var source: SensorKind
    /// Its state from now on.
    public var state: SourceState

    /// The report.
    public init(time: MonotonicTime, source: SensorKind, state: SourceState) {
        self.time = time
        self.source = source
        self.state = state
    }
}
