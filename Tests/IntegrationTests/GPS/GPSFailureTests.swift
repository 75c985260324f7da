import Foundation
import Platform
import SensorInterface
import Sensors
import Testing

/// Failures of gpsd and receivers.
@Suite(.enabled(if: GpsdProcess.isInstalled, "needs gpsd"))
struct GPSFailureTests {
    /// A chain with a simulated receiver that streams.
    static func streamingChain() throws -> GPSChain {
        let chain = try GPSChain()
        #expect(chain.isWatching(), "\(String(describing: chain.status))")
        NMEAReceiver().play(on: chain.feed)
        // some more fixes, so that its cycle is known
        #expect(
            eventually(within: 60) { chain.sink.state == .streaming && chain.sink.fixes.count >= 8 },
            "\(String(describing: chain.status))")
        return chain
    }

    @Test func aLiveReceiverIsTimedAndDatedRight() throws {
        // GIVEN a receiver at 5 Hz whose sentences arrive 80 ms after each epoch
        let receiver = NMEAReceiver()
        let chain = try GPSChain()
        defer { chain.stop() }
        #expect(chain.isWatching())
        receiver.play(on: chain.feed)
        // THEN twenty in a row come without one missing; where a stalled machine lets gpsd read two epochs at once,
        // gpsd itself makes one report of them, and the row begins anew
        #expect(
            eventually(within: 120) {
                let last = chain.sink.fixes.suffix(20)
                return chain.sink.fixes.count >= 30
                    && zip(last, last.dropFirst()).allSatisfy {
                        ($1.utcNanoseconds ?? 0) - ($0.utcNanoseconds ?? 0) == 200_000_000
                    }
            })
        let fixes = Array(chain.sink.fixes.dropFirst(10))
        // and each fix has its UTC, and its time of validity is that UTC on the monotonic clock; 5 ms are for reading
        // two clocks
        let offset = Self.clockOffset
        for fix in fixes {
            let utc = try #require(fix.utcNanoseconds)
            #expect(utc % 200_000_000 == 0)
            #expect(abs(Double(utc) * 1e-9 - offset - fix.validityTime.seconds) < 0.005)
        }
        // and none is duplicated
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { ($1.utcNanoseconds ?? 0) > ($0.utcNanoseconds ?? 0) })
        // and its velocity is the receiver's: NMEA gives knots with three digits and degrees with one
        let velocity = try #require(fixes.last?.horizontalVelocity)
        #expect(abs(velocity.speedMetersPerSecond - NMEAReceiver.speedMetersPerSecond) < 0.01)
        #expect(
            abs(
                atan2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond) * 180 / .pi
                    - NMEAReceiver.courseDegrees) < 0.1)
        #expect(eventually(within: 60) { abs((chain.status?.rateHertz ?? 0) - 5) < 0.5 })
    }

    /// The system's UTC less CLOCK_MONOTONIC, seconds: of the attempt in which the least passed between the readings,
    /// so that a machine that is busy between them changes nothing.
    private static var clockOffset: Double {
        let attempts = (0..<50).map { _ in
            let begin = SystemClock.monotonicNow.nanoseconds
            let realtime = SystemClock.realtimeNanoseconds
            return (between: SystemClock.monotonicNow.nanoseconds - begin, offset: realtime - begin)
        }
        return Double(attempts.min { $0.between < $1.between }?.offset ?? 0) * 1e-9
    }

    @Test func aGpsdThatIsKilledAndRestartedIsFoundAgain() throws {
        let chain = try Self.streamingChain()
        defer { chain.stop() }
        // WHEN gpsd is killed THEN the source is lost at once
        chain.gpsd.kill(SIGKILL)
        #expect(eventually(within: 1) { chain.sink.state == .lost })
        // WHEN it runs again THEN the source is connected within 3 s (gpsd itself needs about a second to detect the
        // receiver again), and streams within 6 s
        try chain.gpsd.start()
        let seconds = NapClock.seconds {
            #expect(eventually(within: 3) { chain.sink.state == .waiting || chain.sink.state == .streaming })
            #expect(eventually(within: 60) { chain.sink.state == .streaming }, "\(String(describing: chain.status))")
        }
        #expect(seconds < 6)
    }

    @Test func aGpsdThatIsStoppedForTenSecondsIsNoticedAndRecovers() throws {
        let chain = try Self.streamingChain()
        defer { chain.stop() }
        // WHEN gpsd is stopped
        chain.gpsd.kill(SIGSTOP)
        let stopped = monotonicSeconds()
        // THEN the source is stale within one cycle and 1 s; 0.5 s are for a busy machine
        #expect(eventually(within: 1.2 + 0.5) { chain.sink.state == .stale }, "\(String(describing: chain.status))")
        let count = chain.sink.fixes.count
        // and delivers nothing meanwhile
        while monotonicSeconds() < stopped + 10 { usleep(10_000) }
        #expect(chain.sink.fixes.count == count)
        // WHEN it continues THEN fixes arrive within 3 s, with increasing times
        chain.gpsd.kill(SIGCONT)
        #expect(eventually(within: 3) { chain.sink.state == .streaming }, "\(String(describing: chain.status))")
        #expect(zip(chain.sink.fixes, chain.sink.fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
    }

    @Test func aSilentReceiverIsStaleAndComesBack() throws {
        let chain = try Self.streamingChain()
        defer { chain.stop() }
        chain.feed.pause(true)
        #expect(eventually(within: 1.2 + 0.5) { chain.sink.state == .stale }, "\(String(describing: chain.status))")
        #expect(eventually(within: 60) { chain.status?.explanation.contains("but gpsd answers") ?? false })
        chain.feed.pause(false)
        #expect(eventually(within: 3) { chain.sink.state == .streaming }, "\(String(describing: chain.status))")
    }

    @Test func garbageBetweenSentencesCostsNothingElse() throws {
        let chain = try Self.streamingChain()
        defer { chain.stop() }
        // WHEN a burst of noise arrives THEN fixes arrive afterwards as before
        var state: UInt64 = 0x5EED_0007
        let noise = (0..<3000).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        chain.feed.play(noise, bytesPerSecond: 10_000)
        #expect(eventually(within: 60) { chain.feed.isFinished })
        let count = chain.sink.fixes.count
        #expect(eventually(within: 60) { chain.sink.fixes.count >= count + 10 }, "\(String(describing: chain.status))")
        #expect(chain.sink.fixes.allSatisfy { abs(($0.latitudeRadians ?? 0) * 180 / .pi - 48) < 0.1 })
    }

    @Test func theSourceStopsWithinThreeHundredMillisecondsInEveryState() throws {
        let chain = try Self.streamingChain()
        #expect(chain.stop() < 0.3)
        #expect(chain.sink.state == .absent)
        // a port without a listener, and an address that never answers
        for host in ["127.0.0.1", "192.0.2.1", "no.such.host.invalid"] {
            var settings = GPSSettings()
            settings.host = host
            settings.port = try GpsdProcess.freePort()
            let board = SourceStatusBoard()
            let source = GPSSource(settings: settings, sink: RecordingSink(), board: board)
            source.start()
            eventually(within: 0.3) { board.statuses.first?.state == .absent }
            #expect(NapClock.seconds { source.stop() } < 0.3, "\(host)")
        }
    }
}
