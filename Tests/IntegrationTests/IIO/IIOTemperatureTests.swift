import Foundation
import Testing

/// The temperature channel of an emulated IMU: in the scans, and by single readings.
@Suite(.serialized, .enabled(if: isEmulationInstalled, "umockdev is not installed"))
struct IIOTemperatureTests {
    private static let axes = EmulatedDevice.accelerometerAxes + EmulatedDevice.gyroAxes
    private static let scales = [
        "in_accel_scale": "0.000598", "in_anglvel_scale": "0.001065", "sampling_frequency": "100",
        "sampling_frequency_available": "100 200", "current_timestamp_clock": "monotonic",
    ]

    /// The temperature of the IMU that the probe tells once there is one; `nil` if it tells none for that time.
    private func temperature(_ probe: ProbeProcess, within seconds: Double = 60) -> Double? {
        var found: Double?
        _ = NapClock.wait(seconds: seconds) {
            found = probe.ask("temperatures", "T imu ").flatMap { Double($0.dropFirst(6)) }
            return found != nil
        }
        return found
    }

    @Test func itIsReadFromTheScans() throws {
        // GIVEN an IMU as of inv_mpu6050: a temperature between the axes, (raw + 12420) x 2.941176 thousandths
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let channels = EmulatedDevice.accelerometerAxes + ["temp"] + EmulatedDevice.gyroAxes
        let device = try EmulatedDevice(
            root: probe.root, number: 0, name: "mpu6050",
            channels: channels.map { .init(name: $0, type: "be:s16/16>>0") } + [EmulatedDevice.stamp],
            attributes: Self.scales.merging(["in_temp_scale": "2.941176", "in_temp_offset": "12420"]) { $1 })
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // WHEN scans arrive for more than a second
        for step in 0..<15 {
            for k in 0..<10 {
                let time = monotonicNanoseconds() - Int64(9 - k) * 10_000_000
                device.feed([Int64(k), -2, 16_380, 1776, Int64(k), 20, Int64(step), time])
            }
            usleep(100_000)
        }
        // THEN the temperature is told, and the samples are those of their own channels
        #expect(abs((temperature(probe) ?? 0) - (1776 + 12_420) * 2.941176 / 1000) < 1e-6)
        #expect(device.attribute("scan_elements/in_temp_en") == "1")
        let sample = try #require(probe.inertial.last)
        #expect(abs(sample.values[5] - 16_380 * 0.000598) < 1e-9 && abs(sample.values[1] - 20 * 0.001065) < 1e-9)
    }

    @Test(arguments: [
        (["in_temp_input": "21500"], 21.5), (["in_temp_input": "999999"], nil),
        (["in_temp_raw": "1500", "in_temp_offset": "9500", "in_temp_scale": "2"], 22),
        (["in_temp_raw": "1500", "in_temp_offset": "950000", "in_temp_scale": "2"], nil),
    ])
    func itIsReadSinglyWhereTheBufferHasNone(attributes: [String: String], expected: Double?) throws {
        // GIVEN an IMU whose temperature is no part of the scans WHEN it streams
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(root: probe.root, attributes: attributes)
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        for k in 0..<150 {
            device.feed([Int64(k), -2, 16_380, Int64(k), 20, 3, monotonicNanoseconds()])
            usleep(10_000)
        }
        // THEN the temperature is told, unless it is none of a sensor
        #expect(temperature(probe, within: expected == nil ? 0.1 : 60) == expected)
        #expect(probe.wait { _ in probe.inertial.count > 100 ? true : nil } == true)
    }

    @Test(arguments: [(16_380, "none"), (8190, "measures 4.9 m/s2 at rest instead of 9.81: its scale is wrong")])
    func anAccelerometerThatDoesNotMeasureGravityIsTold(up: Int64, expected: String) throws {
        // GIVEN an IMU at rest whose accelerometer measures gravity, or half of it
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(root: probe.root)
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // WHEN it streams for more than three seconds
        let start = monotonicNanoseconds()
        for k in 0..<380 {
            device.feed([Int64(k % 3), -2, up, Int64(k % 2), 2, 3, start + Int64(k) * 10_000_000])
            while monotonicNanoseconds() < start + Int64(k + 1) * 10_000_000 { usleep(2000) }
        }
        // THEN the wrong scale is told
        #expect(probe.wait { _ in probe.inertial.count > 300 ? true : nil } == true)
        let isTold = NapClock.wait(seconds: 60) { probe.ask("degradations", "G imu ")?.contains(expected) == true }
        #expect(isTold)
    }
}
