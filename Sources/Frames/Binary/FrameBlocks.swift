import CPosed

// A frame's parts written where they lie in the packet, as the structs of posed.h. What is unknown, not finite or
// absurd leaves its bit cleared and its field 0; every field of a block is written each time, so that nothing of the
// frame before remains.

extension UnsafeMutablePointer where Pointee == posed_stamp {
    /// Writes the frame's times; the count of losses is the client's own and set later.
    @inline(__always)
    func write(_ frame: FrameMembers) {
        var valid: UInt32 = 0
        pointee.frame_sequence = frame[\.sequence]
        pointee.time_ns = frame[\.timeNanoseconds]
        if let utc = frame[\.utcNanoseconds] {
            pointee.utc_ns = utc
            valid = POSED_STAMP_UTC
        } else {
            pointee.utc_ns = 0
        }
        pointee.measured_ns = frame[\.measuredNanoseconds]
        pointee.reset_count = frame[\.pose.resetCount]
        pointee.origin_epoch = frame[\.pose.originEpoch]
        pointee.published_ns = frame[\.publishedNanoseconds]
        pointee.block = posed_block(id: POSED_BLOCK_STAMP, size: MemoryLayout<posed_stamp>.size, valid: valid)
    }
}

extension UnsafeMutablePointer where Pointee == posed_pose {
    /// Writes the pose in degrees.
    @inline(__always)
    func write(_ frame: FrameMembers) {
        var valid: UInt32 = 0
        pointee.state = frame[\.pose.state].rawValue
        pointee.fix_mode = frame[\.pose.fixMode]
        pointee.flags = frame[\.pose.isStandingStill] ? POSED_POSE_STANDING_STILL : 0
        pointee.origin_epoch = frame[\.pose.originEpoch]
        pointee.reset_count = frame[\.pose.resetCount]
        pointee.satellites_used = frame[\.pose.satellitesUsed] ?? 0
        if frame[\.pose.satellitesUsed] != nil { valid |= POSED_POSE_SATELLITES }
        valid |= writePlace(frame)
        valid |= writeMotion(frame)
        valid |= writeAttitude(frame)
        valid |= writeBody(frame)
        pointee.block = posed_block(id: POSED_BLOCK_POSE, size: MemoryLayout<posed_pose>.size, valid: valid)
    }

    @inline(__always)
    private func writePlace(_ frame: FrameMembers) -> UInt32 {
        var valid: UInt32 = 0
        (pointee.lat_deg, pointee.lon_deg) = pair(
            frame[\.pose.latitudeRadians], frame[\.pose.longitudeRadians], POSED_POSE_POSITION, &valid)
        pointee.alt_hae_m = number(frame[\.pose.altitudeEllipsoidMeters], POSED_POSE_ALT_HAE, &valid)
        pointee.alt_msl_m = number(frame[\.pose.altitudeMeanSeaMeters], POSED_POSE_ALT_MSL, &valid)
        pointee.sigma_enu_m = triple(frame[\.pose.positionSigmaENUMeters], POSED_POSE_SIGMA, &valid)
        pointee.enu_m = triple(frame[\.pose.positionENUMeters], POSED_POSE_ENU, &valid)
        (pointee.origin_lat_deg, pointee.origin_lon_deg) = pair(
            frame[\.pose.originLatitudeRadians], frame[\.pose.originLongitudeRadians], POSED_POSE_ORIGIN, &valid)
        pointee.origin_alt_hae_m = number(
            frame[\.pose.originAltitudeEllipsoidMeters], POSED_POSE_ORIGIN_ALT_HAE, &valid)
        return valid
    }

    @inline(__always)
    private func writeMotion(_ frame: FrameMembers) -> UInt32 {
        var valid: UInt32 = 0
        pointee.vel_enu_m_s = triple(frame[\.pose.velocityENUMetersPerSecond], POSED_POSE_VEL, &valid)
        pointee.vel_sigma_enu_m_s = triple(frame[\.pose.velocitySigmaENUMetersPerSecond], POSED_POSE_VEL_SIGMA, &valid)
        pointee.course_deg = bearing(frame[\.pose.courseOverGroundRadians], POSED_POSE_COURSE, &valid)
        pointee.accel_enu_m_s2 = triple(
            frame[\.pose.accelerationENUMetersPerSecondSquared], POSED_POSE_ACCEL_ENU, &valid)
        pointee.turn_rate_deg_s = degrees(frame[\.pose.turnRateRadiansPerSecond], POSED_POSE_TURN_RATE, &valid)
        return valid
    }

    @inline(__always)
    private func writeAttitude(_ frame: FrameMembers) -> UInt32 {
        var valid: UInt32 = 0
        pointee.q_enu_body = quadruple(frame[\.pose.bodyToENU], POSED_POSE_Q, &valid)
        pointee.roll_deg = degrees(frame[\.pose.rollRadians], POSED_POSE_ROLL, &valid)
        pointee.pitch_deg = degrees(frame[\.pose.pitchRadians], POSED_POSE_PITCH, &valid)
        pointee.heading_deg = bearing(frame[\.pose.headingTrueRadians], POSED_POSE_HEADING, &valid)
        pointee.heading_magnetic_deg = bearing(
            frame[\.pose.headingMagneticRadians], POSED_POSE_HEADING_MAGNETIC, &valid)
        pointee.tilt_sigma_deg = degrees(frame[\.pose.tiltSigmaRadians], POSED_POSE_TILT_SIGMA, &valid)
        pointee.heading_sigma_deg = degrees(frame[\.pose.headingSigmaRadians], POSED_POSE_HEADING_SIGMA, &valid)
        return valid
    }

    @inline(__always)
    private func writeBody(_ frame: FrameMembers) -> UInt32 {
        var valid: UInt32 = 0
        pointee.rate_body_rad_s = triple(frame[\.pose.angularRateBodyRadiansPerSecond], POSED_POSE_RATE, &valid)
        pointee.accel_body_m_s2 = triple(
            frame[\.pose.linearAccelerationBodyMetersPerSecondSquared], POSED_POSE_ACCEL, &valid)
        pointee.gravity_body = triple(frame[\.pose.gravityDirectionBody], POSED_POSE_GRAVITY, &valid)
        pointee.slip_m_s2 = number(frame[\.pose.slipMetersPerSecondSquared], POSED_POSE_SLIP, &valid)
        pointee.fix_age_s = number(frame[\.pose.fixAgeSeconds], POSED_POSE_FIX_AGE, &valid)
        // These are always known.
        var always: UInt32 = 0
        pointee.heading_trim_deg = degrees(frame[\.pose.headingTrimRadians], 0, &always)
        pointee.reset_delta_enu_m = triple(frame[\.pose.resetDeltaENUMeters], 0, &always)
        pointee.reset_delta_heading_deg = degrees(frame[\.pose.resetDeltaHeadingRadians], 0, &always)
        pointee.glide_enu_m = triple(frame[\.pose.glideENUMeters], 0, &always)
        pointee.glide_heading_deg = degrees(frame[\.pose.glideHeadingRadians], 0, &always)
        return valid
    }
}

extension UnsafeMutablePointer where Pointee == posed_guidance {
    /// Writes the guidance in degrees.
    @inline(__always)
    func write(_ frame: FrameMembers) {
        var (valid, always): (UInt32, UInt32) = (0, 0)
        pointee.state = frame[\.guidance.state].rawValue
        pointee.route_version = frame[\.guidance.routeVersion]
        pointee.next_maneuver = frame[\.guidance.nextManeuver] ?? 0
        if frame[\.guidance.nextManeuver] != nil { valid |= POSED_GUIDANCE_NEXT_MANEUVER }
        pointee.progress_m = number(frame[\.guidance.progressMeters], POSED_GUIDANCE_PROGRESS, &valid)
        pointee.cross_track_m = number(frame[\.guidance.crossTrackMeters], POSED_GUIDANCE_CROSS_TRACK, &valid)
        pointee.segment_bearing_deg = bearing(
            frame[\.guidance.segmentBearingRadians], POSED_GUIDANCE_SEGMENT_BEARING, &valid)
        pointee.distance_to_turn_m = number(
            frame[\.guidance.distanceToTurnMeters], POSED_GUIDANCE_DISTANCE_TO_TURN, &valid)
        pointee.straight_distance_to_turn_m = number(
            frame[\.guidance.straightDistanceToTurnMeters], POSED_GUIDANCE_STRAIGHT_DISTANCE, &valid)
        pointee.turn_angle_deg = degrees(frame[\.guidance.turnAngleRadians], POSED_GUIDANCE_TURN_ANGLE, &valid)
        pointee.distance_left_m = number(frame[\.guidance.distanceLeftMeters], POSED_GUIDANCE_DISTANCE_LEFT, &valid)
        pointee.time_left_s = number(frame[\.guidance.timeLeftSeconds], POSED_GUIDANCE_TIME_LEFT, &valid)
        pointee.jump_count = frame[\.guidance.jumpCount]
        pointee.flags = frame[\.guidance.isInTunnel] ? POSED_GUIDANCE_IN_TUNNEL : 0
        pointee.jump_delta_m = number(frame[\.guidance.jumpDeltaMeters], 0, &always)
        pointee.block = posed_block(id: POSED_BLOCK_GUIDANCE, size: MemoryLayout<posed_guidance>.size, valid: valid)
    }
}

extension UnsafeMutablePointer where Pointee == posed_speed {
    /// Writes the speed against the limit.
    @inline(__always)
    func write(_ frame: FrameMembers) {
        var valid: UInt32 = 0
        pointee.colour = frame[\.speed.colour].rawValue
        pointee.limit_source = frame[\.speed.limitSource].rawValue
        pointee.speed_m_s = number(frame[\.speed.speedMetersPerSecond], POSED_SPEED_SPEED, &valid)
        pointee.limit_m_s = number(frame[\.speed.limitMetersPerSecond], POSED_SPEED_LIMIT, &valid)
        pointee.ratio = number(frame[\.speed.ratio], POSED_SPEED_RATIO, &valid)
        pointee.next_limit_m_s = number(frame[\.speed.nextLimitMetersPerSecond], POSED_SPEED_NEXT_LIMIT, &valid)
        pointee.next_limit_distance_m = number(
            frame[\.speed.distanceToNextLimitMeters], POSED_SPEED_NEXT_LIMIT_DISTANCE, &valid)
        pointee.curve_speed_m_s = number(frame[\.speed.curveSpeedMetersPerSecond], POSED_SPEED_CURVE, &valid)
        pointee.curve_distance_m = number(frame[\.speed.distanceToCurveMeters], POSED_SPEED_CURVE_DISTANCE, &valid)
        pointee.indicated_m_s = number(frame[\.speed.indicatedMetersPerSecond], POSED_SPEED_INDICATED, &valid)
        pointee.next_limit_source = frame[\.speed.nextLimitSource].rawValue
        pointee.flags = frame[\.speed.hasCondition] ? UInt8(POSED_SPEED_CONDITION) : 0
        pointee.block = posed_block(id: POSED_BLOCK_SPEED, size: MemoryLayout<posed_speed>.size, valid: valid)
    }
}

extension UnsafeMutablePointer where Pointee == posed_sources {
    /// Writes the state of each source.
    @inline(__always)
    func write(_ frame: FrameMembers) {
        pointee.block = posed_block(id: POSED_BLOCK_SOURCES, size: MemoryLayout<posed_sources>.size, valid: 0)
        pointee.gps = frame[\.sources.gps].rawValue
        pointee.imu = frame[\.sources.imu].rawValue
        pointee.magnetometer = frame[\.sources.magnetometer].rawValue
        pointee.barometer = frame[\.sources.barometer].rawValue
        pointee.wheels = frame[\.sources.wheels].rawValue
    }
}

/// Whether a number's magnitude is below a bound; what is no number or infinite is not. As whole numbers, magnitudes
/// have the same order.
@inline(__always)
private func isBelow(_ bound: Double, _ value: Double) -> Bool { value.bitPattern &<< 1 < bound.bitPattern &<< 1 }

@inline(__always)
private func number(_ value: Double?, _ bit: UInt32, _ valid: inout UInt32) -> Double {
    guard let value, isBelow(1e12, value) else { return 0 }
    valid |= bit
    return value
}

@inline(__always)
private func degrees(_ radians: Double?, _ bit: UInt32, _ valid: inout UInt32) -> Double {
    guard let radians, isBelow(1e6, radians) else { return 0 }
    valid |= bit
    return radians * degreesPerRadian
}

@inline(__always)
private func pair(_ first: Double?, _ second: Double?, _ bit: UInt32, _ valid: inout UInt32) -> (Double, Double) {
    guard let first, let second, abs(first) < 10, abs(second) < 10 else { return (0, 0) }
    valid |= bit
    return (first * degreesPerRadian, second * degreesPerRadian)
}

@inline(__always)
private func bearing(_ radians: Double?, _ bit: UInt32, _ valid: inout UInt32) -> Double {
    guard let radians, isBelow(1e6, radians) else { return 0 }
    valid |= bit
    return bearingDegrees(radians)
}

@inline(__always)
private func triple(_ triple: Frame.Triple?, _ bit: UInt32, _ valid: inout UInt32) -> (Double, Double, Double) {
    guard let triple, triple.isWritable else { return (0, 0, 0) }
    valid |= bit
    return (triple.x, triple.y, triple.z)
}

@inline(__always)
private func quadruple(_ quadruple: Frame.Quadruple?, _ bit: UInt32, _ valid: inout UInt32) -> (
    Double, Double, Double, Double
) {
    guard let quadruple, quadruple.isWritable else { return (0, 0, 0, 0) }
    valid |= bit
    return (quadruple.w, quadruple.x, quadruple.y, quadruple.z)
}
