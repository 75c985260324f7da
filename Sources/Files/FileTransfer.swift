import Glibc

/// Reads or writes all requested bytes: a single system call may transfer only a part, or be interrupted.
public enum FileTransfer {
    /// Writes all bytes at an offset of a file, or without an offset at the current position.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil)
        throws(FileFault)
    {
        var written = 0
        while written < bytes.count, let start = bytes.baseAddress {
            let (from, count) = (start + written, bytes.count - written)
            let wrote =
                offset.map { pwrite(descriptor, from, count, off_t($0 + written)) }
                ?? Glibc.write(descriptor, from, count)
            if wrote < 0, errno == EINTR { continue }
            guard wrote > 0 else { throw .notWritten(wrote < 0 ? errno : EIO) }
            written += wrote
        }
    }

    /// Writes a text at the current position; the descriptor may be a terminal or a pipe.
    public static func write(_ text: String, to descriptor: Int32) throws(FileFault) {
        try Array(text.utf8).span.withUnsafeBytes { bytes throws(FileFault) in try write(bytes, to: descriptor) }
    }

    /// Reads from an offset of a file. Returns the number of bytes read, which is smaller only at the end of the file.
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
