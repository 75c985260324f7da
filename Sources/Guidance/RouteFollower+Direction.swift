import Glibc
import PoseMath

extension RouteFollower {
    /// Whether the direction of travel is within an angle (radians) of the route's direction at a match. `false` if the
    /// direction of travel is unknown.
    func isTravelAlong(_ match: LineMatch, step: CourseEstimator.Step, within radians: Double) -> Bool {
        guard let travelDirection = step.travelDirection else { return false }
        return travelDirection.east * match.direction.east + travelDirection.north * match.direction.north
            >= cos(radians)
    }

    /// Detects travel against the route, and its end.
    mutating func updateWrongWay(_ match: LineMatch, observation: Observation) {
        let step = observation.step
        guard step.isMoving else { return }
        // A direction derived from positions has their error, so it must persist for twice the distance.
        let enoughMeters = step.isVelocityMeasured ? settings.wrongWayMeters : 2 * settings.wrongWayMeters
        if !isTravelAlong(match, step: step, within: settings.wrongWayRadians) {
            wrongWay.addStepAgainstRoute(step, cosine: step.travelDirection?.dot(match.direction) ?? 0)
        } else if isTravelAlong(match, step: step, within: settings.rightWayRadians) {
            wrongWay.addStepAlongRoute(step)
        }
        if isWrongWay {
            if wrongWay.alongRouteSeconds >= 1 {
                isWrongWay = false
                isUTurnNeeded = false
            } else if !isUTurnNeeded, wrongWay.againstRouteSeconds >= settings.uTurnSeconds {
                isUTurnNeeded = true
                status.events.insert(.uTurnNeeded)
            }
        } else if wrongWay.againstRouteSeconds >= settings.wrongWaySeconds, wrongWay.againstRouteMeters >= enoughMeters,
            wrongWay.againstRoutePositions >= WrongWayDetector.minimumPositions,
            !rejoin.hasCandidate
        {
            // A match on a later section that runs the other way explains the direction as well, so it delays the
            // decision.
            isWrongWay = true
            status.events.insert(.wrongWay)
        }
    }

    /// While off route: detects that the point of the route to return to is behind the vehicle.
    mutating func updateUTurn(_ observation: Observation, nearest: LineMatch?, on route: Route) {
        guard let travelDirection = observation.step.travelDirection else { return }
        // Beside the line and along it the vehicle follows the route again; a passed point of it is not the way back.
        if let nearest, nearest.distanceMeters <= observation.bounds.departureMeters,
            isTravelAlong(nearest, step: observation.step, within: settings.rightWayRadians)
        {
            wrongWay.resetTargetBehind()
            isUTurnNeeded = false
            return
        }
        let target = observation.query.plane.offset(of: route.line.point(atAlong: progressMeters + 50))
        let distance = max(target.length, 1e-9)
        let cosine = (travelDirection.east * target.east + travelDirection.north * target.north) / distance
        if cosine <= cos(settings.uTurnRadians) {
            wrongWay.addStepWithTargetBehind(observation.step)
            if !isUTurnNeeded, wrongWay.targetBehindSeconds >= settings.uTurnSeconds {
                isUTurnNeeded = true
                status.events.insert(.uTurnNeeded)
            }
        } else {
            wrongWay.resetTargetBehind()
            if cosine > 0 { isUTurnNeeded = false }
        }
    }
}
