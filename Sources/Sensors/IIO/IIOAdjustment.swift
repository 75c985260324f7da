import CIIO
import SensorInterface

/// The old value of an attribute, to be written back when the device is closed. Handles are addresses, so that the
/// thread that closes the device can use them.
struct IIORestoration: Sendable {
    private let channel: UInt
    private let attribute: String
    private let text: String

    /// Keeps the text of a channel's attribute.
    init(channel: OpaquePointer, attribute: String, text: String) {
        self.channel = UInt(bitPattern: channel)
        self.attribute = attribute
        self.text = text
    }

    /// Writes the text back. The context must still exist and the buffer must be off.
    func restore() {
        guard let channel = OpaquePointer(bitPattern: channel) else { return }
        _ = IIOLibrary.write(channel: channel, attribute, text)
    }
}

/// Sets the full-scale range and the anti-alias filter of a sensor, reads both back, and keeps the old values.
struct IIOAdjustment {
    /// What was set, and what the driver refused, for the status.
    private(set) var remarks: [String] = []
    /// The old values, in the order in which they were changed.
    private(set) var restorations: [IIORestoration] = []

    /// Raises the range of a gyro or an accelerometer where it is below the least one. A larger range stays: it was
    /// chosen for a reason, and its steps are below the sensor's noise.
    mutating func setRange(of role: IIORoles, _ channels: [OpaquePointer], settings: IIOSettings) {
        let sensor = settings.sensor(role)
        guard let least = sensor.leastRange, least > 0, sensor.scaleOverride == nil,
            !role.isDisjoint(with: .inertial), let channel = channels.first,
            let range = Self.range(of: channel),
            let before = text(channel, "scale"), let scale = IIOText.number(before)
        else { return }
        let end = Double(range.highest) + 1
        guard !(abs(scale) * end >= least * RangeChoice.tolerance) else { return }
        let unit = role == .gyro ? "rad/s" : "m/s2"
        let name = "the range of the \(role.name)"
        guard let available = text(channel, "scale_available"),
            let wanted = RangeChoice.scale(available: available, least: least, rawEnd: end)
        else {
            remarks.append("\(name) is fixed at \(IIOText.short(abs(scale) * end)) \(unit)")
            return
        }
        // The channels of a type usually share the attribute; where they do not, each is set.
        for channel in channels where text(channel, "scale") != wanted {
            set(channel, "scale", wanted, "\(name) \(wanted)")
        }
        guard let back = text(channel, "scale").flatMap({ IIOText.number($0) }) else { return }
        let reached = abs(back) * end
        remarks.append(
            reached >= least * RangeChoice.tolerance
                ? "\(name) set to \(IIOText.short(reached)) \(unit)"
                : "\(name) is \(IIOText.short(reached)) \(unit), below \(IIOText.short(least)): strong motion is "
                    + "clipped")
    }

    /// The raw range of a channel. Without a buffer it has no format: then 16 bits are assumed where its driver offers
    /// ranges. With fewer bits the present range seems to be larger than it is, and stays.
    private static func range(of channel: OpaquePointer) -> RawRange? {
        guard let format = iio_channel_get_data_format(channel)?.pointee else { return nil }
        if format.bits == 0, iio_channel_find_attr(channel, "scale_available") != nil {
            return RawRange(bits: 16, isSigned: true)
        }
        return RawRange(bits: Int(format.bits), isSigned: format.is_signed)
    }

    /// Sets the low-pass filter of a gyro or an accelerometer to the sample rate: the highest edge below 0.45 of it.
    mutating func setFilter(of role: IIORoles, _ channels: [OpaquePointer], rateHertz: Double) {
        let key = "filter_low_pass_3db_frequency"
        guard !role.isDisjoint(with: .inertial), rateHertz > 0, let channel = channels.first,
            let before = text(channel, key), let current = IIOText.number(before), current.isFinite
        else { return }
        guard !FilterChoice.fits(current, rateHertz: rateHertz) else { return }
        let wanted = FilterChoice.text(available: text(channel, key + "_available"), rateHertz: rateHertz)
        for channel in channels where text(channel, key) != wanted {
            set(channel, key, wanted, "the low-pass filter of the \(role.name) at \(wanted) Hz")
        }
        guard let back = text(channel, key).flatMap({ IIOText.number($0) }) else { return }
        remarks.append(
            "the low-pass filter of the \(role.name) is at \(IIOText.short(back)) Hz"
                + (back > rateHertz / 2 ? ", above half the sample rate: vibration is aliased" : ""))
    }

    private mutating func set(_ channel: OpaquePointer, _ attribute: String, _ value: String, _ what: String) {
        guard let before = text(channel, attribute) else { return }
        let code = IIOLibrary.write(channel: channel, attribute, value)
        guard code == 0 else {
            remarks.append("the driver refuses \(what) (\(IIOProblem.text(code)))")
            return
        }
        restorations.append(IIORestoration(channel: channel, attribute: attribute, text: before))
    }

    private func text(_ channel: OpaquePointer, _ attribute: String) -> String? {
        guard iio_channel_find_attr(channel, attribute) != nil else { return nil }
        return try? IIOLibrary.text(channel: channel, attribute).get()
    }
}

/// The choice among the scales that a driver offers. Pure.
enum RangeChoice {
    /// Share of a range that counts as that range: kernels print scales with six decimals, and some chips have 7.99 g.
    static let tolerance = 0.98

    /// The text of the scale with the smallest range of at least `least`, otherwise with the largest one; `nil` if the
    /// text has no scale.
    static func scale(available: String, least: Double, rawEnd: Double) -> String? {
        let scales = available.split { " \t\n".contains($0) }.compactMap { word -> (text: String, range: Double)? in
            guard let scale = IIOText.number(word), scale > 0, scale < 1e6 else { return nil }
            return (String(word), scale * rawEnd)
        }.sorted { $0.range < $1.range }
        return (scales.first { $0.range >= least * tolerance } ?? scales.last)?.text
    }
}

/// The choice of the edge of a low-pass filter. Pure.
enum FilterChoice {
    /// Whether an edge is right for a sample rate: not above 0.45 of it (motion above half of it would show as slow
    /// motion), and not below a fifth (it would delay and hide motion).
    static func fits(_ hertz: Double, rateHertz: Double) -> Bool {
        hertz >= 0.2 * rateHertz && hertz <= 0.45 * rateHertz
    }

    /// The text to write: the highest available edge of at most 0.45 of the rate, otherwise the lowest one; without a
    /// list 0.4 of the rate, which the driver rounds.
    static func text(available: String?, rateHertz: Double) -> String {
        let edges = (available ?? "").split { " \t\n[]".contains($0) }
            .compactMap { word -> (text: String, hertz: Double)? in
                guard let hertz = IIOText.number(word), hertz > 0, hertz < 1e7 else { return nil }
                return (String(word), hertz)
            }.sorted { $0.hertz < $1.hertz }
        if let best = edges.last(where: { $0.hertz <= 0.45 * rateHertz }) ?? edges.first { return best.text }
        return "\(Int64(min(max((0.4 * rateHertz).rounded(), 1), 1e6)))"
    }
}
