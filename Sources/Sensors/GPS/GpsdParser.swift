import CGPS
import GpsdReports

/// Parses lines of gpsd's JSON into ``GpsdReport`` values with libgps' own parser and its own memory.
///
/// libgps keeps state between lines. Each line is therefore parsed with the `set` mask cleared, and only the part of
/// the structure that this line filled is read. `gps_read` and `gps_unpack` are not used: one damaged line makes them
/// loop for ever (see `shim.h`). Reports of other classes (AIS, RTCM, raw data ...) are never passed to libgps: less
/// work, and less of its code exposed to input.
final class GpsdParser {
    private let data: UnsafeMutablePointer<gps_data_t>

    init() {
        data = .allocate(capacity: 1)
        data.initialize(to: gps_data_t())
    }

    deinit {
        data.deinitialize(count: 1)
        data.deallocate()
    }

    /// Parses a line without its newline.
    func parse(_ line: ArraySlice<UInt8>) -> GpsdReport {
        guard let reportClass = Self.reportClass(of: line), !line.contains(0) else { return .unreadable }
        switch reportClass {
        case "TPV", "SKY", "ATT", "VERSION", "DEVICES", "DEVICE", "ERROR": break
        default: return .other
        }
        data.pointee.set = 0
        data.pointee.dev.path.0 = 0
        let text = line.map { CChar(truncatingIfNeeded: $0) } + [0]
        // libgps may parse half of a report before it finds an error, so an error rejects the whole report. Success
        // does not mean that a field was present: the mask shows that.
        guard libgps_json_unpack(text, data, nil) == 0 else {
            return reportClass == "DEVICES" ? longList(of: line) : .unreadable
        }
        switch reportClass {
        case "TPV": return fix(from: line)
        case "SKY": return sky(from: line)
        case "ATT": return attitude
        case "VERSION": return version
        case "DEVICES": return devices
        case "DEVICE": return device
        default: return error
        }
    }

    /// The class at the start of the line, where gpsd always writes it.
    private static func reportClass(of line: ArraySlice<UInt8>) -> String? {
        let start = Array("{\"class\":\"".utf8)
        guard line.starts(with: start) else { return nil }
        let rest = line.dropFirst(start.count).prefix(20)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private func isSet(_ mask: UInt64) -> Bool { data.pointee.set & gps_mask_t(mask) != 0 }

    private func fix(from line: ArraySlice<UInt8>) -> GpsdReport {
        guard isSet(UInt64(MODE_SET)) else { return .unreadable }
        let source = data.pointee.fix
        var fix = GpsdFix()
        fix.devicePath = devicePath
        fix.mode = Int32(source.mode)
        fix.status = Int32(source.status)
        // libgps 3.22 ignores the jamming indicator of later gpsd releases.
        fix.jammingIndicator = Self.integer(after: "\"jam\":", in: line)
        fix.correctionsAgeSeconds = Self.known(source.dgps_age).flatMap { (0...86_400).contains($0) ? $0 : nil }
        fix.correctionsStation = UInt16(exactly: source.dgps_station)
        if isSet(UInt64(TIME_SET)) {
            fix.utcNanoseconds = Self.nanoseconds(source.time)
            fix.hasUnusableTime = fix.utcNanoseconds == nil
        }
        fix.latitudeDegrees = Self.known(source.latitude)
        fix.longitudeDegrees = Self.known(source.longitude)
        fix.altitudeEllipsoidMeters = Self.known(source.altHAE)
        // gpsd before 3.20 has only this one: above mean sea level. Later ones do not define it.
        let onlyAltitude = source.altHAE.isNaN ? Self.known(source.altitude) : nil
        fix.altitudeMeanSeaMeters = Self.known(source.altMSL) ?? onlyAltitude
        fix.speedMetersPerSecond = Self.known(source.speed)
        fix.courseDegrees = Self.known(source.track)
        fix.climbMetersPerSecond = Self.known(source.climb)
        fix.geoidSeparationMeters = Self.known(source.geoid_sep)
        fix.magneticVariationDegrees = Self.known(source.magnetic_var)
        fix.horizontalErrorMeters = Self.known(source.eph)
        fix.eastErrorMeters = Self.known(source.epx)
        fix.northErrorMeters = Self.known(source.epy)
        fix.verticalErrorMeters = Self.known(source.epv)
        fix.speedErrorMetersPerSecond = Self.known(source.eps)
        fix.climbErrorMetersPerSecond = Self.known(source.epc)
        fix.sphericalErrorMeters = Self.known(source.sep)
        return .fix(fix)
    }

    /// libgps uses NaN for a value that was not in the line.
    private static func known(_ value: Double) -> Double? { value.isNaN ? nil : value }

    /// Nanoseconds since 1970, or `nil` outside the years 1970 to 2100: libgps returns 1900 or 9999 for text it cannot
    /// read.
    private static func nanoseconds(_ time: timespec_t) -> Int64? {
        guard time.tv_sec > 0, time.tv_sec < 4_102_444_800, time.tv_nsec >= 0, time.tv_nsec < 1_000_000_000 else {
            return nil
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private func sky(from line: ArraySlice<UInt8>) -> GpsdReport {
        guard isSet(UInt64(SATELLITE_SET) | UInt64(DOP_SET)) else { return .unreadable }
        var sky = GpsdSky()
        sky.devicePath = devicePath
        // libgps counts the listed satellites, which gives 0 when gpsd sends the numbers without a list. Therefore the
        // numbers are read from the text.
        sky.satellitesVisible = Self.integer(after: "\"nSat\":", in: line)
        sky.satellitesUsed = Self.integer(after: "\"uSat\":", in: line)
        let dilution = data.pointee.dop.hdop
        sky.horizontalDilution = dilution > 0 && dilution < 100 ? dilution : nil
        return .sky(sky)
    }

    /// The integer of at most four digits after the key.
    private static func integer(after key: String, in line: ArraySlice<UInt8>) -> UInt16? {
        let key = Array(key.utf8)
        var index = line.startIndex
        while let start = line[index...].firstIndex(of: key[0]) {
            if line[start...].starts(with: key) {
                let digits = line[(start + key.count)...].prefix(5).prefix { (48...57).contains($0) }
                return digits.count <= 4 ? UInt16(String(decoding: digits, as: UTF8.self)) : nil
            }
            index = start + 1
        }
        return nil
    }

    private var attitude: GpsdReport {
        guard isSet(UInt64(ATTITUDE_SET)) else { return .unreadable }
        let source = data.pointee.attitude
        var attitude = GpsdAttitude()
        attitude.devicePath = devicePath
        attitude.headingDegrees = Self.known(source.heading)
        attitude.pitchDegrees = Self.known(source.pitch)
        attitude.rollDegrees = Self.known(source.roll)
        // Only a compass reports the state of its magnetometer.
        attitude.isMagnetic = source.mag_st != 0
        return .attitude(attitude)
    }

    private var version: GpsdReport {
        guard isSet(UInt64(VERSION_SET)) else { return .unreadable }
        return .version(
            GpsdVersion(
                release: Self.text(of: data.pointee.version.release),
                protocolMajor: Int32(data.pointee.version.proto_major)))
    }

    private var devices: GpsdReport {
        guard isSet(UInt64(DEVICELIST_SET)) else { return .unreadable }
        let count = min(max(Int(data.pointee.devices.ndevices), 0), Int(MAXUSERDEVS))
        return withUnsafeBytes(of: data.pointee.devices.list) { bytes in
            .devices(bytes.bindMemory(to: devconfig_t.self).prefix(count).map(Self.device))
        }
    }

    /// A list of more devices than libgps holds: each is parsed alone.
    private func longList(of line: ArraySlice<UInt8>) -> GpsdReport {
        var devices: [GpsdDevice] = []
        var rest = line.dropFirst()
        while let start = rest.firstIndex(of: UInt8(ascii: "{")) {
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: "}")),
                Self.reportClass(of: rest[start...end]) == "DEVICE",
                case .device(let device) = parse(rest[start...end])
            else { return .unreadable }
            devices.append(device)
            rest = rest[(end + 1)...]
        }
        return devices.count > Int(MAXUSERDEVS) && rest.last == UInt8(ascii: "}") ? .devices(devices) : .unreadable
    }

    private var device: GpsdReport { isSet(UInt64(DEVICE_SET)) ? .device(Self.device(data.pointee.dev)) : .unreadable }

    private static func device(_ source: devconfig_t) -> GpsdDevice {
        let cycle = Double(source.cycle.tv_sec) + Double(source.cycle.tv_nsec) * 1e-9
        return GpsdDevice(
            path: text(of: source.path), driver: text(of: source.driver), isActive: source.activated.tv_sec > 0,
            cycleSeconds: cycle > 0 && cycle < 1000 ? cycle : nil)
    }

    private var error: GpsdReport { isSet(UInt64(ERROR_SET)) ? .error(Self.text(of: data.pointee.error)) : .unreadable }

    private var devicePath: String { Self.text(of: data.pointee.dev.path) }

    /// The text in a fixed array of C characters, which need not be terminated; any bytes are accepted.
    private static func text<Characters>(of characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
