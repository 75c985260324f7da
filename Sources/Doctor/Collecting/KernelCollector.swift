import Files
import SensorInterface

/// Reads what the kernel shows of itself and of IIO devices.
struct KernelCollector {
    let files: SystemFiles

    private static let devices = "/sys/bus/iio/devices"
    /// Most devices that are examined.
    private static let deviceLimit = 32
    /// Longest list of modules that is read, bytes: that of Debian has 600 kB.
    private static let moduleListLimit = 1 << 22

    func kernel() -> KernelFacts {
        var facts = KernelFacts()
        facts.sysfs = files.path("/sys")
        facts.hasIIO = files.exists("/sys/bus/iio")
        facts.hasSoftwareTriggers = files.exists("/sys/kernel/config/iio/triggers/hrtimer")
        facts.hasTriggerModule = hasTriggerModule
        facts.triggers = files.entries(Self.devices).filter { $0.hasPrefix("trigger") }.compactMap {
            files.text("\(Self.devices)/\($0)/name")
        }
        let clock = "/sys/devices/system/clocksource/clocksource0"
        facts.clockSource = files.text("\(clock)/current_clocksource")
        facts.clockSources = words(files.text("\(clock)/available_clocksource") ?? "")
        // The kernel keeps the first 15 bytes of a program's name.
        facts.proxyProcess = files.processes(named: "iio-sensor-prox").first
        return facts
    }

    /// Whether the lists of the kernel's modules name that of the timer triggers.
    private var hasTriggerModule: Bool {
        guard let release = files.text("/proc/sys/kernel/osrelease"), !release.isEmpty else { return false }
        let module = Array("/iio-trig-hrtimer.ko".utf8)
        return ["modules.dep", "modules.builtin"].contains { name in
            let path = files.path("/lib/modules/\(release)/\(name)")
            return (try? RegularFile(path).bytes(count: Self.moduleListLimit))?.firstRange(of: module) != nil
        }
    }

    func devices() -> [IMUFacts] {
        let ids = files.entries(Self.devices).filter { $0.hasPrefix("iio:device") }
        return ids.sorted { ($0.count, $0) < ($1.count, $1) }.prefix(Self.deviceLimit).map(device)
    }

    private func device(_ id: String) -> IMUFacts {
        let folder = "\(Self.devices)/\(id)"
        var device = IMUFacts(
            id: id, name: files.text("\(folder)/name") ?? id, folder: files.path(folder),
            nodePath: files.path("/dev/\(id)"))
        device.label = files.text("\(folder)/label")
        device.serial = files.text("\(folder)/serial_number") ?? files.text("\(folder)/serial")
        let names = files.entries(folder)
        let elements = files.entries("\(folder)/scan_elements")
        device.hasBuffer = names.contains("buffer") && !elements.isEmpty
        device.takesTrigger = files.exists("\(folder)/trigger/current_trigger")
        device.currentTrigger = files.text("\(folder)/trigger/current_trigger") ?? ""
        device.node = files.facts("/dev/\(id)")
        device.nodeNumbers = files.text("\(folder)/dev")
        device.hasUdev = files.exists("/run/udev/control")
        device.controls = ["buffer/enable", "buffer/length"].compactMap { files.facts("\(folder)/\($0)") }
        device.quantities = IMURole.allCases.compactMap { quantity($0, folder, names, elements) }
        device.hasRule = ["/etc", "/lib", "/usr/lib"].contains { files.exists("\($0)/udev/rules.d/60-posed.rules") }
        return device
    }

    /// The attributes of a quantity; `nil` if the device does not have all three axes.
    private func quantity(
        _ role: IMURole, _ folder: String, _ names: [String], _ elements: [String]
    ) -> IMUFacts.Quantity? {
        let channel = role.channel
        let isComplete = ["x", "y", "z"].allSatisfy { axis in
            names.contains("in_\(channel)_\(axis)_raw") || elements.contains("in_\(channel)_\(axis)_en")
        }
        guard isComplete else { return nil }
        var quantity = IMUFacts.Quantity(role: role)
        quantity.isReadable = ["x", "y", "z"].allSatisfy { names.contains("in_\(channel)_\($0)_raw") }
        quantity.scale = attribute(folder, names, ["in_\(channel)_scale", "in_\(channel)_x_scale"])
        let scales = ["in_\(channel)_scale_available", "in_\(channel)_x_scale_available"]
        quantity.scales = words(attribute(folder, names, scales)?.text ?? "")
        let rates = ["in_\(channel)_sampling_frequency", "sampling_frequency"]
        quantity.rate = attribute(folder, names, rates)
        let available = attribute(folder, names, rates.map { "\($0)_available" })?.text ?? ""
        // A range is written as [least step greatest].
        quantity.rates = words(available).compactMap { IIOText.number($0.filter { $0 != "[" && $0 != "]" }) }
        let filters = ["in_\(channel)_filter_low_pass_3db_frequency", "filter_low_pass_3db_frequency"]
        quantity.lowPass = attribute(folder, names, filters)
        quantity.lowPasses = words(attribute(folder, names, filters.map { "\($0)_available" })?.text ?? "")
        let type = files.text("\(folder)/scan_elements/in_\(channel)_x_type") ?? ""
        // Such as le:s16/16>>0: the significant bits follow the sign.
        let digits = type.drop { $0 != "s" && $0 != "u" }.dropFirst().prefix { $0.isNumber }
        quantity.bits = Int(digits).flatMap { (2...64).contains($0) ? $0 : nil } ?? 16
        return quantity
    }

    private func attribute(_ folder: String, _ names: [String], _ candidates: [String]) -> (path: String, text: String)?
    {
        guard let name = candidates.first(where: { names.contains($0) }) else { return nil }
        return (files.path("\(folder)/\(name)"), files.text("\(folder)/\(name)") ?? "")
    }

    private func words(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }
}
