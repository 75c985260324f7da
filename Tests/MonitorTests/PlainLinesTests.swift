import Foundation
import Frames
import Glibc
import PlayedDaemon
import Testing

@testable import Monitor

/// What the monitor writes into a pipe.
@Suite struct PlainLinesTests {
    @Test func whatHasNotChangedIsToldOnce() {
        // GIVEN a daemon that is not there, twice for one reason and then for another, one that is connected, and a
        // frame that is seen twice WHEN each state is told THEN what is as before has no line
        var (away, gone, connected, lines) = (MonitorState(), MonitorState(), MonitorState(), PlainLines())
        away.disconnect(why: "nobody listens")
        gone.disconnect(why: "gone")
        connected.connection = .connected
        let driving = drivingState()
        let told = [away, away, gone, gone, connected, connected, driving, driving, gone].map { lines.next($0) }
        #expect(told.map { $0 != nil } == [true, false, true, false, true, false, true, false, true])
        #expect(told[0] == "not connected: nobody listens" && told[2] == "not connected: gone")
        #expect(told[4] == "connected; no frame yet" && told[8] == "not connected: gone")
    }

    /// Prints lines into a pipe that nobody reads any more.
    static func printIntoAClosedPipe(json: Bool) {
        // What would go on for ever is ended.
        alarm(60)
        let path = NSTemporaryDirectory() + "posed-p-\(UUID().uuidString.prefix(8))"
        var encoder = JSONFrameEncoder()
        let frame = String(encoder.text(drivingFrame()).dropLast())
        let daemon = PlayedDaemon(path) { line in line.contains("subscribe") ? [frame] : [] }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO else { exit(9) }
        close(ends[0])
        let outcome = Monitor(socketPath: path, once: false, json: json, durationSeconds: nil).run()
        #expect(outcome == .done)
        withExtendedLifetime(daemon) {}
    }

    /// Shows a frame once on a disk that is full.
    static func printOnceOnAFullDisk() {
        // What would go on for ever is ended.
        alarm(60)
        let path = NSTemporaryDirectory() + "posed-p-\(UUID().uuidString.prefix(8))"
        var encoder = JSONFrameEncoder()
        let frame = String(encoder.text(drivingFrame()).dropLast())
        let daemon = PlayedDaemon(path) { line in line.contains("subscribe") ? [frame] : [] }
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        guard full >= 0, dup2(full, STDOUT_FILENO) == STDOUT_FILENO else { exit(9) }
        let outcome = Monitor(socketPath: path, once: true, json: true, durationSeconds: nil).run()
        withExtendedLifetime(daemon) {}
        guard case .cannotWrite(let why) = outcome, why.contains("No space left on device") else { exit(8) }
    }

    @Test func aFrameThatCannotBeShownIsAnError() async {
        // GIVEN a daemon that sends a frame, and an output on a full disk WHEN it is shown once THEN that is told
        await #expect(processExitsWith: .success) { PlainLinesTests.printOnceOnAFullDisk() }
    }

    @Test func theEndOfTheReaderEndsTheLines() async {
        // GIVEN a daemon that sends a frame, and an output whose reader has gone WHEN JSON lines, or plain ones, are
        // printed without an end THEN the first one ends that; the output is that of the process
        await #expect(processExitsWith: .success) { PlainLinesTests.printIntoAClosedPipe(json: true) }
        await #expect(processExitsWith: .success) { PlainLinesTests.printIntoAClosedPipe(json: false) }
    }
}
