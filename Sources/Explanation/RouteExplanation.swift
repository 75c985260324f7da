import Frames
import Glibc

/// Why the vehicle counts as off the route, or not.
struct RouteExplanation {
    let state: String
    let contributions: [Explanation.Contribution]
    let action: Action

    init(_ facts: ExplanationFacts) {
        let guidance = facts.frame.guidance
        let pose = facts.frame.pose
        let sigma = pose.positionSigmaENUMeters.map { max($0.x, $0.y) }
        let aside = guidance.crossTrackMeters.map(abs)
        state = "guidance: \(PoseExplanation.words("\(guidance.state)"))"
        let headingText =
            pose.headingTrueRadians.flatMap { heading in
                guidance.segmentBearingRadians.map { bearing in
                    let turn = remainder((heading - bearing) * 180 / .pi, 360)
                    return "\(Decimals.text(abs(turn), 0)) deg from the direction of the route"
                }
            } ?? "not comparable with the route"
        contributions = [
            .init(
                name: "distance", sigma: aside,
                text: aside == nil ? "no position on the route" : "sideways from the route"),
            .init(name: "position", sigma: sigma, text: "1-sigma; \(Evidence(facts).receiverText)"),
            .init(name: "direction", sigma: nil, text: headingText),
            .init(
                name: "age", sigma: nil,
                text: guidance.ageSeconds.map { "position \(Decimals.text($0, 1)) s old" } ?? "no position yet"),
        ]
        action = Self.action(facts, aside: aside, sigma: sigma)
    }

    private static func action(_ facts: ExplanationFacts, aside: Double?, sigma: Double?) -> Action {
        switch facts.frame.guidance.state {
        case .noRoute: return .loadRoute
        case .onRoute, .arrived, .rejoinedAhead, .offStep: return .none
        case .waiting, .offRoute, .wrongWay, .uTurnNeeded: break
        }
        // A place that is not known well enough explains any distance, but no direction.
        let isAboutDirection = [.wrongWay, .uTurnNeeded].contains(facts.frame.guidance.state)
        let isUncertain = (sigma ?? .infinity) > 25 || (!isAboutDirection && (aside ?? 0) < 2 * (sigma ?? 0))
        let place = Explanation(.position, facts).action
        if isUncertain || facts.verdict != "trusted" { return place == .none ? .driveOn : place }
        return .returnToRoute
    }
}

/// Where the limit comes from.
struct LimitExplanation {
    let state: String
    let contributions: [Explanation.Contribution]
    let action: Action

    init(_ facts: ExplanationFacts) {
        let speed = facts.frame.speed
        let pose = facts.frame.pose
        let sigma = pose.positionSigmaENUMeters.map { max($0.x, $0.y) }
        state =
            speed.limitMetersPerSecond.map {
                "\(Decimals.text($0 * 3.6, 0)) km/h from \(Self.source(speed.limitSource))"
            } ?? "unknown"
        contributions = [
            .init(name: "route", sigma: nil, text: Self.routeText(facts)),
            .init(
                name: "roads", sigma: nil,
                text: facts.hasRoads.map { $0 ? "a road file is in use" : "no road file" } ?? "not known"),
            .init(
                name: "condition", sigma: nil,
                text: speed.hasCondition
                    ? "it also depends on something that is not set"
                    : speed.limitReason == .none ? "the general limit" : "by \(speed.limitReason)"),
            .init(
                name: "position", sigma: nil,
                text: sigma.map { "1-sigma \(Decimals.text($0, 1)) m" } ?? "unknown"),
            .init(
                name: "age", sigma: nil,
                text: speed.ageSeconds.map { "speed \(Decimals.text($0, 1)) s old" } ?? "no speed yet"),
        ]
        action = Self.action(facts, sigma: sigma)
    }

    private static func action(_ facts: ExplanationFacts, sigma: Double?) -> Action {
        let speed = facts.frame.speed
        if speed.limitSource == .route || speed.limitSource == .road {
            return speed.hasCondition ? .setConditions : .none
        }
        // Roads are searched within 40 m or four sigmas; beyond 25 m the next one is as likely as the own.
        if (sigma ?? .infinity) > 25 { return Explanation(.position, facts).action }
        if facts.hasRoads == false { return .importRoads }
        return speed.hasCondition ? .setConditions : .mapLimit
    }

    private static func source(_ source: Frame.LimitSource) -> String {
        switch source {
        case .none: "nothing"
        case .route: "the route"
        case .road: "the road"
        case .roadClass: "the class of the road"
        case .fallback: "the settings (speed.fallback_limit_km_h)"
        }
    }

    private static func routeText(_ facts: ExplanationFacts) -> String {
        switch facts.frame.guidance.state {
        case .noRoute: "no route"
        case .waiting: "a route, no position on it yet"
        default:
            facts.frame.speed.limitSource == .route ? "the route states a limit here" : "the route states no limit here"
        }
    }
}
