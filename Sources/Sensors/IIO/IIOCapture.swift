import CIIO
import Glibc
import SensorInterface

/// A device that is open and configured for capture through its buffer. Used by one thread only.
final class IIOCapture {
    /// The result of a read.
    enum Read {
        /// The number of complete scans read.
        case scans(Int)
        /// No data yet.
        case nothing
        /// The read failed with a positive `errno`.
        case failed(Int32)
    }

    /// The sensors, in the order of ``IIORoles/each``.
    let sensors: [IIOSensor]
    /// The clock of the time stamps.
    let clock: StampClock
    /// Sample rate that the device reports, hertz.
    let rateHertz: Double
    /// Differences from the requested configuration, for the status.
    let remarks: [String]
    /// The trigger in use.
    let trigger: String?
    /// The descriptor to wait for, on a local context; `nil` means that ``read()`` itself waits.
    let pollDescriptor: Int32?

    private let restorations: [IIORestoration]
    private let context: OpaquePointer
    private let buffer: OpaquePointer
    private var readers: [RawReader]
    private var timestamp: RawReader?
    private var thermometer: IIOThermometer?
    /// Temperature before the capture, degrees Celsius; `nil` if it was not read.
    let startingCelsius: Double?
    private var scanBytes = 0

    /// Opens the assigned device in the context. The caller keeps ownership of the context until this has succeeded.
    /// `adjustment` gets what was changed, also where the capture cannot start.
    init(
        context: OpaquePointer, assignment: IIOPlan.Assignment, settings: IIOSettings,
        _ adjustment: inout IIOAdjustment
    ) throws(IIOProblem) {
        let device = try Self.find(assignment, context)
        let found = try IIOSensor.all(assignment.roles, device, settings, isBuffered: true, &adjustment)
        let stamps = IIOLibrary.channels(device).first {
            iio_channel_get_type($0) == IIO_TIMESTAMP && iio_channel_is_scan_element($0)
        }
        var setup = IIOSetup(device: device, context: context, settings: settings)
        let rate = setup.setRate(of: found)
        if settings.matchesFilters {
            for sensor in found { adjustment.setFilter(of: sensor.role, sensor.channels, rateHertz: rate) }
        }
        try setup.setTrigger(rateHertz: rate)
        let clock = setup.setClock(hasTimestamps: stamps != nil)
        let wanted = found.flatMap(\.channels)
        Self.enable(wanted + (stamps.map { [$0] } ?? []), of: device)
        thermometer = IIOThermometer(device)
        startingCelsius = thermometer?.celsius()
        thermometer?.enable()
        readers = []
        for channel in wanted { readers.append(try RawReader(channel)) }
        timestamp = try stamps.map { (channel) throws(IIOProblem) in try RawReader(channel) }
        buffer = try Self.makeBuffer(device, rate, settings, trigger: setup.trigger)
        self.context = context
        sensors = found
        self.clock = clock
        rateHertz = rate
        trigger = setup.trigger
        let descriptor = iio_buffer_get_poll_fd(buffer)
        if descriptor >= 0, iio_buffer_set_blocking_mode(buffer, false) == 0 {
            pollDescriptor = descriptor
        } else {
            pollDescriptor = nil
        }
        restorations = adjustment.restorations
        remarks = setup.remarks + adjustment.remarks + found.compactMap(\.remark)
    }

    private static func find(_ assignment: IIOPlan.Assignment, _ context: OpaquePointer) throws(IIOProblem)
        -> OpaquePointer
    {
        let found = IIOLibrary.devices(context).first {
            IIOLibrary.string(iio_device_get_id($0)) == assignment.device.id
                && (IIOLibrary.string(iio_device_get_name($0)) ?? "") == assignment.device.name
        }
        guard let found else { throw IIOProblem("the device no longer exists", code: ENODEV) }
        return found
    }

    /// Puts these channels into the buffer, and no others.
    private static func enable(_ channels: [OpaquePointer], of device: OpaquePointer) {
        for i in 0..<iio_device_get_channels_count(device) {
            if let channel = iio_device_get_channel(device, i), iio_channel_is_scan_element(channel) {
                iio_channel_disable(channel)
            }
        }
        for channel in channels { iio_channel_enable(channel) }
    }

    private static func makeBuffer(
        _ device: OpaquePointer, _ rate: Double, _ settings: IIOSettings, trigger: String?
    ) throws(IIOProblem) -> OpaquePointer {
        // A remote read waits for the whole buffer. A local read returns when the buffer could be filled, because
        // libiio writes its size as the watermark.
        let samples = settings.bufferSamples ?? min(max(Int((rate * 0.005).rounded(.up)), 1), 4)
        // Space in the kernel for 128 samples in case the reader is late; libiio multiplies the two numbers.
        _ = iio_device_set_kernel_buffers_count(device, UInt32(128 / samples))
        errno = 0
        if let buffer = iio_device_create_buffer(device, samples, false) { return buffer }
        let code = errno
        let remedy =
            switch code {
            case EACCES, EPERM:
                "posed has no permission for the device: install the udev rule and run as a member of its group"
            case EBUSY: "another program uses the device (iio-sensor-proxy, iiod): stop that program"
            case EINVAL where trigger == nil:
                "the device may need a trigger: connect one, or set its name in the settings"
            default: "see the kernel log"
            }
        throw IIOProblem("cannot start the capture (\(IIOProblem.text(code))): \(remedy)", code: code)
    }

    /// Reads the available scans. On a remote context it waits for a whole buffer, at most the context's time limit.
    func read() -> Read {
        let bytes = iio_buffer_refill(buffer)
        guard bytes > 0 else {
            let code = Int32(truncatingIfNeeded: -bytes)
            return code == EAGAIN || code == EINTR || code == 0 ? .nothing : .failed(code)
        }
        let step = iio_buffer_step(buffer)
        guard step > 0 else { return .failed(EIO) }
        if step != scanBytes {
            for i in readers.indices where !readers[i].locate(in: buffer) { return .failed(EPROTO) }
            if timestamp != nil, timestamp?.locate(in: buffer) != true { return .failed(EPROTO) }
            if thermometer != nil, thermometer?.locate(in: buffer) != true { return .failed(EPROTO) }
            scanBytes = step
        }
        // After a partial scan, the rest would be read as the start of the next one. The capture must be restarted.
        guard bytes % step == 0 else { return .failed(EPROTO) }
        return .scans(bytes / step)
    }

    /// The time stamp of a scan of the last read.
    func stamp(_ scan: Int) -> Int64? {
        guard let timestamp, let start = iio_buffer_start(buffer) else { return nil }
        return timestamp.read(start + scan * scanBytes)
    }

    /// The temperature in a scan of the last read, or by a single reading, degrees Celsius; `nil` if it is unknown.
    func celsius(_ scan: Int) -> Double? {
        guard let thermometer, thermometer.isCaptured else { return thermometer?.celsius() }
        return iio_buffer_start(buffer).flatMap { thermometer.celsius(inScan: UnsafeRawPointer($0 + scan * scanBytes)) }
    }

    /// The raw reading of a sensor in a scan of the last read.
    func raw(_ sensor: Int, _ scan: Int) -> RawTriple {
        guard let start = iio_buffer_start(buffer) else { return RawTriple() }
        let base = UnsafeRawPointer(start + scan * scanBytes)
        var first = 0
        for i in 0..<sensor { first += sensors[i].channels.count }
        guard sensors[sensor].channels.count == 3 else { return RawTriple(x: readers[first].read(base)) }
        return RawTriple(
            x: readers[first].read(base), y: readers[first + 1].read(base), z: readers[first + 2].read(base))
    }

    /// The handles for ``IIODisposal`` and for a cancel from another thread. This object must not be used after they
    /// are disposed of.
    var handles: IIOHandles {
        IIOHandles(context: context, buffer: buffer, restorations: restorations)
    }
}

/// Addresses of libiio's objects, to pass them to the thread that destroys them.
struct IIOHandles: Sendable {
    private let contextAddress: UInt
    private let bufferAddress: UInt
    private let restorations: [IIORestoration]

    /// The handles of a context, of its buffer, if it has one, and what is written back before the context is
    /// destroyed.
    init(context: OpaquePointer, buffer: OpaquePointer?, restorations: [IIORestoration] = []) {
        self.restorations = restorations
        contextAddress = UInt(bitPattern: context)
        bufferAddress = buffer.map { UInt(bitPattern: $0) } ?? 0
    }

    /// Ends a read that is waiting on another thread.
    func cancel() {
        if let buffer = OpaquePointer(bitPattern: bufferAddress) { iio_buffer_cancel(buffer) }
    }

    /// Destroys buffer and context; may hang when the device or its machine is gone.
    func destroy() {
        if let buffer = OpaquePointer(bitPattern: bufferAddress) { iio_buffer_destroy(buffer) }
        // Drivers refuse changes while the buffer is on; the last change is undone first.
        for restoration in restorations.reversed() { restoration.restore() }
        if let context = OpaquePointer(bitPattern: contextAddress) { iio_context_destroy(context) }
    }
}
