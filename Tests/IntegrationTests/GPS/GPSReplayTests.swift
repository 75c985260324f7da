import Foundation
import SensorInterface
import Sensors
import Testing

/// A running chain from a terminal through a real gpsd to a sink.
struct GPSChain {
    let feed: ReceiverFeed
    let gpsd: GpsdProcess
    let sink = RecordingSink()
    let board = SourceStatusBoard()
    let source: GPSSource

    init() throws {
        feed = try ReceiverFeed()
        gpsd = try GpsdProcess(devices: [feed.path])
        var settings = GPSSettings()
        settings.host = "127.0.0.1"
        settings.port = gpsd.port
        source = GPSSource(settings: settings, sink: sink, board: board)
        source.start()
    }

    /// The status of the source.
    var status: SourceStatus? { board.statuses.first }

    /// The count of one rejection reason.
    func count(of reason: String) -> UInt64 { status?.rejections.first { $0.reason == reason }?.count ?? 0 }

    /// Whether gpsd has the terminal open and the source has a watch on it.
    func isWatching() -> Bool { eventually(within: 60) { status?.explanation.contains(feed.path) ?? false } }

    /// Ends the chain. Returns the time that the source took, seconds.
    @discardableResult func stop() -> Double {
        let duration = NapClock.seconds { source.stop() }
        gpsd.kill(SIGKILL)
        feed.stop()
        return duration
    }
}

/// A real gpsd and bytes of real receivers on a pseudo-terminal, compared with gpsd's own expected results.
@Suite(.enabled(if: GpsdProcess.isInstalled && ReceiverLog.areThere, "needs gpsd and the shared receiver logs"))
struct GPSReplayTests {
    struct Expectation: CustomTestStringConvertible {
        var log: String
        /// Epochs of the log that gpsd may miss while it detects the receiver's protocol.
        var missed: Int
        var testDescription: String { log }
    }

    /// SiRF binary, walking; u-blox binary, 5 Hz; u-blox NMEA of two generations; a car at 16 m/s.
    @Test(arguments: [
        Expectation(log: "bu303-moving", missed: 7), Expectation(log: "ublox-neo-m8n", missed: 8),
        Expectation(log: "neo-m8n", missed: 6),
        Expectation(log: "ublox-f9p-hpnmea", missed: 5), Expectation(log: "garmin-10x", missed: 5),
    ])
    func theFixesAreThoseOfTheLog(expectation: Expectation) throws {
        // GIVEN a log of a real receiver
        let log = try ReceiverLog(expectation.log)
        let chain = try GPSChain()
        defer { chain.stop() }
        #expect(chain.isWatching(), "\(String(describing: chain.status))")
        // WHEN it is replayed
        chain.feed.play(log.bytes, bytesPerSecond: 5000)
        eventually(within: 120) { chain.feed.isFinished }
        eventually(within: 60) { chain.sink.fixes.count >= log.epochs.count - expectation.missed }
        eventually(within: 1) { chain.sink.fixes.count >= log.epochs.count }
        // THEN there is one fix per epoch: in order, with the expected position, height and speed. The first and the
        // last two epochs of a log may be truncated and are then not in the expected results.
        let fixes = chain.sink.fixes
        let matches = log.epochs(matching: fixes)
        #expect(matches.dropFirst().dropLast(2).allSatisfy { $0 != nil }, "\(matches)")
        let matched = matches.count { $0 != nil }
        #expect(
            matched >= log.epochs.count - expectation.missed && fixes.count <= log.epochs.count + 3,
            "\(matched), \(fixes.count) of \(log.epochs.count)")
        // After the end of the log the source becomes stale: a busy machine may look later.
        #expect(chain.sink.states.contains(.streaming) && chain.sink.state != .lost, "\(chain.sink.states)")
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
        #expect(fixes.allSatisfy { $0.validityTime <= $0.arrivalTime && ($0.horizontalSigmaMeters ?? 0) > 0 })
        // The logs are years old: a date that cannot be current is not delivered, and that is counted.
        #expect(fixes.allSatisfy { $0.utcNanoseconds == nil })
        eventually(within: 60) { chain.count(of: "dateImplausible") >= UInt64(fixes.count) }
        #expect(chain.count(of: "dateImplausible") == UInt64(fixes.count))
    }

    @Test func aReceiverWithoutAFixGivesNone() throws {
        // GIVEN a receiver without a view of the sky
        let log = try ReceiverLog("bu303-nofix")
        let chain = try GPSChain()
        defer { chain.stop() }
        #expect(chain.isWatching())
        chain.feed.play(log.bytes, bytesPerSecond: 800, repeating: true)
        // THEN nothing is delivered, the source waits, and gives the reason
        #expect(eventually(within: 60) { chain.count(of: "noFix") >= 3 })
        #expect(chain.sink.fixes.isEmpty)
        #expect(chain.sink.state == .waiting)
        #expect(chain.status?.explanation.contains("no usable fix") ?? false)
    }
}

/// A real gpsd and a receiver with two antennas.
@Suite(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
struct GPSHeadingTests {
    @Test func theHeadingOfTwoAntennasComesWithItsFix() throws {
        // GIVEN a receiver at 5 Hz that sends HDT after its position
        let chain = try GPSChain()
        defer { chain.stop() }
        #expect(chain.isWatching())
        // WHEN it is read through gpsd
        NMEAReceiver(headingDegrees: 123.25).play(on: chain.feed)
        #expect(eventually(within: 60) { chain.sink.fixes.count >= 20 })
        // THEN every fix has the heading, once the reader knows what an epoch contains
        let headings = chain.sink.fixes.dropFirst(8).map(\.headingTrueRadians)
        #expect(headings.allSatisfy { abs(($0 ?? 0) - 123.25 * .pi / 180) < 1e-9 }, "\(headings)")
        #expect(chain.sink.fixes.allSatisfy { $0.headingSigmaRadians == nil })
    }

    @Test(.enabled(if: ReceiverLog.areThere, "needs the shared receiver logs")) func aCompassIsNoHeading() throws {
        // GIVEN the log of an electronic compass, whose heading is magnetic and partly out of range
        let chain = try GPSChain()
        defer { chain.stop() }
        #expect(chain.isWatching())
        chain.feed.play(try ReceiverLog("tnt-revolution").bytes, bytesPerSecond: 2000, repeating: true)
        // THEN it is counted and not used
        let isCounted = eventually(within: 60) { chain.count(of: "headingMagnetic") > 3 }
        #expect(isCounted, "\(String(describing: chain.status))")
        #expect(chain.sink.fixes.isEmpty)
    }
}
