import Frames
import Guidance
import PoseMath

extension Engine {
    /// Maximum age of a speed horizon, seconds. A new one arrives several times per second.
    static let oldestSpeedHorizonSeconds = 3.0

    /// Whether the latest ``frame`` is a question about the road ahead: five times per second, see ``HorizonSchedule``.
    /// ``use(_:)`` takes the answer.
    public var asksForHorizon: Bool { mutating get { horizon.isQuestion } }

    /// Number of answers that arrived after the period of their question.
    public var lateHorizonCount: UInt64 { mutating get { horizon.lateCount } }

    /// Takes the answer to a question; its time is the time of the frame that asked. It takes effect in the next
    /// period. Its distances are reduced as the vehicle moves.
    public mutating func use(_ speedHorizon: SpeedHorizon) { horizon.take(speedHorizon) }

    /// The speed horizon at an instant: that of the latest answer after the distance travelled since, along the route
    /// the change of the progress. `nil` if there is none or it is too old. This and the other readers are `mutating`
    /// so that they do not copy the engine.
    public mutating func speedHorizon(at time: MonotonicTime) -> SpeedHorizon? {
        guard let speedHorizon = horizon.current else { return nil }
        let age = time.seconds(since: speedHorizon.time)
        guard abs(age) <= Self.oldestSpeedHorizonSeconds else { return nil }
        // With the progress, limits change where the route's own do; a jump of the progress is left to the next answer.
        let bySpeed = max(age, 0) * (frame.speed.speedMetersPerSecond ?? 0)
        guard let before = speedHorizon.progressMeters, let progress = frame.guidance.progressMeters,
            abs(progress - before) <= bySpeed + 20
        else { return speedHorizon.advanced(byMeters: bySpeed) }
        return speedHorizon.advanced(byMeters: max(progress - before, 0))
    }

    /// The limit at the current position: from the route, otherwise from the road.
    mutating func limitHere(_ status: GuidanceStatus, at time: MonotonicTime) -> (
        limit: SpeedLimit, source: SpeedLimitSource
    ) {
        guard status.limit == .unknown, let speedHorizon = speedHorizon(at: time), speedHorizon.limit != .unknown else {
            return (status.limit, status.limitSource)
        }
        return (speedHorizon.limit, speedHorizon.limitSource)
    }
}

extension Frame.Speed {
    /// Writes the limits and curves ahead: from the speed horizon, otherwise the next limit of the route.
    mutating func describe(_ speedHorizon: SpeedHorizon?, _ status: GuidanceStatus) {
        let (next, source, distance) =
            speedHorizon.map { ($0.nextLimit, $0.nextLimitSource, $0.distanceToNextLimitMeters) }
            ?? (status.nextLimit, SpeedLimitSource.route, status.distanceToLimitChangeMeters)
        if case .metersPerSecond(let value) = next {
            nextLimitMetersPerSecond = value
        } else {
            nextLimitMetersPerSecond = nil
        }
        distanceToNextLimitMeters = next == .unknown ? nil : distance
        nextLimitSource = next == .unknown ? .none : Frame.LimitSource(source)
        curveSpeedMetersPerSecond = speedHorizon?.curveSpeedMetersPerSecond
        distanceToCurveMeters = speedHorizon?.distanceToCurveMeters
        hasCondition = speedHorizon?.hasCondition ?? false
        nextLimitReason = next == .unknown ? .none : Frame.LimitReason(speedHorizon?.nextLimitReason ?? .none)
        // The route's own limits come without a condition.
        let isOfRoad = limitSource == .road || limitSource == .roadClass
        limitReason = isOfRoad ? Frame.LimitReason(speedHorizon?.limitReason ?? .none) : .none
    }
}
