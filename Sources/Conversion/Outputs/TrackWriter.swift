import Frames
import Replay

/// A sink that counts what it writes.
protocol PoseSink: ReplaySink {
    /// Number of poses written.
    var written: Int { get }
}

/// The text of one track format around and between its points.
protocol TrackFormat {
    /// Takes a point of the current segment; returns text to write now.
    mutating func add(_ point: TrackPoint) -> String
    /// The text before the first segment.
    func head(_ name: String) -> String
    /// The text that ends the current segment, and clears it.
    mutating func endSegment(_ name: String) -> String
    /// The text after the last segment.
    var tail: String { get }
}

/// Writes the positions of frames as a track. A new segment starts where the pose is lost, and at the longitude of 180
/// degrees, because a line across it would go around the globe (RFC 7946, 3.1.9).
final class TrackWriter<Format: TrackFormat>: PoseSink {
    private(set) var written = 0

    private let path: String
    private let name: String
    private var output: LineOutput
    private var format: Format
    private var isInSegment = false
    private var lastLongitude: Double?

    init(path: String, name: String, format: Format) throws(LineOutputError) {
        self.path = path
        self.name = name
        self.format = format
        output = try LineOutput(path: path)
        try output.append(format.head(name))
    }

    func write(_ frame: Frame) throws(LineOutputError) {
        guard let point = TrackPoint(frame) else { return try endSegment() }
        if let lastLongitude, abs(point.longitudeDegrees - lastLongitude) > 180 { try endSegment() }
        lastLongitude = point.longitudeDegrees
        isInSegment = true
        written += 1
        try output.append(format.add(point))
    }

    func finish() throws(LineOutputError) {
        guard written > 0 else {
            throw LineOutputError(
                path: path,
                problem: "not written, because no frame has a position; `posectl info` shows what is missing")
        }
        try endSegment()
        try output.append(format.tail)
        try output.finish()
    }

    private func endSegment() throws(LineOutputError) {
        guard isInSegment else { return }
        isInSegment = false
        try output.append(format.endSegment(name))
    }
}
