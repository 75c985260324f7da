import Foundation
import Testing

/// Channels whose drivers report an offset in addition to the scale: a value is (raw + offset) x scale.
@Suite(.serialized, .enabled(if: isEmulationInstalled, "umockdev is not installed"))
struct IIOOffsetTests {
    @Test func eachAxisHasItsOwnOffsetBeforeTheScale() throws {
        // GIVEN a six-axis device with a different offset on each axis of the accelerometer and one for the whole gyro
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(
            root: probe.root,
            attributes: [
                "in_accel_scale": "0.004785", "in_accel_x_offset": "37", "in_accel_y_offset": "-12.5",
                "in_accel_z_offset": "1000.25", "in_anglvel_scale": "0.000266", "in_anglvel_offset": "-11.75",
            ])
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // WHEN a reading arrives
        let stamp = monotonicNanoseconds()
        device.feed([-120, 40, 2047, 5, -300, 12, stamp])
        _ = probe.wait { _ in probe.inertial.isEmpty ? nil : true }
        // THEN the offsets are added to the raw values and the sums are scaled, to the bit
        let (a, w) = (0.004785, 0.000266)
        let expected = [
            (5 - 11.75) * w, (-300 - 11.75) * w, (12 - 11.75) * w, (-120 + 37) * a, (40 - 12.5) * a,
            (2047 + 1000.25) * a,
        ]
        #expect(probe.inertial.first?.values == expected)
    }

    @Test func aBarometerReadOneByOneHasItsOffset() throws {
        // GIVEN a barometer without a buffer that gives raw values: kilopascal = (raw - 530) x 0.0025
        let probe = try ProbeProcess(["local:"])
        _ = try EmulatedDevice(
            root: probe.root, number: 0, name: "lps22", channels: [],
            attributes: ["in_pressure_raw": "40000", "in_pressure_scale": "0.0025", "in_pressure_offset": "-530"])
        defer { probe.end() }
        probe.go()
        // WHEN it is read THEN pascal come out; 1e-6 Pa is room for the rounding of the scale's product
        let line = probe.wait { all in all.first { $0.hasPrefix("E pressure ") } }
        let pressure = line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
        #expect(abs((pressure ?? 0) - 98_675) < 1e-6, "\(line ?? "no reading")")
    }
}
