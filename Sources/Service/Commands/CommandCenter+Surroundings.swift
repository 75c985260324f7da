import Frames
import Geodesy
import Sensors

extension CommandCenter {
    /// Carries out what concerns targets and points of interest.
    func performSurroundings(_ request: CommandRequest, _ client: Client) {
        guard let surroundings else {
            let problem = CommandProblem(what: "there are no surroundings", place: request.name, remedy: "look at the journal of posed")
            return refuse(problem, request.name, request.id, client)
        }
        switch request.action {
        case .target(let wish):
            var place: GeodeticPosition?
            switch wish {
            case .none: break
            case .place(let position): place = position
            case .point(let id):
                guard let point = surroundings.shown.first(where: { $0.fields.id == id }) else {
                    return refuse(Self.unknownPoint(id), request.name, request.id, client)
                }
                place = point.position
            }
            surroundings.choose(target: place)
            reply(request.name, request.id, client) { writer in
                writer.literal(",\"lat_deg\":")
                writer.number(place?.latitudeDegrees, decimals: 7)
                writer.literal(",\"lon_deg\":")
                writer.number(place?.longitudeDegrees, decimals: 7)
            }
        case .points(let categories):
            surroundings.show(categories: categories)
            reply(request.name, request.id, client) { writer in
                writer.literal(",\"categories\":")
                writer.strings(categories.sorted())
            }
        case .point(let id):
            guard let point = surroundings.shown.first(where: { $0.fields.id == id }) else {
                return refuse(Self.unknownPoint(id), request.name, request.id, client)
            }
            reply(request.name, request.id, client) { Self.write(point, &$0) }
        default: break
        }
    }

    /// How routing server, roads and points of interest are.
    func writeSurroundings(_ writer: inout JSONWriter) {
        writer.literal(",\"routing\":{\"server\":")
        if let server = routing.server { writer.string(server.name) } else { writer.literal("null") }
        writer.literal(",\"state\":")
        writer.string(routing.server == nil ? "no server" : rerouter.state.rawValue)
        writer.literal(",\"reroutes\":")
        writer.integer(UInt64(rerouter.requestCount))
        writer.literal("}")
        guard let surroundings else { return }
        Self.write(",\"roads\":{\"file\":", surroundings.roads, &writer)
        Self.write(",\"points\":{\"file\":", surroundings.points, &writer)
    }

    private static func write(_ name: StaticString, _ state: SurroundingsWorker.FileState, _ writer: inout JSONWriter) {
        writer.literal(name)
        if let file = state.inUse { writer.string(file) } else { writer.literal("null") }
        writer.literal(",\"holds\":")
        writer.string(state.holds)
        writer.literal(",\"problem\":")
        if let problem = state.problem { writer.string(problem) } else { writer.literal("null") }
        writer.literal("}")
    }

    private static func unknownPoint(_ id: String) -> CommandProblem {
        CommandProblem(
            what: "no point of interest around is called \(id.prefix(64))", place: "point_id", remedy: "use the id of a point that is shown")
    }

    /// What is known of a point; what is not known is left out.
    private static func write(_ point: ShownPoint, _ writer: inout JSONWriter) {
        writer.literal(",\"point\":{\"id\":")
        writer.string(point.fields.id)
        writer.literal(",\"lat_deg\":")
        writer.number(point.position.latitudeDegrees, decimals: 7)
        writer.literal(",\"lon_deg\":")
        writer.number(point.position.longitudeDegrees, decimals: 7)
        writer.literal(",\"categories\":")
        writer.strings(point.categories)
        if let height = point.heightMeanSeaMeters {
            writer.literal(",\"alt_msl_m\":")
            writer.number(height, decimals: 1)
        }
        let texts: [(StaticString, String)] = [
            (",\"title\":", point.fields.title), (",\"text\":", point.fields.text), (",\"address\":", point.fields.address),
            (",\"phone\":", point.fields.phone), (",\"website\":", point.fields.website), (",\"image\":", point.fields.image),
        ]
        for (name, text) in texts where !text.isEmpty {
            writer.literal(name)
            writer.string(text)
        }
        writer.literal("}")
    }
}
