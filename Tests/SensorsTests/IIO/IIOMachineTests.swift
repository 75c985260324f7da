import Glibc
import Measurements
import Platform
import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// What libiio reads of a machine, and what is written to it, text by text.
@Suite struct IIOMachineTests {
    /// A channel of each axis with the same layout and attributes.
    private static func axes(
        _ quantity: String, _ format: String?, _ attributes: [String: [String]]
    ) -> [ScriptedIIOD.Channel] {
        ["x", "y", "z"].map { .init(id: "\(quantity)_\($0)", format: format, attributes: attributes) }
    }

    /// A device with every attribute that is shown, some of them unreadable, one with a serial number of the debug
    /// folder, and a trigger.
    private static var described: ScriptedIIOD {
        var channel = ScriptedIIOD.Channel(id: "accel_x", format: "be:s12/16>>4")
        for key in ["scale", "offset", "sampling_frequency", "sampling_frequency_available", "mount_matrix", "matrix"] {
            channel.attributes[key] = [" \(key)  "]
        }
        channel.attributes["raw"] = ["17"]
        var imu = ScriptedIIOD.Device(name: "imu", label: "front", channels: [channel], trigger: "beat")
        for key in ["sampling_frequency", "sampling_frequency_available", "current_timestamp_clock", "mount_matrix"] {
            imu.attributes[key] = [key == "mount_matrix" ? "!5" : key]
        }
        imu.attributes["serial_number"] = [""]
        imu.attributes["serial"] = ["A 1"]
        let other = ScriptedIIOD.Device(
            id: "iio:device1", name: "air",
            channels: [.init(id: "pressure", attributes: ["input": ["101"], "scale": ["!22"]])],
            debug: ["serial_number": ["D7"]], trigger: "")
        return ScriptedIIOD([imu, other, .init(id: "trigger0", name: "beat")])
    }

    @Test func aDeviceIsDescribedWithAllItsAttributes() throws {
        // GIVEN a machine with every attribute that is shown
        let machine = Self.described
        defer { machine.end() }
        // WHEN all is read THEN this is it; the triggers are left out
        let devices = try IIODevice.all(at: machine.uri)
        #expect(
            devices.map(\.description) == [
                """
                'imu' (iio:device0, label front, serial A 1)
                  current_timestamp_clock: current_timestamp_clock
                  current_trigger: beat
                  sampling_frequency: sampling_frequency
                  sampling_frequency_available: sampling_frequency_available
                  accel_x: acceleration, buffered be:s12/16>>4, matrix matrix, mount_matrix mount_matrix, offset \
                offset, sampling_frequency sampling_frequency, sampling_frequency_available \
                sampling_frequency_available, scale scale
                """,
                """
                'air' (iio:device1, serial D7)
                  current_trigger: beat
                  pressure: pressure, read one by one
                """,
            ])
        #expect(devices.map { $0.channels.map(\.isReadable) } == [[true], [true]])
        // WHEN attributes are not asked for THEN there are none
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        let plain = IIOLibrary.devices(context).map { IIODevice(handle: $0, withAttributes: false) }
        #expect(plain.map(\.attributes) == [[:], [:]] && plain.map(\.serial) == ["A 1", "D7"])
        #expect(plain.allSatisfy { $0.channels.allSatisfy(\.attributes.isEmpty) })
    }

    /// A device of 16 bits with ranges, rates, filters and a trigger of its own. `openError`: that of its buffer.
    private static func adjustable(openError: Int32 = 0) -> ScriptedIIOD {
        let filter = "filter_low_pass_3db_frequency"
        let accelerometer = axes(
            "accel", "le:s16/16>>0",
            [
                "scale": ["0.000598"], "scale_available": ["0.000598 0.001197 0.002394 0.004788"],
                "sampling_frequency": ["50"], "sampling_frequency_available": ["50 100 200 400"],
                filter: ["200"], "\(filter)_available": ["10 20 40 80 160"],
            ])
        let gyro = axes(
            "anglvel", "le:s16/16>>0",
            [
                "scale": ["0.000133"], "scale_available": ["0.000133 0.000266"], "scale refuses": ["22"],
                "sampling_frequency": ["50"], "sampling_frequency becomes": ["150.5"],
                filter: ["10"], "\(filter) becomes": ["90"],
            ])
        let clock = "current_timestamp_clock"
        return ScriptedIIOD([
            .init(
                name: "six", channels: accelerometer + gyro + [.init(id: "timestamp", format: "le:s64/64>>0")],
                attributes: [clock: ["realtime"], "\(clock) becomes": ["realtime"]], openError: openError, trigger: ""),
            .init(id: "trigger0", name: "posed"),
            .init(id: "trigger1", name: "six-dev3", attributes: ["sampling_frequency": ["1"]]),
        ])
    }

    private static func writes(_ quantity: String, _ key: String, _ text: String) -> [String] {
        ["x", "y", "z"].map { "iio:device0 INPUT \(quantity)_\($0) \(key) = \(text)" }
    }

    /// A capture of the first device of a machine for gyro and accelerometer.
    private static func capture(_ machine: ScriptedIIOD, _ settings: IIOSettings) throws -> IIOCapture {
        let context = try IIOLibrary.open(machine.uri)
        let device = try #require(IIOLibrary.devices(context).first)
        let assignment = IIOPlan.Assignment(
            device: IIODevice(handle: device, withAttributes: false), roles: .inertial, isBuffered: true)
        return try IIOCapture(context: context, assignment: assignment, settings: settings)
    }

    /// Settings with other rates and ranges than those of the device.
    private static var demanding: IIOSettings {
        var settings = IIOSettings()
        (settings.accelerometer.rateHertz, settings.gyro.rateHertz) = (120, 210.5)
        settings.useRanges(acceleration: 78.4532, rate: 8.7266)
        return settings
    }

    @Test func whatACaptureChangesIsTold() throws {
        // GIVEN a device whose ranges, rates and filters are not those of the settings
        let machine = Self.adjustable()
        defer { machine.end() }
        // WHEN it is captured
        let capture = try Self.capture(machine, Self.demanding)
        defer { capture.handles.destroy() }
        // THEN what was set, refused or came out differently is told
        #expect(capture.clock == .realtime && capture.rateHertz == 200 && capture.trigger == "six-dev3")
        let refused = "the driver refuses the range of the gyro 0.000266 (Invalid argument, EINVAL)"
        let digits = "with few digits: set the exact scale in the settings"
        #expect(
            capture.remarks == [
                "time stamps use CLOCK_REALTIME and are converted", refused, refused, refused,
                "the range of the gyro is 4.358 rad/s, below 8.727: strong motion is clipped",
                "the range of the accelerometer set to 78.45 m/s2",
                "the low-pass filter of the gyro is at 90 Hz",
                "the low-pass filter of the accelerometer is at 80 Hz",
                "the driver reports the gyro's scale as 0.000133, \(digits)",
            ])
    }

    @Test func aCaptureSetsUpItsDeviceAndGivesItBack() throws {
        // GIVEN the same device
        let machine = Self.adjustable()
        defer { machine.end() }
        // WHEN it is captured THEN each channel is set, in this order
        let capture = try Self.capture(machine, Self.demanding)
        let writes = Self.writes
        let filter = "filter_low_pass_3db_frequency"
        #expect(
            machine.written.filter { !$0.hasPrefix("timeout") }
                == writes("anglvel", "scale", "0.000266") + writes("accel", "scale", "0.002394")
                + writes("anglvel", "sampling_frequency", "210.5") + writes("accel", "sampling_frequency", "200")
                + writes("anglvel", filter, "80") + writes("accel", filter, "80")
                + ["trigger = trigger1", "trigger1 sampling_frequency = 200"]
                + ["iio:device0 current_timestamp_clock = monotonic", "iio:device0 BUFFERS_COUNT 128"])
        // WHEN it is closed THEN what was changed is written back, the last one first
        let set = machine.written.count
        capture.handles.destroy()
        #expect(Array(machine.written.dropFirst(set)) == Self.oldValues)
    }

    /// What is written to the adjustable device when its old values come back.
    private static var oldValues: [String] {
        let filter = "filter_low_pass_3db_frequency"
        return (writes("accel", "scale", "0.000598") + writes("anglvel", filter, "10") + writes("accel", filter, "200"))
            .reversed()
    }

    /// Runs the thread of the first device of a machine, which fails; `isBuffered`: with its buffer. Returns what was
    /// written last, as soon as that is the old values.
    private static func written(_ machine: ScriptedIIOD, isBuffered: Bool, old: [String]) throws -> [String] {
        var settings = demanding
        settings.contextURI = machine.uri
        let devices = try IIODevice.all(at: machine.uri)
        let device = try #require(devices.first)
        let output = IIOOutput(settings: settings, sink: OrderedSink(), board: SourceStatusBoard())
        let worker = IIODeviceWorker(
            assignment: .init(device: device, roles: .inertial, isBuffered: isBuffered), settings: settings,
            output: output, signal: StopSignal(), attempt: 1)
        worker.run()
        #expect(worker.outcome?.hadData == false)
        func last() -> [String] { Array(machine.written.filter { !$0.hasPrefix("timeout") }.suffix(old.count)) }
        // The device is closed on another thread: only what never comes takes that long.
        let end = SystemClock.monotonicNow.advanced(bySeconds: 60)
        while last() != old, SystemClock.monotonicNow < end { usleep(1000) }
        return last()
    }

    @Test func aCaptureThatCannotStartGivesItsDeviceBack() throws {
        // GIVEN the same device, whose buffer another program uses WHEN it is to be captured THEN what was changed is
        // written back, the last one first
        let machine = Self.adjustable(openError: EBUSY)
        defer { machine.end() }
        #expect(try Self.written(machine, isBuffered: true, old: Self.oldValues) == Self.oldValues)
    }

    @Test func singleReadingsThatCannotBeginGiveTheirDeviceBack() throws {
        // GIVEN a device whose gyro has a larger range, and whose accelerometer has no usable scale
        let gyro = Self.axes(
            "anglvel", "le:s16/16>>0", ["raw": ["1"], "scale": ["0.000133"], "scale_available": ["0.000133 0.000266"]])
        let accelerometer = Self.axes("accel", "le:s16/16>>0", ["raw": ["1"], "scale": ["none"]])
        let machine = ScriptedIIOD([.init(channels: gyro + accelerometer)])
        defer { machine.end() }
        // WHEN it is to be read THEN the gyro gets its old range back
        let old: [String] = Self.writes("anglvel", "scale", "0.000133").reversed()
        #expect(try Self.written(machine, isBuffered: false, old: old) == old)
        #expect(machine.written.contains("iio:device0 INPUT anglvel_x scale = 0.000266"))
    }

    @Test(
        arguments: [
            ([], 200.0, "200", 200.0), ([180], 200, "200", 180), ([179.9], 200, "200", 179.9),
            ([220], 200, "200", 220), ([220.1], 200, "200", 220.1), ([], 0.25, "0.25", 0.25), ([], 12.5, "12.5", 12.5),
        ] as [([Double], Double, String, Double)])
    func theRateIsReadBack(becomes: [Double], wanted: Double, text: String, rate: Double) throws {
        // GIVEN a device with one rate for all, which takes any rate or has its own WHEN it is set THEN the device's
        // rate is used, and a difference of more than a tenth is told
        var attributes = ["sampling_frequency": ["1"]]
        if becomes.count == 1 { attributes["sampling_frequency becomes"] = ["\(becomes[0])"] }
        let machine = ScriptedIIOD([
            .init(channels: Self.axes("accel", "le:s16/16>>0", ["scale": ["1"]]), attributes: attributes)
        ])
        defer { machine.end() }
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        let device = try #require(IIOLibrary.devices(context).first)
        var settings = IIOSettings()
        settings.accelerometer.rateHertz = wanted
        let sensor = try IIOSensor(role: .accelerometer, device: device, settings: settings, isBuffered: true)
        var setup = IIOSetup(device: device, context: context, settings: settings)
        let found = setup.setRate(of: [sensor])
        #expect(found == rate && machine.written.last == "iio:device0 sampling_frequency = \(text)")
        let isTold = abs(rate - wanted) > 0.1 * wanted
        #expect(setup.remarks == (isTold ? ["requested 200 Hz, the device provides \(IIOText.short(rate)) Hz"] : []))
        #expect(isTold == [179.9, 220.1].contains(rate))
    }

    @Test func aFractionThatIsRefusedIsTriedAsAWholeNumber() throws {
        // GIVEN a device that refuses rates WHEN one is set THEN the whole number is tried too, and the old one stays
        let machine = ScriptedIIOD([
            .init(
                channels: Self.axes("accel", "le:s16/16>>0", ["scale": ["1"]]),
                attributes: ["sampling_frequency": ["13"], "sampling_frequency refuses": ["22"]])
        ])
        defer { machine.end() }
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        let device = try #require(IIOLibrary.devices(context).first)
        var settings = IIOSettings()
        settings.accelerometer.rateHertz = 12.5
        let sensor = try IIOSensor(role: .accelerometer, device: device, settings: settings, isBuffered: true)
        var setup = IIOSetup(device: device, context: context, settings: settings)
        let rate = setup.setRate(of: [sensor])
        #expect(rate == 13 && setup.remarks.isEmpty)
        #expect(
            machine.written.suffix(2) == [
                "iio:device0 sampling_frequency = 12.5", "iio:device0 sampling_frequency = 13",
            ])
    }

    @Test(
        arguments: [
            ("beat", nil, "beat", nil), ("beat", "other", "other", "trigger = trigger2"),
            ("", "beat", "beat", "trigger = trigger1"), ("", nil, "part-dev9", "trigger = trigger3"),
        ] as [(String, String?, String, String?)])
    func aTriggerIsThatOfTheSettingsOrTheOneThatFits(
        current: String, wanted: String?, trigger: String, written: String?
    ) throws {
        let triggers = ["posed", "beat", "other", "part-dev9"].enumerated().map {
            ScriptedIIOD.Device(id: "trigger\($0.offset)", name: $0.element)
        }
        let machine = ScriptedIIOD([ScriptedIIOD.Device(trigger: current)] + triggers)
        defer { machine.end() }
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        var settings = IIOSettings()
        settings.triggerName = wanted
        let device = try #require(IIOLibrary.devices(context).first)
        var setup = IIOSetup(device: device, context: context, settings: settings)
        try setup.setTrigger(rateHertz: 99.1)
        #expect(setup.trigger == trigger && setup.remarks.isEmpty)
        #expect(machine.written.filter { $0.hasPrefix("trigger") } == (written.map { [$0] } ?? []))
        // AND one that does not exist is named, with those that do
        settings.triggerName = "none"
        var wrong = IIOSetup(device: device, context: context, settings: settings)
        do throws(IIOProblem) {
            try wrong.setTrigger(rateHertz: 1)
            Issue.record("no error")
        } catch {
            #expect(
                error.description
                    == "there is no trigger 'none'; available triggers: posed, beat, other, part-dev9")
        }
    }

    @Test(arguments: [
        (1.0, nil, 1), (200, nil, 1), (200.1, nil, 2), (600, nil, 3), (601, nil, 4), (8000, nil, 4), (1, 3, 3),
    ])
    func aBufferAddsFiveMillisecondsAtMost(rate: Double, wanted: Int?, samples: Int) throws {
        // GIVEN a rate, or a number of the settings WHEN a capture starts THEN the kernel keeps 128 samples in buffers
        // of so many
        let machine = ScriptedIIOD([
            .init(
                channels: Self.axes("accel", "le:s16/16>>0", ["scale": ["1"]]),
                attributes: ["sampling_frequency": ["1"]])
        ])
        defer { machine.end() }
        var settings = IIOSettings()
        (settings.accelerometer.rateHertz, settings.bufferSamples, settings.matchesFilters) = (rate, wanted, false)
        let context = try IIOLibrary.open(machine.uri)
        let device = try #require(IIOLibrary.devices(context).first)
        let capture = try IIOCapture(
            context: context,
            assignment: .init(
                device: IIODevice(handle: device, withAttributes: false), roles: .accelerometer, isBuffered: true),
            settings: settings)
        defer { capture.handles.destroy() }
        #expect(machine.written.contains("iio:device0 BUFFERS_COUNT \(128 / samples)"), "\(machine.written)")
        #expect(machine.opened == "iio:device0 \(samples) 00000007")
    }

    @Test(
        arguments: [
            (
                EACCES, nil, "EACCES",
                "posed has no permission for the device: install the udev rule and run as a member"
            ),
            (EPERM, nil, "EPERM", "posed has no permission for the device: install the udev rule and run as a member"),
            (EBUSY, nil, "EBUSY", "another program uses the device (iio-sensor-proxy, iiod): stop that program"),
            (EINVAL, nil, "EINVAL", "the device may need a trigger: connect one, or set its name in the settings"),
            (EINVAL, "beat", "EINVAL", "see the kernel log"), (EIO, nil, "EIO", "see the kernel log"),
        ] as [(Int32, String?, String, String)])
    func aBufferThatDoesNotStartHasItsRemedy(code: Int32, trigger: String?, name: String, remedy: String) throws {
        let machine = ScriptedIIOD([
            .init(
                channels: Self.axes("accel", "le:s16/16>>0", ["scale": ["1"]]), openError: code, trigger: trigger),
            .init(id: "trigger0", name: "beat"),
        ])
        defer { machine.end() }
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        let device = try #require(IIOLibrary.devices(context).first)
        let assignment = IIOPlan.Assignment(
            device: IIODevice(handle: device, withAttributes: false), roles: .accelerometer, isBuffered: true)
        do throws(IIOProblem) {
            _ = try IIOCapture(context: context, assignment: assignment, settings: IIOSettings())
            Issue.record("no error")
        } catch {
            #expect(error.code == code)
            let reason = "cannot start the capture (\(String(cString: strerror(code))), \(name)): \(remedy)"
            #expect(error.description.hasPrefix(reason), "\(error)")
        }
    }
}
