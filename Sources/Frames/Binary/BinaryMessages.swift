import CPosed

extension Message {
    /// The message as one packet of the `frames` socket.
    ///
    /// For infrequent messages; frames use ``BinaryFrameEncoder``, also here. A text that is too long is cut between
    /// two characters.
    public func packet(sequence: UInt64) -> [UInt8] {
        switch self {
        case .hello(let hello): return Self.packet(POSED_HELLO, sequence, Self.block(hello))
        case .subscribe(let subscription): return Self.packet(POSED_SUBSCRIBE, sequence, Self.block(subscription))
        case .maneuver(let maneuver):
            return Self.packet(
                POSED_MANEUVER, sequence, Self.block(maneuver, id: POSED_BLOCK_MANEUVER),
                maneuver.then.map { Self.block($0, id: POSED_BLOCK_THEN) })
        case .event(let event): return Self.packet(POSED_EVENT, sequence, Self.block(event))
        case .bye(let bye): return Self.packet(POSED_BYE, sequence, Self.block(bye))
        case .status(let status): return Self.packet(POSED_STATUS, sequence, Self.block(status))
        case .scene(let scene): return Self.packet(POSED_SCENE, sequence, Self.block(scene))
        case .points(let points): return Self.packet(POSED_POINTS, sequence, Self.block(points))
        case .route(let route): return Self.packet(POSED_ROUTE, sequence, Self.block(route))
        case .shared(let size): return Self.packet(POSED_SHARED, sequence, Self.block(sharedSize: size))
        case .unknown(let type): return Self.packet(UInt32(type), sequence, [])
        case .frame(let frame, let delivery):
            var encoder = BinaryFrameEncoder()
            encoder.encode(frame)
            return encoder.withPacket(topics: delivery.topics, sequence: sequence, dropped: delivery.dropped) {
                Array($0)
            }
        }
    }

    /// The longest text in a message, bytes.
    static let longestText = 4096

    private static func packet(
        _ type: UInt32, _ sequence: UInt64, _ block: [UInt8], _ second: [UInt8]? = nil
    ) -> [UInt8] {
        let content = block + (second ?? [])
        let length = MemoryLayout<posed_header>.size + content.count
        let blocks: UInt32 = (block.isEmpty ? 0 : 1) + (second == nil ? 0 : 1)
        return bytes(posed_header(type: type, length: length, blocks: blocks, sequence: sequence)) + content
    }

    private static func block(_ hello: Hello) -> [UInt8] {
        var texts = Texts(after: MemoryLayout<posed_hello>.size)
        var block = posed_hello()
        block.topics = hello.topics.rawValue
        block.default_rate_mhz = hello.defaultRateMillihertz
        block.slowest_rate_mhz = hello.slowestRateMillihertz
        block.fastest_rate_mhz = hello.fastestRateMillihertz
        if hello.isSimulated { block.flags |= POSED_HELLO_SIMULATED }
        (block.text_offset, block.text_length) = texts.add(hello.release)
        block.block = posed_block(id: POSED_BLOCK_HELLO, size: texts.blockSize)
        return bytes(block) + texts.padded
    }

    private static func block(_ subscription: Subscription) -> [UInt8] {
        var block = posed_subscribe()
        block.block = posed_block(id: POSED_BLOCK_SUBSCRIBE, size: MemoryLayout<posed_subscribe>.size)
        block.topics = subscription.topics.rawValue
        block.rate_mhz = subscription.rateMillihertz
        block.lead_ms = subscription.leadMilliseconds
        if subscription.wantsEvery { block.flags |= POSED_SUBSCRIBE_EVERY }
        if subscription.isSmooth { block.flags |= POSED_SUBSCRIBE_SMOOTH }
        if subscription.wantsSharedMemory { block.flags |= POSED_SUBSCRIBE_SHARED }
        if subscription.wantsECEF { block.flags |= POSED_SUBSCRIBE_ECEF }
        return bytes(block)
    }

    private static func block(_ maneuver: Maneuver, id: UInt32) -> [UInt8] {
        var texts = Texts(after: MemoryLayout<posed_maneuver>.size)
        var block = posed_maneuver()
        var valid: UInt32 = 0
        block.route_version = maneuver.routeVersion
        if let index = maneuver.index {
            block.index = index
            valid |= POSED_MANEUVER_PRESENT
        }
        if let latitude = maneuver.latitudeRadians, let longitude = maneuver.longitudeRadians, abs(latitude) < 10,
            abs(longitude) < 10
        {
            block.lat_deg = latitude * 180 / .pi
            block.lon_deg = longitude * 180 / .pi
            valid |= POSED_MANEUVER_POSITION
        }
        if let angle = maneuver.turnAngleRadians, abs(angle) < 10 {
            block.turn_angle_deg = angle * 180 / .pi
            valid |= POSED_MANEUVER_TURN_ANGLE
        }
        if abs(maneuver.alongRouteMeters) < 1e9 { block.along_route_m = maneuver.alongRouteMeters }
        (block.text_offset, block.text_length) = texts.add(maneuver.text)
        (block.kind_offset, block.kind_length) = texts.add(maneuver.kind)
        if !maneuver.lanes.isEmpty {
            valid |= POSED_MANEUVER_LANES
            block.lane_size = UInt16(MemoryLayout<posed_lane>.size)
            (block.lane_offset, block.lane_count) = texts.add(maneuver.lanes)
        }
        block.block = posed_block(id: id, size: texts.blockSize)
        block.block.valid = valid
        return bytes(block) + texts.padded
    }

    private static func block(_ event: Event) -> [UInt8] {
        var block = posed_event()
        block.block = posed_block(id: POSED_BLOCK_EVENT, size: MemoryLayout<posed_event>.size)
        block.time_ns = event.timeNanoseconds
        let (kind, subject, code): (UInt32, UInt16, UInt32) =
            switch event.change {
            case .poseState(let state): (POSED_EVENT_POSE_STATE, 0, UInt32(state.rawValue))
            case .guidanceState(let state): (POSED_EVENT_GUIDANCE_STATE, 0, UInt32(state.rawValue))
            case .source(let name, let state): (POSED_EVENT_SOURCE_STATE, name.rawValue, UInt32(state.rawValue))
            case .route(let version): (POSED_EVENT_ROUTE, 0, version)
            case .reset(let count): (POSED_EVENT_RESET, 0, count)
            case .origin(let epoch): (POSED_EVENT_ORIGIN, 0, epoch)
            case .target(let number, let isNear):
                (POSED_EVENT_TARGET, number, isNear ? POSED_TARGET_NEAR : POSED_TARGET_FAR)
            case .maneuverReached(let index, let count): (POSED_EVENT_MANEUVER_REACHED, count, index)
            case .waypointReached(let number, let count): (POSED_EVENT_WAYPOINT_REACHED, count, number)
            case .departed(let version): (POSED_EVENT_DEPARTED, 0, version)
            case .rejoined(let version, let isAhead):
                (
                    POSED_EVENT_REJOINED,
                    UInt16(truncatingIfNeeded: isAhead ? POSED_REJOINED_AHEAD : POSED_REJOINED_BEHIND), version
                )
            case .waypointSkipped(let number, let count): (POSED_EVENT_WAYPOINT_SKIPPED, count, number)
            case .frameRate(let isLow, let millihertz):
                (
                    POSED_EVENT_FRAME_RATE,
                    UInt16(truncatingIfNeeded: isLow ? POSED_FRAME_RATE_LOW : POSED_FRAME_RATE_ENOUGH), millihertz
                )
            }
        block.kind = UInt16(truncatingIfNeeded: kind)
        block.subject = subject
        block.code = code
        return bytes(block)
    }

    private static func block(_ bye: Bye) -> [UInt8] {
        var texts = Texts(after: MemoryLayout<posed_bye>.size)
        var block = posed_bye()
        block.reason = bye.reason.rawValue
        (block.text_offset, block.text_length) = texts.add(bye.text)
        block.block = posed_block(id: POSED_BLOCK_BYE, size: texts.blockSize)
        return bytes(block) + texts.padded
    }
}

extension Message {
    /// The bytes of a struct in memory.
    static func bytes<T: BitwiseCopyable>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    /// The texts after a block's fields.
    struct Texts {
        private let start: Int
        private var bytes: [UInt8] = []

        /// Creates an empty list of texts that starts after `start` bytes of the block.
        init(after start: Int) { self.start = start }

        /// Adds a text. Returns its offset and length.
        mutating func add(_ text: String, atMost longest: Int = Message.longestText) -> (offset: UInt16, length: UInt16)
        {
            var kept = text.utf8.count <= longest ? text[...] : text.prefix(longest)
            while kept.utf8.count > longest { kept.removeLast() }
            let offset = start + bytes.count
            bytes.append(contentsOf: kept.utf8)
            return (UInt16(truncatingIfNeeded: offset), UInt16(truncatingIfNeeded: kept.utf8.count))
        }

        /// Adds lanes. Returns their offset and count.
        mutating func add(_ lanes: [Lane]) -> (offset: UInt16, count: UInt16) {
            let kept = lanes.prefix(Message.mostLanes)
            while !(start + bytes.count).isMultiple(of: 8) { bytes.append(0) }
            let offset = start + bytes.count
            for lane in kept { bytes.append(contentsOf: Message.bytes(lane.record)) }
            return (UInt16(truncatingIfNeeded: offset), UInt16(truncatingIfNeeded: kept.count))
        }

        /// Size of the block with its texts, bytes, a multiple of 8.
        var blockSize: Int { (start + bytes.count + 7) & ~7 }

        /// The texts and the zeros that pad the block.
        var padded: [UInt8] { bytes + [UInt8](repeating: 0, count: blockSize - start - bytes.count) }
    }
}
