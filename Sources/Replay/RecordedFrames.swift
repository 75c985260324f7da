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
    /// Whether the recording has an IMU, without publications: then only IMU samples give lines.
    private var hasIMU = false
    private var hasEvent = false

    /// Frames that wait for their publication at most: the recorder writes them once per second.
    private static let mostPending = 8192

    init(engine: EngineSettings) { machine = Engine(settings: engine) }

    /// Processes the facts of the first file.
    mutating func begin(_ info: RecordingInfo) {
        hasPublications = info.hasPublications
        made = info.publishedBefore
    }

    /// Processes an input. Without publications, returns whether the new frame is one of the replay's.
    mutating func apply(_ input: EngineInput) -> Bool {
        let isNew = machine.apply(input)
        if case .report(let report) = input, report.source == .imu, !hasEvent { hasIMU = true }
        if case .event = input { hasEvent = true }
        if case .repetition = input {
            keep()
            return false
        }
        guard isNew else { return false }
        keep()
        let isSample = if case .event(.inertial) = input { true } else { false }
        return !hasPublications && (isSample || !hasIMU)
    }

    /// Publishes a frame as it was published live: the engine's frame, and the one predicted to the time of publishing;
    /// `nil` if the engine did not make it.
    mutating func publish(_ publication: Publication) -> (made: Frame, published: Frame)? {
        while head < pending.count, pending[head].number < publication.number { head += 1 }
        guard head < pending.count, pending[head].number == publication.number else { return nil }
        let made = pending[head].frame
        let frame = predictor.prepare(
            made, isRepeat: publication.isRepeat, isNewest: publication.isNewest,
            now: publication.time)
        head += 1
        // The publications of a second come together, and use up the frames before them.
        if head == pending.count {
            pending.removeAll(keepingCapacity: true)
            head = 0
        }
        return (made, frame)
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
