import Engine
import Guidance
import Measurements
import Platform
import PoseMath
import Recording
import Replay
import SensorInterface
import Synchronization
import Testing

@testable import Playback

/// What a recording sends, and when.
@Suite struct RecordingSourceTests {
    /// Inputs in their order, and a problem after them.
    private final class Inputs: InputReader {
        let kinds: Set<SensorKind> = [.imu, .gps]
        private(set) var progress = 0.0
        let notes: [String] = []
        private var rest: [EngineInput]
        private let problem: RecordingError?
        private let count: Int

        init(_ inputs: [EngineInput], _ problem: RecordingError?) {
            (rest, self.problem, count) = (inputs.reversed(), problem, inputs.count)
        }

        func next() throws(RecordingError) -> SensorEvent? { nil }

        func nextInput() throws(RecordingError) -> EngineInput? {
            guard let input = rest.popLast() else {
                if let problem { throw problem }
                return nil
            }
            progress = Double(count - rest.count) / Double(count)
            return input
        }
    }

    /// Measurements alone.
    private final class Events: EventReader {
        let kinds: Set<SensorKind> = [.imu]
        let progress = 0.25
        let notes: [String] = []
        private var rest: [SensorEvent]

        init(_ events: [SensorEvent]) { rest = events.reversed() }

        func next() throws(RecordingError) -> SensorEvent? { rest.popLast() }
    }

    /// Keeps what arrives, in its order.
    private final class Kept: EventSink, Sendable {
        let events = Mutex<[SensorEvent]>([])
        let reports = Mutex<[SourceReport]>([])
        let commands = Mutex<[EngineCommand]>([])
        let shares = Mutex<[Double]>([])
        let order = Mutex("")

        func send(_ event: SensorEvent) {
            events.withLock { $0.append(event) }
            order.withLock { $0 += "e" }
        }

        func send(_ report: SourceReport) { reports.withLock { $0.append(report) } }

        func take(_ command: EngineCommand) {
            commands.withLock { $0.append(command) }
            order.withLock { $0 += "c" }
        }
    }

    /// A measurement that tells its number.
    private func sample(_ number: Int, at seconds: Double) -> SensorEvent {
        .inertial(
            InertialSample(
                time: MonotonicTime(nanoseconds: Int64(seconds * 1e9)),
                angularRateRadiansPerSecond: Vector3(Double(number), 0, 0),
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.8)))
    }

    /// Plays to the end; returns what arrived, the board and the problem, and when it began.
    private func play(
        speed: Double = 100, _ open: @escaping @Sendable () throws(RecordingError) -> any EventReader
    ) -> (kept: Kept, board: SourceStatusBoard, problem: RecordingError?) {
        let (kept, board, ended) = (Kept(), SourceStatusBoard(), EventFD())
        let source = RecordingSource(
            open: open, speed: speed, sink: kept, command: { kept.take($0) }, board: board,
            onProgress: { share in kept.shares.withLock { $0.append(share) } }, onEnd: { ended.signal() })
        #expect(!source.hasEnded)
        source.start()
        // A deadline that only ends what hangs.
        #expect(StopSignal().wait(for: ended.descriptor, seconds: 20) == .ready)
        #expect(source.hasEnded)
        source.stop()
        return (kept, board, source.problem)
    }

    @Test func everythingIsSentAtItsTimeOfTheClock() throws {
        // GIVEN two measurements two seconds apart, with an answer about the road between them, and what follows from
        // the measurements themselves
        var answer = SpeedHorizon(time: MonotonicTime(nanoseconds: 1_001_500_000_000))
        answer.progressMeters = 7
        let inputs: [EngineInput] = [
            .event(sample(1, at: 1000)), .tick(MonotonicTime(nanoseconds: 5)),
            .repetition(MonotonicTime(nanoseconds: 5)), .command(.setSpeedHorizon(answer)),
            .command(.trimHeading(byRadians: 0.5)), .event(sample(2, at: 1002)),
        ]
        let begin = SystemClock.monotonicNow
        let (kept, board, problem) = play { [inputs] () throws(RecordingError) in Inputs(inputs, nil) }
        let end = SystemClock.monotonicNow
        // THEN they come in their order, moved by one time to the present, the second not before a hundredth of the
        // time between them
        let events = kept.events.withLock { $0 }
        #expect(problem == nil && kept.order.withLock { $0 } == "ecce")
        let first = try #require(events.first?.arrivalTime)
        #expect(
            events
                == [sample(1, at: 1000), sample(2, at: 1002)].map {
                    $0.shifted(byNanoseconds: first.nanoseconds - 1_000_000_000_000)
                })
        #expect(first >= begin && first <= end && end.seconds(since: begin) >= 0.02)
        var moved = answer
        moved.time = first.advanced(bySeconds: 1.5)
        let commands = kept.commands.withLock { $0 }
        guard case .setSpeedHorizon(let found) = commands.first, case .trimHeading(let angle) = commands.last else {
            Issue.record("\(commands)")
            return
        }
        #expect(found == moved && angle == 0.5)
        #expect(kept.shares.withLock { $0 } == [1.0 / 6, 1])
        // AND the board tells where they come from
        #expect(board.statuses.map(\.description.kind) == SensorKind.allCases.filter { [.imu, .gps].contains($0) })
        let inertial = try #require(board.statuses.first { $0.description.kind == .imu })
        #expect(inertial.state == .streaming && inertial.device == "recording")
        #expect(inertial.explanation == "played from a recording; no sensor is read")
        #expect(kept.reports.withLock { $0.contains { $0.source == .imu && $0.state == .streaming } })
    }

    @Test func aRecordingOfMeasurementsAloneIsPlayed() {
        let events = [sample(1, at: 3), sample(2, at: 3)]
        let (kept, board, problem) = play { [events] () throws(RecordingError) in Events(events) }
        #expect(problem == nil && kept.order.withLock { $0 } == "ee" && board.statuses.count == 1)
        #expect(kept.shares.withLock { $0 } == [0.25, 0.25])
    }

    @Test func aProblemIsKeptForTheEnd() {
        // GIVEN a recording that is damaged after its first measurement, and one that cannot be opened
        let damage = RecordingError(path: "/r/a", problem: "is damaged", remedy: "copy it again")
        let events = [EngineInput.event(sample(1, at: 3))]
        let (kept, _, problem) = play { [events] () throws(RecordingError) in Inputs(events, damage) }
        // THEN what was before is played, and the problem is told
        #expect(problem?.description == damage.description && kept.order.withLock { $0 } == "e")
        let none = play { () throws(RecordingError) in throw damage }
        #expect(none.problem?.description == damage.description && none.kept.order.withLock { $0 }.isEmpty)
    }

    @Test func aStopEndsTheWait() {
        // GIVEN a second measurement after an hour WHEN the source is stopped THEN it ends without it
        let (kept, ended) = (Kept(), EventFD())
        let inputs = [EngineInput.event(sample(1, at: 0)), .event(sample(2, at: 3600)), .event(sample(3, at: 3600))]
        let source = RecordingSource(
            open: { () throws(RecordingError) in Inputs(inputs, nil) }, speed: 1, sink: kept, command: { _ in },
            board: SourceStatusBoard(), onProgress: nil, onEnd: { ended.signal() })
        source.start()
        source.stop()
        #expect(source.hasEnded && kept.order.withLock { $0.count } <= 1)
        #expect(StopSignal().wait(for: ended.descriptor, seconds: 20) == .ready)
    }
}
