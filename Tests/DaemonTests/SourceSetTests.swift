import Configuration
import DriveRecording
import EngineRuntime
import Glibc
import KeptLog
import Logging
import Measurements
import Platform
import PoseMath
import Publishing
import Testing

@testable import Daemon
@testable import SensorInterface

/// Which sources run, and what the log tells of them.
@Suite struct SourceSetTests {
    private let log = LogLines()
    private let board = SourceStatusBoard()
    private let wakeUp = EventFD()
    private let loop = EngineLoop(engine: Settings().engine)

    /// Sources of a machine without receiver, sensors and bus.
    private func sources(_ selection: SourceSelection) -> SourceSet {
        var settings = Settings()
        (settings.source, settings.isGPSEnabled) = (selection, false)
        (settings.imu.gyro.device, settings.imu.accelerometer.device) = (.off, .off)
        (settings.imu.magnetometer.device, settings.imu.barometer.device) = (.off, .off)
        let log = log
        return SourceSet(
            settings: settings, remote: nil, loop: loop, board: board, log: Logger(label: "test") { _ in log },
            wakeUp: wakeUp)
    }

    /// Whether the demo drive starts a lap, within 20 s.
    private func startsLap() -> Bool {
        var watched = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 20_000) == 1
    }

    @Test func whoAsksForLiveSourcesGetsNoDemo() {
        // GIVEN no source at all, by choice WHEN time passes THEN that is said at the start, and no drive is played
        let sources = sources(.live)
        sources.start()
        sources.decide(SystemClock.monotonicNow.advanced(bySeconds: 100))
        sources.stop()
        #expect(log.labelled == ["warning: no source is turned on: set gps.enabled, or a device of the IMU"])
        #expect(board.statuses.isEmpty && !sources.takeLapStart() && loop.dropped.isEmpty)
    }

    @Test func aDemoDriveStartsItsLapOnce() {
        // GIVEN the demo drive WHEN it starts THEN its first lap is told once, and the log is silent of its sources
        let sources = sources(.simulated)
        #expect(!sources.takeLapStart() && loop.dropped.map(\.source) == ["demo"])
        sources.start()
        #expect(startsLap() && sources.takeLapStart() && !sources.takeLapStart())
        sources.logChanges(SystemClock.monotonicNow.advanced(bySeconds: 100))
        sources.stop()
        #expect(log.lines.isEmpty && board.statuses.map(\.description.name).contains("demo imu"))
    }

    @Test func withoutAnAnswerForTwoSecondsTheDemoDriveStarts() {
        // GIVEN sources of which none has answered WHEN two seconds have passed THEN the drive is played; not before
        let sources = sources(.auto)
        let before = SystemClock.monotonicNow
        sources.start()
        let after = SystemClock.monotonicNow
        sources.decide(before.advanced(bySeconds: 1.999))
        sources.logChanges(after.advanced(bySeconds: 50))
        #expect(log.lines.isEmpty)
        sources.decide(after.advanced(bySeconds: 2))
        let line =
            "notice: no receiver and no sensor found: starting the demo drive; use --source live to wait for them"
        #expect(log.labelled == [line] && startsLap() && sources.takeLapStart())
        // AND that is decided once
        sources.decide(after.advanced(bySeconds: 9))
        #expect(log.labelled == [line])
        sources.stop()
    }

    @Test(
        arguments: [
            (.waiting, true), (.streaming, true), (.stale, true), (.opening, false), (.lost, false), (.absent, false),
        ] as [(SourceState, Bool)])
    func whoHasAnsweredIsWaitedFor(state: SourceState, hasAnswered: Bool) {
        // GIVEN a source in a state WHEN two seconds have passed THEN the drive is played if it has not answered, and
        // otherwise the log goes on about the sources
        let sources = sources(.auto)
        sources.start()
        let entry = board.register(SourceDescription(name: "gps", kind: .gps, place: "gpsd at here"))
        board.update(entry) { ($0.state, $0.explanation) = (state, "because") }
        let later = SystemClock.monotonicNow.advanced(bySeconds: 2)
        sources.decide(later)
        #expect(log.labelled == ["notice: live sources: gpsd at here"] || !hasAnswered)
        #expect(log.lines.count == 1 && log.lines[0].text.contains("starting the demo drive") == !hasAnswered)
        for seconds in [0.0, 6] { sources.logChanges(later.advanced(bySeconds: seconds)) }
        let told = log.lines.dropFirst().filter { $0.text.contains("gps (gpsd at here)") }
        #expect(told.count == (hasAnswered ? 1 : 0), "\(log.lines)")
        sources.stop()
    }

    @Test func eachLevelOfTheLogHasOneOfTheRecording() {
        let levels = Logger.Level.allCases.map { RecordedLogLine.Level($0) }
        #expect(levels == [.debug, .debug, .info, .info, .warning, .error, .fatal])
    }

    @Test func theLimitsOfClientsAreThoseOfTheSettings() {
        var settings = Settings().publishing
        #expect(ClientLimits(settings) == ClientLimits() && ClientLimits().heldBytes == 16_777_216)
        (settings.clientLimit, settings.heldMebibytes, settings.slowClientSeconds) = (3, 5, 7)
        #expect(ClientLimits(settings) == ClientLimits(clients: 3, heldBytes: 5_242_880, slowClientSeconds: 7))
    }
}
