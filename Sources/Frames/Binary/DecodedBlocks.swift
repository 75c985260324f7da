import CPosed

// The structs of posed.h as values of this module. A bit that is not set, a number that is not finite and a code that
// this version does not know all become what means "not known", the last of them the least trusting one.

extension Blocks {
    func hello() throws(BinaryError) -> Message.Hello {
        let block = try need(POSED_BLOCK_HELLO, as: posed_hello.self)
        var hello = Message.Hello(
            release: try text(POSED_BLOCK_HELLO, offset: block.text_offset, length: block.text_length))
        hello.topics = Topics(rawValue: block.topics)
        hello.defaultRateMillihertz = block.default_rate_mhz
        hello.slowestRateMillihertz = block.slowest_rate_mhz
        hello.fastestRateMillihertz = block.fastest_rate_mhz
        return hello
    }

    func subscription() throws(BinaryError) -> Message.Subscription {
        let block = try need(POSED_BLOCK_SUBSCRIBE, as: posed_subscribe.self)
        var wish = Message.Subscription(topics: Topics(rawValue: block.topics), rateMillihertz: block.rate_mhz)
        wish.wantsEvery = block.flags & POSED_SUBSCRIBE_EVERY != 0
        wish.isSmooth = block.flags & POSED_SUBSCRIBE_SMOOTH != 0
        wish.wantsSharedMemory = block.flags & POSED_SUBSCRIBE_SHARED != 0
        return wish
    }

    func maneuver() throws(BinaryError) -> Message.Maneuver {
        let block = try need(POSED_BLOCK_MANEUVER, as: posed_maneuver.self)
        let valid = block.block.valid
        var maneuver = Message.Maneuver(routeVersion: block.route_version)
        if valid & POSED_MANEUVER_PRESENT != 0 { maneuver.index = block.index }
        maneuver.latitudeRadians = degrees(block.lat_deg, valid & POSED_MANEUVER_POSITION)
        maneuver.longitudeRadians = degrees(block.lon_deg, valid & POSED_MANEUVER_POSITION)
        maneuver.turnAngleRadians = degrees(block.turn_angle_deg, valid & POSED_MANEUVER_TURN_ANGLE)
        maneuver.alongRouteMeters = block.along_route_m.isFinite ? block.along_route_m : 0
        maneuver.text = try text(POSED_BLOCK_MANEUVER, offset: block.text_offset, length: block.text_length)
        maneuver.kind = try text(POSED_BLOCK_MANEUVER, offset: block.kind_offset, length: block.kind_length)
        guard valid & POSED_MANEUVER_LANES != 0 else { return maneuver }
        maneuver.lanes = try elements(
            POSED_BLOCK_MANEUVER, count: block.lane_count, size: block.lane_size, offset: block.lane_offset,
            as: posed_lane.self
        ).map { Message.Lane($0) }
        return maneuver
    }

    /// `nil` for an event of a kind this version does not know.
    func event() throws(BinaryError) -> Message.Event? {
        let block = try need(POSED_BLOCK_EVENT, as: posed_event.self)
        let change: Message.Change
        switch UInt32(block.kind) {
        case POSED_EVENT_POSE_STATE: change = .poseState(.init(code: block.code))
        case POSED_EVENT_GUIDANCE_STATE: change = .guidanceState(.init(code: block.code))
        case POSED_EVENT_SOURCE_STATE:
            guard let name = Message.SourceName(rawValue: block.subject) else { return nil }
            change = .source(name, .init(code: block.code))
        case POSED_EVENT_ROUTE: change = .route(version: block.code)
        case POSED_EVENT_RESET: change = .reset(count: block.code)
        case POSED_EVENT_ORIGIN: change = .origin(epoch: block.code)
        case POSED_EVENT_TARGET: change = .target(number: block.subject, isNear: block.code == POSED_TARGET_NEAR)
        default: return nil
        }
        return Message.Event(timeNanoseconds: block.time_ns, change: change)
    }

    func bye() throws(BinaryError) -> Message.Bye {
        let block = try need(POSED_BLOCK_BYE, as: posed_bye.self)
        return Message.Bye(
            reason: Message.ByeReason(rawValue: block.reason) ?? .unknown,
            text: try text(POSED_BLOCK_BYE, offset: block.text_offset, length: block.text_length))
    }

    func frame() throws(BinaryError) -> Message {
        let stamp = try need(POSED_BLOCK_STAMP, as: posed_stamp.self)
        var frame = Frame()
        var topics: Topics = []
        frame.sequence = stamp.frame_sequence
        frame.timeNanoseconds = stamp.time_ns
        frame.measuredNanoseconds = stamp.measured_ns
        frame.publishedNanoseconds = stamp.published_ns
        frame.pose.resetCount = stamp.reset_count
        frame.pose.originEpoch = stamp.origin_epoch
        if stamp.block.valid & POSED_STAMP_UTC != 0 { frame.utcNanoseconds = stamp.utc_ns }
        if let block = try find(POSED_BLOCK_POSE, as: posed_pose.self) {
            frame.pose = pose(block)
            topics.insert(.pose)
        }
        if let block = try find(POSED_BLOCK_GUIDANCE, as: posed_guidance.self) {
            frame.guidance = guidance(block)
            topics.insert(.guidance)
        }
        if let block = try find(POSED_BLOCK_SPEED, as: posed_speed.self) {
            frame.speed = speed(block)
            topics.insert(.speed)
        }
        if let block = try find(POSED_BLOCK_SOURCES, as: posed_sources.self) {
            frame.sources = sources(block)
            topics.insert(.sources)
        }
        return .frame(frame, Message.Delivery(topics: topics, dropped: stamp.dropped))
    }

    private func pose(_ block: posed_pose) -> Frame.Pose {
        let valid = block.block.valid
        var pose = Frame.Pose()
        pose.state = .init(code: UInt32(block.state))
        pose.fixMode = block.fix_mode
        pose.satellitesUsed = valid & POSED_POSE_SATELLITES != 0 ? block.satellites_used : nil
        pose.isStandingStill = block.flags & POSED_POSE_STANDING_STILL != 0
        pose.originEpoch = block.origin_epoch
        pose.resetCount = block.reset_count
        pose.latitudeRadians = degrees(block.lat_deg, valid & POSED_POSE_POSITION)
        pose.longitudeRadians = degrees(block.lon_deg, valid & POSED_POSE_POSITION)
        pose.altitudeEllipsoidMeters = plain(block.alt_hae_m, valid & POSED_POSE_ALT_HAE)
        pose.altitudeMeanSeaMeters = plain(block.alt_msl_m, valid & POSED_POSE_ALT_MSL)
        pose.positionSigmaENUMeters = triple(block.sigma_enu_m, valid & POSED_POSE_SIGMA)
        pose.positionENUMeters = triple(block.enu_m, valid & POSED_POSE_ENU)
        pose.originLatitudeRadians = degrees(block.origin_lat_deg, valid & POSED_POSE_ORIGIN)
        pose.originLongitudeRadians = degrees(block.origin_lon_deg, valid & POSED_POSE_ORIGIN)
        pose.originAltitudeEllipsoidMeters = plain(block.origin_alt_hae_m, valid & POSED_POSE_ORIGIN_ALT_HAE)
        pose.velocityENUMetersPerSecond = triple(block.vel_enu_m_s, valid & POSED_POSE_VEL)
        pose.velocitySigmaENUMetersPerSecond = triple(block.vel_sigma_enu_m_s, valid & POSED_POSE_VEL_SIGMA)
        pose.courseOverGroundRadians = degrees(block.course_deg, valid & POSED_POSE_COURSE)
        setAttitude(&pose, block)
        return pose
    }

    private func setAttitude(_ pose: inout Frame.Pose, _ block: posed_pose) {
        let valid = block.block.valid
        let q = Frame.Quadruple(block.q_enu_body.0, block.q_enu_body.1, block.q_enu_body.2, block.q_enu_body.3)
        pose.bodyToENU = valid & POSED_POSE_Q != 0 && q.isWritable ? q : nil
        pose.rollRadians = degrees(block.roll_deg, valid & POSED_POSE_ROLL)
        pose.pitchRadians = degrees(block.pitch_deg, valid & POSED_POSE_PITCH)
        pose.headingTrueRadians = degrees(block.heading_deg, valid & POSED_POSE_HEADING)
        pose.headingMagneticRadians = degrees(block.heading_magnetic_deg, valid & POSED_POSE_HEADING_MAGNETIC)
        pose.tiltSigmaRadians = degrees(block.tilt_sigma_deg, valid & POSED_POSE_TILT_SIGMA)
        pose.headingSigmaRadians = degrees(block.heading_sigma_deg, valid & POSED_POSE_HEADING_SIGMA)
        pose.headingTrimRadians = degrees(block.heading_trim_deg, 1) ?? 0
        pose.angularRateBodyRadiansPerSecond = triple(block.rate_body_rad_s, valid & POSED_POSE_RATE)
        pose.linearAccelerationBodyMetersPerSecondSquared = triple(block.accel_body_m_s2, valid & POSED_POSE_ACCEL)
        pose.gravityDirectionBody = triple(block.gravity_body, valid & POSED_POSE_GRAVITY)
        pose.slipMetersPerSecondSquared = plain(block.slip_m_s2, valid & POSED_POSE_SLIP)
        pose.fixAgeSeconds = plain(block.fix_age_s, valid & POSED_POSE_FIX_AGE)
        pose.resetDeltaENUMeters = triple(block.reset_delta_enu_m, 1) ?? .init(0, 0, 0)
        pose.resetDeltaHeadingRadians = degrees(block.reset_delta_heading_deg, 1) ?? 0
        pose.accelerationENUMetersPerSecondSquared = triple(block.accel_enu_m_s2, valid & POSED_POSE_ACCEL_ENU)
        pose.turnRateRadiansPerSecond = degrees(block.turn_rate_deg_s, valid & POSED_POSE_TURN_RATE)
        pose.glideENUMeters = triple(block.glide_enu_m, 1) ?? .init(0, 0, 0)
        pose.glideHeadingRadians = degrees(block.glide_heading_deg, 1) ?? 0
    }

    private func guidance(_ block: posed_guidance) -> Frame.Guidance {
        let valid = block.block.valid
        var guidance = Frame.Guidance()
        guidance.state = .init(code: UInt32(block.state))
        guidance.routeVersion = block.route_version
        guidance.nextManeuver = valid & POSED_GUIDANCE_NEXT_MANEUVER != 0 ? block.next_maneuver : nil
        guidance.progressMeters = plain(block.progress_m, valid & POSED_GUIDANCE_PROGRESS)
        guidance.crossTrackMeters = plain(block.cross_track_m, valid & POSED_GUIDANCE_CROSS_TRACK)
        guidance.segmentBearingRadians = degrees(block.segment_bearing_deg, valid & POSED_GUIDANCE_SEGMENT_BEARING)
        guidance.distanceToTurnMeters = plain(block.distance_to_turn_m, valid & POSED_GUIDANCE_DISTANCE_TO_TURN)
        guidance.straightDistanceToTurnMeters = plain(
            block.straight_distance_to_turn_m, valid & POSED_GUIDANCE_STRAIGHT_DISTANCE)
        guidance.turnAngleRadians = degrees(block.turn_angle_deg, valid & POSED_GUIDANCE_TURN_ANGLE)
        guidance.distanceLeftMeters = plain(block.distance_left_m, valid & POSED_GUIDANCE_DISTANCE_LEFT)
        guidance.timeLeftSeconds = plain(block.time_left_s, valid & POSED_GUIDANCE_TIME_LEFT)
        guidance.jumpCount = block.jump_count
        guidance.isInTunnel = block.flags & POSED_GUIDANCE_IN_TUNNEL != 0
        guidance.jumpDeltaMeters = plain(block.jump_delta_m, 1) ?? 0
        return guidance
    }

    private func speed(_ block: posed_speed) -> Frame.Speed {
        var speed = Frame.Speed()
        speed.colour = Frame.SpeedColour(rawValue: block.colour) ?? .unknown
        speed.limitSource = Frame.LimitSource(rawValue: block.limit_source) ?? .none
        speed.speedMetersPerSecond = plain(block.speed_m_s, block.block.valid & POSED_SPEED_SPEED)
        speed.limitMetersPerSecond = plain(block.limit_m_s, block.block.valid & POSED_SPEED_LIMIT)
        speed.ratio = plain(block.ratio, block.block.valid & POSED_SPEED_RATIO)
        speed.nextLimitMetersPerSecond = plain(block.next_limit_m_s, block.block.valid & POSED_SPEED_NEXT_LIMIT)
        speed.distanceToNextLimitMeters = plain(
            block.next_limit_distance_m, block.block.valid & POSED_SPEED_NEXT_LIMIT_DISTANCE)
        speed.nextLimitSource = Frame.LimitSource(rawValue: block.next_limit_source) ?? .none
        speed.curveSpeedMetersPerSecond = plain(block.curve_speed_m_s, block.block.valid & POSED_SPEED_CURVE)
        speed.distanceToCurveMeters = plain(block.curve_distance_m, block.block.valid & POSED_SPEED_CURVE_DISTANCE)
        speed.indicatedMetersPerSecond = plain(block.indicated_m_s, block.block.valid & POSED_SPEED_INDICATED)
        speed.hasCondition = UInt32(block.flags) & POSED_SPEED_CONDITION != 0
        return speed
    }

    private func sources(_ block: posed_sources) -> Frame.Sources {
        var sources = Frame.Sources()
        sources.gps = .init(code: UInt32(block.gps))
        sources.imu = .init(code: UInt32(block.imu))
        sources.magnetometer = .init(code: UInt32(block.magnetometer))
        sources.barometer = .init(code: UInt32(block.barometer))
        sources.wheels = .init(code: UInt32(block.wheels))
        return sources
    }

    private func plain(_ value: Double, _ valid: UInt32) -> Double? { valid != 0 && value.isFinite ? value : nil }

    private func degrees(_ value: Double, _ valid: UInt32) -> Double? {
        valid != 0 && value.isFinite ? value * radiansPerDegree : nil
    }

    private func triple(_ value: (Double, Double, Double), _ valid: UInt32) -> Frame.Triple? {
        let triple = Frame.Triple(value.0, value.1, value.2)
        return valid != 0 && triple.isWritable ? triple : nil
    }
}

extension Frame.PoseState {
    /// The state of that code; the least trusting one for a code of a later version.
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? .lost }
}

extension Frame.GuidanceState {
    /// The state of that code; the one that says least for a code of a later version.
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? .waiting }
}

extension Frame.SourceState {
    /// The state of that code; the least trusting one for a code of a later version.
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? .absent }
}
