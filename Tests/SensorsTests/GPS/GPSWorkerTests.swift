import Glibc
import Measurements
import Platform
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// The thread of a receiver, on a server that says what a test has chosen.
@Suite struct GPSWorkerTests {
    /// Keeps fixes and states.
    private final class Sink: EventSink {
        let states = Mutex<[SourceState]>([])
        let fixes = Mutex<[GnssFix]>([])

        func send(_ event: SensorEvent) {
            if case .gnss(let fix) = event { fixes.withLock { $0.append(fix) } }
        }

        func send(_ report: SourceReport) { states.withLock { $0.append(report.state) } }
    }

    private let sink = Sink()

    /// The status when it fits, with a server that says some lines to each connection.
    private func status(
        _ lines: [String], _ change: (inout GPSSettings) -> Void = { _ in }, when fits: (SourceStatus) -> Bool
    ) throws -> (status: SourceStatus, port: UInt16) {
        let server = try #require(ScriptedServer { _ in .say(lines) })
        defer { server.stop() }
        var settings = GPSSettings()
        (settings.host, settings.port) = ("127.0.0.1", server.port)
        change(&settings)
        let board = SourceStatusBoard()
        let source = GPSSource(settings: settings, sink: sink, board: board)
        source.start()
        defer { source.stop() }
        // A busy machine needs longer: only what never comes takes that long.
        let end = SystemClock.monotonicNow.advanced(bySeconds: 60)
        while !fits(board.statuses[0]), SystemClock.monotonicNow < end { usleep(1000) }
        return (board.statuses[0], server.port)
    }

    private static func fix(_ device: String, mode: Int) -> String {
        #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"2026-11-21T08:50:01Z","lat":48,"lon":11}"#
    }

    @Test func aReceiverWithoutAFixIsWaitedFor() throws {
        // GIVEN a gpsd whose receiver sees satellites and has no fix THEN that is said of it, and it never streams
        let sky = #"{"class":"SKY","device":"/dev/a","nSat":7,"uSat":0,"hdop":9.9}"#
        let (status, _) = try status([ScriptedServer.greeting, Self.fix("/dev/a", mode: 1), sky]) {
            $0.explanation.contains("no usable fix")
        }
        #expect(
            status.explanation
                == "/dev/a has no usable fix yet, 7 satellites in view: give the antenna a view of the sky")
        #expect(status.state == .waiting && status.acceptedCount == 0 && status.rateHertz == nil)
        #expect(status.rejections == [RejectionCount(reason: "noFix", count: 1)])
        #expect(!sink.states.withLock { $0 }.contains(.streaming) && sink.fixes.withLock { $0 }.isEmpty)
    }

    @Test func aFixIsDeliveredAndTheRestIsCounted() throws {
        // GIVEN a gpsd with a fix, among a line that is none, two that are too long, far more than are read at once,
        // and a fix of another receiver
        let overlong = String(repeating: "x", count: 200_000)
        let lines = [
            ScriptedServer.greeting, #"{"class":"TPV","mode":"#, overlong, overlong,
            Self.fix("/dev/a", mode: 2), Self.fix("/dev/b", mode: 3), #"{"class":"WATCH","enable":true}"#,
        ]
        let (status, _) = try status(lines) { $0.state == .streaming }
        // THEN it streams, with one fix, and each of the others is counted by its name
        #expect(status.explanation == "fixes from /dev/a" && status.acceptedCount == 1)
        let counts = Dictionary(uniqueKeysWithValues: status.rejections.map { ($0.reason, $0.count) })
        #expect(counts["unreadableLine"] == 1 && counts["overlongLine"] == 2 && counts["otherDevice"] == 1)
        let fix = try #require(sink.fixes.withLock { $0 }.first)
        #expect(fix.mode == .twoDimensional && fix.receiver == 0 && fix.validityTime <= fix.arrivalTime)
    }

    @Test(arguments: [false, true]) func aReceiverThatGpsdHasNotIsToldWithItsSetting(isListed: Bool) throws {
        // GIVEN a gpsd with another receiver than that of the settings THEN the setting is named that names it
        let list = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"#
        let (status, _) = try status([ScriptedServer.greeting, list]) { settings in
            settings.device = "/dev/x"
            guard isListed else { return }
            settings.receivers = ["/dev/x", "127.0.0.1:1"].compactMap(GPSReceiverPlace.init)
        } when: {
            $0.explanation.hasPrefix("gpsd has /dev/a")
        }
        let key = isListed ? "gps.receivers" : "gps.device"
        let reason = "gpsd has /dev/a, and \(key) is /dev/x: set \(key) to one that gpsd has, or to null"
        #expect(status.explanation == reason)
        #expect(status.state == .waiting)
    }

    /// The time of the processor that this process takes in a second, beside a gpsd that greets and then says nothing,
    /// in seconds.
    static func processorSeconds() throws -> Double {
        func used() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
        let server = try #require(ScriptedServer { _ in .say([ScriptedServer.greeting]) })
        defer { server.stop() }
        var settings = GPSSettings()
        (settings.host, settings.port) = ("127.0.0.1", server.port)
        let board = SourceStatusBoard()
        let source = GPSSource(settings: settings, sink: Sink(), board: board)
        source.start()
        defer { source.stop() }
        let end = SystemClock.monotonicNow.advanced(bySeconds: 60)
        while board.statuses[0].state != .waiting, SystemClock.monotonicNow < end { usleep(1000) }
        let before = used()
        usleep(999_999)
        return used() - before
    }

    @Test func aThreadThatWaitsTakesNoProcessor() async {
        // GIVEN a gpsd without data, in a process of its own, as others would take the time of this one WHEN a second
        // passes THEN the thread of the receiver has slept: it wakes once or twice, which takes some milliseconds, and
        // one that asks again and again takes all that it gets
        await #expect(processExitsWith: .success) {
            alarm(300)
            if try GPSWorkerTests.processorSeconds() > 0.1 { exit(1) }
        }
    }

    @Test func anotherProgramOnThePortIsNamed() throws {
        // GIVEN a web server on the port of gpsd THEN it is named, with the remedy
        let (status, port) = try status(["HTTP/1.1 400 Bad Request", ""]) { $0.explanation.contains("HTTP") }
        #expect(
            status.explanation
                == "127.0.0.1 port \(port) is an HTTP server, not gpsd (it sent `HTTP/1.1 400 Bad Request`): set "
                + "gps.port to the port of gpsd, by default 2947")
        #expect(status.state == .absent && sink.fixes.withLock { $0 }.isEmpty)
    }
}
