import Foundation
import Testing

/// Single readings in place of a buffer that delivers nothing: the normal case without a trigger.
@Suite(.serialized, .enabled(if: isEmulationInstalled, "umockdev is not installed"))
struct IIOPollingFallbackTests {
    private static let readings = Dictionary(
        uniqueKeysWithValues: (EmulatedDevice.accelerometerAxes + EmulatedDevice.gyroAxes).enumerated().map {
            ("in_\($1)_raw", "\(100 + $0)")
        })

    @Test func singleReadingsReplaceASilentBuffer() throws {
        // GIVEN a device whose buffer never delivers, and whose channels can be read
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off", "rate=100", "stuck=0"])
        let device = try EmulatedDevice.imu(root: probe.root, attributes: Self.readings)
        defer { probe.end() }
        let start = monotonicNanoseconds()
        // WHEN 2 s pass
        let began = NapClock.seconds {
            probe.go()
            #expect(probe.wait(for: "R imu streaming") != nil)
        }
        let passed = Double(monotonicNanoseconds() - start) * 1e-9
        _ = probe.wait { _ in probe.inertial.count >= 100 ? true : nil }
        // THEN single readings come with the values of the driver, on a grid of 10 ms, and the buffer is off
        #expect(passed > 2 && began < 3.5, "\(passed) \(began)")
        let got = probe.inertial
        try #require(got.count >= 100)
        let (a, w) = (0.000598, 0.001065)
        #expect(got.first?.values == [103 * w, 104 * w, 105 * w, 100 * a, 101 * a, 102 * a])
        let steps = zip(got, got.dropFirst()).map { Double($1.time - $0.time) * 1e-6 }.sorted()
        // A quarter: a machine with other work delays many readings, each of which changes two steps.
        #expect(steps.count { abs($0 - 10) < 0.5 } >= steps.count / 4, "\(steps)")
        #expect(device.attribute("buffer/enable") == "0")
        // and status says why, and what helps
        let status = probe.status("imu") ?? ""
        let silence = status.firstMatch(of: /single readings, because its buffer delivered nothing for ([0-9.]+) s/)
        #expect((silence.flatMap { Double($0.1) } ?? 0) >= 2, "\(status)")
        // WHEN the device goes and comes back with a buffer that delivers; THEN the buffer is used again
        let before = probe.count
        device.unplug()
        #expect(probe.wait(for: "R imu lost", skipping: before) != nil)
        device.replug()
        let back = probe.wait(for: "R imu waiting", skipping: before)
        for k in 0..<20 { device.feed([Int64(k), 2, 3, 4, 5, 6, monotonicNanoseconds()]) }
        #expect(probe.wait(for: "R imu streaming", skipping: back ?? 0) != nil)
        #expect(probe.status("imu")?.contains("single readings") == false)
    }

    @Test func theRateIsThatOfTheReadings() throws {
        // GIVEN an IMU without a buffer that is read every two and a half seconds
        let probe = try ProbeProcess(["local:", "magnetometer=off", "barometer=off", "rate=0.4", "stuck=0"])
        defer { probe.end() }
        let scales = ["in_accel_scale": "0.000598", "in_anglvel_scale": "0.001065"]
        _ = try EmulatedDevice(
            root: probe.root, number: 0, name: "fake-imu", channels: [],
            attributes: Self.readings.merging(scales) { $1 })
        probe.go()
        // WHEN it has been read twice THEN the rate in the status is that, not the time between two readings
        var rate = 0.0
        let isTold = NapClock.wait(seconds: 60) {
            usleep(100_000)
            let words = (probe.status("imu") ?? "").split(separator: "|", omittingEmptySubsequences: false)
            rate = words.count > 3 ? Double(words[3]) ?? 0 : 0
            return rate > 0
        }
        // Half a second late on a busy machine is 0.33 Hz, and the time is 2.5.
        #expect(isTold && rate > 0.2 && rate < 0.6, "\(rate) Hz \(probe.status("imu") ?? "")")
    }
}
