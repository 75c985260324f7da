// A frame's parts as members of its line, each after its key. Unknown is `null`.

extension JSONCursor {
    /// What every line begins with: its kind, its number, its times.
    mutating func head(_ frame: FrameMembers) {
        literal("{\"type\":\"frame\",\"seq\":")
        integer(frame[\.sequence])
        seconds(",\"t_s\":", nanoseconds: frame[\.timeNanoseconds])
        seconds(",\"utc_s\":", nanoseconds: frame[\.utcNanoseconds])
        seconds(",\"measured_s\":", nanoseconds: frame[\.measuredNanoseconds])
        seconds(",\"published_s\":", nanoseconds: frame[\.publishedNanoseconds])
    }

    /// Where and how turned, led by a comma.
    mutating func pose(_ frame: FrameMembers) {
        name(",\"pose\":{\"state\":", frame[\.pose.state].wireName)
        position(frame)
        motion(frame)
        attitude(frame)
        body(frame)
        bookkeeping(frame)
        literal("}")
    }

    private mutating func position(_ frame: FrameMembers) {
        degrees(",\"lat_deg\":", frame[\.pose.latitudeRadians], decimals: 9)
        degrees(",\"lon_deg\":", frame[\.pose.longitudeRadians], decimals: 9)
        number(",\"alt_hae_m\":", frame[\.pose.altitudeEllipsoidMeters], decimals: 4)
        number(",\"alt_msl_m\":", frame[\.pose.altitudeMeanSeaMeters], decimals: 4)
        triple(",\"sigma_enu_m\":", frame[\.pose.positionSigmaENUMeters], decimals: 4)
        triple(",\"enu_m\":", frame[\.pose.positionENUMeters], decimals: 4)
        integer(",\"origin\":{\"epoch\":", UInt64(frame[\.pose.originEpoch]))
        degrees(",\"lat_deg\":", frame[\.pose.originLatitudeRadians], decimals: 9)
        degrees(",\"lon_deg\":", frame[\.pose.originLongitudeRadians], decimals: 9)
        number(",\"alt_hae_m\":", frame[\.pose.originAltitudeEllipsoidMeters], decimals: 4)
        literal("}")
    }

    private mutating func motion(_ frame: FrameMembers) {
        triple(",\"vel_enu_m_s\":", frame[\.pose.velocityENUMetersPerSecond], decimals: 4)
        triple(",\"vel_sigma_enu_m_s\":", frame[\.pose.velocitySigmaENUMetersPerSecond], decimals: 4)
        triple(",\"accel_enu_m_s2\":", frame[\.pose.accelerationENUMetersPerSecondSquared], decimals: 4)
        bearing(",\"course_deg\":", frame[\.pose.courseOverGroundRadians])
    }

    private mutating func attitude(_ frame: FrameMembers) {
        quadruple(",\"q_enu_body\":", frame[\.pose.bodyToENU], decimals: 9)
        degrees(",\"roll_deg\":", frame[\.pose.rollRadians], decimals: 4)
        degrees(",\"pitch_deg\":", frame[\.pose.pitchRadians], decimals: 4)
        bearing(",\"heading_deg\":", frame[\.pose.headingTrueRadians])
        bearing(",\"heading_magnetic_deg\":", frame[\.pose.headingMagneticRadians])
        degrees(",\"tilt_sigma_deg\":", frame[\.pose.tiltSigmaRadians], decimals: 4)
        degrees(",\"heading_sigma_deg\":", frame[\.pose.headingSigmaRadians], decimals: 4)
        degrees(",\"heading_trim_deg\":", frame[\.pose.headingTrimRadians], decimals: 4)
        degrees(",\"turn_rate_deg_s\":", frame[\.pose.turnRateRadiansPerSecond], decimals: 4)
    }

    private mutating func body(_ frame: FrameMembers) {
        triple(",\"rate_body_rad_s\":", frame[\.pose.angularRateBodyRadiansPerSecond], decimals: 6)
        triple(",\"accel_body_m_s2\":", frame[\.pose.linearAccelerationBodyMetersPerSecondSquared], decimals: 4)
        triple(",\"gravity_body\":", frame[\.pose.gravityDirectionBody], decimals: 6)
        number(",\"slip_m_s2\":", frame[\.pose.slipMetersPerSecondSquared], decimals: 4)
        boolean(",\"standing_still\":", frame[\.pose.isStandingStill])
    }

    private mutating func bookkeeping(_ frame: FrameMembers) {
        number(",\"fix_age_s\":", frame[\.pose.fixAgeSeconds], decimals: 3)
        integer(",\"fix_mode\":", UInt64(frame[\.pose.fixMode]))
        integer(",\"satellites_used\":", frame[\.pose.satellitesUsed].map { UInt64($0) })
        integer(",\"reset_count\":", UInt64(frame[\.pose.resetCount]))
        triple(",\"reset_delta_enu_m\":", frame[\.pose.resetDeltaENUMeters], decimals: 4)
        degrees(",\"reset_delta_heading_deg\":", frame[\.pose.resetDeltaHeadingRadians], decimals: 4)
        triple(",\"glide_enu_m\":", frame[\.pose.glideENUMeters], decimals: 4)
        degrees(",\"glide_heading_deg\":", frame[\.pose.glideHeadingRadians], decimals: 4)
    }

    /// Along the route, led by a comma.
    mutating func guidance(_ frame: FrameMembers) {
        name(",\"guidance\":{\"state\":", frame[\.guidance.state].wireName)
        integer(",\"route_version\":", UInt64(frame[\.guidance.routeVersion]))
        number(",\"progress_m\":", frame[\.guidance.progressMeters], decimals: 3)
        number(",\"cross_track_m\":", frame[\.guidance.crossTrackMeters], decimals: 3)
        bearing(",\"segment_bearing_deg\":", frame[\.guidance.segmentBearingRadians])
        integer(",\"next_maneuver\":", frame[\.guidance.nextManeuver].map { UInt64($0) })
        number(",\"distance_to_turn_m\":", frame[\.guidance.distanceToTurnMeters], decimals: 3)
        number(",\"straight_distance_to_turn_m\":", frame[\.guidance.straightDistanceToTurnMeters], decimals: 3)
        degrees(",\"turn_angle_deg\":", frame[\.guidance.turnAngleRadians], decimals: 3)
        number(",\"distance_left_m\":", frame[\.guidance.distanceLeftMeters], decimals: 3)
        number(",\"time_left_s\":", frame[\.guidance.timeLeftSeconds], decimals: 3)
        integer(",\"jump_count\":", UInt64(frame[\.guidance.jumpCount]))
        number(",\"jump_delta_m\":", frame[\.guidance.jumpDeltaMeters], decimals: 3)
        boolean(",\"in_tunnel\":", frame[\.guidance.isInTunnel])
        literal("}")
    }

    /// How fast against the limit, led by a comma.
    mutating func speed(_ frame: FrameMembers) {
        number(",\"speed\":{\"speed_m_s\":", frame[\.speed.speedMetersPerSecond], decimals: 4)
        number(",\"limit_m_s\":", frame[\.speed.limitMetersPerSecond], decimals: 4)
        number(",\"ratio\":", frame[\.speed.ratio], decimals: 4)
        name(",\"colour\":", frame[\.speed.colour].wireName)
        name(",\"limit_source\":", frame[\.speed.limitSource].wireName)
        number(",\"next_limit_m_s\":", frame[\.speed.nextLimitMetersPerSecond], decimals: 4)
        number(",\"next_limit_distance_m\":", frame[\.speed.distanceToNextLimitMeters], decimals: 3)
        name(",\"next_limit_source\":", frame[\.speed.nextLimitSource].wireName)
        number(",\"curve_speed_m_s\":", frame[\.speed.curveSpeedMetersPerSecond], decimals: 4)
        number(",\"curve_distance_m\":", frame[\.speed.distanceToCurveMeters], decimals: 3)
        boolean(",\"has_condition\":", frame[\.speed.hasCondition])
        number(",\"indicated_m_s\":", frame[\.speed.indicatedMetersPerSecond], decimals: 4)
        literal("}")
    }

    /// The state of each source, led by a comma.
    mutating func sources(_ sources: Frame.Sources) {
        name(",\"sources\":{\"gps\":", sources.gps.wireName)
        name(",\"imu\":", sources.imu.wireName)
        name(",\"magnetometer\":", sources.magnetometer.wireName)
        name(",\"barometer\":", sources.barometer.wireName)
        name(",\"wheels\":", sources.wheels.wireName)
        literal("}")
    }
}

extension JSONCursor {
    @inline(__always)
    private mutating func number(_ key: StaticString, _ value: Double?, decimals: Int) {
        literal(key)
        number(value, decimals: decimals)
    }

    @inline(__always)
    private mutating func degrees(_ key: StaticString, _ radians: Double?, decimals: Int) {
        literal(key)
        number(radians.map { $0 * degreesPerRadian }, decimals: decimals)
    }

    /// A bearing in degrees with four decimals, in [0, 360) also after rounding.
    @inline(__always)
    private mutating func bearing(_ key: StaticString, _ radians: Double?) {
        literal(key)
        number(bearingDegrees(radians, decimals: 4), decimals: 4)
    }

    @inline(__always)
    private mutating func triple(_ key: StaticString, _ value: Frame.Triple?, decimals: Int) {
        literal(key)
        triple(value, decimals: decimals)
    }

    @inline(__always)
    private mutating func quadruple(_ key: StaticString, _ value: Frame.Quadruple?, decimals: Int) {
        literal(key)
        quadruple(value, decimals: decimals)
    }

    @inline(__always)
    private mutating func integer(_ key: StaticString, _ value: UInt64?) {
        literal(key)
        if let value { integer(value) } else { null() }
    }

    @inline(__always)
    private mutating func seconds(_ key: StaticString, nanoseconds: Int64?) {
        literal(key)
        if let nanoseconds { seconds(nanoseconds: nanoseconds) } else { null() }
    }

    @inline(__always)
    private mutating func boolean(_ key: StaticString, _ value: Bool) {
        literal(key)
        boolean(value)
    }

    @inline(__always)
    private mutating func name(_ key: StaticString, _ value: StaticString) {
        literal(key)
        name(value)
    }
}
