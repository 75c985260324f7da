import Frames
import Measurements
import PoseMath
import Testing

@testable import Engine

/// A single wrong epoch does not change the UTC label.
@Suite struct UTCLabelTests {
    /// UTC of monotonic zero: 2025-03-01, nanoseconds since 1970.
    private let zero: Int64 = 1_740_787_200_000_000_000

    private func fix(
        at seconds: Double, utcErrorSeconds: Double = 0, mode: FixMode = .threeDimensional, utc: Bool = true
    ) -> GnssFix {
        var fix = GnssFix(validityTime: Scenes.time(seconds), arrivalTime: Scenes.time(seconds + 0.1), mode: mode)
        fix.utcNanoseconds = utc ? zero + Int64((seconds + utcErrorSeconds) * 1e9) : nil
        return fix
    }

    @Test func isUnknownUntilAFixTellsIt() {
        var label = UTCLabel()
        #expect(label.utcNanoseconds(at: Scenes.time(5)) == nil)
        label.note(fix(at: 1, utc: false))
        label.note(fix(at: 2, mode: .none))
        #expect(label.utcNanoseconds(at: Scenes.time(5)) == nil, "a receiver without a fix guesses the time")
        label.note(fix(at: 3))
        #expect(label.utcNanoseconds(at: Scenes.time(5.25)) == zero + 5_250_000_000)
    }

    @Test(arguments: [1, -1, 1_024 * 604_800, -1_024 * 604_800, -1_740_787_200, 18, 1e8, -1e8] as [Double])
    func oneWrongEpochChangesNothing(wrongBySeconds: Double) {
        // GIVEN fixes of which each eighth is a leap second, a week number rolled over, 1970 ... wrong
        var label = UTCLabel()
        for second in 1...60 {
            label.note(fix(at: Double(second), utcErrorSeconds: second % 8 == 4 ? wrongBySeconds : 0))
            guard second > 2 else { continue }
            // THEN the label stays right to the nanosecond
            #expect(
                label.utcNanoseconds(at: Scenes.time(Double(second) + 0.5)) == zero + Int64(second) * 1_000_000_000
                    + 500_000_000)
        }
    }

    @Test(arguments: [1.0, -1, 1e4, -1e8])
    func aLastingStepIsFollowedWithinHalfAMinute(stepSeconds: Double) {
        // GIVEN a receiver at one fix a second whose UTC steps and stays
        var label = UTCLabel()
        for second in 1...40 { label.note(fix(at: Double(second))) }
        var followed: Int?
        for second in 41...80 {
            label.note(fix(at: Double(second), utcErrorSeconds: stepSeconds))
            let error = (label.utcNanoseconds(at: Scenes.time(0)) ?? 0) - zero
            if error == Int64(stepSeconds * 1e9), followed == nil { followed = second - 40 }
            // No value between the old and the new offset.
            #expect(error == 0 || error == Int64(stepSeconds * 1e9))
        }
        // The majority of 15 fixes.
        #expect(followed == 8)
    }

    @Test func jitterOfTheTimeOfValidityAveragesOut() {
        // GIVEN errors of up to 20 ms either way, THEN the median is within them, and half of them in the middle
        var label = UTCLabel()
        for second in 1...15 {
            label.note(fix(at: Double(second), utcErrorSeconds: 0.02 * Double(second * 7 % 15 - 7) / 7))
        }
        let error = (label.utcNanoseconds(at: Scenes.time(20)) ?? 0) - zero - 20_000_000_000
        // 256 ns: seconds since 1970 were told through doubles of the small part only, errors are below a microsecond
        #expect(abs(error) < 1_000)
    }

    @Test func whatOverflowsIsUnknown() {
        var label = UTCLabel()
        var impossible = GnssFix(
            validityTime: MonotonicTime(nanoseconds: -10), arrivalTime: MonotonicTime(nanoseconds: 0),
            mode: .threeDimensional)
        impossible.utcNanoseconds = .max
        label.note(impossible)
        #expect(label.utcNanoseconds(at: Scenes.time(0)) == nil)
        label.note(fix(at: 1))
        #expect(label.utcNanoseconds(at: MonotonicTime(nanoseconds: .max)) == nil)
    }

    @Test func theTimeNeverMovesThePose() {
        // GIVEN the same fixes with right, wrong and no UTC
        func frames(_ utcError: Double?) -> [Frame] {
            let engine = RunningEngine()
            return (1...20).map { second in
                engine.ingest(
                    Scenes.fix(at: Double(second), velocity: Scenes.moving(headingDegrees: 45)) { fix in
                        fix.utcNanoseconds = utcError.map {
                            zero + Int64((Double(second) + $0 * Double(second % 3)) * 1e9)
                        }
                    })
                return engine.frame
            }
        }
        let (right, wrong, none) = (frames(0), frames(1e8), frames(nil))
        for index in right.indices {
            // THEN the poses are the same to the bit
            #expect(right[index].pose == wrong[index].pose && right[index].pose == none[index].pose)
            #expect(none[index].utcNanoseconds == nil)
            #expect(right[index].utcNanoseconds == zero + right[index].timeNanoseconds)
        }
    }
}
