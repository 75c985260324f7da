import Measurements
import Platform
import SensorInterface
import Testing

@testable import Sensors

/// A magnetometer in the scans of an IMU, where it repeats its reading from one measurement to the next.
@Suite struct SharedMagnetometerTests {
    private let board = SourceStatusBoard()
    private let sink = OrderedSink()

    private func status(_ kind: SensorKind) throws -> SourceStatus {
        try #require(board.statuses.first { $0.description.kind == kind })
    }

    /// A device whose raw values are micro units (rad/s, m/s2, gauss).
    private static func device() -> ScriptedIIOD.Device {
        let axes = ["accel", "anglvel", "magn"].flatMap { quantity in
            ["x", "y", "z"].map { axis in
                ScriptedIIOD.Channel(
                    id: "\(quantity)_\(axis)", format: "le:s32/32>>0", attributes: ["scale": ["0.000001"]])
            }
        }
        return ScriptedIIOD.Device(
            channels: axes + [ScriptedIIOD.Channel(id: "timestamp", format: "le:s64/64>>0")],
            attributes: ["sampling_frequency": ["4"], "current_timestamp_clock": ["monotonic"]])
    }

    /// Reads scans a quarter of a second apart, each with one of the fields, until the device fails.
    private func stream(_ fields: [Int64], stuckAfter limit: Int) throws {
        let start = SystemClock.monotonicNow.nanoseconds - Int64(fields.count) * 250_000_000
        let scans = fields.enumerated().map { number, field -> [Int64] in
            [0, 1, Int64(number), 0, 2, Int64(number), field, 0, 0, start + Int64(number) * 250_000_000]
        }
        let machine = ScriptedIIOD([Self.device()], [.scans(scans)])
        defer { machine.end() }
        var settings = IIOSettings()
        (settings.bufferSamples, settings.matchesFilters, settings.stuckSampleLimit) = (fields.count, false, limit)
        let output = IIOOutput(settings: settings, sink: sink, board: board)
        let roles: IIORoles = [.inertial, .magnetometer]
        let context = try IIOLibrary.open(machine.uri)
        let handle = try #require(IIOLibrary.devices(context).first)
        let capture = try IIOCapture(
            context: context,
            assignment: .init(
                device: IIODevice(handle: handle, withAttributes: false), roles: roles, isBuffered: true),
            settings: settings)
        defer { capture.handles.destroy() }
        let stream = IIOStream(
            capture: capture, roles: roles, settings: settings, output: output, title: "the part")
        _ = stream.run(StopSignal(), 1)
    }

    @Test(arguments: [(38, 100, SourceState.streaming), (44, 100, .stale), (44, 0, .streaming), (44, 200, .streaming)])
    func oneThatOnlyRepeatsItsReadingIsStale(repeats: Int, limit: Int, state: SourceState) throws {
        // GIVEN an IMU that moves, and a magnetometer of its scans that stops measuring WHEN its reading is repeated
        // for as long as the equal samples of the settings last at 10 Hz
        try stream([1000, 2000, 3000] + Array(repeating: 3000, count: repeats), stuckAfter: limit)
        // THEN it is stale, and the IMU streams on
        let field = try status(.magnetometer)
        #expect(field.state == state && field.acceptedCount == 3, "\(field)")
        if state == .stale {
            #expect(field.explanation == "the part has given no new magnetometer reading for 11 s")
        }
        #expect(try status(.imu).state == .streaming && status(.imu).acceptedCount == UInt64(repeats + 3))
        #expect(sink.states.filter { $0.hasPrefix("imu") } == ["imu waiting", "imu streaming"])
    }
}
