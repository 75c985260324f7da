extension JSONWriter {
    /// Writes an infrequent message as one line. Frames use ``JSONFrameEncoder``. Messages that exist only in the
    /// binary form write nothing.
    public mutating func message(_ message: Message) {
        switch message {
        case .hello(let hello): line(hello)
        case .maneuver(let maneuver): line(maneuver)
        case .event(let event): line(event)
        case .bye(let bye): line(bye)
        case .status(let status): line(status)
        case .scene(let scene): line(scene)
        case .points(let points): line(points)
        case .route(let route): line(route)
        case .frame, .subscribe, .shared, .unknown: return
        }
        literal("}\n")
    }

    private mutating func line(_ hello: Message.Hello) {
        string("{\"type\":\"hello\",\"release\":", hello.release)
        literal(",\"protocol\":1")
        topics(hello.topics)
        number(",\"default_rate_hz\":", Double(hello.defaultRateMillihertz) / 1000, decimals: 3)
        number(",\"slowest_rate_hz\":", Double(hello.slowestRateMillihertz) / 1000, decimals: 3)
        number(",\"fastest_rate_hz\":", Double(hello.fastestRateMillihertz) / 1000, decimals: 3)
        boolean(",\"simulated\":", hello.isSimulated)
    }

    /// Writes the names of topics, after a comma.
    public mutating func topics(_ topics: Topics) {
        literal(",\"topics\":")
        list(Topics.named.lazy.filter { topics.contains($0.topic) }) { $0.name($1.name) }
    }

    private mutating func line(_ maneuver: Message.Maneuver) {
        integer("{\"type\":\"maneuver\",\"route_version\":", maneuver.routeVersion)
        guard let index = maneuver.index else { return literal(",\"index\":null") }
        content(maneuver, at: index)
        guard let then = maneuver.then, let index = then.index else { return literal(",\"then\":null") }
        integer(",\"then\":{\"route_version\":", then.routeVersion)
        content(then, at: index)
        literal("}")
    }

    private mutating func content(_ maneuver: Message.Maneuver, at index: UInt32) {
        integer(",\"index\":", index)
        degrees(",\"lat_deg\":", maneuver.latitudeRadians, decimals: 9)
        degrees(",\"lon_deg\":", maneuver.longitudeRadians, decimals: 9)
        degrees(",\"turn_angle_deg\":", maneuver.turnAngleRadians, decimals: 3)
        number(",\"along_route_m\":", maneuver.alongRouteMeters, decimals: 3)
        string(",\"kind\":", maneuver.kind)
        string(",\"text\":", maneuver.text)
        lanes(maneuver.lanes)
    }

    private mutating func lanes(_ lanes: [Message.Lane]) {
        literal(",\"lanes\":")
        list(lanes.prefix(Message.mostLanes)) { writer, lane in
            writer.literal("{\"arrows\":")
            writer.list(lane.arrows) { $0.name($1.wireName) }
            writer.boolean(",\"valid\":", lane.isValid)
            writer.boolean(",\"recommended\":", lane.isRecommended)
            writer.name(",\"direction\":", lane.direction?.wireName)
            writer.literal("}")
        }
    }

    private mutating func line(_ event: Message.Event) {
        seconds("{\"type\":\"event\",\"t_s\":", nanoseconds: event.timeNanoseconds)
        literal(",\"event\":")
        switch event.change {
        case .poseState(let state):
            name("\"pose\",\"state\":", state.wireName)
        case .guidanceState(let state):
            name("\"guidance\",\"state\":", state.wireName)
        case .source(let source, let state):
            name("\"source\",\"source\":", source.wireName)
            name(",\"state\":", state.wireName)
        case .route(let version):
            integer("\"route\",\"route_version\":", version)
        case .reset(let count):
            integer("\"reset\",\"reset_count\":", count)
        case .origin(let epoch):
            integer("\"origin\",\"epoch\":", epoch)
        case .target(let number, let isNear):
            name("\"target\",\"state\":", isNear ? "near" : "far")
            integer(",\"target\":", number)
        case .maneuverReached(let index, let count):
            integer("\"maneuverReached\",\"maneuver\":", index)
            integer(",\"count\":", count)
        case .waypointReached(let number, let count):
            integer("\"waypointReached\",\"waypoint\":", number)
            integer(",\"count\":", count)
        case .departed(let version):
            integer("\"departed\",\"route_version\":", version)
        case .rejoined(let version, let isAhead):
            integer("\"rejoined\",\"route_version\":", version)
            boolean(",\"ahead\":", isAhead)
        case .waypointSkipped(let number, let count):
            integer("\"waypointSkipped\",\"waypoint\":", number)
            integer(",\"count\":", count)
        case .frameRate(let isLow, let millihertz):
            name("\"frameRate\",\"state\":", isLow ? "low" : "enough")
            number(",\"rate_hz\":", Double(millihertz) / 1000, decimals: 3)
        }
    }

    private mutating func line(_ bye: Message.Bye) {
        name("{\"type\":\"bye\",\"reason\":", bye.reason.wireName)
        string(",\"text\":", bye.text)
    }
}

extension Message.ByeReason {
    /// The reason's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .stopping: "stopping"
        case .tooSlow: "tooSlow"
        case .tooMany: "tooMany"
        case .malformed: "malformed"
        case .flood: "flood"
        case .descriptors: "descriptors"
        case .badRequest: "badRequest"
        }
    }
}

extension Message.SourceName {
    /// The source's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .gps: "gps"
        case .imu: "imu"
        case .magnetometer: "magnetometer"
        case .barometer: "barometer"
        case .wheels: "wheels"
        }
    }
}
