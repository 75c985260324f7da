import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// The thread of a device with a buffer, on another machine that gives scans and errors by a script.
@Suite struct IIODeviceThreadTests {
    private let board = SourceStatusBoard()
    private static let title = "IIO device 'part' (iio:device0)"

    /// Runs the thread of the device of a machine for some roles, until it fails. Returns how it ended.
    private func run(
        _ machine: ScriptedIIOD, _ roles: IIORoles, scans: Int, sink: OrderedSink, others: IIORoles = []
    ) throws -> IIODeviceWorker.Outcome {
        var settings = IIOSettings()
        (settings.contextURI, settings.bufferSamples, settings.matchesFilters) = (machine.uri, scans, false)
        // A test that waits is no silence.
        (settings.staleAfterSeconds, settings.reopenAfterSeconds, settings.stuckSampleLimit) = (60, 60, 0)
        let devices = try IIODevice.all(at: machine.uri)
        let device = try #require(devices.first)
        let output = IIOOutput(settings: settings, sink: sink, board: board)
        if !others.isEmpty { output.set(others, .streaming, "flows") }
        let worker = IIODeviceWorker(
            assignment: .init(device: device, roles: roles, isBuffered: true), settings: settings, output: output,
            signal: StopSignal(), attempt: 1)
        worker.run()
        return try #require(worker.outcome)
    }

    private func status(_ kind: SensorKind) throws -> SourceStatus {
        try #require(board.statuses.first { $0.description.kind == kind })
    }

    @Test func aBufferThatFailsAfterItsDataIsOpenedAgain() throws {
        // GIVEN a barometer with single readings, which fail, too WHEN its buffer has delivered a scan and then fails
        // THEN it is opened again, and single readings are not tried
        let air = ScriptedIIOD.Channel(
            id: "pressure", format: "le:u32/32>>0", attributes: ["raw": ["!19"], "scale": ["0.001"]])
        let machine = ScriptedIIOD([.init(channels: [air])], [.scans([[101_325]])])
        defer { machine.end() }
        let sink = OrderedSink()
        let outcome = try run(machine, .barometer, scans: 1, sink: sink)
        let reason = "\(Self.title) can no longer be read (Input/output error, EIO). Reopening (attempt 2)."
        #expect(outcome.explanation == reason && !outcome.isSilentBuffer && !outcome.hadData)
        let pressures = sink.events.compactMap {
            if case .pressure(let sample) = $0 { sample.pressurePascal } else { nil }
        }
        #expect(pressures == [101_325 * (1000 * 0.001)])
        #expect(try status(.barometer).state == .lost && status(.barometer).explanation == reason)
    }

    @Test func aWrongTimeIsCountedOnceInTwoReports() throws {
        // GIVEN two scans with the same time, of which the second one is refused WHEN the counts are told a second
        // later, and once more at the end THEN it has been counted once
        let channels: [ScriptedIIOD.Channel] = [
            .init(id: "pressure", format: "le:u32/32>>0", attributes: ["scale": ["0.001"]]),
            .init(id: "timestamp", format: "le:s64/64>>0"),
        ]
        let time = SystemClock.monotonicNow.nanoseconds
        let machine = ScriptedIIOD(
            [.init(channels: channels, attributes: ["current_timestamp_clock": ["monotonic"]])],
            [.scans([[100_000, time], [100_001, time]])])
        defer { machine.end() }
        let sink = OrderedSink { _ in usleep(1_100_000) }
        _ = try run(machine, .barometer, scans: 2, sink: sink)
        let air = try status(.barometer)
        #expect(air.rejections == [.init(reason: "time_not_increasing", count: 1)] && air.acceptedCount == 1)
        #expect(sink.events.count == 1)
    }

    @Test(arguments: [(IIORoles.gyro, IIORoles.accelerometer), (.accelerometer, .gyro)])
    func oneOfTwoDevicesStreamsByItself(role: IIORoles, other: IIORoles) throws {
        // GIVEN a device with a gyro or an accelerometer alone, beside another one that streams WHEN a scan is read
        // THEN it streams, and the time of its data is known, before it fails
        let quantity = role == .gyro ? "anglvel" : "accel"
        let channels = ["x", "y", "z"].map {
            ScriptedIIOD.Channel(id: "\(quantity)_\($0)", format: "le:s16/16>>0", attributes: ["scale": ["0.001"]])
        }
        let machine = ScriptedIIOD([.init(channels: channels)], [.scans([[1000, 2, 3]])])
        defer { machine.end() }
        let sink = OrderedSink()
        let before = SystemClock.monotonicNow
        _ = try run(machine, role, scans: 1, sink: sink, others: other)
        let states = sink.states.filter { $0.hasPrefix("imu") }
        #expect(states == ["absent", "opening", "waiting", "streaming", "lost"].map { "imu \($0)" }, "\(states)")
        let last = try #require(try status(.imu).lastDataTime)
        #expect(last > before && last < SystemClock.monotonicNow && sink.events.isEmpty)
    }
}
