extension JSONWriter {
    /// A rare message as one line. Frames go through ``JSONFrameEncoder``; what only the binary form has writes nothing.
    public mutating func message(_ message: Message) {
        switch message {
        case .hello(let hello): line(hello)
        case .maneuver(let maneuver): line(maneuver)
        case .event(let event): line(event)
        case .bye(let bye): line(bye)
        case .status(let status): line(status)
        case .scene(let scene): line(scene)
        case .points(let points): line(points)
        case .frame, .subscribe, .shared, .unknown: return
        }
        literal("}\n")
    }

    private mutating func line(_ hello: Message.Hello) {
        literal("{\"type\":\"hello\",\"release\":")
        string(hello.release)
        literal(",\"protocol\":1,\"topics\":[")
        var isFirst = true
        for (name, topic) in Topics.named where hello.topics.contains(topic) {
            if !isFirst { literal(",") }
            self.name(name)
            isFirst = false
        }
        literal("],\"default_rate_hz\":")
        number(Double(hello.defaultRateMillihertz) / 1000, decimals: 3)
        literal(",\"slowest_rate_hz\":")
        number(Double(hello.slowestRateMillihertz) / 1000, decimals: 3)
        literal(",\"fastest_rate_hz\":")
        number(Double(hello.fastestRateMillihertz) / 1000, decimals: 3)
    }

    private mutating func line(_ maneuver: Message.Maneuver) {
        literal("{\"type\":\"maneuver\",\"route_version\":")
        integer(UInt64(maneuver.routeVersion))
        literal(",\"index\":")
        guard let index = maneuver.index else {
            literal("null")
            return
        }
        integer(UInt64(index))
        literal(",\"lat_deg\":")
        number(maneuver.latitudeRadians.map { $0 * 180 / .pi }, decimals: 9)
        literal(",\"lon_deg\":")
        number(maneuver.longitudeRadians.map { $0 * 180 / .pi }, decimals: 9)
        literal(",\"turn_angle_deg\":")
        number(maneuver.turnAngleRadians.map { $0 * 180 / .pi }, decimals: 3)
        literal(",\"along_route_m\":")
        number(maneuver.alongRouteMeters, decimals: 3)
        literal(",\"kind\":")
        string(maneuver.kind)
        literal(",\"text\":")
        string(maneuver.text)
        lanes(maneuver.lanes)
    }

    private mutating func lanes(_ lanes: [Message.Lane]) {
        literal(",\"lanes\":[")
        for (index, lane) in lanes.prefix(Message.mostLanes).enumerated() {
            literal(index == 0 ? "{\"arrows\":[" : ",{\"arrows\":[")
            for (place, arrow) in lane.arrows.enumerated() {
                if place > 0 { literal(",") }
                name(arrow.wireName)
            }
            literal("],\"valid\":")
            boolean(lane.isValid)
            literal(",\"recommended\":")
            boolean(lane.isRecommended)
            literal(",\"direction\":")
            if let direction = lane.direction { name(direction.wireName) } else { literal("null") }
            literal("}")
        }
        literal("]")
    }

    private mutating func line(_ event: Message.Event) {
        literal("{\"type\":\"event\",\"t_s\":")
        seconds(nanoseconds: event.timeNanoseconds)
        literal(",\"event\":")
        switch event.change {
        case .poseState(let state):
            literal("\"pose\",\"state\":")
            name(state.wireName)
        case .guidanceState(let state):
            literal("\"guidance\",\"state\":")
            name(state.wireName)
        case .source(let source, let state):
            literal("\"source\",\"source\":")
            name(source.wireName)
            literal(",\"state\":")
            name(state.wireName)
        case .route(let version):
            literal("\"route\",\"route_version\":")
            integer(UInt64(version))
        case .reset(let count):
            literal("\"reset\",\"reset_count\":")
            integer(UInt64(count))
        case .origin(let epoch):
            literal("\"origin\",\"epoch\":")
            integer(UInt64(epoch))
        case .target(let number, let isNear):
            literal("\"target\",\"state\":")
            name(isNear ? "near" : "far")
            literal(",\"target\":")
            integer(UInt64(number))
        }
    }

    private mutating func line(_ bye: Message.Bye) {
        literal("{\"type\":\"bye\",\"reason\":")
        name(bye.reason.wireName)
        literal(",\"text\":")
        string(bye.text)
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
