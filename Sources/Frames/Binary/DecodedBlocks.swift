import CPosed

// Converts the structs of posed.h into values of this module. A cleared validity bit, a number that is not finite and
// an unknown code all mean "unknown"; an unknown code of a state becomes the least trusted state.

extension Blocks {
    func hello() throws(BinaryError) -> Message.Hello {
        let block = try need(POSED_BLOCK_HELLO, as: posed_hello.self)
        var hello = Message.Hello(
            release: try text(POSED_BLOCK_HELLO, offset: block.text_offset, length: block.text_length))
        hello.topics = Topics(rawValue: block.topics)
        hello.defaultRateMillihertz = block.default_rate_mhz
        hello.slowestRateMillihertz = block.slowest_rate_mhz
        hello.fastestRateMillihertz = block.fastest_rate_mhz
        hello.isSimulated = block.flags & POSED_HELLO_SIMULATED != 0
        return hello
    }

    func subscription() throws(BinaryError) -> Message.Subscription {
        let block = try need(POSED_BLOCK_SUBSCRIBE, as: posed_subscribe.self)
        var subscription = Message.Subscription(topics: Topics(rawValue: block.topics), rateMillihertz: block.rate_mhz)
        subscription.wantsEvery = block.flags & POSED_SUBSCRIBE_EVERY != 0
        subscription.isSmooth = block.flags & POSED_SUBSCRIBE_SMOOTH != 0
        subscription.leadMilliseconds = block.lead_ms
        subscription.wantsSharedMemory = block.flags & POSED_SUBSCRIBE_SHARED != 0
        subscription.wantsECEF = block.flags & POSED_SUBSCRIBE_ECEF != 0
        return subscription
    }

    func maneuver() throws(BinaryError) -> Message.Maneuver {
        var maneuver = try maneuver(in: POSED_BLOCK_MANEUVER)
        if has(POSED_BLOCK_THEN) { maneuver.then = try self.maneuver(in: POSED_BLOCK_THEN) }
        return maneuver
    }

    private func maneuver(in id: UInt32) throws(BinaryError) -> Message.Maneuver {
        let block = try need(id, as: posed_maneuver.self)
        let valid = block.block.valid
        var maneuver = Message.Maneuver(routeVersion: block.route_version)
        if valid & POSED_MANEUVER_PRESENT != 0 { maneuver.index = block.index }
        maneuver.latitudeRadians = degrees(block.lat_deg, valid & POSED_MANEUVER_POSITION)
        maneuver.longitudeRadians = degrees(block.lon_deg, valid & POSED_MANEUVER_POSITION)
        maneuver.turnAngleRadians = degrees(block.turn_angle_deg, valid & POSED_MANEUVER_TURN_ANGLE)
        maneuver.alongRouteMeters = block.along_route_m.isFinite ? block.along_route_m : 0
        maneuver.text = try text(id, offset: block.text_offset, length: block.text_length)
        maneuver.kind = try text(id, offset: block.kind_offset, length: block.kind_length)
        guard valid & POSED_MANEUVER_LANES != 0 else { return maneuver }
        maneuver.lanes = try elements(
            id, count: block.lane_count, size: block.lane_size, offset: block.lane_offset,
            as: posed_lane.self
        ).map { Message.Lane($0) }
        return maneuver
    }

    /// `nil` for an event kind that this version does not know.
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
        case POSED_EVENT_MANEUVER_REACHED: change = .maneuverReached(index: block.code, count: block.subject)
        case POSED_EVENT_WAYPOINT_REACHED: change = .waypointReached(number: block.code, count: block.subject)
        case POSED_EVENT_DEPARTED: change = .departed(routeVersion: block.code)
        case POSED_EVENT_REJOINED:
            change = .rejoined(routeVersion: block.code, isAhead: UInt32(block.subject) == POSED_REJOINED_AHEAD)
        case POSED_EVENT_WAYPOINT_SKIPPED: change = .waypointSkipped(number: block.code, count: block.subject)
        case POSED_EVENT_FRAME_RATE:
            change = .frameRate(isLow: UInt32(block.subject) == POSED_FRAME_RATE_LOW, millihertz: block.code)
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
        frame.isSimulated = stamp.block.valid & POSED_STAMP_SIMULATED != 0
        if stamp.block.valid & POSED_STAMP_UTC != 0 { frame.utcNanoseconds = stamp.utc_ns }
        try read(PoseFields.self, into: &frame, &topics)
        try read(GuidanceFields.self, into: &frame, &topics)
        try read(SpeedFields.self, into: &frame, &topics)
        try read(SourcesFields.self, into: &frame, &topics)
        // Its value follows from the pose: ``Frame/Pose/ecefMeters``.
        if has(POSED_BLOCK_ECEF) { topics.insert(.ecef) }
        return .frame(frame, Message.Delivery(topics: topics, dropped: stamp.dropped))
    }

    /// Reads a block of a frame if it is present, and records its topic.
    @inline(__always)
    private func read<Fields: BlockFields>(
        _ fields: Fields.Type, into frame: inout Frame, _ topics: inout Topics
    ) throws(BinaryError) where Fields.Block: BitwiseCopyable {
        guard has(Fields.id) else { return }
        var block = try need(Fields.id, as: Fields.Block.self)
        topics.insert(Fields.topic)
        withUnsafeMutablePointer(to: &block) { block in
            let valid = UnsafeRawPointer(block).load(as: posed_block.self).valid
            withUnsafeMutablePointer(to: &frame) { frame in
                var reader = BinaryFieldReader(block, valid: valid, into: frame)
                Fields.visit(&reader)
            }
        }
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
    /// The state with that code; for a code of a later version the least trusted state.
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? .lost }
}

extension Frame.GuidanceState {
    /// The state with that code; for a code of a later version the least specific state.
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? .waiting }
}

extension Frame.SourceState {
    /// The state with that code; for a code of a later version the least trusted state.
    init(code: UInt32) { self = UInt8(exactly: code).flatMap(Self.init(rawValue:)) ?? .absent }
}
