import Frames
import Geodesy
import Horizon
import Publishing

extension CommandHandler {
    /// Carries out what concerns targets and points of interest.
    func performSurroundings(_ request: CommandRequest, _ client: Client) {
        guard let surroundings else {
            let problem = CommandProblem(
                what: "there are no surroundings", place: request.name, remedy: "look at the journal of posed")
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
                writer.number(",\"lat_deg\":", place?.latitudeDegrees, decimals: 7)
                writer.number(",\"lon_deg\":", place?.longitudeDegrees, decimals: 7)
            }
        case .points(let categories):
            surroundings.show(categories: categories)
            reply(request.name, request.id, client) { writer in
                writer.strings(",\"categories\":", categories.sorted())
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
    package func writeSurroundings(_ writer: inout JSONWriter) {
        writer.string(",\"routing\":{\"server\":", routing.server?.name)
        writer.string(",\"state\":", routing.server == nil ? "no server" : rerouter.state.rawValue)
        writer.integer(",\"reroutes\":", rerouter.requestCount)
        writer.literal("}")
        guard let surroundings else { return }
        Self.write(",\"roads\":{\"file\":", surroundings.roads, &writer)
        Self.write(",\"points\":{\"file\":", surroundings.points, &writer)
    }

    private static func write(_ name: StaticString, _ state: HorizonWorker.FileState, _ writer: inout JSONWriter) {
        writer.string(name, state.inUse)
        writer.string(",\"holds\":", state.holds)
        writer.string(",\"problem\":", state.problem)
        writer.literal("}")
    }

    private static func unknownPoint(_ id: String) -> CommandProblem {
        CommandProblem(
            what: "no point of interest around is called \(id.prefix(64))", place: "point_id",
            remedy: "use the id of a point that is shown")
    }

    /// What is known of a point; what is not known is left out.
    private static func write(_ point: ShownPoint, _ writer: inout JSONWriter) {
        writer.string(",\"point\":{\"id\":", point.fields.id)
        writer.number(",\"lat_deg\":", point.position.latitudeDegrees, decimals: 7)
        writer.number(",\"lon_deg\":", point.position.longitudeDegrees, decimals: 7)
        writer.strings(",\"categories\":", point.categories)
        if let height = point.heightMeanSeaMeters {
            writer.number(",\"alt_msl_m\":", height, decimals: 1)
        }
        let texts: [(StaticString, String)] = [
            (",\"title\":", point.fields.title), (",\"text\":", point.fields.text),
            (",\"address\":", point.fields.address),
            (",\"phone\":", point.fields.phone), (",\"website\":", point.fields.website),
            (",\"image\":", point.fields.image),
        ]
        for (name, text) in texts where !text.isEmpty { writer.string(name, text) }
        writer.literal("}")
    }
}
