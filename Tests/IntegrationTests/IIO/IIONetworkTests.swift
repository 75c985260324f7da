import Foundation
import Measurements
import Platform
import SensorInterface
import Sensors
import Synchronization
import Testing

/// Collects what a source delivers.
private final class CollectingSink: EventSink {
    private let state = Mutex<(inertial: [InertialSample], reports: [SourceReport])>(([], []))

    func send(_ event: SensorEvent) {
        if case .inertial(let sample) = event { state.withLock { $0.inertial.append(sample) } }
    }

    func send(_ report: SourceReport) { state.withLock { $0.reports.append(report) } }

    var inertial: [InertialSample] { state.withLock { $0.inertial } }
    var states: [SourceState] { state.withLock { $0.reports.filter { $0.source == .imu }.map(\.state) } }
}

/// The network context with a server that simulates faults.
@Suite(.serialized)
struct IIONetworkTests {
    private func settings(_ port: UInt16) -> IIOSettings {
        var settings = IIOSettings()
        settings.contextURI = "ip:127.0.0.1:\(port)"
        settings.magnetometer.device = .off
        settings.barometer.device = .off
        settings.contextTimeoutSeconds = 0.4
        return settings
    }

    private func wait(_ seconds: Double = 60, _ condition: () -> Bool) -> Bool {
        NapClock.wait(seconds: seconds, until: condition)
    }

    @Test func streamsThroughFaultsOfEveryKind() {
        // GIVEN a source that streams from a remote machine whose clock is 1000 s ahead
        let server = IIODTestServer()
        server.start()
        let sink = CollectingSink()
        let board = SourceStatusBoard()
        let source = IIOSource(settings: settings(server.port), sink: sink, board: board)
        defer {
            source.stop()
            server.end()
        }
        source.start()
        #expect(wait { sink.inertial.count >= 50 })
        #expect(server.attribute("current_timestamp_clock") == "monotonic")
        // THEN its time stamps are converted to the local clock, never ahead of it
        let ages = sink.inertial.map { SystemClock.monotonicNow.seconds(since: $0.time) }
        #expect(ages.allSatisfy { $0 >= 0 && $0 < 500 })
        for (fault, name) in [
            (IIODTestServer.Fault.error(EIO), "EIO"), (.error(ENODEV), "ENODEV"), (.shortReply, "EPIPE"),
            (.silence, "connection to ip:127.0.0.1"),
        ] {
            // WHEN it fails in one way
            let before = sink.states.count
            server.set(fault)
            #expect(wait { sink.states.dropFirst(before).contains(.lost) }, "\(fault)")
            #expect(wait { board.statuses[0].explanation.contains(name) }, "\(board.statuses[0].explanation)")
            // THEN it streams again within 2 s of its recovery
            server.set(.none)
            let count = sink.inertial.count
            #expect(wait(2) { sink.inertial.count > count + 5 }, "\(fault)")
        }
        let times = sink.inertial.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func stopReturnsInTimeWhateverTheServerDoes() {
        for isSilentFromTheStart in [true, false] {
            let server = IIODTestServer()
            server.start()
            if isSilentFromTheStart { server.set(.silence) }
            let sink = CollectingSink()
            let source = IIOSource(settings: settings(server.port), sink: sink, board: SourceStatusBoard())
            source.start()
            if !isSilentFromTheStart {
                #expect(wait { sink.inertial.count >= 5 })
                server.set(.silence)
            }
            #expect(NapClock.seconds { source.stop() } <= 0.3)
            let count = sink.inertial.count
            server.end()
            #expect(sink.inertial.count == count)
        }
    }

    @Test func nobodyThereIsSaidAndEndsWhenSomebodyIs() throws {
        // GIVEN a port without a listener
        let port = try FreePort.take()
        let board = SourceStatusBoard()
        let source = IIOSource(settings: settings(port), sink: CollectingSink(), board: board)
        source.start()
        defer { source.stop() }
        #expect(wait { board.statuses[0].explanation.contains("no iiod answers at 'ip:127.0.0.1:\(port)'") })
        #expect(board.statuses[0].state == .absent)
    }

    @Test func settingsThatCannotBeAreSaidAndStartNothing() {
        var wrong = settings(1)
        wrong.gyro.rateHertz = -1
        let board = SourceStatusBoard()
        let source = IIOSource(settings: wrong, sink: CollectingSink(), board: board)
        source.start()
        source.stop()
        #expect(board.statuses[0].explanation.contains("gyro.rate: -1.0 Hz is not within"))
    }
}
