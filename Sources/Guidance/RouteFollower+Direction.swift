import Glibc
import PoseMath

extension RouteFollower {
    /// Whether the travel goes along the route at a place, within an angle.
    func goesAlong(_ match: LineMatch, step: CourseEstimator.Step, within radians: Double) -> Bool {
        guard let travel = step.travel else { return false }
        return travel.east * match.direction.east + travel.north * match.direction.north >= cos(radians)
    }

    /// Watches for travel against the route, and for its end.
    mutating func watchDirection(_ match: LineMatch, place: Place) {
        let step = place.step
        guard step.isMoving else { return }
        // A direction that comes from the positions alone is as wrong as they are: it has to last longer.
        let enoughMeters = step.isTravelTold ? settings.wrongWayMeters : 2 * settings.wrongWayMeters
        if !goesAlong(match, step: step, within: settings.wrongWayRadians) {
            wrongWay.addContrary(step)
        } else if goesAlong(match, step: step, within: settings.rightWayRadians) {
            wrongWay.addRight(step)
        }
        if isWrongWay {
            if wrongWay.rightSeconds >= 1 {
                isWrongWay = false
                isUTurnNeeded = false
            } else if !isUTurnNeeded, wrongWay.seconds >= settings.uTurnSeconds {
                isUTurnNeeded = true
                status.events.insert(.uTurnNeeded)
            }
        } else if wrongWay.seconds >= settings.wrongWaySeconds, wrongWay.meters >= enoughMeters,
            wrongWay.positions >= WrongWayDetector.fewestPositions,
            !rejoin.isPromising
        {
            // A later stretch that runs the other way explains the direction as well.
            isWrongWay = true
            status.events.insert(.wrongWay)
        }
    }

    /// Watches, away from the route, for its next point falling to the rear.
    mutating func watchForUTurn(_ place: Place, on route: Route) {
        guard let travel = place.step.travel else { return }
        let next = place.query.plane.offset(of: route.line.point(atAlong: progressMeters + 50))
        let distance = max(next.length, 1e-9)
        let cosine = (travel.east * next.east + travel.north * next.north) / distance
        if cosine <= cos(settings.uTurnRadians) {
            wrongWay.addRear(place.step)
            if !isUTurnNeeded, wrongWay.rearSeconds >= settings.uTurnSeconds {
                isUTurnNeeded = true
                status.events.insert(.uTurnNeeded)
            }
        } else {
            wrongWay.clearRear()
            if cosine > 0 { isUTurnNeeded = false }
        }
    }
}
