import Glibc

/// Lines in a temporary file without a name, which disappears with the program. Memory holds 16 bytes per line, unless
/// the file itself is in memory: `/tmp` often is, and `/var/tmp` is not.
///
/// Why `@unchecked Sendable` is true: lines are appended by the one thread that reads a recording, before any other
/// thread gets the store; later it is only read, with `pread`.
final class LineStore: @unchecked Sendable {
    /// Most bytes of the file: about 30 hours at 5 frames per second.
    private static let mostBytes = 1 << 30

    private let descriptor: Int32
    private var offsets: [Int] = []
    private var times: [Double] = []
    private var end = 0
    private var pending: [UInt8] = []
    /// Whether lines can be added: `false` when the file or the disk is full.
    private(set) var isOpen = true

    init() throws(WebProblem) {
        let folders = getenv("TMPDIR").map { [String(cString: $0)] } ?? ["/var/tmp", "/tmp"]
        var (file, code) = (Int32(-1), Int32(0))
        for folder in folders where file < 0 { (file, code) = (Self.file(in: folder), errno) }
        guard file >= 0 else {
            throw WebProblem(
                "\(folders.joined(separator: ", ")): cannot create a temporary file "
                    + "(\(String(cString: strerror(code)))); set TMPDIR to a folder that may be written to")
        }
        descriptor = file
    }

    /// A new file without a name in a folder; -1 if it cannot be made, with the reason in `errno`.
    private static func file(in folder: String) -> Int32 {
        var path = Array("\(folder)/posed-web.XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { return -1 }
        unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    deinit { close(descriptor) }

    /// Number of lines.
    var count: Int { offsets.count }

    /// Time of the last line, seconds.
    var seconds: Double { times.last ?? 0 }

    /// Adds a line. Times must not decrease.
    func append(_ line: [UInt8], seconds: Double) {
        guard isOpen else { return }
        offsets.append(end)
        times.append(seconds)
        pending += line
        pending.append(0x0A)
        end += line.count + 1
        if pending.count >= 1 << 18 { flush() }
        if end >= Self.mostBytes { isOpen = false }
    }

    /// Writes what is in memory.
    func flush() {
        var done = 0
        while done < pending.count {
            let count = pending.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, pending.count - done, end - pending.count + done)
            }
            guard count > 0 else {
                isOpen = false
                // The lines that did not fit are not played.
                let kept = end - pending.count
                while let offset = offsets.last, offset >= kept {
                    offsets.removeLast()
                    times.removeLast()
                }
                end = kept
                break
            }
            done += count
        }
        pending = []
    }

    /// The lines from a time on and before another one, at most `most` of them, each with a newline.
    func lines(from: Double, to: Double, most: Int) -> [UInt8] {
        let first = index(of: from)
        let last = min(index(of: to), first + most)
        guard first < last else { return [] }
        let start = offsets[first]
        let stop = last < offsets.count ? offsets[last] : end
        var bytes = [UInt8](repeating: 0, count: stop - start)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, start + done)
            }
            guard count > 0 else { return [] }
            done += count
        }
        return bytes
    }

    /// The first line that is not before a time.
    private func index(of seconds: Double) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < seconds { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
