import Foundation
import Fusion
import Geodesy
import Guidance
import PoseMath
import Simulation

/// A route on real roads, as `Support/road_routes.py` makes it.
struct RoadRoute: Decodable {
    var points: [[Double]]
    var limits: [Double]
    var tunnels: [Int]
    var junctions: [[Int]]
    var planned: [[Double]]?
    var fork: Int?

    static func places(_ points: [[Double]]) -> [GeodeticPosition] {
        points.map { GeodeticPosition(latitudeDegrees: $0[0], longitudeDegrees: $0[1]) }
    }

    /// The route with a maneuver where it turns at a junction.
    func route() throws -> Route {
        var plan = RoutePlan(points: RoadRoute.places(points), limits: limits.map { .kilometersPerHour($0) })
        plan.tunnels = tunnels.map { $0 != 0 }
        plan.maneuvers = junctions.filter { $0[1] != 0 }.map { PlannedManeuver(point: $0[0], kind: .turn) }
        return try Route(plan)
    }

    /// The other route, that the drive does not follow.
    func plannedRoute() throws -> Route? { try planned.map { try Route(RoutePlan(points: RoadRoute.places($0))) } }

    /// The drive along it.
    func drive() throws -> Drive {
        var vertices: [GeodeticPosition] = []
        var speeds: [Double] = []
        for (index, place) in RoadRoute.places(points).enumerated() {
            if let last = vertices.last {
                let offset = last.surfaceOffsetMeters(to: place)
                guard hypot(offset.east, offset.north) > 1 else { continue }
                speeds.append(max(limits[index - 1], 15) / 3.6)
            }
            vertices.append(place)
        }
        var plan = DrivePlan(vertices: vertices, limitsMetersPerSecond: speeds)
        plan.standingSecondsBefore = 3
        return try Drive(plan)
    }

    /// Routes made by the script from the extract beside the package.
    static func make(count: Int, seed: Int, extract: String, script: String) throws -> [RoadRoute] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script, extract, String(count), String(seed)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try data.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(RoadRoute.self, from: Data($0)) }
    }
}

/// A line in a plane, for finding true places along it by plain geometry.
struct PlaneLine {
    private let frame: LocalFrame
    private let points: [(x: Double, y: Double)]
    private let along: [Double]

    init(_ route: Route) {
        let frame = LocalFrame(origin: route.vertex(route.vertexCount / 2).position)
        self.frame = frame
        points = (0..<route.vertexCount).map {
            let p = frame.enuMeters(of: route.vertex($0).position)
            return (p.x, p.y)
        }
        along = (0..<route.vertexCount).map { route.vertex($0).alongMeters }
    }

    /// The nearest place of the line between two lengths along it: how far, and where along it.
    func nearest(_ place: GeodeticPosition, from low: Double = -.infinity, to high: Double = .infinity) -> (meters: Double, along: Double) {
        let p = frame.enuMeters(of: place)
        var best = (meters: Double.infinity, along: 0.0)
        for index in 0..<(points.count - 1) where along[index + 1] >= low && along[index] <= high {
            let (a, b) = (points[index], points[index + 1])
            let (x, y) = (b.x - a.x, b.y - a.y)
            let t = min(max(((p.x - a.x) * x + (p.y - a.y) * y) / (x * x + y * y), 0), 1)
            let meters = hypot(p.x - a.x - t * x, p.y - a.y - t * y)
            if meters < best.meters { best = (meters, along[index] + t * (along[index + 1] - along[index])) }
        }
        return best
    }
}

/// One position of a drive with the truth beside it.
struct RoadFix {
    var input: GuidanceInput
    var truth: GeodeticPosition
    /// How far the vehicle has driven, metres.
    var drivenMeters: Double
}

/// How a drive is seen.
struct DriveView {
    var name: String
    var receiver = SatelliteReceiver()
    /// Whether the fixes tell speed and course.
    var givesMotion = true
    /// Whether they tell their accuracy.
    var givesAccuracy = true
    /// What they tell instead of the truth about it, metres.
    var statedSigma: Double?
    /// Chance of a gap a minute, and its longest.
    var gapsPerMinute = 0.0
    var longestGapSeconds = 60.0
    /// Whether receivers see nothing in tunnels.
    var tunnelsAreDark = false

    /// The receivers that drives are seen by in turn.
    static let all: [DriveView] = {
        var open = DriveView(name: "open sky")
        open.receiver.rateHertz = 1
        var city = DriveView(name: "city")
        city.receiver.multipathEpisodesPerMinute = 2
        var poor = DriveView(name: "poor")
        (poor.receiver.whiteMeters, poor.receiver.wanderingMeters) = (3, 8)
        (poor.receiver.multipathEpisodesPerMinute, poor.receiver.multipathMeters) = (1, 25)
        var gaps = DriveView(name: "gaps")
        (gaps.gapsPerMinute, gaps.receiver.wanderingMeters) = (1, 4)
        var sparse = DriveView(name: "5 s")
        (sparse.receiver.rateHertz, sparse.receiver.multipathEpisodesPerMinute) = (0.2, 1)
        var rare = DriveView(name: "15 s, positions only")
        (rare.receiver.rateHertz, rare.givesMotion) = (1.0 / 15, false)
        var plain = DriveView(name: "positions only")
        (plain.givesMotion, plain.givesAccuracy) = (false, false)
        (plain.receiver.wanderingMeters, plain.receiver.whiteMeters) = (4, 1)
        (plain.receiver.multipathEpisodesPerMinute, plain.receiver.multipathMeters) = (1, 15)
        var fast = DriveView(name: "10 Hz")
        (fast.receiver.rateHertz, fast.receiver.multipathEpisodesPerMinute) = (10, 1)
        return [
            open, city, poor, gaps, sparse, rare, plain, fast, fleet(every: 1, episode: 10), fleet(every: 5, episode: 20),
            fleet(every: 10, episode: 40),
        ]
    }()

    /// Positions of fleets as they are found in archives: nothing else is told, and one in forty is more than 25 m off.
    static func fleet(every seconds: Double, episode: Double) -> DriveView {
        var view = DriveView(name: "fleet, \(Int(seconds)) s")
        (view.givesMotion, view.statedSigma) = (false, 10)
        view.receiver.rateHertz = 1 / seconds
        (view.receiver.wanderingMeters, view.receiver.whiteMeters) = (5, 1.5)
        (view.receiver.multipathMeters, view.receiver.multipathSeconds) = (25, episode)
        view.receiver.multipathEpisodesPerMinute = 4 / episode
        return view
    }

    /// The drive as this receiver tells it.
    func fixes(of drive: Drive, seed: UInt64) -> [RoadFix] {
        var random = RandomSource(seed: seed, use: 9)
        var receiver = receiver
        var at = 20.0
        while gapsPerMinute > 0 {
            at += 60 / gapsPerMinute * random.uniform(0.3, 1.7)
            guard at < drive.durationSeconds else { break }
            let length = random.uniform(5, longestGapSeconds)
            receiver.outages.append(at...(at + length))
            at += length
        }
        var sensors = SensorSuite()
        sensors.inertial = nil
        sensors.satellite = receiver
        return SimulatedDrive(drive: drive, sensors: sensors, seed: seed).compactMap { event in
            guard case .gnss(let fix) = event, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians else { return nil }
            var input = GuidanceInput(
                time: fix.validityTime, position: GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: 0)
            )
            if givesAccuracy { input.horizontalSigmaMeters = statedSigma ?? fix.horizontalSigmaMeters }
            if givesMotion, let velocity = fix.horizontalVelocity {
                let speed = hypot(velocity.eastMetersPerSecond, velocity.northMetersPerSecond)
                input.speedMetersPerSecond = speed
                if speed > 1 {
                    input.courseOverGroundRadians = Angle.wrappedToTwoPi(atan2(velocity.eastMetersPerSecond, velocity.northMetersPerSecond))
                    input.courseSigmaRadians = min(0.15 / speed, 1)
                }
            }
            let truth = drive.truth(atSeconds: fix.validityTime.seconds)
            return RoadFix(input: input, truth: truth.position, drivenMeters: truth.distanceMeters)
        }
    }
}
/// What went wrong on a drive that follows its route from end to end.
struct RoadFaults {
    var name = ""
    var offRoute = 0
    var contrary = 0
    var ahead = 0
    var backwardJumps = 0
    var wrongManeuvers = 0
    var misplaced = 0
    var count = 0
    var worstMeters = 0.0
    var arrived = false
    /// Whether anybody would have noticed.
    var isFalse: Bool { offRoute + contrary + ahead > 0 }

    /// Follows a route by fixes on it. `slackMeters`: how wrong a place along the route may be before a maneuver passed is a wrong one.
    init(
        _ fixes: [RoadFix], on route: Route, settings: GuidanceSettings = GuidanceSettings(),
        trace: ((RoadFix, GuidanceStatus, Double) -> Void)? = nil
    ) {
        let line = PlaneLine(route)
        var follower = RouteFollower(settings: settings)
        follower.setRoute(route)
        var (truth, driven, last) = (0.0, 0.0, -Double.infinity)
        for fix in fixes {
            // The drive cuts the corners of its route a little.
            let way = fix.drivenMeters - driven
            driven = fix.drivenMeters
            truth = max(truth, line.nearest(fix.truth, from: truth + way - 15, to: truth + 1.2 * way + 15).along)
            let status = follower.update(fix.input)
            trace?(fix, status, truth)
            judge(status, truth: truth, sigma: fix.input.horizontalSigmaMeters ?? 8, route: route, last: &last)
        }
    }

    private mutating func judge(_ status: GuidanceStatus, truth: Double, sigma: Double, route: Route, last: inout Double) {
        count += 1
        switch status.state {
        case .offRoute, .waiting, .noRoute: offRoute += 1
        case .wrongWay, .uTurnNeeded: contrary += 1
        case .offStep, .rejoinedAhead: ahead += 1
        case .arrived: arrived = true
        case .onRoute: break
        }
        let progress = status.progressMeters ?? 0
        if progress < last - 20 { backwardJumps += 1 }
        last = progress
        let error = abs(progress - truth)
        worstMeters = max(worstMeters, error)
        if error > 15 { misplaced += 1 }
        // A maneuver behind is still shown, or one ahead is taken for passed, by more than the positions' own error explains.
        let slack = 25 + 3 * sigma
        if let next = status.nextManeuver {
            let ahead = route.maneuvers[next].alongMeters
            if ahead < truth - slack, next < route.maneuvers.count - 1 { wrongManeuvers += 1 }
            if next > 0, route.maneuvers[next - 1].alongMeters > truth + 20 + slack { wrongManeuvers += 1 }
        }
    }
}

/// A drive that leaves its planned route at a junction.
struct RoadDeparture {
    /// From being 25 m away from every part of the planned route, for 10 s at least, to the departure told, seconds; infinite where it was missed.
    var delaySeconds = Double.infinity
    /// Whether a departure was told before the vehicle left.
    var isEarly = false
    /// Metres from the planned route when it was told.
    var meters = 0.0
    /// Whether the drive leaves the planned route at all.
    var leaves = false

    /// Follows the planned route by fixes of a drive that leaves it.
    init(_ fixes: [RoadFix], planned: Route, settings: GuidanceSettings = GuidanceSettings()) {
        let line = PlaneLine(planned)
        let distances = fixes.map { line.nearest($0.truth).meters }
        let times = fixes.map { $0.input.time.seconds }
        let left = fixes.indices.first { index in
            distances[index] > 25 && times[index] + 10 <= times[times.count - 1]
                && fixes.indices.allSatisfy { !(times[$0] >= times[index] && times[$0] <= times[index] + 10) || distances[$0] > 25 }
        }
        guard let left else { return }
        leaves = true
        var follower = RouteFollower(settings: settings)
        follower.setRoute(planned)
        for (index, fix) in fixes.enumerated() where times[index] <= times[left] + 60 {
            guard follower.update(fix.input).events.contains(.departed) else { continue }
            meters = distances[index]
            if distances[index] < 10 {
                isEarly = true
                continue
            }
            delaySeconds = times[index] - times[left]
            return
        }
    }
}
