import Frames
import Replay

/// Writes frames as NMEA 0183 sentences.
final class NMEAWriter: PoseSink {
    private(set) var written = 0

    private let path: String
    private var output: LineOutput
    private var encoder = NMEAEncoder()

    init(path: String) throws(LineOutputError) {
        self.path = path
        output = try LineOutput(path: path)
    }

    func write(_ frame: Frame) throws(LineOutputError) {
        guard TrackPoint(frame) != nil else { return }
        let sentences = encoder.sentences(frame)
        guard !sentences.isEmpty else { return }
        written += 1
        try output.append(sentences)
    }

    func finish() throws(LineOutputError) {
        guard written > 0 else {
            throw LineOutputError(
                path: path,
                problem: "not written, because no frame has a position and UTC, which NMEA needs; write GPX instead")
        }
        try output.finish()
    }
}
