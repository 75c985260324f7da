import Frames
import Geodesy
import Horizon
import Publishing
import Routing

extension CommandHandler {
    /// Sets or removes the targets.
    func chooseTargets(_ call: CommandCall, _ target: OneOf<[GeodeticPosition], String>?) throws(RequestProblem) {
        let horizon = try horizonWorker(call)
        let places: [GeodeticPosition] =
            switch target {
            case nil: []
            case .first(let positions): positions
            case .second(let id): [try shownPoint(id, horizon).position]
            }
        horizon.choose(targets: places)
        call.reply { writer in
            writer.number(",\"lat_deg\":", places.first?.latitudeDegrees, decimals: 7)
            writer.number(",\"lon_deg\":", places.first?.longitudeDegrees, decimals: 7)
            writer.integer(",\"targets\":", places.count)
        }
    }

    /// Selects the categories of the points of interest; an empty set selects all.
    func showPoints(_ call: CommandCall, _ categories: Set<String>) throws(RequestProblem) {
        try horizonWorker(call).show(categories: categories)
        call.reply { $0.strings(",\"categories\":", categories.sorted()) }
    }

    /// Replies with the details of a shown point.
    func describePoint(_ call: CommandCall, _ id: String) throws(RequestProblem) {
        let point = try shownPoint(id, try horizonWorker(call))
        call.reply { Self.write(point, &$0) }
    }

    private func horizonWorker(_ call: CommandCall) throws(RequestProblem) -> HorizonWorker {
        guard let horizon else {
            throw RequestProblem(
                what: "the horizon thread does not run", place: call.name, remedy: "see the log of posed")
        }
        return horizon
    }

    private func shownPoint(_ id: String, _ horizon: HorizonWorker) throws(RequestProblem) -> ShownPoint {
        guard let point = horizon.shown.first(where: { $0.fields.id == id }) else {
            throw RequestProblem(
                what: "no point of interest shown has the id \(id.prefix(64))", place: "point_id",
                remedy: "use the id of a point that is shown")
        }
        return point
    }

    /// Writes the state of routing server, roads and points of interest.
    package func writeHorizon(_ writer: inout JSONWriter) {
        writer.string(",\"routing\":{\"server\":", routing.server?.name)
        writer.string(",\"state\":", routing.server == nil ? "no server" : rerouter.state.rawValue)
        writer.integer(",\"reroutes\":", rerouter.requestCount)
        writer.literal("}")
        guard let horizon else { return }
        Self.write(",\"roads\":{\"file\":", horizon.roads, &writer)
        Self.write(",\"points\":{\"file\":", horizon.points, &writer)
    }

    private static func write(_ name: StaticString, _ state: HorizonWorker.FileState, _ writer: inout JSONWriter) {
        writer.string(name, state.inUse)
        writer.string(",\"holds\":", state.holds)
        writer.string(",\"problem\":", state.problem)
        writer.literal("}")
    }

    /// Writes the details of a point; unknown members are left out.
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
