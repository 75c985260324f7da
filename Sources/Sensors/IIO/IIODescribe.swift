import CIIO
import Glibc

extension IIODevice {
    /// Every device of a context with its channels and attributes, for display. Blocks: on a remote context for seconds
    /// when the remote end does not answer.
    package static func all(at uri: String) throws(IIOProblem) -> [IIODevice] {
        let context = try IIOLibrary.open(uri)
        defer { iio_context_destroy(context) }
        return IIOLibrary.devices(context).map { IIODevice(handle: $0, withAttributes: true) }
    }

    /// Reads a device from its handle. Each attribute value costs one request, so the selection of devices omits them.
    init(handle: OpaquePointer, withAttributes: Bool) {
        self.init(
            id: IIOLibrary.string(iio_device_get_id(handle)) ?? "",
            name: IIOLibrary.string(iio_device_get_name(handle)) ?? "",
            label: IIOLibrary.string(iio_device_get_label(handle)), serial: Self.serial(handle),
            channels: IIOLibrary.channels(handle).map { IIOChannel(handle: $0, withAttributes: withAttributes) })
        guard withAttributes else { return }
        for key in ["sampling_frequency", "sampling_frequency_available", "current_timestamp_clock", "mount_matrix"] {
            guard iio_device_find_attr(handle, key) != nil else { continue }
            attributes[key] = try? IIOLibrary.text(handle, key).get()
        }
        var trigger: OpaquePointer?
        if iio_device_get_trigger(handle, &trigger) == 0 {
            attributes["current_trigger"] = trigger.flatMap { IIOLibrary.string(iio_device_get_name($0)) } ?? "none"
        }
    }

    private static func serial(_ handle: OpaquePointer) -> String? {
        for key in ["serial_number", "serial"] {
            if iio_device_find_attr(handle, key) != nil, let text = try? IIOLibrary.text(handle, key).get(),
                !text.isEmpty
            {
                return text
            }
            if iio_device_find_debug_attr(handle, key) != nil,
                let text = try? IIOLibrary.text(debugOf: handle, key).get(), !text.isEmpty
            {
                return text
            }
        }
        return nil
    }
}

extension IIOChannel {
    /// Reads a channel from its handle, with attribute values on request.
    init(handle: OpaquePointer, withAttributes: Bool) {
        let (kind, axis) = Self.kind(handle)
        let readable = iio_channel_find_attr(handle, "raw") != nil || iio_channel_find_attr(handle, "input") != nil
        let buffered = iio_channel_is_scan_element(handle)
        self.init(
            id: IIOLibrary.string(iio_channel_get_id(handle)) ?? "", kind: kind, axis: axis, isBuffered: buffered,
            isReadable: readable,
            format: buffered ? Self.format(handle) : nil)
        guard withAttributes else { return }
        for key in ["scale", "offset", "sampling_frequency", "sampling_frequency_available", "mount_matrix", "matrix"] {
            guard iio_channel_find_attr(handle, key) != nil else { continue }
            attributes[key] = try? IIOLibrary.text(channel: handle, key).get()
        }
    }

    /// Kind and axis from libiio's type and modifier.
    static func kind(_ handle: OpaquePointer) -> (IIOChannelKind, Int?) {
        let modifier = iio_channel_get_modifier(handle)
        let axis: Int? = modifier == IIO_MOD_X ? 0 : modifier == IIO_MOD_Y ? 1 : modifier == IIO_MOD_Z ? 2 : nil
        switch iio_channel_get_type(handle) {
        case IIO_ANGL_VEL: return (axis == nil ? .other : .gyro, axis)
        case IIO_ACCEL: return (axis == nil ? .other : .accelerometer, axis)
        case IIO_MAGN: return (axis == nil ? .other : .magnetometer, axis)
        case IIO_PRESSURE: return (.barometer, nil)
        case IIO_TIMESTAMP: return (.timestamp, nil)
        default: return (.other, nil)
        }
    }

    private static func format(_ handle: OpaquePointer) -> String? {
        guard let format = iio_channel_get_data_format(handle)?.pointee else { return nil }
        let times = format.repeat > 1 ? "X\(format.repeat)" : ""
        return
            "\(format.is_be ? "be" : "le"):\(format.is_signed ? "s" : "u")\(format.bits)/"
            + "\(format.length)\(times)>>\(format.shift)"
    }
}
