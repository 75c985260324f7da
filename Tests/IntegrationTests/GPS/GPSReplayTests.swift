import Foundation
import Fusion
import Sensors
import Testing

/// Real gpsd, real receivers' bytes on a pseudo-terminal, compared with what gpsd's own expectations state.
@Suite(.serialized, .enabled(if: GpsdProcess.isInstalled && ReceiverLog.areThere, "needs gpsd and the shared receiver logs"))
struct GPSReplayTests {
    /// A running chain from a terminal to a sink.
    struct Chain {
        let feed: ReceiverFeed
        let gpsd: GpsdProcess
        let sink = RecordingSink()
        let board = SourceStatusBoard()
        let source: GPSSource

        init(device: String? = nil) throws {
            feed = try ReceiverFeed()
            gpsd = try GpsdProcess(devices: [feed.path])
            var settings = GPSSettings()
            settings.host = "127.0.0.1"
            settings.port = gpsd.port
            settings.device = device
            source = GPSSource(settings: settings, sink: sink, board: board)
            source.start()
        }

        var status: SourceStatus? { board.statuses.first }

        /// Whether gpsd has the terminal open and watches it for the source.
        func isWatching() -> Bool { eventually(within: 5) { status?.explanation.contains(feed.path) ?? false } }

        func stop() {
            source.stop()
            gpsd.kill(SIGKILL)
            feed.stop()
        }
    }

    struct Expectation: CustomTestStringConvertible {
        var log: String
        /// Epochs of the log that gpsd may miss while it finds out what the receiver speaks.
        var missed: Int
        var testDescription: String { log }
    }

    @Test(arguments: [
        Expectation(log: "bu303-moving", missed: 7), Expectation(log: "neo-m8n", missed: 5),
        Expectation(log: "ublox-f9p-hpnmea", missed: 5), Expectation(log: "bt451", missed: 5),
        Expectation(log: "garmin-10x", missed: 5), Expectation(log: "tr737A+", missed: 5), Expectation(log: "motorola-t805", missed: 5),
    ])
    func theFixesAreThoseOfTheLog(expectation: Expectation) throws {
        // GIVEN a log of a real receiver
        let log = try ReceiverLog(expectation.log)
        let chain = try Chain()
        defer { chain.stop() }
        #expect(chain.isWatching(), "\(String(describing: chain.status))")
        // WHEN it is replayed
        chain.feed.play(log.bytes, bytesPerSecond: 3000)
        eventually(within: 10) { chain.feed.isFinished }
        eventually(within: 1) { chain.sink.fixes.count >= log.epochs.count }
        // THEN one fix came per epoch: of each that gpsd saw, in order, with the position, height and speed it is known to have
        let fixes = chain.sink.fixes
        let matches = log.epochs(matching: fixes)
        #expect(matches.allSatisfy { $0 != nil }, "\(expectation.log): \(matches)")
        #expect(fixes.count >= log.epochs.count - expectation.missed && fixes.count <= log.epochs.count, "\(fixes.count) of \(log.epochs.count)")
        #expect(chain.sink.state == .streaming)
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
        #expect(fixes.allSatisfy { $0.validityTime <= $0.arrivalTime && ($0.horizontalSigmaMeters ?? 0) > 0 })
    }
}
