import Foundation
import Frames
import Glibc
import PosedClient
import Testing

/// The terminal with NMEA when its reader hangs up and comes back, and when the daemon does.
@Suite(.serialized) struct TerminalHangUpTests {
    @Test func aReaderThatComesBackFindsTheNextInstant() throws {
        // GIVEN a reader of the terminal; WHEN it hangs up, and opens it again after more sentences than the terminal
        // holds; THEN whole sentences come at once, those of the hang-up are gone, and nobody else lost a frame.
        let (daemon, terminal, _folder) = try serving()
        defer { _ = _folder }
        let frames = KnownFrames(daemon.loggingClient())
        #expect(DaemonProcess.poll(seconds: 60) { frames.newest() != nil })
        for _ in 0..<3 {
            let reader = try #require(TerminalReader(terminal))
            #expect(reader.times(count: 3) { _ = frames.newest() }.count >= 3)
            reader.hangUp()
            // 40 instants are 14 KB; the terminal holds 4, those of 1.2 s.
            let begin = frames.newest() ?? 0
            #expect(DaemonProcess.poll(seconds: 60) { (frames.newest() ?? 0) > begin + 4_000_000_000 })
            let again = try #require(TerminalReader(terminal))
            // What is kept would begin at the hang-up if nothing were dropped. That only two instants are kept is
            // tested without a clock; by how much the thread that writes them is late here is the machine's.
            let first = try #require(again.times(count: 1) { _ = frames.newest() }.first)
            let since = (first - Double(begin / 1_000_000 % 86_400_000) / 1000).remainder(dividingBy: 86_400)
            #expect(since > 2, "\(since) s after the hang-up")
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

/// The time of the newest frame that a client has received.
private final class KnownFrames {
    private var client: FrameClient
    private var newestTime: Int64?

    /// `client` gets every frame.
    init(_ client: consuming FrameClient) { self.client = client }

    /// Takes the frames that have come. Returns the newest UTC, nanoseconds; `nil` before the first frame that has it.
    func newest() -> Int64? {
        while true {
            switch client.next(timeoutSeconds: 0) {
            case .message(let received):
                if case .frame(let frame, _) = received.message { newestTime = frame.utcNanoseconds ?? newestTime }
            case .connected: continue
            case .disconnected, .nothing: return newestTime
            }
        }
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
