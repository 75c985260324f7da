import SensorInterface

extension Check {
    /// Access of the daemon to the IMU.
    static let permissions = Check(area: .permissions, needs: [.device]) { facts in
        if let reason = facts.reasonWithoutLocalIMU { return .notChecked(reason) }
        var findings: [Finding?] = []
        for device in devices(facts) {
            if let finding = node(device, facts) {
                findings.append(finding)
            } else {
                findings.append(attributes(device, facts))
            }
        }
        return .of(findings, otherwise: "user \(facts.daemonUser.name) may read the IMU and set it up")
    }

    /// The devices in use, each once.
    private static func devices(_ facts: DoctorFacts) -> [IMUFacts] {
        facts.usedDevices.map(\.device).reduce(into: []) { list, device in
            if !list.contains(where: { $0.id == device.id }) { list.append(device) }
        }
    }

    private static func node(_ device: IMUFacts, _ facts: DoctorFacts) -> Finding? {
        guard device.hasBuffer else { return nil }
        guard let node = device.node else {
            return Finding(
                .permissionsNoNode, "\(device.title) has no device node \(device.nodePath): udev did not make it",
                .run(makeNode(device, facts)))
        }
        guard !facts.daemonUser.may(6, node) else { return nil }
        return Finding(
            .permissionsNode,
            "\(node.path): user \(facts.daemonUser.name) of posed may not read it "
                + "(mode 0\(String(node.mode, radix: 8)), group \(facts.group(node.group)))",
            .run(commands(for: node, device, facts)))
    }

    /// The command that makes the device node. Without udev the kernel's numbers are used, and access is given too.
    private static func makeNode(_ device: IMUFacts, _ facts: DoctorFacts) -> String {
        let numbers = (device.nodeNumbers ?? "").split(separator: ":").compactMap { UInt32($0) }
        guard !device.hasUdev, numbers.count == 2 else {
            return "sudo udevadm trigger --action=add --subsystem-match=iio"
        }
        let make = "sudo mknod -m 660 \(Shell.word(device.nodePath)) c \(numbers[0]) \(numbers[1])"
        let node = FileFacts(path: device.nodePath, mode: 0o660, owner: 0, group: 0)
        return facts.daemonUser.may(6, node) ? make : "\(make) && \(commands(for: node, device, facts))"
    }

    /// What opens the node, and the attributes where these are closed too.
    private static func commands(for node: FileFacts, _ device: IMUFacts, _ facts: DoctorFacts) -> String {
        let first = grant([node], device, facts, recursive: nil)
        guard let second = attributes(device, facts)?.remedy.command, second != first else { return first }
        return "\(first) && \(second)"
    }

    private static func attributes(_ device: IMUFacts, _ facts: DoctorFacts) -> Finding? {
        guard let closed = device.controls.first(where: { !facts.daemonUser.may(2, $0) }) else { return nil }
        return Finding(
            .permissionsAttributes,
            "\(closed.path): user \(facts.daemonUser.name) of posed may not set up \(device.title)",
            .run(grant([closed], device, facts, recursive: device.folder)))
    }

    /// The command that gives the daemon access: its udev rule, its membership, or the group iio on the files.
    private static func grant(
        _ files: [FileFacts], _ device: IMUFacts, _ facts: DoctorFacts, recursive: String?
    ) -> String {
        if device.hasRule { return "sudo udevadm trigger --action=add --subsystem-match=iio" }
        let user = facts.daemonUser
        if let file = files.first, (file.mode >> 3) & 6 == 6, file.group != 0 {
            let restart = facts.isManaged ? " && sudo systemctl restart posed" : ""
            return "sudo usermod -aG \(facts.group(file.group)) \(user.name)\(restart)"
        }
        let target = Shell.word(recursive.map { "\($0)/" } ?? files.first?.path ?? "")
        let flag = recursive == nil ? "" : "-R "
        let iio = facts.groupNames.first { $0.value == "iio" && user.groups.contains($0.key) }
        if iio != nil { return "sudo chgrp \(flag)iio \(target) && sudo chmod \(flag)g+rwX \(target)" }
        return "sudo chown \(flag)\(user.name) \(target) && sudo chmod \(flag)u+rwX \(target)"
    }

    /// Buffers and triggers.
    static let trigger = Check(area: .trigger, needs: [.device]) { facts in
        if let reason = facts.reasonWithoutLocalIMU { return .notChecked(reason) }
        var findings: [Finding?] = []
        let names = facts.kernel?.triggers ?? []
        if let wanted = facts.loaded.imu.triggerName {
            guard names.contains(wanted) else {
                let others = names.isEmpty ? "there is none" : "there is \(names.joined(separator: ", "))"
                return .found([
                    Finding(
                        .triggerUnknown, "imu.trigger is \(wanted), and \(others)",
                        .run(SettingsEdit(facts).command("imu.trigger", names.first ?? "null")))
                ])
            }
        }
        for device in devices(facts) {
            if !device.hasBuffer {
                findings.append(
                    Finding(
                        .triggerNoBuffer, "\(device.title) has no buffer: single readings, late and uneven",
                        look(at: device)))
            } else if isWithoutTrigger(device, facts) {
                findings.append(missingTrigger(device, facts))
            }
        }
        return .of(findings, otherwise: "the IMU has a buffer and what triggers it")
    }

    private static func isWithoutTrigger(_ device: IMUFacts, _ facts: DoctorFacts) -> Bool {
        guard device.takesTrigger, device.currentTrigger.isEmpty, facts.loaded.imu.triggerName == nil else {
            return false
        }
        return !(facts.kernel?.triggers ?? []).contains {
            $0.hasPrefix("\(device.name)-dev") || $0 == IIOSettings.softwareTriggerName
        }
    }

    /// Whether a driver has made a trigger for its device: its name ends with `-dev` and a number.
    private static func isOfADriver(_ trigger: String) -> Bool {
        let digits = trigger.reversed().prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && trigger.dropLast(digits.count).hasSuffix("-dev")
    }

    /// A device with a buffer that nothing fills. posed reads its single readings then, if the driver has them.
    private static func missingTrigger(_ device: IMUFacts, _ facts: DoctorFacts) -> Finding {
        let remedy = makeTrigger(facts).map { Remedy.run($0) } ?? look(at: device)
        let used = facts.usedDevices.filter { $0.device.id == device.id }
        guard used.allSatisfy(\.quantity.isReadable), facts.daemon.status?.streaming.contains("imu") ?? true else {
            return Finding(
                .triggerMissing, "\(device.title) has a buffer and no trigger: it gives no samples", remedy)
        }
        return Finding(
            .triggerSingle, "\(device.title) has a buffer and no trigger: single readings, at most 100 per s", remedy)
    }

    /// What the kernel says of a device.
    private static func look(at device: IMUFacts) -> Remedy {
        .look("sudo dmesg | grep -i \(Shell.word(device.name))")
    }

    /// The command that gives a trigger; `nil` where the kernel has none and can make none.
    private static func makeTrigger(_ facts: DoctorFacts) -> String? {
        // A driver's trigger, such as gyro_3d-dev1, beats for its own device only.
        if let existing = facts.kernel?.triggers.first(where: { !isOfADriver($0) }) {
            return SettingsEdit(facts).command("imu.trigger", existing)
        }
        let isPossible = facts.kernel?.hasSoftwareTriggers == true
        guard isPossible || facts.kernel?.hasTriggerModule == true else { return nil }
        // The unit makes it at each start of the machine.
        if facts.hasSystemd {
            let restart = facts.restart().map { " && \($0)" } ?? ""
            return "sudo systemctl enable --now posed-trigger\(restart)"
        }
        let load = isPossible ? "" : "sudo modprobe iio-trig-hrtimer && "
        return load + "sudo mkdir -p /sys/kernel/config/iio/triggers/hrtimer/\(IIOSettings.softwareTriggerName)"
    }
}
