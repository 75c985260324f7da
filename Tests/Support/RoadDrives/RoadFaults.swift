import Foundation
import Geodesy
import Guidance

/// What went wrong on a drive that follows its route from end to end.
package struct RoadFaults {
    package var name = ""
    package var offRoute = 0
    package var contrary = 0
    package var ahead = 0
    package var backwardJumps = 0
    package var wrongManeuvers = 0
    package var misplaced = 0
    package var count = 0
    package var worstMeters = 0.0
    package var arrived = false
    /// False episodes that began where none of the last four positions was more than 50 m off.
    package var unprovokedEpisodes = 0
    /// The errors of the last four positions, metres.
    private var lastErrors = [Double]()
    /// Whether the state of the previous position was false.
    private var wasFalse = false
    /// Whether anybody would have noticed.
    package var isFalse: Bool { offRoute + contrary + ahead > 0 }

    /// Follows a route by fixes on it. `reflectionMeters`: by how much some of them are wrong without a word, 1-sigma:
    /// what a maneuver may be told too early or too late.
    package init(
        _ fixes: [RoadFix], on route: Route, settings: GuidanceSettings = GuidanceSettings(),
        reflectionMeters: Double = 0,
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
            lastErrors = lastErrors.suffix(3) + [fix.errorMeters]
            trace?(fix, status, truth)
            judge(
                status, truth: truth, sigma: max(fix.input.horizontalSigmaMeters ?? 8, reflectionMeters), route: route,
                last: &last)
        }
    }

    private mutating func judge(
        _ status: GuidanceStatus, truth: Double, sigma: Double, route: Route, last: inout Double
    ) {
        count += 1
        let falsePositions = offRoute + contrary + ahead
        defer {
            let isFalseNow = offRoute + contrary + ahead > falsePositions
            if isFalseNow, !wasFalse, lastErrors.allSatisfy({ $0 <= 50 }) { unprovokedEpisodes += 1 }
            wasFalse = isFalseNow
        }
        switch status.state {
        case .waiting where status.progressMeters == nil: break
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
        // A maneuver behind is still shown, or one ahead is taken for passed, by more than the positions' own error
        // explains.
        let slack = 25 + 3 * sigma
        if let next = status.nextManeuver {
            let ahead = route.maneuvers[next].alongMeters
            if ahead < truth - slack, next < route.maneuvers.count - 1 { wrongManeuvers += 1 }
            if next > 0, route.maneuvers[next - 1].alongMeters > truth + 20 + slack { wrongManeuvers += 1 }
        }
    }
}

/// A drive that leaves its planned route at a junction.
package struct RoadDeparture {
    /// From being 25 m away from every part of the planned route, for 10 s at least, to the departure told, seconds;
    /// infinite where it was missed, negative where the route runs along the same road again.
    package var delaySeconds = Double.infinity
    /// From being 25 m away to the next fix, seconds, if the distance grew evenly between two fixes.
    package var leadSeconds = 0.0
    /// Whether a departure was told before the vehicle left.
    package var isEarly = false
    /// Metres from the planned route when it was told.
    package var meters = 0.0
    /// Whether the drive leaves the planned route at all.
    package var leaves = false

    /// Follows the planned route by fixes of a drive that leaves it.
    package init(_ fixes: [RoadFix], planned: Route, settings: GuidanceSettings = GuidanceSettings()) {
        let line = PlaneLine(planned)
        let times = fixes.map { $0.input.time.seconds }
        guard let left = RoadDeparture.departure(fixes, at: times, from: line),
            !RoadDeparture.isAtEnd(of: planned, fixes[...left].filter { $0.input.time.seconds > times[left] - 15 })
        else { return }
        leaves = true
        leadSeconds = RoadDeparture.lead(fixes, at: times, index: left, from: line)
        var follower = RouteFollower(settings: settings)
        follower.setRoute(planned)
        var (along, driven) = (0.0, 0.0)
        for (index, fix) in fixes.enumerated() where times[index] <= times[left] + 60 {
            // A route may run along the same road again, the other way: what counts is the stretch that the vehicle was
            // on.
            let way = fix.drivenMeters - driven
            driven = fix.drivenMeters
            let here = line.nearest(fix.truth, from: along - 15, to: along + 1.2 * way + 15)
            along = max(along, here.along)
            guard follower.update(fix.input).events.contains(.departed) else { continue }
            meters = here.meters
            if here.meters < 10 {
                isEarly = true
                continue
            }
            delaySeconds = times[index] - times[left]
            return
        }
    }

    /// From being 25 m away from a line to a fix, seconds.
    private static func lead(_ fixes: [RoadFix], at times: [Double], index: Int, from line: PlaneLine) -> Double {
        guard index > 0 else { return 0 }
        let (before, after) = (line.nearest(fixes[index - 1].truth).meters, line.nearest(fixes[index].truth).meters)
        guard before < 25, after > before else { return 0 }
        return (times[index] - times[index - 1]) * (after - 25) / (after - before)
    }

    /// The first fix from which on the vehicle is 25 m away from every part of a line for 10 s.
    private static func departure(_ fixes: [RoadFix], at times: [Double], from line: PlaneLine) -> Int? {
        guard let end = times.last else { return nil }
        var (known, begin) = ((meters: 25.0, driven: 0.0), Int?.none)
        for (index, fix) in fixes.enumerated() {
            // The distance changes by no more than the way: far from 25 m it need not be searched again.
            if abs(known.meters - 25) <= abs(fix.drivenMeters - known.driven) {
                known = (line.nearest(fix.truth).meters, fix.drivenMeters)
            }
            guard known.meters > 25 else {
                begin = nil
                continue
            }
            let first = begin ?? index
            begin = first
            let isLast = index + 1 == fixes.count || times[index + 1] > times[first] + 10
            if isLast, times[first] + 10 <= end { return first }
        }
        return nil
    }

    /// Whether the planned route is left at its end: so near to it the vehicle has arrived.
    private static func isAtEnd(of planned: Route, _ fixes: [RoadFix]) -> Bool {
        let end = planned.vertex(planned.vertexCount - 1).position
        return fixes.contains { fix in
            let offset = fix.truth.surfaceOffsetMeters(to: end)
            return hypot(offset.east, offset.north) <= 25
        }
    }
}
