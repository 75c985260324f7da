import BoundedJSON

/// What the monitor's pages show of a reply to `status` beyond ``StatusReply``.
struct StatusDetails: Sendable, Equatable {
    /// One aiding source of the filter.
    struct Aid: Sendable, Equatable {
        var source = ""
        /// The last innovation over its 1-sigma; `nil` before one.
        var normalised: Double?
        /// Innovation over the gate: accepted below 1.
        var testRatio: Double?
        var accepted = 0
        var rejected = 0
        var lastReason = "none"
    }

    /// What the sigma of one quantity consists of.
    struct Budget: Sendable, Equatable {
        var quantity = ""
        var parts: [(name: String, sigma: Double)] = []

        static func == (a: Budget, b: Budget) -> Bool {
            a.quantity == b.quantity && a.parts.elementsEqual(b.parts) { $0.name == $1.name && $0.sigma == $1.sigma }
        }
    }

    /// Age of the newest data of each source by its name, seconds, and number of its measurements.
    var ages: [String: Double] = [:]
    var accepted: [String: Int] = [:]
    var aids: [Aid] = []
    var budgets: [Budget] = []
    /// Named values of the filter, the guidance, and the clients, in the order of the pages.
    var filter: [(name: String, text: String)] = []
    var guidance: [(name: String, text: String)] = []
    var clients: [(name: String, text: String)] = []

    static func == (a: StatusDetails, b: StatusDetails) -> Bool {
        func same(_ a: [(name: String, text: String)], _ b: [(name: String, text: String)]) -> Bool {
            a.elementsEqual(b) { $0.name == $1.name && $0.text == $1.text }
        }
        return a.ages == b.ages && a.accepted == b.accepted && a.aids == b.aids && a.budgets == b.budgets
            && same(a.filter, b.filter) && same(a.guidance, b.guidance) && same(a.clients, b.clients)
    }

    /// Nothing known.
    init() {}

    /// Reads a reply.
    init(_ root: JSONValue) {
        for source in Self.elements(root["sources"]) {
            guard let name = source["name"]?.string else { continue }
            ages[name] = source["last_data_age_s"]?.double
            accepted[name] = source["accepted"]?.int
        }
        aids = Self.elements(root["trust"]?["aids"]).map(Self.aid)
        budgets = Self.members(root["trust"]?["budget"]).map { name, json in
            Budget(
                quantity: name, parts: Self.members(json).compactMap { part, value in value.double.map { (part, $0) } })
        }
        filter = Self.filter(root)
        guidance = Self.guidance(root)
        clients = Self.clients(root)
    }

    private static func elements(_ json: JSONValue?) -> [JSONValue] { json.map { Array($0.elements) } ?? [] }

    private static func members(_ json: JSONValue?) -> [(String, JSONValue)] {
        json?.members.map { ($0, $1) } ?? []
    }

    private static func aid(_ json: JSONValue) -> Aid {
        var aid = Aid()
        aid.source = json["source"]?.string ?? ""
        if let innovation = json["innovation"]?.double, let variance = json["innovation_variance"]?.double, variance > 0
        {
            aid.normalised = innovation / variance.squareRoot()
        }
        aid.testRatio = json["test_ratio"]?.double
        aid.accepted = json["accepted_count"]?.int ?? 0
        aid.rejected = json["rejected_count"]?.int ?? 0
        aid.lastReason = json["last_reason"]?.string ?? "none"
        return aid
    }

    private static func filter(_ root: JSONValue) -> [(name: String, text: String)] {
        let trust = root["trust"]
        var rows: [(name: String, text: String)] = []
        if let receiver = trust?["receiver"]?.string {
            let factor = trust?["receiver_sigma_factor"]?.double ?? 1
            rows.append(("receiver", receiver + (factor > 1.05 ? ", accuracy times \(Reading.number(factor, 1))" : "")))
        }
        let lags = [("position_lag_s", "position"), ("velocity_lag_s", "velocity")].compactMap { key, name in
            trust?[key]?.double.map { "\(name) \(Reading.number($0, 2)) s" }
        }
        if !lags.isEmpty { rows.append(("lags", lags.joined(separator: ", "))) }
        let faults = trust?["imu_faults"]?.elements.compactMap(\.string) ?? []
        let noise = trust?["gyro_noise_dps_rthz"]?.double.map { "noise \(Reading.number($0, 3)) deg/s/sqrt(Hz)" }
        rows.append(
            (
                "imu",
                ([faults.isEmpty ? "no fault" : faults.joined(separator: ", ")] + [noise].compactMap { $0 })
                    .joined(separator: ", ")
            ))
        if let wheels = trust?["wheels"], let scale = wheels["scale"]?.double {
            let use = wheels["used"]?.bool == true ? "used" : "not used"
            rows.append(("wheels", "scale \(Reading.number(scale, 3)), \(use)"))
        }
        if trust?["profile_fits"]?.bool == false { rows.append(("profile", "does not fit the motion")) }
        return rows
    }

    private static func guidance(_ root: JSONValue) -> [(name: String, text: String)] {
        var rows: [(name: String, text: String)] = []
        if let route = root["route"] {
            if route["loaded"]?.bool == true {
                rows.append(
                    (
                        "route",
                        [
                            route["name"]?.string, Reading.distance(route["length_m"]?.double), route["from"]?.string,
                        ].compactMap { $0 }.joined(separator: ", ")
                    ))
            }
            for note in route["notes"]?.elements.compactMap(\.string) ?? [] { rows.append(("note", note)) }
        }
        for (key, name) in [("roads", "roads"), ("points", "points")] {
            guard let file = root[key] else { continue }
            let text =
                file["problem"]?.string
                ?? [file["file"]?.string ?? "none", file["holds"]?.string ?? ""].filter { !$0.isEmpty }
                .joined(separator: ", ")
            rows.append((name, text))
        }
        if let routing = root["routing"] {
            rows.append(
                (
                    "routing",
                    [routing["server"]?.string, routing["state"]?.string].compactMap { $0 }
                        .joined(separator: ", ")
                ))
        }
        return rows
    }

    private static func clients(_ root: JSONValue) -> [(name: String, text: String)] {
        var rows: [(name: String, text: String)] = []
        if let clients = root["clients"] {
            rows.append(
                (
                    "connected",
                    "\(clients["connected"]?.int ?? 0) of \(clients["limit"]?.int ?? 0), "
                        + "\(clients["limit_per_user"]?.int ?? 0) per user"
                ))
            rows.append(("too slow", "\(clients["low_rate"]?.int ?? 0) get fewer frames than they asked for"))
            rows.append(("messages lost", "\(clients["dropped"]?.int ?? 0)"))
            let left = members(clients["left"]).compactMap { name, count in count.int.map { "\(name) \($0)" } }
            if !left.isEmpty { rows.append(("disconnected", left.joined(separator: ", "))) }
        }
        if let engine = root["engine"] {
            rows.append(
                (
                    "frames",
                    "\(engine["frames"]?.int ?? 0), \(engine["repeats"]?.int ?? 0) repeated, "
                        + "\(engine["frames_dropped"]?.int ?? 0) dropped"
                ))
            rows.append(("beat", "\(Reading.number(engine["beat_age_s"]?.double, 2)) s ago"))
            rows.append(("real time", engine["real_time"]?.string ?? "unknown"))
            let lost = members(engine["measurements_dropped"]).compactMap { name, count in
                count.int.flatMap { $0 > 0 ? "\(name) \($0)" : nil }
            }
            rows.append(("inputs lost", lost.isEmpty ? "none" : lost.joined(separator: ", ")))
        }
        if let text = root["recording"].flatMap({ RecordingText($0) }) {
            rows.append(("recorder", text.lines.joined(separator: "; ")))
        }
        return rows
    }
}
