import CSystem
import Frames
import Glibc
import PoseMath

/// NMEA 0183 on a pseudo-terminal, which looks like a receiver on a serial line to a navigation program or to gpsd.
///
/// A symbolic link at a fixed path leads to the terminal. A reader is not required. Unread sentences are discarded when
/// the next sentences are written, so a program that opens the terminal late reads no old ones.
package final class NMEAOutput: FrameOutput {
    /// The controlling end: bytes written here are read at the terminal.
    package let descriptor: Int32
    /// Kept open, so that the terminal keeps its settings and exists without a reader.
    private let terminal: Int32
    private let path: String
    private let name: String
    private var pacing: Pacing
    private var encoder = NMEAEncoder()
    /// Number of unread bytes that is discarded: the sentences of two instants.
    private static let mostUnread: Int32 = 900

    /// Opens the terminal and creates the link. An existing file at its path is replaced only if it is a link.
    package init(path: String, rateHertz: Double, mode: UInt32) throws(SocketError) {
        self.path = path
        pacing = Pacing(rateMillihertz: UInt32(min(max(rateHertz, 1), 50) * 1000))
        var terminal: Int32 = -1
        var name = [CChar](repeating: 0, count: 128)
        let near = posed_terminal_open(&terminal, &name, name.count)
        guard near >= 0 else {
            throw SocketError(place: path, text: "cannot open a pseudo-terminal: \(describe(errno))")
        }
        descriptor = near
        self.terminal = terminal
        self.name = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // gpsd opens the terminal with the write permission of its group.
        fchmod(terminal, mode & 0o666)
        // All members are set, so deinit closes the open descriptors on error.
        try link()
    }

    deinit {
        close(descriptor)
        close(terminal)
    }

    package func serve(now: MonotonicTime) {
        // gpsd sends probes for known receivers; they are discarded.
        var chunk = [UInt8](repeating: 0, count: 1024)
        for _ in 0..<16 where read(descriptor, &chunk, chunk.count) <= 0 { return }
    }

    package func publish(_ frame: Frame, now: MonotonicTime) {
        guard pacing.takes(now) else { return }
        let sentences = encoder.sentences(frame)
        guard !sentences.isEmpty else { return }
        if posed_unread(terminal) > Self.mostUnread { tcflush(terminal, TCIFLUSH) }
        // After a partial write a sentence lacks its checksum, so its reader rejects it.
        _ = sentences.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    package func remove() {
        if Self.target(of: path) == name { unlink(path) }
    }

    private func link() throws(SocketError) {
        var information = stat()
        if lstat(path, &information) == 0, information.st_mode & S_IFMT != S_IFLNK {
            throw SocketError(
                place: path,
                text: "exists and is not a link: remove it, or set another outputs.nmea_path")
        }
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        guard symlink(name, temporary) == 0, rename(temporary, path) == 0 else {
            let problem = errno
            unlink(temporary)
            throw SocketError(
                place: path,
                text:
                    "cannot create the link to the terminal: \(describe(problem)); check the folder and its "
                    + "permissions"
            )
        }
    }

    private static func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self) : nil
    }
}
