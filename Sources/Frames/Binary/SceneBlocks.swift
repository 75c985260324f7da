import CPosed

// The status and the blocks with elements, as structs of posed.h. For values that are unknown, not finite or
// implausible the validity bit is cleared and the field is 0.

extension Message {
    static func block(sharedSize size: UInt32) -> [UInt8] {
        var block = posed_shared()
        block.block = posed_block(id: POSED_BLOCK_SHARED, size: MemoryLayout<posed_shared>.size)
        block.size = size
        return bytes(block)
    }

    static func block(_ status: Status) -> [UInt8] {
        var texts = Texts(after: MemoryLayout<posed_status>.size)
        var block = posed_status()
        var valid: UInt32 = 0
        block.time_ns = status.timeNanoseconds
        block.uptime_s = finite(status.uptimeSeconds) ?? 0
        block.frames_made = status.framesMade
        block.frames_repeated = status.framesRepeated
        block.messages_lost = status.messagesLost
        block.measurements_lost = status.measurementsLost
        block.fixes_accepted = status.fixesAccepted
        block.fixes_rejected = status.fixesRejected
        if status.isSimulated { block.flags = UInt8(truncatingIfNeeded: POSED_STATUS_SIMULATED) }
        if let rate = finite(status.imuRateHertz) { (block.imu_rate_hz, valid) = (rate, valid | POSED_STATUS_IMU_RATE) }
        if let rate = finite(status.fixRateHertz) { (block.fix_rate_hz, valid) = (rate, valid | POSED_STATUS_FIX_RATE) }
        block.clients = status.clients
        block.client_limit = status.clientLimit
        block.pose_state = status.poseState.rawValue
        block.guidance_state = status.guidanceState.rawValue
        block.gps = status.sources.gps.rawValue
        block.imu = status.sources.imu.rawValue
        block.magnetometer = status.sources.magnetometer.rawValue
        block.barometer = status.sources.barometer.rawValue
        block.wheels = status.sources.wheels.rawValue
        valid |= status.mount?.fill(&block) ?? 0
        valid |= status.magnetometer?.fill(&block) ?? 0
        (block.why_offset, block.why_length) = texts.add(status.why.map { $0 + "\n" }.joined())
        block.block = posed_block(id: POSED_BLOCK_STATUS, size: texts.blockSize, valid: valid)
        return bytes(block) + texts.padded
    }

    static func block(_ scene: Scene) -> [UInt8] {
        let elements = Elements(
            scene.points.prefix(Scene.mostPoints), of: posed_scene_point.self, behind: posed_scene.self)
        var block = posed_scene()
        block.time_ns = scene.timeNanoseconds
        block.route_version = scene.routeVersion
        block.window = scene.window
        block.origin_epoch = scene.originEpoch
        (block.count, block.element_size, block.elements_offset) = elements.place
        block.block = posed_block(id: POSED_BLOCK_SCENE, size: elements.end)
        return bytes(block) + elements.bytes { Self.element($0) }
    }

    private static func element(_ point: ScenePoint) -> posed_scene_point {
        var element = posed_scene_point()
        element.number = point.number
        element.kind = point.kind.rawValue
        (element.lat_deg, element.lon_deg) = degrees(point, POSED_SCENE_POINT_POSITION, &element.valid)
        if let along = finite(point.alongRouteMeters) {
            element.along_route_m = along
            element.valid |= POSED_SCENE_POINT_ALONG_ROUTE
        }
        (element.sight, element.flags) = sight(point, &element.valid)
        return element
    }

    static func block(_ points: InterestPoints) -> [UInt8] {
        let elements = Elements(
            points.points.prefix(InterestPoints.mostPoints), of: posed_point.self, behind: posed_points.self)
        var texts = Texts(after: elements.end)
        let listed = elements.bytes { Self.element($0, &texts) }
        var block = posed_points()
        block.time_ns = points.timeNanoseconds
        block.radius_m = finite(points.radiusMeters) ?? 0
        block.set_version = points.setVersion
        block.origin_epoch = points.originEpoch
        block.total = points.total
        (block.count, block.element_size, block.elements_offset) = elements.place
        block.block = posed_block(id: POSED_BLOCK_POINTS, size: texts.blockSize)
        return bytes(block) + listed + texts.padded
    }

    private static func element(_ point: InterestPoint, _ texts: inout Texts) -> posed_point {
        var element = posed_point()
        (element.lat_deg, element.lon_deg) = degrees(point, POSED_POINT_POSITION, &element.valid)
        (element.id_offset, element.id_length) = texts.add(point.id, atMost: 96)
        (element.name_offset, element.name_length) = texts.add(point.name, atMost: 96)
        (element.category_offset, element.category_length) = texts.add(point.category, atMost: 96)
        (element.sight, element.flags) = sight(point, &element.valid)
        return element
    }

    /// A point's latitude and longitude in degrees; sets the validity bit.
    private static func degrees(_ point: some LocatedPoint, _ bit: UInt32, _ valid: inout UInt32) -> (Double, Double) {
        guard let latitude = point.latitudeRadians, let longitude = point.longitudeRadians, abs(latitude) < 10,
            abs(longitude) < 10
        else {
            return (0, 0)
        }
        valid |= bit
        return (latitude * 180 / .pi, longitude * 180 / .pi)
    }

    /// The position of a point relative to the body and the display, and its flags.
    private static func sight(_ point: some LocatedPoint, _ valid: inout UInt32) -> (posed_sight, UInt8) {
        let flags = (point.sight.isInView ? POSED_SIGHT_IN_VIEW : 0) | (point.sight.isBehind ? POSED_SIGHT_BEHIND : 0)
        return (posed_sight(point.sight, &valid), UInt8(truncatingIfNeeded: flags))
    }

    private static func finite(_ value: Double?) -> Double? { value.flatMap { abs($0) < 1e12 ? $0 : nil } }

    /// The elements after a block's fields.
    private struct Elements<Point, Element: BitwiseCopyable> {
        private let points: ArraySlice<Point>
        private let begin: Int

        init<Block>(_ points: ArraySlice<Point>, of element: Element.Type, behind block: Block.Type) {
            self.points = points
            begin = MemoryLayout<Block>.size
        }

        /// Their number, the size of each, and their offset, as the block's fields state them.
        var place: (UInt16, UInt16, UInt16) {
            (
                UInt16(truncatingIfNeeded: points.count), UInt16(truncatingIfNeeded: MemoryLayout<Element>.size),
                UInt16(truncatingIfNeeded: begin)
            )
        }

        /// The offset behind the last element.
        var end: Int { begin + points.count * MemoryLayout<Element>.size }

        /// The bytes of all elements.
        func bytes(_ element: (Point) -> Element) -> [UInt8] {
            points.reduce(into: []) { $0 += Message.bytes(element($1)) }
        }
    }
}

extension posed_sight {
    /// Converts a sight into degrees and single precision; sets the bits of the known values.
    init(_ sight: Message.Sight, _ valid: inout UInt32) {
        self.init()
        if let enu = sight.enuMeters, enu.isWritable { (enu_m, valid) = (enu.floats, valid | POSED_SIGHT_ENU) }
        if let body = sight.bodyMeters, body.isWritable { (body_m, valid) = (body.floats, valid | POSED_SIGHT_BODY) }
        if let right = sight.screenRight, let down = sight.screenDown, abs(right) + abs(down) < 1e6 {
            (screen, valid) = ((Float(right), Float(down)), valid | POSED_SIGHT_SCREEN)
        }
        put(sight.edgeRadians.flatMap(Self.bearing), &edge_deg, POSED_SIGHT_EDGE, &valid)
        put(sight.distanceMeters, &distance_m, POSED_SIGHT_DISTANCE, &valid)
        put(sight.bearingRadians.flatMap(Self.bearing), &bearing_deg, POSED_SIGHT_BEARING, &valid)
        put(
            sight.relativeBearingRadians.map { $0 * 180 / .pi }, &relative_bearing_deg, POSED_SIGHT_RELATIVE_BEARING,
            &valid)
        put(sight.size, &size, POSED_SIGHT_SIZE, &valid)
        put(sight.elevationMeters, &elevation_m, POSED_SIGHT_ELEVATION, &valid)
        put(sight.drawnElevationMeters, &draw_elevation_m, POSED_SIGHT_DRAW_ELEVATION, &valid)
        put(
            sight.elevationAngleRadians.map { $0 * 180 / .pi }, &elevation_angle_deg, POSED_SIGHT_ELEVATION_ANGLE,
            &valid)
    }

    /// In single precision a bearing just below 360 may round to 360, which is written as 0.
    private static func bearing(_ radians: Double) -> Double? {
        guard abs(radians) < 1e6 else { return nil }
        let degrees = bearingDegrees(radians)
        return Float(degrees) < 360 ? degrees : 0
    }

    private func put(_ value: Double?, _ field: inout Float, _ bit: UInt32, _ valid: inout UInt32) {
        guard let value, abs(value) < 1e12 else { return }
        field = Float(value)
        valid |= bit
    }
}

extension Frame.Triple {
    /// The three components in single precision.
    var floats: (Float, Float, Float) { (Float(x), Float(y), Float(z)) }
}

extension Blocks {
    func status() throws(BinaryError) -> Message.Status {
        let block = try need(POSED_BLOCK_STATUS, as: posed_status.self)
        var status = Message.Status()
        status.timeNanoseconds = block.time_ns
        status.uptimeSeconds = block.uptime_s.isFinite ? block.uptime_s : 0
        status.framesMade = block.frames_made
        status.framesRepeated = block.frames_repeated
        status.messagesLost = block.messages_lost
        status.measurementsLost = block.measurements_lost
        status.fixesAccepted = block.fixes_accepted
        status.fixesRejected = block.fixes_rejected
        if block.block.valid & POSED_STATUS_IMU_RATE != 0, block.imu_rate_hz.isFinite {
            status.imuRateHertz = block.imu_rate_hz
        }
        if block.block.valid & POSED_STATUS_FIX_RATE != 0, block.fix_rate_hz.isFinite {
            status.fixRateHertz = block.fix_rate_hz
        }
        status.clients = block.clients
        status.clientLimit = block.client_limit
        status.poseState = .init(code: UInt32(block.pose_state))
        status.guidanceState = .init(code: UInt32(block.guidance_state))
        status.sources.gps = .init(code: UInt32(block.gps))
        status.sources.imu = .init(code: UInt32(block.imu))
        status.sources.magnetometer = .init(code: UInt32(block.magnetometer))
        status.sources.barometer = .init(code: UInt32(block.barometer))
        status.sources.wheels = .init(code: UInt32(block.wheels))
        status.isSimulated = UInt32(block.flags) & POSED_STATUS_SIMULATED != 0
        let why = try text(POSED_BLOCK_STATUS, offset: block.why_offset, length: block.why_length)
        status.why = why.split(separator: "\n").map(String.init)
        status.mount = Message.Mount(block)
        status.magnetometer = Message.Magnetometer(block)
        return status
    }

    func scene() throws(BinaryError) -> Message.Scene {
        let block = try need(POSED_BLOCK_SCENE, as: posed_scene.self)
        var scene = Message.Scene()
        scene.timeNanoseconds = block.time_ns
        scene.routeVersion = block.route_version
        scene.window = block.window
        scene.originEpoch = block.origin_epoch
        scene.points = try elements(
            POSED_BLOCK_SCENE, count: block.count, size: block.element_size, offset: block.elements_offset,
            as: posed_scene_point.self
        ).map { element in
            var point = Message.ScenePoint(number: element.number, kind: .init(rawValue: element.kind) ?? .unknown)
            point.place(element.lat_deg, element.lon_deg, isKnown: element.valid & POSED_SCENE_POINT_POSITION != 0)
            if element.valid & POSED_SCENE_POINT_ALONG_ROUTE != 0, element.along_route_m.isFinite {
                point.alongRouteMeters = element.along_route_m
            }
            point.sight = Message.Sight(element.sight, valid: element.valid, flags: element.flags)
            return point
        }
        return scene
    }

    func points() throws(BinaryError) -> Message.InterestPoints {
        let block = try need(POSED_BLOCK_POINTS, as: posed_points.self)
        var points = Message.InterestPoints()
        points.timeNanoseconds = block.time_ns
        points.radiusMeters = block.radius_m.isFinite ? block.radius_m : 0
        points.setVersion = block.set_version
        points.originEpoch = block.origin_epoch
        points.total = block.total
        let listed = try elements(
            POSED_BLOCK_POINTS, count: block.count, size: block.element_size, offset: block.elements_offset,
            as: posed_point.self)
        for element in listed {
            var point = Message.InterestPoint(
                id: try text(POSED_BLOCK_POINTS, offset: element.id_offset, length: element.id_length),
                name: try text(POSED_BLOCK_POINTS, offset: element.name_offset, length: element.name_length),
                category: try text(POSED_BLOCK_POINTS, offset: element.category_offset, length: element.category_length)
            )
            point.place(element.lat_deg, element.lon_deg, isKnown: element.valid & POSED_POINT_POSITION != 0)
            point.sight = Message.Sight(element.sight, valid: element.valid, flags: element.flags)
            points.points.append(point)
        }
        return points
    }
}

extension LocatedPoint {
    /// Sets the place from degrees if it is known and finite.
    fileprivate mutating func place(_ latitude: Double, _ longitude: Double, isKnown: Bool) {
        guard isKnown, latitude.isFinite, longitude.isFinite else { return }
        (latitudeRadians, longitudeRadians) = (latitude * radiansPerDegree, longitude * radiansPerDegree)
    }
}

extension Message.Sight {
    /// Reads a sight of posed.h; values with a cleared bit or without a finite number are `nil`.
    init(_ sight: posed_sight, valid: UInt32, flags: UInt8) {
        func number(_ value: Float, _ bit: UInt32, times factor: Double = 1) -> Double? {
            valid & bit != 0 && value.isFinite ? Double(value) * factor : nil
        }
        func triple(_ value: (Float, Float, Float), _ bit: UInt32) -> Frame.Triple? {
            let triple = Frame.Triple(Double(value.0), Double(value.1), Double(value.2))
            return valid & bit != 0 && triple.isWritable ? triple : nil
        }
        self.init()
        enuMeters = triple(sight.enu_m, POSED_SIGHT_ENU)
        bodyMeters = triple(sight.body_m, POSED_SIGHT_BODY)
        if sight.screen.0.isFinite, sight.screen.1.isFinite {
            screenRight = number(sight.screen.0, POSED_SIGHT_SCREEN)
            screenDown = number(sight.screen.1, POSED_SIGHT_SCREEN)
        }
        edgeRadians = number(sight.edge_deg, POSED_SIGHT_EDGE, times: radiansPerDegree)
        distanceMeters = number(sight.distance_m, POSED_SIGHT_DISTANCE)
        bearingRadians = number(sight.bearing_deg, POSED_SIGHT_BEARING, times: radiansPerDegree)
        relativeBearingRadians = number(
            sight.relative_bearing_deg, POSED_SIGHT_RELATIVE_BEARING, times: radiansPerDegree)
        size = number(sight.size, POSED_SIGHT_SIZE)
        elevationMeters = number(sight.elevation_m, POSED_SIGHT_ELEVATION)
        drawnElevationMeters = number(sight.draw_elevation_m, POSED_SIGHT_DRAW_ELEVATION)
        elevationAngleRadians = number(
            sight.elevation_angle_deg, POSED_SIGHT_ELEVATION_ANGLE, times: radiansPerDegree)
        isInView = UInt32(flags) & POSED_SIGHT_IN_VIEW != 0
        isBehind = UInt32(flags) & POSED_SIGHT_BEHIND != 0
    }
}
