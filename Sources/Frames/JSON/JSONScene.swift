extension JSONWriter {
    /// Writes the status without the closing brace.
    mutating func line(_ status: Message.Status) {
        seconds("{\"type\":\"status\",\"t_s\":", nanoseconds: status.timeNanoseconds)
        number(",\"uptime_s\":", status.uptimeSeconds, decimals: 3)
        integer(",\"frames_made\":", status.framesMade)
        integer(",\"frames_repeated\":", status.framesRepeated)
        integer(",\"messages_lost\":", status.messagesLost)
        integer(",\"measurements_lost\":", status.measurementsLost)
        integer(",\"fixes_accepted\":", status.fixesAccepted)
        integer(",\"fixes_rejected\":", status.fixesRejected)
        number(",\"imu_rate_hz\":", status.imuRateHertz, decimals: 2)
        number(",\"fix_rate_hz\":", status.fixRateHertz, decimals: 2)
        integer(",\"clients\":", status.clients)
        integer(",\"client_limit\":", status.clientLimit)
        name(",\"pose_state\":", status.poseState.wireName)
        name(",\"guidance_state\":", status.guidanceState.wireName)
        sources(status.sources)
        boolean(",\"simulated\":", status.isSimulated)
        strings(",\"why\":", status.why)
        calibration(status.mount, status.magnetometer)
    }

    /// Writes the scene along the route without the closing brace.
    mutating func line(_ scene: Message.Scene) {
        seconds("{\"type\":\"scene\",\"t_s\":", nanoseconds: scene.timeNanoseconds)
        integer(",\"route_version\":", scene.routeVersion)
        integer(",\"window\":", scene.window)
        integer(",\"origin_epoch\":", scene.originEpoch)
        elements(scene.points.prefix(Message.Scene.mostPoints)) { writer, point in
            writer.integer("{\"number\":", point.number)
            writer.name(",\"kind\":", point.kind.wireName)
            writer.place(point)
            writer.number(",\"along_route_m\":", point.alongRouteMeters, decimals: 3)
        }
    }

    /// Writes the nearby points of interest without the closing brace.
    mutating func line(_ points: Message.InterestPoints) {
        seconds("{\"type\":\"points\",\"t_s\":", nanoseconds: points.timeNanoseconds)
        number(",\"radius_m\":", points.radiusMeters, decimals: 3)
        integer(",\"set_version\":", points.setVersion)
        integer(",\"origin_epoch\":", points.originEpoch)
        integer(",\"total\":", points.total)
        elements(points.points.prefix(Message.InterestPoints.mostPoints)) { writer, point in
            writer.string("{\"id\":", point.id)
            writer.string(",\"name\":", point.name)
            writer.string(",\"category\":", point.category)
            writer.place(point)
        }
    }

    /// Writes the route for a map without the closing brace.
    mutating func line(_ route: Message.RouteLine) {
        integer("{\"type\":\"route\",\"route_version\":", route.routeVersion)
        number(",\"length_m\":", route.lengthMeters, decimals: 3)
        number(",\"tolerance_m\":", route.toleranceMeters, decimals: 3)
        literal(",\"line\":")
        list(route.points.prefix(Message.RouteLine.mostPoints)) { writer, point in
            writer.degrees("[", point.latitudeRadians, decimals: 7)
            writer.degrees(",", point.longitudeRadians, decimals: 7)
            writer.number(",", point.alongRouteMeters, decimals: 1)
            writer.literal("]")
        }
        literal(",\"places\":")
        list(route.places.prefix(Message.RouteLine.mostPlaces)) { writer, place in
            writer.name("{\"kind\":", place.kind.wireName)
            writer.integer(",\"number\":", place.number)
            writer.degrees(",\"lat_deg\":", place.latitudeRadians, decimals: 7)
            writer.degrees(",\"lon_deg\":", place.longitudeRadians, decimals: 7)
            writer.number(",\"along_route_m\":", place.alongRouteMeters, decimals: 1)
            writer.literal("}")
        }
    }

    /// Writes the list of points: first the members of each point, then its sight.
    private mutating func elements<Point: LocatedPoint>(
        _ points: ArraySlice<Point>, _ begin: (inout JSONWriter, Point) -> Void
    ) {
        literal(",\"points\":")
        list(points) { writer, point in
            begin(&writer, point)
            writer.sight(point.sight)
            writer.literal("}")
        }
    }

    private mutating func place(_ point: some LocatedPoint) {
        degrees(",\"lat_deg\":", point.latitudeRadians, decimals: 9)
        degrees(",\"lon_deg\":", point.longitudeRadians, decimals: 9)
    }

    private mutating func sight(_ sight: Message.Sight) {
        triple(",\"enu_m\":", sight.enuMeters)
        triple(",\"body_m\":", sight.bodyMeters)
        if let right = sight.screenRight, let down = sight.screenDown, abs(right) + abs(down) < 1e6 {
            numbers(",\"screen\":", [right, down], decimals: 4)
        } else {
            literal(",\"screen\":null")
        }
        bearing(",\"edge_deg\":", sight.edgeRadians)
        number(",\"distance_m\":", sight.distanceMeters, decimals: 2)
        bearing(",\"bearing_deg\":", sight.bearingRadians)
        degrees(",\"relative_bearing_deg\":", sight.relativeBearingRadians, decimals: 2)
        number(",\"size\":", sight.size, decimals: 4)
        number(",\"elevation_m\":", sight.elevationMeters, decimals: 2)
        number(",\"draw_elevation_m\":", sight.drawnElevationMeters, decimals: 2)
        degrees(",\"elevation_angle_deg\":", sight.elevationAngleRadians, decimals: 2)
        boolean(",\"in_view\":", sight.isInView)
        boolean(",\"behind\":", sight.isBehind)
    }

    private mutating func bearing(_ key: StaticString, _ radians: Double?) {
        number(key, bearingDegrees(radians, decimals: 2), decimals: 2)
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
