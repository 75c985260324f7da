import Frames
import Guidance
import PoseMath

extension Engine {
    /// A speed horizon older than this is none, seconds: it comes a few times a second while there is one.
    static let oldestSpeedHorizonSeconds = 3.0

    /// Whether the latest ``frame`` asks what lies ahead: five times a second, see ``HorizonSchedule``. ``use(_:)``
    /// takes the answer.
    public var asksForHorizon: Bool { horizon.isQuestion }

    /// Answers that came after the period of their question.
    public var lateHorizonCount: UInt64 { horizon.lateCount }

    /// Takes the answer to a question; its time is that of the frame that asked. It holds from the next period on, and
    /// its distances are reduced as the vehicle drives.
    public mutating func use(_ speedHorizon: SpeedHorizon) { horizon.take(speedHorizon) }

    /// The speed horizon at an instant, its distances less by the way made since; `nil` where there is none, or it is
    /// too old.
    public func speedHorizon(at time: MonotonicTime) -> SpeedHorizon? {
        guard var speedHorizon = horizon.current else { return nil }
        let age = time.seconds(since: speedHorizon.time)
        guard abs(age) <= Self.oldestSpeedHorizonSeconds else { return nil }
        let way = max(age, 0) * (frame.speed.speedMetersPerSecond ?? 0)
        speedHorizon.distanceToNextLimitMeters = speedHorizon.distanceToNextLimitMeters.map { max($0 - way, 0) }
        speedHorizon.distanceToCurveMeters = speedHorizon.distanceToCurveMeters.map { max($0 - way, 0) }
        return speedHorizon
    }

    /// The limit here: the route's, else that of the road.
    func limitHere(_ status: GuidanceStatus, at time: MonotonicTime) -> (limit: SpeedLimit, source: SpeedLimitSource) {
        guard status.limit == .unknown, let speedHorizon = speedHorizon(at: time), speedHorizon.limit != .unknown else {
            return (status.limit, status.limitSource)
        }
        // The next limit begins under way: between two updates the road's own change is not missed.
        if speedHorizon.nextLimit != .unknown, speedHorizon.distanceToNextLimitMeters == 0 {
            return (speedHorizon.nextLimit, speedHorizon.nextLimitSource)
        }
        return (speedHorizon.limit, speedHorizon.limitSource)
    }
}

extension Frame.Speed {
    /// Fills in what lies ahead: as the speed horizon has it, else the next limit that the route has.
    mutating func describe(_ speedHorizon: SpeedHorizon?, _ status: GuidanceStatus) {
        let (next, source, distance) =
            speedHorizon.map { ($0.nextLimit, $0.nextLimitSource, $0.distanceToNextLimitMeters) }
            ?? (status.nextLimit, status.limitSource, status.distanceToLimitChangeMeters)
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
    }
}
