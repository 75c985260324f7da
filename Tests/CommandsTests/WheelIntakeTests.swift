import Measurements
import PoseMath
import SensorInterface
import Testing

@testable import Commands

/// Wheel speeds of the command `wheel`: their times, what is refused, and what reaches the engine.
@Suite struct WheelIntakeTests {
    /// What reached the engine.
    private final class Engine {
        var samples: [WheelSpeedSample] = []
        var reports: [SourceReport] = []
        var room = Int.max
    }

    private let engine = Engine()
    private let board = SourceStatusBoard()
    private var intake: WheelIntake

    init() {
        let engine = engine
        intake = WheelIntake(
            board: board,
            offer: {
                guard engine.samples.count < engine.room else { return false }
                engine.samples.append($0)
                return true
            },
            report: { engine.reports.append($0) })
    }

    private func at(_ milliseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 100_000_000_000 + Int64(milliseconds * 1e6))
    }

    private func samples(_ times: [Double], speed: Double = 10) -> [WheelSpeedSample] {
        times.map { WheelSpeedSample(time: at($0), speedMetersPerSecond: speed) }
    }

    private func refusals(_ outcome: WheelIntake.Outcome) -> [String] {
        outcome.refusals.map { "\($0.name) \($0.count)" }
    }

    @Test mutating func aBatchIsTakenWithItsTimes() {
        // GIVEN a batch at 100 Hz that is 0.2 s late; WHEN taken; THEN each speed reaches the engine with its own time,
        // the source streams, and status has the number.
        let outcome = intake.take(samples((0..<20).map { Double($0) * 10 }), now: at(200))
        #expect(outcome.taken == 20 && outcome.refusals.isEmpty)
        #expect(engine.samples.map(\.time) == (0..<20).map { at(Double($0) * 10) })
        #expect(engine.reports.map(\.state) == [.streaming])
        let status = board.statuses.first
        #expect(status?.acceptedCount == 20 && status?.state == .streaming && status?.description.kind == .wheels)
    }

    @Test mutating func aKilohertzReachesTheEngineAsMeans() {
        // GIVEN ten seconds at 1 kHz in batches of 64, of a speed that grows by 1 m/s2; WHEN taken; THEN none is
        // refused, the engine gets 111 values a second, and each is the speed at its time to rounding.
        var refused = 0
        for first in stride(from: 0, to: 10_000, by: 64) {
            let batch = (first..<min(first + 64, 10_000)).map { k in
                WheelSpeedSample(time: at(Double(k)), speedMetersPerSecond: Double(k) * 1e-3)
            }
            refused += intake.take(batch, now: at(Double(first) + 64)).refusals.count
        }
        #expect(refused == 0)
        #expect((1100...1115).contains(engine.samples.count))
        for sample in engine.samples {
            #expect(abs(sample.speedMetersPerSecond - sample.time.seconds(since: at(0))) < 1e-9)
        }
    }

    @Test mutating func timesThatCannotBeAreRefusedAndNamed() {
        // GIVEN speeds of now; WHEN others are 6 ms ahead, 2.1 s old, or not later than the one before; THEN only they
        // are refused, each with its reason, and the others of the batch are taken.
        #expect(intake.take(samples([0, 10, 20]), now: at(20)).taken == 3)
        let mixed = intake.take(samples([26, 20, 20, 10, 22, -2100]), now: at(20))
        #expect(mixed.taken == 1)
        #expect(refusals(mixed) == ["time_not_increasing 3", "time_in_future 1", "time_in_past 1"])
        let rejections = board.statuses.first?.rejections.map { "\($0.reason) \($0.count)" }
        #expect(rejections == ["time_not_increasing 3", "time_in_future 1", "time_in_past 1"])
        // Times of another clock altogether, at both ends.
        let far = [Int64.min, Int64.max].map {
            WheelSpeedSample(time: MonotonicTime(nanoseconds: $0), speedMetersPerSecond: 1)
        }
        #expect(refusals(intake.take(far, now: at(30))) == ["time_in_future 1", "time_in_past 1"])
        #expect(engine.samples.count == 3 || engine.samples.count == 4)
    }

    @Test mutating func aTimeMayBeTwoSecondsOldAndFiveMillisecondsAhead() {
        // GIVEN speeds at both limits, and a microsecond beyond them THEN only the latter are refused
        let outcome = intake.take(samples([-2000.001, -2000, 5, 5.001]), now: at(0))
        #expect(outcome.taken == 2 && refusals(outcome) == ["time_in_future 1", "time_in_past 1"])
        #expect(engine.samples.map(\.time) == [at(-2000), at(5)])
    }

    @Test mutating func aFullQueueAndAFloodAreCounted() {
        // GIVEN an engine without room after two; WHEN four come, and then too many; THEN both are counted by name.
        engine.room = 2
        let outcome = intake.take(samples([0, 10, 20, 30]), now: at(30))
        #expect(outcome.taken == 2 && refusals(outcome) == ["queue_full 2"])
        intake.refuseFlood(64, now: at(30))
        let rejections = board.statuses.first?.rejections.map { "\($0.reason) \($0.count)" }
        #expect(rejections == ["queue_full 2", "flood 64"])
    }

    @Test mutating func silenceIsShownAndEnds() {
        // GIVEN speeds at 50 Hz for a second; WHEN they stop and come again; THEN status has the rate, then `stale`
        // with what to look at, then `streaming`; and the engine hears of each change once.
        for k in 0..<50 { _ = intake.take(samples([Double(k) * 20]), now: at(Double(k) * 20)) }
        intake.sweep(at(980))
        for k in 50..<100 { _ = intake.take(samples([Double(k) * 20]), now: at(Double(k) * 20)) }
        intake.sweep(at(1980))
        #expect(abs((board.statuses.first?.rateHertz ?? 0) - 50) < 1)
        intake.sweep(at(4500))
        #expect(board.statuses.first?.state == .stale && board.statuses.first?.rateHertz == nil)
        #expect(board.statuses.first?.explanation.contains("bridge") == true)
        intake.sweep(at(5500))
        #expect(engine.reports.map(\.state) == [.streaming, .stale])
        for k in 0..<3 { _ = intake.take(samples([6000 + Double(k) * 20]), now: at(6000 + Double(k) * 20)) }
        #expect(board.statuses.first?.state == .streaming)
        #expect(engine.reports.map(\.state) == [.streaming, .stale, .streaming])
        #expect(engine.reports.map(\.time) == [at(0), at(4500), at(6000)])
    }

    @Test mutating func theRateIsThatSinceTheLastLook() {
        // GIVEN 20 speeds in two seconds, and then 5 in half a second WHEN looked at after each THEN the rates are 10
        // and 10 per second; a look within 0.4 s of the one before changes nothing
        for k in 0..<20 { _ = intake.take(samples([Double(k) * 100]), now: at(Double(k) * 100)) }
        intake.sweep(at(2000))
        #expect(board.statuses.first?.rateHertz == 10)
        for k in 0..<5 { _ = intake.take(samples([2000 + Double(k) * 100]), now: at(2000 + Double(k) * 100)) }
        intake.sweep(at(2399))
        #expect(board.statuses.first?.rateHertz == 10)
        intake.sweep(at(2400))
        #expect(board.statuses.first?.rateHertz == 12.5)
        #expect(board.statuses.first?.explanation == "wheel speeds of the command wheel")
    }

    @Test mutating func aBatchEachSecondAndAQuarterIsNoSilence() {
        // GIVEN 64 speeds at 50 Hz in each command WHEN looked at before each THEN the source streams all the time
        for batch in 1...5 {
            let end = Double(batch) * 1280
            intake.sweep(at(end))
            let times = (0..<64).map { end - 1260 + Double($0) * 20 }
            #expect(intake.take(samples(times), now: at(end)).taken == 64)
        }
        intake.sweep(at(6 * 1280))
        #expect(board.statuses.first?.state == .streaming)
        #expect(board.statuses.first?.explanation == "wheel speeds of the command wheel")
        #expect(engine.reports.map(\.state) == [.streaming])
    }

    @Test mutating func theRateOfLongBatchesIsThatOfTheirSpeeds() {
        // GIVEN 64 speeds at 50 Hz in each command, one each 1.28 s WHEN looked at twice a second, as the daemon does
        var rates: [Double] = []
        var taken = 0
        for look in 1...52 {
            let now = Double(look) * 500
            while Double(taken + 1) * 1280 <= now {
                taken += 1
                let end = Double(taken) * 1280
                _ = intake.take(samples((0..<64).map { end - 1260 + Double($0) * 20 }), now: at(end))
            }
            intake.sweep(at(now))
            if taken > 1 { rates.append(board.statuses.first?.rateHertz ?? 0) }
        }
        // THEN the rate is never none: a batch comes within two or three looks, which are 64 and 43 speeds a second
        #expect(rates.count == 47 && rates.allSatisfy { (42...65).contains($0) }, "\(rates)")
    }

    @Test(arguments: [SourceState.streaming, .lost])
    mutating func theEndOfABridgeIsToldToTheEngineWhereNoOtherSourceStreams(other: SourceState) {
        // GIVEN wheel speeds of a bridge, and a CAN bus that gives some too, or is gone WHEN the bridge falls silent
        let bus = board.register(SourceDescription(name: "can", kind: .wheels, place: "can0"))
        board.update(bus) { $0.state = other }
        _ = intake.take(samples([0]), now: at(0))
        intake.sweep(at(3000))
        // THEN `status` has it, and the engine's state of all wheel speeds is that of the bus
        #expect(board.statuses.last?.state == .stale)
        let told: [SourceState] = other == .streaming ? [.streaming] : [.streaming, .stale]
        #expect(engine.reports.map(\.state) == told)
    }

    @Test(arguments: [(2499.0, false), (2500, true)])
    mutating func twoAndAHalfSecondsWithoutASpeedAreStale(milliseconds: Double, isStale: Bool) {
        _ = intake.take(samples([0]), now: at(0))
        intake.sweep(at(milliseconds))
        #expect(board.statuses.first?.state == (isStale ? .stale : .streaming))
        #expect((board.statuses.first?.rateHertz == nil) == isStale)
        let text =
            isStale ? "the last wheel speed came 2 s ago: look at the bridge" : "wheel speeds of the command wheel"
        #expect(board.statuses.first?.explanation == text)
    }

    @Test mutating func refusedSpeedsDoNotEndASilence() {
        // GIVEN a source that is stale WHEN only a speed comes that is refused THEN it stays so, and has its last time
        _ = intake.take(samples([0]), now: at(0))
        intake.sweep(at(2600))
        let late = intake.take(samples([0]), now: at(2700))
        #expect(late.taken == 0 && board.statuses.first?.state == .stale)
        #expect(board.statuses.first?.lastDataTime == at(0) && board.statuses.first?.acceptedCount == 1)
    }
}

/// Means of readings that follow each other faster than the filter uses them.
@Suite struct WheelSpeedMeanTests {
    private func values(_ milliseconds: [Double]) -> [Double] {
        var mean = WheelSpeedMean()
        return milliseconds.compactMap { time in
            mean.add(
                WheelSpeedSample(
                    time: MonotonicTime(nanoseconds: Int64(time * 1e6)), speedMetersPerSecond: time)
            )?.speedMetersPerSecond
        }
    }

    @Test func slowReadingsPassAtOnceAndUnchanged() {
        // GIVEN readings at 100 Hz with a jitter of 1 ms, and slower ones; WHEN added; THEN each comes out as it is.
        for times in [[0.0, 9, 20, 29, 40], [0, 20, 40], [0, 1000]] { #expect(values(times) == times) }
    }

    @Test func fastReadingsAreAveraged() {
        // GIVEN readings each 1 ms; WHEN added; THEN the first comes at once, and each later one is the mean of nine.
        #expect(values((0...27).map { Double($0) }) == [0, 5, 14, 23])
    }

    @Test func aTimeThatGoesBackBeginsAnew() {
        // GIVEN readings that go back in time; WHEN added; THEN the mean has no reading from before, and the extreme
        // times do not trap.
        #expect(values([100, 101, 102, 50]) == [100, 50])
        var mean = WheelSpeedMean()
        for time in [Int64.max, Int64.min, Int64.max, 0] {
            let sample = WheelSpeedSample(time: MonotonicTime(nanoseconds: time), speedMetersPerSecond: 1)
            #expect(mean.add(sample)?.speedMetersPerSecond == 1)
        }
    }
}
