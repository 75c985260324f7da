import Calibration
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

/// The entries of the board, value by value.
@Suite struct IIOBoardEntryTests {
    private let sink = StateSink()
    private let board = SourceStatusBoard()

    private static func settings() -> IIOSettings {
        var settings = IIOSettings()
        settings.contextURI = "ip:board"
        settings.gyro.mountMatrixOverride = "M"
        var (turned, plain) = (SensorCorrections(), SensorCorrections())
        turned.gyro = SensorCorrection(offset: Vector3(1, 0, 0))
        plain.gyro = SensorCorrection(offset: Vector3(9, 0, 0))
        plain.accelerometer = SensorCorrection(offset: Vector3(2, 0, 0))
        plain.magnetometer = SensorCorrection(offset: Vector3(3, 0, 0))
        settings.corrections = ["six turned by M": turned, "six": plain]
        return settings
    }

    @Test func theIMUIsThatOfBothSensors() {
        // GIVEN gyro and accelerometer of one device, with counts and values of their own
        let output = IIOOutput(settings: Self.settings(), sink: sink, board: board)
        output.set(device: IIODevice(id: "iio:device0", name: "six"), for: [.inertial, .magnetometer])
        var tally = IIOTally()
        for slot in 0..<4 {
            tally.sensors[slot].accepted = UInt64(10 + slot)
            for reason in IIORejection.allCases.indices {
                tally.sensors[slot].rejections[reason] = UInt64((reason + 1) * (slot + 1))
            }
        }
        (tally.rateHertz, tally.celsius, tally.clockDrift) = (200, 21.5, -3)
        tally.lastDataTime = MonotonicTime(nanoseconds: 77)
        output.set([.inertial, .magnetometer], .streaming, "streams", degradation: "slow")
        output.add(tally, to: .gyro)
        (tally.rateHertz, tally.celsius, tally.clockDrift) = (100, nil, 5)
        tally.lastDataTime = MonotonicTime(nanoseconds: 66)
        output.add(tally, to: .accelerometer)
        output.add(tally, to: .accelerometer)
        // THEN the entry has the sum of what was refused, the larger count, the lower rate, the newer time, and the
        // temperature and the clock of the gyro
        var expected = SourceStatus(description: .init(name: "imu", kind: .imu, place: "IIO at ip:board"))
        (expected.device, expected.state, expected.explanation) = ("six turned by M and six", .streaming, "streams")
        (expected.degradation, expected.acceptedCount, expected.rateHertz) = ("slow", 22, 100)
        (expected.celsius, expected.clockDriftPartsPerMillion) = (21.5, -3)
        expected.lastDataTime = MonotonicTime(nanoseconds: 77)
        expected.rejections = IIORejection.allCases.enumerated().map {
            RejectionCount(reason: $0.element.rawValue, count: UInt64(($0.offset + 1) * 5))
        }
        expected.corrections.gyro = SensorCorrection(offset: Vector3(1, 0, 0))
        expected.corrections.accelerometer = SensorCorrection(offset: Vector3(2, 0, 0))
        #expect(board.statuses[0] == expected)
        // AND the magnetometer has its own, and the barometer nothing
        #expect(board.statuses[1].corrections.magnetometer == SensorCorrection(offset: Vector3(3, 0, 0)))
        #expect(board.statuses[1].acceptedCount == 0 && board.statuses[1].device == "six")
        let air = SourceDescription(name: "barometer", kind: .barometer, place: "IIO at ip:board")
        #expect(board.statuses[2] == SourceStatus(description: air))
    }

    @Test func aRateThatEndedIsNotThatOfTheIMU() {
        // GIVEN gyro and accelerometer that stream at their own rates
        let output = IIOOutput(settings: Self.settings(), sink: sink, board: board)
        output.set(.inertial, .streaming, "streams", degradation: "slow")
        for (role, rate) in [(IIORoles.gyro, 200.0), (.accelerometer, 100)] {
            var tally = IIOTally()
            tally.rateHertz = rate
            output.add(tally, to: role)
        }
        // WHEN one of both is lost THEN the rate of the other one is left, and nothing is degraded; a stale one keeps
        // it
        output.set(.accelerometer, .stale, "late")
        #expect(board.statuses[0].rateHertz == 100 && board.statuses[0].degradation == nil)
        output.set(.accelerometer, .lost, "gone")
        #expect(board.statuses[0].rateHertz == 200 && board.statuses[0].explanation == "gone")
        output.set(.gyro, .lost, "gone too")
        #expect(board.statuses[0].rateHertz == nil && board.statuses[0].explanation == "gone too; gone")
    }

    @Test func nothingIsSentAfterTheEnd() {
        // GIVEN an output WHEN it is closed THEN what comes later goes nowhere, also what completes a pair
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(), sink: sink, board: board)
        func sample(_ nanoseconds: Int64) -> AxisSample {
            AxisSample(time: MonotonicTime(nanoseconds: nanoseconds), vector: .zero)
        }
        let pressure = SensorEvent.pressure(PressureSample(time: MonotonicTime(nanoseconds: 1), pressurePascal: 1))
        _ = output.pair(accelerometer: sample(5))
        output.send(pressure)
        output.close()
        output.send(pressure)
        #expect(output.pair(gyro: sample(5)) == 1)
        output.set(.barometer, .lost, "gone")
        #expect(sink.events == [pressure] && sink.states.isEmpty && board.statuses[2].state == .lost)
    }

    @Test func pairsAreCountedWithWhatTheyLost() {
        // GIVEN a gyro and an accelerometer of two devices WHEN readings are late, lost or disordered THEN the entry of
        // the IMU counts them, each by its name
        func sample(_ milliseconds: Double) -> AxisSample {
            AxisSample(time: MonotonicTime(nanoseconds: Int64(milliseconds * 1e6)), vector: Vector3(0, 0, 9.8))
        }
        let output = IIOOutput(settings: Self.settings(), sink: sink, board: board)
        #expect(output.pair(accelerometer: sample(1000)) == 0 && output.pair(gyro: sample(500)) == 0)
        #expect(output.pair(accelerometer: sample(900)) == 0 && output.pair(gyro: sample(1000)) == 1)
        for number in [0] + Array(0..<70) { _ = output.pair(gyro: sample(2000 + Double(number) / 2)) }
        output.add(IIOTally(), to: .inertial)
        let rejections = board.statuses[0].rejections.map { "\($0.reason) \($0.count)" }
        #expect(rejections == ["time_not_increasing 2", "without_acceleration 1", "queue_full 6"], "\(rejections)")
    }

    @Test func pairsAreCountedWhicheverReadingCompletesThem() {
        // GIVEN a gyro and an accelerometer of two devices WHEN two samples are completed by the one, and two by the
        // other THEN the IMU has four
        func sample(_ milliseconds: Int64) -> AxisSample {
            AxisSample(time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), vector: .zero)
        }
        let output = IIOOutput(settings: Self.settings(), sink: sink, board: board)
        for time: Int64 in [1000, 1100] {
            #expect(output.pair(accelerometer: sample(time)) == 0 && output.pair(gyro: sample(time)) == 1)
        }
        for time: Int64 in [1200, 1300] {
            #expect(output.pair(gyro: sample(time)) == 0 && output.pair(accelerometer: sample(time)) == 1)
        }
        output.add(IIOTally(), to: .inertial)
        #expect(board.statuses[0].acceptedCount == 4 && board.statuses[1].acceptedCount == 0)
    }

    @Test func onlyWhatIsWantedHasAnEntry() {
        // GIVEN settings with some sensors off THEN the others have entries, the IMU with either of its sensors
        for off in 0..<16 {
            var settings = IIOSettings()
            if off & 1 != 0 { settings.gyro.device = .off }
            if off & 2 != 0 { settings.accelerometer.device = .off }
            if off & 4 != 0 { settings.magnetometer.device = .off }
            if off & 8 != 0 { settings.barometer.device = .off }
            let board = SourceStatusBoard()
            _ = IIOOutput(settings: settings, sink: sink, board: board)
            let names = (off & 3 != 3 ? ["imu"] : []) + (off & 4 == 0 ? ["magnetometer"] : [])
            #expect(board.statuses.map(\.description.name) == names + (off & 8 == 0 ? ["barometer"] : []))
            #expect(board.statuses.allSatisfy { $0.description.place == "IIO of this machine" })
        }
    }

    @Test func anAccelerometerThatWeighsWrongIsDegraded() {
        // GIVEN an IMU at rest that measures 4.9 m/s2 for long WHEN it streams THEN the status tells it; a right one
        // has nothing to tell
        for (force, isTold) in [(9.8, false), (4.9, true)] {
            let board = SourceStatusBoard()
            let output = IIOOutput(settings: IIOSettings(), sink: sink, board: board)
            for k in 0..<1000 {
                output.send(
                    .inertial(
                        InertialSample(
                            time: MonotonicTime(nanoseconds: Int64(k) * 5_000_000),
                            angularRateRadiansPerSecond: .zero,
                            specificForceMetersPerSecondSquared: Vector3(0, 0, force))))
            }
            output.set([.inertial, .magnetometer], .streaming, "streams")
            let text = board.statuses[0].degradation
            #expect(isTold == (text?.hasPrefix("the accelerometer measures 4.9 m/s2 at rest instead of ") == true))
            #expect(isTold || text == nil)
            #expect(board.statuses[1].degradation == nil)
            output.set(.inertial, .stale, "late")
            #expect(board.statuses[0].degradation == nil)
        }
    }
}
