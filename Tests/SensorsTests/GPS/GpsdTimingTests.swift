import PoseMath
import SensorInterface
import Testing

@testable import GpsdReports
@testable import Sensors

/// The instants at which a connection to gpsd changes, to the millisecond.
@Suite struct GpsdTimingTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    /// A link that was connected at 0 and greeted then.
    private static func greeted() -> GpsdLink {
        var link = GpsdLink(jitterSeed: 1)
        _ = link.advance(to: at(0))
        link.connected(at: at(0))
        link.received(at: at(0))
        return link
    }

    @Test func aGreetingIsWaitedForOneAndAHalfSeconds() {
        // GIVEN a connection without a greeting
        var link = GpsdLink(jitterSeed: 1)
        #expect(link.deadline == nil && link.state(at: Self.at(0)) == .absent)
        _ = link.advance(to: Self.at(0))
        #expect(link.deadline == nil && link.state(at: Self.at(0)) == .opening)
        link.connected(at: Self.at(0))
        // THEN it is closed after 1.5 s, and not before
        #expect(link.deadline == Self.at(1500) && link.state(at: Self.at(1499)) == .opening)
        let before = link.advance(to: Self.at(1499))
        let after = link.advance(to: Self.at(1500))
        #expect(before.isEmpty && after == [.close] && link.failure.contains("gpsd does not greet"))
        // AND it is connected again after 80 to 100 ms, as at first
        let wait = link.deadline?.seconds(since: Self.at(1500)) ?? 0
        #expect(wait >= 0.08 && wait <= 0.1 && link.state(at: Self.at(1501)) == .absent)
    }

    @Test func theReceiverIsSilentAfterOneCycleAndOneSecond() {
        // GIVEN a receiver at 0.5 s that streams
        var link = Self.greeted()
        link.cycleSeconds = 0.5
        #expect(link.state(at: Self.at(100)) == .waiting)
        link.reported(hasFix: false, at: Self.at(1000))
        #expect(
            link.state(at: Self.at(2499)) == .waiting
                && abs((link.secondsSinceReport(at: Self.at(2499)) ?? 0) - 1.499) < 1e-9)
        #expect(link.state(at: Self.at(2500)) == .stale && !link.isReceiverSilent(at: Self.at(2499)))
        #expect(link.isReceiverSilent(at: Self.at(2500)))
        link.reported(hasFix: true, at: Self.at(2000))
        link.reported(hasFix: false, at: Self.at(3000))
        // THEN reports without a fix make it wait 1.5 s after the last one
        #expect(link.state(at: Self.at(3499)) == .streaming && link.state(at: Self.at(3500)) == .waiting)
        #expect(link.state(at: Self.at(4500)) == .stale)
        // AND after a broken connection it is lost, also while the next one is made
        link.failed("closed", at: Self.at(5000))
        #expect(link.state(at: Self.at(5000)) == .lost && link.secondsSinceReport(at: Self.at(5000)) == nil)
        _ = link.advance(to: Self.at(6000))
        #expect(link.state(at: Self.at(6000)) == .lost && link.isReceiverSilent(at: Self.at(6000)))
    }

    @Test func aSilentReceiverIsAskedAboutEverMoreSeldom() {
        // GIVEN a receiver that reports once, and then no more, and a gpsd that answers at once
        var link = Self.greeted()
        link.reported(hasFix: true, at: Self.at(1000))
        var requests: [Int] = []
        var closed: Int?
        for milliseconds in stride(from: 1000, through: 40_000, by: 10) where closed == nil {
            for action in link.advance(to: Self.at(milliseconds)) {
                if action == .watch {
                    requests.append(milliseconds)
                    // THEN the next moment is that of the missing answer
                    #expect(link.deadline == Self.at(milliseconds + 1500))
                    link.received(at: Self.at(milliseconds + 5))
                }
                if action == .close { closed = milliseconds }
            }
        }
        // THEN gpsd is asked after 2 s, and then after 2, 4 and each 5 s, and the connection ends after 30 s
        #expect(requests == [3000, 5000, 9000, 14_000, 19_000, 24_000, 29_000])
        #expect(closed == 31_000 && link.failure == "no data from the receiver for 30 s")
    }

    @Test func aReceiverThatNeverReportsIsAskedAboutAsOften() {
        // GIVEN a gpsd that answers at once, and whose receiver reports nothing
        var link = Self.greeted()
        var requests: [Int] = []
        for milliseconds in stride(from: 0, to: 30_000, by: 10) {
            guard link.advance(to: Self.at(milliseconds)) == [.watch] else { continue }
            requests.append(milliseconds)
            link.received(at: Self.at(milliseconds + 5))
        }
        // THEN gpsd is asked after 2 s, and then after 2, 4 and each 5 s
        #expect(requests == [2000, 4000, 8000, 13_000, 18_000, 23_000, 28_000])
    }

    @Test func anAnswerIsWaitedForOneAndAHalfSeconds() {
        // GIVEN a gpsd that was asked at 2 s
        var link = Self.greeted()
        let asked = link.advance(to: Self.at(2000))
        #expect(asked == [.watch])
        // THEN it counts as hung after 1.5 s
        let before = link.advance(to: Self.at(3499))
        let after = link.advance(to: Self.at(3500))
        #expect(before.isEmpty && after == [.close] && link.failure == "gpsd does not answer: gpsd hangs")
    }

    @Test func theDelaysOfSeveralDaemonsAreSpread() {
        // GIVEN a hundred daemons with seeds of their own WHEN gpsd refuses each of them THEN their first delays are
        // spread over 80 to 100 ms
        let waits = (0..<100).map { seed in
            var link = GpsdLink(jitterSeed: UInt64(seed))
            link.failed("refused", at: Self.at(0))
            return link.deadline?.seconds ?? 0
        }
        #expect(waits.allSatisfy { $0 >= 0.08 && $0 <= 0.1 } && Set(waits).count > 90)
        for tenth in 0..<4 {
            let begin = 0.08 + 0.005 * Double(tenth)
            #expect(waits.contains { $0 >= begin && $0 < begin + 0.005 }, "\(begin)")
        }
    }

    @Test func theDelaysBeforeAConnectionDouble() {
        // GIVEN a gpsd that refuses connections THEN the delays are within 80 and 100 % of 0.1 s doubled, at most 1 s
        var link = GpsdLink(jitterSeed: 77)
        for longest in [0.1, 0.2, 0.4, 0.8, 1, 1] {
            link.failed("refused", at: Self.at(0))
            let wait = link.deadline?.seconds ?? 0
            #expect(wait >= 0.8 * longest && wait <= longest, "\(wait)")
            let early = link.advance(to: Self.at(0).advanced(bySeconds: wait - 1e-6))
            let due = link.advance(to: Self.at(0).advanced(bySeconds: wait))
            #expect(early.isEmpty && due == [.connect])
        }
        // AND a line of gpsd begins anew
        link.connected(at: Self.at(0))
        link.received(at: Self.at(0))
        link.failed("closed", at: Self.at(0))
        #expect((link.deadline?.seconds ?? 9) <= 0.1)
    }
}

/// The hold time of an epoch.
@Suite struct EpochHoldTests {
    private static func arrival(_ milliseconds: Int) -> ArrivalTime {
        ArrivalTime(
            monotonic: MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000), realtimeNanoseconds: 0)
    }

    /// The hold time, milliseconds, of the epoch after some whose content was complete after that time.
    private static func hold(afterGrowths growths: [Int], cycle: Double) -> Int? {
        var assembler = EpochAssembler()
        assembler.cycleSeconds = cycle
        for (number, growth) in growths.enumerated() {
            let (utc, start) = (Double(number), number * 10_000)
            _ = assembler.add(EpochAssemblerTests.fix(utcSeconds: utc), at: arrival(start))
            _ = assembler.add(
                EpochAssemblerTests.fix(utcSeconds: utc, height: 5, speed: 1), at: arrival(start + growth))
        }
        let start = growths.count * 10_000
        _ = assembler.add(EpochAssemblerTests.fix(utcSeconds: 1000), at: arrival(start))
        return assembler.deadline.map { Int($0.nanoseconds / 1_000_000) - start }
    }

    @Test(arguments: [
        ([], 1.0, 250), ([100, 100], 1, 130), ([200, 100, 100, 100], 1, 230), ([200, 100, 100, 100, 100], 1, 130),
        ([10, 10], 1, 50), ([20, 20], 1, 50), ([21, 21], 1, 51), ([470, 400], 2, 500), ([471, 400], 2, 500),
        ([469, 400], 2, 499), ([100, 100], 0.2, 120), ([80, 80], 0.2, 110), ([10, 10], 0.05, 30),
    ])
    func itIsTheLongestGrowthAndAMargin(growths: [Int], cycle: Double, milliseconds: Int) {
        // GIVEN epochs that became complete after some time THEN the next is held for the longest of four, 30 ms more,
        // within 50 ms, 0.5 s and 0.6 of the cycle
        #expect(Self.hold(afterGrowths: growths, cycle: cycle) == milliseconds)
    }

    @Test func anEpochIsGivenUpExactlyAtItsDeadline() {
        var assembler = EpochAssembler()
        _ = assembler.add(EpochAssemblerTests.fix(utcSeconds: 1), at: Self.arrival(1000))
        let early = assembler.expire(at: Self.arrival(1249).monotonic)
        let due = assembler.expire(at: Self.arrival(1250).monotonic)
        #expect(early == nil && due != nil && assembler.deadline == nil)
    }

    @Test(arguments: [(299, 1.0, true), (300, 1, false), (99, 0.2, true), (100, 0.2, false)])
    func aHeadingIsNearWithinThreeTenthsOrHalfACycle(milliseconds: Int, cycle: Double, belongs: Bool) {
        // GIVEN a heading before an epoch, and one after it
        var (before, after) = (EpochAssembler(), EpochAssembler())
        (before.cycleSeconds, after.cycleSeconds) = (cycle, cycle)
        _ = before.add(headingDegrees: 7, at: Self.arrival(1000))
        _ = before.add(EpochAssemblerTests.fix(utcSeconds: 1), at: Self.arrival(1000 + milliseconds))
        _ = after.add(EpochAssemblerTests.fix(utcSeconds: 1), at: Self.arrival(1000))
        _ = after.add(headingDegrees: 7, at: Self.arrival(1000 + milliseconds))
        // THEN each belongs to it if it is near
        for var assembler in [before, after] {
            let epoch = assembler.expire(at: Self.arrival(9000).monotonic)
            #expect(epoch?.fix.headingDegrees == (belongs ? 7 : nil))
        }
    }

    @Test(arguments: [(249, 1), (250, 2)])
    func reportsWithoutATimeBelongTogetherForAQuarterSecond(milliseconds: Int, epochs: Int) {
        var assembler = EpochAssembler()
        var count = assembler.add(EpochAssemblerTests.fix(utcSeconds: nil), at: Self.arrival(0)).count
        count +=
            assembler.add(EpochAssemblerTests.fix(utcSeconds: nil, height: 5), at: Self.arrival(milliseconds)).count
        count += assembler.expire(at: Self.arrival(9000).monotonic) == nil ? 0 : 1
        #expect(count == epochs)
    }

    @Test func onlyAReportOfTheSameTimeDropsAnEpoch() {
        // GIVEN an epoch that is held WHEN a report without a fix has another time THEN it stays
        var assembler = EpochAssembler()
        _ = assembler.add(EpochAssemblerTests.fix(utcSeconds: 5), at: Self.arrival(5000))
        assembler.addNoFix(utcNanoseconds: 6_000_000_000)
        #expect(assembler.deadline != nil)
        assembler.restart()
        #expect(assembler.deadline == nil)
    }
}

/// Dates and times of a receiver at their limits.
@Suite struct ReceiverTimeLimitTests {
    private static let second: Int64 = 1_000_000_000
    private static let day = 86_400 * second

    @Test(
        arguments: [
            (-86_400_000_000_000, true), (-86_400_000_000_001, false), (31_622_400_000_000_000, true),
            (31_622_400_000_000_001, false),
        ] as [(Int64, Bool)])
    func aDateIsAtMostADayBehindAndAYearAhead(ahead: Int64, isPlausible: Bool) {
        let (today, date) = (ReceiverDateTests.today, ReceiverDateTests.today + ahead)
        // GIVEN a system clock that is set, far from the earliest date
        let check = ReceiverDate(earliestUTCNanoseconds: ReceiverDateTests.built - 3000 * Self.day)
        let verdict = check.check(utcNanoseconds: date, realtimeNanoseconds: today)
        #expect(verdict == (isPlausible ? .plausible(utcNanoseconds: date) : .implausible))
    }

    @Test(
        arguments: [Int64(-1), 1],
        [(0, true), (86_400_000_000_000, true), (86_400_000_000_001, false)] as [(Int64, Bool)])
    func aCorrectedDateIsOfTheSameDay(turns: Int64, off: (Int64, Bool)) {
        for ahead in [off.0, -off.0] {
            let date = ReceiverDateTests.today + ahead
            let verdict = ReceiverDateTests.date.check(
                utcNanoseconds: date + turns * ReceiverDate.periodNanoseconds,
                realtimeNanoseconds: ReceiverDateTests.today)
            #expect(verdict == (off.1 ? .rolledOver(utcNanoseconds: date) : .implausible))
        }
    }

    @Test func aPeriodIs1024Weeks() {
        // GIVEN the last moment of the period that begins with the earliest date THEN it is a date, and the next is not
        let last = ReceiverDateTests.built + 1024 * 7 * Self.day - 1
        let date = ReceiverDateTests.date
        #expect(date.check(utcNanoseconds: last, realtimeNanoseconds: 0) == .plausible(utcNanoseconds: last))
        #expect(
            date.check(utcNanoseconds: last + 1, realtimeNanoseconds: 0)
                == .rolledOver(utcNanoseconds: ReceiverDateTests.built))
        // A clock is set from the earliest date on: then it contradicts a date years ahead.
        #expect(date.check(utcNanoseconds: last, realtimeNanoseconds: ReceiverDateTests.built) == .implausible)
        #expect(
            date.check(utcNanoseconds: last, realtimeNanoseconds: ReceiverDateTests.built - 1)
                == .plausible(utcNanoseconds: last))
    }

    @Test(arguments: [(1.0, true), (1.001, false)])
    func anEpochMayBeASecondAheadOfTheFastest(advance: Double, isAccepted: Bool) {
        var timeline = EpochTimeline()
        _ = EpochTimelineTests.check(&timeline, utc: 100, arrival: 0)
        let verdict = EpochTimelineTests.check(&timeline, utc: 105 + advance, arrival: 5)
        #expect(verdict == (isAccepted ? .accepted : .rejected(.timeJumpedAhead)))
    }

    @Test(arguments: [(1.5, true), (1.501, false)])
    func threeEpochsThatAgreeBeginANewTime(difference: Double, agrees: Bool) {
        // GIVEN a time that steps by 1000 s WHEN the epochs after it come that much later than their times tell THEN
        // the third one begins a new time if they agree within 1.5 s
        var timeline = EpochTimeline()
        _ = EpochTimelineTests.check(&timeline, utc: 100, arrival: 0)
        let verdicts = (0..<3).map { index in
            let arrival = 10 + Double(index) * 5 + (index == 2 ? difference : 0)
            return EpochTimelineTests.check(&timeline, utc: 1100 + Double(index) * 5, arrival: arrival)
        }
        let last: EpochTimeline.Verdict = agrees ? .acceptedAsNewTime : .rejected(.timeJumpedAhead)
        #expect(verdicts == [.rejected(.timeJumpedAhead), .rejected(.timeJumpedAhead), last])
    }

    @Test func theFastestEpochIsTheOneThatCounts() {
        // GIVEN epochs that are ever faster, by 0.9 s each THEN each may be a second ahead of the fastest before
        var timeline = EpochTimeline()
        let faster = [(100.0, 0.0), (110.9, 10), (121.8, 20)].map {
            EpochTimelineTests.check(&timeline, utc: $0.0, arrival: $0.1)
        }
        #expect(faster == [.acceptedAsNewTime, .accepted, .accepted])
        // WHEN one is late by 3 s THEN the next is not measured by it
        let late = [(127.0, 28.2), (132.9, 30), (132.7, 30)].map {
            EpochTimelineTests.check(&timeline, utc: $0.0, arrival: $0.1)
        }
        #expect(late == [.accepted, .rejected(.timeJumpedAhead), .accepted])
    }

    @Test func timesThatGoBackwardConfirmNothing() {
        // GIVEN a time that jumps ahead, and then goes back with every epoch THEN none of them begins a new time
        var timeline = EpochTimeline()
        _ = EpochTimelineTests.check(&timeline, utc: 100, arrival: 0)
        let verdicts = (0..<6).map {
            EpochTimelineTests.check(&timeline, utc: 5000 - Double($0) / 10, arrival: 10 + Double($0) / 10)
        }
        #expect(verdicts == Array(repeating: .rejected(.timeJumpedAhead), count: 6))
    }

    @Test func anAcceptedEpochForgetsTheOthers() {
        // GIVEN two epochs of another time WHEN one of the old time comes between THEN the count begins anew
        var timeline = EpochTimeline()
        _ = EpochTimelineTests.check(&timeline, utc: 100, arrival: 0)
        var verdicts: [EpochTimeline.Verdict] = []
        for (utc, arrival) in [(1100.0, 1.0), (1101, 2), (103, 3), (1103, 4), (1104, 5), (1105, 6)] {
            verdicts.append(EpochTimelineTests.check(&timeline, utc: utc, arrival: arrival))
        }
        let ahead = EpochTimeline.Verdict.rejected(.timeJumpedAhead)
        #expect(verdicts == [ahead, ahead, .accepted, ahead, ahead, .acceptedAsNewTime])
    }
}
