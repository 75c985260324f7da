extension JSONWriter {
    /// How the daemon is, without the closing brace.
    mutating func line(_ status: Message.Status) {
        literal("{\"type\":\"status\",\"t_s\":")
        seconds(nanoseconds: status.timeNanoseconds)
        literal(",\"uptime_s\":")
        number(status.uptimeSeconds, decimals: 3)
        literal(",\"frames_made\":")
        integer(status.framesMade)
        literal(",\"frames_repeated\":")
        integer(status.framesRepeated)
        literal(",\"messages_lost\":")
        integer(status.messagesLost)
        literal(",\"measurements_lost\":")
        integer(status.measurementsLost)
        literal(",\"fixes_accepted\":")
        integer(status.fixesAccepted)
        literal(",\"fixes_rejected\":")
        integer(status.fixesRejected)
        literal(",\"imu_rate_hz\":")
        number(status.imuRateHertz, decimals: 2)
        literal(",\"fix_rate_hz\":")
        number(status.fixRateHertz, decimals: 2)
        literal(",\"clients\":")
        integer(UInt64(status.clients))
        literal(",\"client_limit\":")
        integer(UInt64(status.clientLimit))
        literal(",\"pose_state\":")
        name(status.poseState.wireName)
        literal(",\"guidance_state\":")
        name(status.guidanceState.wireName)
        sources(status.sources)
        literal(",\"why\":[")
        for (index, reason) in status.why.enumerated() {
            if index > 0 { literal(",") }
            string(reason)
        }
        literal("]")
        calibration(status.mount, status.magnetometer)
    }

    /// What to draw along the route, without the closing brace.
    mutating func line(_ scene: Message.Scene) {
        literal("{\"type\":\"scene\",\"t_s\":")
        seconds(nanoseconds: scene.timeNanoseconds)
        literal(",\"route_version\":")
        integer(UInt64(scene.routeVersion))
        literal(",\"window\":")
        integer(UInt64(scene.window))
        literal(",\"origin_epoch\":")
        integer(UInt64(scene.originEpoch))
        elements(scene.points.prefix(Message.Scene.mostPoints)) { writer, point in
            writer.literal("{\"number\":")
            writer.integer(UInt64(point.number))
            writer.literal(",\"kind\":")
            writer.name(point.kind.wireName)
            writer.place(point)
            writer.literal(",\"along_route_m\":")
            writer.number(point.alongRouteMeters, decimals: 3)
        }
    }

    /// Points of interest around, without the closing brace.
    mutating func line(_ points: Message.InterestPoints) {
        literal("{\"type\":\"points\",\"t_s\":")
        seconds(nanoseconds: points.timeNanoseconds)
        literal(",\"radius_m\":")
        number(points.radiusMeters, decimals: 3)
        literal(",\"set_version\":")
        integer(UInt64(points.setVersion))
        literal(",\"origin_epoch\":")
        integer(UInt64(points.originEpoch))
        literal(",\"total\":")
        integer(UInt64(points.total))
        elements(points.points.prefix(Message.InterestPoints.mostPoints)) { writer, point in
            writer.literal("{\"id\":")
            writer.string(point.id)
            writer.literal(",\"name\":")
            writer.string(point.name)
            writer.literal(",\"category\":")
            writer.string(point.category)
            writer.place(point)
        }
    }

    /// The list of points, each begun by its own members and ended by how it lies.
    private mutating func elements<Point: LocatedPoint>(_ points: ArraySlice<Point>, _ begin: (inout JSONWriter, Point) -> Void) {
        literal(",\"points\":[")
        for (index, point) in points.enumerated() {
            if index > 0 { literal(",") }
            begin(&self, point)
            sight(point.sight)
            literal("}")
        }
        literal("]")
    }

    private mutating func place(_ point: some LocatedPoint) {
        literal(",\"lat_deg\":")
        number(point.latitudeRadians.map { $0 * 180 / .pi }, decimals: 9)
        literal(",\"lon_deg\":")
        number(point.longitudeRadians.map { $0 * 180 / .pi }, decimals: 9)
    }

    private mutating func sight(_ sight: Message.Sight) {
        literal(",\"enu_m\":")
        triple(sight.enuMeters)
        literal(",\"body_m\":")
        triple(sight.bodyMeters)
        literal(",\"screen\":")
        if let right = sight.screenRight, let down = sight.screenDown, abs(right) + abs(down) < 1e6 {
            literal("[")
            number(right, decimals: 4)
            literal(",")
            number(down, decimals: 4)
            literal("]")
        } else {
            null()
        }
        literal(",\"edge_deg\":")
        bearing(sight.edgeRadians)
        literal(",\"distance_m\":")
        number(sight.distanceMeters, decimals: 2)
        literal(",\"bearing_deg\":")
        bearing(sight.bearingRadians)
        literal(",\"relative_bearing_deg\":")
        number(sight.relativeBearingRadians.map { $0 * 180 / .pi }, decimals: 2)
        literal(",\"size\":")
        number(sight.size, decimals: 4)
        literal(",\"elevation_m\":")
        number(sight.elevationMeters, decimals: 2)
        literal(",\"in_view\":")
        boolean(sight.isInView)
        literal(",\"behind\":")
        boolean(sight.isBehind)
    }

    /// Two decimals of a degree, in [0, 360) also after rounding.
    private mutating func bearing(_ radians: Double?) {
        guard let radians, abs(radians) < 1e6 else { return null() }
        let degrees = bearingDegrees(radians)
        number(degrees < 359.995 ? degrees : 0, decimals: 2)
    }

    private mutating func triple(_ triple: Frame.Triple?) {
        guard let triple, triple.isWritable else { return null() }
        literal("[")
        number(triple.x, decimals: 3)
        literal(",")
        number(triple.y, decimals: 3)
        literal(",")
        number(triple.z, decimals: 3)
        literal("]")
    }
}

extension Message.SceneKind {
    /// The kind's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .marker: "marker"
        case .arrow: "arrow"
        case .turn: "turn"
        case .waypoint: "waypoint"
        case .destination: "destination"
        }
    }
}
