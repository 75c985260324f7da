import Measurements
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// When the process that reads another machine ends itself.
@Suite struct StallWatchTests {
    private static func status(_ state: SourceState, _ count: UInt64, rate: Double? = nil) -> RemoteStatus {
        var status = SourceStatus(description: .init(name: "imu", kind: .imu, place: ""))
        (status.state, status.acceptedCount, status.rateHertz) = (state, count, rate)
        return RemoteStatus(status)
    }

    /// The time after which a status that stays the same is a stall, seconds; `nil` within ten minutes.
    private static func seconds(_ status: RemoteStatus, _ settings: IIOSettings = IIOSettings()) -> Double? {
        var watch = StallWatch(settings)
        let checks = (0...Int(600 / StallWatch.checkSeconds)).first { _ in watch.hasStalled([status]) }
        return checks.map { Double($0) * StallWatch.checkSeconds }
    }

    @Test func dataThatFlowWithoutNewCountsAreAStall() throws {
        // GIVEN a source that says that data flow WHEN nothing changes THEN it has stalled after 5 s and the time that
        // libiio may wait, 1 s; a source that says that it waits, or that its data are stale, has not
        // The check after that time finds it: it is at most 0.1 s later.
        let usual = try #require(Self.seconds(Self.status(.streaming, 7)))
        #expect(usual > 6 && usual < 6.15)
        for state in [SourceState.waiting, .stale, .opening, .lost, .absent] {
            #expect(Self.seconds(Self.status(state, 7)) == nil)
        }
        // THEN a slow sensor has twenty of its periods
        let slow = try #require(Self.seconds(Self.status(.streaming, 7, rate: 0.5)))
        #expect(slow > 40 && slow < 40.15)
        // THEN twenty periods of the slowest one that is asked for pass before any is judged
        var settings = IIOSettings()
        settings.barometer.rateHertz = 0.5
        let beside = try #require(Self.seconds(Self.status(.streaming, 7), settings))
        #expect(beside > 41 && beside < 41.15)
    }

    @Test func everyChangeBeginsAgain() {
        // GIVEN a source that counts once in 4 s, and one beside it that counts all the time
        var watch = StallWatch(IIOSettings())
        var other = SourceStatus(description: .init(name: "barometer", kind: .barometer, place: ""))
        other.state = .streaming
        for check in 0..<1000 {
            other.acceptedCount = UInt64(check)
            let hasStalled = watch.hasStalled([Self.status(.streaming, UInt64(check / 40)), RemoteStatus(other)])
            #expect(!hasStalled)
        }
        // WHEN it does not count any more THEN it has stalled, although the other one goes on
        let stall = (1000..<2000).first { check in
            other.acceptedCount = UInt64(check)
            return watch.hasStalled([Self.status(.streaming, 24), RemoteStatus(other)])
        }
        #expect(stall == 1021)
    }
}
