import BoundedJSON
import Frames
import Geodesy
import PoseMath
import Publishing

/// A command of a client of the stream: one line, one JSON object, `cmd` says which.
struct CommandRequest: Sendable {
    /// What is asked for.
    enum Action: Sendable {
        /// `{"cmd":"ping"}`: an answer.
        case ping
        /// `{"cmd":"version"}`: which release.
        case version
        /// `{"cmd":"status"}`: how everything is, and why it is not better.
        case status
        /// `{"cmd":"subscribe","rate_hz":10,"topics":["pose"]}`: frames; without `rate_hz` at the default rate (0:
        /// every frame), without `topics` with all of them.
        case subscribe(Message.Subscription)
        /// `{"cmd":"unsubscribe"}`: no more frames.
        case unsubscribe
        /// `{"cmd":"trim","by_deg":1}`: turn the heading by so much, clockwise positive.
        case trimBy(radians: Double)
        /// `{"cmd":"trim","to_deg":0}`: set that turn.
        case trimTo(radians: Double)
        /// `{"cmd":"reset"}`: drop origin, trim and progress, and align anew.
        case reset
        /// `{"cmd":"route_load","path":"/x.json"}`.
        case routeLoadFile(path: String)
        /// `{"cmd":"route_load","route":{...}}`.
        case routeLoadValue(JSONValue)
        /// `{"cmd":"route_to","lat_deg":42.5,"lon_deg":1.5}`: a route there from the routing server.
        case routeTo(GeodeticPosition)
        /// `{"cmd":"target","lat_deg":42.5,"lon_deg":1.5}`, `{"cmd":"target","point_id":"node/7"}` with a point of
        /// interest around, `{"cmd":"target"}` for none.
        case target(TargetWish)
        /// `{"cmd":"points","categories":["cafe"]}`: show points of these categories; none: all.
        case points(categories: Set<String>)
        /// `{"cmd":"point","point_id":"node/7"}`: what is known of a point of interest around.
        case point(id: String)
        /// `{"cmd":"route_clear"}`.
        case routeClear
        /// `{"cmd":"wheel","speed_m_s":12.5}`: the wheels' speed now.
        case wheel(speedMetersPerSecond: Double)

        /// Whether it changes something, so that not everyone may ask for it.
        var changesSomething: Bool {
            switch self {
            case .ping, .version, .status, .subscribe, .unsubscribe, .point: false
            case .trimBy, .trimTo, .reset, .routeLoadFile, .routeLoadValue, .routeTo, .routeClear, .wheel, .target,
                .points:
                true
            }
        }
    }

    /// Which target is wanted.
    enum TargetWish: Sendable, Equatable {
        /// None.
        case none
        /// A place.
        case place(GeodeticPosition)
        /// A point of interest around, by its id.
        case point(id: String)
    }

    /// What is asked for.
    var action: Action
    /// What `cmd` said.
    var name: String
    /// What the client wants to know the reply by.
    var id: String?

    /// A problem, with as much of the command as was understood, for the reply.
    struct Refusal: Error {
        var problem: CommandProblem
        var name: String?
        var id: String?
    }

    /// The longest `id`, bytes.
    private static let longestId = 64
    private static let names =
        "ping, version, status, subscribe, unsubscribe, trim, reset, route_load, route_to, route_clear, target, "
        + "points, point or wheel"
    private static let limits = JSONLimits(
        maximumBytes: LineCollector.longestLine, maximumDepth: 32, maximumEntries: 1_000_000)

    /// Reads a line. Members that the command does not have are mistakes too: a misspelt one must not be passed over.
    init(line: [UInt8], defaultRateMillihertz: UInt32) throws(Refusal) {
        var name: String?
        var id: String?
        do throws(JSONProblem) {
            let root = try JSONDocument(bytes: line, limits: Self.limits).root
            id = try root.optional("id")?.requiredString()
            if let id, id.utf8.count > Self.longestId {
                throw root.problem("has an id of \(id.utf8.count) bytes", remedy: "use at most \(Self.longestId)")
            }
            let command = try root.required("cmd")
            let known = try command.requiredString()
            name = known
            action = try Self.action(known, command, root, defaultRateMillihertz)
            self.name = known
            self.id = id
        } catch {
            throw Refusal(problem: CommandProblem(error), name: name, id: id)
        }
    }

    private static func action(
        _ name: String, _ command: JSONValue, _ root: JSONValue, _ defaultRate: UInt32
    ) throws(JSONProblem) -> Action {
        switch name {
        case "ping": return try plain(root, .ping)
        case "version": return try plain(root, .version)
        case "status": return try plain(root, .status)
        case "unsubscribe": return try plain(root, .unsubscribe)
        case "reset": return try plain(root, .reset)
        case "route_clear": return try plain(root, .routeClear)
        case "subscribe": return .subscribe(try subscription(root, defaultRate))
        case "trim": return try trim(root)
        case "route_load": return try routeLoad(root)
        case "target": return .target(try target(root))
        case "points":
            try allow(root, ["categories"])
            var categories: Set<String> = []
            for name in try root.required("categories").requiredElements() {
                categories.insert(try name.requiredString())
            }
            return .points(categories: categories)
        case "point":
            try allow(root, ["point_id"])
            return .point(id: try root.required("point_id").requiredString())
        case "route_to":
            try allow(root, ["lat_deg", "lon_deg"])
            return .routeTo(try place(root))
        case "wheel":
            try allow(root, ["speed_m_s"])
            return .wheel(speedMetersPerSecond: try root.required("speed_m_s").requiredDouble(in: -150...150))
        default: throw command.problem("is no command: \(name.prefix(32))", remedy: "use \(names)")
        }
    }

    private static func plain(_ root: JSONValue, _ action: Action) throws(JSONProblem) -> Action {
        try allow(root, [])
        return action
    }

    private static func allow(_ root: JSONValue, _ names: Set<String>) throws(JSONProblem) {
        for (name, value) in root.members where name != "cmd" && name != "id" && !names.contains(name) {
            let known =
                names.isEmpty ? "nothing but cmd and id" : "only cmd, id, \(names.sorted().joined(separator: ", "))"
            throw value.problem(
                "belongs to the member \(name.prefix(32)), which this command does not have", remedy: "write \(known)")
        }
    }

    private static func subscription(_ root: JSONValue, _ defaultRate: UInt32) throws(JSONProblem)
        -> Message.Subscription
    {
        try allow(root, ["rate_hz", "topics", "every", "smooth"])
        var wish = Message.Subscription(topics: .all, rateMillihertz: defaultRate)
        wish.wantsEvery = try root.optional("every")?.requiredBool() ?? false
        wish.isSmooth = try root.optional("smooth")?.requiredBool() ?? false
        if let rate = try root.optional("rate_hz") {
            let hertz = try rate.requiredDouble(in: 0...10_000)
            guard hertz == 0 || hertz >= 1 else {
                throw rate.problem("is \(hertz) Hz", remedy: "ask for 1 to 10000 Hz, or 0 for every frame")
            }
            wish.rateMillihertz = UInt32((hertz * 1000).rounded())
        }
        guard let topics = try root.optional("topics") else { return wish }
        wish.topics = []
        for topic in try topics.requiredElements() {
            guard let known = Topics(name: try topic.requiredString()) else {
                throw topic.problem(
                    "is no topic", remedy: "use pose, guidance, speed, sources, events, status, scene or points")
            }
            wish.topics.insert(known)
        }
        return wish
    }

    private static func trim(_ root: JSONValue) throws(JSONProblem) -> Action {
        try allow(root, ["by_deg", "to_deg"])
        let by = try root.optional("by_deg")
        let to = try root.optional("to_deg")
        switch (by, to) {
        case (let by?, nil): return .trimBy(radians: try by.requiredDouble(in: -180...180) * .pi / 180)
        case (nil, let to?): return .trimTo(radians: try to.requiredDouble(in: -180...180) * .pi / 180)
        default:
            throw root.problem(
                "has not exactly one of by_deg and to_deg",
                remedy: "write by_deg to turn further, or to_deg to set the trim")
        }
    }

    private static func target(_ root: JSONValue) throws(JSONProblem) -> TargetWish {
        try allow(root, ["point_id", "lat_deg", "lon_deg"])
        if let id = try root.optional("point_id") {
            guard root["lat_deg"] == nil, root["lon_deg"] == nil else {
                throw id.problem("stands beside coordinates", remedy: "write either point_id, or lat_deg and lon_deg")
            }
            return .point(id: try id.requiredString())
        }
        return root["lat_deg"] == nil && root["lon_deg"] == nil ? .none : .place(try place(root))
    }

    private static func place(_ root: JSONValue) throws(JSONProblem) -> GeodeticPosition {
        let latitude = try root.required("lat_deg").requiredDouble(in: -90...90)
        return GeodeticPosition(
            latitudeDegrees: latitude, longitudeDegrees: try root.required("lon_deg").requiredDouble(in: -180...180))
    }

    private static func routeLoad(_ root: JSONValue) throws(JSONProblem) -> Action {
        try allow(root, ["path", "route"])
        let path = try root.optional("path")
        let route = try root.optional("route")
        switch (path, route) {
        case (let path?, nil):
            let text = try path.requiredString()
            guard text.hasPrefix("/"), text.utf8.count < 4096, !text.utf8.contains(0) else {
                throw path.problem(
                    "is no absolute path",
                    remedy: "write the whole path, beginning with /; the daemon does not know your folder")
            }
            return .routeLoadFile(path: text)
        case (nil, let route?):
            guard route.kind == .object else {
                throw route.wrongKind(expected: "an object: an OSRM-form response or GeoJSON")
            }
            return .routeLoadValue(route)
        default:
            throw root.problem(
                "has not exactly one of path and route",
                remedy: "write path with a file's path, or route with the route itself")
        }
    }
}
