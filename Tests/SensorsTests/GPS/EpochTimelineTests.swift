import PoseMath
import SeededNumbers
import Testing

@testable import Sensors

@Suite struct EpochTimelineTests {
    static func check(_ timeline: inout EpochTimeline, utc: Double, arrival: Double) -> EpochTimeline.Verdict {
        timeline.check(utcNanoseconds: Int64(utc * 1e9), arrival: MonotonicTime(nanoseconds: Int64(arrival * 1e9)))
    }

    @Test func timeOnlyMovesForward() {
        var timeline = EpochTimeline()
        #expect(Self.check(&timeline, utc: 100, arrival: 1) == .acceptedAsNewTime)
        #expect(Self.check(&timeline, utc: 101, arrival: 2) == .accepted)
        #expect(Self.check(&timeline, utc: 101, arrival: 2.1) == .rejected(.duplicateEpoch))
        #expect(Self.check(&timeline, utc: 100.5, arrival: 2.5) == .rejected(.timeNotForward))
        #expect(Self.check(&timeline, utc: 102, arrival: 3) == .accepted)
    }

    @Test func oneWrongDateDoesNotBlockLaterEpochs() {
        // GIVEN a running receiver WHEN one epoch is a year ahead
        var timeline = EpochTimeline()
        for second in 0..<5 { _ = Self.check(&timeline, utc: 100 + Double(second), arrival: Double(second)) }
        #expect(Self.check(&timeline, utc: 3e7, arrival: 5) == .rejected(.timeJumpedAhead))
        // THEN the epochs after it are accepted as before
        #expect(Self.check(&timeline, utc: 106, arrival: 6) == .accepted)
    }

    @Test(arguments: [-18.0, -4, 40, 619_315_200, -619_315_200])
    func aTimeThatStepsForGoodIsFollowedAfterThreeEpochs(step: Double) {
        // GIVEN a receiver that learns the leap seconds, or the week number, while it runs
        var timeline = EpochTimeline()
        for second in 0..<5 { _ = Self.check(&timeline, utc: 1e9 + Double(second), arrival: Double(second)) }
        let verdicts = (5..<10).map { Self.check(&timeline, utc: 1e9 + Double($0) + step, arrival: Double($0)) }
        // THEN its new time is accepted at the third consistent epoch, and nothing is rejected afterwards
        #expect(verdicts.firstIndex(of: .acceptedAsNewTime) == 2)
        #expect(verdicts.suffix(2).allSatisfy { $0 == .accepted })
    }

    @Test(arguments: [1, 2, 3]) func aSmallStepBackIsOvertaken(step: Int) {
        // GIVEN a receiver at 1 Hz whose time steps back by a few seconds THEN its epochs are accepted as soon as they
        // are later than the last one, as those of the same time
        var timeline = EpochTimeline()
        for second in 0..<5 { _ = Self.check(&timeline, utc: 1e9 + Double(second), arrival: Double(second)) }
        let verdicts = (5..<12).map { Self.check(&timeline, utc: 1e9 + Double($0 - step), arrival: Double($0)) }
        let late = Array(repeating: EpochTimeline.Verdict.rejected(.timeNotForward), count: step - 1)
        #expect(Array(verdicts.prefix(step)) == late + [.rejected(.duplicateEpoch)])
        #expect(verdicts.dropFirst(step).allSatisfy { $0 == .accepted })
    }

    @Test func aTimeThatStandsStillConfirmsNothing() {
        // GIVEN a running receiver WHEN the same wrong time comes again and again THEN it is not taken for a new time
        var timeline = EpochTimeline()
        _ = Self.check(&timeline, utc: 100, arrival: 0)
        let verdicts = (0..<5).map { Self.check(&timeline, utc: 1100, arrival: 1 + 0.1 * Double($0)) }
        #expect(verdicts == Array(repeating: .rejected(.timeJumpedAhead), count: 5))
        // WHEN it goes on THEN it is one with the third epoch
        #expect(Self.check(&timeline, utc: 1101, arrival: 2) == .rejected(.timeJumpedAhead))
        #expect(Self.check(&timeline, utc: 1102, arrival: 3) == .acceptedAsNewTime)
    }

    @Test func anEpochThatAgreesWithNoneIsTheFirstOfItsTime() {
        // GIVEN two epochs of a wrong time WHEN three of another one follow THEN the last of these begins a new time
        var timeline = EpochTimeline()
        _ = Self.check(&timeline, utc: 100, arrival: 0)
        let verdicts = [(1100.0, 1.0), (1101, 2), (2000, 3), (2001, 4), (2002, 5)].map {
            Self.check(&timeline, utc: $0.0, arrival: $0.1)
        }
        let ahead = EpochTimeline.Verdict.rejected(.timeJumpedAhead)
        #expect(verdicts == [ahead, ahead, ahead, ahead, .acceptedAsNewTime])
    }

    @Test func aBurstAfterAStallIsAccepted() {
        var timeline = EpochTimeline()
        for second in 0..<5 { _ = Self.check(&timeline, utc: 100 + Double(second), arrival: Double(second)) }
        // WHEN ten epochs arrive at once after 10 s of silence THEN all are accepted
        for second in 5..<15 { #expect(Self.check(&timeline, utc: 100 + Double(second), arrival: 15) == .accepted) }
    }

    @Test func randomTimesNeverDecreaseAndNeverTrap() {
        var random = SplitMix64(seed: 0x5EED_0001)
        var timeline = EpochTimeline()
        var last: Int64?
        for _ in 0..<100_000 {
            let utc = Int64(bitPattern: random.next() >> (random.next() % 40))
            let arrival = MonotonicTime(nanoseconds: Int64(bitPattern: random.next() >> (random.next() % 40)))
            switch timeline.check(utcNanoseconds: utc, arrival: arrival) {
            case .accepted:
                if let last { #expect(utc > last) }
                last = utc
            case .acceptedAsNewTime: last = utc
            case .rejected: break
            }
        }
    }
}

@Suite struct ReceiverDateTests {
    static let day: Int64 = 86_400_000_000_000
    /// 2026-10-01, 2026-11-21 and the same days of other years.
    static let built: Int64 = 1_790_812_800_000_000_000
    static let today: Int64 = 1_795_219_200_000_000_000
    static let date = ReceiverDate(earliestUTCNanoseconds: built)

    @Test func todayIsPlausibleForAnySystemClock() {
        for realtime in [
            Self.today, 0, Self.built - 1, Self.today - 300 * 1_000_000, Self.built + 1, Self.today + Self.day / 2,
        ] {
            #expect(
                Self.date.check(utcNanoseconds: Self.today, realtimeNanoseconds: realtime)
                    == .plausible(utcNanoseconds: Self.today))
        }
    }

    @Test func theEarliestDateIsOne() {
        // GIVEN the earliest date that can be WHEN a receiver tells it THEN it is a date, and the moment before is none
        #expect(
            Self.date.check(utcNanoseconds: Self.built, realtimeNanoseconds: Self.built)
                == .plausible(utcNanoseconds: Self.built))
        #expect(
            Self.date.check(utcNanoseconds: Self.built - 1, realtimeNanoseconds: Self.built)
                != .plausible(utcNanoseconds: Self.built - 1))
    }

    @Test(arguments: [Int64(-1), 1])
    func oneTurnOfTheWeeksIsPutRight(turns: Int64) {
        let wrong = Self.today + turns * ReceiverDate.periodNanoseconds
        #expect(
            Self.date.check(utcNanoseconds: wrong, realtimeNanoseconds: Self.today)
                == .rolledOver(utcNanoseconds: Self.today))
        // also on a board whose clock is not set
        #expect(
            Self.date.check(utcNanoseconds: wrong, realtimeNanoseconds: 0) == .rolledOver(utcNanoseconds: Self.today))
    }

    @Test func anUnsetClockIsNotARollover() {
        // 1970-01-01, 1980-01-06, 1999-08-22, 2005-06-09: no 1024-week step of these is a current date
        for seconds: Int64 in [1, 315_964_800, 935_280_000, 1_118_327_684] {
            #expect(
                Self.date.check(utcNanoseconds: seconds * 1_000_000_000, realtimeNanoseconds: Self.today)
                    == .implausible)
        }
    }

    @Test func aDateYearsAheadOfTheSystemClockIsRejected() {
        // gpsd has reported 2034 for 2015
        let verdict = Self.date.check(utcNanoseconds: Self.today + 8 * 365 * Self.day, realtimeNanoseconds: Self.today)
        #expect(verdict == .implausible)
    }

    @Test func aDateBehindTheSystemClockIsRejected() {
        let verdict = Self.date.check(utcNanoseconds: Self.today - 2 * Self.day, realtimeNanoseconds: Self.today)
        #expect(verdict == .implausible)
    }

    @Test func counterRolloverDatesAreOrdinaryDays() {
        // 2038-01-19 (32-bit seconds) and 2038-11-21 (third rollover of the week number)
        for seconds: Int64 in [2_147_483_647, 2_147_483_648, 2_173_910_400] {
            let utc = seconds * 1_000_000_000
            #expect(
                Self.date.check(utcNanoseconds: utc, realtimeNanoseconds: utc + 100_000_000)
                    == .plausible(utcNanoseconds: utc))
        }
    }

    @Test func noPairOfTimesTraps() {
        for utc in [Int64.min, -1, 0, Self.today, Int64.max] {
            for realtime in [Int64.min, -1, 0, Self.today, Int64.max] {
                _ = Self.date.check(utcNanoseconds: utc, realtimeNanoseconds: realtime)
            }
        }
    }
}
