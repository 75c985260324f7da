import Foundation
import Testing

/// Stalls, removals and returns of emulated devices, with shortened time limits for a quick run.
@Suite(.serialized, .enabled(if: isEmulationInstalled, "umockdev is not installed"))
struct IIORecoveryTests {
    private static let quick = ["local:", "magnetometer=off", "barometer=off", "stale=0.15", "reopen=0.3"]

    @Test func aStallIsSeenAndOverWithinTheLimits() throws {
        let probe = try ProbeProcess(Self.quick)
        let device = try EmulatedDevice.imu(root: probe.root)
        let feeder = DeviceFeeder(device)
        defer {
            feeder.end()
            probe.end()
        }
        probe.go()
        #expect(probe.wait(for: "R imu streaming") != nil)
        for round in 0..<3 {
            // WHEN the samples stop: for less than the reopening time, for longer, and for several attempts
            let before = probe.count
            feeder.pause(true)
            #expect(probe.wait(for: "R imu stale", skipping: before, seconds: 1) != nil, "round \(round)")
            if round >= 1 {
                #expect(probe.wait(for: "R imu lost", skipping: before, seconds: 1) != nil)
                // The words change with each attempt.
                let isNamed = probe.wait { _ in
                    probe.status("imu")?.contains("IIO device 'fake-imu' (iio:device0)") == true ? true : nil
                }
                #expect(isNamed == true)
            }
            if round == 2 {
                // three attempts without a sample
                let third = (0..<3).reduce(before) { place, _ in
                    probe.wait(for: "R imu waiting", skipping: place) ?? Int.max / 2
                }
                #expect(third < Int.max / 2)
            }
            // THEN it streams again within 2 s after their return
            let resumed = probe.count
            let time = NapClock.seconds {
                feeder.pause(false)
                #expect(probe.wait(for: "R imu streaming", skipping: resumed) != nil)
            }
            #expect(time <= 2, "round \(round)")
        }
        // and sample times never decreased
        let times = probe.inertial.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func aDeviceThatIsUnpluggedComesBackWithoutALeak() throws {
        let probe = try ProbeProcess(Self.quick)
        let device = try EmulatedDevice.imu(root: probe.root)
        let feeder = DeviceFeeder(device)
        defer {
            feeder.end()
            probe.end()
        }
        probe.go()
        #expect(probe.wait(for: "R imu streaming") != nil)
        var descriptors: [String] = []
        for round in 0..<5 {
            // WHEN it is removed
            let before = probe.count
            feeder.pause(true)
            device.unplug()
            #expect(probe.wait(for: "R imu lost", skipping: before) != nil, "round \(round)")
            let status = probe.wait { _ -> String? in
                let status = probe.status("imu") ?? ""
                return status.contains("no IIO device with a gyro") ? status : nil
            }
            #expect(status?.contains("|lost|") == true)
            // and added again
            let gone = probe.count
            let time = NapClock.seconds {
                device.replug()
                feeder.pause(false)
                #expect(probe.wait(for: "R imu streaming", skipping: gone) != nil, "round \(round)")
            }
            // THEN it streams within 2 s, with the same number of descriptors
            #expect(time <= 2, "round \(round)")
            descriptors.append(probe.ask("fds", "F ") ?? "")
        }
        #expect(Set(descriptors.dropFirst()).count == 1, "\(descriptors)")
        stopsInTime(probe)
    }

    /// Stopping while it streams takes at most 300 ms, and nothing is delivered afterwards.
    private func stopsInTime(_ probe: ProbeProcess) {
        let stop = probe.ask("stop", "Q ")?.split(separator: " ").last.flatMap { Double($0) }
        #expect(stop.map { $0 <= 0.3 } == true)
        let after = probe.inertial.count
        #expect(probe.ask("fds", "F ") != nil)
        #expect(probe.inertial.count == after)
    }

    @Test func readingsThatAreAllRefusedAreNoData() throws {
        // GIVEN a gyro whose every reading is beyond what a gyro measures; a field of 32 bits tells no range
        let probe = try ProbeProcess(Self.quick)
        let device = try EmulatedDevice.imu(
            root: probe.root, attributes: ["in_anglvel_scale": "100"], type: "le:s32/32>>0")
        let feeder = DeviceFeeder(device)
        defer {
            feeder.end()
            probe.end()
        }
        // WHEN it sends them THEN it is opened again with the reason, and never said to stream
        probe.go()
        #expect(probe.wait(for: "R imu lost") != nil)
        let isTold = probe.wait { _ in probe.status("imu")?.contains("sent no usable sample for") == true ? true : nil }
        #expect(isTold == true)
        #expect(probe.wait(for: "R imu streaming", seconds: 0) == nil && probe.inertial.isEmpty)
    }

    @Test func everySourceAbsentAtFirstIsTakenUpWhenItAppears() throws {
        let probe = try ProbeProcess(Self.quick)
        defer { probe.end() }
        // GIVEN a machine without any IIO device
        probe.go()
        #expect(probe.wait(for: "R imu absent") != nil)
        #expect(probe.status("imu")?.contains("check that the sensor's driver is loaded") == true)
        // WHEN a device appears whose attributes are wrong at first, and are then corrected
        let device = try EmulatedDevice.imu(root: probe.root, attributes: ["in_anglvel_scale": "nan"])
        #expect(
            probe.wait { _ in
                probe.status("imu")?.contains("'scale' of channel 'anglvel_x' is 'nan'") == true ? true : nil
            } == true)
        try "0.001\n".write(toFile: "\(device.folder)/in_anglvel_scale", atomically: false, encoding: .utf8)
        // THEN it is used
        #expect(probe.wait(for: "R imu waiting") != nil)
        device.feed([1, 2, 3, 1000, 5, 6, monotonicNanoseconds()])
        _ = probe.wait { _ in probe.inertial.isEmpty ? nil : true }
        #expect(probe.inertial.first?.values.first == 1)
    }

    @Test func aDeviceThatComesLateOrAgainIsUsedByTheUsualLimits() throws {
        // GIVEN a machine without any IIO device, and the limits of a daemon
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"])
        defer { probe.end() }
        let device = try EmulatedDevice.imu(root: probe.root)
        device.unplug()
        probe.go()
        #expect(probe.wait(for: "R imu absent") != nil)
        for round in 0..<2 {
            // WHEN a device comes and sends, for the first time or after it was unplugged
            let before = probe.count
            let feeder = DeviceFeeder(device)
            defer { feeder.end() }
            let time = NapClock.seconds {
                device.replug()
                #expect(probe.wait(for: "R imu streaming", skipping: before) != nil, "round \(round)")
            }
            // THEN it streams within 2 s
            #expect(time <= 2, "round \(round)")
            feeder.pause(true)
            device.unplug()
            #expect(probe.wait(for: "R imu lost", skipping: before) != nil, "round \(round)")
            let isMissed = probe.wait { _ in
                probe.status("imu")?.contains("no IIO device with a gyro") == true ? true : nil
            }
            #expect(isMissed == true, "round \(round)")
        }
    }

    /// A device with these buffered channels of 16 bits and time stamps.
    private static func device(_ probe: ProbeProcess, _ number: Int, _ name: String, _ axes: [String]) throws
        -> EmulatedDevice
    {
        var attributes = ["current_timestamp_clock": "realtime"]
        for (quantity, scale) in [("accel", "0.000598"), ("anglvel", "0.001"), ("magn", "0.0015")]
        where axes.contains("\(quantity)_x") {
            attributes["in_\(quantity)_scale"] = scale
        }
        return try EmulatedDevice(
            root: probe.root, number: number, name: name,
            channels: axes.map { .init(name: $0, type: "le:s16/16>>0") } + [EmulatedDevice.stamp],
            attributes: attributes)
    }

    @Test func anIMUThatComesLateIsUsedBesideOtherDevices() throws {
        // GIVEN an accelerometer and a magnetometer in use, and no gyro
        let probe = try ProbeProcess(["local:", "barometer=off"] + ProbeProcess.patient)
        defer { probe.end() }
        let compassAxes = ["magn_x", "magn_y", "magn_z"]
        _ = try Self.device(probe, 0, "tilt", EmulatedDevice.accelerometerAxes)
        _ = try Self.device(probe, 1, "compass", compassAxes)
        let nine = try Self.device(
            probe, 2, "nine", EmulatedDevice.accelerometerAxes + EmulatedDevice.gyroAxes + compassAxes)
        nine.unplug()
        probe.go()
        #expect(probe.wait(for: "R magnetometer waiting") != nil)
        let isAlone = probe.wait { _ in
            probe.status("imu")?.contains("no IIO device with a gyro") == true ? true : nil
        }
        #expect(isAlone == true)
        // WHEN an IMU with a magnetometer of its own is plugged in
        let before = probe.count
        nine.replug()
        // THEN it gives gyro and accelerometer, and the other magnetometer stays in use
        #expect(probe.wait(for: "R imu waiting", skipping: before) != nil)
        var scan: [UInt8] = []
        for value in [1, 2, 3, 1000, 5, 6, 0, 0] as [Int16] { withUnsafeBytes(of: value) { scan += $0 } }
        withUnsafeBytes(of: monotonicNanoseconds()) { scan += $0 }
        nine.feed(bytes: scan)
        _ = probe.wait { _ in probe.inertial.isEmpty ? nil : true }
        #expect(probe.inertial.first?.values.first == 1)
        #expect(probe.status("imu")?.contains("'nine' (iio:device2)") == true)
        #expect(probe.status("magnetometer")?.contains("'compass' (iio:device1)") == true)
    }

    @Test func aMessageOfUdevOpensADeviceAtOnce() throws {
        // GIVEN a device that cannot be opened yet, and a next attempt only after a minute
        let probe = try ProbeProcess(Self.quick + ["backoff=60"])
        defer { probe.end() }
        let device = try EmulatedDevice.imu(root: probe.root, attributes: ["in_anglvel_scale": "nan"])
        probe.go()
        let isRefused = probe.wait { _ in
            probe.status("imu")?.contains("'scale' of channel 'anglvel_x' is 'nan'") == true ? true : nil
        }
        #expect(isRefused == true)
        // WHEN it can be opened, and the list of the devices is the same
        try "0.001\n".write(toFile: "\(device.folder)/in_anglvel_scale", atomically: false, encoding: .utf8)
        let before = probe.count
        #expect(probe.lacks("R imu waiting", skipping: before, seconds: 2))
        // THEN a message about another device changes nothing, and one about an IIO device opens it
        try probe.sendDeviceEvent("add@/devices/x\0ACTION=add\0SUBSYSTEM=usb\0")
        #expect(probe.lacks("R imu waiting", skipping: before, seconds: 1))
        try probe.sendDeviceEvent("add@/devices/iio:device0\0ACTION=add\0SUBSYSTEM=iio\0")
        #expect(probe.wait(for: "R imu waiting", skipping: before) != nil)
    }

    @Test func aBrokenScanStartsTheCaptureAnew() throws {
        // GIVEN a capture that nothing but a broken scan ends
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off"] + ProbeProcess.patient)
        let device = try EmulatedDevice.imu(root: probe.root)
        defer { probe.end() }
        probe.go()
        #expect(probe.wait(for: "R imu waiting") != nil)
        // WHEN half a scan arrives, as when the layout changes during capture
        device.feed(bytes: [1, 2, 3, 4, 5, 6, 7, 8])
        // THEN the capture is closed and opened again
        let lost = probe.wait(for: "R imu lost")
        #expect(lost != nil)
        #expect(probe.wait(for: "R imu waiting", skipping: lost ?? 0) != nil)
        device.feed([1, 2, 3, 1000, 5, 6, monotonicNanoseconds()])
        #expect(probe.wait(for: "R imu streaming", skipping: lost ?? 0) != nil)
    }
}
