import Frames
import PoseMath

/// Another form of the same frames, for programs that do not know posed. For the socket thread alone; never waits.
package protocol FrameOutput: AnyObject {
    /// Readable when ``serve(now:)`` has something to do.
    var descriptor: Int32 { get }
    /// Reads what the other side says.
    func serve(now: MonotonicTime)
    /// Takes a frame; sends it when it is due.
    func publish(_ frame: Frame, now: MonotonicTime)
    /// Takes away what it has put into the file system.
    func remove()
}
