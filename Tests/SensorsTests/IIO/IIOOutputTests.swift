import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// Keeps what sources report.
private final class StateSink: EventSink {
    private let list = Mutex<[SourceReport]>([])

    func send(_ event: SensorEvent) {}
    func send(_ report: SourceReport) { list.withLock { $0.append(report) } }

    /// The reported states of a sensor, oldest first.
    func states(_ kind: SensorKind) -> [SourceState] {
        list.withLock { $0 }.filter { $0.source == kind }.map(\.state)
    }
}

/// What becomes of the states of the devices.
@Suite struct IIOOutputTests {
    private let sink = StateSink()
    private let board = SourceStatusBoard()

    @Test func everyChangeIsReportedOnce() {
        // GIVEN a barometer WHEN its state is set several times THEN each change is reported, and no repetition
        let output = IIOOutput(settings: IIOSettings(), sink: sink, board: board)
        for state in [SourceState.opening, .waiting, .waiting, .streaming, .streaming, .lost] {
            output.set(.barometer, state, "")
        }
        #expect(sink.states(.barometer) == [.opening, .waiting, .streaming, .lost])
        // WHEN it is closed THEN nothing more is reported
        output.close()
        output.set(.barometer, .absent, "")
        #expect(sink.states(.barometer) == [.opening, .waiting, .streaming, .lost])
    }

    @Test func theWorseStateOfTwoDevicesIsThatOfTheIMU() {
        // GIVEN the states from best to worst
        let states: [SourceState] = [.streaming, .waiting, .stale, .opening, .lost, .absent]
        for (better, one) in states.enumerated() {
            for other in states[better...] {
                // WHEN gyro and accelerometer have two of them THEN the IMU has the worse one, and its explanation
                for roles in [(IIORoles.gyro, IIORoles.accelerometer), (.accelerometer, .gyro)] {
                    let board = SourceStatusBoard()
                    let output = IIOOutput(settings: IIOSettings(), sink: sink, board: board)
                    output.set(roles.0, one, "one")
                    output.set(roles.1, other, "other")
                    let status = board.statuses.first { $0.description.kind == .imu }
                    #expect(status?.state == other, "\(one) \(other)")
                    if one != other { #expect(status?.explanation == "other") }
                }
            }
        }
    }
}
