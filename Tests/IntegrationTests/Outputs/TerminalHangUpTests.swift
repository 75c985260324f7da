import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// The terminal with NMEA when its reader hangs up and comes back, and when the daemon does.
@Suite(.serialized) struct TerminalHangUpTests {
    @Test func aReaderThatComesBackFindsTheNextInstant() throws {
        // GIVEN a reader of the terminal; WHEN it hangs up, and opens it again after more sentences than the terminal
        // holds; THEN whole sentences come at once, none older than two instants, and nobody else lost a frame.
        let (daemon, terminal, _folder) = try serving()
        defer { _ = _folder }
        let frames = KnownFrames(daemon.loggingClient())
        #expect(DaemonProcess.poll(seconds: 60) { frames.newest() != nil })
        for _ in 0..<3 {
            let reader = try #require(TerminalReader(terminal))
            #expect(reader.times(count: 3) { _ = frames.newest() }.count >= 3)
            reader.hangUp()
            // 20 instants are 7 KB; the terminal holds 4.
            let begin = frames.newest() ?? 0
            #expect(DaemonProcess.poll(seconds: 60) { (frames.newest() ?? 0) > begin + 2_000_000_000 })
            let again = try #require(TerminalReader(terminal))
            // The frames that were there before it was opened: what comes later makes no instant older.
            let first = try #require(again.times(count: 1).first)
            // Two instants at 10 Hz, and one that is under way. How far they are apart is the machine's.
            let later = frames.instants(after: first)
            #expect(later <= 3, "\(later) instants after \(first)")
            again.hangUp()
        }
        #expect(!daemon.log.contains("warning"), "\(daemon.log)")
    }

    @Test func aDaemonThatDiesHangsUpAndComesBackAtTheSamePath() throws {
        // GIVEN a reader of the terminal; WHEN the daemon is killed; THEN the reader is told at once that the line is
        // gone; WHEN the daemon is back; THEN the dead link has been replaced, and sentences come at the same path
        // within 3 s.
        let (daemon, terminal, _folder) = try serving()
        defer { _ = _folder }
        let reader = try #require(TerminalReader(terminal))
        #expect(!reader.times(count: 1).isEmpty)
        _ = daemon.stop(SIGKILL)
        #expect(DaemonProcess.poll(seconds: 60) { reader.isHungUp })
        let before = try FileManager.default.destinationOfSymbolicLink(atPath: terminal)
        // Held open, so that the number of the dead terminal is not given out again.
        try daemon.restart()
        #expect(
            DaemonProcess.poll(seconds: 60) {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: terminal)) != before
            })
        reader.hangUp()
        let again = try #require(TerminalReader(terminal))
        // 3 s of a NapClock from the first fix on; the demo drive knows the time within a second.
        #expect(!again.times(seconds: 4, count: 1).isEmpty)
        again.hangUp()
    }

    private func serving() throws -> (DaemonProcess, String, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let terminal = "\(folder.path)/nmea"
        let daemon = try DaemonProcess([
            "--source", "simulated", "--set", "outputs.nmea_path=\(terminal)", "--set", "outputs.nmea_rate_hz=10",
        ])
        // The sockets are listened on a moment before the terminal is there.
        #expect(DaemonProcess.poll(seconds: 60) { access(terminal, F_OK) == 0 })
        return (daemon, terminal, folder)
    }
}

/// The times of the frames that a client has received.
private final class KnownFrames {
    private var client: FrameClient
    private var times: [Int64] = []

    /// `client` gets every frame.
    init(_ client: consuming FrameClient) { self.client = client }

    /// Takes the frames that have come. Returns the newest UTC, nanoseconds; `nil` before the first frame that has it.
    func newest() -> Int64? {
        while true {
            switch client.next(timeoutSeconds: 0) {
            case .message(let received):
                if case .frame(let frame, _) = received.message, let time = frame.utcNanoseconds { times.append(time) }
            case .connected: continue
            case .disconnected, .nothing: return times.last
            }
        }
    }

    /// How many instants at 10 Hz the daemon has made of the frames after one at this second of the day, at least: it
    /// takes the first frame that is a tenth of a second later than the one before. Sentences have hundredths.
    func instants(after first: Double) -> Int {
        var (last, count) = (first, 0)
        for time in times {
            let second = Double(time / 1_000_000 % 86_400_000) / 1000
            guard (second - last).remainder(dividingBy: 86_400) > 0.095 else { continue }
            (last, count) = (second, count + 1)
        }
        return count
    }
}

/// A navigation program on a serial line.
private final class TerminalReader {
    private let descriptor: Int32
    private var isOpen = true
    private var bytes: [UInt8] = []
    /// Whether the other end has gone.
    private(set) var sawEnd = false

    init?(_ path: String) {
        descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { hangUp() }

    func hangUp() {
        if isOpen { close(descriptor) }
        isOpen = false
    }

    /// Whether the line is gone.
    var isHungUp: Bool {
        take()
        return sawEnd
    }

    /// Seconds of the day in the RMC sentences that come: so many, or what comes in that time. Every whole line must be
    /// a sentence with its checksum. `meanwhile` is done again and again.
    func times(seconds: Double = 60, count: Int, _ meanwhile: () -> Void = {}) -> [Double] {
        var times: [Double] = []
        _ = DaemonProcess.poll(seconds: seconds) {
            meanwhile()
            take()
            while let end = bytes.firstIndex(of: 0x0A) {
                let line = bytes[..<end]
                bytes.removeFirst(end + 1)
                let text = String(decoding: line, as: UTF8.self)
                let sum = line.dropFirst().prefix { $0 != 0x2A }.reduce(0, ^)
                #expect(
                    text.hasPrefix("$")
                        && text.dropLast().hasSuffix((sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)),
                    "\(text)")
                guard text.hasPrefix("$GPRMC,"), let clock = Double(text.dropFirst(7).prefix(9)) else { continue }
                let hours = (clock / 10_000).rounded(.down)
                let minutes = (clock / 100).rounded(.down) - hours * 100
                times.append(hours * 3600 + minutes * 60 + clock - hours * 10_000 - minutes * 100)
            }
            return times.count >= count
        }
        return times
    }

    private func take() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 {
                bytes += chunk[..<count]
            } else {
                if count == 0 || errno == EIO { sawEnd = true }
                return
            }
        }
    }
}
