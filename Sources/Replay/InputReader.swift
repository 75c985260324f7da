import Engine
import Recording

/// Reads a recording that has commands, routes and road answers beside the measurements.
package protocol InputReader: EventReader {
    /// The next input of the engine in the recorded order; `nil` at the end. Must not be mixed with `next()`.
    func nextInput() throws(RecordingError) -> EngineInput?
}
