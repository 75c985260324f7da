import BoundedJSON
import Geodesy
import Guidance

/// Reads a route in Valhalla's own format: a trip with legs, each with an encoded line and maneuvers that refer to its
/// points.
struct ValhallaTrip {
    /// Degrees per unit of the encoded lines.
    private var unitDegrees = 1e-6
    /// Metres per unit of length.
    private var unitMeters = 1000.0
    private var points: [GeodeticPosition] = []
    private var durations: [Double] = []
    private var elevations: [Double?] = []
    private var maneuvers: [PlannedManeuver] = []
    private var hasDurations = false
    private var notes: [String] = []

    /// Reads the trip of a response.
    static func read(_ value: JSONValue) throws(JSONProblem) -> RouteReading {
        let trip = try value.required("trip")
        if let status = try trip.optional("status"), try status.requiredInt() != 0 {
            let message = trip["status_message"]?.string.map { ": \($0.prefix(200))" } ?? ""
            throw status.problem(
                "the router answered with status \(status.int ?? -1)\(message)", remedy: "ask the router again")
        }
        var reader = ValhallaTrip()
        try reader.readUnits(trip)
        let legs = try trip.required("legs")
        for leg in try legs.requiredElements() { try reader.readLeg(leg, trip: trip) }
        guard !reader.points.isEmpty else { throw legs.problem("is empty", remedy: "ask the router again") }
        if let others = try value.optional("alternates"), others.count > 0 {
            reader.notes.append("of \(others.count + 1) routes: used the first")
        }
        var plan = RoutePlan(
            points: reader.points, durationsSeconds: reader.hasDurations ? reader.durations : [],
            maneuvers: reader.maneuvers)
        plan.elevationsMeters = reader.elevations
        let route = try RouteReader.route(plan, of: trip)
        try reader.checkUnits(trip, route: route)
        return RouteReading(route: route, format: .valhalla, notes: reader.notes + RouteReader.notes(of: route))
    }

    private mutating func readUnits(_ trip: JSONValue) throws(JSONProblem) {
        guard let units = try trip.optional("units") else { return }
        switch try units.requiredString() {
        case "kilometers", "km": unitMeters = 1000
        case "miles", "mi": unitMeters = 1609.344
        case let other:
            throw units.problem(
                "\"\(other.prefix(32))\" is not a supported unit of length", remedy: "ask for kilometers or miles")
        }
    }

    private mutating func readLeg(_ leg: JSONValue, trip: JSONValue) throws(JSONProblem) {
        let shape = try leg.required("shape")
        let raw = try OSRMGeometry.decode(Array(shape.requiredString().utf8), of: shape)
        guard raw.count >= 2 else {
            throw shape.problem(
                "has \(raw.count) point\(raw.count == 1 ? "" : "s")",
                remedy: "ask the router with a shape_format that has a shape")
        }
        if points.isEmpty { choosePrecision(raw, leg: leg, trip: trip) }
        let line = try OSRMGeometry.places(raw, unitDegrees: unitDegrees, of: shape)
        let offset = try join(line, of: shape)
        durations += [Double](repeating: 0, count: points.count - 1 - durations.count)
        try readElevations(leg, line: line, offset: offset)
        let values = try leg.required("maneuvers")
        var last = 0
        for value in try values.requiredElements() {
            last = try readManeuver(value, after: last, offset: offset, count: line.count)
        }
    }

    /// Chooses five or six decimals: the precision that matches the trip's position. Valhalla's default is six.
    private mutating func choosePrecision(_ raw: [(latitude: Int, longitude: Int)], leg: JSONValue, trip: JSONValue) {
        var place: (latitude: Double, longitude: Double)?
        if let first = trip["locations"]?[0], let latitude = first["lat"]?.double, let longitude = first["lon"]?.double
        {
            place = (latitude, longitude)
        } else if let summary = leg["summary"], let latitude = summary["min_lat"]?.double,
            let longitude = summary["min_lon"]?.double
        {
            place = (latitude, longitude)
        }
        guard let place, let first = raw.first else { return }
        func error(_ unit: Double) -> Double {
            abs(Double(first.latitude) * unit - place.latitude) + abs(Double(first.longitude) * unit - place.longitude)
        }
        if error(1e-5) < error(1e-6) { unitDegrees = 1e-5 }
    }

    /// Appends a leg's line, whose first point is the last point so far; returns the index of its first point.
    private mutating func join(_ line: [GeodeticPosition], of value: JSONValue) throws(JSONProblem) -> Int {
        guard let last = points.last, let first = line.first else {
            points = line
            return 0
        }
        let gap = Coordinates.distanceMeters(last, first)
        guard gap <= OSRMResponse.maneuverToleranceMeters else {
            throw value.problem(
                "starts \(Coordinates.shown(gap)) from the end of the previous leg",
                remedy: "ask the router again: the line has a gap")
        }
        // The line keeps a repeated point, so that the indices of the leg remain valid; the route drops it.
        points += line
        return points.count - line.count
    }

    private mutating func readManeuver(_ value: JSONValue, after last: Int, offset: Int, count: Int) throws(JSONProblem)
        -> Int
    {
        let index = try value.required("begin_shape_index")
        let begin = try index.requiredInt(in: 0...(count - 1))
        guard begin >= last else {
            throw index.problem(
                "is \(begin), before the previous maneuver's point (\(last))",
                remedy: "give the maneuvers in the order of travel")
        }
        let end = try value.optional("end_shape_index")?.requiredInt(in: begin...(count - 1)) ?? begin
        if let time = try value.optional("time"), end > begin {
            let shares = Coordinates.shares(
                of: try time.requiredDouble(in: 0...1e8), between: points[(offset + begin)...(offset + end)])
            durations.replaceSubrange((offset + begin)..<(offset + end), with: shares)
            hasDurations = true
        }
        let (kind, modifier) = ValhallaManeuver.meaning(of: try value.required("type").requiredInt())
        var names: [String] = []
        if let list = try value.optional("street_names") {
            for name in try list.requiredElements() { names.append(try name.requiredString()) }
        }
        let exit = kind == .roundabout ? try value.optional("roundabout_exit_count")?.requiredInt(in: 0...100) : nil
        maneuvers.append(
            PlannedManeuver(
                point: offset + begin, kind: kind, modifier: modifier,
                instruction: try value.optional("instruction")?.requiredString(),
                roadName: names.isEmpty ? nil : names.joined(separator: "/"), exit: exit,
                lanes: try ValhallaManeuver.lanes(value)))
        return begin
    }

    /// Reads heights, which are equally spaced along a leg; each point gets the height at its distance.
    private mutating func readElevations(_ leg: JSONValue, line: [GeodeticPosition], offset: Int) throws(JSONProblem) {
        elevations += [Double?](repeating: nil, count: points.count - elevations.count)
        guard let values = try leg.optional("elevation"), let interval = try leg.optional("elevation_interval") else {
            return
        }
        let scale = unitMeters == 1000 ? 1 : 0.3048
        let step = try interval.requiredDouble(in: 0.1...1e6) * scale
        var heights: [Double] = []
        for value in try values.requiredElements() { heights.append(try value.requiredDouble(in: -1e5...1e5) * scale) }
        // Without data Valhalla writes -500 or -32,768; the lowest shore on Earth is at -430 m.
        guard !heights.isEmpty else { return }
        var along = 0.0
        for (index, place) in line.enumerated() {
            if index > 0 { along += Coordinates.distanceMeters(line[index - 1], place) }
            let at = min(along / step, Double(heights.count - 1))
            let (low, high) = (heights[Int(at)], heights[min(Int(at) + 1, heights.count - 1)])
            let height = low + (high - low) * (at - at.rounded(.down))
            if min(low, high) > -500, max(low, high) < 10_000 { elevations[offset + index] = height }
        }
    }

    /// Compares the stated length with the line, to detect other units.
    private mutating func checkUnits(_ trip: JSONValue, route: Route) throws(JSONProblem) {
        guard let declared = try trip.optional("summary")?.optional("length") else { return }
        let meters = try declared.requiredDouble(in: 0...1e9) * unitMeters
        let ratio = route.lengthMeters / max(meters, 1e-9)
        guard route.lengthMeters < 500 || (ratio > 0.7 && ratio < 1.4) else {
            let stated = unitMeters == 1000 ? "kilometres" : "miles"
            throw declared.problem(
                "is \(declared.double ?? 0), but the line is \(Coordinates.shown(route.lengthMeters)) long: these are "
                    + "not \(stated)",
                remedy: "give \(stated), as \"units\" says")
        }
        if abs(ratio - 1) > 0.05 {
            notes.append(
                "\(declared.path) is \(Coordinates.shown(meters)), but the line is "
                    + "\(Coordinates.shown(route.lengthMeters)) long; the line's length is used"
            )
        }
    }
}
