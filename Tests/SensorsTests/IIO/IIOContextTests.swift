import Calibration
import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Synchronization
import Testing

@testable import Sensors

/// What is read of a context that libiio knows by its description.
@Suite struct IIOContextTests {
    @Test func channelsHaveTheirQuantityAndLayout() throws {
        // GIVEN a device with channels of each kind
        let context = try DescribedContext(
            DescribedContext.axes("anglvel", format: "be:s12/16>>4")
                + DescribedContext.axes("accel", format: nil, attributes: ["raw", "scale"])
                + DescribedContext.axes("magn", format: "le:u24/32>>8", attributes: [])
                + [
                    .init(id: "pressure", format: nil, attributes: ["input"]), .init(id: "temp", format: nil),
                    .init(id: "timestamp", format: "le:s64/64>>0", attributes: []),
                    .init(id: "anglvel", format: nil),
                    .init(id: "rot_quaternion", format: "le:s32/32X4>>0"),
                    .init(id: "altvoltage0", format: nil, direction: "output"),
                ], name: "part7", label: "roof")
        // WHEN it is described THEN each has its kind, axis, layout and ways to be read; outputs are left out
        let device = IIODevice(handle: try context.device, withAttributes: false)
        #expect(device.id == "iio:device0" && device.name == "part7" && device.label == "roof" && device.serial == nil)
        func channel(_ id: String) throws -> IIOChannel { try #require(device.channels.first { $0.id == id }) }
        #expect(device.channels.count == 14)
        for (quantity, kind) in [("anglvel", IIOChannelKind.gyro), ("accel", .accelerometer), ("magn", .magnetometer)] {
            let axes = try ["x", "y", "z"].map { try channel("\(quantity)_\($0)") }
            #expect(axes.map(\.axis) == [0, 1, 2] && axes.allSatisfy { $0.kind == kind })
            #expect(axes.allSatisfy { $0.isBuffered == (kind != .accelerometer) })
            #expect(axes.allSatisfy { $0.isReadable == (kind != .magnetometer) })
        }
        let kinds = try ["pressure", "temp", "timestamp", "anglvel", "rot_quaternion"].map { try channel($0).kind }
        #expect(kinds == [.barometer, .other, .timestamp, .other, .other])
        #expect(try channel("pressure").axis == nil && channel("pressure").isReadable)
        #expect(try channel("anglvel_x").format == "be:s12/16>>4" && channel("magn_y").format == "le:u24/32>>8")
        #expect(try channel("accel_z").format == nil && channel("rot_quaternion").format == "le:s32/32X4>>0")
        #expect(device.channels.allSatisfy { $0.attributes.isEmpty } && device.attributes.isEmpty)
    }

    @Test func theDescriptionHasALineForEachChannel() {
        // GIVEN a device with everything, and one with nothing
        let channels = [
            IIOChannel(
                id: "accel_x", kind: .accelerometer, axis: 0, isBuffered: true, format: "le:s16/16>>0",
                attributes: ["scale": "0.5", "offset": "3"]),
            IIOChannel(id: "pressure", kind: .barometer, axis: nil, isBuffered: false),
            IIOChannel(id: "temp", kind: .other, axis: nil, isBuffered: false, isReadable: false),
        ]
        let device = IIODevice(
            id: "iio:device3", name: "imu", label: "front", serial: "A1", channels: channels,
            attributes: ["sampling_frequency": "200", "current_trigger": "none"])
        #expect(
            device.description == """
                'imu' (iio:device3, label front, serial A1)
                  current_trigger: none
                  sampling_frequency: 200
                  accel_x: acceleration, buffered le:s16/16>>0, offset 3, scale 0.5
                  pressure: pressure, read one by one
                  temp: other
                """)
        #expect(device.identity == "imu front A1" && IIODevice(id: "i", name: "n").description == "'n' (i)")
        #expect(device.serves(.barometer) && !device.serves(.accelerometer) && !device.isBuffered(.barometer))
    }

    @Test(
        arguments: [
            ("le:s8/8>>0", nil), ("be:u16/16>>0", nil), ("le:s12/16>>4", nil), ("le:s24/32>>8", nil),
            ("le:s64/64>>0", nil), ("le:s13/16>>4", "13/16X1>>4"), ("le:s16/24>>0", "16/24X1>>0"),
            ("le:s0/16>>0", "0/16X1>>0"), ("le:s32/32X4>>0", "32/32X4>>0"), ("le:s16/128>>0", "16/128X1>>0"),
            ("le:s16/16X2>>0", "16/16X2>>0"),
        ] as [(String, String?)])
    func aLayoutIsThatOfAnInteger(format: String, shown: String?) throws {
        let context = try DescribedContext([.init(id: "pressure", format: format)])
        let channel = try #require(IIOLibrary.channels(try context.device).first)
        do throws(IIOProblem) {
            _ = try RawReader(channel)
            #expect(shown == nil)
        } catch {
            let layout = shown.map { "channel 'pressure' has the layout \($0)" } ?? "nothing"
            #expect(error.description == layout + ", which is not an integer of 8, 16, 32 or 64 bits")
        }
    }

    @Test func contextsThatCannotBeOpenedSayWhy() {
        func reason(_ uri: String) -> String {
            #expect(throws: IIOProblem.self) { try IIODevice.all(at: uri) }?.description ?? ""
        }
        #expect(reason("xml:/none.xml") == "cannot open IIO context 'xml:/none.xml' (Invalid argument, EINVAL)")
        // There is no such device on this bus, or no bus.
        #expect(reason("usb:1.2.3").hasPrefix("cannot open IIO context 'usb:1.2.3' ("))
        #expect(reason("other:1") == "cannot open IIO context 'other:1' (Function not implemented, ENOSYS)")
        #expect(
            IIOProblem.text(5) == "Input/output error, EIO" && IIOProblem.text(33) == "Numerical argument out of domain"
        )
        // A machine without IIO, such as a container.
        guard access("/sys/bus/iio/devices", F_OK) != 0 else { return }
        #expect(
            reason("local:")
                == "no IIO device on this machine (/sys/bus/iio/devices does not exist): check that the sensor's "
                + "driver is loaded")
    }
}

/// Conversion and limits of the readings of a device.
@Suite struct IIOSensorTests {
    private static func settings(_ change: (inout IIOSettings) -> Void) -> IIOSettings {
        var settings = IIOSettings()
        settings.stuckSampleLimit = 0
        change(&settings)
        return settings
    }

    /// The lengths of the readings at some raw values of the first axis; `nil` where one is refused.
    private static func values(_ sensor: IIOSensor, _ raw: [Int64]) -> [Double?] {
        raw.map { sensor.value(RawTriple(x: $0, y: 0, z: 0))?.x }
    }

    @Test(
        arguments: [
            // 16 bits reach 65.5 rad/s; with 8 bits the limit is that of the check, 40 rad/s.
            ("le:S16/16>>0", 0.002, [20_000, 32_767, 32_768], [40.0, 65.534, nil]),
            ("le:S16/16>>0", -0.002, [20_000, 32_767, 32_768], [-40, -65.534, nil]),
            ("le:S8/8>>0", 0.002, [20_000, 20_001], [40, nil]), ("le:S32/32>>0", 0.002, [20_000, 20_001], [40, nil]),
        ] as [(String, Double, [Int64], [Double?])])
    func aGyroMayMeasureUpToItsRange(format: String, scale: Double, raw: [Int64], expected: [Double?]) throws {
        let context = try DescribedContext(DescribedContext.axes("anglvel", format: format))
        let settings = Self.settings { $0.gyro.scaleOverride = scale }
        let sensor = try IIOSensor(role: .gyro, device: try context.device, settings: settings, isBuffered: true)
        #expect(Self.values(sensor, raw) == expected)
        // A reading is clipped at the end of its raw range, if that is known.
        #expect(sensor.checked.clipped == (format == "le:S16/16>>0" ? 1 : format == "le:S8/8>>0" ? 1 : 0))
    }

    @Test func eachSensorHasItsUnitAndLimit() throws {
        // GIVEN a device with all sensors and scales of the settings: m/s2, gauss and kilopascal
        let context = try DescribedContext(
            DescribedContext.axes("accel") + DescribedContext.axes("magn")
                + [.init(id: "pressure", format: "le:U24/32>>0")])
        let settings = Self.settings {
            ($0.accelerometer.scaleOverride, $0.magnetometer.scaleOverride) = (0.01, 0.001)
            $0.barometer.scaleOverride = 0.001
        }
        func sensor(_ role: IIORoles, isBuffered: Bool) throws -> IIOSensor {
            try IIOSensor(role: role, device: try context.device, settings: settings, isBuffered: isBuffered)
        }
        for isBuffered in [true, false] {
            // THEN 32 g, 1 mT and 200 kPa are the limits
            let acceleration = try sensor(.accelerometer, isBuffered: isBuffered)
            #expect(Self.values(acceleration, [1000, 31_381, 31_382]) == [10, 313.81, nil])
            let field = try sensor(.magnetometer, isBuffered: isBuffered)
            let (inside, outside) = (field.value(RawTriple(x: 9_999, y: 5, z: -9_999)), Self.values(field, [10_001]))
            #expect(abs((inside?.x ?? 0) - 0.9999e-3) < 1e-12 && abs((inside?.z ?? 0) + 0.9999e-3) < 1e-12)
            #expect(outside == [nil])
            let pressure = try sensor(.barometer, isBuffered: isBuffered)
            #expect(Self.values(pressure, [101_325, 200_000, 200_001]) == [101_325, 200_000, nil])
            #expect(pressure.channels.count == 1 && acceleration.channels.count == 3)
            #expect(acceleration.value(decimal: Vector3(1.5, -2, 0)) == Vector3(0.015, -0.02, 0))
        }
    }

    @Test func readingsAreTurnedAndCorrected() throws {
        // GIVEN a mount of the settings, and a correction with an offset in the axes of the board
        let context = try DescribedContext(DescribedContext.axes("accel"))
        let settings = Self.settings {
            $0.accelerometer.scaleOverride = 1
            $0.accelerometer.mountMatrixOverride = "0, -1, 0; 1, 0, 0; 0, 0, 1"
        }
        let plain = try IIOSensor(
            role: .accelerometer, device: try context.device, settings: settings, isBuffered: true)
        #expect(plain.value(RawTriple(x: 1, y: 2, z: 3)) == Vector3(-2, 1, 3) && plain.remark == nil)
        let correction = SensorCorrection(offset: Vector3(0.5, 0.25, 0))
        let corrected = try IIOSensor(
            role: .accelerometer, device: try context.device, settings: settings, isBuffered: true,
            correction: correction)
        #expect(corrected.value(RawTriple(x: 1, y: 2, z: 3)) == correction.apply(Vector3(-2, 1, 3)))
        #expect(corrected.value(decimal: Vector3(1, 2, 3)) == correction.apply(Vector3(-2, 1, 3)))
        // A barometer has no axes to turn, and repeats its reading without being stuck.
        let air = try DescribedContext([.init(id: "pressure", format: nil)])
        let still = Self.settings {
            ($0.barometer.scaleOverride, $0.barometer.mountMatrixOverride, $0.stuckSampleLimit) = (1, "nonsense", 2)
        }
        let barometer = try IIOSensor(
            role: .barometer, device: try air.device, settings: still, isBuffered: false)
        #expect(Self.values(barometer, [100, 100, 100, 100]) == [100_000, 100_000, 100_000, 100_000])
    }

    @Test func whatIsMissingIsNamed() throws {
        func reason(_ channels: [DescribedContext.Channel], _ role: IIORoles, mount: String? = nil) throws -> String {
            let context = try DescribedContext(channels)
            let settings = Self.settings {
                $0.accelerometer.mountMatrixOverride = mount
                if mount != nil { $0.accelerometer.scaleOverride = 1 }
            }
            let device = try context.device
            return #expect(throws: IIOProblem.self) {
                try IIOSensor(role: role, device: device, settings: settings, isBuffered: true)
            }?.description ?? ""
        }
        #expect(
            try reason(Array(DescribedContext.axes("anglvel").dropLast()), .gyro)
                == "the gyro has 2 of 3 channels: one is missing")
        #expect(
            try reason(DescribedContext.axes("magn"), .magnetometer)
                == "channel 'magn_x' has no 'scale': set the sensor's scale in the settings")
        #expect(
            try reason(DescribedContext.axes("magn", attributes: ["scale"]), .magnetometer)
                == "cannot read 'scale' of channel 'magn_x' (Function not implemented, ENOSYS)")
        #expect(
            try reason([.init(id: "pressure", format: "le:U24/32>>0", attributes: ["offset"])], .barometer)
                == "channel 'pressure' has no 'scale': set the sensor's scale in the settings")
        #expect(
            try reason(DescribedContext.axes("accel"), .accelerometer, mount: "1,0,0;0,1,0;0,0,-1").hasPrefix(
                "mount matrix '1,0,0;0,1,0;0,0,-1' is a mirror image, not a rotation"))
        #expect(
            try reason(DescribedContext.axes("accel"), .accelerometer, mount: "1").hasSuffix(
                ". Correct it in the device tree or hwdb, or set one in the settings"))
    }

    @Test func aDriverThatIsProcessedHasNoScale() throws {
        // GIVEN a barometer that the driver converts (attribute `input`) THEN its readings are kilopascal without a
        // scale, but a buffer needs one
        let context = try DescribedContext([.init(id: "pressure", format: "le:U24/32>>0", attributes: ["input"])])
        let device = try context.device
        let settings = Self.settings { _ in }
        let sensor = try IIOSensor(role: .barometer, device: device, settings: settings, isBuffered: false)
        #expect(sensor.value(decimal: Vector3(101.325, 0, 0))?.x == 101_325)
        #expect(throws: IIOProblem.self) {
            try IIOSensor(role: .barometer, device: device, settings: settings, isBuffered: true)
        }
    }

    @Test func theClockOfADeviceIsTold() throws {
        // GIVEN devices without time stamps, without a clock attribute, and with one that cannot be read
        let plain = try DescribedContext(DescribedContext.axes("accel"))
        let clocked = try DescribedContext(DescribedContext.axes("accel"), attributes: ["current_timestamp_clock"])
        func clock(_ context: DescribedContext, hasTimestamps: Bool, uri: String) throws -> (StampClock, [String]) {
            let settings = Self.settings { $0.contextURI = uri }
            var setup = IIOSetup(device: try context.device, context: context.handle, settings: settings)
            return (setup.setClock(hasTimestamps: hasTimestamps), setup.remarks)
        }
        #expect(
            try clock(plain, hasTimestamps: false, uri: "local:")
                == (.arrival, ["no time stamps: smoothed arrival times are used"]))
        #expect(
            try clock(plain, hasTimestamps: true, uri: "local:")
                == (.foreign, ["the clock of its time stamps is unknown: its offset is tracked"]))
        #expect(
            try clock(clocked, hasTimestamps: true, uri: "local:")
                == (.foreign, ["time stamps use the clock 'unknown': its offset is tracked"]))
        #expect(try clock(clocked, hasTimestamps: true, uri: "ip:b") == (.foreign, []))
    }

    @Test func aRateThatIsNotToldIsTheOneRequested() throws {
        // GIVEN a device without a rate, and one whose rate cannot be set or read THEN the largest requested one holds
        for attributes in [[], ["sampling_frequency", "sampling_frequency_available"]] {
            let context = try DescribedContext(
                DescribedContext.axes("accel", attributes: ["raw"] + attributes)
                    + DescribedContext.axes("anglvel"), attributes: attributes)
            let settings = Self.settings {
                ($0.accelerometer.rateHertz, $0.gyro.rateHertz) = (120, 300)
                ($0.accelerometer.scaleOverride, $0.gyro.scaleOverride) = (1, 1)
            }
            var adjustment = IIOAdjustment()
            let sensors = try IIOSensor.all(
                .inertial, try context.device, settings, isBuffered: true, &adjustment)
            #expect(sensors.map(\.role) == [.gyro, .accelerometer])
            var setup = IIOSetup(device: try context.device, context: context.handle, settings: settings)
            #expect(setup.setRate(of: sensors) == 300 && setup.remarks.isEmpty)
            #expect(setup.setRate(of: []) == 100)
        }
    }
}

/// The thread of a device that fails.
@Suite struct IIODeviceWorkerTests {
    /// Collects states.
    private final class Sink: EventSink {
        let states = Mutex<[SourceState]>([])

        func send(_ event: SensorEvent) {}
        func send(_ report: SourceReport) { states.withLock { $0.append(report.state) } }
    }

    private let board = SourceStatusBoard()
    private let sink = Sink()

    private func settings(_ uri: String) -> IIOSettings {
        var settings = IIOSettings()
        settings.contextURI = uri
        (settings.gyro.device, settings.accelerometer.device, settings.magnetometer.device) = (.off, .off, .off)
        // Single readings are made at most 100 times per second: five of them fail soon.
        (settings.barometer.rateHertz, settings.barometer.scaleOverride) = (8000, 1)
        return settings
    }

    private func run(
        _ uri: String, isBuffered: Bool, attempt: Int = 1, attributes: [String] = ["raw"], id: String = "iio:device0",
        signal: StopSignal = StopSignal()
    ) -> IIODeviceWorker.Outcome? {
        let channel = IIOChannel(
            id: "pressure", kind: .barometer, axis: nil, isBuffered: isBuffered, isReadable: !attributes.isEmpty)
        let device = IIODevice(id: id, name: "part", channels: [channel])
        let output = IIOOutput(settings: settings(uri), sink: sink, board: board)
        let worker = IIODeviceWorker(
            assignment: .init(device: device, roles: .barometer, isBuffered: isBuffered), settings: settings(uri),
            output: output, signal: signal, attempt: attempt)
        #expect(worker.outcome == nil)
        worker.run()
        return worker.outcome
    }

    private let title = "IIO device 'part' (iio:device0)"

    @Test func aContextThatIsGoneIsNoSuccess() throws {
        // GIVEN a context that does not exist THEN the thread ends with the reason, which counts as no data
        let outcome = try #require(run("xml:/none.xml", isBuffered: true))
        let reason = "\(title): cannot open IIO context 'xml:/none.xml' (Invalid argument, EINVAL)"
        #expect(outcome.explanation == reason && !outcome.hadData && !outcome.isSilentBuffer)
        #expect(board.statuses[0].state == .lost && board.statuses[0].explanation == reason)
        #expect(sink.states.withLock { $0 } == [.opening, .lost])
    }

    /// Keeps what the board says at each change of a state.
    private final class Words: EventSink {
        let board: SourceStatusBoard
        let texts = Mutex<[String]>([])

        init(_ board: SourceStatusBoard) { self.board = board }

        func send(_ event: SensorEvent) {}
        func send(_ report: SourceReport) { texts.withLock { $0.append(board.statuses[0].explanation) } }
    }

    @Test(arguments: [(1, ""), (2, ", attempt 2"), (3, ", attempt 3")])
    func anAttemptIsToldWithItsNumber(attempt: Int, words: String) {
        // GIVEN a device that cannot be opened WHEN its thread runs THEN the first attempt has no number
        let sink = Words(board)
        let output = IIOOutput(settings: settings("xml:/none.xml"), sink: sink, board: board)
        let device = IIODevice(id: "iio:device0", name: "part")
        IIODeviceWorker(
            assignment: .init(device: device, roles: .barometer, isBuffered: true), settings: settings("xml:/none.xml"),
            output: output, signal: StopSignal(), attempt: attempt
        ).run()
        #expect(sink.texts.withLock { $0 }.first == "opening \(title)\(words)")
    }

    @Test(arguments: [(3, [SourceState.opening, .lost]), (4, [.lost])])
    func onlyTheFirstAttemptsAreTold(attempt: Int, states: [SourceState]) {
        _ = run("xml:/none.xml", isBuffered: true, attempt: attempt)
        #expect(sink.states.withLock { $0 } == states)
    }

    @Test func aStopIsNoLoss() throws {
        let context = try DescribedContext([.init(id: "pressure", format: nil)])
        let signal = StopSignal()
        signal.raise()
        let outcome = try #require(run(context.uri, isBuffered: false, signal: signal))
        #expect(outcome.explanation == "stopped" && !outcome.hadData)
        #expect(sink.states.withLock { $0 } == [.opening])
    }

    @Test func readingsThatFailEndTheThread() throws {
        // GIVEN a barometer whose readings are refused THEN five of them end the thread
        let context = try DescribedContext([.init(id: "pressure", format: nil)])
        let outcome = try #require(run(context.uri, isBuffered: false))
        #expect(outcome.explanation == "\(title) can no longer be read (Function not implemented, ENOSYS)")
        #expect(!outcome.hadData && board.statuses[0].device == "part")
        #expect(sink.states.withLock { $0 } == [.opening, .waiting, .lost])
    }

    @Test func aBufferThatIsRefusedIsReplacedBySingleReadings() throws {
        // GIVEN a device whose buffer is refused, with single readings and without
        let context = try DescribedContext([.init(id: "pressure", format: "le:U24/32>>0")])
        let polled = try #require(run(context.uri, isBuffered: true))
        #expect(polled.explanation == "\(title) can no longer be read (Function not implemented, ENOSYS)")
        #expect(sink.states.withLock { $0 } == [.opening, .waiting, .lost])
        let unread = try DescribedContext([.init(id: "pressure", format: "le:U24/32>>0", attributes: [])])
        let other = try #require(run(unread.uri, isBuffered: true, attributes: []))
        #expect(
            other.explanation
                == "\(title): cannot start the capture (Function not implemented, ENOSYS): see the kernel log")
    }

    @Test(arguments: [true, false]) func aDeviceThatIsGoneIsSaid(isBuffered: Bool) throws {
        let context = try DescribedContext([.init(id: "pressure", format: "le:U24/32>>0")])
        let outcome = try #require(run(context.uri, isBuffered: isBuffered, id: "iio:device1"))
        #expect(outcome.explanation == "IIO device 'part' (iio:device1): the device no longer exists")
    }
}
