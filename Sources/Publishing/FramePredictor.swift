import Engine
import EngineRuntime
import Frames
import PoseMath

/// Moves frames on to the moment of their publishing, never back in time.
struct FramePredictor {
    private var last: Frame?

    /// The frame as it is published.
    ///
    /// - Parameters:
    ///   - isNewest: whether no newer one waits: of several at once only the last is worth moving on; the others keep
    ///     their own time.
    mutating func prepare(_ published: PublishedFrame, isNewest: Bool, now: MonotonicTime) -> Frame {
        var frame = published.frame
        if let last, published.isRepeat, last.sequence == frame.sequence {
            // Nothing new was measured: the pose as it was published, with the states of the sources as they are.
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
