import Testing

@testable import SensorInterface
@testable import Sensors

private func axes(_ kind: IIOChannelKind, buffered: Bool = true) -> [IIOChannel] {
    (0..<3).map { (axis: Int) in IIOChannel(id: "\(kind)_\(axis)", kind: kind, axis: axis, isBuffered: buffered) }
}

private func device(
    _ number: Int, _ name: String, label: String? = nil, serial: String? = nil, _ channels: [IIOChannel]
) -> IIODevice {
    IIODevice(id: "iio:device\(number)", name: name, label: label, serial: serial, channels: channels)
}

private let pressure = IIOChannel(id: "pressure", kind: .barometer, axis: nil, isBuffered: false)

private func summary(_ plan: IIOPlan) -> [String] {
    plan.assignments.map { "\($0.device.name): \($0.roles.name)\($0.isBuffered ? "" : ", polled")" }
}

@Suite struct IIOPlanTests {
    @Test func prefersOneDeviceWithBoth() {
        let devices = [
            device(0, "accel_3d", axes(.accelerometer)), device(1, "bmi160", axes(.accelerometer) + axes(.gyro)),
            device(2, "bmp280", [pressure]),
            device(3, "ak8963", axes(.magnetometer)),
        ]
        let plan = IIOPlan(devices: devices, settings: IIOSettings())
        #expect(
            summary(plan) == ["bmi160: gyro and accelerometer", "ak8963: magnetometer", "bmp280: barometer, polled"])
        #expect(plan.gaps.isEmpty)
    }

    @Test func pairsDevicesWithSimilarNames() {
        let devices = [
            device(0, "cros-ec-accel", label: "accel-display", axes(.accelerometer)),
            device(1, "cros-ec-accel", label: "accel-base", axes(.accelerometer)),
            device(2, "lsm6dso_gyro", axes(.gyro)), device(3, "lsm6dso_accel", axes(.accelerometer)),
        ]
        #expect(
            summary(IIOPlan(devices: devices, settings: IIOSettings())) == [
                "lsm6dso_gyro: gyro", "lsm6dso_accel: accelerometer",
            ])
    }

    @Test func selectorsChooseByNameLabelSerialAndId() {
        let devices = [
            device(0, "imu", label: "front", serial: "A1", axes(.gyro) + axes(.accelerometer)),
            device(1, "imu", label: "rear", serial: "B2", axes(.gyro) + axes(.accelerometer)),
        ]
        for (text, id) in [
            ("label:rear", "iio:device1"), ("serial:B2", "iio:device1"), ("id:iio:device1", "iio:device1"),
            ("imu", "iio:device0"),
            ("name:imu", "iio:device0"),
        ] {
            var settings = IIOSettings()
            settings.gyro.device = IIODeviceSelector(text) ?? .off
            settings.accelerometer.device = settings.gyro.device
            let plan = IIOPlan(devices: devices, settings: settings)
            #expect(plan.assignments.map(\.device.id) == [id], "\(text)")
            #expect(plan.assignments.first?.roles == .inertial)
        }
    }

    @Test func unservedRolesHaveAReason() {
        var settings = IIOSettings()
        settings.gyro.device = .name("icm20608")
        settings.magnetometer.device = .off
        settings.barometer.device = .label("roof")
        let plan = IIOPlan(devices: [device(0, "bma220", label: "roof", axes(.accelerometer))], settings: settings)
        #expect(summary(plan) == ["bma220: accelerometer"])
        #expect(
            plan.gaps.map(\.explanation)[0]
                == "no IIO device matches 'name:icm20608' for the gyro; local: has 'bma220' (iio:device0, label roof)")
        #expect(plan.gaps[1].isWanted == false)
        #expect(
            plan.gaps[2].explanation
                == "IIO device 'bma220' (iio:device0, label roof) has no barometer; choose another in the settings")
        let empty = IIOPlan(devices: [], settings: IIOSettings())
        #expect(empty.gaps.count == 4)
        #expect(
            empty.gaps[1].explanation
                == "no IIO device with an accelerometer; local: has no devices: check that the driver is loaded")
    }

    @Test func aDeviceWithAMissingAxisIsNotUsed() {
        let plan = IIOPlan(
            devices: [device(0, "half", Array(axes(.gyro).dropLast()) + axes(.accelerometer))], settings: IIOSettings())
        #expect(summary(plan) == ["half: accelerometer"])
    }

    @Test func oneDeviceWithAllNineAxesIsCapturedOnce() {
        let nine = device(0, "mpu9250", axes(.gyro) + axes(.accelerometer) + axes(.magnetometer))
        let plan = IIOPlan(devices: [device(1, "hmc5883l", axes(.magnetometer)), nine], settings: IIOSettings())
        #expect(summary(plan) == ["mpu9250: gyro and accelerometer and magnetometer"])
    }
}
