import CPosed

// A frame's parts as the structs of posed.h. What is unknown, not finite or absurd leaves its bit cleared and its field 0.

extension posed_stamp {
    /// The frame's times; the count of losses is the client's own and set later.
    init(_ frame: Frame) {
        self.init()
        block = posed_block(id: POSED_BLOCK_STAMP, size: MemoryLayout<posed_stamp>.size)
        frame_sequence = frame.sequence
        time_ns = frame.timeNanoseconds
        if let utc = frame.utcNanoseconds {
            utc_ns = utc
            block.valid = POSED_STAMP_UTC
        }
    }
}

extension posed_pose {
    /// The pose in degrees.
    init(_ pose: Frame.Pose) {
        self.init()
        block = posed_block(id: POSED_BLOCK_POSE, size: MemoryLayout<posed_pose>.size)
        state = pose.state.rawValue
        fix_mode = pose.fixMode
        flags = pose.isStandingStill ? POSED_POSE_STANDING_STILL : 0
        origin_epoch = pose.originEpoch
        reset_count = pose.resetCount
        if let satellites = pose.satellitesUsed {
            satellites_used = satellites
            block.valid |= POSED_POSE_SATELLITES
        }
        setPlace(pose)
        setMotion(pose)
        setAttitude(pose)
        setBody(pose)
    }

    private mutating func setPlace(_ pose: Frame.Pose) {
        putPair(pose.latitudeRadians, pose.longitudeRadians, &lat_deg, &lon_deg, POSED_POSE_POSITION, &block.valid)
        put(pose.altitudeEllipsoidMeters, &alt_hae_m, POSED_POSE_ALT_HAE, &block.valid)
        put(pose.altitudeMeanSeaMeters, &alt_msl_m, POSED_POSE_ALT_MSL, &block.valid)
        put(pose.positionSigmaENUMeters, &sigma_enu_m, POSED_POSE_SIGMA, &block.valid)
        put(pose.positionENUMeters, &enu_m, POSED_POSE_ENU, &block.valid)
        putPair(pose.originLatitudeRadians, pose.originLongitudeRadians, &origin_lat_deg, &origin_lon_deg, POSED_POSE_ORIGIN, &block.valid)
        put(pose.originAltitudeEllipsoidMeters, &origin_alt_hae_m, POSED_POSE_ORIGIN_ALT_HAE, &block.valid)
    }

    private mutating func setMotion(_ pose: Frame.Pose) {
        put(pose.velocityENUMetersPerSecond, &vel_enu_m_s, POSED_POSE_VEL, &block.valid)
        put(pose.velocitySigmaENUMetersPerSecond, &vel_sigma_enu_m_s, POSED_POSE_VEL_SIGMA, &block.valid)
        putBearing(pose.courseOverGroundRadians, &course_deg, POSED_POSE_COURSE, &block.valid)
    }

    private mutating func setAttitude(_ pose: Frame.Pose) {
        if let q = pose.bodyToENU, q.isWritable {
            q_enu_body = (q.w, q.x, q.y, q.z)
            block.valid |= POSED_POSE_Q
        }
        putDegrees(pose.rollRadians, &roll_deg, POSED_POSE_ROLL, &block.valid)
        putDegrees(pose.pitchRadians, &pitch_deg, POSED_POSE_PITCH, &block.valid)
        putBearing(pose.headingTrueRadians, &heading_deg, POSED_POSE_HEADING, &block.valid)
        putBearing(pose.headingMagneticRadians, &heading_magnetic_deg, POSED_POSE_HEADING_MAGNETIC, &block.valid)
        putDegrees(pose.tiltSigmaRadians, &tilt_sigma_deg, POSED_POSE_TILT_SIGMA, &block.valid)
        putDegrees(pose.headingSigmaRadians, &heading_sigma_deg, POSED_POSE_HEADING_SIGMA, &block.valid)
    }

    private mutating func setBody(_ pose: Frame.Pose) {
        put(pose.angularRateBodyRadiansPerSecond, &rate_body_rad_s, POSED_POSE_RATE, &block.valid)
        put(pose.linearAccelerationBodyMetersPerSecondSquared, &accel_body_m_s2, POSED_POSE_ACCEL, &block.valid)
        put(pose.gravityDirectionBody, &gravity_body, POSED_POSE_GRAVITY, &block.valid)
        put(pose.slipMetersPerSecondSquared, &slip_m_s2, POSED_POSE_SLIP, &block.valid)
        put(pose.fixAgeSeconds, &fix_age_s, POSED_POSE_FIX_AGE, &block.valid)
        var always: UInt32 = 0
        putDegrees(pose.headingTrimRadians, &heading_trim_deg, 0, &always)
        put(pose.resetDeltaENUMeters, &reset_delta_enu_m, 0, &always)
        putDegrees(pose.resetDeltaHeadingRadians, &reset_delta_heading_deg, 0, &always)
    }
}

extension posed_guidance {
    /// The guidance in degrees.
    init(_ guidance: Frame.Guidance) {
        self.init()
        block = posed_block(id: POSED_BLOCK_GUIDANCE, size: MemoryLayout<posed_guidance>.size)
        state = guidance.state.rawValue
        route_version = guidance.routeVersion
        if let next = guidance.nextManeuver {
            next_maneuver = next
            block.valid |= POSED_GUIDANCE_NEXT_MANEUVER
        }
        put(guidance.progressMeters, &progress_m, POSED_GUIDANCE_PROGRESS, &block.valid)
        put(guidance.crossTrackMeters, &cross_track_m, POSED_GUIDANCE_CROSS_TRACK, &block.valid)
        putBearing(guidance.segmentBearingRadians, &segment_bearing_deg, POSED_GUIDANCE_SEGMENT_BEARING, &block.valid)
        put(guidance.distanceToTurnMeters, &distance_to_turn_m, POSED_GUIDANCE_DISTANCE_TO_TURN, &block.valid)
        put(guidance.straightDistanceToTurnMeters, &straight_distance_to_turn_m, POSED_GUIDANCE_STRAIGHT_DISTANCE, &block.valid)
        putDegrees(guidance.turnAngleRadians, &turn_angle_deg, POSED_GUIDANCE_TURN_ANGLE, &block.valid)
        put(guidance.distanceLeftMeters, &distance_left_m, POSED_GUIDANCE_DISTANCE_LEFT, &block.valid)
        put(guidance.timeLeftSeconds, &time_left_s, POSED_GUIDANCE_TIME_LEFT, &block.valid)
    }
}

extension posed_speed {
    /// The speed against the limit.
    init(_ speed: Frame.Speed) {
        self.init()
        block = posed_block(id: POSED_BLOCK_SPEED, size: MemoryLayout<posed_speed>.size)
        colour = speed.colour.rawValue
        limit_source = speed.limitSource.rawValue
        put(speed.speedMetersPerSecond, &speed_m_s, POSED_SPEED_SPEED, &block.valid)
        put(speed.limitMetersPerSecond, &limit_m_s, POSED_SPEED_LIMIT, &block.valid)
        put(speed.ratio, &ratio, POSED_SPEED_RATIO, &block.valid)
    }
}

extension posed_sources {
    /// The state of each source.
    init(_ sources: Frame.Sources) {
        self.init()
        block = posed_block(id: POSED_BLOCK_SOURCES, size: MemoryLayout<posed_sources>.size)
        gps = sources.gps.rawValue
        imu = sources.imu.rawValue
        magnetometer = sources.magnetometer.rawValue
        barometer = sources.barometer.rawValue
        wheels = sources.wheels.rawValue
    }
}

private let degreesPerRadian = 180 / Double.pi

@inline(__always)
private func put(_ value: Double?, _ field: inout Double, _ bit: UInt32, _ valid: inout UInt32) {
    guard let value, abs(value) < 1e12 else { return }
    field = value
    valid |= bit
}

@inline(__always)
private func putDegrees(_ radians: Double?, _ field: inout Double, _ bit: UInt32, _ valid: inout UInt32) {
    guard let radians, abs(radians) < 1e6 else { return }
    field = radians * degreesPerRadian
    valid |= bit
}

@inline(__always)
private func putPair(_ first: Double?, _ second: Double?, _ a: inout Double, _ b: inout Double, _ bit: UInt32, _ valid: inout UInt32) {
    guard let first, let second, abs(first) < 10, abs(second) < 10 else { return }
    a = first * degreesPerRadian
    b = second * degreesPerRadian
    valid |= bit
}

@inline(__always)
private func putBearing(_ radians: Double?, _ field: inout Double, _ bit: UInt32, _ valid: inout UInt32) {
    guard let radians, abs(radians) < 1e6 else { return }
    field = bearingDegrees(radians)
    valid |= bit
}

@inline(__always)
private func put(_ triple: Frame.Triple?, _ field: inout (Double, Double, Double), _ bit: UInt32, _ valid: inout UInt32) {
    guard let triple, triple.isWritable else { return }
    field = (triple.x, triple.y, triple.z)
    valid |= bit
}

/// A finite bearing in degrees, in [0, 360).
@inline(__always)
func bearingDegrees(_ radians: Double) -> Double {
    let turns = radians / (2 * Double.pi)
    let degrees = (turns - turns.rounded(.down)) * 360
    return degrees < 360 ? degrees : 0
}
