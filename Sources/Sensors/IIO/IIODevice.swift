/// The quantity that an IIO channel measures.
package enum IIOChannelKind: String, Sendable {
    /// Angular rate about x, y or z.
    case gyro = "angular rate"
    /// Acceleration along x, y or z.
    case accelerometer = "acceleration"
    /// Magnetic flux density along x, y or z.
    case magnetometer = "magnetic field"
    /// Air pressure.
    case barometer = "pressure"
    /// Time of the sample.
    case timestamp = "time stamp"
    /// Any other quantity.
    case other = "other"
}

/// One channel of an IIO device.
package struct IIOChannel: Hashable, Sendable {
    /// libiio's id, such as `accel_x`.
    package var id: String
    /// The quantity it measures.
    package var kind: IIOChannelKind
    /// 0, 1, 2 for x, y, z; `nil` if the channel has no such axis.
    package var axis: Int?
    /// Whether the buffer can capture it.
    package var isBuffered: Bool
    /// Whether single readings are possible (attribute `raw` or `input`).
    package var isReadable: Bool
    /// Layout in the buffer in the kernel's form, such as `le:s16/16>>0`; `nil` if it is not buffered.
    package var format: String?
    /// Relevant attributes with their text: scale, offset, sampling frequencies, mount matrix.
    package var attributes: [String: String]

    /// Creates a channel from its parts.
    package init(
        id: String, kind: IIOChannelKind, axis: Int?, isBuffered: Bool, isReadable: Bool = true, format: String? = nil,
        attributes: [String: String] = [:]
    ) {
        self.id = id
        self.kind = kind
        self.axis = axis
        self.isBuffered = isBuffered
        self.isReadable = isReadable
        self.format = format
        self.attributes = attributes
    }
}

/// One IIO device of a context.
package struct IIODevice: Hashable, Sendable, CustomStringConvertible {
    /// The kernel's id, such as `iio:device0`.
    package var id: String
    /// The chip name that the driver reports.
    package var name: String
    /// The board's label; `nil` if there is none.
    package var label: String?
    /// The serial number; `nil` if the driver reports none.
    package var serial: String?
    /// Its channels.
    package var channels: [IIOChannel]
    /// Relevant attributes with their text: sampling frequencies, clock, trigger, mount matrix.
    package var attributes: [String: String]

    /// Creates a device from its parts.
    package init(
        id: String, name: String, label: String? = nil, serial: String? = nil, channels: [IIOChannel] = [],
        attributes: [String: String] = [:]
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.serial = serial
        self.channels = channels
        self.attributes = attributes
    }

    /// Whether the device can provide a quantity: all three axes (or the pressure), buffered or at least readable.
    package func serves(_ kind: IIOChannelKind) -> Bool { isBuffered(kind) || isReadable(kind) }

    /// Whether the device can provide a quantity through its buffer.
    package func isBuffered(_ kind: IIOChannelKind) -> Bool { isComplete(kind) { $0.isBuffered } }

    private func isReadable(_ kind: IIOChannelKind) -> Bool { isComplete(kind) { $0.isReadable } }

    private func isComplete(_ kind: IIOChannelKind, _ condition: (IIOChannel) -> Bool) -> Bool {
        let matching = channels.filter { $0.kind == kind && condition($0) }
        guard kind != .barometer else { return !matching.isEmpty }
        return (0..<3).allSatisfy { axis in matching.contains { $0.axis == axis } }
    }

    /// Title for messages: `'bmi160' (iio:device0)`.
    package var title: String {
        "'\(name)' (\(id)\(label.map { ", label \($0)" } ?? "")\(serial.map { ", serial \($0)" } ?? ""))"
    }

    /// What stays the same when the device is found again: name, label and serial number.
    package var identity: String { [name, label, serial].compactMap { $0 }.joined(separator: " ") }

    /// The identity of a sensor of a device whose axes the settings turn.
    package static func identity(_ device: String, turnedBy mount: String?) -> String {
        device + (mount.map { " turned by \($0)" } ?? "")
    }

    /// Several lines for display: the device, its attributes, its channels.
    package var description: String {
        var lines = [title]
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) { lines.append("  \(key): \(value)") }
        for channel in channels {
            var line = "  \(channel.id): \(channel.kind.rawValue)"
            if let format = channel.format {
                line += ", buffered \(format)"
            } else if channel.isReadable {
                line += ", read one by one"
            }
            for (key, value) in channel.attributes.sorted(by: { $0.key < $1.key }) { line += ", \(key) \(value)" }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
