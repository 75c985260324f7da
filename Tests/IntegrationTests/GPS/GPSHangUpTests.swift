import Foundation
import SensorInterface
import Sensors
import Testing

/// A receiver that is unplugged and plugged in again at the same path. Normally udev reports the return to gpsd; here
/// the test does. Without that report gpsd 3.22 never reopens a terminal that has hung up, whatever a client requests.
@Suite(.serialized, .enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
struct GPSHangUpTests {
    @Test func aTerminalThatHangsUpAndReturnsIsFoundAgain() throws {
        // GIVEN a receiver that streams through gpsd from a path that may disappear and return
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        let path = "\(folder.path)/receiver"
        var feed: ReceiverFeed? = try ReceiverFeed()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: try #require(feed).path)
        let gpsd = try GpsdProcess(devices: [path], control: "\(folder.path)/control")
        let (sink, board) = (RecordingSink(), SourceStatusBoard())
        var settings = GPSSettings()
        settings.host = "127.0.0.1"
        settings.port = gpsd.port
        let source = GPSSource(settings: settings, sink: sink, board: board)
        source.start()
        defer {
            source.stop()
            gpsd.kill(SIGKILL)
            feed?.stop()
        }
        NMEAReceiver().play(on: try #require(feed))
        #expect(eventually(within: 60) { sink.state == .streaming && sink.fixes.count >= 8 }, "\(board.statuses)")
        // WHEN its terminal hangs up THEN the source is stale within one cycle and 1 s (0.5 s are for a busy machine)
        feed?.stop()
        feed = nil
        try FileManager.default.removeItem(atPath: path)
        #expect(gpsd.tell("-\(path)"))
        #expect(eventually(within: 1.2 + 0.5) { sink.state != .streaming }, "\(board.statuses)")
        #expect(eventually(within: 60) { board.statuses.first?.explanation.isEmpty == false })
        // WHEN another terminal appears at the same path and sends data THEN fixes arrive within 3 s; 0.5 s are for a
        // busy machine
        let next = try ReceiverFeed()
        feed = next
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: next.path)
        NMEAReceiver().play(on: next)
        #expect(gpsd.tell("+\(path)"))
        let before = sink.fixes.count
        #expect(
            eventually(within: 3.5) { sink.state == .streaming && sink.fixes.count > before + 3 }, "\(board.statuses)")
        #expect(zip(sink.fixes, sink.fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
    }
}
