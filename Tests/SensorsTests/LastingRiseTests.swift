import SeededNumbers
import Testing

@testable import Sensors

@Suite struct LastingRiseTests {
    private static let second: Int64 = 1_000_000_000

    /// Adds differences at regular times, with zero as the tracked one. Returns what is to be tracked instead, by the
    /// number of the measurement.
    private static func risen(_ count: Int, every interval: Int64 = Self.second, _ difference: (Int) -> Int64)
        -> [Int: Int64]
    {
        var rise = LastingRise()
        var found: [Int: Int64] = [:]
        for number in 0..<count {
            found[number] = rise.add(difference(number), tracked: 0, at: Int64(number) * interval)
        }
        return found
    }

    @Test func aRiseOfTwoWindowsIsFollowed() {
        // GIVEN a difference that is larger from the start, or from the second window of 10 s on THEN it is followed
        // after two whole windows, if it is more than 30 ms
        #expect(Self.risen(31) { _ in 30_000_001 } == [20: 30_000_001, 30: 30_000_001])
        #expect(Self.risen(31) { $0 < 10 ? 0 : 30_000_001 } == [30: 30_000_001])
        #expect(Self.risen(31) { _ in 30_000_000 }.isEmpty)
        // AND never above the present difference
        #expect(Self.risen(21) { $0 == 20 ? 7 : 40_000_000 } == [20: 7])
    }

    @Test func aRiseIsLargerThanItVaries() {
        // GIVEN a rise of 40 ms that varies from second to second THEN it is followed if it varies by less than 10 ms,
        // also where it does so from one window to the next
        #expect(Self.risen(21) { $0 == 13 ? 49_999_999 : 40_000_000 } == [20: 40_000_000])
        #expect(Self.risen(21) { $0 == 13 ? 50_000_000 : 40_000_000 }.isEmpty)
        #expect(Self.risen(21) { $0 < 10 ? 49_999_999 : 40_000_000 } == [20: 40_000_000])
        #expect(Self.risen(21) { $0 < 10 ? 50_000_000 : 40_000_000 }.isEmpty)
    }

    @Test func ofASecondTheSmallestDifferenceCounts() {
        // GIVEN ten measurements in a second, of which one is on time WHEN the clock has risen THEN it is followed;
        // WHEN one in twenty seconds shows that it has not THEN nothing is
        let tenth = Self.second / 10
        #expect(Self.risen(201, every: tenth) { $0 % 10 == 3 ? 40_000_000 : 900_000_000 } == [200: 40_000_000])
        #expect(Self.risen(201, every: tenth) { $0 == 155 ? 0 : 40_000_000 }.isEmpty)
    }

    @Test(arguments: [(2, 10), (3, 10), (4, 10), (1, 20)] as [(Int64, Int)])
    func aWindowHasFiveSecondsWithMeasurements(interval: Int64, number: Int) {
        // GIVEN measurements every few seconds THEN a window lasts until it has five of them
        #expect(Self.risen(number + 1, every: interval * Self.second) { _ in 40_000_000 } == [number: 40_000_000])
    }

    @Test func noTimesTrap() {
        // GIVEN any numbers THEN what is found is never above the present difference
        var random = SplitMix64(seed: 0x5EED_0061)
        var rise = LastingRise()
        for _ in 0..<100_000 {
            func number() -> Int64 { Int64(bitPattern: random.next() >> (random.next() % 64)) }
            let difference = number()
            if let found = rise.add(difference, tracked: number(), at: number()) { #expect(found <= difference) }
        }
    }
}
