import BoundedJSON

/// The daemon's reply to `status`, as far as the tools show it.
struct StatusReply: Sendable, Equatable {
    /// The daemon's release.
    var release = ""
    /// Time since the daemon's start, seconds.
    var uptimeSeconds: Double?
    /// The state of the pose, by its wire name.
    var poseState = ""
    /// The reasons why the pose is not better, the most severe first.
    var why: [String] = []
    /// The sources.
    var sources: [Source] = []
    /// The loaded route; `nil` without one.
    var route: Route?
    /// The last rejected route and the reason.
    var rejectedRoute: String?
    /// Number of connected clients.
    var clients = 0
    /// Warnings about the settings.
    var settingsNotes: [String] = []
    /// Rejections by the estimator, by the names of docs/rejections.md; only reasons that occurred.
    var rejections: [Count] = []
    /// Aiding sources with rejected observations: the last reason and the count.
    var rejectedAids: [RejectedAid] = []
    /// Notes about the state file.
    var stateNotes: [String] = []
    /// The mount of the IMU; `nil` while unknown.
    var mount: Mount?
    /// The place of the antenna; `nil` while nothing is known of it.
    var antenna: Antenna?
    /// The calibration of the magnetometer; `nil` without one.
    var magnetometer: Magnetometer?
    /// What the recorder does; `nil` without one.
    var recording: RecordingText?

    /// The mount of the IMU in the vehicle.
    struct Mount: Sendable, Equatable {
        /// Where the mount comes from, by its wire name.
        var origin: String
        /// Roll, pitch and yaw, degrees.
        var anglesDegrees: [Double]
        /// 1-sigma about the body axes, degrees.
        var sigmaDegrees: [Double]
    }

    /// The place of the antenna from the IMU in the vehicle.
    struct Antenna: Sendable, Equatable {
        /// Forward and left, metres.
        var forwardMeters: Double
        var leftMeters: Double
        /// The larger 1-sigma of both, metres.
        var sigmaMeters: Double
        /// Probability that it is beside the IMU.
        var besideProbability: Double
    }

    /// The calibration of a magnetometer.
    struct Magnetometer: Sendable, Equatable {
        /// How far it can be trusted, by its wire name.
        var state: String
        /// Hard iron, microtesla.
        var ironMicrotesla: [Double]
        /// Strength of the Earth's field, microtesla; its dip and 1-sigma of the heading, degrees.
        var fieldMicrotesla: Double
        var dipDegrees: Double
        var sigmaDegrees: Double
    }

    /// The loaded route.
    struct Route: Sendable, Equatable {
        /// The file or client it came from.
        var from: String
        /// Length, metres.
        var lengthMeters: Double
    }

    /// The count of one rejection reason.
    struct Count: Sendable, Equatable {
        /// The reason, by its wire name.
        var name: String
        /// The number of rejections.
        var count: Int
    }

    /// Rejections of one aiding source by the Kalman filter.
    struct RejectedAid: Sendable, Equatable {
        /// The source, by its wire name.
        var source: String
        /// The last reason of a rejection, by the names of docs/rejections.md.
        var reason: String
        /// The number of rejected observations.
        var count: Int
    }

    /// One source.
    struct Source: Sendable, Equatable {
        /// Its name.
        var name: String
        /// The quantity it measures, by its wire name.
        var kind: String
        /// Its location.
        var place: String
        /// Its state, by its wire name.
        var state: String
        /// Measurements per second.
        var rateHertz: Double?
        /// Temperature of the sensor, degrees Celsius.
        var celsius: Double?
        /// How much faster its clock runs than that of its machine, parts per million.
        var clockDrift: Double?
        /// The reason for its state.
        var explanation: String
        /// What a receiver reports of itself in one line; `nil` for other sources.
        var receiver: String?
        /// Whether the fixes of this receiver are used.
        var isInUse = false
        /// Its rejections, by the names of docs/rejections.md; only reasons that occurred.
        var rejections: [Count] = []
    }

    /// Reads a line; `nil` if it is not a successful reply to `status`.
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
            let (origin, problem) = (refused["from"]?.string ?? "", Self.problem(error))
            // A problem in a file names the file itself.
            rejectedRoute = problem.hasPrefix(origin) ? problem : "\(origin): \(problem)"
        }
        clients = root["clients"]?["connected"]?.int ?? 0
        settingsNotes = Self.strings(root["settings"]?["notes"])
        rejections = Self.counts(root["trust"]?["rejected"])
        rejectedAids = root["trust"]?["aids"]?.elements.compactMap(Self.rejectedAid) ?? []
        stateNotes = Self.strings(root["state_notes"])
        mount = Self.mount(root["mount"])
        antenna = Self.antenna(root["antenna"])
        magnetometer = Self.magnetometer(root["magnetometer"])
        recording = root["recording"].flatMap { RecordingText($0) }
    }

    /// An error object of the wire format as one sentence.
    static func problem(_ error: JSONValue) -> String {
        let parts = [error["where"]?.string ?? "", error["what"]?.string ?? ""].filter { !$0.isEmpty }
        return "\(parts.joined(separator: ": ")); \(error["remedy"]?.string ?? "")"
    }

    private static func source(_ json: JSONValue) -> Source {
        Source(
            name: json["name"]?.string ?? "", kind: json["kind"]?.string ?? "", place: json["place"]?.string ?? "",
            state: json["state"]?.string ?? "",
            rateHertz: json["rate_hz"]?.double, celsius: json["temperature_c"]?.double,
            clockDrift: json["clock_drift_ppm"]?.double,
            explanation: json["explanation"]?.string ?? "",
            receiver: json["receiver"].flatMap(receiver), isInUse: json["receiver"]?["in_use"]?.bool ?? false,
            rejections: counts(json["rejected"]))
    }

    /// The line of a receiver: use, solution, corrections, satellites, attitude, jamming; `nil` if nothing is known.
    private static func receiver(_ json: JSONValue) -> String? {
        var parts: [String] = []
        if json["rank"]?.int != nil { parts.append(json["in_use"]?.bool == true ? "in use" : "not in use") }
        if let fix = json["fix"]?.string {
            let words = ["rtk_fixed": "RTK fixed", "rtk_float": "RTK float", "dgps": "DGPS", "none": "no fix"]
            parts.append(words[fix] ?? fix.split(separator: "_").joined(separator: " "))
        }
        if let age = json["corrections_age_s"]?.double {
            let station = json["corrections_station"]?.int.map { " of station \($0)" } ?? ""
            parts.append("corrections\(station) \(Reading.number(age, 1)) s old")
        }
        if let used = json["satellites_used"]?.int {
            parts.append("\(used)\(json["satellites_visible"]?.int.map { " of \($0)" } ?? "") satellites")
        }
        if let heading = json["heading_deg"]?.double { parts.append("heading \(Reading.number(heading, 1)) deg") }
        if json["jammed"]?.bool == true {
            parts.append("jammed")
        } else if let indicator = json["jamming_indicator"]?.int {
            parts.append("jamming \(indicator) of 255")
        }
        guard !parts.isEmpty else { return nil }
        let reason = json["in_use"]?.bool == true ? json["use_reason"]?.string.map { " (\($0))" } ?? "" : ""
        return parts.joined(separator: ", ") + reason
    }

    private static func counts(_ json: JSONValue?) -> [Count] {
        json?.members.compactMap { name, value in
            value.int.flatMap { $0 > 0 ? Count(name: name, count: $0) : nil }
        } ?? []
    }

    private static func rejectedAid(_ json: JSONValue) -> RejectedAid? {
        guard let source = json["source"]?.string, let count = json["rejected_count"]?.int, count > 0 else {
            return nil
        }
        return RejectedAid(source: source, reason: json["last_reason"]?.string ?? "unknown", count: count)
    }

    private static func mount(_ json: JSONValue?) -> Mount? {
        guard let json, let origin = json["origin"]?.string else { return nil }
        let (turn, sigma) = (numbers(json["rpy_deg"]), numbers(json["sigma_deg"]))
        guard turn.count == 3, sigma.count == 3 else { return nil }
        return Mount(origin: origin, anglesDegrees: turn, sigmaDegrees: sigma)
    }

    private static func antenna(_ json: JSONValue?) -> Antenna? {
        guard let json, let forward = json["forward_m"]?.double, let left = json["left_m"]?.double,
            let sigma = numbers(json["sigma_m"]).max(), let beside = json["beside_imu"]?.double
        else { return nil }
        return Antenna(forwardMeters: forward, leftMeters: left, sigmaMeters: sigma, besideProbability: beside)
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

extension [StatusReply.Source] {
    /// The source of a kind, by its wire name: of several receivers the one in use; `nil` without any.
    func source(ofKind kind: String) -> StatusReply.Source? {
        let own = filter { $0.kind == kind }
        return own.first { $0.isInUse } ?? own.first
    }
}
