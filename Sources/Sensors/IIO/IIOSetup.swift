import CIIO
import Glibc
import SensorInterface

/// Configures a device for capture: rate, trigger and clock. Each value is read back.
struct IIOSetup {
    /// The device.
    let device: OpaquePointer
    /// Its context.
    let context: OpaquePointer
    /// All settings.
    let settings: IIOSettings
    /// Differences from the requested configuration, for the status.
    private(set) var remarks: [String] = []
    /// The trigger in use.
    private(set) var trigger: String?

    init(device: OpaquePointer, context: OpaquePointer, settings: IIOSettings) {
        self.device = device
        self.context = context
        self.settings = settings
    }

    /// Sets the rate of all sensors. Returns the rate that the device reports, or the requested one if it reports none.
    mutating func setRate(of sensors: [IIOSensor]) -> Double {
        let wanted = sensors.map { settings.sensor($0.role).rateHertz }.max() ?? 100
        var actual: Double?
        for sensor in sensors {
            for channel in sensor.channels where iio_channel_find_attr(channel, "sampling_frequency") != nil {
                let requested = settings.sensor(sensor.role).rateHertz
                let rate = setRate(
                    requested, read: { IIOLibrary.text(channel: channel, $0) },
                    write: { IIOLibrary.write(channel: channel, $0, $1) },
                    hasList: iio_channel_find_attr(channel, "sampling_frequency_available") != nil)
                actual = rate.map { max($0, actual ?? 0) } ?? actual
            }
        }
        if actual == nil, iio_device_find_attr(device, "sampling_frequency") != nil {
            let device = device
            actual = setRate(
                wanted, read: { IIOLibrary.text(device, $0) }, write: { IIOLibrary.write(device, $0, $1) },
                hasList: iio_device_find_attr(device, "sampling_frequency_available") != nil)
        }
        guard let actual else { return wanted }
        if !(abs(actual - wanted) <= 0.1 * wanted) {
            remarks.append("requested \(IIOText.short(wanted)) Hz, the device provides \(IIOText.short(actual)) Hz")
        }
        return actual
    }

    private func setRate(
        _ wanted: Double, read: (String) -> Result<String, IIOLibrary.Errno>, write: (String, String) -> Int32,
        hasList: Bool
    ) -> Double? {
        var value = wanted
        if hasList, let text = try? read("sampling_frequency_available").get(), let available = AvailableRates(text) {
            value = available.choice(for: wanted)
        }
        // Some drivers accept only whole numbers; the result is read back below.
        let text = value == value.rounded() ? "\(Int64(value))" : "\(value)"
        if write("sampling_frequency", text) != 0 { _ = write("sampling_frequency", "\(Int64(value.rounded()))") }
        guard let back = try? read("sampling_frequency").get() else { return nil }
        return AvailableRates.plausibleRate(back)
    }

    /// Connects a trigger if the device needs one and has none: the one of the settings, otherwise the device's own,
    /// otherwise that of posed-trigger.service.
    mutating func setTrigger(rateHertz: Double) throws(IIOProblem) {
        let (needsTrigger, current) = Self.connection(of: device)
        guard needsTrigger else { return }
        guard let chosen = chosenTrigger(of: device, connected: current) else {
            if let wanted = settings.triggerName {
                let names = IIOLibrary.triggers(context).compactMap { IIOLibrary.string(iio_device_get_name($0)) }
                    .joined(separator: ", ")
                throw IIOProblem(
                    "there is no trigger '\(wanted)'; available triggers: \(names.isEmpty ? "none" : names)")
            }
            remarks.append("the device has no trigger of its own and none is connected")
            return
        }
        trigger = IIOLibrary.string(iio_device_get_name(chosen))
        if chosen != current {
            let code = -iio_device_set_trigger(device, chosen)
            guard code <= 0 else {
                throw IIOProblem("cannot connect trigger '\(trigger ?? "?")' (\(IIOProblem.text(code)))", code: code)
            }
        }
        guard iio_device_find_attr(chosen, "sampling_frequency") != nil else { return }
        let rate = sharedRate(of: chosen, ownHertz: rateHertz) ?? rateHertz
        if rate > 1.1 * rateHertz {
            remarks.append("its trigger has \(IIOText.short(rate)) Hz for all sensors that use it")
        }
        _ = IIOLibrary.write(chosen, "sampling_frequency", "\(Int64(rate.rounded(.up)))")
    }

    /// Whether a device needs a trigger, and the one that is connected.
    private static func connection(of device: OpaquePointer) -> (needsTrigger: Bool, current: OpaquePointer?) {
        var current: OpaquePointer?
        let state = iio_device_get_trigger(device, &current)
        // The kernel's file is empty while no trigger is connected, which libiio takes for an error of reading (EIO).
        // Any other result: the device needs no trigger and captures by itself.
        return ([0, -ENXIO, -EIO].contains(state), current)
    }

    /// The trigger that a device gets; `nil` if there is none for it.
    private func chosenTrigger(of device: OpaquePointer, connected: OpaquePointer?) -> OpaquePointer? {
        let triggers = IIOLibrary.triggers(context)
        if let wanted = settings.triggerName {
            return triggers.first { IIOLibrary.string(iio_device_get_name($0)) == wanted }
        }
        return connected ?? Self.trigger(of: IIOLibrary.string(iio_device_get_name(device)) ?? "", among: triggers)
    }

    /// The largest rate of the devices that use a trigger, as wanted and as far as each has it; `nil` if no other
    /// device uses it. Each of them sets the same rate, so that it does not matter which one is opened last.
    private func sharedRate(of trigger: OpaquePointer, ownHertz: Double) -> Double? {
        let handles = IIOLibrary.devices(context)
        let devices = handles.map { IIODevice(handle: $0, withAttributes: false) }
        let users = zip(handles, devices).filter { handle, _ in
            let (needsTrigger, current) = Self.connection(of: handle)
            return needsTrigger && chosenTrigger(of: handle, connected: current) == trigger
        }
        let plan = IIOPlan(devices: devices, settings: settings)
        let rates = plan.assignments.filter(\.isBuffered).compactMap { assignment -> Double? in
            guard let user = users.first(where: { $0.1.id == assignment.device.id })?.0 else { return nil }
            guard user != device else { return ownHertz }
            let roles = IIORoles.each.filter { assignment.roles.contains($0) }
            return roles.map { settings.sensor($0).rateHertz }.max().map { Self.offeredRate(of: user, wanted: $0) }
        }
        return rates.count > 1 ? rates.max() : nil
    }

    /// The rate that a device has for a wanted one; the wanted one if it does not list its rates.
    private static func offeredRate(of device: OpaquePointer, wanted: Double) -> Double {
        let list = "sampling_frequency_available"
        let channel = IIOLibrary.channels(device).first { iio_channel_find_attr($0, list) != nil }
        let text = channel.map { IIOLibrary.text(channel: $0, list) } ?? IIOLibrary.text(device, list)
        return (try? text.get()).flatMap(AvailableRates.init)?.choice(for: wanted) ?? wanted
    }

    /// The trigger that the driver of a device has made, otherwise that of posed-trigger.service.
    private static func trigger(of device: String, among triggers: [OpaquePointer]) -> OpaquePointer? {
        let title = { (trigger: OpaquePointer) in IIOLibrary.string(iio_device_get_name(trigger)) ?? "" }
        return triggers.first { title($0).hasPrefix("\(device)-dev") }
            ?? triggers.first { title($0) == IIOSettings.softwareTriggerName }
    }

    /// Requests CLOCK_MONOTONIC for time stamps. Returns the clock that the device then reports.
    mutating func setClock(hasTimestamps: Bool) -> StampClock {
        guard hasTimestamps else {
            remarks.append("no time stamps: smoothed arrival times are used")
            return .arrival
        }
        let key = "current_timestamp_clock"
        guard iio_device_find_attr(device, key) != nil else {
            remarks.append("the clock of its time stamps is unknown: its offset is tracked")
            return .foreign
        }
        _ = IIOLibrary.write(device, key, "monotonic")
        let stated = (try? IIOLibrary.text(device, key).get()) ?? "unknown"
        guard settings.isLocal else { return .foreign }
        switch stated {
        case "monotonic": return .monotonic
        case "realtime":
            remarks.append("time stamps use CLOCK_REALTIME and are converted")
            return .realtime
        default:
            remarks.append("time stamps use the clock '\(stated)': its offset is tracked")
            return .foreign
        }
    }

    /// Adds a remark.
    mutating func remark(_ text: String) { remarks.append(text) }
}
