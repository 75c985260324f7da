import Configuration
import SensorInterface
import Testing

@testable import Doctor

/// Which devices the checks look at, and what is said of the folder of the saved state.
@Suite struct UsedDeviceTests {
    private func findings(_ change: (inout DoctorFacts) -> Void) -> [Finding] {
        var facts = Machine.healthy
        change(&facts)
        return DoctorReport(judging: facts).findings
    }

    @Test func aDeviceWithoutABufferNeedsNoNode() {
        // GIVEN a device without a buffer, which has no node either THEN only the buffer is missing
        let found = findings { facts in
            facts.devices?[0].hasBuffer = false
            facts.devices?[0].node = nil
        }
        #expect(found.map(\.fault) == [.triggerNoBuffer])
        #expect(found.first?.remedy == .look("sudo dmesg | grep -i bmi160"))
        // AND with one, a node that is missing is told
        #expect(findings { $0.devices?[0].node = nil }.map(\.fault) == [.permissionsNoNode])
    }

    @Test func aSensorThatIsOffIsNotJudged() throws {
        // GIVEN a gyro with a range that is too small THEN that is told, and not where the settings turn it off
        let gyro = try #require(IMURole.allCases.firstIndex(of: .gyro))
        func found(_ selector: IIODeviceSelector) -> [Fault] {
            findings { facts in
                facts.devices?[0].quantities[gyro].scale?.text = "0.000001"
                facts.settings.loaded?.settings.imu.gyro.device = selector
            }.map(\.fault)
        }
        #expect(found(.automatic) == [.rangeSmall] && found(.name("bmi160")) == [.rangeSmall])
        #expect(found(.off) == [])
        // AND one that only another device has is looked for there
        #expect(found(.name("mpu6050")) == [.deviceUnknown] && found(.label("front")) == [.deviceUnknown])
    }

    @Test func everyDeviceThatIsUsedIsToldOnce() {
        // GIVEN one device for both quantities, and one for each THEN the line of the device names it, or both
        func isTold(_ text: String, _ devices: [IMUFacts]) -> Bool {
            var facts = Machine.healthy
            facts.devices = devices
            return DoctorReport(judging: facts).entries.first { $0.area == .device }?.verdict == .passed(text)
        }
        #expect(isTold("IMU 'bmi160' (iio:device0)", [Machine.imu()]))
        let two = zip(0..., IMURole.allCases).map { Machine.imu($0, [$1]) }
        #expect(isTold("IMU 'bmi160' (iio:device0) and 'bmi160' (iio:device1)", two))
    }

    @Test func aSelectorMeansOneDevice() {
        var device = Machine.imu(3)
        (device.serial, device.label) = ("A17", "front")
        for (selector, isMeant) in [
            (.automatic, true), (.off, false), (.serial("A17"), true), (.serial("A18"), false), (.name("bmi160"), true),
            (.name("bmi16"), false), (.label("front"), true), (.label("rear"), false), (.id("iio:device3"), true),
            (.id("iio:device0"), false),
        ] as [(IIODeviceSelector, Bool)] {
            #expect(device.matches(selector) == isMeant, "\(selector)")
        }
    }

    @Test func aRateThatTheDeviceHasIsTheOneThatCounts() throws {
        // GIVEN 100 Hz wanted of a device that has it, and a filter that ends at 50 Hz THEN nothing is folded
        let place = try #require(IMURole.allCases.firstIndex(of: .gyro))
        for (cutOff, isFound) in [("50", false), ("51", true), ("99", true)] {
            let faults = findings { facts in
                facts.settings.loaded?.settings.imu.gyro.rateHertz = 100
                facts.devices?[0].quantities[place].lowPass = ("/f", cutOff)
            }.map(\.fault)
            #expect(faults == (isFound ? [.rateFilter] : []), "\(cutOff)")
        }
    }

    @Test func aDiskForReadingOnlyIsMountedAgain() {
        let found = findings { $0.state.isReadOnly = true }
        #expect(found.map(\.fault) == [.stateUnwritable])
        #expect(found.first?.text == "/var/lib/posed: its disk is mounted for reading only")
        #expect(
            found.first?.remedy == .run("sudo mount -o remount,rw \"$(df --output=target /var/lib/posed | tail -1)\""))
        // AND without a folder nothing is wrong, because nothing is saved
        #expect(findings { ($0.state.path, $0.state.isReadOnly) = (nil, true) } == [])
    }
}
