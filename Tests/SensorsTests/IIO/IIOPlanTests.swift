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
        #expect(plan.gaps.map(\.isWanted) == [true, false, true])
        #expect(plan.gaps[1].explanation == "turned off in the settings")
        #expect(
            plan.gaps[2].explanation
                == "IIO device 'bma220' (iio:device0, label roof) has no barometer; choose another in the settings")
        let empty = IIOPlan(devices: [], settings: IIOSettings())
        #expect(empty.gaps.count == 4 && empty.gaps.allSatisfy(\.isWanted))
        #expect(
            empty.gaps[1].explanation
                == "no IIO device with an accelerometer; local: has no devices: check that the driver is loaded")
    }

    @Test func whatIsTurnedOffIsNotWanted() {
        // GIVEN a device with everything, and settings that turn each sensor off in turn THEN that one has no device,
        // and is not wanted
        let channels = axes(.gyro) + axes(.accelerometer) + axes(.magnetometer) + [pressure]
        for (index, role) in IIORoles.each.enumerated() {
            var settings = IIOSettings()
            switch index {
            case 0: settings.gyro.device = .off
            case 1: settings.accelerometer.device = .off
            case 2: settings.magnetometer.device = .off
            default: settings.barometer.device = .off
            }
            let plan = IIOPlan(devices: [device(0, "all", channels)], settings: settings)
            let off = IIOPlan.Gap(role: role, explanation: "turned off in the settings", isWanted: false)
            #expect(plan.gaps == [off])
            let served = plan.assignments.reduce(into: IIORoles()) { $0.insert($1.roles) }
            let all: IIORoles = [.gyro, .accelerometer, .magnetometer, .barometer]
            #expect(served == all.subtracting(role))
        }
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

    @Test func aBufferIsBetterThanOneDeviceAndAName() {
        // GIVEN pairs of gyro and accelerometer that differ in one thing each WHEN devices are chosen THEN a buffer
        // comes before the same device, that before a label, and that before a name; of equal ones the first is taken
        func pair(_ devices: [IIODevice]) -> [String] {
            summary(IIOPlan(devices: devices, settings: IIOSettings()))
        }
        let both = device(0, "x", axes(.gyro, buffered: false) + axes(.accelerometer, buffered: false))
        #expect(
            pair([both, device(1, "g", axes(.gyro)), device(2, "a", axes(.accelerometer))])
                == ["g: gyro", "a: accelerometer"])
        #expect(
            pair([both, device(1, "x", axes(.gyro, buffered: false)), device(2, "a", axes(.accelerometer))])
                == ["x: gyro, polled", "a: accelerometer"])
        let gyro = device(0, "lsm_gyro", label: "roof", axes(.gyro))
        let six = device(1, "abc", axes(.gyro) + axes(.accelerometer))
        #expect(
            pair([gyro, device(2, "lsm_accel", label: "roof", axes(.accelerometer)), six]) == [
                "abc: gyro and accelerometer"
            ])
        let named = device(1, "lsm_gyro", label: "base", axes(.accelerometer))
        let labelled = device(2, "other", label: "roof", axes(.accelerometer))
        #expect(pair([gyro, named, labelled]) == ["lsm_gyro: gyro", "other: accelerometer"])
        #expect(
            pair([gyro, device(1, "xy", axes(.accelerometer)), device(2, "lsm", axes(.accelerometer))]) == [
                "lsm_gyro: gyro", "lsm: accelerometer",
            ])
        #expect(
            pair([gyro, device(1, "k", axes(.accelerometer)), device(2, "m", axes(.accelerometer))]) == [
                "lsm_gyro: gyro", "k: accelerometer",
            ])
    }

    @Test func aSelectorIsForASensorThatTheDeviceHas() {
        // GIVEN a barometer that the settings name by the name of an IMU THEN it is not taken from there
        var settings = IIOSettings()
        settings.barometer.device = .name("six")
        let devices = [device(0, "six", axes(.gyro) + axes(.accelerometer)), device(1, "air", [pressure])]
        let plan = IIOPlan(devices: devices, settings: settings)
        #expect(summary(plan) == ["six: gyro and accelerometer"])
        #expect(plan.gaps.map(\.role) == [.magnetometer, .barometer])
        // AND a sensor of the device in use is preferred to one of another
        let nine = device(1, "nine", axes(.gyro) + axes(.accelerometer) + axes(.magnetometer) + [pressure])
        #expect(
            summary(IIOPlan(devices: [device(0, "air", [pressure]), nine], settings: IIOSettings()))
                == ["nine: gyro and accelerometer and magnetometer", "air: barometer, polled"])
    }
}

/// What is done when devices come and go while others are in use.
@Suite struct IIOPlanStepTests {
    private static let nine = device(3, "mpu9250", axes(.gyro) + axes(.accelerometer) + axes(.magnetometer))
    private static let six = device(1, "bmi160", axes(.gyro) + axes(.accelerometer))
    private static let compass = device(0, "hmc5883l", axes(.magnetometer))
    private static let tilt = device(2, "lis3dh", axes(.accelerometer))

    private static func plan(_ devices: [IIODevice]) -> IIOPlan { IIOPlan(devices: devices, settings: IIOSettings()) }

    private static func use(_ device: IIODevice, _ roles: IIORoles, isBuffered: Bool = true) -> IIOPlan.Assignment {
        IIOPlan.Assignment(device: device, roles: roles, isBuffered: isBuffered)
    }

    @Test func withNothingInUseThePlanIsStarted() {
        let plan = Self.plan([Self.compass, Self.six])
        #expect(plan.step(beside: []) == IIOPlan.Step(starts: plan.assignments, ends: []))
        // AND nothing more is done when all of it is in use
        #expect(plan.step(beside: plan.assignments) == IIOPlan.Step())
    }

    @Test func anIMUThatComesLaterIsUsedBesideAMagnetometer() {
        // GIVEN a magnetometer in use WHEN an IMU with a magnetometer of its own is plugged in, or again THEN it gives
        // gyro and accelerometer, and the magnetometer stays
        let plan = Self.plan([Self.compass, Self.nine])
        #expect(plan.assignments == [Self.use(Self.nine, [.inertial, .magnetometer])])
        let step = plan.step(beside: [Self.use(Self.compass, .magnetometer)])
        #expect(step == IIOPlan.Step(starts: [Self.use(Self.nine, .inertial)], ends: []))
        // AND when that magnetometer is gone, the IMU keeps what it gives until it is opened again
        let left = Self.plan([Self.nine]).step(beside: [Self.use(Self.nine, .inertial)])
        #expect(left == IIOPlan.Step())
    }

    @Test func anAccelerometerAloneGivesWayToAnIMU() {
        // GIVEN the accelerometer of a board in use, because there is no gyro WHEN an IMU comes THEN the accelerometer
        // ends first, and the IMU is used as a whole
        let plan = Self.plan([Self.compass, Self.tilt, Self.six])
        let (alone, field) = (Self.use(Self.tilt, .accelerometer), Self.use(Self.compass, .magnetometer))
        #expect(plan.step(beside: [alone, field]) == IIOPlan.Step(starts: [], ends: [alone]))
        #expect(plan.step(beside: [field]) == IIOPlan.Step(starts: [Self.use(Self.six, .inertial)], ends: []))
        // AND what else its chip gives comes back afterwards
        let both = device(2, "fxos8700", axes(.accelerometer) + axes(.magnetometer))
        let other = Self.plan([both, Self.six])
        let used = Self.use(both, [.accelerometer, .magnetometer])
        #expect(other.step(beside: [used]) == IIOPlan.Step(starts: [], ends: [used]))
        #expect(
            other.step(beside: [])
                == IIOPlan.Step(starts: [Self.use(Self.six, .inertial), Self.use(both, .magnetometer)], ends: []))
    }

    @Test func aSensorThatBelongsToThePairStays() {
        // GIVEN the accelerometer of a chip with two devices in use WHEN its gyro comes later THEN only that is started
        let accelerometer = device(4, "lsm6ds3_accel", axes(.accelerometer))
        let gyro = device(5, "lsm6ds3_gyro", axes(.gyro))
        let step = Self.plan([accelerometer, gyro]).step(beside: [Self.use(accelerometer, .accelerometer)])
        #expect(step == IIOPlan.Step(starts: [Self.use(gyro, .gyro)], ends: []))
        // AND a pair in use stays when one device with both comes
        let pair = [Self.use(gyro, .gyro), Self.use(accelerometer, .accelerometer)]
        #expect(Self.plan([accelerometer, gyro, Self.six]).step(beside: pair) == IIOPlan.Step())
        // AND without a gyro anywhere another accelerometer does not replace the one in use
        let first = Self.plan([Self.tilt, accelerometer])
        #expect(first.assignments == [Self.use(Self.tilt, .accelerometer)])
        #expect(first.step(beside: [Self.use(accelerometer, .accelerometer)]) == IIOPlan.Step())
    }

    @Test func singleReadingsDoNotKeepADeviceFromItsBuffer() {
        // GIVEN the barometer of an IMU in use by single readings WHEN its gyro and accelerometer can be used THEN they
        // are started
        let ten = device(0, "ten", axes(.gyro) + axes(.accelerometer) + [pressure])
        let step = Self.plan([ten]).step(beside: [Self.use(ten, .barometer, isBuffered: false)])
        #expect(step == IIOPlan.Step(starts: [Self.use(ten, .inertial)], ends: []))
    }
}
