import Engine
import EngineRuntime
import Frames
import PoseMath

/// Predicts frames to the time of publishing, never backwards in time.
struct FramePredictor {
    private var last: Frame?

    /// The frame to publish.
    ///
    /// - Parameters:
    ///   - isNewest: whether no newer frame is waiting. Only the last waiting frame is predicted; the others
    ///     keep their own time.
    mutating func prepare(_ published: PublishedFrame, isNewest: Bool, now: MonotonicTime) -> Frame {
        var frame = published.frame
        if let last, published.isRepeat, last.sequence == frame.sequence {
            // No new measurement: the pose as it was published, with the current states of the sources.
            frame.pose = last.pose
            (frame.timeNanoseconds, frame.utcNanoseconds) = (last.timeNanoseconds, last.utcNanoseconds)
        } else if !published.isRepeat {
            let target = isNewest ? max(now.nanoseconds, frame.timeNanoseconds) : frame.timeNanoseconds
            frame.predict(to: MonotonicTime(nanoseconds: max(target, last.map { $0.timeNanoseconds &+ 1 } ?? .min)))
        }
        frame.publishedNanoseconds = now.nanoseconds
        last = frame
        return frame
    }
}
