import Frames
import Fusion
import Geodesy
import PoseMath

/// Sensors in, frames out.
public struct Engine {
    private var sequence: UInt64 = 0

    /// An engine that has seen nothing.
    public init(settings: EngineSettings = EngineSettings()) {}

    /// Takes one sensor event; returns whether it made a new frame (``frame``): each IMU sample does, and each fix while no IMU streams.
    public mutating func ingest(_ event: SensorEvent) -> Bool {
        sequence += 1
        frame.sequence = sequence
        frame.timeNanoseconds = event.arrivalTime.nanoseconds
        return true
    }

    /// Takes the changed state of a source.
    public mutating func ingest(_ report: SourceReport) {}

    /// The latest frame.
    public private(set) var frame = Frame()
}
