import Glibc

/// Lets a displayed pose glide over announced jumps: right after one the pose is moved back by it, and the rest of the
/// move dies away.
///
/// A pure function of the frames it is shown: no clock. What is left of the move is in the frame (`glideENUMeters`), so
/// that whoever reads it knows the best pose as well. Speed, guidance, sigma and velocity are never touched.
public struct Glide: Sendable {
    /// The rest shrinks to a third in this time, seconds: a jump of 10 m is below 0.5 m after one second.
    public static let timeConstantSeconds = 0.33
    /// A longer jump is not glided over, metres: the place was wrong altogether, and a glide would show roads where
    /// there are none.
    public static let longestMeters = 100.0

    private var rest = Frame.Triple(0, 0, 0)
    private var restHeading = 0.0
    private var last: (time: Int64, count: UInt32, epoch: UInt32)?

    /// Nothing to glide over yet.
    public init() {}

    /// The frame as a gliding display shows it. To be called with every frame in turn.
    public mutating func smooth(_ frame: Frame) -> Frame {
        if let last {
            let span = max(0, Double(frame.timeNanoseconds &- last.time) * 1e-9)
            let left = exp(-span / Self.timeConstantSeconds)
            rest = .init(rest.x * left, rest.y * left, rest.z * left)
            restHeading *= left
            if frame.pose.resetCount != last.count {
                take(frame.pose, isNext: frame.pose.resetCount == last.count &+ 1)
            }
            // Below a millimetre and a thousandth of a degree nothing is left to see.
            if abs(rest.x) + abs(rest.y) + abs(rest.z) < 1e-3 { rest = .init(0, 0, 0) }
            if abs(restHeading) < 1.7e-5 { restHeading = 0 }
        }
        last = (frame.timeNanoseconds, frame.pose.resetCount, frame.pose.originEpoch)
        guard rest != .init(0, 0, 0) || restHeading != 0 else { return frame }
        return moved(frame)
    }

    /// Notes a jump. Of several at once only the last is known: those are shown as they are.
    private mutating func take(_ pose: Frame.Pose, isNext: Bool) {
        let delta = pose.resetDeltaENUMeters
        let length = (delta.x * delta.x + delta.y * delta.y + delta.z * delta.z).squareRoot()
        guard isNext, length < Self.longestMeters, abs(pose.resetDeltaHeadingRadians) < .pi else {
            rest = .init(0, 0, 0)
            restHeading = 0
            return
        }
        rest = .init(rest.x - delta.x, rest.y - delta.y, rest.z - delta.z)
        restHeading -= pose.resetDeltaHeadingRadians
    }

    private func moved(_ frame: Frame) -> Frame {
        var frame = frame
        frame.pose.glideENUMeters = rest
        frame.pose.glideHeadingRadians = restHeading
        if let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians {
            // At most 100 m: the mean radius of the Earth is good to half a per cent of that.
            frame.pose.latitudeRadians = latitude + rest.y / Self.earthRadiusMeters
            if cos(latitude) > 1e-6 {
                frame.pose.longitudeRadians = longitude + rest.x / (Self.earthRadiusMeters * cos(latitude))
            }
        }
        frame.pose.positionENUMeters = frame.pose.positionENUMeters.map {
            .init($0.x + rest.x, $0.y + rest.y, $0.z + rest.z)
        }
        frame.pose.altitudeEllipsoidMeters = frame.pose.altitudeEllipsoidMeters.map { $0 + rest.z }
        frame.pose.altitudeMeanSeaMeters = frame.pose.altitudeMeanSeaMeters.map { $0 + rest.z }
        guard restHeading != 0 else { return frame }
        frame.pose.headingTrueRadians = frame.pose.headingTrueRadians.map { Self.turned($0, restHeading) }
        frame.pose.headingMagneticRadians = frame.pose.headingMagneticRadians.map { Self.turned($0, restHeading) }
        frame.pose.bodyToENU = frame.pose.bodyToENU.map { q in
            // A turn about up, counter-clockwise positive, applied in the world: (cos, 0, 0, sin) times q.
            let (c, s) = (cos(-restHeading / 2), sin(-restHeading / 2))
            return .init(c * q.w - s * q.z, c * q.x - s * q.y, c * q.y + s * q.x, c * q.z + s * q.w)
        }
        return frame
    }

    private static let earthRadiusMeters = 6_371_009.0

    private static func turned(_ bearing: Double, _ angle: Double) -> Double {
        let turned = (bearing + angle).truncatingRemainder(dividingBy: 2 * .pi)
        return turned < 0 ? turned + 2 * .pi : turned
    }
}
