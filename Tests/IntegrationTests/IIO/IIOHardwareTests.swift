import Foundation
import Testing

/// Common parts with the attributes and layouts of their drivers (Linux 6.1): each is found, set up and read.
/// docs/hardware.md has the same table.
@Suite(.serialized, .enabled(if: isEmulationInstalled, "umockdev is not installed"))
struct IIOHardwareTests {
    /// One IIO device of a part.
    struct Device: Sendable {
        var name: String
        /// Channels of the buffer: axes, then the time stamp; empty without a buffer.
        var channels: [String]
        var type = "le:s16/16>>0"
        var attributes: [String: String]
        /// Attributes after posed has opened the device.
        var expected: [String: String] = [:]
    }

    /// A part.
    struct Part: Sendable, CustomTestStringConvertible {
        var name: String
        var devices: [Device]
        /// The source that it gives.
        var source = "imu"
        /// Text in its status.
        var status: [String] = []

        var testDescription: String { name }
    }

    private static let six = EmulatedDevice.accelerometerAxes + EmulatedDevice.gyroAxes
    private static let field = ["magn_x", "magn_y", "magn_z"]
    private static let clock = ["current_timestamp_clock": "realtime"]

    /// inv_mpu6050: one device with big-endian fields, a temperature between them, and scales with nine decimals.
    private static func invensense(_ name: String) -> Part {
        Part(
            name: name,
            devices: [
                Device(
                    name: name, channels: six, type: "be:s16/16>>0",
                    attributes: clock.merging([
                        "in_accel_scale": "0.000598", "in_accel_scale_available": "0.000598 0.001196 0.002392 0.004785",
                        "in_anglvel_scale": "0.000266181",
                        "in_anglvel_scale_available": "0.000133090 0.000266181 0.000532362 0.001064724",
                        "sampling_frequency": "50", "sampling_frequency_available": "10 20 50 100 200 500",
                        "in_temp_raw": "1000", "in_temp_scale": "0.002941176", "in_temp_offset": "12420",
                        "in_accel_mount_matrix": "1, 0, 0; 0, 1, 0; 0, 0, 1",
                    ]) { $1 },
                    expected: [
                        "in_accel_scale": "0.001196", "in_anglvel_scale": "0.000266181", "sampling_frequency": "200",
                    ])
            ], status: ["the range of the accelerometer set to 39.1"])
    }

    /// bmi160, and bmi270 with the same attributes (Linux 6.13).
    private static func bosch(_ name: String) -> Part {
        Part(
            name: name,
            devices: [
                Device(
                    name: name, channels: six,
                    attributes: clock.merging([
                        "in_accel_scale": "0.000598", "in_accel_scale_available": "0.000598 0.001197 0.002394 0.004788",
                        "in_anglvel_scale": "0.001065",
                        "in_anglvel_scale_available": "0.001065 0.000532 0.000266 0.000133 0.000066",
                        "in_accel_sampling_frequency": "1600.000000", "in_anglvel_sampling_frequency": "3200.000000",
                        "in_accel_sampling_frequency_available": "0.78125 1.5625 3.125 6.25 12.5 25 50 100 200 400 800",
                        "in_anglvel_sampling_frequency_available": "25 50 100 200 400 800 1600 3200",
                        "in_mount_matrix": "1, 0, 0; 0, 1, 0; 0, 0, 1",
                    ]) { $1 },
                    expected: [
                        "in_accel_scale": "0.001197", "in_anglvel_scale": "0.001065",
                        "in_accel_sampling_frequency": "200", "in_anglvel_sampling_frequency": "200",
                    ])
            ], status: ["the range of the accelerometer set to 39.22 m/s2"])
    }

    /// Gyro and accelerometer as two devices, each with its own rate.
    private static func pair(
        _ name: String, _ suffixes: (String, String), type: String, rate: String, scales: (String, String),
        current: (String, String), expected: (String, String)
    ) -> Part {
        Part(
            name: name,
            devices: [
                Device(
                    name: name + suffixes.0, channels: EmulatedDevice.accelerometerAxes, type: type,
                    attributes: clock.merging([
                        "in_accel_scale": current.0, "in_accel_scale_available": scales.0, rate: "12.500000",
                    ]) { $1 }, expected: ["in_accel_scale": expected.0]),
                Device(
                    name: name + suffixes.1, channels: EmulatedDevice.gyroAxes, type: type,
                    attributes: clock.merging([
                        "in_anglvel_scale": current.1, "in_anglvel_scale_available": scales.1, rate: "12.500000",
                    ]) { $1 }, expected: ["in_anglvel_scale": expected.1]),
            ], status: ["the range of the gyro set to"])
    }

    /// The low-pass filters of adis16480: one for each axis.
    private static func filters(_ hertz: String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: six.map { ("in_\($0)_filter_low_pass_3db_frequency", hertz) })
    }

    static let parts: [Part] = [
        bosch("bmi160"), bosch("bmi270"),
        invensense("mpu6050"), invensense("mpu9250"), invensense("icm20608"),
        pair(
            "lsm6dso", ("_accel", "_gyro"), type: "le:s16/16>>0", rate: "sampling_frequency",
            scales: ("0.000598 0.001196 0.002392 0.004785", "0.000153 0.000305 0.000611 0.001222"),
            current: ("0.000598", "0.000153"), expected: ("0.001196", "0.000305")),
        pair(
            "icm42605", ("-accel", "-gyro"), type: "be:s16/16>>0", rate: "sampling_frequency",
            scales: (
                "0.004788403 0.002394202 0.001197101 0.000598550",
                "0.001065264 0.000532632 0.000266316 0.000133158 0.000066579"
            ), current: ("0.004788403", "0.000133158"), expected: ("0.004788403", "0.000266316")),
        Part(
            name: "adis16480",
            devices: [
                Device(
                    name: "adis16480", channels: EmulatedDevice.gyroAxes + EmulatedDevice.accelerometerAxes,
                    type: "be:s32/32>>0",
                    attributes: clock.merging(
                        [
                            "in_accel_scale": "0.000001", "in_anglvel_scale": "0.000000005",
                            "sampling_frequency": "2460.000000",
                        ].merging(filters("310")) { $1 }
                    ) { $1 },
                    expected: filters("80").merging(["sampling_frequency": "200"]) { $1 })
            ], status: ["the low-pass filter of the gyro is at 80 Hz"]),
        Part(
            name: "bmg160 and bma250",
            devices: [
                Device(
                    name: "bma250", channels: EmulatedDevice.accelerometerAxes, type: "le:s10/16>>6",
                    attributes: clock.merging([
                        "in_accel_scale": "0.038344",
                        "in_accel_scale_available": "0.038344 0.076590 0.153180 0.306458",
                        "in_accel_filter_low_pass_3db_frequency": "250",
                        "in_accel_filter_low_pass_3db_frequency_available": "8 16 31 63 125 250 500 1000",
                    ]) { $1 },
                    expected: ["in_accel_scale": "0.076590", "in_accel_filter_low_pass_3db_frequency": "63"]),
                Device(
                    name: "bmg160", channels: EmulatedDevice.gyroAxes,
                    attributes: clock.merging([
                        "in_anglvel_scale": "0.001065",
                        "in_anglvel_scale_available": "0.001065 0.000532 0.000266 0.000133 0.000066",
                        "in_anglvel_sampling_frequency": "200", "in_anglvel_filter_low_pass_3db_frequency": "64",
                        "sampling_frequency_available": "100 200 400 1000 2000",
                    ]) { $1 },
                    expected: ["in_anglvel_scale": "0.001065", "in_anglvel_filter_low_pass_3db_frequency": "64"]),
            ], status: ["the low-pass filter of the accelerometer is at 63 Hz"]),
        // Its own estimates of angles, linear acceleration and gravity are left alone.
        Part(
            name: "bno055",
            devices: [
                Device(
                    name: "bno055", channels: six,
                    attributes: clock.merging([
                        "in_accel_scale": "0.010000000", "in_anglvel_scale": "0.001065264",
                        "in_anglvel_scale_available":
                            "0.000066579 0.000133158 0.000266316 0.000532632 0.001065264",
                        "in_accel_filter_low_pass_3db_frequency": "500.000000",
                        "in_accel_filter_low_pass_3db_frequency_available":
                            "7.810000 15.630000 31.250000 62.500000 125.000000 250.000000 500.000000 1000.000000",
                        "in_anglvel_filter_low_pass_3db_frequency": "523",
                        "in_anglvel_filter_low_pass_3db_frequency_available": "12 23 32 47 64 116 230 523",
                        "in_rot_yaw_raw": "16", "in_rot_scale": "0.062500000", "in_accel_linear_x_raw": "1",
                        "in_accel_linear_y_raw": "1", "in_accel_linear_z_raw": "1", "in_gravity_x_raw": "0",
                        "in_gravity_y_raw": "0", "in_gravity_z_raw": "981", "in_gravity_scale": "0.010000000",
                    ]) { $1 },
                    expected: [
                        "in_anglvel_scale": "0.001065264", "in_accel_filter_low_pass_3db_frequency": "62.500000",
                        "in_anglvel_filter_low_pass_3db_frequency": "64",
                    ])
            ], status: ["the low-pass filter of the gyro is at 64 Hz"]),
        Part(
            name: "hmc5883l",
            devices: [
                Device(
                    name: "hmc5883l", channels: [],
                    attributes: [
                        "in_magn_x_raw": "120", "in_magn_y_raw": "-40", "in_magn_z_raw": "300",
                        "in_magn_scale": "0.000009174", "scale_available": "0.000007299 0.000009174 0.000012195 ",
                        "sampling_frequency": "15.000000",
                        "sampling_frequency_available": "0.750000 1.500000 3.0 7.500000 15.0 30.0 75.0 ",
                    ], expected: ["sampling_frequency": "75"])
            ], source: "magnetometer", status: ["single readings"]),
        Part(
            name: "lis3mdl",
            devices: [
                Device(
                    name: "lis3mdl", channels: field,
                    attributes: clock.merging([
                        "in_magn_x_scale": "0.000146", "in_magn_y_scale": "0.000146", "in_magn_z_scale": "0.000146",
                        "in_magn_scale_available": "0.000146 0.000292 0.000438 0.000584",
                        "sampling_frequency": "1.250", "sampling_frequency_available": "0.625 1.250 5 10 20 40 80",
                    ]) { $1 }, expected: ["sampling_frequency": "80", "in_magn_x_scale": "0.000146"])
            ], source: "magnetometer"),
        Part(
            name: "ak8975",
            devices: [
                Device(
                    name: "ak8975", channels: [],
                    attributes: [
                        "in_magn_x_raw": "120", "in_magn_y_raw": "-40", "in_magn_z_raw": "300",
                        "in_magn_x_scale": "0.003750", "in_magn_y_scale": "0.003750", "in_magn_z_scale": "0.003750",
                    ])
            ], source: "magnetometer", status: ["single readings"]),
        Part(
            name: "bmm150",
            devices: [
                Device(
                    name: "bmm150_magn", channels: [],
                    attributes: [
                        "in_magn_x_raw": "12000", "in_magn_y_raw": "-4000", "in_magn_z_raw": "30000",
                        "in_magn_scale": "0.000010", "sampling_frequency": "10",
                    ], expected: ["sampling_frequency": "50"])
            ], source: "magnetometer", status: ["single readings"]),
        Part(
            name: "bmp280",
            devices: [
                Device(
                    name: "bmp280", channels: [],
                    attributes: [
                        "in_pressure_input": "101.325", "in_temp_input": "21500",
                        "in_pressure_oversampling_ratio": "16",
                    ])
            ], source: "barometer", status: ["single readings"]),
        Part(
            name: "ms5611",
            devices: [
                Device(
                    name: "ms5611", channels: [],
                    attributes: ["in_pressure_input": "101.325000", "in_temp_input": "21500"])
            ], source: "barometer", status: ["single readings"]),
        Part(
            name: "dps310",
            devices: [
                Device(
                    name: "dps310", channels: [],
                    attributes: [
                        "in_pressure_input": "101.325000", "in_pressure_sampling_frequency": "1",
                        "in_pressure_oversampling_ratio": "8",
                    ], expected: ["in_pressure_sampling_frequency": "25"])
            ], source: "barometer", status: ["single readings"]),
        Part(
            name: "lps22hb",
            devices: [
                Device(
                    name: "lps22hb", channels: ["pressure"], type: "le:u24/32>>0",
                    attributes: clock.merging([
                        "in_pressure_scale": "0.000024414", "sampling_frequency": "1",
                        "sampling_frequency_available": "1 10 25 50 75",
                    ]) { $1 }, expected: ["sampling_frequency": "25"])
            ], source: "barometer"),
    ]

    @Test(arguments: parts) func aPartIsSetUpReadAndRestored(_ part: Part) throws {
        // GIVEN a part as its driver shows it, and the least ranges of a vehicle
        let other = ["imu", "magnetometer", "barometer"].filter { $0 != part.source }
        let off = other.flatMap { $0 == "imu" ? ["gyro=off", "accelerometer=off"] : ["\($0)=off"] }
        let ranges = ["acceleration_range=39.2266", "rate_range=8.7266"]
        let probe = try ProbeProcess(["local:", "rate=200", "stuck=0"] + ranges + off + ProbeProcess.patient)
        let devices = try part.devices.enumerated().map { number, device in
            try EmulatedDevice(
                root: probe.root, number: number, name: device.name,
                channels: device.channels.map { .init(name: $0, type: device.type) }
                    + (device.channels.isEmpty ? [] : [EmulatedDevice.stamp]), attributes: device.attributes)
        }
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R \(part.source) waiting") != nil, "\(probe.status(part.source) ?? "")")
        // WHEN it delivers
        for k in 0..<5 {
            let now = monotonicNanoseconds()
            for device in devices where !device.channels.isEmpty {
                device.feed((1..<device.channels.count).map { Int64(10 * k + $0) } + [now])
            }
            usleep(1000)
        }
        // THEN it streams, its settings are those expected, and status says what was set
        #expect(probe.wait(for: "R \(part.source) streaming") != nil, "\(probe.status(part.source) ?? "")")
        for (device, model) in zip(devices, part.devices) {
            for (path, value) in model.expected {
                #expect(device.attribute(path) == value, "\(model.name) \(path)")
            }
        }
        let status = probe.status(part.source) ?? ""
        for text in part.status { #expect(status.contains(text), "\(status)") }
        // WHEN posed stops; THEN ranges and filters are what they were
        #expect(probe.ask("stop", "Q") != nil)
        for (device, model) in zip(devices, part.devices) {
            for path in model.expected.keys where path.contains("scale") || path.contains("filter") {
                let before = try #require(model.attributes[path])
                _ = probe.wait { _ in device.attribute(path) == before ? true : nil }
                #expect(device.attribute(path) == before, "\(model.name) \(path)")
            }
        }
    }

    @Test func aDeviceWithoutATriggerOfItsOwnGetsThatOfTheTimer() throws {
        // GIVEN a device that needs a trigger and has none, one of another device, and the one of posed-trigger.service
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off", "stuck=0"])
        let device = try EmulatedDevice.imu(root: probe.root, attributes: ["trigger/current_trigger": ""])
        // As the kernel has it, without a newline.
        try "".write(toFile: "\(device.folder)/trigger/current_trigger", atomically: false, encoding: .utf8)
        for (number, name) in ["other-dev3", "posed"].enumerated() {
            let folder = "\(probe.root)/sys/bus/iio/devices/trigger\(number)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (file, text) in ["name": name, "sampling_frequency": "100.000"] {
                try (text + "\n").write(toFile: "\(folder)/\(file)", atomically: false, encoding: .utf8)
            }
        }
        defer { probe.end() }
        // WHEN it is opened THEN it is connected to that of the timer, at the rate of the device
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil, "\(probe.status("imu") ?? "")")
        #expect(device.attribute("trigger/current_trigger") == "posed")
        let rate = try String(
            contentsOfFile: "\(probe.root)/sys/bus/iio/devices/trigger1/sampling_frequency", encoding: .utf8)
        #expect(rate.hasPrefix("200"), "\(rate)")
        #expect(probe.status("imu")?.contains("trigger 'posed' idle") == true)
    }

    @Test func aDriverThatRefusesIsReported() throws {
        // GIVEN a device whose range is fixed, and one whose scale cannot be written
        let probe = try ProbeProcess(
            ["local:", "magnetometer=off", "barometer=off", "acceleration_range=78.5", "rate_range=8.7", "stuck=0"]
                + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(
            root: probe.root,
            attributes: ["in_anglvel_scale": "0.000133", "in_anglvel_scale_available": "0.000133 0.000066"])
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        for k in 0..<5 { device.feed([Int64(k), 2, 3, 4, 5, 6, monotonicNanoseconds()]); usleep(1000) }
        #expect(probe.wait(for: "R imu streaming") != nil)
        // THEN status says what remains, and nothing is written
        let status = probe.status("imu") ?? ""
        #expect(status.contains("the range of the accelerometer is fixed at 19.6 m/s2"), "\(status)")
        #expect(status.contains("the range of the gyro is 4.358 rad/s, below 8.7"), "\(status)")
        #expect(device.attribute("in_anglvel_scale") == "0.000133")
    }
}
