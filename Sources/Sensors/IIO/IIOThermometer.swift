import CIIO
import SensorInterface

/// The temperature channel of a device.
struct IIOThermometer {
    private let channel: OpaquePointer
    /// Thousandths of a degree per step, and the steps that are added before.
    private let (scale, offset): (Double, Double)
    private var reader: RawReader?

    /// Temperatures of a sensor, degrees Celsius; others are errors of the driver.
    private static let plausible = -60.0...150.0

    /// The first temperature channel of a device; `nil` without one.
    init?(_ device: OpaquePointer) {
        let found = IIOLibrary.channels(device).first {
            iio_channel_get_type($0) == IIO_TEMP && !iio_channel_is_output($0)
        }
        guard let found else { return nil }
        channel = found
        func number(_ key: String, _ missing: Double) -> Double {
            guard let text = try? IIOLibrary.text(channel: found, key).get() else { return missing }
            return IIOText.number(text) ?? missing
        }
        (scale, offset) = (number("scale", 1), number("offset", 0))
    }

    /// Adds the channel to the scans of a buffer that is about to be created, if the buffer can capture it.
    mutating func enable() {
        guard iio_channel_is_scan_element(channel), let found = try? RawReader(channel) else { return }
        iio_channel_enable(channel)
        reader = found
    }

    /// Finds the channel in a scan. Call it after a refill, whenever the scan's size changed.
    mutating func locate(in buffer: OpaquePointer) -> Bool { reader?.locate(in: buffer) ?? true }

    /// The temperature in a scan, degrees Celsius; `nil` if it is not captured, or not that of a sensor.
    func celsius(inScan scan: UnsafeRawPointer) -> Double? {
        reader.flatMap { Self.plausible((Double($0.read(scan)) + offset) * scale / 1000) }
    }

    /// Whether the buffer captures it.
    var isCaptured: Bool { reader != nil }

    /// The temperature by a single reading, degrees Celsius; `nil` if the driver refuses it, as while a buffer runs.
    func celsius() -> Double? {
        if let text = try? IIOLibrary.text(channel: channel, "input").get(), let value = IIOText.number(text) {
            return Self.plausible(value / 1000)
        }
        guard let text = try? IIOLibrary.text(channel: channel, "raw").get(), let raw = IIOText.number(text) else {
            return nil
        }
        return Self.plausible((raw + offset) * scale / 1000)
    }

    private static func plausible(_ celsius: Double) -> Double? { plausible.contains(celsius) ? celsius : nil }
}
