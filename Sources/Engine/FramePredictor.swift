import Frames
import PoseMath

/// Predicts frames to the time of publishing. The daemon and the replay of a recording share it.
///
/// Their times rise: the engine makes no frame from before its last tick, and a smaller step back is less than the
/// longest prediction. Only a reset may be followed by measurements from before.
public struct FramePredictor: Sendable {
    /// What is kept of the frame published last.
    private struct Published: Sendable {
        var sequence: UInt64
        var timeNanoseconds: Int64
        var utcNanoseconds: Int64?
        var pose: Frame.Pose
    }

    private var last: Published?

    /// A predictor before the first frame.
    public init() {}

    /// The frame to publish, from the engine's frame.
    public mutating func prepare(_ frame: Frame, isRepeat: Bool, isNewest: Bool, now: MonotonicTime) -> Frame {
        var frame = frame
        prepare(inPlace: &frame, isRepeat: isRepeat, isNewest: isNewest, now: now)
        return frame
    }

    /// Makes the frame to publish of the engine's frame.
    ///
    /// - Parameters:
    ///   - frame: the frame of the engine.
    ///   - isRepeat: whether the same pose was published before, because no new measurement arrived.
    ///   - isNewest: whether no newer frame is waiting. Only the last waiting frame is predicted; the others
    ///     keep their own time.
    ///   - now: the time of publishing.
    public mutating func prepare(inPlace frame: inout Frame, isRepeat: Bool, isNewest: Bool, now: MonotonicTime) {
        frame.grow(agesBy: now.seconds(since: MonotonicTime(nanoseconds: frame.timeNanoseconds)))
        let fixAge = frame.pose.fixAgeSeconds
        if let last, isRepeat, last.sequence == frame.sequence {
            // No new measurement: the pose as it was published, with the current states of the sources.
            frame.pose = last.pose
            frame.pose.fixAgeSeconds = fixAge
            (frame.timeNanoseconds, frame.utcNanoseconds) = (last.timeNanoseconds, last.utcNanoseconds)
        } else if !isRepeat {
            let target = isNewest ? max(now.nanoseconds, frame.timeNanoseconds) : frame.timeNanoseconds
            frame.predict(to: MonotonicTime(nanoseconds: max(target, last.map { $0.timeNanoseconds &+ 1 } ?? .min)))
        }
        frame.publishedNanoseconds = now.nanoseconds
        last = Published(
            sequence: frame.sequence, timeNanoseconds: frame.timeNanoseconds, utcNanoseconds: frame.utcNanoseconds,
            pose: frame.pose)
    }
}
