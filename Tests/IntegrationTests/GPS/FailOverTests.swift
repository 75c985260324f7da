import Foundation
import SensorInterface
import Sensors
import Testing

/// Two receivers of a real gpsd, in an order of preference.
@Suite(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
struct FailOverTests {
    @Test func theSecondReceiverTakesOverAndTheFirstComesBack() throws {
        // GIVEN two receivers at 5 Hz behind one gpsd, the second one with RTK and two antennas
        let (first, second) = (try ReceiverFeed(), try ReceiverFeed())
        let gpsd = try GpsdProcess(devices: [first.path, second.path])
        let (sink, board) = (RecordingSink(), SourceStatusBoard())
        var settings = gpsd.settings
        settings.receivers = [first.path, second.path].compactMap { GPSReceiverPlace($0) }
        let source = GPSSource(settings: settings, sink: sink, board: board)
        source.start()
        defer {
            source.stop()
            gpsd.kill(SIGKILL)
            [first, second].forEach { $0.stop() }
        }
        NMEAReceiver().play(on: first)
        NMEAReceiver(headingDegrees: 33.25, quality: 4, corrections: "1.5,0022").play(on: second)
        // On a busy machine gpsd needs some attempts for two new receivers.
        let isReady = eventually(within: 120) {
            sink.fixes.suffix(10).count { $0.receiver == 0 } == 10
                && board.statuses.allSatisfy { $0.state == .streaming && $0.rateHertz.map { $0 > 3 } ?? false }
        }
        try #require(isReady, "\(board.statuses)")
        // THEN each states its solution, corrections and heading, and the first one is in use
        #expect(board.statuses.map(\.description.name) == ["gps1", "gps2"])
        expectSolutions(board.statuses.compactMap(\.receiver), devices: [first.path, second.path])
        // WHEN the first one stops THEN the second one is used, with the reason; the exact times are those of
        // ReceiverPriorityTests, which need no clock
        first.pause(true)
        #expect(eventually(within: 60) { sink.fixes.last?.receiver == 8 }, "\(board.statuses)")
        #expect(
            eventually(within: 60) {
                board.statuses[1].receiver?.useReason?.hasPrefix("gps1 has delivered no usable fix") == true
            }, "\(board.statuses)")
        #expect(eventually(within: 60) { sink.state == .streaming })
        // WHEN it is back THEN it is used again: after 5 s, or earlier and later where a machine that stalls makes one
        // of them fail
        first.pause(false)
        #expect(eventually(within: 60) { sink.fixes.last?.receiver == 0 }, "\(board.statuses)")
        #expect(zip(sink.fixes, sink.fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
    }

    /// Checks what each receiver states of its solution.
    private func expectSolutions(_ receivers: [ReceiverStatus], devices: [String]) {
        #expect(receivers.map(\.isInUse) == [true, false] && receivers.map(\.device) == devices)
        #expect(receivers.map(\.solution) == ["single", "rtk_fixed"])
        #expect(receivers[0].correctionsAgeSeconds == nil && receivers[1].correctionsAgeSeconds == 1.5)
        #expect(receivers[1].correctionsStation == 22 && receivers[1].headingDegrees == 33.25)
    }
}

extension GpsdProcess {
    /// The settings for all its receivers.
    fileprivate var settings: GPSSettings {
        var settings = GPSSettings()
        (settings.host, settings.port) = ("127.0.0.1", port)
        return settings
    }
}
