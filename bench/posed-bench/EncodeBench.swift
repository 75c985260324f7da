import CBench
import Engine
import Frames
import Simulation

/// The time to encode a frame in both forms, with every field known and every frame different.
struct EncodeBench {
    private static let rounds = 1000

    /// Measures and reports.
    func run() throws {
        let frames = try frames()
        guard frames.count >= 32 else { throw BenchError("too few frames of the simulated drive: \(frames.count)") }
        frames.withUnsafeBufferPointer { frames in
            report("encoding a frame as a binary message", limit: 60) { Self.binaryNanoseconds(frames) }
            report("encoding a frame as a line of JSON", limit: 1000) { Self.jsonNanoseconds(frames) }
        }
    }

    /// Mean time per frame.
    private static func binaryNanoseconds(_ frames: UnsafeBufferPointer<Frame>) -> Double {
        guard let first = frames.baseAddress else { return .nan }
        var encoder = BinaryFrameEncoder()
        var bytes = 0
        let start = processorNanoseconds()
        for round in 0..<rounds {
            for index in frames.indices {
                encoder.encode(at: first + index)
                encoder.withPacket(topics: .inFrames, sequence: UInt64(round), dropped: 0) { bytes &+= $0.count }
            }
        }
        let end = processorNanoseconds()
        return bytes > 0 ? Double(end - start) / Double(frames.count * rounds) : .nan
    }

    /// Mean time per frame.
    private static func jsonNanoseconds(_ frames: UnsafeBufferPointer<Frame>) -> Double {
        guard let first = frames.baseAddress else { return .nan }
        var encoder = JSONFrameEncoder()
        var bytes = 0
        let start = processorNanoseconds()
        for round in 0..<rounds {
            for index in frames.indices {
                encoder.encodeParts(at: first + index)
                encoder.withLine(topics: .inFrames, dropped: UInt64(round)) { bytes &+= $0.count }
            }
        }
        let end = processorNanoseconds()
        return bytes > 0 ? Double(end - start) / Double(frames.count * rounds) : .nan
    }

    /// Frames of a drive along its route, from the time when every field is known.
    private func frames() throws -> [Frame] {
        var engine = Engine()
        var frames: [Frame] = []
        for event in SimulatedDrive(drive: try Drive(.random(seed: 7)), seed: 7) {
            guard engine.ingest(event), engine.frame.pose.state == .aligned else { continue }
            var frame = engine.frame
            fill(&frame)
            frames.append(frame)
        }
        // Few enough to fit into the processor's cache, as the daemon's single frame does.
        return Array(frames.suffix(32))
    }

    /// Fills the fields that a drive without a route does not set, so that every member is a number and none is the
    /// shorter `null`.
    private func fill(_ frame: inout Frame) {
        let progress = Double(frame.sequence) * 0.137
        frame.utcNanoseconds = 1_785_000_000_000_000_000 + frame.timeNanoseconds
        frame.pose.altitudeMeanSeaMeters = frame.pose.altitudeMeanSeaMeters ?? 512.25 + progress
        frame.pose.headingMagneticRadians = frame.pose.headingMagneticRadians ?? 1.5
        frame.pose.courseOverGroundRadians = frame.pose.courseOverGroundRadians ?? 1.6
        frame.guidance.progressMeters = progress
        frame.guidance.crossTrackMeters = -1.75
        frame.guidance.segmentBearingRadians = 1.7
        frame.guidance.nextManeuver = 4
        frame.guidance.distanceToTurnMeters = 250.25 + progress
        frame.guidance.straightDistanceToTurnMeters = 240.5 + progress
        frame.guidance.turnAngleRadians = -1.5
        frame.guidance.distanceLeftMeters = 5000.1 + progress
        frame.guidance.timeLeftSeconds = 360.5
        frame.speed.limitMetersPerSecond = 13.888_889
        frame.speed.ratio = 1.098
    }

    private func report(_ what: String, limit: Double, _ measure: () -> Double) {
        _ = measure()
        let before = AllocationCounter.count
        let times = (0..<7).map { _ in measure() }
        // Each run creates its encoder, whose buffers are a few blocks; one allocation per frame would show as
        // thousands.
        let allocations = AllocationCounter.count - before
        Report.add(Figure(name: what, value: Distribution(times).median, unit: "ns", limit: .atMost(limit)))
        Report.add(
            Figure(
                name: "  heap allocations for a frame", value: Double(allocations / UInt64(Self.rounds)), unit: "",
                limit: .atMost(0)))
    }
}
