import Glibc

/// Moves all of some bytes: a single call may take a part of them, or be interrupted.
public enum FileTransfer {
    /// Writes all bytes at a place of a file, or without a place where the descriptor stands.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil)
        throws(FileFault)
    {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let (from, count) = (start + done, bytes.count - done)
            let wrote =
                offset.map { pwrite(descriptor, from, count, off_t($0 + done)) } ?? Glibc.write(descriptor, from, count)
            if wrote < 0, errno == EINTR { continue }
            guard wrote > 0 else { throw .notWritten(wrote < 0 ? errno : EIO) }
            done += wrote
        }
    }

    /// Writes a text where the descriptor stands, which may be a terminal's or a pipe's too.
    public static func write(_ text: String, to descriptor: Int32) throws(FileFault) {
        try Array(text.utf8).span.withUnsafeBytes { bytes throws(FileFault) in try write(bytes, to: descriptor) }
    }

    /// Reads from a place of a file on; how many bytes were there before it ends.
    public static func read(from descriptor: Int32, at offset: Int, into target: UnsafeMutableRawBufferPointer)
        throws(FileFault) -> Int
    {
        var done = 0
        while done < target.count {
            let got = pread(descriptor, target.baseAddress.map { $0 + done }, target.count - done, off_t(offset + done))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .notRead(errno) }
            if got == 0 { break }
            done += got
        }
        return done
    }
}
