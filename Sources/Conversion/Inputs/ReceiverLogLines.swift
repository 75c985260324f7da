import Files
import Glibc
import Recording

/// Passes a receiver's log through a private gpsd and delivers its reports. gpsd detects the receiver's protocol: NMEA,
/// UBX, SiRF and many more.
final class ReceiverLogLines: GpsdLineSource {
    private let path: String
    private let file: RegularFile
    private let gpsd: GpsdChild
    private var offset = 0
    private var chunk: ArraySlice<UInt8> = []
    private var received: [UInt8] = []
    private var lines: ArraySlice<[UInt8]> = []
    private var hasFed = false
    private var hasClosed = false
    private var hasEnded = false

    /// Bytes given to gpsd at once, and how long its reports must pause before the next ones, milliseconds: gpsd drops
    /// reports that nobody takes.
    private static let (chunkBytes, pauseMilliseconds) = (4096, Int32(5))
    /// Time without any report after which the log has ended, milliseconds: once gpsd has read all of it and closed the
    /// connection, and in any case.
    private static let (closedMilliseconds, endMilliseconds) = (Int32(300), Int32(5_000))
    /// Longest line of gpsd, bytes.
    private static let longestLine = 1 << 17

    /// Opens the log and starts gpsd.
    init(path: String) throws(RecordingError) {
        self.path = path
        do throws(FileFault) {
            file = try RegularFile(path)
        } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
        gpsd = try GpsdChild(path: path)
    }

    var progress: Double { file.size > 0 ? min(Double(offset) / Double(file.size), 1) : 0 }

    func next() throws(RecordingError) -> [UInt8]? {
        while true {
            if let line = lines.popFirst() { return line }
            guard !hasEnded else { return nil }
            try turn()
        }
    }

    /// Feeds the next bytes when gpsd has nothing to say, else takes its reports.
    private func turn() throws(RecordingError) {
        let end = hasClosed ? Self.closedMilliseconds : Self.endMilliseconds
        if take(waiting: hasFed ? end : Self.pauseMilliseconds) { return }
        if hasFed { hasEnded = true } else { try feed() }
    }

    private func feed() throws(RecordingError) {
        if chunk.isEmpty {
            do throws(FileFault) {
                chunk = try file.bytes(at: offset, count: Self.chunkBytes)[...]
            } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
            offset += chunk.count
        }
        guard !chunk.isEmpty else {
            hasFed = true
            shutdown(gpsd.feed, Int32(SHUT_WR))
            return
        }
        let sent = chunk.withUnsafeBytes { send(gpsd.feed, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if sent > 0 { chunk = chunk.dropFirst(sent) }
        guard sent > 0 || errno == EAGAIN || errno == EINTR else {
            throw RecordingError(
                path: path, problem: "gpsd has ended while it read the log",
                remedy: "give the output of gpspipe -w instead")
        }
    }

    /// Waits for reports and takes them; `false` if there are none.
    private func take(waiting milliseconds: Int32) -> Bool {
        var ready = [
            pollfd(fd: gpsd.reports, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasFed && !hasClosed ? gpsd.feed : -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&ready, 2, milliseconds) > 0 else { return false }
        if ready[1].revents != 0 {
            var byte: UInt8 = 0
            let count = recv(gpsd.feed, &byte, 1, 0)
            hasClosed = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
        }
        if ready[0].revents != 0 { receive() }
        return true
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(gpsd.reports, &buffer, buffer.count, 0)
        guard count > 0 else {
            hasEnded = count == 0 || (errno != EAGAIN && errno != EINTR)
            return
        }
        received += buffer[..<count]
        var found: [[UInt8]] = []
        var start = received.startIndex
        while let end = received[start...].firstIndex(of: 10) {
            found.append(Array(received[start..<end]))
            start = end + 1
        }
        received.removeFirst(start)
        if received.count > Self.longestLine { received = [] }
        lines += found
    }
}
