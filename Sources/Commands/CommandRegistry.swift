import BoundedJSON
import Frames
import Geodesy
import Measurements
import PoseMath
import Routing

/// All commands of the stream socket. A new command is one entry here. Parsing, error messages, the list of names in
/// the error for an unknown command, and the table in `docs/sockets.md` are derived from it.
enum CommandRegistry {
    /// All commands in the order of the table.
    static let all: [StreamCommand] = general + engine + route + horizon + recording

    /// The command with that name; `nil` if it is unknown.
    static func command(_ name: String) -> StreamCommand? { all.first { $0.name == name } }

    /// All command names, for the error about an unknown command.
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
        .answered("ping", .none, help: "replies") { call, _ in call.reply() },
        .answered("version", .none, help: "returns release and protocol version") { call, _ in
            call.reply { CommandHandler.writeVersion(&$0) }
        },
        .answered(
            "status", .none,
            help: "returns each source with state, reason and counters; the reasons why the pose is not "
                + "better; the mount of the IMU with its uncertainty and origin (`mount`); where "
                + "the antenna is from the IMU (`antenna`); the "
                + "magnetometer calibration; the declination; route, clients, engine and settings; how many commands "
                + "were accepted, and rejected by reason"
        ) { call, _ in call.reply { call.handler.writeStatus(&$0, call.fanOut) } },
        .answered(
            "subscribe", subscription,
            help: "starts sending frames. `rate_hz` 0 selects every frame; without `rate_hz` the default "
                + "rate applies, and `scene` and `points` are sent at most twice per second and with at most 22 and 8 "
                + "kB/s; without `topics` all topics. `every` is for loggers; `smooth` blends corrections of the pose; "
                + "`lead_ms` predicts it to the time when it is seen; `ecef` adds `ecef_m` to the pose"
        ) { call, wish throws(RequestProblem) in try call.handler.subscribe(call, wish) },
        .answered(
            "samples", access: .trusted, .optional(samplesAfter),
            help: "returns the samples of IMU (`imu`: time_ns, rad/s, m/s2) and magnetometer (`mag`: time_ns, uT) as "
                + "they go to the engine, at most \(CommandHandler.mostSamples), after the one with that number; "
                + "without `after` none. `last` is the number for the next request, `lost` what is kept no longer. "
                + "Ask again at once after a reply with \(CommandHandler.mostSamples), else at least once a second"
        ) { call, after in call.handler.sendSamples(call, after: after) },
        .answered("unsubscribe", .none, help: "stops sending frames") { call, _ in
            call.client.unsubscribe()
            call.reply()
        },
    ]

    /// The arguments of `subscribe`. Without `rate_hz` the default rate of the settings applies.
    static let subscription: CommandArguments<SubscriptionWish> = {
        let content: CommandArguments<(UInt32?, Topics?)> = .both(.optional(rate), .optional(topics))
        let delivery: CommandArguments<(Bool?, Bool?)> = .both(.optional(.flag("every")), .optional(.flag("smooth")))
        let first = CommandArguments<((UInt32?, Topics?), (Bool?, Bool?))>.both(content, delivery)
        let pose: CommandArguments<(UInt32?, Bool?)> = .both(.optional(lead), .optional(.flag("ecef")))
        return CommandArguments<(((UInt32?, Topics?), (Bool?, Bool?)), (UInt32?, Bool?))>.both(first, pose)
            .map { first, pose in
                let (content, delivery) = first
                return SubscriptionWish(
                    rateMillihertz: content.0, topics: content.1 ?? .all, wantsEvery: delivery.0 ?? false,
                    isSmooth: delivery.1 ?? false, leadMilliseconds: pose.0 ?? 0, wantsECEF: pose.1 ?? false)
            }
    }()

    private static let samplesAfter = CommandArgument(name: "after", form: "number of a sample", example: "0") {
        value throws(JSONProblem) in
        UInt64(try value.requiredInt(in: 0...(1 << 53)))
    }

    private static let lead = CommandArgument(
        name: "lead_ms", form: "0 to \(Message.Subscription.longestLeadMilliseconds) ms, whole", example: "50"
    ) { value throws(JSONProblem) in
        UInt32(try value.requiredInt(in: 0...Int(Message.Subscription.longestLeadMilliseconds)))
    }

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
                remedy: "write by_deg to add to the trim, or to_deg to set it"),
            help: "adds an angle to the heading trim (`by_deg`) or sets the trim (`to_deg`), clockwise positive, until "
                + "a reset"
        ) { angle in
            switch angle {
            case .first(let degrees): .trimHeading(byRadians: degrees * .pi / 180)
            case .second(let degrees): .setHeadingTrim(radians: degrees * .pi / 180)
            }
        },
        .engine("reset", .none, help: "discards origin, trim and progress, and aligns again") { .reset() },
        .answered(
            "wheel", access: .trusted,
            .either(
                .required(wheelSpeed), or: .required(wheelSamples),
                remedy: "write speed_m_s for one speed that is valid now, or samples for speeds with their times"),
            help: "passes a wheel speed to the engine, valid on receipt (`speed_m_s`), or a batch with the time of "
                + "each (`samples`); negative backwards where that is known. Their scale and lag are found while "
                + "driving with fixes"
        ) { call, wish throws(RequestProblem) in
            switch wish {
            case .first(let speed): try call.handler.takeWheelSpeeds(call, .now(speed))
            case .second(let samples): try call.handler.takeWheelSpeeds(call, .timed(samples))
            }
        },
    ]

    private static func angle(_ name: String, example: String) -> CommandArgument<Double> {
        .number(name, in: -180...180, unit: "deg", example: example)
    }

    private static let wheelSpeed = CommandArgument<Double>.number(
        "speed_m_s", in: WheelWish.speeds, unit: "m/s", example: "12.5")

    private static let wheelSamples = CommandArgument(
        name: "samples",
        form: "list of 1 to \(WheelIntake.mostSamples) pairs `[time_ns, speed_m_s]`, the times of CLOCK_MONOTONIC, "
            + "rising, at most \(Int(WheelIntake.oldestSeconds)) s old",
        example: "[[81234567890123,12.5],[81234577890123,12.6]]"
    ) { value throws(JSONProblem) in
        guard value.kind == .array, (1...WheelIntake.mostSamples).contains(value.count) else {
            throw value.problem(
                "is no list of 1 to \(WheelIntake.mostSamples) pairs",
                remedy: "write [[time_ns, speed_m_s], ...]; send longer ones as several commands")
        }
        var samples: [WheelSpeedSample] = []
        for pair in value.elements {
            guard pair.kind == .array, pair.count == 2, let time = pair[0], let speed = pair[1] else {
                throw pair.problem("is no pair", remedy: "write [time_ns, speed_m_s]")
            }
            // A double: whole numbers beyond 2^53 ns are more than 104 days after the start of the machine.
            let nanoseconds = try time.requiredDouble(in: 0...9e18)
            samples.append(
                WheelSpeedSample(
                    time: MonotonicTime(nanoseconds: Int64(nanoseconds)),
                    speedMetersPerSecond: try speed.requiredDouble(in: WheelWish.speeds)))
        }
        return samples
    }

    // MARK: - Route

    private static let route: [StreamCommand] = [
        .route(
            "route_load",
            .either(
                .required(path), or: .required(routeValue),
                remedy: "write path with a file's path, or route with the route itself"),
            help: "follows a route: a response in OSRM format, GeoJSON, or a file in one of these formats "
                + "or GPX"
        ) { source in
            switch source {
            case .first(let path): .read(.file(path))
            case .second(let value): .read(.value(value))
            }
        },
        .route(
            "route_to", placeOrPlaces,
            help: "requests a route from the current position to a place, or through `places` in their order, from the "
                + "routing server, and follows it. After a reset it is requested again, without the places that were "
                + "reached"
        ) {
            .toPlaces($0)
        },
        .answered(
            "route_get", .none,
            help: "sends the message `route` after the reply, also to a client that has not subscribed to it"
        ) { call, _ in call.handler.sendRoute(call) },
        .answered("route_clear", access: .trusted, .none, help: "clears the route") { call, _ throws(RequestProblem) in
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

    /// Maximum number of places in one command.
    private static let mostPlaces = 24

    private static let places = CommandArgument(
        name: "places", form: "list of 1 to \(mostPlaces) pairs `[lat_deg, lon_deg]`",
        example: "[[42.5,1.5],[42.6,1.6]]"
    ) { value throws(JSONProblem) in
        guard value.kind == .array, (1...mostPlaces).contains(value.count) else {
            throw value.problem(
                "is no list of 1 to \(mostPlaces) places", remedy: "write [[lat_deg, lon_deg], ...] in their order")
        }
        var places: [GeodeticPosition] = []
        for pair in value.elements {
            guard pair.kind == .array, pair.count == 2, let latitude = pair[0], let longitude = pair[1] else {
                throw pair.problem("is no pair", remedy: "write [lat_deg, lon_deg]")
            }
            places.append(
                GeodeticPosition(
                    latitudeDegrees: try latitude.requiredDouble(in: -90...90),
                    longitudeDegrees: try longitude.requiredDouble(in: -180...180)))
        }
        return places
    }

    private static let placeOrPlaces = CommandArguments<OneOf<GeodeticPosition, [GeodeticPosition]>>.either(
        place, or: .required(places),
        remedy: "write lat_deg and lon_deg for one place, or places for several in their order"
    ).map { choice in
        switch choice {
        case .first(let place): [place]
        case .second(let places): places
        }
    }

    // MARK: - Horizon

    private static let horizon: [StreamCommand] = [
        .answered(
            "target", access: .trusted,
            .orNone(
                .either(
                    placeOrPlaces, or: .required(pointID),
                    remedy: "write point_id, or lat_deg and lon_deg, or places")),
            help: "sets or removes the target. The event `target` is sent once when it is `near`, and "
                + "once when it is `far` again. Of several `places` the first is the target until it is `near`, then "
                + "the next"
        ) { call, target throws(RequestProblem) in try call.handler.chooseTargets(call, target) },
        .answered(
            "points", access: .trusted, .required(categories),
            help: "selects the categories of the points of interest; an empty list selects all"
        ) { call, categories throws(RequestProblem) in try call.handler.showPoints(call, categories) },
        .answered("point", .required(pointID), help: "returns the details of a shown point") {
            call, id throws(RequestProblem) in try call.handler.describePoint(call, id)
        },
    ]

    private static let pointID = CommandArgument<String>.text("point_id", "id of a point shown", example: "node/7")

    private static let categories = CommandArgument(name: "categories", form: "list of names", example: #"["cafe"]"#) {
        value throws(JSONProblem) in
        var categories: Set<String> = []
        for name in try value.requiredElements() { categories.insert(try name.requiredString()) }
        return categories
    }

    // MARK: - Recording

    private static let recording: [StreamCommand] = [
        .answered(
            "record", access: .trusted, .required(recordAction),
            help: "starts or stops a recording, which lasts until it is stopped whatever the settings are, or returns "
                + "what the recorder does (`status`)"
        ) { call, action throws(RequestProblem) in try call.handler.record(call, action) }
    ]

    private static let recordAction = CommandArgument(
        name: "action", form: "start, stop or status", example: #""start""#
    ) { value throws(JSONProblem) in
        guard let action = RecordAction(rawValue: try value.requiredString()) else {
            throw value.problem("is no action", remedy: "use start, stop or status")
        }
        return action
    }
}

/// The arguments of `subscribe`.
struct SubscriptionWish: Sendable, Equatable {
    /// Frames per 1000 s; 0: every frame; `nil`: the default rate.
    var rateMillihertz: UInt32?
    /// Subscribed topics.
    var topics: Topics
    /// Whether frames are queued for the client instead of replaced by newer ones.
    var wantsEvery: Bool
    /// Whether corrections of the pose are blended.
    var isSmooth: Bool
    /// Prediction beyond the time of publishing, ms.
    var leadMilliseconds: UInt32 = 0
    /// Whether the pose has its position in Earth-centred coordinates.
    var wantsECEF = false
}

/// What the command `record` does.
enum RecordAction: String, Sendable {
    case start
    case stop
    case status
}

/// The wheel speeds of the command `wheel`.
enum WheelWish: Sendable {
    /// One that is valid on receipt, m/s.
    case now(Double)
    /// Some with their times.
    case timed([WheelSpeedSample])

    /// Speeds that a vehicle can have, m/s.
    static let speeds = -150.0...150.0

    /// The samples, received at an instant.
    func samples(now: MonotonicTime) -> [WheelSpeedSample] {
        switch self {
        case .now(let speed): [WheelSpeedSample(time: now, speedMetersPerSecond: speed)]
        case .timed(let samples): samples
        }
    }
}
