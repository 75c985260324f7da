import Glibc
import PoseMath
import Testing

@testable import Fusion

/// What a vector was a moment ago, and what it was in the mean.
@Suite struct VectorHistoryTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A track of a function of time over two seconds, at 100 Hz.
    private static func track(_ value: (Double) -> Vector3) -> VectorHistory {
        var track = VectorHistory()
        for step in 0...200 { track.append(time: time(Double(step) / 100), value: value(Double(step) / 100)) }
        return track
    }

    @Test func aValueBetweenTwoStepsIsInterpolated() {
        let track = Self.track { Vector3($0, -2 * $0, 1) }
        #expect((track.value(at: Self.time(1.234), fallback: .zero) - Vector3(1.234, -2.468, 1)).length < 1e-12)
        #expect(track.value(at: Self.time(-1), fallback: .zero) == Vector3(0, 0, 1), "the oldest before the track")
        #expect(track.value(at: Self.time(9), fallback: .zero) == Vector3(2, -4, 1), "the newest after it")
        #expect(VectorHistory().value(at: Self.time(0), fallback: Vector3(7, 8, 9)) == Vector3(7, 8, 9))
    }

    @Test func everyEntryIsFound() {
        // GIVEN the two seconds of a ramp, and more entries than a history holds
        let track = Self.track { Vector3($0, 0, 0) }
        var long = VectorHistory()
        for k in 0..<10_000 { long.append(time: Self.time(Double(k) * 0.01), value: Vector3(Double(k) * 0.01, 0, 0)) }
        // WHEN any instant is asked for THEN its own value is found
        for k in 0...2000 {
            let t = Double(k) * 0.001
            #expect(abs(track.value(at: Self.time(t), fallback: .zero).x - t) < 1e-9)
            let recent = 99.99 - Double(k) * 0.02
            #expect(abs(long.value(at: Self.time(recent), fallback: .zero).x - recent) < 1e-9)
        }
    }

    @Test(arguments: [0.02, 0.13, 0.25]) func aRampIsLateByTheTimeConstant(seconds: Double) {
        // GIVEN a ramp WHEN it is smoothed THEN it is late by the time constant: but for the tail of a thousandth,
        // whose age is seven time constants and more
        let track = Self.track { Vector3($0, 0, 5) }
        let smoothed = track.smoothed(at: Self.time(2), newest: Vector3(2, 0, 5), seconds: seconds)
        #expect(abs(smoothed.x - (2 - seconds)) < 2e-3 * seconds)
        #expect(abs(smoothed.z - 5) < 1e-12)
    }

    @Test(arguments: [0.1, 0.5, 2]) func aRampIsAsLateOverAGap(gap: Double) {
        // GIVEN a ramp without an entry for a while WHEN it is smoothed at its end, and half-way through it THEN it is
        // late by the time constant all the same, and by all that was before the first entry at once
        let seconds = 0.17
        var track = VectorHistory()
        for t in stride(from: 0, through: 1, by: 0.01) { track.append(time: Self.time(t), value: Vector3(t, 0, 0)) }
        for part in [0.5, 1] {
            let end = 1 + gap * part
            let smoothed = track.smoothed(at: Self.time(end), newest: Vector3(end, 0, 0), seconds: seconds)
            #expect(abs(smoothed.x - (end - seconds)) < 2e-3 * seconds + seconds * exp(-end / seconds))
        }
    }

    @Test func whatIsLeftOutOfARampDoesNotDelayIt() {
        // GIVEN a ramp WHEN it is smoothed without its own growth THEN the newest value is what comes out
        let track = Self.track { Vector3($0, 0, 5) }
        let smoothed = track.smoothed(
            at: Self.time(2), newest: Vector3(2, 0, 5), growth: Vector3(1, 0, 0), seconds: 0.2)
        #expect((smoothed - Vector3(2, 0, 5)).length < 1e-9)
    }

    @Test func anInstantBetweenTheStepsCounts() {
        // GIVEN a step 0.05 s ago WHEN it is smoothed over 0.1 s THEN what shows is the step response, 1 - exp(-0.5);
        // the sampling blurs it by 5 ms
        let track = Self.track { Vector3($0 > 1.945 ? 1 : 0, 0, 0) }
        let smoothed = track.smoothed(at: Self.time(1.995), newest: Vector3(1, 0, 0), seconds: 0.1)
        #expect(abs(smoothed.x - (1 - 0.606_530_66)) < 0.05 * 0.61 / 0.1 * 0.01 + 0.001)
    }

    @Test func whatWasTakenBackIsForgotten() {
        // GIVEN a ramp of two seconds, of which the second one is taken back WHEN an instant after the newest entry
        // that is left is asked for THEN that entry counts
        var track = Self.track { Vector3($0, 0, 0) }
        track.count = 101
        #expect(track.value(at: Self.time(1.005), fallback: .zero) == Vector3(1, 0, 0))
        #expect(track.newest?.time == Self.time(1) && track.newest?.value == Vector3(1, 0, 0))
        // AND without an entry there is no newest one
        track.count = 0
        #expect(track.newest == nil && track.oldest == nil)
    }

    @Test func nothingIsSmoothedWithoutAnEntry() {
        // GIVEN a history without an entry WHEN it is smoothed, even before the time zero THEN the newest value comes
        // out
        for seconds in [-1.0, 0, 1] {
            let smoothed = VectorHistory().smoothed(
                at: Self.time(seconds), newest: Vector3(7, 8, 9), growth: Vector3(1, 0, 0), seconds: 0.1)
            #expect(smoothed == Vector3(7, 8, 9), "\(seconds)")
        }
    }

    @Test func onlyWhatIsLaterIsReplaced() {
        // GIVEN a ramp WHEN the values later than its last but one entry are replaced THEN the last one alone is new
        var track = Self.track { Vector3($0, 0, 0) }
        track.replace(after: Self.time(1.99)) { _, value in value + Vector3(7, 0, 0) }
        #expect(track.value(at: Self.time(1.99), fallback: .zero) == Vector3(1.99, 0, 0))
        #expect(track.value(at: Self.time(2), fallback: .zero) == Vector3(9, 0, 0))
        // AND nothing is later than the last one
        track.replace(after: Self.time(2)) { _, _ in .zero }
        #expect(track.value(at: Self.time(2), fallback: .zero) == Vector3(9, 0, 0))
    }

    @Test func anEntryIsNotLaterThanItsOwnTime() {
        // GIVEN a ramp WHEN the values later than an entry are replaced THEN that entry stays, and the next one is new,
        // however far back the entry lies
        let ramp = Self.track { Vector3($0, 0, 0) }
        for step in 0..<200 {
            let (time, next) = (Self.time(Double(step) / 100), Self.time(Double(step + 1) / 100))
            var track = ramp
            track.replace(after: time) { _, value in value + Vector3(7, 0, 0) }
            let (kept, replaced) = (track.value(at: time, fallback: .zero), track.value(at: next, fallback: .zero))
            #expect(abs(kept.x - Double(step) / 100) < 1e-12, "\(step)")
            #expect(abs(replaced.x - Double(step + 1) / 100 - 7) < 1e-12, "\(step)")
        }
    }
}
