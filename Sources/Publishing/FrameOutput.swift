import Frames
import PoseMath

/// An output of frames in another format, for programs that do not know posed. Only the socket thread uses it; it never
/// waits.
package protocol FrameOutput: AnyObject {
    /// A descriptor that is readable when ``serve(now:)`` has work.
    var descriptor: Int32 { get }
    /// Processes input from the other side.
    func serve(now: MonotonicTime)
    /// Sends a frame if it is due.
    func publish(_ frame: Frame, now: MonotonicTime)
    /// Removes the output's files.
    func remove()
}
