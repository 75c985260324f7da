import DriveRecording
import Engine
import Frames
import Guidance
import Horizon
import MCAP
import Measurements
import PoseMath
import Recording
import RoadData

extension Replay {
    /// The settings that an MCAP recording contains; `nil` for another recording.
    package static func recordedSettings(of path: String) throws(Failure) -> RecordedSettings? {
        guard DriveRecordingReader.isRecording(path: path) else { return nil }
        var settings = RecordedSettings()
        do throws(MCAPProblem) {
            var reader = try DriveRecordingReader(path: path)
            while let entry = try reader.next() {
                switch entry {
                case .settings(let part):
                    settings.file = part.file ?? settings.file
                    settings.options += part.options
                case .input: return settings
                case .info, .roads, .publications, .frame, .event, .log: break
                }
            }
        } catch { throw .file(error) }
        return settings
    }

    /// Runs an MCAP recording: the recorded inputs in their order, with the recorded answers about roads and the
    /// recorded times of publishing. The lines are those that a client of the stream socket has received that asked for
    /// every frame, except for the count of lost messages.
    package func runRecorded(into sink: any ReplaySink) throws(Failure) -> Summary {
        let parts = try Self.opened(recording)
        let route = try loadedRoute()
        let messages = try Self.writing { () throws(LineOutputError) in try ReplayMessages(self, route: route) }
        let run = RecordedRun(
            frames: RecordedFrames(engine: engine, rateHertz: rateHertz), sink: sink, rateHertz: rateHertz,
            messages: messages, roads: try ReplayRoads(horizon, route: route, wantsScene: messages.wantsScene),
            declination: placedDeclination)
        if let route { run.follow(route) }
        while let entry = try Self.next(of: parts) {
            try run.take(entry, isFirstFile: parts.isFirstFile)
            if run.summary.events % 1000 == 0, let onProgress { onProgress(parts.progress) }
        }
        guard run.summary.events > 0 else { throw .recording(.empty(recording, notes: parts.notes)) }
        try Self.writing { () throws(LineOutputError) in
            try run.messages.finish()
            try sink.finish()
        }
        run.summary.notes += parts.notes + run.notes
        return run.summary
    }

    private static func opened(_ path: String) throws(Failure) -> RecordedParts {
        do throws(MCAPProblem) { return try RecordedParts(path: path) } catch { throw .file(error) }
    }

    private static func next(of parts: RecordedParts) throws(Failure) -> RecordedEntry? {
        do throws(MCAPProblem) { return try parts.next() } catch { throw .file(error) }
    }
}

extension RecordingError {
    /// A recording of posed without a measurement.
    package static func empty(_ path: String, notes: [String]) -> RecordingError {
        let cut = notes.isEmpty ? "" : " (" + notes.joined(separator: "; ") + ")"
        return RecordingError(
            path: path, problem: "contains no measurement of posed" + cut,
            remedy: "give a recording that posed or posectl wrote")
    }
}

/// The state of a replay of an MCAP recording.
private final class RecordedRun {
    private var frames: RecordedFrames
    private let sink: any ReplaySink
    private var pacer: FramePacer
    /// The instants of predictions, which a converted recording does not have.
    private var ticks: ReplayTicks
    private var isWithoutTicks = false
    var messages: ReplayMessages
    private var roads: ReplayRoads?
    /// Computes the declination of a converted recording.
    private var declination: DeclinationSchedule?
    /// Whether a given route replaces the recorded ones.
    private var replacesRoute = false
    var summary = Replay.Summary()
    private var encoder = JSONFrameEncoder()
    /// Recorded lines whose publication has not been read yet, by the numbers that they have in the file.
    private var expected: [UInt32: ArraySlice<UInt8>] = [:]
    private var info: RecordingInfo?
    private var first: MonotonicTime?
    private var last: UInt64?
    private var lost: UInt64 = 0
    private var missing = 0
    private var firstDifference: MonotonicTime?
    /// Whether the frames are those that were published: in a recording that begins in mid-run only after a reset.
    private var isExact = false
    /// Time of the first such frame of a recording that begins in mid-run.
    private var firstExact: MonotonicTime?
    /// Time of the first frame with an aligned pose.
    private var firstAligned: MonotonicTime?

    init(
        frames: RecordedFrames, sink: any ReplaySink, rateHertz: Double?, messages: ReplayMessages,
        roads: ReplayRoads?, declination: DeclinationSchedule?
    ) {
        self.frames = frames
        self.sink = sink
        (pacer, ticks) = (FramePacer(rateHertz: rateHertz), ReplayTicks(rateHertz: rateHertz))
        self.messages = messages
        self.roads = roads
        self.declination = declination
    }

    /// Follows a route instead of the recorded ones.
    func follow(_ route: Route) {
        frames.machine.setRoute(route, version: 1)
        sink.note(route)
        replacesRoute = true
    }

    func take(_ entry: RecordedEntry, isFirstFile: Bool) throws(Replay.Failure) {
        switch entry {
        case .info(let info):
            if self.info == nil {
                sink.note(info)
                frames.begin(info)
                isExact = !info.beginsInMidRun
                isWithoutTicks = info.convertedFrom != nil && !info.hasPublications
            }
            self.info = self.info ?? info
        case .input(let input, let number):
            guard number > 0 || isFirstFile else { return }
            note(number)
            if case .event(let event) = input {
                try predict(until: event.arrivalTime)
                note(event)
                let isLine = frames.apply(event)
                sink.note(event, &frames.machine)
                try finish(isLine: isLine)
            } else {
                try apply(input)
            }
        case .publications(let publications):
            for publication in publications { try publish(publication) }
        case .frame(let line, let number):
            // Recorded frames without a publication are rare: one per lost batch.
            if expected.count >= 64 { expected.removeAll() }
            expected[number] = line
        case .roads(let roads): sink.note(roads)
        case .settings, .event, .log: break
        }
    }

    private func note(_ number: UInt64) {
        guard number > 0 else { return }
        if let last, number > last + 1 { lost += number - last - 1 }
        last = number
    }

    private func note(_ event: SensorEvent) {
        let start = first ?? event.arrivalTime
        first = start
        summary.events += 1
        summary.seconds = event.arrivalTime.seconds(since: start)
    }

    /// Predicts the pose until a time, as a replay of what a recording was converted from does.
    private func predict(until time: MonotonicTime) throws(Replay.Failure) {
        guard isWithoutTicks else { return }
        while let tick = ticks.next(before: time) {
            guard let isLine = frames.predict(at: tick) else { continue }
            try finish(isLine: isLine)
            guard !isLine else { continue }
            var frame = frames.machine.frame
            try note(&frame)
        }
    }

    /// Processes an input that is no measurement.
    private func apply(_ input: EngineInput) throws(Replay.Failure) {
        // The states of the sources are told just before the measurement from which they follow.
        if case .report(let report) = input { try predict(until: report.time) }
        if case .command(.reset(let past?)) = input { sink.note(past.value) }
        if case .command(.setRoute(let route, _)) = input {
            guard !replacesRoute else { return }
            messages.route = route
            roads?.route = route
            sink.note(route)
        }
        if roads?.hasRoads == true, case .command(.setSpeedHorizon(let recorded)) = input {
            roads?.note(recorded)
            return
        }
        var input = input
        if replacesRoute, case .command(.reset(let boxed?)) = input {
            var past = boxed.value
            past.routeVersion = 1
            input = .command(.reset(after: past))
        }
        try finish(isLine: frames.apply(input))
    }

    /// What follows an input: answers about the roads, the declination and, where the input gave one, a line.
    private func finish(isLine: Bool) throws(Replay.Failure) {
        roads?.answer(&frames.machine)
        // The daemon records the declination that it used.
        if info?.convertedFrom != nil, let command = declination?.update(with: frames.machine.frame) {
            frames.machine.perform(command)
        }
        guard isLine else { return }
        var frame = frames.machine.frame
        try note(&frame)
        try write(&frame)
    }

    private func publish(_ publication: Publication) throws(Replay.Failure) {
        let firstKnown = frames.firstKnown
        let isMade = try frames.publish(publication) { (frame) throws(Replay.Failure) in
            try note(&frame)
        } published: { (frame) throws(Replay.Failure) in
            noteExactness(of: &frame, publication, firstKnown: firstKnown)
            if let line = expected.removeValue(forKey: publication.sequence) {
                compare(frame, with: line)
            }
            // A client that asks for every frame receives no repetitions.
            if !publication.isRepeat { try write(&frame) }
        }
        if !isMade { missing += 1 }
    }

    /// After a reset the frames are those that were published. The first one that was the newest has its own time;
    /// that of others follows from the frame before.
    private func noteExactness(of frame: inout Frame, _ publication: Publication, firstKnown: UInt64?) {
        guard !isExact, let firstKnown, publication.number >= firstKnown, publication.isNewest, !publication.isRepeat
        else { return }
        isExact = true
        firstExact = MonotonicTime(nanoseconds: frame.timeNanoseconds)
    }

    private func compare(_ frame: Frame, with line: ArraySlice<UInt8>) {
        guard let info, !info.isPrivate, isExact else { return }
        summary.recordedFrames += 1
        let isSame = encoder.encode(frame) { $0.dropLast().elementsEqual(line) }
        if isSame {
            summary.identicalFrames += 1
        } else if firstDifference == nil {
            firstDifference = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        }
    }

    private func note(_ frame: inout Frame) throws(Replay.Failure) {
        if firstAligned == nil, frame.pose.state == .aligned {
            firstAligned = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        }
        guard messages.hasOutput else { return }
        try Replay.writing { () throws(LineOutputError) in try messages.note(frame, horizon: roads?.horizon) }
    }

    private func write(_ frame: inout Frame) throws(Replay.Failure) {
        guard pacer.picks(frame.timeNanoseconds) else { return }
        try Replay.writing { () throws(LineOutputError) in try sink.write(frame) }
        summary.lines += 1
    }

    /// What a user has to know about the replay.
    var notes: [String] {
        var notes: [String] = []
        if let info, info.beginsInMidRun { notes.append(midRunNote) }
        if let info, info.isPrivate {
            notes.append("the positions were moved to a random place: no frame is compared with the recorded one")
        }
        if lost > 0 { notes.append("\(lost) inputs are missing: the recorder lost them, so the frames may differ") }
        if missing > 0 { notes.append("\(missing) published frames could not be made again") }
        if let firstDifference {
            let seconds = seconds(of: firstDifference)
            notes.append("the first frame that differs from the recorded one is \(seconds) s after the start")
        }
        return notes
    }

    /// A file that begins in mid-run gives other frames than the live ones, and which are like them.
    private var midRunNote: String {
        if let firstExact {
            return "the recording begins in mid-run: its frames are those that were published only from "
                + "\(seconds(of: firstExact)) s after the start, when posed was reset"
        }
        let begin = "the recording begins in mid-run: its frames are not those that were published, "
        let comparable =
            firstAligned.map {
                "and resemble them only from \(seconds(of: $0)) s after the start, when the pose is aligned"
            }
            ?? "and the pose is never aligned"
        return begin + comparable + "; to get the same, record with recording.mode, or posectl record start --reset"
    }

    /// Seconds from the first measurement, to a tenth.
    private func seconds(of time: MonotonicTime) -> Double {
        first.map { (time.seconds(since: $0) * 10).rounded() / 10 } ?? 0
    }
}
