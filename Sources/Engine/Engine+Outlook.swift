import Frames
import Guidance
import PoseMath

extension Engine {
    /// An outlook older than this is none, seconds: it comes a few times a second while there is one.
    static let oldestOutlookSeconds = 3.0

    /// Takes what the way ahead asks of the speed. It was found for a pose a moment ago; distances are carried on with
    /// the vehicle.
    public mutating func take(_ outlook: SpeedOutlook) { latestOutlook = outlook }

    /// The outlook at an instant, its distances less by the way made since; `nil` where there is none, or it is too
    /// old.
    public func outlook(at time: MonotonicTime) -> SpeedOutlook? {
        guard var outlook = latestOutlook else { return nil }
        let age = time.seconds(since: outlook.time)
        guard abs(age) <= Self.oldestOutlookSeconds else { return nil }
        let way = max(age, 0) * (frame.speed.speedMetersPerSecond ?? 0)
        outlook.distanceToNextLimitMeters = outlook.distanceToNextLimitMeters.map { max($0 - way, 0) }
        outlook.distanceToCurveMeters = outlook.distanceToCurveMeters.map { max($0 - way, 0) }
        return outlook
    }

    /// The limit here: the route's, else that of the road.
    func limitHere(_ status: GuidanceStatus, at time: MonotonicTime) -> (limit: SpeedLimit, source: SpeedLimitSource) {
        guard status.limit == .unknown, let outlook = outlook(at: time), outlook.limit != .unknown else {
            return (status.limit, status.limitSource)
        }
        // The next limit begins under way: between two outlooks the road's own change is not missed.
        if outlook.nextLimit != .unknown, outlook.distanceToNextLimitMeters == 0 {
            return (outlook.nextLimit, outlook.nextLimitSource)
        }
        return (outlook.limit, outlook.limitSource)
    }
}

extension Frame.Speed {
    /// Fills in what lies ahead: as the outlook has it, else the next limit that the route has.
    mutating func describe(_ outlook: SpeedOutlook?, _ status: GuidanceStatus) {
        let (next, source, distance) =
            outlook.map { ($0.nextLimit, $0.nextLimitSource, $0.distanceToNextLimitMeters) }
            ?? (status.nextLimit, status.limitSource, status.distanceToLimitChangeMeters)
        if case .metersPerSecond(let value) = next {
            nextLimitMetersPerSecond = value
        } else {
            nextLimitMetersPerSecond = nil
        }
        distanceToNextLimitMeters = next == .unknown ? nil : distance
        nextLimitSource = next == .unknown ? .none : Frame.LimitSource(source)
        curveSpeedMetersPerSecond = outlook?.curveSpeedMetersPerSecond
        distanceToCurveMeters = outlook?.distanceToCurveMeters
        hasCondition = outlook?.hasCondition ?? false
    }
}
