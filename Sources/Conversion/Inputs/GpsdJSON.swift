import BoundedJSON
import GpsdReports

/// Parses a line of gpsd's JSON without libgps, for logs.
enum GpsdJSON {
    /// A line has at most as many values as gpsd's longest, a SKY report of 140 satellites, with a wide margin.
    private static let limits = JSONLimits(maximumBytes: 1 << 17, maximumDepth: 8, maximumEntries: 20_000)

    /// The report in a line; `unreadable` if it is not a JSON object with a class.
    static func report(_ line: [UInt8]) -> GpsdReport {
        guard let root = try? JSONDocument(bytes: line, limits: limits).root, let name = root["class"]?.string else {
            return .unreadable
        }
        switch name {
        case "TPV": return .fix(fix(root))
        case "SKY": return .sky(sky(root))
        case "ATT": return .attitude(attitude(root))
        case "DEVICE": return device(root).map { .device($0) } ?? .unreadable
        case "DEVICES": return .devices(root["devices"]?.elements.compactMap { device($0) } ?? [])
        case "VERSION":
            let major = root["proto_major"]?.int.flatMap { Int32(exactly: $0) } ?? 0
            return .version(GpsdVersion(release: root["release"]?.string ?? "", protocolMajor: major))
        case "ERROR": return .error(root["message"]?.string ?? "")
        default: return .other
        }
    }

    private static func fix(_ root: JSONValue) -> GpsdFix {
        var fix = GpsdFix()
        fix.devicePath = root["device"]?.string ?? ""
        fix.mode = root["mode"]?.int.flatMap { Int32(exactly: $0) } ?? 0
        fix.status = root["status"]?.int.flatMap { Int32(exactly: $0) } ?? 0
        if let time = root["time"] {
            fix.utcNanoseconds = utc(time)
            fix.hasUnusableTime = fix.utcNanoseconds == nil
        }
        for (quantity, name) in quantities { fix[keyPath: quantity] = root[name]?.double }
        // Up to release 3.19 gpsd wrote only `alt`, the height above mean sea level.
        if fix.altitudeMeanSeaMeters == nil { fix.altitudeMeanSeaMeters = root["alt"]?.double }
        fix.jammingIndicator = root["jam"]?.int.flatMap { UInt16(exactly: $0) }
        return fix
    }

    private static var quantities: [(WritableKeyPath<GpsdFix, Double?>, String)] {
        [
            (\.latitudeDegrees, "lat"), (\.longitudeDegrees, "lon"), (\.altitudeEllipsoidMeters, "altHAE"),
            (\.altitudeMeanSeaMeters, "altMSL"), (\.speedMetersPerSecond, "speed"), (\.courseDegrees, "track"),
            (\.climbMetersPerSecond, "climb"), (\.horizontalErrorMeters, "eph"), (\.eastErrorMeters, "epx"),
            (\.northErrorMeters, "epy"), (\.verticalErrorMeters, "epv"), (\.speedErrorMetersPerSecond, "eps"),
            (\.climbErrorMetersPerSecond, "epc"), (\.sphericalErrorMeters, "sep"),
            (\.geoidSeparationMeters, "geoidSep"), (\.magneticVariationDegrees, "magvar"),
        ]
    }

    /// A time in the years 1970 to 2100: text in ISO 8601, or seconds since 1970 as gpsd wrote them up to release 2.95.
    private static func utc(_ value: JSONValue) -> Int64? {
        if let text = value.utf8 { return UTCText.nanoseconds(text[...]) }
        guard let seconds = value.double, seconds > 0, seconds < 4_102_444_800 else { return nil }
        return Int64((seconds * 1e3).rounded()) * 1_000_000
    }

    private static func sky(_ root: JSONValue) -> GpsdSky {
        var sky = GpsdSky(devicePath: root["device"]?.string ?? "")
        let listed = root["satellites"]?.elements.map { $0["used"]?.bool ?? false }
        sky.satellitesVisible = count(root["nSat"]?.int ?? listed?.count)
        sky.satellitesUsed = count(root["uSat"]?.int ?? listed.map { $0.count { $0 } })
        return sky
    }

    private static func attitude(_ root: JSONValue) -> GpsdAttitude {
        var attitude = GpsdAttitude()
        attitude.devicePath = root["device"]?.string ?? ""
        attitude.utcNanoseconds = root["time"].flatMap { utc($0) }
        attitude.headingDegrees = root["heading"]?.double
        attitude.pitchDegrees = root["pitch"]?.double
        attitude.rollDegrees = root["roll"]?.double
        attitude.isMagnetic = root["mag_st"] != nil
        return attitude
    }

    private static func count(_ value: Int?) -> UInt16? { value.flatMap { (0...1000).contains($0) ? UInt16($0) : nil } }

    private static func device(_ root: JSONValue) -> GpsdDevice? {
        guard let path = root["path"]?.string else { return nil }
        // gpsd writes 0 or leaves `activated` out for a receiver that it has closed.
        let isActive = root["activated"].map { $0.kind == .string || ($0.double ?? 0) > 0 } ?? false
        return GpsdDevice(
            path: path, driver: root["driver"]?.string ?? "", isActive: isActive, cycleSeconds: root["cycle"]?.double)
    }
}
