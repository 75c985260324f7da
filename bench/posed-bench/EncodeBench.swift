import CBench
import Engine
import Frames
import Fusion
import Simulation

/// What it takes to write a frame: both forms, every field known, every frame another one.
struct EncodeBench {
    private static let rounds = 1000

    /// Measures and reports.
    func run() throws {
        let frames = try frames()
        guard frames.count >= 32 else { throw BenchError("too few frames of the simulated drive: \(frames.count)") }
        var binary = BinaryFrameEncoder()
        var json = JSONFrameEncoder()
        var bytes = 0
        func encodeBinary(_ frame: borrowing Frame) {
            binary.encode(frame)
            binary.withPacket(topics: .inFrames, sequence: 1, dropped: 0) { bytes &+= $0.count }
        }
        func encodeJSON(_ frame: borrowing Frame) {
            json.encodeParts(frame)
            json.withLine(topics: .inFrames, dropped: 0) { bytes &+= $0.count }
        }
        report("a frame as a binary message", frames, limit: 60, encodeBinary)
        report("a frame as a line of JSON", frames, limit: 1000, encodeJSON)
        if bytes == 0 { Report.say("nothing was encoded") }
    }

    /// Frames of a drive along its route, from when everything is known.
    private func frames() throws -> [Frame] {
        var engine = Engine()
        var frames: [Frame] = []
        for event in SimulatedDrive(drive: try Drive(.random(seed: 7)), seed: 7) {
            guard engine.ingest(event), engine.frame.pose.state == .aligned else { continue }
            var frame = engine.frame
            fill(&frame)
            frames.append(frame)
        }
        // Few enough to lie near the processor, as the one frame of the daemon does when it is written.
        return Array(frames.suffix(32))
    }

    /// What a drive without a route does not tell, so that every member is a number and none the shorter `null`.
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

    private func report(_ what: String, _ frames: [Frame], limit: Double, _ encode: (borrowing Frame) -> Void) {
        var times: [Double] = []
        for frame in frames { encode(frame) }
        let before = AllocationCounter.count
        for _ in 0..<7 {
            let start = processorNanoseconds()
            for _ in 0..<Self.rounds { for index in frames.indices { encode(frames[index]) } }
            times.append(Double(processorNanoseconds() - start) / Double(frames.count * Self.rounds))
        }
        // The list of times itself grows, at most once for each.
        let allocations = AllocationCounter.count - before
        Report.add(Figure(name: what, value: Distribution(times).median, unit: "ns", limit: .atMost(limit)))
        Report.add(
            Figure(
                name: "  heap allocations for each", value: Double(allocations / UInt64(frames.count * 7 * Self.rounds)), unit: "", limit: .atMost(0))
        )
    }
}
