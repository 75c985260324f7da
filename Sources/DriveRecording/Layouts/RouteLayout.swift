import Geodesy
import Guidance
import PoseMath

/// A route as it is recorded: everything that ``Route`` is made of.
struct RouteMessage: Sendable {
    var time = MonotonicTime(nanoseconds: 0)
    var version: UInt32 = 0
    /// Whether a route is followed; otherwise the route was cleared.
    var isFollowed = false
    var name: String?
    var latitudesRadians: [Double] = []
    var longitudesRadians: [Double] = []
    /// Limit of each segment, m/s: negative if unknown, infinite where there is none.
    var limits: [Double] = []
    var durationsSeconds: [Double] = []
    /// 1 for each segment in a tunnel, otherwise 0.
    var tunnels: [UInt64] = []
    /// Height of each point above mean sea level, metres; NaN if unknown.
    var elevationsMeters: [Double] = []
    var maneuvers: [ManeuverMessage] = []

    init() {}

    init(_ plan: RoutePlan?, version: UInt32, time: MonotonicTime) {
        self.time = time
        self.version = version
        guard let plan else { return }
        isFollowed = true
        name = plan.name
        latitudesRadians = plan.points.map(\.latitudeRadians)
        longitudesRadians = plan.points.map(\.longitudeRadians)
        limits = plan.limits.map { $0.recorded ?? -1 }
        durationsSeconds = plan.durationsSeconds
        tunnels = plan.tunnels.map { $0 ? 1 : 0 }
        elevationsMeters = plan.elevationsMeters.map { $0 ?? .nan }
        maneuvers = plan.maneuvers.map(ManeuverMessage.init)
    }

    /// The plan; `nil` if the route was cleared.
    var plan: RoutePlan? {
        guard isFollowed else { return nil }
        var plan = RoutePlan(
            points: zip(latitudesRadians, longitudesRadians).map {
                GeodeticPosition(latitudeRadians: $0, longitudeRadians: $1, altitudeEllipsoidMeters: 0)
            },
            limits: limits.map { $0 < 0 ? .unknown : $0 == .infinity ? .unlimited : .metersPerSecond($0) },
            durationsSeconds: durationsSeconds, maneuvers: maneuvers.map(\.maneuver), name: name)
        plan.tunnels = tunnels.map { $0 != 0 }
        plan.elevationsMeters = elevationsMeters.map { $0.isNaN ? nil : $0 }
        return plan
    }

    /// The route; `nil` if it was cleared.
    func route() throws(LayoutFault) -> Route? {
        guard latitudesRadians.count == longitudesRadians.count else {
            throw LayoutFault(
                problem: "the route has \(latitudesRadians.count) latitudes, \(longitudesRadians.count) longitudes")
        }
        guard let plan else { return nil }
        do throws(RouteProblem) {
            return try Route(plan)
        } catch {
            throw LayoutFault(problem: "the route is invalid: \(error)")
        }
    }
}

/// A maneuver as it is recorded.
struct ManeuverMessage: Sendable {
    var point: UInt64 = 0
    var kind: Maneuver.Kind?
    var modifier: Maneuver.Modifier?
    var instruction: String?
    var roadName: String?
    var exit: UInt64?
    var lanes: [LaneMessage] = []

    init() {}

    init(_ maneuver: PlannedManeuver) {
        point = UInt64(clamping: maneuver.point)
        kind = maneuver.kind
        modifier = maneuver.modifier
        instruction = maneuver.instruction
        roadName = maneuver.roadName
        exit = maneuver.exit.map { UInt64(clamping: $0) }
        lanes = maneuver.lanes.map(LaneMessage.init)
    }

    var maneuver: PlannedManeuver {
        PlannedManeuver(
            point: Int(clamping: point), kind: kind ?? .other, modifier: modifier, instruction: instruction,
            roadName: roadName, exit: exit.map { Int(clamping: $0) }, lanes: lanes.map(\.lane))
    }
}

/// A lane as it is recorded.
struct LaneMessage: Sendable {
    /// The arrows, separated by semicolons; `nil` if there are none.
    var indications: String?
    var isValid = false
    var isRecommended = false
    var validIndication: Maneuver.Modifier?

    init() {}

    init(_ lane: Lane) {
        indications = lane.indications.isEmpty ? nil : lane.indications.map(\.rawValue).joined(separator: ";")
        (isValid, isRecommended, validIndication) = (lane.isValid, lane.isRecommended, lane.validIndication)
    }

    var lane: Lane {
        Lane(
            indications: indications?.split(separator: ";").compactMap { Maneuver.Modifier(rawValue: String($0)) }
                ?? [],
            isValid: isValid, isRecommended: isRecommended, validIndication: validIndication)
    }
}

/// The layout of routes.
enum RouteLayout {
    static let lane = MessageLayout<LaneMessage>(
        "Lane",
        [
            .text(1, "indications", \.indications), .flag(2, "is_valid", \.isValid),
            .flag(3, "is_recommended", \.isRecommended), .word(4, "valid_indication", \.validIndication),
        ])

    static let maneuver = MessageLayout<ManeuverMessage>(
        "Maneuver",
        [
            .count(1, "point", \.point), .word(2, "kind", \.kind), .word(3, "modifier", \.modifier),
            .text(4, "instruction", \.instruction), .text(5, "road_name", \.roadName), .count(6, "exit", \.exit),
            .messages(7, "lanes", \.lanes, lane, LaneMessage()),
        ])

    static let route = MessageLayout<RouteMessage>(
        "Route",
        [
            .time(1, "time_ns", \.time), .count(2, "version", \.version), .flag(3, "is_followed", \.isFollowed),
            .text(4, "name", \.name), .doubles(5, "lat_rad", \.latitudesRadians),
            .doubles(6, "lon_rad", \.longitudesRadians), .doubles(7, "limits_m_s", \.limits),
            .doubles(8, "durations_s", \.durationsSeconds), .counts(9, "tunnels", \.tunnels),
            .doubles(10, "elevations_msl_m", \.elevationsMeters),
            .messages(11, "maneuvers", \.maneuvers, maneuver, ManeuverMessage()),
        ], inner: [maneuver.description, lane.description])
}
