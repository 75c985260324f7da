import BoundedJSON

/// What the daemon answers to `status`, as far as the tools show it.
struct StatusReply: Sendable, Equatable {
    /// The daemon's release.
    var release = ""
    /// Since its start, seconds.
    var uptimeSeconds: Double?
    /// How far the pose can be trusted, by the name of the wire.
    var poseState = ""
    /// Why it is not better, the gravest first.
    var why: [String] = []
    /// Each source.
    var sources: [Source] = []
    /// The route in force; `nil` without one.
    var route: Route?
    /// A route that was not taken, and why.
    var refusedRoute: String?
    /// Clients served.
    var clients = 0
    /// Warnings about the settings.
    var settingsNotes: [String] = []
    /// What the estimator refused, by the names of docs/rejections.md; only what came up.
    var rejections: [Count] = []
    /// What became of the state file.
    var stateNotes: [String] = []
    /// How the IMU sits in the vehicle; `nil` while it is not known.
    var mount: Mount?
    /// What was found of the magnetometer; `nil` without one.
    var magnetometer: Magnetometer?

    /// How the IMU sits in the vehicle.
    struct Mount: Sendable, Equatable {
        /// How it is known, by the name of the wire.
        var origin: String
        /// Roll, pitch and yaw, degrees.
        var turnDegrees: [Double]
        /// 1-sigma about the body's axes, degrees.
        var sigmaDegrees: [Double]
    }

    /// What was found of a magnetometer.
    struct Magnetometer: Sendable, Equatable {
        /// How far it can be trusted, by the name of the wire.
        var state: String
        /// Iron that turns with it, microtesla.
        var ironMicrotesla: [Double]
        /// Strength of the Earth's field, microtesla, how far it points down and 1-sigma of the heading, degrees.
        var fieldMicrotesla: Double
        var dipDegrees: Double
        var sigmaDegrees: Double
    }

    /// A route in force.
    struct Route: Sendable, Equatable {
        /// The file or client it came from.
        var from: String
        /// How long it is, metres.
        var lengthMeters: Double
    }

    /// How often a reason came up.
    struct Count: Sendable, Equatable {
        /// The reason, by the name of the wire.
        var name: String
        /// How often.
        var count: Int
    }

    /// One source.
    struct Source: Sendable, Equatable {
        /// Its name.
        var name: String
        /// What it measures, by the name of the wire.
        var kind: String
        /// Where it is.
        var place: String
        /// Its state, by the name of the wire.
        var state: String
        /// Measurements a second.
        var rateHertz: Double?
        /// Why it is in this state.
        var explanation: String
        /// What was refused of it, by the names of docs/rejections.md; only what came up.
        var rejections: [Count] = []
    }

    /// Reads a line; `nil` where it is no good answer to `status`.
    init?(line: [UInt8]) {
        guard line.starts(with: Self.replyStart), let root = (try? JSONDocument(bytes: line))?.root,
            root["cmd"]?.string == "status",
            root["ok"]?.bool == true
        else { return nil }
        release = root["release"]?.string ?? ""
        uptimeSeconds = root["uptime_s"]?.double
        poseState = root["pose"]?["state"]?.string ?? ""
        why = Self.strings(root["pose"]?["why"])
        sources = root["sources"]?.elements.map(Self.source) ?? []
        if let route = root["route"], route["loaded"]?.bool == true {
            self.route = Route(from: route["from"]?.string ?? "a client", lengthMeters: route["length_m"]?.double ?? 0)
        }
        if let refused = root["route"]?["last_refused"], let error = refused["error"] {
            refusedRoute = "\(refused["from"]?.string ?? ""): \(Self.problem(error))"
        }
        clients = root["clients"]?["connected"]?.int ?? 0
        settingsNotes = Self.strings(root["settings"]?["notes"])
        rejections = Self.counts(root["trust"]?["rejected"])
        stateNotes = Self.strings(root["state_notes"])
        mount = Self.mount(root["mount"])
        magnetometer = Self.magnetometer(root["magnetometer"])
    }

    /// A problem of the wire as one sentence.
    static func problem(_ error: JSONValue) -> String {
        let parts = [error["where"]?.string ?? "", error["what"]?.string ?? ""].filter { !$0.isEmpty }
        return "\(parts.joined(separator: ": ")); \(error["remedy"]?.string ?? "")"
    }

    private static func source(_ json: JSONValue) -> Source {
        Source(
            name: json["name"]?.string ?? "", kind: json["kind"]?.string ?? "", place: json["place"]?.string ?? "",
            state: json["state"]?.string ?? "",
            rateHertz: json["rate_hz"]?.double, explanation: json["explanation"]?.string ?? "",
            rejections: counts(json["rejected"]))
    }

    private static func counts(_ json: JSONValue?) -> [Count] {
        json?.members.compactMap { name, value in
            value.int.flatMap { $0 > 0 ? Count(name: name, count: $0) : nil }
        } ?? []
    }

    private static func mount(_ json: JSONValue?) -> Mount? {
        guard let json, let origin = json["origin"]?.string else { return nil }
        let (turn, sigma) = (numbers(json["rpy_deg"]), numbers(json["sigma_deg"]))
        guard turn.count == 3, sigma.count == 3 else { return nil }
        return Mount(origin: origin, turnDegrees: turn, sigmaDegrees: sigma)
    }

    private static func magnetometer(_ json: JSONValue?) -> Magnetometer? {
        guard let json, let state = json["state"]?.string else { return nil }
        let iron = numbers(json["iron_ut"])
        guard iron.count == 3, let field = json["field_ut"]?.double, let dip = json["dip_deg"]?.double,
            let sigma = json["sigma_deg"]?.double
        else {
            return nil
        }
        return Magnetometer(
            state: state, ironMicrotesla: iron, fieldMicrotesla: field, dipDegrees: dip, sigmaDegrees: sigma)
    }

    private static func numbers(_ json: JSONValue?) -> [Double] { json?.elements.compactMap(\.double) ?? [] }

    private static func strings(_ json: JSONValue?) -> [String] { json?.elements.compactMap(\.string) ?? [] }

    private static let replyStart = Array("{\"type\":\"reply\"".utf8)
}
