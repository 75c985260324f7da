import Frames
import Geodesy
import Horizon
import Publishing

extension CommandHandler {
    /// Chooses a target, or none.
    func chooseTarget(_ call: CommandCall, _ target: OneOf<GeodeticPosition, String>?) throws(CommandProblem) {
        let horizon = try horizonWorker(call)
        let place: GeodeticPosition? =
            switch target {
            case nil: nil
            case .first(let position): position
            case .second(let id): try shownPoint(id, horizon).position
            }
        horizon.choose(target: place)
        call.reply { writer in
            writer.number(",\"lat_deg\":", place?.latitudeDegrees, decimals: 7)
            writer.number(",\"lon_deg\":", place?.longitudeDegrees, decimals: 7)
        }
    }

    /// Shows points of interest of these categories; none: all.
    func showPoints(_ call: CommandCall, _ categories: Set<String>) throws(CommandProblem) {
        try horizonWorker(call).show(categories: categories)
        call.reply { $0.strings(",\"categories\":", categories.sorted()) }
    }

    /// Tells what is known of a point that is shown.
    func describePoint(_ call: CommandCall, _ id: String) throws(CommandProblem) {
        let point = try shownPoint(id, try horizonWorker(call))
        call.reply { Self.write(point, &$0) }
    }

    private func horizonWorker(_ call: CommandCall) throws(CommandProblem) -> HorizonWorker {
        guard let surroundings else {
            throw CommandProblem(
                what: "the horizon thread does not run", place: call.name, remedy: "see the log of posed")
        }
        return surroundings
    }

    private func shownPoint(_ id: String, _ horizon: HorizonWorker) throws(CommandProblem) -> ShownPoint {
        guard let point = horizon.shown.first(where: { $0.fields.id == id }) else {
            throw CommandProblem(
                what: "no point of interest shown has the id \(id.prefix(64))", place: "point_id",
                remedy: "use the id of a point that is shown")
        }
        return point
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
