import Measurements
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// What the engine and the status board hear of the vehicle bus.
@Suite struct CANReporterTests {
    private final class Sink: EventSink {
        let states = Mutex<[SourceState]>([])

        func send(_ event: SensorEvent) {}

        func send(_ report: SourceReport) { states.withLock { $0.append(report.state) } }
    }

    private let board = SourceStatusBoard()
    private let sink = Sink()
    private let bus: Int
    private let now = MonotonicTime(nanoseconds: 5_000_000_000)

    init() { bus = board.register(SourceDescription(name: "can", kind: .wheels, place: "CAN interface can7")) }

    @Test(arguments: [SourceState.streaming, .stale])
    func theEndOfTheBusIsToldToTheEngineWhereNoOtherSourceStreams(other: SourceState) {
        // GIVEN wheel speeds of the bus, and a bridge that sends some too, or is silent WHEN the bus is lost
        let bridge = board.register(SourceDescription(name: "wheels", kind: .wheels, place: "command wheel"))
        board.update(bridge) { $0.state = other }
        var reporter = CANReporter(sink: sink, board: board, entry: bus)
        reporter.set(.streaming, "wheel speeds on can7", now)
        reporter.set(.lost, "can7 is down", now)
        // THEN `status` has it, and the engine's state of all wheel speeds is that of the bridge
        #expect(board.statuses[bus].state == .lost)
        let told: [SourceState] = other == .streaming ? [.streaming] : [.streaming, .lost]
        #expect(sink.states.withLock { $0 } == told)
    }

    @Test func theTimeOfTheLastSpeedStaysKnown() {
        // GIVEN a bus with speeds WHEN it is opened again, and none has come since THEN the time of the last one stays
        let reporter = CANReporter(sink: sink, board: board, entry: bus)
        reporter.count(accepted: 7, CANCounts(), rateHertz: 10, now)
        reporter.count(accepted: 7, CANCounts(), rateHertz: 0, nil)
        #expect(board.statuses[bus].lastDataTime == now && board.statuses[bus].acceptedCount == 7)
    }
}
