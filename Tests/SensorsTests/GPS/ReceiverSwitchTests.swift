import Measurements
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import GpsdReports
@testable import Sensors

/// Stores what is passed to the engine.
private final class StoringSink: EventSink {
    let fixes = Mutex<[GnssFix]>([])
    let states = Mutex<[SourceState]>([])

    func send(_ event: SensorEvent) {
        if case .gnss(let fix) = event { fixes.withLock { $0.append(fix) } }
    }

    func send(_ report: SourceReport) { states.withLock { $0.append(report.state) } }
}

@Suite struct ReceiverSwitchTests {
    private let sink = StoringSink()
    private let board = SourceStatusBoard()

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())) }

    private func makeSwitch(_ count: Int) -> ReceiverSwitch {
        let names = (1...count).map { "gps\($0)" }
        let entries = names.map { board.register(SourceDescription(name: $0, kind: .gps, place: "gpsd")) }
        return ReceiverSwitch(names: names, entries: entries, sink: sink, board: board, at: at(0))
    }

    private func fix(_ seconds: Double, latency: Double = 0.1, receiver: UInt8) -> GnssFix {
        var fix = GnssFix(validityTime: at(seconds - latency), arrivalTime: at(seconds), mode: .threeDimensional)
        fix.receiver = receiver
        return fix
    }

    @Test func theChangeIsAnnouncedWithItsReason() throws {
        // GIVEN two receivers at 1 Hz of which the first stops at 10 s and is back at 20 s
        let outlet = makeSwitch(2)
        for second in 0..<40 {
            let time = Double(second)
            if second < 10 || second >= 20 {
                outlet.send(fix(time, receiver: 0), of: 0, isGood: true, intervalSeconds: 1)
            }
            outlet.send(fix(time + 0.5, receiver: 8), of: 1, isGood: true, intervalSeconds: 1)
            if second == 15 {
                // THEN the status shows the second one in use, with the reason
                let statuses = board.statuses.compactMap(\.receiver)
                #expect(statuses.map(\.isInUse) == [false, true] && statuses.map(\.rank) == [1, 2])
                #expect(statuses[1].useReason == "gps1 has delivered no usable fix for 3.5 s")
            }
        }
        // and the engine has the fixes of one at a time, in the order of their validity
        let fixes = sink.fixes.withLock { $0 }
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
        let numbers = fixes.map(\.receiver)
        #expect(zip(numbers, numbers.dropFirst()).filter { $0 != $1 }.count == 2 && numbers.last == 0)
        let statuses = board.statuses.compactMap(\.receiver)
        #expect(statuses.map(\.isInUse) == [true, false])
        #expect(statuses[0].useReason == "gps1, which is preferred to gps2, delivers fixes again")
        #expect(statuses.map(\.takeovers) == [1, 1])
    }

    @Test func aLateFixOfTheNextReceiverIsLeftOut() {
        // GIVEN a fast receiver in use, and a better one that is half a second late and comes back
        let outlet = makeSwitch(2)
        for tenth in 30..<200 {
            let time = Double(tenth) / 10
            outlet.send(fix(time, latency: 0.05, receiver: 8), of: 1, isGood: true, intervalSeconds: 0.1)
            if tenth > 100, tenth % 10 == 0 {
                outlet.send(fix(time, latency: 0.55, receiver: 0), of: 0, isGood: true, intervalSeconds: 1)
            }
        }
        // THEN no fix is older than the one before
        let fixes = sink.fixes.withLock { $0 }
        #expect(fixes.contains { $0.receiver == 0 } && fixes.contains { $0.receiver == 8 })
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.validityTime < $1.validityTime })
    }

    @Test func ofTwoReceiversAFixOfTheSameTimeIsPassedOnce() {
        // GIVEN two receivers, of which the second one is used WHEN a fix is valid at the time of the one before, or
        // earlier THEN it is left out
        let outlet = makeSwitch(2)
        for (arrival, latency) in [(3.0, 0.1), (3.2, 0.3), (3.3, 0.5), (3.4, 0.4)] {
            outlet.send(fix(arrival, latency: latency, receiver: 8), of: 1, isGood: true, intervalSeconds: 0.1)
        }
        #expect(sink.fixes.withLock { $0.map(\.validityTime) } == [at(2.9), at(3)])
    }

    @Test func aSingleReceiverPassesEverything() {
        // GIVEN one receiver WHEN it is jammed, silent or late THEN each of its fixes is passed on, and it has no rank
        let outlet = makeSwitch(1)
        for second in [0.0, 1, 2, 50, 51, 51] {
            outlet.send(fix(second, receiver: 0), of: 0, isGood: second != 2, intervalSeconds: 1)
        }
        #expect(sink.fixes.withLock { $0.count } == 6)
        #expect(board.statuses[0].receiver?.isInUse == true && board.statuses[0].receiver?.rank == nil)
    }

    @Test func theStateIsThatOfTheReceiverInUse() {
        // GIVEN two receivers WHEN the first one's gpsd is lost while the other one streams THEN the state is not
        // `streaming` before that one is in use
        let outlet = makeSwitch(2)
        outlet.report(.streaming, of: 0, at: at(1))
        outlet.report(.streaming, of: 1, at: at(1))
        outlet.send(fix(1, receiver: 0), of: 0, isGood: true, intervalSeconds: 1)
        outlet.report(.lost, of: 0, at: at(2))
        outlet.send(fix(4, receiver: 8), of: 1, isGood: true, intervalSeconds: 1)
        #expect(sink.states.withLock { $0 } == [.streaming, .waiting, .streaming])
    }

    @Test(
        arguments: [
            (.absent, .absent, .absent), (.absent, .streaming, .waiting), (.lost, .streaming, .waiting),
            (.opening, .streaming, .waiting), (.opening, .waiting, .waiting), (.lost, .stale, .stale),
            (.absent, .opening, .absent), (.opening, .lost, .opening), (.lost, .absent, .lost),
            (.stale, .streaming, .stale), (.waiting, .stale, .waiting), (.streaming, .lost, .streaming),
        ] as [(SourceState, SourceState, SourceState)])
    func anotherReceiverIsToldWhileTheOneInUseIsNotConnected(
        used: SourceState, other: SourceState, together: SourceState
    ) {
        // GIVEN two receivers, of which the first one is in use THEN the state is that of the first, or that of the
        // other while the first is not connected, which is not used before it takes over
        let outlet = makeSwitch(2)
        outlet.report(other, of: 1, at: at(1))
        outlet.report(used, of: 0, at: at(1))
        outlet.report(used, of: 0, at: at(2))
        let states = sink.states.withLock { $0 }
        #expect(states.last == together && zip(states, states.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func aReceiverTellsItsSolutionAndCorrections() {
        // GIVEN the reports of an epoch with RTK, of which the first one is not complete, and an attitude
        var description = ReceiverDescription()
        var fix = FixBuilderTests.good
        (fix.devicePath, fix.utcNanoseconds, fix.mode, fix.status) = ("/dev/a", 1, 3, 4)
        (fix.correctionsAgeSeconds, fix.correctionsStation) = (1.5, 22)
        description.note(fix)
        (fix.status, fix.correctionsAgeSeconds, fix.correctionsStation) = (0, nil, nil)
        description.note(fix)
        var attitude = GpsdAttitude()
        (attitude.headingDegrees, attitude.pitchDegrees, attitude.rollDegrees) = (33, 2, -1)
        description.note(attitude, at: at(1))
        func status(_ seconds: Double) -> ReceiverStatus {
            description.status(driver: "u-blox", isJammed: false, used: 12, visible: 20, at: at(seconds))
        }
        // THEN the status has them; an old attitude is not shown
        #expect(status(2).solution == "rtk_float" && status(2).correctionsAgeSeconds == 1.5)
        #expect(status(2).correctionsStation == 22 && status(2).satellitesUsed == 12)
        #expect(status(2).headingDegrees == 33 && status(2).rollDegrees == -1)
        #expect(status(7).headingDegrees == nil)
        // WHEN the next epoch is a plain fix THEN the corrections are gone
        (fix.utcNanoseconds, fix.status) = (2, 0)
        description.note(fix)
        #expect(status(2).solution == "single" && status(2).correctionsAgeSeconds == nil)
        (fix.utcNanoseconds, fix.mode) = (3, 1)
        description.note(fix)
        #expect(status(2).solution == "none")
    }
}
