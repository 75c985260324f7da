import PoseMath
import SeededNumbers
import Testing

@testable import Publishing

@Suite struct PacingTests {
    @Test(arguments: [
        (200.0, 60_000, 60.0), (200, 200_000, 200), (100, 200_000, 100), (60, 60_000, 60), (1000, 7_500, 7.5),
        (200, 1_000, 1),
    ])
    func theMeanRateIsTheOneAskedFor(_ source: Double, _ millihertz: Int, _ expected: Double) {
        // GIVEN frames of a source with 5 % jitter from a kept seed; WHEN a client takes them for 100 s; THEN it gets
        // its rate within 1 %, or all there are.
        var random = SplitMix64(seed: 11)
        var pacing = Pacing(rateMillihertz: UInt32(millihertz))
        var taken = 0
        for k in 0..<Int(source * 100) {
            let jitter = (Double(random.next() >> 11) * 0x1p-53 - 0.5) * 0.1 / source
            if pacing.takes(MonotonicTime(nanoseconds: Int64((5 + Double(k) / source + jitter) * 1e9))) { taken += 1 }
        }
        #expect(abs(Double(taken) - expected * 100) <= max(1, expected))
    }

    @Test func zeroIsEveryFrame() {
        var pacing = Pacing(rateMillihertz: 0)
        #expect(pacing.wantsAll)
        #expect((0..<100).allSatisfy { _ in pacing.takes(MonotonicTime(nanoseconds: 7)) })
    }

    @Test func aGapIsNotMadeUpFor() {
        // GIVEN a client of 10 Hz; WHEN no frame comes for a minute, then 1000 a second; THEN it does not get the
        // missed ones in a burst.
        var pacing = Pacing(rateMillihertz: 10_000)
        _ = pacing.takes(MonotonicTime(nanoseconds: 0))
        let taken = (0..<1000).count {
            pacing.takes(MonotonicTime(nanoseconds: 60_000_000_000 + Int64($0) * 1_000_000))
        }
        #expect((10...11).contains(taken))
    }

    @Test func anAllowanceIsABurstAndARate() {
        var tokens = TokenBucket(most: 5, perSecond: 2, now: MonotonicTime(nanoseconds: 0))
        func take(_ seconds: Double) -> Bool {
            tokens.take(1, now: MonotonicTime(nanoseconds: Int64(seconds * 1e9)))
        }
        #expect((0..<8).map { _ in take(0) } == [true, true, true, true, true, false, false, false])
        #expect(take(0.6) && !take(0.6))
        #expect((0..<9).count { _ in take(100) } == 5)
    }
}
