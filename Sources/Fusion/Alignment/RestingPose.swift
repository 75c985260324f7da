import Geodesy
import PoseMath

/// Where a vehicle stood still at last, and how: what a start without satellites knows. Saved when it stops, removed
/// when it leaves.
public struct RestingPose: Sendable, Equatable {
    /// Position of the IMU; the height above the ellipsoid.
    public var position: GeodeticPosition
    /// 1-sigma of the position, horizontal for each axis, and vertical, metres.
    public var horizontalSigmaMeters: Double
    /// 1-sigma of the height, metres.
    public var verticalSigmaMeters: Double
    /// True heading, clockwise from north, radians.
    public var headingTrueRadians: Double
    /// 1-sigma of the heading, radians.
    public var headingSigmaRadians: Double
    /// Direction of gravity in body axes (forward, left, up), unit vector: the lean of the vehicle on that ground.
    public var downBody: Vector3

    /// The pose of a vehicle at rest.
    public init(
        position: GeodeticPosition, horizontalSigmaMeters: Double, verticalSigmaMeters: Double,
        headingTrueRadians: Double, headingSigmaRadians: Double, downBody: Vector3
    ) {
        self.position = position
        self.horizontalSigmaMeters = horizontalSigmaMeters
        self.verticalSigmaMeters = verticalSigmaMeters
        self.headingTrueRadians = headingTrueRadians
        self.headingSigmaRadians = headingSigmaRadians
        self.downBody = downBody
    }

    /// The same pose on the next start, with larger sigmas: nobody knows what happened to the vehicle meanwhile.
    public var onTheNextStart: RestingPose {
        func grown(_ sigma: Double, _ by: Double) -> Double { (sigma * sigma + by * by).squareRoot() }
        var next = self
        next.horizontalSigmaMeters = grown(horizontalSigmaMeters, Tuning.WarmStart.betweenStartsPosition)
        next.verticalSigmaMeters = grown(verticalSigmaMeters, Tuning.WarmStart.betweenStartsPosition)
        next.headingSigmaRadians = grown(headingSigmaRadians, Tuning.WarmStart.betweenStartsHeading)
        return next
    }

    /// 1-sigma of the horizontal position as it was known at the stop, where this is ``onTheNextStart``, metres.
    var sigmaBeforeStart: Double {
        let grown = Tuning.WarmStart.betweenStartsPosition
        return max(horizontalSigmaMeters * horizontalSigmaMeters - grown * grown, 0).squareRoot()
    }

    /// Whether it is finite and a place on Earth, with valid sigmas and a unit vector.
    public var isValid: Bool {
        let numbers = [
            position.latitudeRadians, position.longitudeRadians, position.altitudeEllipsoidMeters,
            horizontalSigmaMeters, verticalSigmaMeters, headingTrueRadians, headingSigmaRadians, downBody.x, downBody.y,
            downBody.z,
        ]
        return numbers.allSatisfy(\.isFinite) && abs(position.latitudeRadians) <= .pi / 2
            && abs(position.longitudeRadians) <= .pi && abs(position.altitudeEllipsoidMeters) < 20_000
            && horizontalSigmaMeters > 0 && horizontalSigmaMeters < 1000 && verticalSigmaMeters > 0
            && verticalSigmaMeters < 1000 && headingSigmaRadians > 0 && headingSigmaRadians < .pi
            && headingTrueRadians >= 0 && headingTrueRadians <= 2 * .pi && abs(downBody.length - 1) < 1e-3
    }
}
