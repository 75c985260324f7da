import Foundation
import Geodesy
import Guidance
import PoseMath
import StoredTexts
import Testing

/// The whole status at each position of a drive with everything that a route can have: limits, planned times, tunnels,
/// waypoints, and positions that fail.
@Suite struct StoredStatusTests {
    private let sheet = Sheet()
    private static let corners: [(Double, Double)] = [
        (0, 0), (0, 400), (0, 700), (300, 700), (300, 1000), (300, 1500), (700, 1500), (1100, 1500),
    ]

    /// The route: two waypoints with a departure each, a tunnel, and limits.
    private func route(isTimed: Bool) throws -> Route {
        var plan = RoutePlan(points: Self.corners.map { sheet.place($0.0, $0.1) })
        plan.limits = [
            .kilometersPerHour(50), .kilometersPerHour(50), .unknown, .kilometersPerHour(30), .unlimited, .unlimited,
            .kilometersPerHour(70),
        ]
        if isTimed { plan.durationsSeconds = [40, 30, 25, 20, 45, 33, 27] }
        plan.tunnels = [false, true, false, false, true, false, false]
        plan.maneuvers = [
            PlannedManeuver(point: 0, kind: .depart), PlannedManeuver(point: 2, kind: .turn, modifier: .right),
            PlannedManeuver(point: 3, kind: .turn, modifier: .left), PlannedManeuver(point: 4, kind: .arrive),
            PlannedManeuver(point: 4, kind: .depart), PlannedManeuver(point: 5, kind: .turn, modifier: .right),
            PlannedManeuver(point: 6, kind: .arrive), PlannedManeuver(point: 6, kind: .depart),
        ]
        return try Route(plan)
    }

    /// A number with two decimals; a zero has no sign, because rounding decides about it.
    private func number(_ value: Double?) -> String {
        value.map { String(format: "%.2f", abs($0) < 0.005 ? 0 : $0) } ?? "-"
    }

    private func passed(_ places: PassedPlaces) -> String { "\(places.last)x\(places.count)" }

    /// A status in one line.
    private func line(_ status: GuidanceStatus) -> String {
        let places = [status.reachedManeuvers, status.reachedWaypoints, status.skippedWaypoints].map(passed)
        let distances = [
            status.progressMeters, status.distanceLeftMeters, status.timeLeftSeconds, status.distanceToTurnMeters,
            status.straightDistanceToTurnMeters, status.turnAngleRadians, status.crossTrackMeters,
            status.segmentBearingRadians, status.distanceToLimitChangeMeters,
        ].map(number)
        let next = status.nextManeuver.map { "next \($0)" } ?? "-"
        let limits = [status.limit, status.nextLimit].map { limit in
            if case .metersPerSecond(let value) = limit { return number(value * 3.6) }
            return "\(limit)"
        }
        return
            ("\(status.state) \(status.events.names) v\(status.routeVersion) \(places) \(next) "
            + "\(status.waypointsReached) " + distances.joined(separator: " ") + " \(status.isInTunnel) "
            + "\(limits[0]) \(status.limitSource) \(limits[1])")
    }

    /// The statuses of a drive along a track with 12 m/s and a position each second, as `change` leaves it.
    private func told(
        _ track: [(Double, Double)], isTimed: Bool = true, change: (Int, inout GuidanceInput) -> Void = { _, _ in }
    ) throws -> [String] {
        var follower = RouteFollower()
        follower.setRoute(try route(isTimed: isTimed))
        let track = Track(track)
        return (0...Int(track.length / 12)).map { second in
            let (x, y, course) = track.at(Double(second) * 12)
            var input = GuidanceInput(
                time: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000), position: sheet.place(x + 1, y + 1),
                horizontalSigmaMeters: 3, courseOverGroundRadians: course, speedMetersPerSecond: 12)
            change(second, &input)
            return "\(second): " + line(follower.update(input))
        }
    }

    @Test func theWholeStatusIsThatOfTheRoute() throws {
        // GIVEN a drive along the route, with a stop, and one without planned times THEN every status is that stored
        let timed = try told(Self.corners)
        let other = try told(Self.corners, isTimed: false) { second, input in
            if (40..<46).contains(second) { input.speedMetersPerSecond = 0.3 }
        }
        #expect(try StoredText.differences(of: (timed + other).joined(separator: "\n"), from: "status") == [])
    }

    @Test func waypointsAreReachedOrSkipped() throws {
        // GIVEN drives that leave the route and come back after one waypoint, after both, and before both, and one that
        // turns back over a waypoint THEN each is told once
        let detours: [[(Double, Double)]] = [
            [(0, 0), (0, 900), (300, 1200), (300, 1500), (1100, 1500)],
            [(0, 0), (0, 900), (150, 1750), (900, 1750), (900, 1500), (1100, 1500)],
            [(0, 0), (0, 700), (150, 700), (150, 450), (200, 450), (200, 700), (300, 700), (300, 1500)],
            [(0, 0), (0, 700), (300, 700), (300, 1120), (306, 1120), (306, 900), (300, 900), (300, 1300)],
            [(0, 0), (0, 900), (295, 985), (300, 1500), (640, 1500)],
        ]
        var lines: [String] = []
        for detour in detours {
            lines.append("---")
            lines += try told(detour).enumerated().filter { !$1.contains("[] v") || $0 % 10 == 0 }.map(\.element)
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "waypoints") == [])
    }

    @Test func withoutPositionsTheSpeedCounts() throws {
        // GIVEN a drive whose positions end before the first tunnel, at once or a few seconds later, with a speed that
        // is right, too high, too low or unknown, until the end of the route THEN the progress advances as long as it
        // may
        var lines: [String] = []
        for (start, speed) in [(36, 12.0), (36, 25), (36, 1), (5, 12), (5, nil), (70, 14), (92, 12)] as [(Int, Double?)]
        {
            lines.append("--- from \(start) s with \(speed.map { "\($0)" } ?? "no speed")")
            lines += try told(Self.corners) { second, input in
                guard second >= start else { return }
                (input.position, input.speedMetersPerSecond) = (nil, speed)
            }.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "coasting") == [])
    }

    @Test func deadReckonedPositionsChangeOnlyTheProgress() throws {
        // GIVEN a drive that is dead-reckoned for a time, along the road, beside it by more than a departure, or too
        // far or too short along it, and then has positions again THEN the progress is corrected at once
        var lines: [String] = []
        for (east, scale) in [(0.0, 1.0), (60, 1), (0, 1.4), (0, 0.6), (12, 0)] {
            lines.append("--- \(Int(east)) m beside, \(scale) of the way")
            let track = Track(Self.corners)
            lines += try told(Self.corners) { second, input in
                guard (25..<50).contains(second) else { return }
                let (x, y, _) = track.at(300 + Double(second - 25) * 12 * scale)
                input.position = sheet.place(x + east, y)
                input.isDeadReckoning = true
                if scale == 0 { input.courseOverGroundRadians = nil }
            }[20..<62]
        }
        #expect(try StoredText.differences(of: lines.joined(separator: "\n"), from: "dead-reckoning") == [])
    }
}
