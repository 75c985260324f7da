import CSystem
import Glibc

/// Writes a large file to the disk while it grows, and gives the memory of what is there back to the system.
///
/// Otherwise an output of a gigabyte stays in the page cache until the end: it displaces what other programs read, the
/// final fsync waits for all of it, and on a virtual machine each new page costs several times more than one used
/// again. Hints only: their errors are without effect, those of writing come from `write` and `fsync`.
public struct WriteBehind {
    /// Bytes whose writing is started together.
    private let window: Int
    /// Number of windows that may be on the way to the disk.
    private let depth: Int
    private var size = 0
    private var started = 0

    /// With 8 MiB windows, eight of them on the way: more than a disk's queue.
    public init(window: Int = 8 << 20, depth: Int = 8) {
        self.window = max(window, 1)
        self.depth = max(depth, 1)
    }

    /// Notes that bytes were appended to a file that is written from its start.
    public mutating func appended(_ count: Int, to descriptor: Int32) {
        size += max(count, 0)
        while size - started >= window {
            posed_write_out(descriptor, off_t(started), off_t(window))
            let old = started - depth * window
            if old >= 0 { posed_drop_written(descriptor, off_t(old), off_t(window)) }
            started += window
        }
    }
}
