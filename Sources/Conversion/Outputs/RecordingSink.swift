import Measurements
import Recording

/// Receives the measurements of a recording in the order of their arrival.
protocol RecordingSink: AnyObject {
    /// Number of measurements written.
    var written: Int { get }
    /// Number of measurements left out.
    var skipped: Int { get }
    /// Writes one measurement.
    func write(_ event: SensorEvent) throws(RecordingError)
    /// Completes the output.
    func finish() throws(RecordingError)
}

extension FolderWriter: RecordingSink {}
