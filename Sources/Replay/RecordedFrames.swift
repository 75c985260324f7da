import DriveRecording
import Engine
import Frames
import Guidance
import Horizon
import Measurements
import PoseMath

/// Runs the inputs of a recording through an engine, and makes the frames as they were published.
struct RecordedFrames {
    /// A frame of the engine that was not published yet.
    private struct Pending {
        var number: UInt64
        var frame: Frame
    }

    /// The engine.
    var machine: Engine
    private var predictor = FramePredictor()
    /// Frames of the engine from ``head`` on; those before it were published.
    private var pending: [Pending] = []
    private var head = 0
    /// Number of frames made so far, repetitions included.
    private var made: UInt64 = 0
    private var hasPublications = true
    private let rateHertz: Double?
    /// Without publications, the frames that give lines; `nil` before the first one.
    private var selection: FrameSelection?
    /// Whether the recording has an IMU, without publications: then only IMU samples give lines.
    private var hasIMU = false
    private var hasEvent = false
    /// Whether the next frame of the engine is the first one after a reset with a recorded past.
    private var isAfterReset = false
    /// Number of the first frame after such a reset: from there on the engine has what the live one had.
    private(set) var firstKnown: UInt64?

    /// Frames that wait for their publication at most: the recorder writes them once per second.
    private static let mostPending = 8192

    /// Without publications, all frames are lines with a rate, for it to choose from.
    init(engine: EngineSettings, rateHertz: Double? = nil) {
        machine = Engine(settings: engine)
        self.rateHertz = rateHertz
    }

    /// Processes the facts of the first file.
    mutating func begin(_ info: RecordingInfo) {
        hasPublications = info.hasPublications
        made = info.publishedBefore
    }

    /// Processes a measurement. Without publications, returns whether the new frame is one of the replay's.
    ///
    /// Nearly all inputs are measurements; they pass here because a copy of an ``EngineInput`` costs more than one of
    /// a sample.
    mutating func apply(_ event: SensorEvent) -> Bool {
        hasEvent = true
        guard machine.ingest(event) else { return false }
        keepNew()
        return !hasPublications && wants(event.kind)
    }

    /// Predicts the pose where a recording without publications has no measurement; returns whether the new frame is
    /// one of the replay's, or `nil` if there is none.
    mutating func predict(at time: MonotonicTime) -> Bool? {
        guard hasEvent, machine.tick(at: time) else { return nil }
        keepNew()
        return wants(nil)
    }

    private mutating func wants(_ kind: SensorKind?) -> Bool {
        var selection = selection ?? FrameSelection(rateHertz: rateHertz, kinds: hasIMU ? [.imu] : [])
        defer { self.selection = selection }
        return selection.wants(kind)
    }

    /// Processes an input that is no measurement. Without publications, returns whether the new frame is one of the
    /// replay's.
    mutating func apply(_ input: EngineInput) -> Bool {
        let isNew = machine.apply(input)
        if case .command(.reset(let past?)) = input { continueNumbers(after: past.value) }
        if case .report(let report) = input, report.source == .imu, !hasEvent { hasIMU = true }
        if case .repetition = input {
            keep()
            return false
        }
        guard isNew else { return false }
        keepNew()
        return !hasPublications && !hasIMU
    }

    private mutating func keepNew() {
        keep()
        if isAfterReset { (isAfterReset, firstKnown) = (false, made) }
    }

    /// Continues the numbers of the frames as live. Before the reset they may differ: another state makes other frames
    /// of the same inputs.
    private mutating func continueNumbers(after past: EnginePast) {
        isAfterReset = true
        guard hasPublications, made != past.published else { return }
        made = past.published
        pending.removeAll { $0.number > made }
        head = min(head, pending.count)
    }

    /// Publishes a frame as it was published live; returns whether the engine has made it. The frame stays in its
    /// place: copies of it would be a tenth of the replay.
    ///
    /// - Parameters:
    ///   - made: takes the engine's frame.
    ///   - published: takes the one predicted to the time of publishing.
    mutating func publish<Failure: Error>(
        _ publication: Publication, made: (inout Frame) throws(Failure) -> Void,
        published: (inout Frame) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        while head < pending.count, pending[head].number < publication.number { head += 1 }
        guard head < pending.count, pending[head].number == publication.number else { return false }
        try made(&pending[head].frame)
        predictor.prepare(
            inPlace: &pending[head].frame, isRepeat: publication.isRepeat, isNewest: publication.isNewest,
            now: publication.time)
        try published(&pending[head].frame)
        head += 1
        // The publications of a second come together, and use up the frames before them.
        if head == pending.count {
            pending.removeAll(keepingCapacity: true)
            head = 0
        }
        return true
    }

    private mutating func keep() {
        made += 1
        guard hasPublications else { return }
        // Without publications for so long, the recording has lost them.
        if pending.count >= Self.mostPending {
            pending.removeFirst(max(head, Self.mostPending / 2))
            head = 0
        }
        pending.append(Pending(number: made, frame: machine.frame))
    }
}
