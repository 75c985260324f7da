import Frames
import Fusion
import Geodesy
import PoseMath

/// Decides when the pose at rest is saved, and when the saved one is removed: when the vehicle has stood for some time,
/// and when it leaves, so that a daemon that is killed on the way does not start there.
struct RestSaving: Sendable {
    /// What is to be done.
    enum Action: Equatable {
        case save(RestingPose)
        case remove
    }

    /// Duration of a rest that is saved, and shortest time between two saves, seconds.
    private static let (restSeconds, intervalSeconds) = (5.0, 30.0)
    /// Distance and turn from which a rest is another one, metres and radians.
    private static let (otherMeters, otherRadians) = (3.0, 0.03)
    /// Distance from which the vehicle has left, metres: beyond the wander of a consumer receiver.
    private static let leftMeters = 30.0

    private let keepsStops: Bool
    private var saved: RestingPose?
    private var restsSince: MonotonicTime?
    private var lastTime: MonotonicTime?
    private var lastRemoval: MonotonicTime?

    /// Saves no stop without `keepsStops`; one that is left is removed all the same.
    init(keepsStops: Bool = true) { self.keepsStops = keepsStops }

    /// Records the pose that was read from the file or written to it; `nil`: there is none.
    mutating func recordSaved(_ pose: RestingPose?) { (saved, lastRemoval) = (pose, nil) }

    /// What to do about the latest frame.
    ///
    /// - Parameters:
    ///   - isLast: whether the daemon stops, so that the times do not apply.
    mutating func action(for frame: Frame, at now: MonotonicTime, isLast: Bool = false) -> Action? {
        if let saved, let place = frame.pose.place, !frame.pose.isStandingStill, frame.pose.state == .aligned,
            saved.position.surfaceDistance(to: place) > Self.leftMeters
        {
            guard lastRemoval.map({ now.seconds(since: $0) >= Self.intervalSeconds }) ?? true else { return nil }
            lastRemoval = now
            return .remove
        }
        guard keepsStops, let rest = RestingPose(atRest: frame) else {
            restsSince = nil
            return nil
        }
        let since = restsSince ?? now
        restsSince = since
        let isDue =
            now.seconds(since: since) >= Self.restSeconds
            && (lastTime.map { now.seconds(since: $0) >= Self.intervalSeconds } ?? true)
        guard isLast || isDue, isOther(rest) else { return nil }
        lastTime = now
        return .save(rest)
    }

    private func isOther(_ rest: RestingPose) -> Bool {
        guard let saved else { return true }
        return saved.position.surfaceDistance(to: rest.position) > Self.otherMeters
            || abs(Angle.wrappedToPi(saved.headingTrueRadians - rest.headingTrueRadians)) > Self.otherRadians
    }
}

extension RestingPose {
    /// The pose of a frame at rest; `nil` if it moves, is not aligned, or knows no heading.
    init?(atRest frame: Frame) {
        let pose = frame.pose
        guard pose.isStandingStill, pose.state == .aligned, let place = pose.place,
            let sigma = pose.positionSigmaENUMeters, let heading = pose.headingTrueRadians,
            let headingSigma = pose.headingSigmaRadians, let down = pose.gravityDirectionBody
        else { return nil }
        self.init(
            position: place, horizontalSigmaMeters: max(sigma.x, sigma.y, 0.01),
            verticalSigmaMeters: max(sigma.z, 0.01),
            // A trim turns what is shown, not the vehicle.
            headingTrueRadians: Angle.wrappedToTwoPi(heading - pose.headingTrimRadians),
            headingSigmaRadians: max(headingSigma, 1e-4), downBody: Vector3(down.x, down.y, down.z))
        guard isValid else { return nil }
    }
}

extension Frame.Pose {
    /// The position; `nil` while it or its height is unknown.
    fileprivate var place: GeodeticPosition? {
        guard let latitude = latitudeRadians, let longitude = longitudeRadians, let height = altitudeEllipsoidMeters
        else { return nil }
        return GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: height)
    }
}

extension GeodeticPosition {
    fileprivate func surfaceDistance(to other: GeodeticPosition) -> Double {
        let offset = surfaceOffsetMeters(to: other)
        return Vector3(offset.east, offset.north, 0).length
    }
}
