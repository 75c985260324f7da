import SensorInterface

extension Check {
    /// Time after a start in which alignment is normal, seconds.
    private static let alignmentSeconds = 180.0
    /// Age of a fix on arrival from which it is late, seconds: as the daemon reports it.
    private static let lateSeconds = 2.0

    /// The estimate, as the daemon reports it.
    static let filter = Check(area: .filter, needs: [.daemon]) { facts in
        guard let status = facts.daemon.status else { return .notChecked("not checked: the daemon does not answer") }
        var findings = receiver(status, facts) + inertial(status, facts)
        if status.lost > 0 {
            findings.append(
                Finding(
                    .filterLost, "\(status.lost) measurements or frames were lost: this machine is too busy",
                    .look("top -H -b -n 1 -p \(facts.daemon.process.map(String.init) ?? "$(pidof posed)")")))
        }
        let isFed = status.streaming.contains { $0.hasPrefix("gps") } && status.streaming.contains("imu")
        if findings.isEmpty, isFed, status.uptimeSeconds > alignmentSeconds, status.poseState != "aligned" {
            if lacksFix(facts) { return .before(.fix) }
            let why = status.why.first ?? "drive some hundred metres with bends"
            findings.append(
                Finding(
                    .filterUnaligned,
                    "the pose is \(status.poseState) after \(Int(min(status.uptimeSeconds, 1e9))) s: \(why)",
                    .look("posectl monitor")))
        }
        guard findings.isEmpty else { return .found(findings) }
        guard isFed || status.poseState == "aligned" else {
            return .notChecked("not checked: the pose is \(status.poseState), without a receiver or an IMU")
        }
        return .passed("the pose is \(status.poseState)")
    }

    /// Whether gpsd or the receiver has a fault that is told by itself, and without which the pose may be aligned.
    private static func lacksFix(_ facts: DoctorFacts) -> Bool {
        let verdict = gpsd.judge(facts)
        if case .notChecked = verdict { return false }
        return verdict.hasFailed || fix.judge(facts).hasFailed
    }

    private static func receiver(_ status: DaemonStatus, _ facts: DoctorFacts) -> [Finding] {
        var findings: [Finding] = []
        if status.receiver != "trusted" {
            let why = status.why.first { $0.contains("receiver") } ?? "the receiver is \(status.receiver)"
            findings.append(Finding(.filterReceiver, why, facts.lookAtReceiver("gpspipe -w -n 20")))
        }
        if status.latenessSeconds > lateSeconds {
            let seconds = Int(min(status.latenessSeconds, 1e9))
            findings.append(
                Finding(
                    .filterLate, "the receiver's fixes arrive \(seconds) s late: its connection is too slow",
                    facts.lookAtReceiver("gpspipe -w -n 20")))
        }
        return findings
    }

    private static func inertial(_ status: DaemonStatus, _ facts: DoctorFacts) -> [Finding] {
        var findings: [Finding] = []
        if let clipped = status.imuFaults.first(where: { $0.hasSuffix("Clipped") }) {
            findings.append(
                Finding(
                    .filterSaturated, "the IMU is saturated (\(clipped)): choose a larger range, or a softer mount",
                    wider(clipped == "gyroClipped" ? .gyro : .accelerometer, facts)))
        }
        if status.imuFaults.contains(where: { $0.hasSuffix("Stuck") }) {
            let names = status.imuFaults.joined(separator: ", ")
            findings.append(
                Finding(
                    .filterStuck, "the IMU repeats a reading (\(names)): its cable or its driver fails",
                    .look("sudo dmesg | grep -i iio")))
        }
        if let state = status.magnetometer, state == "disturbed" || state == "implausible" {
            findings.append(
                Finding(
                    .filterMagnetometer, "the magnetometer's field is \(state): iron or a current is near",
                    .run(SettingsEdit(facts).command("imu.magnetometer_device", "off"))))
        }
        if let why = status.why.first(where: { $0.contains("fusion.sensor_to_body") && $0.contains("contradicts") }) {
            findings.append(
                Finding(.filterMount, why, .run(SettingsEdit(facts).command("fusion.sensor_to_body", "null"))))
        }
        return findings
    }

    /// The next wider range of a quantity.
    private static func wider(_ role: IMURole, _ facts: DoctorFacts) -> Remedy {
        guard let used = facts.usedDevices.first(where: { $0.quantity.role == role }),
            let scale = used.quantity.scale.flatMap({ IIOText.number($0.text) })
        else { return .look("posectl status") }
        return widen(used.device, used.quantity, 1, scale * 1.01)
    }
}
