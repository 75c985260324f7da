import Files
import Glibc
import Recording

/// Passes a receiver's log through a private gpsd and delivers its reports. gpsd detects the receiver's protocol: NMEA,
/// UBX, SiRF and many more.
final class ReceiverLogLines: GpsdLineSource {
    private let path: String
    private let file: RegularFile
    private let gpsd: any ReceiverLink
    private var offset = 0
    private var chunk: ArraySlice<UInt8> = []
    private var received: [UInt8] = []
    private var lines: ArraySlice<[UInt8]> = []
    private var hasMark = false
    private var hasFed = false
    private var hasEnded = false

    /// Bytes given to gpsd at once, and how long its reports must pause before the next ones, milliseconds: gpsd drops
    /// reports that nobody takes.
    private static let (chunkBytes, pauseMilliseconds) = (4096, Int32(5))
    /// Time without any report after which the log has ended in any case, milliseconds.
    private static let endMilliseconds: Int32 = 5_000
    /// Follows the log: gpsd does not tell the end of its input, but reports this message of a ship at once. Three
    /// times, because an incomplete message at the end of the log may swallow the first ones.
    private static let endMark = Array(
        String(repeating: "\r\n!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C\r\n", count: 3).utf8)
    /// In gpsd's report of that message, and in its report that the driver for ships is used now.
    private static let (markReport, markDriver) = (
        Array("\"mmsi\":477553000,".utf8), Array("\"driver\":\"AIVDM\"".utf8)
    )
    /// Longest line of gpsd, bytes.
    private static let longestLine = 1 << 17

    /// Opens the log and starts gpsd. `link` starts it.
    init(
        path: String,
        link: (String) throws(RecordingError) -> any ReceiverLink = {
            (path) throws(RecordingError) -> any ReceiverLink in try GpsdChild(path: path)
        }
    ) throws(RecordingError) {
        self.path = path
        do throws(FileFault) {
            file = try RegularFile(path)
        } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
        gpsd = try link(path)
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
        if try take(waiting: hasFed ? Self.endMilliseconds : Self.pauseMilliseconds) { return }
        if hasFed { hasEnded = true } else { try feed() }
    }

    private func feed() throws(RecordingError) {
        if chunk.isEmpty {
            do throws(FileFault) {
                chunk = try file.bytes(at: offset, count: Self.chunkBytes)[...]
            } catch { throw RecordingError(path: path, problem: error.reason, remedy: error.remedy) }
            offset += chunk.count
            if chunk.isEmpty, !hasMark {
                chunk = Self.endMark[...]
                hasMark = true
            }
        }
        guard !chunk.isEmpty else {
            hasFed = true
            return
        }
        let sent = chunk.withUnsafeBytes { send(gpsd.feed, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if sent > 0 { chunk = chunk.dropFirst(sent) }
        guard sent > 0 || errno == EAGAIN || errno == EINTR else { throw gpsdEnded }
    }

    private var gpsdEnded: RecordingError {
        RecordingError(
            path: path, problem: "gpsd has ended while it read the log",
            remedy: "give the output of gpspipe -w instead")
    }

    /// Waits for reports and takes them; `false` if there are none.
    private func take(waiting milliseconds: Int32) throws(RecordingError) -> Bool {
        var ready = pollfd(fd: gpsd.reports, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return false }
        try receive()
        return true
    }

    private func receive() throws(RecordingError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(gpsd.reports, &buffer, buffer.count, 0)
        guard count > 0 else {
            // Before the end mark the rest of the log would be missing without a word.
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw gpsdEnded }
            return
        }
        received += buffer[..<count]
        var start = received.startIndex
        while !hasEnded, let end = received[start...].firstIndex(of: 10) {
            let line = Array(received[start..<end])
            start = end + 1
            if hasMark, line.contains(Self.markReport) {
                hasEnded = true
            } else if !hasMark || !line.contains(Self.markDriver) {
                lines.append(line)
            }
        }
        received.removeFirst(start)
        if received.count > Self.longestLine { received = [] }
    }
}
