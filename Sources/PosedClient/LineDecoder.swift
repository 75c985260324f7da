import BoundedJSON
import Frames

/// The error in bytes that should be a line of the stream socket: no JSON, with the place; or an object without a type.
public struct LineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and where.
    public var description: String
}

/// A line of the stream socket.
public enum StreamLine: Sendable, Equatable {
    /// A message. One of a type that this release does not know is ``Message/unknown(type:)`` with type 0.
    case message(Message)
    /// The reply to a command.
    case reply(StreamReply)
}

/// Decodes the lines of the stream socket. What is missing, `null` or of another type is unknown; members that this
/// release does not know are skipped, and a state of a later release becomes the least trusted state.
///
/// Times are read with the precision of a JSON number: a nanosecond within two months of uptime, a microsecond of UTC.
public enum LineDecoder {
    private static let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 16, maximumEntries: 200_000)

    /// Decodes one line; its newline may be missing.
    public static func decode(_ line: [UInt8]) throws(LineError) -> StreamLine {
        let root: JSONValue
        do throws(JSONProblem) { root = try JSONDocument(bytes: line, limits: limits).root } catch {
            throw LineError(description: "column \(error.column): \(error.reason)")
        }
        guard let type = root["type"]?.string else {
            throw LineError(description: "an object without the member type")
        }
        switch type {
        case "hello": return .message(.hello(hello(root)))
        case "frame": return .message(frame(root))
        case "maneuver": return .message(.maneuver(maneuver(root)))
        case "event": return .message(event(root).map(Message.event) ?? .unknown(type: 0))
        case "bye": return .message(.bye(.init(reason: root.named("reason") ?? .unknown, text: root.text("text"))))
        case "status": return .message(.status(status(root)))
        case "scene": return .message(.scene(scene(root)))
        case "points": return .message(.points(points(root)))
        case "route": return .message(.route(route(root)))
        case "reply": return .reply(reply(root, line))
        default: return .message(.unknown(type: 0))
        }
    }

    private static func hello(_ root: JSONValue) -> Message.Hello {
        var hello = Message.Hello(release: root.text("release"))
        hello.topics = []
        for name in root["topics"]?.elements ?? root.elements {
            if let topic = name.string.flatMap({ Topics(name: $0) }) { hello.topics.insert(topic) }
        }
        hello.defaultRateMillihertz = millihertz(root["default_rate_hz"])
        hello.slowestRateMillihertz = millihertz(root["slowest_rate_hz"])
        hello.fastestRateMillihertz = millihertz(root["fastest_rate_hz"])
        hello.isSimulated = root["simulated"]?.bool ?? false
        return hello
    }

    private static func millihertz(_ json: JSONValue?) -> UInt32 {
        guard let hertz = json?.double, hertz >= 0, hertz < 4e6 else { return 0 }
        return UInt32((hertz * 1000).rounded())
    }

    private static func frame(_ root: JSONValue) -> Message {
        var frame = frameContent(root)
        var topics: Topics = []
        for (name, topic): (String, Topics) in [
            ("pose", .pose), ("guidance", .guidance), ("speed", .speed), ("sources", .sources),
        ] where root[name] != nil {
            topics.insert(topic)
        }
        if root["pose"]?["ecef_m"] != nil { topics.insert(.ecef) }
        frame.measuredNanoseconds = root.nanoseconds("measured_s") ?? 0
        frame.publishedNanoseconds = root.nanoseconds("published_s") ?? 0
        return .frame(frame, .init(topics: topics, dropped: UInt64(max(0, root["dropped"]?.int ?? 0))))
    }

    /// The frame of a line.
    package static func frameContent(_ root: JSONValue) -> Frame {
        var frame = Frame()
        frame.sequence = UInt64(max(0, root["seq"]?.int ?? 0))
        frame.timeNanoseconds = root.nanoseconds("t_s") ?? 0
        frame.utcNanoseconds = root.nanoseconds("utc_s")
        frame.isSimulated = root["simulated"]?.bool ?? false
        read(PoseFields.self, root, &frame)
        read(GuidanceFields.self, root, &frame)
        read(SpeedFields.self, root, &frame)
        read(SourcesFields.self, root, &frame)
        return frame
    }

    /// Reads a part of the frame if it is present.
    private static func read<Fields: BlockFields>(_ fields: Fields.Type, _ root: JSONValue, _ frame: inout Frame) {
        guard let object = root[Fields.name.description] else { return }
        var reader = JSONFieldReader<Fields.Block>(object, into: frame)
        Fields.visit(&reader)
        frame = reader.frame
    }

    /// The maneuver of a line.
    package static func maneuver(_ root: JSONValue) -> Message.Maneuver {
        var maneuver = Message.Maneuver(routeVersion: root.count("route_version"))
        guard let index = root["index"]?.int else { return maneuver }
        maneuver.index = UInt32(clamping: index)
        maneuver.latitudeRadians = root.radians("lat_deg")
        maneuver.longitudeRadians = root.radians("lon_deg")
        maneuver.turnAngleRadians = root.radians("turn_angle_deg")
        maneuver.alongRouteMeters = root["along_route_m"]?.double ?? 0
        maneuver.kind = root.text("kind")
        maneuver.text = root.text("text")
        for lane in root["lanes"]?.elements ?? root.elements {
            var arrows: [Message.Lane.Direction] = []
            for arrow in lane["arrows"]?.elements ?? lane.elements {
                if let direction = Message.Lane.Direction(wireName: arrow.string) { arrows.append(direction) }
            }
            maneuver.lanes.append(
                .init(
                    arrows: arrows, isValid: lane["valid"]?.bool ?? false,
                    isRecommended: lane["recommended"]?.bool ?? false, direction: lane.named("direction")))
        }
        if let then = root["then"], then.kind == .object {
            var next = self.maneuver(then)
            next.then = nil
            maneuver.then = next
        }
        return maneuver
    }

    /// `nil` for an event that this release does not know.
    private static func event(_ root: JSONValue) -> Message.Event? {
        let change: Message.Change
        switch root["event"]?.string {
        case "pose": change = .poseState(root.named("state") ?? .whenUnknown)
        case "guidance": change = .guidanceState(root.named("state") ?? .whenUnknown)
        case "source":
            guard let name: Message.SourceName = root.named("source") else { return nil }
            change = .source(name, root.named("state") ?? .whenUnknown)
        case "route": change = .route(version: root.count("route_version"))
        case "reset": change = .reset(count: root.count("reset_count"))
        case "origin": change = .origin(epoch: root.count("epoch"))
        case "target":
            change = .target(
                number: UInt16(truncatingIfNeeded: root.count("target")), isNear: root["state"]?.string == "near")
        case "maneuverReached": change = .maneuverReached(index: root.count("maneuver"), count: places(root))
        case "waypointReached": change = .waypointReached(number: root.count("waypoint"), count: places(root))
        case "waypointSkipped": change = .waypointSkipped(number: root.count("waypoint"), count: places(root))
        case "departed": change = .departed(routeVersion: root.count("route_version"))
        case "rejoined":
            change = .rejoined(routeVersion: root.count("route_version"), isAhead: root["ahead"]?.bool ?? false)
        case "frameRate":
            change = .frameRate(isLow: root["state"]?.string == "low", millihertz: millihertz(root["rate_hz"]))
        default: return nil
        }
        return Message.Event(timeNanoseconds: root.nanoseconds("t_s") ?? 0, change: change)
    }

    private static func places(_ root: JSONValue) -> UInt16 { UInt16(clamping: root["count"]?.int ?? 0) }

    private static func reply(_ root: JSONValue, _ line: [UInt8]) -> StreamReply {
        var problem: StreamReply.Problem?
        if root["ok"]?.bool != true {
            let error = root["error"]
            problem = .init(
                what: error?.text("what") ?? "", place: error?.text("where") ?? "",
                remedy: error?.text("remedy") ?? "")
        }
        return StreamReply(
            command: root["cmd"]?.string, id: root["id"]?.string, problem: problem,
            line: String(decoding: line, as: UTF8.self))
    }
}
