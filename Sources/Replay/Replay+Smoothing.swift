import Engine
import Frames
import Fusion
import Measurements
import PoseMath
import Recording

extension Replay {
    /// Processes the whole recording, smooths the trajectory with later measurements, and writes the lines to a path;
    /// `-` is the standard output.
    ///
    /// The lines correspond to those of ``run(writingTo:)``, with the poses of the backward pass.
    package func smooth(writingTo path: String) throws(Failure) -> Summary {
        try smooth(try openRecording(), writingTo: path)
    }

    /// Smooths the measurements of a reader and writes the lines to a path; `-` is the standard output.
    package func smooth(_ reader: any EventReader, writingTo path: String) throws(Failure) -> Summary {
        try smooth(reader, into: try Self.writing { () throws(LineOutputError) in try FrameLines(path: path) })
    }

    /// Smooths the measurements of a reader and passes the frames to a sink.
    package func smooth(_ reader: any EventReader, into sink: any ReplaySink) throws(Failure) -> Summary {
        var writer = SmoothedFrames(engine: Engine(settings: engine), kinds: reader.kinds, rateHertz: rateHertz)
        if let route = try loadedRoute() { writer.machine.setRoute(route, version: 1) }
        var smoother = TrajectorySmoother(settings: engine.fusion)
        var summary = Summary()
        var first: MonotonicTime?
        while let event = try Self.next(of: reader) {
            let start = first ?? event.arrivalTime
            first = start
            summary.note(event, start: start, reader, onProgress)
            writer.note(event)
            smoother.ingest(event)
            summary.lines += try writer.write(smoother.takeEstimates(), to: sink)
        }
        smoother.finish()
        summary.lines += try writer.write(smoother.takeEstimates(), to: sink)
        try Self.writing { () throws(LineOutputError) in try sink.finish() }
        summary.notes = Self.notes(of: reader)
        return summary
    }
}

/// Converts smoothed estimates to frames.
private struct SmoothedFrames: ~Copyable {
    var machine: Engine
    private var pacer: FramePacer
    private let wantsAll: Bool
    private var firstSample: MonotonicTime?
    /// Fixes of frames still to be made, in order of validity.
    private var fixes: [GnssFix] = []

    init(engine: Engine, kinds: Set<SensorKind>, rateHertz: Double?) {
        machine = engine
        pacer = FramePacer(rateHertz: rateHertz)
        wantsAll = rateHertz != nil || !kinds.contains(.imu)
        for kind in kinds {
            machine.ingest(SourceReport(time: MonotonicTime(nanoseconds: 0), source: kind, state: .streaming))
        }
    }

    mutating func note(_ event: SensorEvent) {
        switch event {
        case .gnss(let fix):
            var i = fixes.count
            while i > 0, fixes[i - 1].validityTime > fix.validityTime { i -= 1 }
            fixes.insert(fix, at: i)
        case .inertial(let sample): firstSample = firstSample ?? sample.time
        default: break
        }
    }

    /// - Returns: number of written lines.
    mutating func write(_ estimates: [PoseEstimate], to sink: any ReplaySink) throws(Replay.Failure) -> Int {
        var lines = 0
        for estimate in estimates {
            let passed = fixes.prefix { $0.validityTime <= estimate.time }
            machine.ingest(estimate, after: passed.last)
            fixes.removeFirst(passed.count)
            let isSample = firstSample.map { estimate.time >= $0 } ?? false
            guard wantsAll || isSample, pacer.picks(machine.frame.timeNanoseconds) else { continue }
            let frame = machine.frame
            try Replay.writing { () throws(LineOutputError) in try sink.write(frame) }
            lines += 1
        }
        return lines
    }
}
