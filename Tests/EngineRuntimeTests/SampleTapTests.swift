import Measurements
import PoseMath
import Testing

@testable import EngineRuntime

@Suite struct SampleTapTests {
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func sample(_ number: Int) -> SensorEvent {
        .magnetic(MagneticSample(time: at(Double(number)), fluxDensityTesla: .zero))
    }

    private func times(_ batch: SampleTap.Batch) -> [Double] {
        batch.samples.map { if case .magnetic(let sample) = $0 { sample.time.seconds } else { -1 } }
    }

    @Test func samplesComeOnceAndInOrder() {
        // GIVEN a tap that nobody has asked WHEN samples pass THEN none is kept
        let tap = SampleTap()
        tap.note(sample(1))
        let opened = tap.read(after: nil, atMost: 10, now: at(0))
        #expect(opened.last == 0 && opened.samples.isEmpty)
        // WHEN samples pass after that THEN each comes once, at most as many as are asked for
        for number in 1...7 { tap.note(sample(number)) }
        tap.note(.wheelSpeed(WheelSpeedSample(time: at(8), speedMetersPerSecond: 1)))
        let first = tap.read(after: opened.last, atMost: 5, now: at(0))
        #expect(times(first) == [1, 2, 3, 4, 5] && first.lost == 0)
        let second = tap.read(after: first.last, atMost: 5, now: at(0))
        #expect(times(second) == [6, 7] && second.last == 7)
        #expect(tap.read(after: second.last, atMost: 5, now: at(0)).samples.isEmpty)
    }

    @Test func whatIsLostIsCounted() {
        // GIVEN a client that asks too late WHEN more samples came than are kept THEN the number of lost ones is exact
        let tap = SampleTap()
        _ = tap.read(after: nil, atMost: 1, now: at(0))
        let count = SampleTap.capacity + 100
        for number in 1...count { tap.note(sample(number)) }
        let batch = tap.read(after: 0, atMost: 3, now: at(0))
        #expect(batch.lost == 100 && times(batch) == [101, 102, 103])
        // AND a number from the future gives none
        #expect(tap.read(after: .max, atMost: 3, now: at(0)).samples.isEmpty)
    }

    @Test func theTapClosesWhenNobodyAsks() {
        // GIVEN an open tap WHEN nobody asks for six seconds THEN it keeps nothing, and opens again at the next request
        let tap = SampleTap()
        _ = tap.read(after: nil, atMost: 1, now: at(0))
        tap.note(sample(1))
        tap.sweep(at(4))
        #expect(times(tap.read(after: 0, atMost: 5, now: at(4))) == [1])
        tap.sweep(at(11))
        tap.note(sample(2))
        let again = tap.read(after: 1, atMost: 5, now: at(12))
        #expect(again.samples.isEmpty && again.last == 1)
        tap.note(sample(3))
        #expect(times(tap.read(after: again.last, atMost: 5, now: at(12))) == [3])
    }

    @Test func whatWasNotReadBeforeTheTapClosedIsLost() {
        // GIVEN a client that read two of seven samples WHEN it asks again after the tap was closed
        let tap = SampleTap()
        _ = tap.read(after: nil, atMost: 1, now: at(0))
        for number in 1...7 { tap.note(sample(number)) }
        let first = tap.read(after: 0, atMost: 2, now: at(0))
        #expect(times(first) == [1, 2] && first.lost == 0)
        tap.sweep(at(6))
        // THEN the other five are told as lost, and none of those that follow
        let again = tap.read(after: first.last, atMost: 2, now: at(7))
        #expect(again.samples.isEmpty && again.last == 7 && again.lost == 5)
        tap.note(sample(8))
        let next = tap.read(after: again.last, atMost: 2, now: at(7))
        #expect(times(next) == [8] && next.lost == 0)
    }
}
