import BoundedJSON
import Geodesy
import Guidance

/// Reads the first route of a response in the OSRM format, which Valhalla (`format=osrm`) and Mapbox also use.
struct OSRMResponse {
    /// Maximum distance of a maneuver from the line, metres: routers round the two differently.
    static let maneuverToleranceMeters = 50.0

    /// Points closer than this are identical, metres: half the last digit of the finer encoding.
    static let samePointMeters = 0.05

    /// Decoder of the lines.
    let geometry: OSRMGeometry
    /// The line so far.
    var points: [GeodeticPosition] = []
    /// The maneuvers so far.
    var maneuvers: [PlannedManeuver] = []
    /// The limits of the segments so far.
    var limits: [SpeedLimit] = []
    /// The durations of the segments so far, seconds.
    var durations: [Double] = []
    /// The tunnels so far, as ranges of segments.
    var tunnels: [Range<Int>] = []
    /// Whether any limit was given.
    var hasLimits = false
    /// Whether any duration was given.
    var hasDurations = false
    /// Notes about assumptions and skipped data.
    var notes: [String] = []

    /// Reads the first route of a response.
    static func read(_ value: JSONValue) throws(JSONProblem) -> RouteReading {
        if let code = try value.optional("code"), try code.requiredString() != "Ok" {
            let message = value["message"]?.string.map { ": \($0.prefix(200))" } ?? ""
            throw code.problem("the router answered \(code.string ?? "")\(message)", remedy: "ask the router again")
        }
        let routes = try value.required("routes")
        guard routes.count > 0, let first = try routes.requiredElements().first(where: { _ in true }) else {
            throw routes.problem("is empty", remedy: "ask the router again")
        }
        guard first.kind == .object else { throw first.wrongKind(expected: "an object") }
        var reader = OSRMResponse(geometry: try OSRMGeometry(route: first, response: value))
        if routes.count > 1 { reader.notes.append("used the first of \(routes.count) routes") }
        try reader.readLegs(first)
        var plan = RoutePlan(
            points: reader.points, limits: reader.hasLimits ? reader.limits : [],
            durationsSeconds: reader.hasDurations ? reader.durations : [],
            maneuvers: reader.maneuvers)
        plan.tunnels = reader.tunnelMarks
        let route = try RouteReader.route(plan, of: first)
        try reader.checkUnits(first, route: route)
        return RouteReading(
            route: route, format: .osrm, notes: reader.notes + reader.geometry.notes + RouteReader.notes(of: route))
    }

    private mutating func readLegs(_ route: JSONValue) throws(JSONProblem) {
        let legs = try route.optional("legs")
        var hasSteps = false
        if let legs {
            for leg in try legs.requiredElements() where try leg.optional("steps")?.count ?? 0 > 0 { hasSteps = true }
        }
        guard hasSteps, let legs else {
            try readWhole(route)
            return
        }
        for leg in legs.elements { try readLeg(leg) }
        if maneuvers.last?.kind != .arrive {
            notes.append("\(legs.path): the last step is not an arrival; the end of the line is used")
        }
    }

    /// Reads a route without steps: its own geometry, with the arrival as the only maneuver.
    private mutating func readWhole(_ route: JSONValue) throws(JSONProblem) {
        guard let value = try route.optional("geometry") else {
            throw route.problem(
                "has neither steps nor a geometry", remedy: "ask the router with steps=true, or with overview=full")
        }
        points = try geometry.points(value)
        notes.append("the route has no steps: the only maneuver is the arrival")
        try distribute(route, from: 0)
        if let legs = try route.optional("legs"), legs.count == 1, let leg = legs[0] { try readSegments(leg, from: 0) }
    }

    private mutating func readLeg(_ leg: JSONValue) throws(JSONProblem) {
        let steps = try leg.required("steps")
        var stepDurations: [Double] = []
        var stepStarts: [Int] = []
        for step in try steps.requiredElements() {
            let start = try join(step.required("geometry"))
            try readManeuver(step, point: start)
            try readTunnels(step, from: start)
            stepStarts.append(start)
            if let duration = try step.optional("duration") {
                stepDurations.append(try duration.requiredDouble(in: 0...1e8))
            }
        }
        // A leg without steps has no line, so what its annotation says belongs to no segment.
        guard let first = stepStarts.first else { return }
        skip(to: first)
        if stepDurations.count == stepStarts.count { distribute(stepDurations, starts: stepStarts) }
        try readSegments(leg, from: first)
    }

    /// Appends a step's line, whose first point is the last point so far; returns the index of its first point.
    private mutating func join(_ value: JSONValue) throws(JSONProblem) -> Int {
        let line = try geometry.points(value)
        guard let last = points.last, let first = line.first else {
            points += line
            return 0
        }
        let gap = Coordinates.distanceMeters(last, first)
        guard gap <= OSRMResponse.maneuverToleranceMeters else {
            throw value.problem(
                "starts \(Coordinates.shown(gap)) from the end of the previous step",
                remedy: "ask the router again: the line has a gap")
        }
        guard gap < OSRMResponse.samePointMeters else {
            points += line
            return points.count - line.count
        }
        let start = points.count - 1
        let rest = line.dropFirst()
        // The arrival repeats the last point once or twice; annotations do not count it. Of a line that goes on they
        // count every segment, also one so short that its ends have the same digits.
        if rest.contains(where: { Coordinates.distanceMeters($0, last) >= OSRMResponse.samePointMeters }) {
            points += rest
        }
        return start
    }

    private mutating func readManeuver(_ step: JSONValue, point: Int) throws(JSONProblem) {
        let maneuver = try step.required("maneuver")
        let type = try maneuver.required("type").requiredString()
        if let value = try maneuver.optional("location") {
            let location = try Coordinates.position(value)
            let gap = Coordinates.distanceMeters(location, points[point])
            guard gap <= OSRMResponse.maneuverToleranceMeters else {
                let swapped = GeodeticPosition(
                    latitudeDegrees: location.longitudeDegrees, longitudeDegrees: location.latitudeDegrees)
                let isSwapped =
                    Coordinates.distanceMeters(swapped, points[point]) <= OSRMResponse.maneuverToleranceMeters
                throw value.problem(
                    isSwapped
                        ? "latitude and longitude look reversed"
                        : "is \(Coordinates.shown(gap)) from the start of the step's line",
                    remedy: isSwapped
                        ? "write the longitude first" : "put the maneuver at the first point of the step's geometry")
            }
        }
        let modifier = try maneuver.optional("modifier")?.requiredString()
        maneuvers.append(
            PlannedManeuver(
                point: point, kind: Maneuver.Kind(rawValue: type) ?? .other,
                modifier: modifier.flatMap { Maneuver.Modifier(rawValue: $0) },
                instruction: try maneuver.optional("instruction")?.requiredString(),
                roadName: try step.optional("name")?.requiredString(),
                exit: try maneuver.optional("exit")?.requiredInt(in: 0...100), lanes: try OSRMResponse.lanes(step)))
    }
}
