import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// Keeps what a source sends, in order.
final class OrderedSink: EventSink {
    private let kept = Mutex<(events: [SensorEvent], states: [String])>(([], []))
    private let onEvent: @Sendable (Int) -> Void

    /// `onEvent` gets the number of each event, from 1.
    init(onEvent: @escaping @Sendable (Int) -> Void = { _ in }) { self.onEvent = onEvent }

    func send(_ event: SensorEvent) {
        onEvent(
            kept.withLock {
                $0.events.append(event)
                return $0.events.count
            })
    }

    func send(_ report: SourceReport) { kept.withLock { $0.states.append("\(report.source) \(report.state)") } }

    var events: [SensorEvent] { kept.withLock { $0.events } }
    var states: [String] { kept.withLock { $0.states } }
}

/// The stream of scans of a device, read by libiio from a machine that gives scans and errors by a script. The settings
/// are those of a device of this machine, so that its time stamps are taken as they are.
@Suite struct IIOStreamTests {
    private let board = SourceStatusBoard()
    private static let title = "IIO device 'part' (iio:device0)"

    /// A device with every sensor, whose raw values are micro units (rad/s, m/s2, gauss) and pascal.
    private static func device(clock: String = "monotonic", trigger: String? = nil) -> ScriptedIIOD.Device {
        func axes(_ quantity: String, _ format: String) -> [ScriptedIIOD.Channel] {
            ["x", "y", "z"].map {
                .init(id: "\(quantity)_\($0)", format: format, attributes: ["scale": ["0.000001"]])
            }
        }
        return .init(
            channels: axes("accel", "le:s32/32>>0") + axes("anglvel", "be:s32/32>>0") + axes("magn", "le:s24/32>>8")
                + [
                    .init(id: "pressure", format: "le:u32/32>>0", attributes: ["scale": ["0.001"]]),
                    .init(id: "temp", format: "be:s12/16>>4", attributes: ["scale": ["250"], "offset": ["-8"]]),
                    .init(id: "timestamp", format: "le:s64/64>>0"),
                ],
            attributes: ["sampling_frequency": ["4"], "current_timestamp_clock": [clock]], trigger: trigger)
    }

    private static func settings(_ scans: Int) -> IIOSettings {
        var settings = IIOSettings()
        (settings.stuckSampleLimit, settings.bufferSamples) = (0, scans)
        (settings.matchesFilters, settings.accelerometer.rateHertz, settings.gyro.rateHertz) = (false, 4, 4)
        return settings
    }

    /// Streams from a machine until it fails. Returns how it ended.
    private func stream(
        _ machine: ScriptedIIOD, _ roles: IIORoles, _ settings: IIOSettings, _ output: IIOOutput, attempt: Int = 1,
        canPoll: Bool = false, signal: StopSignal = StopSignal()
    ) throws -> IIODeviceWorker.Outcome {
        let context = try IIOLibrary.open(machine.uri)
        let device = try #require(IIOLibrary.devices(context).first)
        let capture = try IIOCapture(
            context: context,
            assignment: .init(
                device: IIODevice(handle: device, withAttributes: false), roles: roles, isBuffered: true),
            settings: settings)
        defer { capture.handles.destroy() }
        let stream = IIOStream(
            capture: capture, roles: roles, settings: settings, output: output, title: Self.title)
        stream.canPoll = canPoll
        return stream.run(signal, attempt)
    }

    private func status(_ kind: SensorKind) throws -> SourceStatus {
        try #require(board.statuses.first { $0.description.kind == kind })
    }

    /// The measurement of a scan with a number, a quarter of a second after the one before, from a start on.
    private func inertial(_ number: Int64) -> (Int64) -> SensorEvent {
        let n = Double(number) * 1e-6
        return {
            .inertial(
                InertialSample(
                    time: MonotonicTime(nanoseconds: $0 + number * 250_000_000),
                    angularRateRadiansPerSecond: Vector3(1e6 * 1e-6, -n, 0),
                    specificForceMetersPerSecondSquared: Vector3(0, n, 2e6 * 1e-6)))
        }
    }

    private func magnetic(_ number: Int64, _ field: Double) -> (Int64) -> SensorEvent {
        let tesla = Vector3(field * 1e6, 0, -1e6) * (1e-4 * 0.000001)
        return {
            let time = MonotonicTime(nanoseconds: $0 + number * 250_000_000)
            return .magnetic(MagneticSample(time: time, fluxDensityTesla: tesla))
        }
    }

    private func pressure(_ number: Int64) -> (Int64) -> SensorEvent {
        {
            let time = MonotonicTime(nanoseconds: $0 + number * 250_000_000)
            return .pressure(PressureSample(time: time, pressurePascal: Double(91_552 + number) * (1000 * 0.001)))
        }
    }

    @Test func eachSensorOfAScanIsCheckedAndCountedByItself() throws {
        // GIVEN scans a quarter of a second apart, of which some readings are wrong or repeated
        let start = SystemClock.monotonicNow.nanoseconds - 10_000_000_000
        func scan(
            _ number: Int64, gyro: Int64 = 1, force: Int64 = 2, field: Int64 = 3, at time: Int64? = nil
        ) -> [Int64] {
            [0, number, force * 1_000_000, gyro * 1_000_000, -number, 0, field * 1_000_000, 0, -1_000_000]
                + [91_552 + number, -100 + number, time ?? start + number * 250_000_000]
        }
        let scans = [
            scan(1), scan(2, field: 4), scan(3, gyro: 41, field: 4), scan(4, force: 314), scan(5, gyro: -41),
            scan(6, at: start + 1_000_000_000), scan(7, at: start - 60_000_000_000), scan(8, at: .max),
            scan(9, force: -314, field: 8),
        ]
        let machine = ScriptedIIOD([Self.device()], [.scans(scans)])
        defer { machine.end() }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(scans.count), sink: sink, board: board)
        // WHEN they are read, and then the device fails
        let roles: IIORoles = [.inertial, .magnetometer, .barometer]
        let outcome = try stream(machine, roles, Self.settings(scans.count), output, attempt: 3)
        // THEN each sensor gives what was right in its scan, a repeated field nothing
        let expected = [
            magnetic(1, 3), pressure(1), inertial(1), magnetic(2, 4), pressure(2), inertial(2), pressure(3),
            magnetic(4, 3), pressure(4), pressure(5), magnetic(9, 8), pressure(9),
        ].map { $0(start) }
        #expect(sink.events == expected, "\(sink.events)")
        let reason = "can no longer be read (Input/output error, EIO). Reopening (attempt 4)."
        #expect(outcome.explanation == "\(Self.title) \(reason)" && !outcome.hadData && !outcome.isSilentBuffer)
        // AND the counts are those of the sensor; a wrong time counts once, with the first one
        let imu = try status(.imu)
        #expect(imu.acceptedCount == 2 && imu.state == .streaming && imu.explanation == Self.title)
        let reasons = ["out_of_range 4", "time_not_increasing 1", "time_in_future 1", "time_in_past 1"]
        #expect(imu.rejections.map { "\($0.reason) \($0.count)" } == reasons)
        let (field, air) = (try status(.magnetometer), try status(.barometer))
        #expect(
            field.acceptedCount == 4 && field.rejections.isEmpty && air.acceptedCount == 6 && air.rejections.isEmpty)
        #expect(abs((field.rateHertz ?? 0) - (imu.rateHertz ?? 0) * 4 / 9) < 1e-9)  // Rounding only.
        // (-91 - 8) x 250 thousandths of a degree
        #expect(imu.celsius == -24.75 && imu.lastDataTime != nil && imu.lastDataTime == air.lastDataTime)
        #expect(sink.states.filter { $0.hasPrefix("imu") } == ["imu waiting", "imu streaming"])
    }

    @Test func aFailureIsExplainedByItsError() throws {
        // GIVEN a device whose trigger is `beat`, and one without WHEN their buffer fails THEN the words are those of
        // the error
        let texts: [(Int32, String, String?)] = [
            (ENODEV, "was unplugged (No such device, ENODEV)", nil),
            (
                ETIMEDOUT,
                "stopped sending samples (buffer enabled, trigger 'beat' idle) (Connection timed out, ETIMEDOUT)",
                "is unreachable: the connection to ip:board is lost or silent (Connection timed out, ETIMEDOUT)"
            ),
            (EPROTO, "sent a broken scan: its layout changed (Protocol error)", nil),
            (EPIPE, "is unreachable: the connection to HERE is lost or silent (Broken pipe, EPIPE)", nil),
            (
                ECONNRESET, "is unreachable: the connection to HERE is lost or silent (Connection reset by peer)", nil
            ), (EBADF, "can no longer be read (Bad file descriptor, EBADF)", nil),
        ]
        for (code, text, remote) in texts {
            for place in ["local:", "ip:board"] {
                let machine = ScriptedIIOD(
                    [Self.device(trigger: "beat"), .init(id: "trigger0", name: "beat")],
                    [.error(EAGAIN), .error(EINTR), .error(code)])
                defer { machine.end() }
                var settings = Self.settings(1)
                settings.contextURI = place
                let output = IIOOutput(settings: settings, sink: OrderedSink(), board: SourceStatusBoard())
                let outcome = try stream(machine, .inertial, settings, output)
                let words = (place == "local:" ? text : remote ?? text).replacingOccurrences(of: "HERE", with: place)
                #expect(outcome.explanation == "\(Self.title) \(words). Reopening (attempt 2).")
                #expect(!outcome.hadData && !outcome.isSilentBuffer)
            }
        }
    }

    @Test(arguments: [1, 17]) func aPartOfAScanIsABrokenOne(bytes: Int) throws {
        // GIVEN scans of 24 bytes WHEN a part of one comes THEN the device is opened again
        let machine = ScriptedIIOD([Self.device()], [.bytes(bytes)])
        defer { machine.end() }
        let settings = Self.settings(4)
        let output = IIOOutput(settings: settings, sink: OrderedSink(), board: board)
        let outcome = try stream(machine, .inertial, settings, output, attempt: 6)
        #expect(
            outcome.explanation
                == "\(Self.title) sent a broken scan: its layout changed (Protocol error). Reopening (attempt 7).")
    }

    @Test func aStopIsNoFailure() throws {
        // GIVEN a stream that is stopped at its second event THEN its counts are told, and nothing is opened again
        let signal = StopSignal()
        let sink = OrderedSink { if $0 == 2 { signal.raise() } }
        let start = SystemClock.monotonicNow.nanoseconds - 1_000_000_000
        let scans = (0..<5).map { number in
            ScriptedIIOD.Answer.scans([[Int64](repeating: Int64(number), count: 11) + [start + Int64(number) * 1000]])
        }
        let machine = ScriptedIIOD([Self.device(trigger: "")], scans)
        defer { machine.end() }
        let output = IIOOutput(settings: Self.settings(1), sink: sink, board: board)
        let outcome = try stream(machine, .inertial, Self.settings(1), output, signal: signal)
        #expect(outcome.explanation == "stopped" && outcome.hadData && sink.events.count == 2)
        let imu = try status(.imu)
        #expect(imu.acceptedCount == 2 && imu.state == .streaming)
        #expect(
            imu.explanation == "\(Self.title); the device has no trigger of its own and none is connected"
                && board.statuses.count == 3)
    }

    /// The explanation with the time of the silence replaced by `N`: it is that of a busy machine.
    private func timeless(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { Double($0) == nil ? String($0) : "N" }
            .joined(separator: " ")
    }

    @Test(arguments: [
        ("nothing", "sent no sample for N s after it was opened (buffer enabled, no trigger)", "waiting"),
        ("nothing usable", "sent no usable sample for N s", "waiting"),
        ("nothing more", "sent its last sample N s ago (buffer enabled, no trigger)", "stale"),
        ("the same", "repeats the same accelerometer reading", "stale"),
    ]) func aSilenceIsExplainedByWhatCame(what: String, text: String, state: String) throws {
        // GIVEN a device that gives nothing, nothing usable, nothing more, or always the same WHEN the times of the
        // settings and ten periods of 8 kHz are over THEN it is stale if it had data, and opened again
        var answers: [ScriptedIIOD.Answer] = []
        switch what {
        case "nothing usable": answers = Array(repeating: .scans([Self.scan(1, 50_000_000)]), count: 100_000)
        case "nothing more": answers = [.scans([Self.scan(1, 1)])]
        case "the same": answers = [.scans([Self.scan(1, 1), Self.scan(2, 1), Self.scan(3, 1)])]
        default: break
        }
        answers += Array(repeating: .error(EAGAIN), count: 100_000)
        let machine = ScriptedIIOD([Self.device()], answers)
        defer { machine.end() }
        var settings = Self.settings(3)
        (settings.gyro.rateHertz, settings.accelerometer.rateHertz) = (8000, 8000)
        (settings.staleAfterSeconds, settings.reopenAfterSeconds, settings.stuckSampleLimit) = (0, 0, 3)
        let sink = OrderedSink()
        let output = IIOOutput(settings: settings, sink: sink, board: board)
        let outcome = try stream(machine, .inertial, settings, output)
        #expect(timeless(outcome.explanation) == "\(Self.title) \(text). Reopening (attempt 2).")
        let last = sink.states.last { $0.hasPrefix("imu") }
        #expect(!outcome.hadData && !outcome.isSilentBuffer && last == "imu \(state)")
        if state == "stale" { #expect(timeless(try status(.imu).explanation) == "\(Self.title) \(text)") }
    }

    @Test func aMagnetometerThatIsSaturatedLeavesTheIMUAlone() throws {
        // GIVEN a device whose magnetometer repeats a field beyond what is taken WHEN it is stuck by its count THEN its
        // IMU streams on, without a change of state
        let start = SystemClock.monotonicNow.nanoseconds - 1_000_000_000
        let scans = (Int64(1)...8).map { number -> ScriptedIIOD.Answer in
            .scans([[1, 2, number, 3, 4, number, 1_000_000, 0, 0, 0, 0, start + number * 1_000_000]])
        }
        let machine = ScriptedIIOD([Self.device()], scans)
        defer { machine.end() }
        var settings = Self.settings(1)
        (settings.stuckSampleLimit, settings.magnetometer.scaleOverride) = (3, 0.0001)
        let sink = OrderedSink()
        let output = IIOOutput(settings: settings, sink: sink, board: board)
        _ = try stream(machine, [.inertial, .magnetometer], settings, output)
        #expect(try sink.events.count == 8 && status(.imu).acceptedCount == 8)
        #expect(sink.states.filter { $0.hasPrefix("imu") } == ["imu waiting", "imu streaming"], "\(sink.states)")
        let field = try status(.magnetometer)
        #expect(field.acceptedCount == 0 && field.rejections == [.init(reason: "out_of_range", count: 8)])
    }

    /// A scan with a time of now, for a device that is read once or forever.
    private static func scan(_ number: Int64, _ rate: Int64) -> [Int64] {
        [1, 2, 3, rate, number, 0, 0, 0, 0, 0, 0, SystemClock.monotonicNow.nanoseconds - 1_000_000 + number]
    }

    @Test func theSamplesOfTwoDevicesAreCountedOnce() throws {
        // GIVEN accelerations at 0, 10 and 20 ms of one device WHEN the other one gives rates at 0, 5 and 25 ms THEN
        // two samples are complete, and the third one with the next acceleration
        let start = SystemClock.monotonicNow.nanoseconds - 1_000_000_000
        func scan(_ milliseconds: Int64) -> [Int64] {
            [
                milliseconds * 1_000_000, 1, 2, milliseconds * 1000, 4, 5, 0, 0, 0, 0, 0,
                start + milliseconds * 1_000_000,
            ]
        }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(3), sink: sink, board: board)
        for (roles, times, count) in [
            (IIORoles.accelerometer, [Int64(0), 10, 20], 0), (.gyro, [0, 5, 25], 2), (.accelerometer, [30], 3),
        ] {
            let machine = ScriptedIIOD([Self.device()], [.scans(times.map(scan))])
            defer { machine.end() }
            _ = try stream(machine, roles, Self.settings(times.count), output)
            #expect(try sink.events.count == count && status(.imu).acceptedCount == UInt64(count))
        }
        let samples = sink.events.compactMap { if case .inertial(let sample) = $0 { sample } else { nil } }
        #expect(samples.map { $0.time.nanoseconds - start } == [0, 5_000_000, 25_000_000])
        // The interpolation may round: 1e-9 of 25 m/s2.
        for (sample, (force, rate)) in zip(samples, [(0.0, 0.0), (5, 0.005), (25, 0.025)]) {
            #expect(abs(sample.specificForceMetersPerSecondSquared.x - force) < 1e-8)
            #expect(abs(sample.angularRateRadiansPerSecond.x - rate) < 1e-12)
        }
        // A reading that is refused completes nothing.
        let machine = ScriptedIIOD([Self.device()], [.scans([scan(40), scan(400)])])
        defer { machine.end() }
        _ = try stream(machine, .accelerometer, Self.settings(2), output)
        #expect(try status(.imu).rejections.map(\.reason) == ["out_of_range"] && sink.events.count == 3)
    }

    @Test func anAccelerometerThatComesLaterCountsTheSamples() throws {
        // GIVEN rates at 0, 5 and 25 ms of one device WHEN the other one then gives accelerations at 0, 10 and 30 ms
        // THEN these complete three samples, and the IMU counts them
        let start = SystemClock.monotonicNow.nanoseconds - 1_000_000_000
        func scan(_ milliseconds: Int64) -> [Int64] {
            [milliseconds, 1, 2, milliseconds, 4, 5, 0, 0, 0, 0, 0, start + milliseconds * 1_000_000]
        }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(3), sink: sink, board: board)
        for (roles, times, count) in [(IIORoles.gyro, [Int64(0), 5, 25], 0), (.accelerometer, [0, 10, 30], 3)] {
            let machine = ScriptedIIOD([Self.device()], [.scans(times.map(scan))])
            defer { machine.end() }
            _ = try stream(machine, roles, Self.settings(3), output)
            #expect(try sink.events.count == count && status(.imu).acceptedCount == UInt64(count))
        }
    }

    @Test(
        arguments: [
            ("le:s8/8>>0", 0x80, -128), ("le:u8/8>>0", 0x80, 128), ("be:s16/16>>0", 0x8001, -32_767),
            ("be:u16/16>>0", 0x8001, 32_769), ("le:s32/32>>0", 0x8000_0001, -2_147_483_647),
            ("le:u32/32>>0", 0x8000_0001, 2_147_483_649), ("le:s64/64>>0", -5_000_000_000, -5_000_000_000),
            ("be:u24/32>>8", 0x800001, 8_388_609), ("be:s24/32>>8", 0x800001, -8_388_607),
        ] as [(String, Int64, Double)])
    func anIntegerHasTheSignAndWidthOfItsLayout(format: String, raw: Int64, value: Double) throws {
        // GIVEN a barometer of a layout, in micropascal, so that each number is within what is taken, behind a byte
        let pressure = ScriptedIIOD.Channel(
            id: "pressure", format: format, attributes: ["scale": ["0.000000001"]])
        let machine = ScriptedIIOD(
            [.init(channels: [pressure], attributes: ["current_timestamp_clock": ["monotonic"]])], [.scans([[raw]])])
        defer { machine.end() }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(1), sink: sink, board: board)
        _ = try stream(machine, .barometer, Self.settings(1), output)
        guard case .pressure(let sample)? = sink.events.first else {
            Issue.record("no pressure")
            return
        }
        #expect(sample.pressurePascal == value * (1000 * 0.000000001))
        let explanation = try status(.barometer).explanation
        #expect(explanation.contains("; no time stamps: smoothed arrival times are used"), "\(explanation)")
    }

    @Test func scansOfOneReadAreAPeriodApart() throws {
        // GIVEN a barometer without time stamps at 50 Hz WHEN three scans are read at once THEN they are 20 ms apart,
        // and none is later than the read
        let pressure = ScriptedIIOD.Channel(id: "pressure", format: "le:u32/32>>0", attributes: ["scale": ["0.001"]])
        let machine = ScriptedIIOD(
            [.init(channels: [pressure], attributes: ["sampling_frequency": ["50"]])],
            [.scans([[100_000], [100_001], [100_002]])])
        defer { machine.end() }
        var settings = Self.settings(3)
        settings.barometer.rateHertz = 50
        let sink = OrderedSink()
        let output = IIOOutput(settings: settings, sink: sink, board: board)
        let before = SystemClock.monotonicNow
        _ = try stream(machine, .barometer, settings, output)
        let times = sink.events.map(\.validityTime)
        try #require(times.count == 3)
        #expect(zip(times.dropFirst(), times).map { $0.nanoseconds - $1.nanoseconds } == [20_000_000, 20_000_000])
        #expect(times[2] > before && times[2] < SystemClock.monotonicNow)
    }

    @Test func aTemperatureThatIsNoPartOfTheScansIsReadAlone() throws {
        // GIVEN a barometer whose temperature is not in its scans WHEN these are read THEN they are taken, and the
        // temperature is that of a single reading
        let pressure = ScriptedIIOD.Channel(id: "pressure", format: "le:u32/32>>0", attributes: ["scale": ["0.001"]])
        let temperature = ScriptedIIOD.Channel(id: "temp", attributes: ["input": ["21500"]])
        let machine = ScriptedIIOD([.init(channels: [pressure, temperature])], [.scans([[100_000], [100_001]])])
        defer { machine.end() }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(2), sink: sink, board: board)
        _ = try stream(machine, .barometer, Self.settings(2), output)
        #expect(try sink.events.count == 2 && status(.barometer).celsius == 21.5)
    }

    @Test func aClockThatIsWrongForLongIsReplaced() throws {
        // GIVEN 50 scans of the year 1970, and one more WHEN they are read THEN arrival times are used, and that is
        // told
        let scans = (0..<51).map { [Int64](repeating: Int64($0), count: 11) + [1] }
        let machine = ScriptedIIOD([Self.device()], [.scans(scans)])
        defer { machine.end() }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(51), sink: sink, board: board)
        _ = try stream(machine, .inertial, Self.settings(51), output)
        let imu = try status(.imu)
        #expect(
            imu.explanation == "\(Self.title); its time stamps are implausible: arrival times are used"
                && imu.rejections == [.init(reason: "time_in_past", count: 50)] && imu.acceptedCount == 1)
    }

    @Test func readingsAtTheEndOfTheRangeAreTold() throws {
        // GIVEN gyro and accelerometer of 8 bits, and readings at either end WHEN they are read THEN they are taken,
        // and the number of both sensors together is told
        var device = Self.device()
        for index in device.channels.indices where device.channels[index].format != "le:s64/64>>0" {
            device.channels[index].format = "le:s8/8>>0"
        }
        let now = SystemClock.monotonicNow.nanoseconds - 1_000_000
        let scans = [[127, 0, 0, 0, 0, -128], [0, 0, 0, 127, 0, 0], [1, 0, 0, 1, 0, 0]].enumerated().map {
            $0.element.map { Int64($0) } + [0, 0, 0, 0, 0, now + Int64($0.offset)]
        }
        let machine = ScriptedIIOD([device], [.scans(scans)])
        defer { machine.end() }
        let output = IIOOutput(settings: Self.settings(3), sink: OrderedSink(), board: board)
        _ = try stream(machine, .inertial, Self.settings(3), output)
        #expect(try status(.imu).explanation == "\(Self.title); 3 readings clipped at the end of the range")
        #expect(try status(.imu).acceptedCount == 3)
    }

    @Test func aClockOfTheYearIsConverted() throws {
        // GIVEN a device that stamps by the system clock WHEN a scan of a second ago is read THEN its time is that of
        // this machine; the two clocks are read one after the other, which may take long on a busy machine
        let start = SystemClock.monotonicNow.nanoseconds
        var device = Self.device()
        device.attributes["current_timestamp_clock becomes"] = ["realtime"]
        let scan = [Int64](repeating: 1, count: 11) + [SystemClock.realtimeNanoseconds - 1_000_000_000]
        let machine = ScriptedIIOD([device], [.scans([scan])])
        defer { machine.end() }
        let sink = OrderedSink()
        let output = IIOOutput(settings: Self.settings(1), sink: sink, board: board)
        _ = try stream(machine, .inertial, Self.settings(1), output)
        let time = try #require(sink.events.first).validityTime.nanoseconds
        #expect(abs(time - start + 1_000_000_000) < 500_000_000)
    }
}
