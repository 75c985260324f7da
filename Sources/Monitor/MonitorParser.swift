import BoundedJSON
import Frames

/// Makes the daemon's JSON lines into what the monitor shows. A line that it does not understand changes nothing.
enum MonitorParser {
    /// Takes one line that came at a time.
    static func take(_ line: [UInt8], into state: inout MonitorState, atSeconds now: Double) {
        guard let document = try? JSONDocument(bytes: line) else { return }
        let root = document.root
        switch root["type"]?.string {
        case "hello":
            state.connection = .connected
            state.release = root["release"]?.string
        case "frame":
            state.take(
                frame(root), line: String(decoding: line, as: UTF8.self),
                dropped: UInt64(max(0, root["dropped"]?.int ?? 0)), atSeconds: now)
        case "maneuver": state.take(maneuver(root))
        case "event": if let text = event(root) { state.take(event: text) }
        case "bye": state.take(event: "posed says goodbye: \(root["text"]?.string ?? "no reason given")")
        default: break
        }
    }

    private static func frame(_ root: JSONValue) -> Frame {
        var frame = Frame()
        frame.sequence = UInt64(max(0, root["seq"]?.int ?? 0))
        frame.timeNanoseconds = nanoseconds(root["t_s"]) ?? 0
        frame.utcNanoseconds = nanoseconds(root["utc_s"])
        if let pose = root["pose"] { frame.pose = self.pose(pose) }
        if let guidance = root["guidance"] { frame.guidance = self.guidance(guidance) }
        if let speed = root["speed"] { frame.speed = self.speed(speed) }
        if let sources = root["sources"] { frame.sources = self.sources(sources) }
        return frame
    }

    private static func pose(_ json: JSONValue) -> Frame.Pose {
        var pose = Frame.Pose()
        pose.state = named(json["state"], \.wireName) ?? .starting
        pose.latitudeRadians = radians(json["lat_deg"])
        pose.longitudeRadians = radians(json["lon_deg"])
        pose.altitudeEllipsoidMeters = json["alt_hae_m"]?.double
        pose.altitudeMeanSeaMeters = json["alt_msl_m"]?.double
        pose.positionSigmaENUMeters = triple(json["sigma_enu_m"])
        pose.velocityENUMetersPerSecond = triple(json["vel_enu_m_s"])
        pose.rollRadians = radians(json["roll_deg"])
        pose.pitchRadians = radians(json["pitch_deg"])
        pose.headingTrueRadians = radians(json["heading_deg"])
        pose.headingMagneticRadians = radians(json["heading_magnetic_deg"])
        pose.courseOverGroundRadians = radians(json["course_deg"])
        pose.tiltSigmaRadians = radians(json["tilt_sigma_deg"])
        pose.headingSigmaRadians = radians(json["heading_sigma_deg"])
        pose.headingTrimRadians = radians(json["heading_trim_deg"]) ?? 0
        pose.isStandingStill = json["standing_still"]?.bool ?? false
        pose.fixAgeSeconds = json["fix_age_s"]?.double
        pose.fixMode = UInt8(clamping: json["fix_mode"]?.int ?? 0)
        pose.satellitesUsed = json["satellites_used"]?.int.map { UInt16(clamping: $0) }
        pose.resetCount = UInt32(clamping: json["reset_count"]?.int ?? 0)
        return pose
    }

    private static func guidance(_ json: JSONValue) -> Frame.Guidance {
        var guidance = Frame.Guidance()
        guidance.state = named(json["state"], \.wireName) ?? .noRoute
        guidance.routeVersion = UInt32(clamping: json["route_version"]?.int ?? 0)
        guidance.progressMeters = json["progress_m"]?.double
        guidance.crossTrackMeters = json["cross_track_m"]?.double
        guidance.nextManeuver = json["next_maneuver"]?.int.map { UInt32(clamping: $0) }
        guidance.distanceToTurnMeters = json["distance_to_turn_m"]?.double
        guidance.turnAngleRadians = radians(json["turn_angle_deg"])
        guidance.distanceLeftMeters = json["distance_left_m"]?.double
        guidance.timeLeftSeconds = json["time_left_s"]?.double
        return guidance
    }

    private static func speed(_ json: JSONValue) -> Frame.Speed {
        var speed = Frame.Speed()
        speed.speedMetersPerSecond = json["speed_m_s"]?.double
        speed.limitMetersPerSecond = json["limit_m_s"]?.double
        speed.ratio = json["ratio"]?.double
        speed.colour = named(json["colour"], \.wireName) ?? .unknown
        speed.limitSource = named(json["limit_source"], \.wireName) ?? .none
        return speed
    }

    private static func sources(_ json: JSONValue) -> Frame.Sources {
        var sources = Frame.Sources()
        for name in Message.SourceName.allCases {
            sources[name] = named(json["\(name.wireName)"], \.wireName) ?? .absent
        }
        return sources
    }

    private static func maneuver(_ json: JSONValue) -> Message.Maneuver {
        var maneuver = Message.Maneuver(routeVersion: UInt32(clamping: json["route_version"]?.int ?? 0))
        maneuver.index = json["index"]?.int.map { UInt32(clamping: $0) }
        maneuver.turnAngleRadians = radians(json["turn_angle_deg"])
        maneuver.alongRouteMeters = json["along_route_m"]?.double ?? 0
        maneuver.kind = json["kind"]?.string ?? ""
        maneuver.text = json["text"]?.string ?? ""
        return maneuver
    }

    private static func event(_ json: JSONValue) -> String? {
        guard let what = json["event"]?.string else { return nil }
        let state = json["state"]?.string ?? ""
        switch what {
        case "pose": return "pose: \(state)"
        case "guidance": return "guidance: \(state)"
        case "source": return "\(json["source"]?.string ?? "source"): \(state)"
        case "route": return (json["route_version"]?.int).map { "route \($0)" }
        case "reset": return "the pose jumped, announced (\(json["reset_count"]?.int ?? 0))"
        case "target": return "target: \(state)"
        case "origin": return "the local frame has a new origin (\(json["epoch"]?.int ?? 0))"
        default: return what
        }
    }

    private static func named<Name: CaseIterable>(_ json: JSONValue?, _ wireName: (Name) -> StaticString) -> Name? {
        guard let text = json?.string else { return nil }
        return Name.allCases.first { wireName($0).description == text }
    }

    private static func radians(_ json: JSONValue?) -> Double? { json?.double.map { $0 * .pi / 180 } }

    private static func nanoseconds(_ json: JSONValue?) -> Int64? {
        guard let seconds = json?.double, abs(seconds) < 9.2e9 else { return nil }
        return Int64((seconds * 1e9).rounded())
    }

    private static func triple(_ json: JSONValue?) -> Frame.Triple? {
        guard let json, let x = json[0]?.double, let y = json[1]?.double, let z = json[2]?.double else { return nil }
        return Frame.Triple(x, y, z)
    }
}
