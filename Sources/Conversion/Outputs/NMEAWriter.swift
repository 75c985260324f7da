import Frames
import Replay

/// Writes frames as NMEA 0183 sentences.
final class NMEAWriter: ReplaySink {
    private let path: String
    private var output: LineOutput
    private var encoder = NMEAEncoder()
    private var isEmpty = true

    init(path: String) throws(LineOutputError) {
        self.path = path
        output = try LineOutput(path: path)
    }

    func write(_ frame: Frame) throws(LineOutputError) {
        guard TrackPoint(frame) != nil else { return }
        let sentences = encoder.sentences(frame)
        guard !sentences.isEmpty else { return }
        isEmpty = false
        try output.append(sentences)
    }

    func finish() throws(LineOutputError) {
        guard !isEmpty else {
            throw LineOutputError(
                path: path,
                problem: "not written, because no frame has a position and UTC, which NMEA needs; write GPX instead")
        }
        try output.finish()
    }
}
