import Frames
import Fusion
import Glibc
import Guidance
import PoseMath

extension GuidanceInput {
    /// The guidance input from an estimate, with the velocity or `withoutVelocity`.
    init(_ estimate: PoseEstimate, courseMinimumSpeed: Double, withoutVelocity: Bool = false) {
        self.init(time: estimate.time)
        position = estimate.state == .lost ? nil : estimate.position
        let velocity = withoutVelocity ? nil : estimate.velocityENUMetersPerSecond
        if velocity == nil, let age = estimate.fixAgeSeconds, age.isFinite, age >= 0,
            age < 1e6
        {
            // Without a velocity the last fix is repeated until the next one, with its own time. Otherwise the vehicle
            // would appear to stand and then to jump.
            time = estimate.time.advanced(bySeconds: -age)
        }
        if let sigma = estimate.positionSigmaENUMeters { horizontalSigmaMeters = max(sigma.x, sigma.y) }
        if let velocity {
            let speed = velocity.horizontalLength
            speedMetersPerSecond = speed
            if speed >= courseMinimumSpeed {
                courseOverGroundRadians = Angle.wrappedToTwoPi(atan2(velocity.x, velocity.y))
                if let sigma = estimate.velocitySigmaENUMetersPerSecond {
                    courseSigmaRadians = min(max(sigma.x, sigma.y) / speed, .pi)
                }
            }
        }
        if let attitude = estimate.bodyToENU, let sigma = estimate.headingSigmaRadians {
            headingTrueRadians = EulerAngles(bodyToENU: attitude).headingTrueRadians
            headingSigmaRadians = sigma
        }
        isDeadReckoning = estimate.state == .deadReckoning
    }
}

extension Frame.Guidance {
    /// Writes the guidance status; the engine sets the route's version.
    mutating func describe(_ status: GuidanceStatus) {
        state = Frame.GuidanceState(status.state)
        progressMeters = status.progressMeters
        crossTrackMeters = status.crossTrackMeters
        segmentBearingRadians = status.segmentBearingRadians
        firstWaypointAhead = status.firstWaypointAhead
        nextManeuver = status.nextManeuver.flatMap { UInt32(exactly: $0) }
        distanceToTurnMeters = status.distanceToTurnMeters
        straightDistanceToTurnMeters = status.straightDistanceToTurnMeters
        turnAngleRadians = status.turnAngleRadians
        distanceLeftMeters = status.distanceLeftMeters
        timeLeftSeconds = status.timeLeftSeconds
    }

    /// Logs what happened along the route in a step. The order of one step's changes is fixed.
    mutating func log(_ status: GuidanceStatus, routeVersion: UInt32) {
        let events = status.events
        if events.contains(.departed) { log.add(.departed(routeVersion: routeVersion)) }
        if events.contains(.rejoined) { log.add(.rejoined(routeVersion: routeVersion, isAhead: false)) }
        if events.contains(.rejoinedAhead) { log.add(.rejoined(routeVersion: routeVersion, isAhead: true)) }
        if events.contains(.waypointSkipped) {
            let skipped = status.skippedWaypoints
            log.add(.waypointSkipped(number: UInt32(clamping: skipped.last), count: UInt16(clamping: skipped.count)))
        }
        if events.contains(.maneuverReached) {
            let reached = status.reachedManeuvers
            log.add(.maneuverReached(index: UInt32(clamping: reached.last), count: UInt16(clamping: reached.count)))
        }
        if events.contains(.waypointReached) {
            let reached = status.reachedWaypoints
            log.add(.waypointReached(number: UInt32(clamping: reached.last), count: UInt16(clamping: reached.count)))
        }
    }

    /// Writes the distance to the maneuver after the next one.
    mutating func describe(thenOf status: GuidanceStatus, on route: Route?) {
        distanceToThenMeters = nil
        guard let route, let next = status.nextManeuver, let ahead = status.distanceToTurnMeters,
            let then = route.maneuver(after: next)
        else { return }
        let distance = ahead + route.maneuvers[then].alongMeters - route.maneuvers[next].alongMeters
        if distance <= Route.thenRangeMeters { distanceToThenMeters = distance }
    }
}

extension Frame.GuidanceState {
    /// The guidance state in the form of the frame.
    init(_ state: GuidanceState) {
        self =
            switch state {
            case .noRoute: .noRoute
            case .waiting: .waiting
            case .onRoute: .onRoute
            case .offStep: .offStep
            case .offRoute: .offRoute
            case .wrongWay: .wrongWay
            case .uTurnNeeded: .uTurnNeeded
            case .rejoinedAhead: .rejoinedAhead
            case .arrived: .arrived
            }
    }
}

extension Frame.Speed {
    /// Writes the speed advice.
    mutating func describe(_ status: SpeedStatus) {
        speedMetersPerSecond = status.speedMetersPerSecond
        limitMetersPerSecond = status.limitMetersPerSecond
        ratio = status.ratio
        indicatedMetersPerSecond = status.indicatedSpeedMetersPerSecond
        colour =
            switch status.colour {
            case .unknown: .unknown
            case .blue: .blue
            case .orange: .orange
            case .red: .red
            }
        limitSource = Frame.LimitSource(status.limitSource)
    }
}

extension Frame.LimitReason {
    /// The reason of a limit in the form of the frame.
    init(_ reason: LimitReason) {
        self =
            switch reason {
            case .none: .none
            case .time: .time
            case .season: .season
            case .weather: .weather
            case .vehicle: .vehicle
            case .trailer: .trailer
            case .weight: .weight
            case .several: .several
            }
    }
}

extension Frame.LimitSource {
    /// The source of a limit in the form of the frame.
    init(_ source: SpeedLimitSource) {
        self =
            switch source {
            case .none: .none
            case .route: .route
            case .road: .road
            case .roadClass: .roadClass
            case .fallback: .fallback
            }
    }
}
