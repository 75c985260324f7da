import Glibc
import PoseMath

/// Travel against the direction of the route: how long and how far.
struct ContraryTravel: Sendable {
    /// For how long against the route, seconds.
    private(set) var seconds = 0.0
    /// How far against the route, metres.
    private(set) var meters = 0.0
    /// How many positions in a row told so.
    private(set) var positions = 0
    /// For how long along it again, seconds.
    private(set) var rightSeconds = 0.0
    /// For how long the route's next point has been to the rear, away from the route, seconds.
    private(set) var rearSeconds = 0.0
    /// Most that one position adds, seconds.
    private static let mostSecondsAtOnce = 2.0
    /// Fewest positions: two that come seconds apart may lie beside one bend, both moved by the same reflection.
    static let fewestPositions = 3

    /// Whether there was some, though too little to say so.
    var isSuspected: Bool { seconds > 0 }

    /// Counts a step against the route.
    mutating func addContrary(_ step: TravelTracker.Step) {
        seconds += min(step.elapsedSeconds, ContraryTravel.mostSecondsAtOnce)
        meters += step.lengthMeters
        positions += 1
        rightSeconds = 0
    }

    /// Counts a step along the route.
    mutating func addRight(_ step: TravelTracker.Step) {
        rightSeconds += min(step.elapsedSeconds, ContraryTravel.mostSecondsAtOnce)
        (seconds, meters, positions) = (0, 0, 0)
    }

    /// Counts a step with the route's next point to the rear.
    mutating func addRear(_ step: TravelTracker.Step) {
        rearSeconds += min(step.elapsedSeconds, ContraryTravel.mostSecondsAtOnce)
    }

    /// Forgets those steps.
    mutating func clearRear() { rearSeconds = 0 }
}

/// Positions that fit another stretch of the route, one after the other.
struct Comeback: Sendable {
    private var seconds = 0.0
    private var positions = 0
    private var alongMeters = 0.0

    /// Whether there is one.
    var isPromising: Bool { positions > 0 }
    /// Whether a second position confirms it: one alone is chance, and not shown.
    var isConfirmed: Bool { positions > 1 }

    /// Takes a place that fits; whether there were enough of them in a row that follow from one another.
    mutating func update(_ match: LineMatch, step: TravelTracker.Step, settings: GuidanceSettings) -> Bool {
        let follows = abs(match.alongMeters - alongMeters) <= 1.5 * step.lengthMeters + 40
        if positions > 0, follows {
            seconds += min(step.elapsedSeconds, settings.returnSeconds)
            positions += 1
        } else {
            seconds = 0
            positions = 1
        }
        alongMeters = match.alongMeters
        return positions > settings.returnPositions && seconds >= settings.returnSeconds
    }
}

extension RouteFollower {
    /// Whether the travel goes along the route at a place, within an angle.
    func goesAlong(_ match: LineMatch, step: TravelTracker.Step, within radians: Double) -> Bool {
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
            contrary.addContrary(step)
        } else if goesAlong(match, step: step, within: settings.rightWayRadians) {
            contrary.addRight(step)
        }
        if isWrongWay {
            if contrary.rightSeconds >= 1 {
                isWrongWay = false
                isUTurnNeeded = false
            } else if !isUTurnNeeded, contrary.seconds >= settings.uTurnSeconds {
                isUTurnNeeded = true
                status.events.insert(.uTurnNeeded)
            }
        } else if contrary.seconds >= settings.wrongWaySeconds, contrary.meters >= enoughMeters,
            contrary.positions >= ContraryTravel.fewestPositions,
            !comeback.isPromising
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
            contrary.addRear(place.step)
            if !isUTurnNeeded, contrary.rearSeconds >= settings.uTurnSeconds {
                isUTurnNeeded = true
                status.events.insert(.uTurnNeeded)
            }
        } else {
            contrary.clearRear()
            if cosine > 0 { isUTurnNeeded = false }
        }
    }
}
