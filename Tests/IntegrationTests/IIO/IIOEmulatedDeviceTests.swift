import Foundation
import Testing

/// Real libiio on an emulated sysfs with a FIFO as the device.
@Suite(.serialized, .enabled(if: isEmulationInstalled, "umockdev is not installed"))
struct IIOEmulatedDeviceTests {
    /// Writes scans 5 ms apart, the last one stamped now, all at once. Returns the time stamps. `k` makes every reading
    /// differ from the previous one.
    private func burst(_ device: EmulatedDevice, _ count: Int, _ values: (Int64) -> [Int64]) -> [Int64] {
        let now = monotonicNanoseconds()
        let stamps = (0..<count).map { now - Int64(count - 1 - $0) * 5_000_000 }
        for (k, stamp) in stamps.enumerated() { device.feed(values(Int64(k)) + [stamp]) }
        return stamps
    }

    @Test(arguments: ["le:s16/16>>0", "be:s16/16>>0", "le:s12/16>>4", "be:s24/32>>8", "le:s32/32>>0"])
    func valuesAndTimesAreExact(type: String) throws {
        // GIVEN a six-axis device rotated by a right angle about z
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(
            root: probe.root, attributes: ["in_mount_matrix": "0, -1, 0; 1, 0, 0; 0, 0, 1"], type: type)
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // WHEN 200 scans arrive
        let stamps = burst(device, 200) { [$0 - 100, -2, 1638, -$0, 200, -2000 + $0] }
        _ = probe.wait { _ in probe.inertial.count >= 200 ? true : nil }
        // THEN each gives one sample with the device's own time and the scaled, rotated values, to the bit
        let got = probe.inertial
        #expect(got.map(\.time) == stamps)
        for (k, sample) in got.enumerated() {
            let k = Double(k)
            let (a, w) = (0.000598, 0.001065)
            #expect(sample.values == [-200 * w, -k * w, (-2000 + k) * w, 2 * a, (k - 100) * a, 1638 * a])
        }
        // and the device was configured: an available rate, clock, watermark, channels, buffer
        #expect(device.attribute("sampling_frequency") == "200")
        #expect(device.attribute("current_timestamp_clock") == "monotonic")
        #expect(device.attribute("buffer/watermark") == "1")
        #expect(device.attribute("buffer/enable") == "1")
        #expect(device.attribute("scan_elements/in_anglvel_z_en") == "1")
        #expect(probe.status("imu")?.contains("|streaming|") == true)
        #expect(probe.status("imu")?.contains("the accelerometer's scale as 0.000598, with few digits") == true)
    }

    @Test func twoDevicesAreJoinedAtTheTimeOfTheGyro() throws {
        // GIVEN an accelerometer and a gyro as two devices, the accelerometer's time stamps in the middle between the
        // gyro's
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let accelerometer = try EmulatedDevice(
            root: probe.root, number: 0, name: "accel_3d",
            channels: EmulatedDevice.accelerometerAxes.map { .init(name: $0, type: "le:s32/32>>0") } + [
                EmulatedDevice.stamp
            ],
            attributes: [
                "in_accel_scale": "0.000001", "in_accel_sampling_frequency": "10",
                "current_timestamp_clock": "realtime",
            ])
        let gyro = try EmulatedDevice(
            root: probe.root, number: 1, name: "gyro_3d",
            channels: EmulatedDevice.gyroAxes.map { .init(name: $0, type: "le:s32/32>>0") } + [EmulatedDevice.stamp],
            attributes: [
                "in_anglvel_scale": "0.000001", "in_anglvel_sampling_frequency": "10",
                "current_timestamp_clock": "realtime",
            ])
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // WHEN the acceleration increases by 2 m/s2 per reading and the gyro is read between each two
        let start = monotonicNanoseconds() - 60_000_000
        for k in 0..<10 {
            accelerometer.feed([Int64(k) * 2_000_000, 0, 9_806_650, start + Int64(k) * 5_000_000])
            gyro.feed([Int64(k), 0, 0, start + Int64(k) * 5_000_000 + 2_500_000])
        }
        _ = probe.wait { _ in probe.inertial.count >= 9 ? true : nil }
        // THEN the sample of each gyro reading has the mean of the accelerations around it
        let got = probe.inertial
        #expect(got.count == 9)
        for (k, sample) in got.enumerated() {
            #expect(sample.time == start + Int64(k) * 5_000_000 + 2_500_000)
            // 1e-12 relative: the interpolation rounds
            #expect(abs(sample.values[3] - Double(2 * k + 1)) < 1e-9)
            #expect(abs(sample.values[5] - 9.80665) < 1e-9)
        }
        #expect(gyro.attribute("in_anglvel_sampling_frequency") == "200")
    }

    @Test func aMountMatrixThatIsNoRotationIsRefusedWithItsReason() throws {
        // GIVEN a device whose matrix swaps two axes
        let mirror = ["in_mount_matrix": "0, 1, 0; 1, 0, 0; 0, 0, 1"]
        let probe = try ProbeProcess(["local:"])
        _ = try EmulatedDevice.imu(root: probe.root, attributes: mirror)
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu lost") != nil)
        // THEN it is not used and the status gives reason and remedy
        let status = probe.status("imu") ?? ""
        #expect(status.contains("|lost|0|"))
        #expect(
            status.contains(
                "mount matrix '0, 1, 0; 1, 0, 0; 0, 0, 1' is a mirror image, not a rotation (determinant -1)"))
        #expect(status.contains("axes x and y are swapped without a change of sign"))
        #expect(status.contains("set one in the settings"))
    }

    @Test func otherSensorsComeThroughTheirOwnDevices() throws {
        // GIVEN a buffered magnetometer, a barometer without a buffer, and an IMU that needs its own trigger
        let probe = try ProbeProcess(["local:"] + ProbeProcess.patient)
        let imu = try EmulatedDevice.imu(root: probe.root, attributes: ["trigger/current_trigger": ""])
        let trigger = "\(probe.root)/sys/bus/iio/devices/trigger0"
        try FileManager.default.createDirectory(atPath: trigger, withIntermediateDirectories: true)
        try "fake-imu-dev0\n".write(toFile: "\(trigger)/name", atomically: false, encoding: .utf8)
        let compass = try EmulatedDevice(
            root: probe.root, number: 1, name: "ak8963",
            channels: ["magn_x", "magn_y", "magn_z"].map { .init(name: $0, type: "le:s16/16>>0") } + [
                EmulatedDevice.stamp
            ],
            attributes: ["in_magn_scale": "0.0015", "current_timestamp_clock": "realtime"])
        _ = try EmulatedDevice(
            root: probe.root, number: 2, name: "bmp280", channels: [],
            attributes: ["in_pressure_input": "101.325", "in_temp_input": "21500"])
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        #expect(probe.wait(for: "R magnetometer waiting") != nil)
        let stamp = monotonicNanoseconds()
        compass.feed([200, -100, 50, stamp])
        // THEN the values are in tesla and pascal, and the trigger is connected
        let field = probe.wait { all in all.first { $0.hasPrefix("E magnetic \(stamp) ") } }
        let values = (field ?? "").split(separator: " ").dropFirst(4).compactMap { Double($0) }
        #expect(zip(values, [3e-5, -1.5e-5, 0.75e-5]).allSatisfy { abs($0 - $1) < 1e-18 } && values.count == 3)
        let pressure = probe.wait { all in all.first { $0.hasPrefix("E pressure ") } }
        #expect(pressure?.hasSuffix(" 101325.0") == true)
        #expect(imu.attribute("trigger/current_trigger") == "fake-imu-dev0")
        #expect(probe.wait { _ in probe.status("barometer")?.contains("single readings") == true ? true : nil } == true)
        // and the device list shows them
        #expect(probe.ask("devices", "D 'bmp280' (iio:device2)") != nil)
    }

    @Test func badStampsAndBadValuesAreCountedByName() throws {
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off", "gyro_scale=0.002", "reopen=60"])
        // fields of 32 bits, as in sensor hubs, whose width does not give the sensor's range
        let device = try EmulatedDevice.imu(root: probe.root, type: "le:s32/32>>0")
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // GIVEN valid samples, then a repeated time stamp, one that goes back, one an hour ahead, one at zero, and an
        // angular rate of 60 rad/s
        _ = burst(device, 20) { [$0, 2, 16384, $0, 0, 0] }
        _ = probe.wait { _ in probe.inertial.count >= 20 ? true : nil }
        let now = monotonicNanoseconds()
        for (k, stamp) in [now, now, now - 1_000_000, now + 3_600_000_000_000, 0].enumerated() {
            device.feed([Int64(100 + k), 2, 3, 4, 5, 6, stamp])
        }
        device.feed([200, 2, 3, 30_000, 5, 6, monotonicNanoseconds()])
        device.feed([201, 2, 3, 4, 5, 6, monotonicNanoseconds()])
        _ = probe.wait { _ in probe.inertial.count >= 22 ? true : nil }
        #expect(probe.inertial.count == 22)
        // THEN the status counts each by name
        let counts = probe.wait { _ -> String? in
            let status = probe.status("imu") ?? ""
            return status.contains("out_of_range") ? status : nil
        }
        #expect(counts?.contains("out_of_range=1") == true, "\(counts ?? "")")
        #expect(counts?.contains("time_not_increasing=2") == true)
        #expect(counts?.contains("time_in_future=1") == true)
        // WHEN the sensor repeats its reading
        _ = burst(device, 120) { _ in [7, 7, 7, 7, 7, 7] }
        // THEN it is stale, with the reason
        let stale = probe.wait { _ -> String? in
            let status = probe.status("imu") ?? ""
            return status.contains("repeats the same gyro reading") ? status : nil
        }
        #expect(stale?.contains("|stale|") == true, "\(stale ?? "")")
    }

    @Test func noAllocationPerSample() throws {
        // GIVEN a device streaming 1000 samples into a sink that only counts
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off", "quiet=1"] + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(root: probe.root)
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        for round in 0..<10 { _ = burst(device, 100) { [$0, Int64(round), 16384, $0, 0, 0] }; usleep(2000) }
        let answer = probe.wait { _ -> [Int]? in
            let words = probe.ask("allocations", "A ")?.split(separator: " ").compactMap { Int($0) } ?? []
            return words.first ?? 0 >= 500 ? words : nil
        }
        // THEN allocations occur only in a few intervals between samples (the first ones, and the status once per
        // second)
        #expect(answer.map { $0[1] <= 8 } == true, "\(answer ?? [])")
    }
}
