import Foundation
import Measurements
import PoseMath
import Testing

@testable import Replay

/// The parts of a replay, one by one: which frames are written, when predictions come, and what sources tell.
@Suite struct ReplayPartsTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    private static func pressure(_ seconds: Double) -> SensorEvent {
        .pressure(PressureSample(time: at(seconds), pressurePascal: 1e5))
    }

    private static func wheel(_ seconds: Double) -> SensorEvent {
        .wheelSpeed(WheelSpeedSample(time: at(seconds), speedMetersPerSecond: 1))
    }

    @Test func thePacerTakesTheFirstFrameOfEachPeriod() {
        // GIVEN 4 Hz from 100 ns on THEN each period's first frame is taken, at its begin and not before
        var pacer = FramePacer(rateHertz: 4)
        let quarter: Int64 = 250_000_000
        let times = [
            100, quarter + 99, quarter + 100, 2 * quarter + 99, 2 * quarter + 101, 7 * quarter + 99, 7 * quarter + 100,
        ]
        let picked = times.map { pacer.picks($0) }
        #expect(picked == [true, false, true, false, true, true, true])
        // THEN without a rate each is taken, and at the fastest one each nanosecond
        var every = FramePacer(rateHertz: nil)
        var fastest = FramePacer(rateHertz: 1e9)
        for time in [5, 6, 7] as [Int64] {
            let (one, other) = (every.picks(time), fastest.picks(time))
            #expect(one && other)
        }
        let again = fastest.picks(7)
        #expect(!again)
    }

    @Test func framesAreChosenByWhatMadeThem() {
        let kinds: [SensorKind?] = [.gps, nil, .imu, .gps, nil, .imu]
        func chosen(_ rate: Double?, _ present: Set<SensorKind>) -> [Bool] {
            var selection = FrameSelection(rateHertz: rate, kinds: present)
            return kinds.map { selection.wants($0) }
        }
        // THEN with an IMU its samples and the predictions after the first one; without, what is measured; with a rate
        // all
        #expect(chosen(nil, [.imu, .gps]) == [false, false, true, false, true, true])
        #expect(chosen(nil, [.gps]) == [true, false, true, true, false, true])
        #expect(chosen(5, [.imu, .gps]) == Array(repeating: true, count: 6))
    }

    @Test func sourcesBecomeStaleACycleAndASecondLater() {
        var sources = ReplaySources(kinds: [.barometer, .wheels])
        var told: [String] = []
        func note(_ report: SourceReport) {
            told.append("\(report.time.nanoseconds / 1_000_000) \(report.source) \(report.state)")
        }
        sources.open(at: Self.at(1), note)
        #expect(told == ["1000 barometer waiting", "1000 wheels waiting"])
        told = []
        // GIVEN a cycle of half a second THEN the source is stale after more than 1.5 s
        for time in [2, 2.5] { sources.note(Self.pressure(time), note) }
        for time in [4, 4.01] { sources.note(Self.wheel(time), note) }
        #expect(told == ["2000 barometer streaming", "4000 wheels streaming", "4010 barometer stale"])
        told = []
        // GIVEN one that comes again after a silence THEN it has its old cycle
        sources.note(Self.pressure(5), note)
        for time in [6.5, 6.51] { sources.note(Self.wheel(time), note) }
        #expect(told == ["5000 barometer streaming", "6510 barometer stale"])
    }

    @Test(arguments: [(5.0, 6.0), (14, 15), (20, 16)]) func twoLongIntervalsAreASlowSource(
        cycle: Double, silence: Double
    ) {
        // GIVEN a source of one event in 5 s or more WHEN two intervals were as long THEN that is its cycle, of which
        // 15 s count at most, and it is stale a second after that
        var sources = ReplaySources(kinds: [.barometer, .wheels])
        var states: [SourceState] = []
        func note(_ event: SensorEvent) {
            sources.note(event) { if $0.source == .barometer { states.append($0.state) } }
        }
        for k in 0...3 {
            note(Self.pressure(Double(k) * cycle))
            // The wheels only tell the time.
            note(Self.wheel(Double(k) * cycle + 3))
        }
        let last = 3 * cycle
        #expect(states == [.streaming, .stale, .streaming, .stale, .streaming])
        states = []
        note(Self.wheel(last + silence - 0.01))
        #expect(states.isEmpty)
        note(Self.wheel(last + silence + 0.01))
        #expect(states == [.stale])
    }

    @Test func aSourceOfOneEventBecomesStaleAfterTwoSeconds() {
        // GIVEN a source with a single event, whose cycle is not known WHEN another one tells that more than two
        // seconds have passed THEN it is stale
        var sources = ReplaySources(kinds: [.barometer, .wheels])
        var told: [String] = []
        for event in [Self.pressure(1), Self.wheel(2.99), Self.wheel(3.01)] {
            sources.note(event) { told.append("\($0.time.nanoseconds / 1_000_000) \($0.source) \($0.state)") }
        }
        #expect(told == ["1000 barometer streaming", "2990 wheels streaming", "3010 barometer stale"])
    }

    @Test(
        arguments: [
            ("a-000.mcap", "a-001.mcap"), ("x/a-b-998.mcap", "x/a-b-999.mcap"), ("a-999.mcap", "a-1000.mcap"),
            ("a-1000.mcap", "a-1001.mcap"), ("a-099.mcap", "a-100.mcap"), ("a-999999.mcap", "a-1000000.mcap"),
            ("a-00.mcap", nil), ("a-1000000.mcap", nil), ("a-0x1.mcap", nil), ("a000.mcap", nil), ("a-000.csv", nil),
            // The letters before the last five end like a part.
            ("a-0001.csv", nil),
        ] as [(String, String?)])
    func thePartAfterAnotherHasTheNextNumber(path: String, next: String?) {
        #expect(RecordedParts.path(after: path) == next)
    }

    @Test(
        arguments: [
            ("a-001.mcap", "a-000.mcap"), ("x/a-b-999.mcap", "x/a-b-998.mcap"), ("a-1000.mcap", "a-999.mcap"),
            ("a-1001.mcap", "a-1000.mcap"), ("a-000.mcap", nil), ("a-01.mcap", nil), ("a001.mcap", nil),
            ("a-001.csv", nil), ("a-0011.csv", nil),
        ] as [(String, String?)])
    func thePartBeforeAnotherHasTheNumberBefore(path: String, before: String?) {
        #expect(RecordedParts.path(before: path) == before)
    }

    @Test func predictionsComeBetweenTheEvents() {
        // GIVEN events a second apart WHEN the ticks before each are asked for
        func ticks(_ rate: Double?, _ times: [Double]) -> [[Double]] {
            var ticks = ReplayTicks(rateHertz: rate)
            return times.map { time in
                var found: [Double] = []
                while let tick = ticks.next(before: Self.pressure(time)) { found.append(tick.seconds) }
                return found
            }
        }
        let usual = ticks(nil, [10, 11, 11.001])
        // THEN there is none before the first, and then they are regular and lie between the events
        #expect(usual[0].isEmpty && usual[2].isEmpty && usual[1].allSatisfy { $0 >= 10 && $0 < 11 })
        let steps = zip(usual[1], usual[1].dropFirst()).map { $1 - $0 }
        #expect(steps.count > 2 && steps.allSatisfy { abs($0 - steps[0]) < 1e-6 })
        // THEN a higher rate gives more of them, a lower one as many
        #expect(ticks(200, [10, 11])[1].count > usual[1].count && ticks(1, [10, 11])[1].count == usual[1].count)
        // THEN a pause gives ticks for ten minutes
        let pause = ticks(nil, [10, 10_000])[1]
        #expect((pause.last ?? 0) < 610 && (pause.last ?? 0) > 600)
    }

    @Test func linesAreWrittenInTheirOrder() throws {
        // GIVEN lines of which some fit the buffer of 256 kB, some fill it, and one is larger
        let path = NSTemporaryDirectory() + "posed-lines-\(UUID().uuidString)"
        defer { unlink(path) }
        var expected: [UInt8] = []
        var output = try LineOutput(path: path)
        for (index, size) in [10, 1 << 18, 5, (1 << 18) - 5, 1, (1 << 18) + 7, 3, 0, 100_000, 200_000].enumerated() {
            let bytes = [UInt8](repeating: UInt8(65 + index), count: size)
            expected += bytes
            try output.append(bytes)
        }
        // THEN nothing is there before the end, and then all of it in its order
        #expect(access(path, F_OK) != 0)
        try output.finish()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(expected))
        // GIVEN a file that only its owner may read THEN it stays so
        chmod(path, 0o600)
        var again = try LineOutput(path: path)
        try again.append("x")
        try again.finish()
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "x")
    }
}
