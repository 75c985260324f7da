import PoseMath
import SensorInterface
import Testing

@testable import Sensors

/// Attributes of a device at their limits, read and written by libiio on a machine that answers by a script.
@Suite struct IIOAttributeTests {
    /// A context of a machine, with its first device.
    private final class Opened {
        let machine: ScriptedIIOD
        let context: OpaquePointer
        let device: OpaquePointer

        init(_ channels: [ScriptedIIOD.Channel], _ attributes: [String: [String]] = [:]) throws {
            machine = ScriptedIIOD([.init(channels: channels, attributes: attributes)])
            context = try IIOLibrary.open(machine.uri)
            device = try #require(IIOLibrary.devices(context).first)
        }

        deinit {
            IIOHandles(context: context, buffer: nil).destroy()
            machine.end()
        }
    }

    private static func axes(
        _ quantity: String, _ attributes: [String: [String]], format: String = "le:s16/16>>0"
    ) -> [ScriptedIIOD.Channel] {
        ["x", "y", "z"].map { .init(id: "\(quantity)_\($0)", format: format, attributes: attributes) }
    }

    @Test(
        arguments: [
            // 0.001 times 32768 counts are 32.768, 0.98 of 33.4367.
            (IIORoles.accelerometer, 33.43, nil), (.accelerometer, 33.44, "32.77 m/s2"), (.gyro, 40, "32.77 rad/s"),
            (.gyro, 0, nil), (.magnetometer, 99, nil),
        ] as [(IIORoles, Double, String?)])
    func aRangeThatIsFixedIsTold(role: IIORoles, least: Double, range: String?) throws {
        // GIVEN sensors without a list of ranges WHEN a range is asked for THEN a smaller one is told, with its size
        let attributes = ["scale": ["0.001"]]
        let opened = try Opened(
            Self.axes("accel", attributes) + Self.axes("anglvel", attributes) + Self.axes("magn", attributes))
        var settings = IIOSettings()
        (settings.accelerometer.leastRange, settings.gyro.leastRange) = (least, least)
        settings.magnetometer.leastRange = least
        var adjustment = IIOAdjustment()
        adjustment.setRange(of: role, try IIOSensor.channels(role, opened.device), settings: settings)
        #expect(adjustment.remarks == (range.map { ["the range of the \(role.name) is fixed at \($0)"] } ?? []))
        // AND nothing is changed, nor is it looked at where the settings have a scale
        settings.accelerometer.scaleOverride = 1
        adjustment.setRange(of: .accelerometer, try IIOSensor.channels(role, opened.device), settings: settings)
        #expect(adjustment.remarks.count == (range == nil ? 0 : 1) && adjustment.restorations.isEmpty)
        #expect(opened.machine.written.filter { $0.contains("scale") }.isEmpty)
        withExtendedLifetime(opened) {}
    }

    @Test func aRangeIsThatOfAllItsCounts() throws {
        // GIVEN an accelerometer of 8 bits, 0.1 m/s2 each WHEN a larger range is asked for THEN its own is told: 128
        // counts
        let opened = try Opened(Self.axes("accel", ["scale": ["0.1"]], format: "le:s8/8>>0"))
        var settings = IIOSettings()
        settings.accelerometer.leastRange = 39
        var adjustment = IIOAdjustment()
        let channels = try IIOSensor.channels(.accelerometer, opened.device)
        adjustment.setRange(of: .accelerometer, channels, settings: settings)
        #expect(adjustment.remarks == ["the range of the accelerometer is fixed at 12.8 m/s2"])
        withExtendedLifetime(opened) {}
    }

    @Test func aRangeWithoutABufferIsOneOfSixteenBits() throws {
        // GIVEN an accelerometer of 6 g without a buffer, whose driver offers 3, 6, 12 and 24 g WHEN 8 g are asked for
        // THEN it gets 12 g
        let attributes = ["scale": ["0.001795"], "scale_available": ["0.000897 0.001795 0.003589 0.007178"]]
        let opened = try Opened(["x", "y", "z"].map { .init(id: "accel_\($0)", attributes: attributes) })
        var settings = IIOSettings()
        settings.accelerometer.leastRange = 78.4532
        var adjustment = IIOAdjustment()
        let channels = try IIOSensor.channels(.accelerometer, opened.device)
        adjustment.setRange(of: .accelerometer, channels, settings: settings)
        #expect(adjustment.remarks == ["the range of the accelerometer set to 117.6 m/s2"])
        #expect(opened.machine.written.contains("iio:device0 INPUT accel_x scale = 0.003589"))
        withExtendedLifetime(opened) {}
    }

    @Test(arguments: [("100", ""), ("100.1", ", above half the sample rate: vibration is aliased")])
    func aFilterAboveHalfTheRateIsTold(becomes: String, remark: String) throws {
        // GIVEN a filter that the driver rounds up WHEN it is set for 200 Hz THEN an edge above half of that is told
        let filter = "filter_low_pass_3db_frequency"
        let opened = try Opened(Self.axes("accel", [filter: ["300"], "\(filter) becomes": [becomes]]))
        var adjustment = IIOAdjustment()
        let channels = try IIOSensor.channels(.accelerometer, opened.device)
        adjustment.setFilter(of: .accelerometer, channels, rateHertz: 200)
        #expect(adjustment.remarks == ["the low-pass filter of the accelerometer is at \(becomes) Hz\(remark)"])
        let written = ["x", "y", "z"].map { "iio:device0 INPUT accel_\($0) \(filter) = 80" }
        #expect(opened.machine.written.filter { $0.contains(filter) } == written)
        #expect(adjustment.restorations.count == 3)
        // A rate of zero, and the filter of another sensor, are left alone.
        adjustment.setFilter(of: .accelerometer, channels, rateHertz: 0)
        adjustment.setFilter(of: .magnetometer, channels, rateHertz: 1)
        #expect(adjustment.remarks.count == 1 && adjustment.restorations.count == 3)
        withExtendedLifetime(opened) {}
    }

    @Test(arguments: [(nil, "120"), ("50 100 200 400", "200"), ("junk", "120")] as [(String?, String)])
    func theRateOfADeviceIsOneOfItsList(available: String?, written: String) throws {
        // GIVEN a device with one rate for all, and a list of them or none WHEN 120 Hz are asked for THEN the next one
        // of the list is set
        var attributes = ["sampling_frequency": ["50"]]
        if let available { attributes["sampling_frequency_available"] = [available] }
        let opened = try Opened(Self.axes("accel", ["scale": ["1"]]), attributes)
        var settings = IIOSettings()
        settings.accelerometer.rateHertz = 120
        let sensor = try IIOSensor(role: .accelerometer, device: opened.device, settings: settings, isBuffered: true)
        var setup = IIOSetup(device: opened.device, context: opened.context, settings: settings)
        let rate = setup.setRate(of: [sensor])
        #expect("\(Int(rate))" == written)
        #expect(opened.machine.written.last == "iio:device0 sampling_frequency = \(written)")
        withExtendedLifetime(opened) {}
    }

    @Test func aTriggerThatCannotBeConnectedIsTold() throws {
        // GIVEN a device that refuses its trigger, and one that has it already WHEN it is set THEN the reason is told,
        // or nothing is written
        for current in ["", "posed"] {
            let machine = ScriptedIIOD([
                .init(channels: Self.axes("accel", [:]), trigger: current, triggerError: 16),
                .init(id: "trigger0", name: "posed"),
            ])
            defer { machine.end() }
            let context = try IIOLibrary.open(machine.uri)
            defer { IIOHandles(context: context, buffer: nil).destroy() }
            let device = try #require(IIOLibrary.devices(context).first)
            var setup = IIOSetup(device: device, context: context, settings: IIOSettings())
            do throws(IIOProblem) {
                try setup.setTrigger(rateHertz: 100)
                #expect(current == "posed" && !machine.written.contains("trigger = trigger0"))
            } catch {
                let reason = "cannot connect trigger 'posed' (Device or resource busy, EBUSY)"
                #expect(current.isEmpty && error.code == 16 && error.description == reason)
            }
            #expect(setup.trigger == "posed" && setup.remarks.isEmpty)
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func aSharedTriggerHasTheRateOfTheFastestSensor(order: [Int]) throws {
        // GIVEN an IMU for 200 Hz and a magnetometer for 50 Hz that use one trigger WHEN both are set up, in either
        // order THEN the trigger has 200 Hz, and the magnetometer's status says so
        let machine = ScriptedIIOD([
            .init(channels: Self.axes("accel", [:]) + Self.axes("anglvel", [:]), trigger: "posed"),
            .init(id: "iio:device1", name: "compass", channels: Self.axes("magn", [:]), trigger: "posed"),
            .init(id: "trigger0", name: "posed", attributes: ["sampling_frequency": ["100"]]),
        ])
        defer { machine.end() }
        let context = try IIOLibrary.open(machine.uri)
        defer { IIOHandles(context: context, buffer: nil).destroy() }
        let devices = IIOLibrary.devices(context)
        try #require(devices.count == 2)
        func set(_ number: Int, _ settings: IIOSettings) throws -> [String] {
            var setup = IIOSetup(device: devices[number], context: context, settings: settings)
            try setup.setTrigger(rateHertz: number == 0 ? 200 : 50)
            return setup.remarks
        }
        for number in order {
            let remarks = try set(number, IIOSettings())
            #expect(remarks == (number == 0 ? [] : ["its trigger has 200 Hz for all sensors that use it"]))
        }
        #expect(machine.written.last == "trigger0 sampling_frequency = 200")
        // AND without the IMU it has the rate of the magnetometer
        var settings = IIOSettings()
        (settings.gyro.device, settings.accelerometer.device) = (.off, .off)
        #expect(try set(1, settings).isEmpty)
        #expect(machine.written.last == "trigger0 sampling_frequency = 50")
    }

    @Test func theFasterOfTwoSensorsGivesTheRate() throws {
        // GIVEN gyro and accelerometer of one device with rates of their own THEN the larger one is that of the scans
        let (slow, fast) = (["sampling_frequency": ["1"]], ["sampling_frequency": ["1"]])
        let opened = try Opened(
            Self.axes("accel", slow.merging(["scale": ["1"]]) { $1 })
                + Self.axes("anglvel", fast.merging(["scale": ["1"]]) { $1 }))
        for (gyro, acceleration) in [(400.0, 100.0), (100, 400)] {
            var settings = IIOSettings()
            (settings.gyro.rateHertz, settings.accelerometer.rateHertz) = (gyro, acceleration)
            let sensors = try [IIORoles.gyro, .accelerometer].map {
                try IIOSensor(role: $0, device: opened.device, settings: settings, isBuffered: true)
            }
            var setup = IIOSetup(device: opened.device, context: opened.context, settings: settings)
            let rate = setup.setRate(of: sensors)
            #expect(rate == 400 && setup.remarks.isEmpty)
        }
        withExtendedLifetime(opened) {}
    }

    @Test(
        arguments: [
            ("channel", Vector3(-2, 1, 3)), ("device", Vector3(2, -1, 3)), ("mount", Vector3(3, 1, 2)),
            ("", Vector3(1, 2, 3)),
        ])
    func aMountMatrixIsThatOfTheChannelTheDeviceOrTheBoard(place: String, turned: Vector3) throws {
        // GIVEN drivers that give the matrix at one place, and further ones behind it THEN the first one is used
        let places = ["channel", "device", "mount"].drop { $0 != place }
        var (channel, device) = (["scale": ["1"]], [String: [String]]())
        if places.contains("channel") { channel["mount_matrix"] = ["0, -1, 0; 1, 0, 0; 0, 0, 1"] }
        if places.contains("device") { device["mount_matrix"] = ["0, 1, 0; -1, 0, 0; 0, 0, 1"] }
        var channels = Self.axes("accel", channel)
        if places.contains("mount") {
            channels.append(.init(id: "mount", attributes: ["matrix": ["0, 0, 1; 1, 0, 0; 0, 1, 0"]]))
        }
        let opened = try Opened(channels, device)
        let sensor = try IIOSensor(
            role: .accelerometer, device: opened.device, settings: IIOSettings(), isBuffered: true)
        #expect(sensor.value(RawTriple(x: 1, y: 2, z: 3)) == turned)
        // AND that of the settings comes before all
        var settings = IIOSettings()
        settings.accelerometer.mountMatrixOverride = "-1, 0, 0; 0, -1, 0; 0, 0, 1"
        let other = try IIOSensor(role: .accelerometer, device: opened.device, settings: settings, isBuffered: true)
        #expect(other.value(RawTriple(x: 1, y: 2, z: 3)) == Vector3(-1, -2, 3))
        withExtendedLifetime(opened) {}
    }

    @Test(arguments: [("0.1", false), ("0.12", true), ("0.000598", true), ("0.1234", false), ("0.001197101", false)])
    func aScaleOfTwoOrThreeDigitsIsTold(scale: String, isTold: Bool) throws {
        // GIVEN a driver that prints its scale with some digits THEN two and three are too few; one is a power of ten
        let opened = try Opened(Self.axes("accel", ["scale": [scale]]))
        func remark(_ settings: IIOSettings) throws -> String? {
            try IIOSensor(role: .accelerometer, device: opened.device, settings: settings, isBuffered: true).remark
        }
        let told =
            "the driver reports the accelerometer's scale as \(scale), with few digits: set the exact scale in the "
            + "settings"
        #expect(try remark(IIOSettings()) == (isTold ? told : nil))
        var exact = IIOSettings()
        exact.accelerometer.scaleOverride = 0.001
        #expect(try remark(exact) == nil)
        withExtendedLifetime(opened) {}
    }

    @Test(
        arguments: [
            ("scale", "0", true), ("scale", "nan", true), ("scale", "inf", true), ("scale", "x", true),
            ("scale", "-1", false), ("offset", "0", false), ("offset", "inf", true),
        ])
    func aNumberOfTheDriverIsChecked(key: String, text: String, isInvalid: Bool) throws {
        // GIVEN a scale or an offset of a driver THEN it must be finite, and a scale not zero
        let opened = try Opened(Self.axes("magn", ["scale": ["1"], "offset": ["0"]].merging([key: [text]]) { $1 }))
        let device = opened.device
        do throws(IIOProblem) {
            _ = try IIOSensor(role: .magnetometer, device: device, settings: IIOSettings(), isBuffered: true)
            #expect(!isInvalid)
        } catch {
            let reason =
                "'\(key)' of channel 'magn_x' is '\(text)', which is invalid: set the sensor's scale in the settings"
            #expect(isInvalid && error.description == reason)
        }
        withExtendedLifetime(opened) {}
    }

    @Test(
        arguments: [
            (["input": ["150000"]], 150), (["input": ["150001"]], nil), (["input": ["-60000"]], -60),
            (["input": ["-60001"]], nil), (["raw": ["24"], "scale": ["500"], "offset": ["-3"]], 10.5),
            (["raw": ["21500"]], 21.5), (["raw": ["300"], "scale": ["500"]], 150),
            (["raw": ["301"], "scale": ["500"]], nil), (["raw": ["x"]], nil), (["input": ["!5"]], nil),
            (["input": ["!5"], "raw": ["2"], "scale": ["1000"]], 2),
        ] as [([String: [String]], Double?)])
    func aTemperatureIsOneThatASensorCanHave(attributes: [String: [String]], celsius: Double?) throws {
        // GIVEN a channel of temperature WHEN it is read by itself THEN thousandths of a degree are degrees, from -60
        // to 150
        let opened = try Opened([.init(id: "temp", attributes: attributes)])
        let thermometer = try #require(IIOThermometer(opened.device))
        #expect(thermometer.celsius() == celsius && !thermometer.isCaptured)
        let other = try Opened(Self.axes("accel", [:]))
        #expect(IIOThermometer(other.device) == nil)
        withExtendedLifetime((opened, other)) {}
    }
}
