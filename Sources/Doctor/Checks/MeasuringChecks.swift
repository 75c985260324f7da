import Glibc
import SensorInterface

extension Check {
    /// Least measuring ranges, m/s2 and rad/s. A pothole gives a vehicle 2 g, and a fast turn 100 deg/s; a stumble
    /// gives a person 4 g, and a turn of the head 500 deg/s. A hundredth is for the rounding of the scales.
    private static func leastRange(_ role: IMURole, isPerson: Bool) -> Double {
        switch role {
        case .accelerometer: 0.99 * 9.80665 * (isPerson ? 4 : 2)
        case .gyro: 0.99 * .pi / 180 * (isPerson ? 500 : 100)
        }
    }

    /// Measuring ranges and scales.
    static let range = Check(area: .range, needs: [.device]) { facts in
        if let reason = facts.reasonWithoutLocalIMU { return .notChecked(reason) }
        let findings = facts.usedDevices.map { range($0.device, $0.quantity, facts) }
        return .of(findings, otherwise: "the measuring ranges are wide enough")
    }

    private static func range(_ device: IMUFacts, _ quantity: IMUFacts.Quantity, _ facts: DoctorFacts) -> Finding? {
        let sensor = quantity.role == .gyro ? facts.loaded.imu.gyro : facts.loaded.imu.accelerometer
        let scale = sensor.scaleOverride?.magnitude ?? quantity.scale.flatMap { IIOText.number($0.text)?.magnitude }
        guard let scale, scale > 0, scale < 1e9 else {
            return Finding(
                .rangeScale, "\(device.title) states no scale of its \(quantity.role.rawValue): its unit is unknown",
                .look("grep . \(Shell.word(device.folder))/in_\(quantity.role.channel)_* | grep scale"))
        }
        let person = !facts.loaded.engine.fusion.profile.traits.isFastened
        let least = leastRange(quantity.role, isPerson: person)
        let counts = pow(2, Double(min(max(quantity.bits, 2), 64) - 1))
        guard scale * counts < least else { return nil }
        let text =
            "\(device.title): the \(quantity.role.rawValue) measures up to "
            + "\(inWords(scale * counts, quantity.role)), and this profile needs \(inWords(least, quantity.role))"
        return Finding(.rangeSmall, text, widen(device, quantity, counts, least))
    }

    /// The command that sets a wider range; the widest where none is wide enough.
    static func widen(
        _ device: IMUFacts, _ quantity: IMUFacts.Quantity, _ counts: Double, _ least: Double
    ) -> Remedy {
        let sorted = quantity.scales.compactMap { text in IIOText.number(text).map { ($0, text) } }
            .sorted { $0.0 < $1.0 }
        guard let choice = sorted.first(where: { $0.0 * counts >= least }), let path = quantity.scale?.path else {
            return .look("grep . \(Shell.word(device.folder))/in_\(quantity.role.channel)_* | grep scale")
        }
        return .run(Shell.write(choice.1, to: path))
    }

    private static func inWords(_ value: Double, _ role: IMURole) -> String {
        role == .gyro
            ? "\(IIOText.short((value * 180 / .pi).rounded())) deg/s"
            : "\(IIOText.short((value * 10).rounded() / 10)) m/s2"
    }

    /// Least sample rate for a pose at full quality, Hz: the attitude filter resolves the vibration of a vehicle.
    private static let leastRateHertz = 50.0

    /// Sample rates and low-pass filters.
    static let rate = Check(area: .rate, needs: [.device]) { facts in
        if let reason = facts.reasonWithoutLocalIMU { return .notChecked(reason) }
        let findings = facts.usedDevices.flatMap { rate($0.device, $0.quantity, facts) }
        return .of(distinct(findings), otherwise: "the sample rates are high enough")
    }

    /// Gyro and accelerometer of one chip may share a file: its fault is one.
    private static func distinct(_ findings: [Finding]) -> [Finding] {
        findings.reduce(into: []) { list, finding in
            if !list.contains(where: { $0.fault == finding.fault && $0.remedy == finding.remedy }) {
                list.append(finding)
            }
        }
    }

    private static func rate(
        _ device: IMUFacts, _ quantity: IMUFacts.Quantity, _ facts: DoctorFacts
    ) -> [Finding] {
        let isGyro = quantity.role == .gyro
        let wanted = isGyro ? facts.loaded.imu.gyro.rateHertz : facts.loaded.imu.accelerometer.rateHertz
        if wanted < leastRateHertz {
            let key = isGyro ? "imu.gyro_rate_hz" : "imu.accelerometer_rate_hz"
            return [
                Finding(
                    .rateLow, "\(key) is \(IIOText.short(wanted)): vibration needs \(IIOText.short(leastRateHertz)) Hz",
                    .run(SettingsEdit(facts).command(key, "200")))
            ]
        }
        // Without the attribute the driver samples by its trigger.
        guard let file = quantity.rate else { return [] }
        guard let current = IIOText.number(file.text), current > 0, current < 1e6 else {
            let choice = quantity.rates.filter { $0 >= leastRateHertz }.min() ?? 100
            return [
                Finding(
                    .rateUnreadable, "\(file.path): the sample rate of \(device.title) cannot be read",
                    .run(Shell.write(IIOText.short(choice), to: file.path)))
            ]
        }
        if let highest = quantity.rates.max(), highest < leastRateHertz {
            return [
                Finding(
                    .rateDevice,
                    "\(device.title) has at most \(IIOText.short(highest)) Hz: vibration needs "
                        + "\(IIOText.short(leastRateHertz)) Hz",
                    .look("cat \(Shell.word(file.path))_available"))
            ]
        }
        return [filter(device, quantity, wanted: wanted, current: current)].compactMap { $0 }
    }

    /// posed sets the rate that the settings ask for, or the next that the device has.
    private static func filter(
        _ device: IMUFacts, _ quantity: IMUFacts.Quantity, wanted: Double, current: Double
    ) -> Finding? {
        guard let file = quantity.lowPass, let cutOff = IIOText.number(file.text), cutOff > 0 else { return nil }
        let rate = quantity.rates.filter { $0 >= wanted }.min() ?? quantity.rates.max() ?? current
        guard cutOff > rate / 2 else { return nil }
        let choices = quantity.lowPasses.compactMap { text in IIOText.number(text).map { ($0, text) } }
        let best = choices.filter { $0.0 > 0 && $0.0 <= rate / 2 }.max { $0.0 < $1.0 }?.1
        return Finding(
            .rateFilter,
            "\(device.title): its low-pass filter ends at \(IIOText.short(cutOff)) Hz, above half of "
                + "\(IIOText.short(rate)) Hz: vibration folds into the readings",
            .run(Shell.write(best ?? IIOText.short(rate / 2), to: file.path)))
    }
}
