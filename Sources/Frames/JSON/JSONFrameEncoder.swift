/// A frame as one line of JSON, the form of the `stream` socket and of replays.
///
/// Every member is always there in the same order; unknown is `null`. The buffer is reused: no allocation per frame.
public struct JSONFrameEncoder: ~Copyable {
    private var writer = JSONWriter(capacity: 4096)
    private var ends = Ends()
    private var line = JSONWriter(capacity: 4096)
    private var lineLength = 0
    private var lineTopics: Topics?

    /// Where each part of the line ends.
    private struct Ends {
        var head = 0
        var pose = 0
        var guidance = 0
        var speed = 0
        var sources = 0
    }

    /// An encoder with an empty buffer.
    public init() {}

    /// Writes the whole line, its newline included, and lends its bytes; they are valid during the call only.
    public mutating func encode<R, E: Error>(_ frame: Frame, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        encodeParts(frame)
        writer.literal("}\n")
        return try writer.withBytes(body)
    }

    /// The whole line, its newline included.
    public mutating func text(_ frame: Frame) -> String {
        encode(frame) { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes a frame; the lines of its clients come from ``withLine(topics:dropped:_:)``.
    public mutating func encodeParts(_ frame: Frame) {
        writer.clear()
        lineTopics = nil
        head(frame)
        ends.head = writer.count
        pose(frame.pose)
        ends.pose = writer.count
        guidance(frame.guidance)
        ends.guidance = writer.count
        speed(frame.speed)
        ends.speed = writer.count
        writer.sources(frame.sources)
        ends.sources = writer.count
    }

    /// Lends the line for one client: its topics, its count of losses, its newline; the bytes are valid during the call only.
    public mutating func withLine<R, E: Error>(
        topics: Topics, dropped: UInt64, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        if lineTopics != topics { assemble(topics) }
        line.truncate(to: lineLength)
        line.integer(dropped)
        line.literal("}\n")
        return try line.withBytes(body)
    }

    /// Lends what the lines of all clients with these topics have in common: all before the count of losses. Who takes it adds the count and `}` and a
    /// line end when the line goes out.
    public mutating func withOpenLine<R, E: Error>(topics: Topics, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        if lineTopics != topics { assemble(topics) }
        line.truncate(to: lineLength)
        return try line.withBytes(body)
    }

    /// What all clients with these topics have in common: all but the count.
    private mutating func assemble(_ topics: Topics) {
        line.clear()
        let ends = self.ends
        writer.withBytes { bytes in
            line.append(bytes[0..<ends.head])
            if topics.contains(.pose) { line.append(bytes[ends.head..<ends.pose]) }
            if topics.contains(.guidance) { line.append(bytes[ends.pose..<ends.guidance]) }
            if topics.contains(.speed) { line.append(bytes[ends.guidance..<ends.speed]) }
            if topics.contains(.sources) { line.append(bytes[ends.speed..<ends.sources]) }
        }
        line.literal(",\"dropped\":")
        lineLength = line.count
        lineTopics = topics
    }

    private mutating func head(_ frame: Frame) {
        writer.literal("{\"type\":\"frame\",\"seq\":")
        writer.integer(frame.sequence)
        writer.literal(",\"t_s\":")
        writer.seconds(nanoseconds: frame.timeNanoseconds)
        writer.literal(",\"utc_s\":")
        if let utc = frame.utcNanoseconds { writer.seconds(nanoseconds: utc) } else { writer.literal("null") }
        writer.literal(",\"measured_s\":")
        writer.seconds(nanoseconds: frame.measuredNanoseconds)
        writer.literal(",\"published_s\":")
        writer.seconds(nanoseconds: frame.publishedNanoseconds)
    }

    private mutating func pose(_ pose: Frame.Pose) {
        writer.literal(",\"pose\":{\"state\":")
        writer.name(pose.state.wireName)
        place(pose)
        motion(pose)
        attitude(pose)
        body(pose)
        bookkeeping(pose)
        writer.literal("}")
    }

    private mutating func place(_ pose: Frame.Pose) {
        writer.literal(",\"lat_deg\":")
        degrees(pose.latitudeRadians, decimals: 9)
        writer.literal(",\"lon_deg\":")
        degrees(pose.longitudeRadians, decimals: 9)
        writer.literal(",\"alt_hae_m\":")
        writer.number(pose.altitudeEllipsoidMeters, decimals: 4)
        writer.literal(",\"alt_msl_m\":")
        writer.number(pose.altitudeMeanSeaMeters, decimals: 4)
        writer.literal(",\"sigma_enu_m\":")
        triple(pose.positionSigmaENUMeters, decimals: 4)
        writer.literal(",\"enu_m\":")
        triple(pose.positionENUMeters, decimals: 4)
        writer.literal(",\"origin\":{\"epoch\":")
        writer.integer(UInt64(pose.originEpoch))
        writer.literal(",\"lat_deg\":")
        degrees(pose.originLatitudeRadians, decimals: 9)
        writer.literal(",\"lon_deg\":")
        degrees(pose.originLongitudeRadians, decimals: 9)
        writer.literal(",\"alt_hae_m\":")
        writer.number(pose.originAltitudeEllipsoidMeters, decimals: 4)
        writer.literal("}")
    }

    private mutating func motion(_ pose: Frame.Pose) {
        writer.literal(",\"vel_enu_m_s\":")
        triple(pose.velocityENUMetersPerSecond, decimals: 4)
        writer.literal(",\"vel_sigma_enu_m_s\":")
        triple(pose.velocitySigmaENUMetersPerSecond, decimals: 4)
        writer.literal(",\"accel_enu_m_s2\":")
        triple(pose.accelerationENUMetersPerSecondSquared, decimals: 4)
        writer.literal(",\"course_deg\":")
        bearing(pose.courseOverGroundRadians)
    }

    private mutating func attitude(_ pose: Frame.Pose) {
        writer.literal(",\"q_enu_body\":")
        if let q = pose.bodyToENU, q.isWritable {
            writer.literal("[")
            writer.number(q.w, decimals: 9)
            writer.literal(",")
            writer.number(q.x, decimals: 9)
            writer.literal(",")
            writer.number(q.y, decimals: 9)
            writer.literal(",")
            writer.number(q.z, decimals: 9)
            writer.literal("]")
        } else {
            writer.literal("null")
        }
        writer.literal(",\"roll_deg\":")
        degrees(pose.rollRadians, decimals: 4)
        writer.literal(",\"pitch_deg\":")
        degrees(pose.pitchRadians, decimals: 4)
        writer.literal(",\"heading_deg\":")
        bearing(pose.headingTrueRadians)
        writer.literal(",\"heading_magnetic_deg\":")
        bearing(pose.headingMagneticRadians)
        writer.literal(",\"tilt_sigma_deg\":")
        degrees(pose.tiltSigmaRadians, decimals: 4)
        writer.literal(",\"heading_sigma_deg\":")
        degrees(pose.headingSigmaRadians, decimals: 4)
        writer.literal(",\"heading_trim_deg\":")
        degrees(pose.headingTrimRadians, decimals: 4)
        writer.literal(",\"turn_rate_deg_s\":")
        degrees(pose.turnRateRadiansPerSecond, decimals: 4)
    }

    private mutating func body(_ pose: Frame.Pose) {
        writer.literal(",\"rate_body_rad_s\":")
        triple(pose.angularRateBodyRadiansPerSecond, decimals: 6)
        writer.literal(",\"accel_body_m_s2\":")
        triple(pose.linearAccelerationBodyMetersPerSecondSquared, decimals: 4)
        writer.literal(",\"gravity_body\":")
        triple(pose.gravityDirectionBody, decimals: 6)
        writer.literal(",\"slip_m_s2\":")
        writer.number(pose.slipMetersPerSecondSquared, decimals: 4)
        writer.literal(",\"standing_still\":")
        writer.boolean(pose.isStandingStill)
    }

    private mutating func bookkeeping(_ pose: Frame.Pose) {
        writer.literal(",\"fix_age_s\":")
        writer.number(pose.fixAgeSeconds, decimals: 3)
        writer.literal(",\"fix_mode\":")
        writer.integer(UInt64(pose.fixMode))
        writer.literal(",\"satellites_used\":")
        if let satellites = pose.satellitesUsed { writer.integer(UInt64(satellites)) } else { writer.literal("null") }
        writer.literal(",\"reset_count\":")
        writer.integer(UInt64(pose.resetCount))
        writer.literal(",\"reset_delta_enu_m\":")
        triple(pose.resetDeltaENUMeters, decimals: 4)
        writer.literal(",\"reset_delta_heading_deg\":")
        degrees(pose.resetDeltaHeadingRadians, decimals: 4)
        writer.literal(",\"glide_enu_m\":")
        triple(pose.glideENUMeters, decimals: 4)
        writer.literal(",\"glide_heading_deg\":")
        degrees(pose.glideHeadingRadians, decimals: 4)
    }

    private mutating func guidance(_ guidance: Frame.Guidance) {
        writer.literal(",\"guidance\":{\"state\":")
        writer.name(guidance.state.wireName)
        writer.literal(",\"route_version\":")
        writer.integer(UInt64(guidance.routeVersion))
        writer.literal(",\"progress_m\":")
        writer.number(guidance.progressMeters, decimals: 3)
        writer.literal(",\"cross_track_m\":")
        writer.number(guidance.crossTrackMeters, decimals: 3)
        writer.literal(",\"segment_bearing_deg\":")
        bearing(guidance.segmentBearingRadians)
        writer.literal(",\"next_maneuver\":")
        if let next = guidance.nextManeuver { writer.integer(UInt64(next)) } else { writer.literal("null") }
        writer.literal(",\"distance_to_turn_m\":")
        writer.number(guidance.distanceToTurnMeters, decimals: 3)
        writer.literal(",\"straight_distance_to_turn_m\":")
        writer.number(guidance.straightDistanceToTurnMeters, decimals: 3)
        writer.literal(",\"turn_angle_deg\":")
        degrees(guidance.turnAngleRadians, decimals: 3)
        writer.literal(",\"distance_left_m\":")
        writer.number(guidance.distanceLeftMeters, decimals: 3)
        writer.literal(",\"time_left_s\":")
        writer.number(guidance.timeLeftSeconds, decimals: 3)
        writer.literal(",\"jump_count\":")
        writer.integer(UInt64(guidance.jumpCount))
        writer.literal(",\"jump_delta_m\":")
        writer.number(guidance.jumpDeltaMeters, decimals: 3)
        writer.literal(",\"in_tunnel\":")
        writer.boolean(guidance.isInTunnel)
        writer.literal("}")
    }

    private mutating func speed(_ speed: Frame.Speed) {
        writer.literal(",\"speed\":{\"speed_m_s\":")
        writer.number(speed.speedMetersPerSecond, decimals: 4)
        writer.literal(",\"limit_m_s\":")
        writer.number(speed.limitMetersPerSecond, decimals: 4)
        writer.literal(",\"ratio\":")
        writer.number(speed.ratio, decimals: 4)
        writer.literal(",\"colour\":")
        writer.name(speed.colour.wireName)
        writer.literal(",\"limit_source\":")
        writer.name(speed.limitSource.wireName)
        writer.literal(",\"next_limit_m_s\":")
        writer.number(speed.nextLimitMetersPerSecond, decimals: 4)
        writer.literal(",\"next_limit_distance_m\":")
        writer.number(speed.distanceToNextLimitMeters, decimals: 3)
        writer.literal(",\"next_limit_source\":")
        writer.name(speed.nextLimitSource.wireName)
        writer.literal(",\"curve_speed_m_s\":")
        writer.number(speed.curveSpeedMetersPerSecond, decimals: 4)
        writer.literal(",\"curve_distance_m\":")
        writer.number(speed.distanceToCurveMeters, decimals: 3)
        writer.literal(",\"has_condition\":")
        writer.boolean(speed.hasCondition)
        writer.literal(",\"indicated_m_s\":")
        writer.number(speed.indicatedMetersPerSecond, decimals: 4)
        writer.literal("}")
    }

    @inline(__always)
    private mutating func degrees(_ radians: Double?, decimals: Int) {
        writer.number(radians.map { $0 * Self.degreesPerRadian }, decimals: decimals)
    }

    /// A bearing in degrees with four decimals, in [0, 360) also after rounding.
    @inline(__always)
    private mutating func bearing(_ radians: Double?) {
        guard let radians, abs(radians) < 1e6 else { return writer.null() }
        let degrees = bearingDegrees(radians)
        writer.number(degrees < 359.99995 ? degrees : 0, decimals: 4)
    }

    /// Three numbers, or `null` when any of them cannot be written: half a vector is no vector.
    @inline(__always)
    private mutating func triple(_ triple: Frame.Triple?, decimals: Int) {
        guard let triple, triple.isWritable else { return writer.null() }
        writer.literal("[")
        writer.number(triple.x, decimals: decimals)
        writer.literal(",")
        writer.number(triple.y, decimals: decimals)
        writer.literal(",")
        writer.number(triple.z, decimals: decimals)
        writer.literal("]")
    }

    private static let degreesPerRadian = 180 / Double.pi
}

extension Frame.Triple {
    /// Whether all three can be written: finite, and not absurd. One comparison, which what is no number fails as well.
    @inline(__always)
    var isWritable: Bool { abs(x) + abs(y) + abs(z) < 1e9 }
}

extension Frame.Quadruple {
    /// Whether all four can be written: finite, and not absurd.
    @inline(__always)
    var isWritable: Bool { abs(w) + abs(x) + abs(y) + abs(z) < 1e9 }
}
