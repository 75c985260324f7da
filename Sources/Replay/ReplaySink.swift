import DriveRecording
import Engine
import Frames
import Guidance
import Measurements

/// Receives the frames of a replay.
package protocol ReplaySink: AnyObject {
    /// Takes the next frame.
    func write(_ frame: Frame) throws(LineOutputError)
    /// Completes the output.
    func finish() throws(LineOutputError)
    /// Takes a measurement that the engine has just processed; reads what it needs of the engine.
    func note(_ event: SensorEvent, _ engine: inout Engine)
    /// Takes the route that is followed from now on; `nil` for none.
    func note(_ route: Route?)
    /// Takes what the recording says of itself, and the road file that was in use.
    func note(_ info: RecordingInfo)
    func note(_ roads: RoadFileIdentity)
    /// Takes what the live engine kept at a reset: from here on the frames count as it did.
    func note(_ past: EnginePast)
}

extension ReplaySink {
    /// Nothing of it is needed for frames.
    package func note(_ event: SensorEvent, _ engine: inout Engine) {}
    package func note(_ route: Route?) {}
    package func note(_ info: RecordingInfo) {}
    package func note(_ roads: RoadFileIdentity) {}
    package func note(_ past: EnginePast) {}
}

/// Writes each frame as a JSON line of the stream socket.
final class FrameLines: ReplaySink {
    private var output: LineOutput
    private var encoder = JSONFrameEncoder()

    /// Opens the output; `-` is the standard output.
    init(path: String) throws(LineOutputError) { output = try LineOutput(path: path) }

    func write(_ frame: Frame) throws(LineOutputError) {
        try encoder.encode(frame) { (bytes) throws(LineOutputError) in try output.append(bytes) }
    }

    func finish() throws(LineOutputError) { try output.finish() }
}

/// Writes messages as JSON lines of the stream socket.
final class MessageLines {
    private var output: LineOutput
    private var writer = JSONWriter(capacity: 4096)

    /// Opens the output; `-` is the standard output.
    init(path: String) throws(LineOutputError) { output = try LineOutput(path: path) }

    func write(_ message: Message) throws(LineOutputError) {
        writer.clear()
        writer.message(message)
        try writer.withBytes { (bytes) throws(LineOutputError) in try output.append(bytes) }
    }

    func finish() throws(LineOutputError) { try output.finish() }
}
