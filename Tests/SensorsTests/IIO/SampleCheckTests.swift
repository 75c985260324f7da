import PoseMath
import Testing

@testable import Sensors

@Suite struct SampleCheckTests {
    private func check(stuckLimit: Int = 100) -> SampleCheck {
        SampleCheck(limit: 40, range: RawRange(bits: 16, isSigned: true), stuckLimit: stuckLimit)
    }

    @Test func rejectsNonFiniteAndOutOfRangeReadings() {
        var gate = check()
        let values: [(Vector3, Bool)] = [
            (Vector3(1, 2, 3), true), (Vector3(.nan, 0, 0), false), (Vector3(0, .infinity, 0), false),
            (Vector3(0, 0, -.infinity), false),
            (Vector3(0, 0, 40), true), (Vector3(0, 0, 40.001), false), (Vector3(-1e30, 0, 0), false),
            (Vector3(-0.0, .leastNonzeroMagnitude, 0), true),
        ]
        for (k, (value, passes)) in values.enumerated() {
            let passed = gate.passes(raw: RawTriple(x: Int64(k)), value: value)
            #expect(passed == passes, "\(value)")
        }
        #expect(gate.notFinite == 3)
        #expect(gate.outOfRange == 2)
    }

    @Test func aHundredEqualReadingsAreStuckUntilOneDiffers() {
        var gate = check()
        let raw = RawTriple(x: 5, y: 6, z: 7)
        let passed = (1...150).filter { _ in gate.passes(raw: raw, value: Vector3()) }.count
        #expect(passed == 99)
        #expect(gate.isStuck)
        #expect(gate.stuck == 51)
        let differs = gate.passes(raw: RawTriple(x: 5, y: 6, z: 8), value: Vector3())
        #expect(differs)
        #expect(!gate.isStuck)
        // and never if the check is disabled
        var free = check(stuckLimit: 0)
        let all = (0..<1000).filter { _ in free.passes(raw: raw, value: Vector3()) }.count
        #expect(all == 1000)
    }

    @Test func readingsAtTheEndOfTheRangeAreAcceptedAndCounted() {
        var gate = check()
        for (k, edge) in [Int64(32767), -32768, 32766, -32767].enumerated() {
            let passed = gate.passes(raw: RawTriple(x: edge, y: Int64(k)), value: Vector3())
            #expect(passed)
        }
        #expect(gate.clipped == 2)
        #expect(RawRange(bits: 32, isSigned: true) == nil)
        #expect(RawRange(bits: 12, isSigned: false)?.highest == 4095)
    }

    @Test func backoffDoublesWithinItsLimitsAndResets() {
        var backoff = Backoff(leastSeconds: 0.1, mostSeconds: 5)
        let waits = (0..<100).map { _ in backoff.nextSeconds() }
        #expect(waits[0] == 0.1)
        #expect(waits.allSatisfy { $0 >= 0.1 && $0 <= 5 })
        #expect(waits[3] > 0.5)
        #expect(waits.dropFirst(10).allSatisfy { $0 >= 3.75 })
        #expect(Set(waits.dropFirst(10)).count > 80)
        backoff.reset()
        let again = backoff.nextSeconds()
        #expect(again == 0.1)
    }
}
