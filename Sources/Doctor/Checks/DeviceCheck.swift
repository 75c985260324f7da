import SensorInterface

extension DoctorFacts {
    /// The selector of a quantity in the settings, and its key.
    func selector(_ role: IMURole) -> (selector: IIODeviceSelector, key: String) {
        switch role {
        case .gyro: (loaded.imu.gyro.device, "imu.gyro_device")
        case .accelerometer: (loaded.imu.accelerometer.device, "imu.accelerometer_device")
        }
    }

    /// The devices that measure a quantity and that the settings select.
    func candidates(_ role: IMURole) -> [IMUFacts] {
        let selector = selector(role).selector
        return (devices ?? []).filter { $0.measures(role) && $0.matches(selector) }
    }

    /// The devices that posed uses, one of each quantity.
    var usedDevices: [(device: IMUFacts, quantity: IMUFacts.Quantity)] {
        IMURole.allCases.compactMap { role in
            guard let device = candidates(role).first,
                let quantity = device.quantities.first(where: { $0.role == role })
            else { return nil }
            return (device, quantity)
        }
    }
}

extension IMUFacts {
    /// Whether a selector of the settings means this device.
    func matches(_ selector: IIODeviceSelector) -> Bool {
        switch selector {
        case .automatic: true
        case .off: false
        case .serial(let text): serial == text
        case .name(let text): name == text
        case .label(let text): label == text
        case .id(let text): id == text
        }
    }
}

extension Check {
    /// The IMU.
    static let device = Check(area: .device, needs: [.settings]) { facts in
        if let reason = facts.reasonWithoutIMU { return .notChecked(reason) }
        if let remote = facts.remoteContext { return judge(remote, facts) }
        if facts.kernel?.hasIIO == false { return .before(.kernel) }
        guard let devices = facts.devices else { return .notChecked("not checked: reading /sys did not end in time") }
        let wanted = IMURole.allCases.filter { facts.selector($0).selector != .off }
        guard devices.contains(where: { device in wanted.contains { device.measures($0) } }) else {
            return .found([
                Finding(
                    .deviceNone, "there is no IMU: connect one, and load its driver",
                    .look("ls /sys/bus/iio/devices; sudo dmesg | grep -i -e iio -e imu -e i2c"))
            ])
        }
        let findings = wanted.compactMap { judge($0, facts) }
        let names = facts.usedDevices.map(\.device.title)
        return .of(findings, otherwise: "IMU \(names.first ?? "")" + (Set(names).count > 1 ? " and \(names[1])" : ""))
    }

    private static func judge(_ role: IMURole, _ facts: DoctorFacts) -> Finding? {
        let (selector, key) = facts.selector(role)
        let all = (facts.devices ?? []).filter { $0.measures(role) }
        let titles = all.map(\.title).joined(separator: ", ")
        guard let first = all.first else {
            let other = role == .gyro ? "an accelerometer and no gyro" : "a gyro and no accelerometer"
            let found = facts.devices?.first { !$0.quantities.isEmpty }?.title ?? "the IMU"
            return Finding(
                role == .gyro ? .deviceNoGyro : .deviceNoAccelerometer,
                "\(found): there is \(other): the attitude needs both",
                .look("ls /sys/bus/iio/devices; sudo dmesg | grep -i iio"))
        }
        let found = facts.candidates(role)
        if found.isEmpty {
            return Finding(
                .deviceUnknown, "\(key) is \(selector), and there is \(titles)",
                .run(SettingsEdit(facts).command(key, "name:\(first.name)")))
        }
        guard selector == .automatic, found.count > 1 else { return nil }
        // Two devices of one name are told apart by their label or id.
        let isUnique = found.count { $0.name == first.name } == 1
        let choice = isUnique ? "name:\(first.name)" : first.label.map { "label:\($0)" } ?? "id:\(first.id)"
        return Finding(
            .deviceSeveral, "\(found.count) devices have a \(role.rawValue), and \(key) chooses none: \(titles)",
            .run(SettingsEdit(facts).command(key, choice)))
    }

    private static func judge(_ remote: RemoteFacts, _ facts: DoctorFacts) -> Verdict {
        guard let problem = remote.problem else {
            guard facts.isKept(from: remote.host, kind: "imu") else { return .passed("iiod answers at \(remote.host)") }
            return .found([
                Finding(
                    .deviceUnreached,
                    "iiod at \(remote.host) answers, and posed has no IMU: its unit keeps it from "
                        + "other machines", .run(DoctorFacts.openNetwork))
            ])
        }
        let isHere = DoctorFacts.isHere(remote.host)
        let start = "sudo systemctl start iiod"
        return .found([
            Finding(
                .deviceRemote, "no iiod at \(remote.host) port \(remote.port) (imu.context): \(problem)",
                .run(isHere ? start : "ssh \(Shell.word(remote.host)) \(start)"))
        ])
    }
}
