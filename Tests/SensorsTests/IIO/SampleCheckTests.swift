import PoseMath
import Testing

@testable import Sensors

@Suite struct SampleCheckTests {
    private func check(stuckLimit: Int = 100) -> SampleCheck {
        SampleCheck(limit: 40, range: RawRange(bits: 16, isSigned: true), stuckLimit: stuckLimit)
    }

    @Test func refusesWhatIsNotFiniteOrOutOfRange() {
        var gate = check()
        let values: [(Vector3, Bool)] = [
            (Vector3(1, 2, 3), true), (Vector3(.nan, 0, 0), false), (Vector3(0, .infinity, 0), false), (Vector3(0, 0, -.infinity), false),
            (Vector3(0, 0, 40), true), (Vector3(0, 0, 40.001), false), (Vector3(-1e30, 0, 0), false), (Vector3(-0.0, 5e-324, 0), true),
        ]
        for (k, (value, passes)) in values.enumerated() {
            #expect(gate.passes(raw: RawTriple(x: Int64(k)), value: value) == passes, "\(value)")
        }
        #expect(gate.notFinite == 3)
        #expect(gate.outOfRange == 2)
    }

    @Test func aHundredEqualReadingsAreStuckUntilOneDiffers() {
        var gate = check()
        let raw = RawTriple(x: 5, y: 6, z: 7)
        for k in 1...150 { #expect(gate.passes(raw: raw, value: Vector3()) == (k < 100)) }
        #expect(gate.isStuck)
        #expect(gate.stuck == 51)
        #expect(gate.passes(raw: RawTriple(x: 5, y: 6, z: 8), value: Vector3()))
        #expect(!gate.isStuck)
        // and with the check off, never
        var free = check(stuckLimit: 0)
        for _ in 0..<1000 { #expect(free.passes(raw: raw, value: Vector3())) }
    }

    @Test func readingsAtTheEndOfTheRangePassAndAreCounted() {
        var gate = check()
        for (k, edge) in [Int64(32767), -32768, 32766, -32767].enumerated() {
            #expect(gate.passes(raw: RawTriple(x: edge, y: Int64(k)), value: Vector3()))
        }
        #expect(gate.clipped == 2)
        #expect(RawRange(bits: 32, isSigned: true) == nil)
        #expect(RawRange(bits: 12, isSigned: false)?.highest == 4095)
    }

    @Test func backoffDoublesWithinItsLimitsAndStartsAgain() {
        var backoff = Backoff(leastSeconds: 0.1, mostSeconds: 5)
        let waits = (0..<100).map { _ in backoff.nextSeconds() }
        #expect(waits[0] == 0.1)
        #expect(waits.allSatisfy { $0 >= 0.1 && $0 <= 5 })
        #expect(waits[3] > 0.5)
        #expect(waits.dropFirst(10).allSatisfy { $0 >= 3.75 })
        #expect(Set(waits.dropFirst(10)).count > 80)
        backoff.reset()
        #expect(backoff.nextSeconds() == 0.1)
    }
}
