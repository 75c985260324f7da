import Foundation
import Frames
import Glibc
import Testing

/// The terminal with NMEA when its reader hangs up and comes back, and when the daemon does.
@Suite(.serialized) struct TerminalHangUpTests {
    @Test func aReaderThatComesBackFindsTheNextInstant() throws {
        // GIVEN a reader of the terminal; WHEN it hangs up, and opens it again after more sentences than the terminal
        // holds; THEN whole sentences come at once, none older than two instants, and nobody else lost a frame.
        let (daemon, terminal, _folder) = try serving()
        defer { _ = _folder }
        var client = daemon.frameClient()
        #expect(DaemonProcess.poll(seconds: 60) { client.latestFrame(timeoutSeconds: 1)?.frame.utcNanoseconds != nil })
        for _ in 0..<3 {
            let reader = try #require(TerminalReader(terminal))
            #expect(reader.times(seconds: 3, count: 3).count >= 3)
            reader.hangUp()
            // 20 instants are 7 KB; the terminal holds 4.
            let begin = client.latestFrame(timeoutSeconds: 1)?.frame.utcNanoseconds ?? 0
            #expect(
                DaemonProcess.poll(seconds: 10) {
                    (client.latestFrame(timeoutSeconds: 1)?.frame.utcNanoseconds ?? 0) > begin + 2_000_000_000
                })
            let before = client.latestFrame(timeoutSeconds: 1)?.frame.utcNanoseconds ?? 0
            let again = try #require(TerminalReader(terminal))
            let first = try #require(again.times(seconds: 3, count: 1).first)
            let secondsOfDay = Double(before / 1_000_000 % 86_400_000) / 1000
            // Two instants at 10 Hz, and one that is under way. How much later it is read is the machine's.
            let age = (secondsOfDay - first).remainder(dividingBy: 86_400)
            #expect(age < 0.3, "\(first) at \(secondsOfDay)")
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
        #expect(!reader.times(seconds: 30, count: 1).isEmpty)
        _ = daemon.stop(SIGKILL)
        #expect(DaemonProcess.poll(seconds: 1) { reader.isHungUp })
        let before = try FileManager.default.destinationOfSymbolicLink(atPath: terminal)
        // Held open, so that the number of the dead terminal is not given out again.
        try daemon.restart()
        #expect(
            DaemonProcess.poll(seconds: 5) {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: terminal)) != before
            })
        reader.hangUp()
        let again = try #require(TerminalReader(terminal))
        // 3 s from the first fix on; the demo drive knows the time within a second.
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
        #expect(DaemonProcess.poll(seconds: 5) { access(terminal, F_OK) == 0 })
        return (daemon, terminal, folder)
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
    /// a sentence with its checksum.
    func times(seconds: Double, count: Int) -> [Double] {
        var times: [Double] = []
        _ = DaemonProcess.poll(seconds: seconds) {
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
