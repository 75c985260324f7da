import CIIO
import Calibration
import PoseMath
import SensorInterface

/// One sensor of an open device. Converts raw readings into checked values in board axes and SI units. It is a class so
/// that its counters change in place.
final class IIOSensor {
    /// The sensor's role.
    let role: IIORoles
    /// Its channels: x, y, z, or only the pressure.
    let channels: [OpaquePointer]
    /// A note about the sensor for the status; `nil` if there is none.
    let remark: String?
    private let scale: Vector3
    private let offset: Vector3
    private let mount: MountMatrix
    /// Measured by `posectl calibrate`, in board axes; `nil` for none.
    private let correction: SensorCorrection?
    private var check: SampleCheck

    /// Reads and checks scale, offset and mount matrix of a role's channels.
    init(
        role: IIORoles, device: OpaquePointer, settings: IIOSettings, isBuffered: Bool,
        correction: SensorCorrection? = nil
    ) throws(IIOProblem) {
        self.correction = correction.flatMap { $0.isValid && !$0.isIdentity ? $0 : nil }
        self.role = role
        channels = try Self.channels(role, device)
        let sensorSettings = settings.sensor(role)
        let unit = Self.siPerUnit(role)
        var scale = Vector3()
        var offset = Vector3()
        for (i, channel) in channels.enumerated() {
            let isProcessed = !isBuffered && iio_channel_find_attr(channel, "raw") == nil
            if let override = sensorSettings.scaleOverride {
                scale[i] = override * unit
            } else {
                scale[i] = try isProcessed ? unit : unit * Self.number(channel, "scale", whenMissing: nil)
            }
            offset[i] = try isProcessed ? 0 : Self.number(channel, "offset", whenMissing: 0)
        }
        self.scale = scale
        self.offset = offset
        remark = sensorSettings.scaleOverride == nil ? Self.remark(onScaleOf: channels[0], role) : nil
        mount =
            role == .barometer
            ? .identity : try Self.mount(channels[0], device, override: sensorSettings.mountMatrixOverride)
        let range = isBuffered ? try RawReader(channels[0]).range : nil
        let rangeEnd = range.map { Double($0.highest) * abs(scale.x) } ?? 0
        let limit =
            switch role {
            case .gyro: max(SampleCheck.gyroLimitRadiansPerSecond, rangeEnd)
            case .accelerometer: SampleCheck.accelerometerLimitMetersPerSecondSquared
            case .magnetometer: SampleCheck.magnetometerLimitTesla
            default: 200_000.0
            }
        check = SampleCheck(limit: limit, range: range, stuckLimit: role == .barometer ? 0 : settings.stuckSampleLimit)
    }

    /// The sensors of some roles, their ranges set before their scales are read.
    static func all(
        _ roles: IIORoles, _ device: OpaquePointer, _ settings: IIOSettings, isBuffered: Bool,
        _ adjustment: inout IIOAdjustment
    ) throws(IIOProblem) -> [IIOSensor] {
        let identity = IIODevice(handle: device, withAttributes: false).identity
        var found: [IIOSensor] = []
        for role in IIORoles.each where roles.contains(role) {
            adjustment.setRange(of: role, try channels(role, device), settings: settings)
            found.append(
                try IIOSensor(
                    role: role, device: device, settings: settings, isBuffered: isBuffered,
                    correction: settings.correction(role, deviceIdentity: identity)))
        }
        return found
    }

    /// The value of a raw reading, or `nil` if the check rejected it.
    func value(_ raw: RawTriple) -> Vector3? {
        let value = (Vector3(Double(raw.x), Double(raw.y), Double(raw.z)) + offset) * scale
        guard check.passes(raw: raw, value: value) else { return nil }
        return corrected(mount.apply(value))
    }

    /// The value of a reading that the driver reports as a decimal number.
    func value(decimal: Vector3) -> Vector3? {
        let raw = RawTriple(
            x: Int64(bitPattern: decimal.x.bitPattern), y: Int64(bitPattern: decimal.y.bitPattern),
            z: Int64(bitPattern: decimal.z.bitPattern))
        let value = (decimal + offset) * scale
        guard check.passes(raw: raw, value: value) else { return nil }
        return corrected(mount.apply(value))
    }

    private func corrected(_ value: Vector3) -> Vector3 { correction?.apply(value) ?? value }

    /// The check with its counters.
    var checked: SampleCheck { check }

    /// SI units per kernel unit (rad/s, m/s2, gauss, kilopascal).
    private static func siPerUnit(_ role: IIORoles) -> Double {
        switch role {
        case .magnetometer: 1e-4
        case .barometer: 1000
        default: 1
        }
    }

    /// The channels of a role: x, y, z, or only the pressure.
    static func channels(_ role: IIORoles, _ device: OpaquePointer) throws(IIOProblem) -> [OpaquePointer] {
        let matching = IIOLibrary.channels(device).filter { IIOChannel.kind($0).0 == role.channelKind }
        if role == .barometer, let first = matching.first { return [first] }
        let axes = (0..<3).compactMap { axis in matching.first { IIOChannel.kind($0).1 == axis } }
        guard axes.count == 3 else {
            throw IIOProblem("the \(role.name) has \(axes.count) of 3 channels: one is missing")
        }
        return axes
    }

    private static func number(_ channel: OpaquePointer, _ key: String, whenMissing: Double?) throws(IIOProblem)
        -> Double
    {
        let name = IIOLibrary.string(iio_channel_get_id(channel)) ?? "?"
        guard iio_channel_find_attr(channel, key) != nil else {
            if let whenMissing { return whenMissing }
            throw IIOProblem("channel '\(name)' has no '\(key)': set the sensor's scale in the settings")
        }
        switch IIOLibrary.text(channel: channel, key) {
        case .failure(let errno):
            throw IIOProblem(
                "cannot read '\(key)' of channel '\(name)' (\(IIOProblem.text(errno.code)))", code: errno.code)
        case .success(let text):
            guard let value = IIOText.number(text), value.isFinite, key != "scale" || value != 0 else {
                throw IIOProblem(
                    "'\(key)' of channel '\(name)' is '\(text)', which is invalid: set the sensor's scale in the "
                        + "settings"
                )
            }
            return value
        }
    }

    /// Kernels print scales with six or nine decimals. A small scale with only two or three significant digits left is
    /// wrong by up to one per cent. A single digit is a power of ten, as in sensor hubs, and exact.
    private static func remark(onScaleOf channel: OpaquePointer, _ role: IIORoles) -> String? {
        guard let text = try? IIOLibrary.text(channel: channel, "scale").get(),
            (2...3).contains(IIOText.significantDigits(text))
        else { return nil }
        return
            "the driver reports the \(role.name)'s scale as \(text), with few digits: set the exact scale in "
            + "the settings"
    }

    /// The driver's mount matrix: an attribute of the channel, of the device, or of a channel `mount` (libiio's form of
    /// `in_mount_matrix`).
    private static func mount(_ channel: OpaquePointer, _ device: OpaquePointer, override: String?) throws(IIOProblem)
        -> MountMatrix
    {
        var text = override
        if text == nil, iio_channel_find_attr(channel, "mount_matrix") != nil {
            text = try? IIOLibrary.text(channel: channel, "mount_matrix").get()
        }
        if text == nil, iio_device_find_attr(device, "mount_matrix") != nil {
            text = try? IIOLibrary.text(device, "mount_matrix").get()
        }
        if text == nil, let mountChannel = iio_device_find_channel(device, "mount", false),
            iio_channel_find_attr(mountChannel, "matrix") != nil
        {
            text = try? IIOLibrary.text(channel: mountChannel, "matrix").get()
        }
        guard let text else { return .identity }
        do {
            return try MountMatrix(text)
        } catch {
            throw IIOProblem(
                "mount matrix '\(text)' is \(error). Correct it in the device tree or hwdb, or set one in the settings"
            )
        }
    }
}
