import BoundedJSON
import Frames
import Geodesy
import PoseMath

/// Every command of the stream socket. A new command is one entry here: parsing, error messages, the list in the error
/// for an unknown command, and the table in `docs/sockets.md` follow from it.
enum CommandRegistry {
    /// In the order of the table.
    static let all: [StreamCommand] = general + engine + route + horizon

    /// The command of that name; `nil`: there is none.
    static func command(_ name: String) -> StreamCommand? { all.first { $0.name == name } }

    /// The names of all, for the error about an unknown one.
    static let names: String = {
        let names = all.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }()

    /// The table of commands in `docs/sockets.md`.
    static let table: String =
        "| command | arguments | what it does | who | thread |\n|---|---|---|---|---|\n"
        + all.map { command in
            "| `\(command.example)` | \(command.argumentForm) | \(command.help) | \(command.access.rawValue) | "
                + "\(command.thread.rawValue) |\n"
        }.joined()

    // MARK: - Information and frames

    private static let general: [StreamCommand] = [
        .answered("ping", .none, help: "answers") { call, _ in call.reply() },
        .answered("version", .none, help: "tells release and protocol") { call, _ in
            call.reply { CommandHandler.writeVersion(&$0) }
        },
        .answered(
            "status", .none,
            help: "tells each source with state, reason and counts; why the pose is not better; how the IMU sits in "
                + "the vehicle, how sure that is and how it is known (`mount`); what was found of the magnetometer; "
                + "route, clients, engine, settings"
        ) { call, _ in call.reply { call.handler.writeStatus(&$0, call.fanOut) } },
        .answered(
            "subscribe", subscription,
            help: "sends frames: `rate_hz` 0 is every frame, no `rate_hz` the default rate, no `topics` all of them; "
                + "`every` is for loggers, `smooth` glides over jumps"
        ) { call, wish throws(CommandProblem) in try call.handler.subscribe(call, wish) },
        .answered("unsubscribe", .none, help: "sends no more frames") { call, _ in
            call.client.unsubscribe()
            call.reply()
        },
    ]

    /// The arguments of `subscribe`. Without a rate the default rate of the settings holds.
    static let subscription: CommandArguments<SubscriptionWish> = {
        let content: CommandArguments<(UInt32?, Topics?)> = .both(.optional(rate), .optional(topics))
        let delivery: CommandArguments<(Bool?, Bool?)> = .both(.optional(.flag("every")), .optional(.flag("smooth")))
        return CommandArguments<((UInt32?, Topics?), (Bool?, Bool?))>.both(content, delivery).map { content, delivery in
            SubscriptionWish(
                rateMillihertz: content.0, topics: content.1 ?? .all, wantsEvery: delivery.0 ?? false,
                isSmooth: delivery.1 ?? false)
        }
    }()

    private static let rate = CommandArgument(name: "rate_hz", form: "0, or 1 to 10000 Hz", example: "10") {
        value throws(JSONProblem) in
        let hertz = try value.requiredDouble(in: 0...10_000)
        guard hertz == 0 || hertz >= 1 else {
            throw value.problem("is \(hertz) Hz", remedy: "ask for 1 to 10000 Hz, or 0 for every frame")
        }
        return UInt32((hertz * 1000).rounded())
    }

    private static let topics = CommandArgument(name: "topics", form: "list of topics", example: #"["pose","speed"]"#) {
        value throws(JSONProblem) in
        var topics: Topics = []
        for name in try value.requiredElements() {
            guard let topic = Topics(name: try name.requiredString()) else {
                let known = Topics.named.map(\.name.description)
                throw name.problem(
                    "is no topic", remedy: "use \(known.dropLast().joined(separator: ", ")) or \(known.last ?? "")")
            }
            topics.insert(topic)
        }
        return topics
    }

    // MARK: - Engine

    private static let engine: [StreamCommand] = [
        .engine(
            "trim",
            .either(
                .required(angle("by_deg", example: "1")), or: .required(angle("to_deg", example: "0")),
                remedy: "write by_deg to turn further, or to_deg to set the trim"),
            help: "turns the published heading further (`by_deg`) or sets that turn (`to_deg`), clockwise positive, "
                + "until a reset"
        ) { angle in
            switch angle {
            case .first(let degrees): .trimHeading(byRadians: degrees * .pi / 180)
            case .second(let degrees): .setHeadingTrim(radians: degrees * .pi / 180)
            }
        },
        .engine("reset", .none, help: "drops origin, trim and progress, and aligns anew") { .reset },
        .answered("wheel", access: .trusted, .required(wheelSpeed), help: "gives the wheels' speed now") {
            call, speed in
            call.handler.takeWheelSpeed(speed)
            call.reply()
        },
    ]

    private static func angle(_ name: String, example: String) -> CommandArgument<Double> {
        .number(name, in: -180...180, unit: "deg", example: example)
    }

    private static let wheelSpeed = CommandArgument<Double>.number(
        "speed_m_s", in: -150...150, unit: "m/s", example: "12.5")

    // MARK: - Route

    private static let route: [StreamCommand] = [
        .route(
            "route_load",
            .either(
                .required(path), or: .required(routeValue),
                remedy: "write path with a file's path, or route with the route itself"),
            help: "follows a route: an OSRM-form response, GeoJSON, or a file of either or of GPX"
        ) { source in
            switch source {
            case .first(let path): .read(.file(path))
            case .second(let value): .read(.value(value))
            }
        },
        .route("route_to", place, help: "asks the routing server for a route from here, and follows it") {
            .toPlace($0)
        },
        .answered("route_clear", access: .trusted, .none, help: "follows no route") { call, _ throws(CommandProblem) in
            try call.handler.clearRoute(call)
        },
    ]

    private static let path = CommandArgument(name: "path", form: "absolute path", example: #""/whole/path.json""#) {
        value throws(JSONProblem) in
        let text = try value.requiredString()
        guard text.hasPrefix("/"), text.utf8.count < 4096, !text.utf8.contains(0) else {
            throw value.problem(
                "is no absolute path",
                remedy: "write the whole path, beginning with /; the daemon does not know your folder")
        }
        return text
    }

    private static let routeValue = CommandArgument(name: "route", form: "the route, an object", example: "{...}") {
        value throws(JSONProblem) in
        guard value.kind == .object else {
            throw value.wrongKind(expected: "an object: an OSRM-form response or GeoJSON")
        }
        return value
    }

    private static let place = CommandArguments<(Double, Double)>.both(
        .required(.number("lat_deg", in: -90...90, unit: "deg", example: "42.5")),
        .required(.number("lon_deg", in: -180...180, unit: "deg", example: "1.5"))
    ).map { GeodeticPosition(latitudeDegrees: $0.0, longitudeDegrees: $0.1) }

    // MARK: - Horizon

    private static let horizon: [StreamCommand] = [
        .answered(
            "target", access: .trusted,
            .orNone(
                .either(place, or: .required(pointID), remedy: "write either point_id, or lat_deg and lon_deg")),
            help: "sets the target, or removes it; the event `target` tells once that it is `near`, and once that it "
                + "is `far` again"
        ) { call, target throws(CommandProblem) in try call.handler.chooseTarget(call, target) },
        .answered(
            "points", access: .trusted, .required(categories),
            help: "shows points of interest of these categories; none: all"
        ) { call, categories throws(CommandProblem) in try call.handler.showPoints(call, categories) },
        .answered("point", .required(pointID), help: "tells what is known of a point that is shown") {
            call, id throws(CommandProblem) in try call.handler.describePoint(call, id)
        },
    ]

    private static let pointID = CommandArgument<String>.text("point_id", "id of a point shown", example: "node/7")

    private static let categories = CommandArgument(name: "categories", form: "list of names", example: #"["cafe"]"#) {
        value throws(JSONProblem) in
        var categories: Set<String> = []
        for name in try value.requiredElements() { categories.insert(try name.requiredString()) }
        return categories
    }
}

/// What `subscribe` asks for.
struct SubscriptionWish: Sendable, Equatable {
    /// Frames per 1000 s; 0: every frame, `nil`: the default rate.
    var rateMillihertz: UInt32?
    /// Which topics.
    var topics: Topics
    /// Whether frames wait for the client.
    var wantsEvery: Bool
    /// Whether announced jumps are glided over.
    var isSmooth: Bool
}
