import BoundedJSON
import PosedClient

/// Converts the daemon's JSON lines into the monitor's state. Unknown lines change nothing.
enum MonitorParser {
    /// Processes one line that arrived at time `now`, seconds.
    static func process(_ line: [UInt8], into state: inout MonitorState, atSeconds now: Double) {
        guard let document = try? JSONDocument(bytes: line) else { return }
        let root = document.root
        switch root["type"]?.string {
        case "hello":
            state.connection = .connected
            state.farewell = nil
            state.release = root["release"]?.string
        case "frame":
            state.update(
                LineDecoder.frameContent(root), line: String(decoding: line, as: UTF8.self),
                dropped: UInt64(max(0, root["dropped"]?.int ?? 0)), atSeconds: now)
        case "maneuver": state.update(LineDecoder.maneuver(root))
        case "event": if let text = event(root) { state.addEvent(text) }
        case "bye":
            let text = root["text"]?.string ?? "no reason given"
            state.farewell = root["reason"]?.string == "stopping" ? "posed was stopped" : "posed disconnected: \(text)"
            state.addEvent("posed disconnected: \(text)")
        default: break
        }
    }

    private static func event(_ json: JSONValue) -> String? {
        guard let what = json["event"]?.string else { return nil }
        let state = json["state"]?.string ?? ""
        switch what {
        case "pose": return "pose: \(state)"
        case "guidance": return "guidance: \(state)"
        case "source": return "\(json["source"]?.string ?? "source"): \(state)"
        case "route": return (json["route_version"]?.int).map { "route \($0)" }
        case "reset": return "announced jump of the pose (reset count \(json["reset_count"]?.int ?? 0))"
        case "target": return "target: \(state)"
        case "maneuverReached": return "maneuver \(places(json, "maneuver")) reached"
        case "waypointReached": return "waypoint \(places(json, "waypoint")) reached"
        case "waypointSkipped": return "waypoint \(places(json, "waypoint")) skipped"
        case "departed": return "left the route"
        case "rejoined": return json["ahead"]?.bool == true ? "back on the route, further ahead" : "back on the route"
        case "frameRate":
            // The daemon may be any program: a number that is no rate is not converted.
            let rate = json["rate_hz"]?.double.flatMap { abs($0) < 1e9 ? Int($0.rounded()) : nil } ?? 0
            return state == "low" ? "only \(rate) frames per second" : "\(rate) frames per second again"
        case "origin": return "new origin of the local frame (epoch \(json["epoch"]?.int ?? 0))"
        default: return what
        }
    }

    /// The places of an event: the last one, or the first and the last. The daemon may be any program, so the numbers
    /// are only compared.
    private static func places(_ json: JSONValue, _ name: String) -> String {
        guard let last = json[name]?.int else { return "?" }
        guard let count = json["count"]?.int, (2...65_535).contains(count), last >= count - 1 else { return "\(last)" }
        return "\(last - count + 1) to \(last)"
    }
}
