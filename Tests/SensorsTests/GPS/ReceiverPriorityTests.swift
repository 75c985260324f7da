import PoseMath
import Testing

@testable import Sensors

/// Plays receivers that deliver at their own interval, each as a function of time.
private struct ReceiverPlay {
    struct Player {
        var interval: Double
        var delivers: (Double) -> Bool
        var isGood: (Double) -> Bool = { _ in true }
    }

    var changes: [(time: Double, change: ReceiverPriority.Change)] = []
    /// Times of the fixes that are used, by receiver.
    var used: [(time: Double, receiver: Int)] = []

    init(_ players: [Player], seconds: Double) {
        func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())) }
        var priority = ReceiverPriority(count: players.count, at: at(0))
        // Each receiver has a phase of its own, so that no two fixes come together.
        var next = players.indices.map { 0.03 + 0.05 * Double($0) }
        while let first = next.indices.min(by: { next[$0] < next[$1] }), next[first] < seconds {
            let now = next[first]
            next[first] += players[first].interval
            guard players[first].delivers(now) else { continue }
            let change = priority.note(
                first, isGood: players[first].isGood(now), intervalSeconds: players[first].interval, at: at(now))
            if let change { changes.append((now, change)) }
            if priority.inUse == first { used.append((now, first)) }
        }
    }

    /// The longest time without a fix that is used, from one time on, seconds.
    func longestGap(after start: Double) -> Double {
        let times = used.map(\.time).filter { $0 >= start }
        return zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? .infinity
    }
}

/// Two receivers with a fix each second, of which the better one comes and goes.
private struct ComingAndGoing {
    var priority = ReceiverPriority(count: 2, at: MonotonicTime(nanoseconds: 0))
    var second: Int64 = 0

    /// Lets seconds pass, with the fixes of the other receiver, and of the better one if it is there.
    mutating func pass(_ seconds: Int, isThere: Bool) {
        for _ in 0..<seconds {
            second += 1
            let now = MonotonicTime(nanoseconds: second * 1_000_000_000)
            for receiver in isThere ? [1, 0] : [1] {
                _ = priority.note(receiver, isGood: true, intervalSeconds: 1, at: now)
            }
        }
    }

    /// How long the better one delivers, from its first fix, until it is used again, seconds.
    mutating func secondsToReturn() -> Int? {
        for seconds in 0..<200 {
            pass(1, isThere: true)
            if priority.inUse == 0 { return seconds }
        }
        return nil
    }
}

@Suite struct ReceiverPriorityTests {
    private typealias Player = ReceiverPlay.Player

    @Test func theBestReceiverIsUsedFromTheStart() {
        // GIVEN two receivers, of which the worse one has its first fix earlier THEN it is not used
        let play = ReceiverPlay(
            [Player(interval: 1, delivers: { $0 > 1.5 }), Player(interval: 0.1, delivers: { _ in true })], seconds: 60)
        #expect(play.changes.isEmpty && play.used.allSatisfy { $0.receiver == 0 } && play.used.count > 55)
    }

    @Test(arguments: [0.05, 0.1, 0.2, 1, 5])
    func anotherTakesOverAfterTwoOfTheIntervalsAndHalfASecond(interval: Double) throws {
        // GIVEN a receiver that stops at 100 s WHEN another one delivers THEN that is used, within two intervals of the
        // first, half a second, and an interval of the other
        let play = ReceiverPlay(
            [Player(interval: interval, delivers: { $0 < 100 }), Player(interval: 0.2, delivers: { _ in true })],
            seconds: 130)
        let only = try #require(play.changes.first)
        #expect(play.changes.count == 1 && only.change.from == 0 && only.change.to == 1)
        #expect((only.change.silentSeconds ?? 0) > 2 * interval + 0.5)
        #expect(only.time >= 100 && only.time < 100 + 2 * interval + 0.5 + 0.2)
    }

    @Test func aMissedFixAndJitterChangeNothing() {
        // GIVEN a receiver at 1 Hz without every fifth fix THEN it stays in use
        let play = ReceiverPlay(
            [
                Player(interval: 1, delivers: { Int($0) % 5 != 0 }), Player(interval: 0.1, delivers: { _ in true }),
            ], seconds: 300)
        #expect(play.changes.isEmpty)
    }

    @Test func theBetterOneIsUsedAgainAfterFiveHealthySeconds() {
        // GIVEN a receiver that is away from 100 to 130 s, with a single fix at 110 s
        let play = ReceiverPlay(
            [
                Player(interval: 0.2, delivers: { $0 < 100 || $0 > 130 || ($0 > 110 && $0 < 110.2) }),
                Player(interval: 1, delivers: { _ in true }),
            ], seconds: 200)
        // THEN it comes back once, 5 s after it is back
        #expect(play.changes.map(\.change.to) == [1, 0])
        #expect((play.changes.last?.time ?? 0) >= 135 && (play.changes.last?.time ?? 999) < 135.5)
        #expect(play.changes.last?.change.silentSeconds == nil)
    }

    @Test func aJammedReceiverIsNotUsed() {
        // GIVEN a receiver whose fixes are not good from 50 to 80 s THEN the other one is used meanwhile
        let play = ReceiverPlay(
            [
                Player(interval: 1, delivers: { _ in true }, isGood: { $0 < 50 || $0 > 80 }),
                Player(interval: 1, delivers: { _ in true }),
            ], seconds: 120)
        #expect(play.changes.map(\.change.to) == [1, 0])
        #expect((play.changes.first?.time ?? 99) < 54)
    }

    @Test func aReceiverThatComesAndGoesMakesNoFlapping() {
        // GIVEN the best receiver at 5 Hz, 7 s there and 3 s away, for an hour THEN the changes become rare: each soon
        // failure doubles the time to prove itself, and 80 s are never reached
        let play = ReceiverPlay(
            [
                Player(interval: 0.2, delivers: { $0.truncatingRemainder(dividingBy: 10) < 7 }),
                Player(interval: 1, delivers: { _ in true }),
            ], seconds: 3600)
        #expect(play.changes.count <= 4, "\(play.changes.count)")
        #expect(play.used.last?.receiver == 1)
    }

    @Test func eachSoonFailureDoublesTheTimeToProveItself() {
        // GIVEN a receiver that is away for three seconds as soon as it is used again WHEN it is back THEN it must
        // prove itself twice as long each time, and never longer than 80 s
        var receivers = ComingAndGoing()
        let seconds = (0..<6).map { _ in
            receivers.pass(3, isThere: false)
            return receivers.secondsToReturn()
        }
        #expect(seconds == [5, 10, 20, 40, 80, 80])
    }

    @Test(arguments: [(59, 10), (60, 5)]) func aFailureAfterAMinuteIsNotSoon(failure: Int, proving: Int) {
        // GIVEN a receiver that is used again WHEN another one takes over so many seconds later THEN the time to prove
        // itself is doubled only before a minute is over
        var receivers = ComingAndGoing()
        receivers.pass(3, isThere: false)
        let first = receivers.secondsToReturn()
        #expect(first == 5)
        receivers.pass(failure - 3, isThere: true)
        receivers.pass(2, isThere: false)
        #expect(receivers.priority.inUse == 0)
        receivers.pass(1, isThere: false)
        #expect(receivers.priority.inUse == 1)
        let second = receivers.secondsToReturn()
        #expect(second == proving)
    }

    @Test func theSecondIsPreferredToTheThird() {
        // GIVEN three receivers at 1 Hz WHEN the first stops THEN the second takes over, not the third, which delivers
        // ten times as often; WHEN both have stopped THEN the third one
        let play = ReceiverPlay(
            [
                Player(interval: 1, delivers: { $0 < 50 }), Player(interval: 1, delivers: { $0 < 100 }),
                Player(interval: 0.1, delivers: { _ in true }),
            ], seconds: 150)
        #expect(play.changes.map(\.change.to) == [1, 2])
        #expect(play.longestGap(after: 10) < 4.2)
    }

    @Test func withNothingElseTheOneInUseStays() {
        // GIVEN two receivers that both stop for a minute THEN there is no change until one delivers again
        let play = ReceiverPlay(
            [
                Player(interval: 1, delivers: { $0 < 50 || $0 > 110 }),
                Player(interval: 1, delivers: { $0 < 50 || $0 > 120 }),
            ], seconds: 200)
        #expect(play.changes.isEmpty)
    }

    @Test(arguments: [0, 1]) func aSingleReceiverHasNoSecond(count: Int) {
        // GIVEN one receiver, or none that is told WHEN it is silent for a minute, and a fix of a second one comes THEN
        // that changes nothing, and the first one's is taken
        let began = MonotonicTime(nanoseconds: 0)
        var priority = ReceiverPriority(count: count, at: began)
        let later = began.advanced(bySeconds: 60)
        #expect(priority.isOverdue(0, at: later))
        #expect(priority.note(1, isGood: true, intervalSeconds: 1, at: later) == nil)
        #expect(priority.note(0, isGood: true, intervalSeconds: 1, at: later) == nil)
        #expect(priority.inUse == 0 && !priority.isOverdue(0, at: later))
    }
}
