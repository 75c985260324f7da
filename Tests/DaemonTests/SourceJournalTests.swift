import Measurements
import PoseMath
import Testing

@testable import Daemon
@testable import SensorInterface

/// The log lines about the sources.
@Suite struct SourceJournalTests {
    private func status(_ state: SourceState, _ explanation: String = "", name: String = "gps", kind: SensorKind = .gps)
        -> SourceStatus
    {
        var status = SourceStatus(
            description: SourceDescription(name: name, kind: kind, place: "gpsd at localhost:2947"))
        (status.state, status.explanation) = (state, explanation)
        return status
    }

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test func aMissingDeviceIsToldOnceWithItsRemedy() {
        // GIVEN a receiver that is not there WHEN half a minute passes THEN the log says so once, after the patience
        var journal = SourceJournal()
        let lines = (0..<60).flatMap {
            journal.lines([status(.absent, "nothing listens; start gpsd")], now: at(Double($0) / 2))
        }
        #expect(lines == [.init(level: .warning, text: "gps (gpsd at localhost:2947): nothing listens; start gpsd")])
    }

    @Test func aChangeOfTheReceiverIsTold() {
        // GIVEN two receivers WHEN the second one comes into use THEN the log says so once, with the reason
        var journal = SourceJournal()
        var (first, second) = (status(.streaming, name: "gps1"), status(.streaming, name: "gps2"))
        (first.receiver, second.receiver) = (ReceiverStatus(), ReceiverStatus())
        first.receiver?.isInUse = true
        #expect(journal.lines([first, second], now: at(0)).count == 2)
        first.receiver?.isInUse = false
        second.receiver?.isInUse = true
        second.receiver?.useReason = "gps1 has delivered no usable fix for 2.6 s"
        second.receiver?.takeovers = 1
        #expect(
            journal.lines([first, second], now: at(1)) == [
                .init(
                    level: .warning,
                    text: "gps2 (gpsd at localhost:2947) is used now: gps1 has delivered no usable fix for 2.6 s")
            ])
        #expect(journal.lines([first, second], now: at(2)).isEmpty)
    }

    @Test func aStartTellsAtOnceWhatIsWaitedFor() {
        // GIVEN sources that have not answered THEN the first line names them, and without any it says so
        let gps = status(.absent)
        let imu = status(.absent, name: "imu", kind: .imu)
        #expect(
            SourceJournal.start([gps, imu])
                == .init(
                    level: .notice,
                    text: "waits for data of gps (gpsd at localhost:2947) and imu (gpsd at localhost:2947)"))
        #expect(SourceJournal.start([]).level == .warning)
        // WHEN one is absent for a second THEN the reason follows, not after five; one that was there has five
        var journal = SourceJournal()
        #expect(journal.lines([status(.absent, "no gpsd")], now: at(0)).isEmpty)
        #expect(journal.lines([status(.absent, "no gpsd")], now: at(1.1)).count == 1)
        #expect(journal.lines([status(.streaming)], now: at(2)).count == 1)
        #expect(journal.lines([status(.absent, "no gpsd")], now: at(3)).isEmpty)
        #expect(journal.lines([status(.absent, "no gpsd")], now: at(4.5)).isEmpty)
    }

    @Test func whatNobodyNeedsIsMissedOnlyOnceItWasThere() {
        // GIVEN a barometer that never was THEN that is no warning; GIVEN one that stops THEN it is
        func levels(_ states: [SourceState]) -> [String] {
            var journal = SourceJournal()
            return states.enumerated().flatMap {
                journal.lines([status($1, name: "barometer", kind: .barometer)], now: at(Double($0) * 6)).map(
                    \.level.rawValue)
            }
        }
        #expect(levels([.absent, .absent, .absent]) == ["info"])
        #expect(levels([.streaming, .lost, .lost]) == ["notice", "warning"])
    }

    @Test func flowingAndFailingAreToldEachTime() {
        // GIVEN a receiver that comes, goes for 2 s, comes back, and goes for good THEN the short break is none
        var journal = SourceJournal()
        var told: [(Double, SourceJournal.Line)] = []
        for k in 0..<100 {
            let seconds = Double(k) / 2
            let state: SourceState =
                seconds < 3 ? .opening : (10..<12).contains(seconds) || seconds >= 20 ? .lost : .streaming
            for line in journal.lines([status(state, "unplugged")], now: at(seconds)) { told.append((seconds, line)) }
        }
        #expect(told.map(\.0) == [3, 25])
        #expect(told.map(\.1.level) == [.notice, .warning])
        #expect(told.last?.1.text.hasSuffix("unplugged") == true)
    }

    @Test func dataThatAreWorseThanTheyCouldBeAreToldOnceForEachReason() {
        // GIVEN an IMU that streams by single readings; WHEN time passes, and the reason ends and comes back; THEN the
        // log says so as a warning, once each time.
        var journal = SourceJournal()
        let reasons: [String?] = ["by single readings", "by single readings", nil, nil, "by single readings"]
        let lines = reasons.enumerated().flatMap { index, reason in
            var status = status(.streaming, name: "imu", kind: .imu)
            status.degradation = reason
            return journal.lines([status], now: at(Double(index)))
        }
        #expect(lines.map(\.level) == [.warning, .warning])
        #expect(lines.first?.text.hasSuffix("data flows, but by single readings") == true)
    }

    /// The times at which something is logged of a source that changes its state, with the words after its name.
    private func told(_ steps: [(seconds: Double, state: SourceState)], kind: SensorKind = .gps) -> [String] {
        var journal = SourceJournal()
        return steps.flatMap { step in
            journal.lines([status(step.state, "is \(step.state)", name: "x", kind: kind)], now: at(step.seconds)).map {
                "\(step.seconds) \($0.level) \($0.text.split(separator: ": ").last ?? "")"
            }
        }
    }

    @Test func eachStateHasItsPatience() {
        // GIVEN a source that was never there THEN it is told after one second; one that opens after five
        #expect(told([(0, .absent), (0.99, .absent), (1, .absent), (2, .absent)]) == ["1.0 warning is absent"])
        #expect(told([(0, .opening), (4.99, .opening), (5, .opening), (9, .opening)]) == ["5.0 warning is opening"])
        // AND one that had data before has five seconds too, from the change on
        #expect(
            told([(0, .streaming), (1, .absent), (5.99, .absent), (6, .absent), (7, .streaming), (8, .streaming)])
                == ["0.0 notice data flows", "6.0 warning is absent", "7.0 notice data flows"])
        // AND each change begins anew
        #expect(told([(0, .opening), (4, .waiting), (8.9, .waiting), (9, .waiting)]) == ["9.0 warning is waiting"])
        // AND of an IMU the same is told, of other sources without a warning until they had data
        #expect(told([(0, .absent), (1, .absent)], kind: .imu) == ["1.0 warning is absent"])
        #expect(
            told([(0, .absent), (1, .absent), (2, .streaming), (3, .lost), (8, .lost)], kind: .wheels)
                == ["1.0 info is absent", "2.0 notice data flows", "8.0 warning is lost"])
    }

    @Test func aTakeoverIsToldOfTheReceiverThatIsUsed() {
        // GIVEN two receivers that have taken over THEN only the one in use is told, once for each takeover; one
        // without a reason is not
        var journal = SourceJournal()
        func told(_ takeovers: UInt64, isInUse: Bool, _ reason: String? = "gps1 is silent") -> Int {
            var status = status(.streaming, name: "gps2")
            var receiver = ReceiverStatus()
            (receiver.takeovers, receiver.isInUse, receiver.useReason) = (takeovers, isInUse, reason)
            status.receiver = receiver
            return journal.lines([status], now: at(1)).count { $0.text.contains("is used now") }
        }
        #expect(told(0, isInUse: true, nil) == 0)
        let counts = [(1, true), (1, true), (2, false), (2, true), (3, true)].map { told($0.0, isInUse: $0.1) }
        #expect(counts == [1, 0, 0, 0, 1] && told(4, isInUse: true, nil) == 0 && told(4, isInUse: true) == 1)
    }

    @Test func aDegradationIsDataThatFlow() {
        // GIVEN a barometer whose data are worse from the start, then stop THEN that is a warning: it had data
        var journal = SourceJournal()
        var worse = status(.streaming, name: "x", kind: .barometer)
        worse.degradation = "single readings"
        let first = journal.lines([worse], now: at(0)).map(\.text)
        #expect(first == ["x (gpsd at localhost:2947): data flows, but single readings"])
        let lost = status(.lost, "unplugged", name: "x", kind: .barometer)
        #expect(journal.lines([lost], now: at(1)).isEmpty)
        #expect(journal.lines([lost], now: at(6)).map(\.level) == [.warning])
        // AND a source that is not streaming is not degraded
        var absent = status(.absent, "none", name: "y")
        absent.degradation = "single readings"
        #expect(journal.lines([lost, absent], now: at(7)).isEmpty)
    }
}
