/// Encodes a frame as gpsd's JSON reports TPV and ATT (gpsd_json(5), protocol 3.14), so that programs written for gpsd
/// can use the fused pose.
///
/// Unknown values are omitted, as gpsd does. Sigmas are written as gpsd's error estimates.
public struct GpsdEncoder: ~Copyable {
    private var writer = JSONWriter(capacity: 1024)

    /// Creates an encoder with an empty buffer.
    public init() {}

    /// The first message to a client.
    public mutating func version(release: String) -> [UInt8] {
        writer.clear()
        writer.string("{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":", release)
        writer.literal(",\"proto_major\":3,\"proto_minor\":14}\r\n")
        return writer.withBytes { Array($0) }
    }

    /// The answer to `?WATCH`: the only device, and the watch state.
    public mutating func watch(isEnabled: Bool) -> [UInt8] {
        writer.clear()
        devices()
        writer.boolean("{\"class\":\"WATCH\",\"enable\":", isEnabled)
        writer.boolean(",\"json\":", isEnabled)
        writer.literal(
            ",\"nmea\":false,\"raw\":0,\"scaled\":false,\"timing\":false,\"split24\":false,\"pps\":false}\r\n")
        return writer.withBytes { Array($0) }
    }

    /// The answer to `?DEVICES`.
    public mutating func deviceList() -> [UInt8] {
        writer.clear()
        devices()
        return writer.withBytes { Array($0) }
    }

    /// The answer to an unknown request.
    public mutating func unrecognised() -> [UInt8] {
        Array("{\"class\":\"ERROR\",\"message\":\"Unrecognized request\"}\r\n".utf8)
    }

    /// The reports of one frame.
    public mutating func reports(_ frame: Frame) -> [UInt8] {
        writer.clear()
        position(frame)
        attitude(frame)
        return writer.withBytes { Array($0) }
    }

    private mutating func devices() {
        writer.literal(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"posed","driver":"posed","#)
        writer.literal("\"flags\":1,\"native\":0}]}\r\n")
    }

    private mutating func position(_ frame: Frame) {
        let pose = frame.pose
        let hasPlace =
            pose.latitudeRadians != nil && pose.longitudeRadians != nil && pose.state != .lost
            && pose.state != .starting
        writer.integer(
            "{\"class\":\"TPV\",\"device\":\"posed\",\"mode\":",
            !hasPlace ? 1 : pose.altitudeEllipsoidMeters == nil ? 2 : 3)
        time(frame)
        if hasPlace {
            // gpsd's codes: 5 is dead reckoning, 6 is satellites combined with dead reckoning, 8 is simulated.
            // Before the first fix the place is that of the last stop.
            let isEstimated = pose.state == .deadReckoning || pose.fixAgeSeconds == nil
            writer.integer(",\"status\":", frame.isSimulated ? 8 : isEstimated ? 5 : 6)
            member(",\"lat\":", degrees(pose.latitudeRadians), 9)
            member(",\"lon\":", degrees(pose.longitudeRadians), 9)
            member(",\"altHAE\":", pose.altitudeEllipsoidMeters, 4)
            member(",\"altMSL\":", pose.altitudeMeanSeaMeters, 4)
            member(",\"alt\":", pose.altitudeMeanSeaMeters, 4)
            member(",\"epx\":", pose.positionSigmaENUMeters?.x, 3)
            member(",\"epy\":", pose.positionSigmaENUMeters?.y, 3)
            member(",\"epv\":", pose.positionSigmaENUMeters?.z, 3)
            member(",\"eph\":", pose.positionSigmaENUMeters.map { ($0.x * $0.x + $0.y * $0.y).squareRoot() }, 3)
            member(",\"speed\":", pose.velocityENUMetersPerSecond.map { ($0.x * $0.x + $0.y * $0.y).squareRoot() }, 4)
            member(",\"track\":", bearingDegrees(pose.courseOverGroundRadians, decimals: 4), 4)
            member(",\"climb\":", pose.velocityENUMetersPerSecond?.z, 4)
            member(",\"velN\":", pose.velocityENUMetersPerSecond?.y, 4)
            member(",\"velE\":", pose.velocityENUMetersPerSecond?.x, 4)
            member(",\"velD\":", pose.velocityENUMetersPerSecond.map { -$0.z }, 4)
            member(",\"eps\":", pose.velocitySigmaENUMetersPerSecond.map { max($0.x, $0.y) }, 3)
        }
        writer.literal("}\r\n")
    }

    private mutating func attitude(_ frame: Frame) {
        let pose = frame.pose
        guard pose.rollRadians != nil || pose.headingTrueRadians != nil else { return }
        writer.literal("{\"class\":\"ATT\",\"device\":\"posed\"")
        time(frame)
        member(",\"heading\":", bearingDegrees(pose.headingTrueRadians, decimals: 4), 4)
        member(",\"mheading\":", bearingDegrees(pose.headingMagneticRadians, decimals: 4), 4)
        member(",\"pitch\":", degrees(pose.pitchRadians), 4)
        member(",\"roll\":", degrees(pose.rollRadians), 4)
        // gpsd's body frame is x forward, y right, z down.
        let acceleration = pose.linearAccelerationBodyMetersPerSecondSquared
        member(",\"acc_x\":", acceleration?.x, 4)
        member(",\"acc_y\":", acceleration.map { -$0.y }, 4)
        member(",\"acc_z\":", acceleration.map { -$0.z }, 4)
        let rate = pose.angularRateBodyRadiansPerSecond
        member(",\"gyro_x\":", degrees(rate?.x), 4)
        member(",\"gyro_y\":", degrees(rate.map { -$0.y }), 4)
        member(",\"gyro_z\":", degrees(rate.map { -$0.z }), 4)
        writer.literal("}\r\n")
    }

    private mutating func time(_ frame: Frame) {
        guard let utc = frame.utcNanoseconds else { return }
        let time = CivilTime(utcNanoseconds: utc)
        func padded(_ value: Int, _ count: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        writer.literal(",\"time\":")
        writer.string(
            "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
                + "T\(padded(time.hour, 2)):\(padded(time.minute, 2)):"
                + "\(padded(time.second, 2)).\(padded(time.nanosecond / 1_000_000, 3))Z")
    }

    private mutating func member(_ key: StaticString, _ value: Double?, _ decimals: Int) {
        guard let value, abs(value) < 1e9 else { return }
        writer.literal(key)
        writer.number(value, decimals: decimals)
    }

    private func degrees(_ radians: Double?) -> Double? { radians.map { $0 * 180 / .pi } }
}
