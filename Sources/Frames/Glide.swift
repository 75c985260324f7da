import Glibc

/// Smooths announced jumps of a displayed pose: right after a jump the pose is moved back by the jump, and this offset
/// then decays.
///
/// A pure function of the frames: no clock. The remaining offset is in the frame (`glideENUMeters`), so that a reader
/// also knows the best pose. Speed, guidance, sigma and velocity are never changed.
public struct Glide: Sendable {
    /// The offset decays to 1/e in this time, seconds: a jump of 10 m is below 0.5 m after one second.
    public static let timeConstantSeconds = 0.33
    /// A longer jump is not smoothed, metres: the old position was wrong, and a glide would show the vehicle where
    /// there are no roads.
    public static let longestMeters = 100.0

    private var offset = Frame.Triple(0, 0, 0)
    private var headingOffset = 0.0
    private var last: (time: Int64, count: UInt32, epoch: UInt32)?

    /// Creates a glide without an offset.
    public init() {}

    /// The frame for a gliding display. Must be called with every frame in order.
    public mutating func smooth(_ frame: Frame) -> Frame {
        if let last {
            let span = max(0, Double(frame.timeNanoseconds &- last.time) * 1e-9)
            let decay = exp(-span / Self.timeConstantSeconds)
            offset = .init(offset.x * decay, offset.y * decay, offset.z * decay)
            headingOffset *= decay
            if frame.pose.resetCount != last.count {
                addJump(of: frame.pose, isNext: frame.pose.resetCount == last.count &+ 1)
            }
            // Offsets below one millimetre and one thousandth of a degree are not visible.
            if abs(offset.x) + abs(offset.y) + abs(offset.z) < 1e-3 { offset = .init(0, 0, 0) }
            if abs(headingOffset) < 1.7e-5 { headingOffset = 0 }
        }
        last = (frame.timeNanoseconds, frame.pose.resetCount, frame.pose.originEpoch)
        guard offset != .init(0, 0, 0) || headingOffset != 0 else { return frame }
        return moved(frame)
    }

    /// Adds a jump to the offset. If several jumps occurred since the last frame, only the last is known; they are not
    /// smoothed.
    private mutating func addJump(of pose: Frame.Pose, isNext: Bool) {
        let delta = pose.resetDeltaENUMeters
        let length = (delta.x * delta.x + delta.y * delta.y + delta.z * delta.z).squareRoot()
        guard isNext, length < Self.longestMeters, abs(pose.resetDeltaHeadingRadians) < .pi else {
            offset = .init(0, 0, 0)
            headingOffset = 0
            return
        }
        offset = .init(offset.x - delta.x, offset.y - delta.y, offset.z - delta.z)
        headingOffset -= pose.resetDeltaHeadingRadians
    }

    private func moved(_ frame: Frame) -> Frame {
        var frame = frame
        frame.pose.glideENUMeters = offset
        frame.pose.glideHeadingRadians = headingOffset
        if let latitude = frame.pose.latitudeRadians, let longitude = frame.pose.longitudeRadians {
            // The offset is at most 100 m: the mean radius of the Earth gives it with an error below 0.5 %.
            frame.pose.latitudeRadians = latitude + offset.y / Self.earthRadiusMeters
            if cos(latitude) > 1e-6 {
                frame.pose.longitudeRadians = longitude + offset.x / (Self.earthRadiusMeters * cos(latitude))
            }
        }
        frame.pose.positionENUMeters = frame.pose.positionENUMeters.map {
            .init($0.x + offset.x, $0.y + offset.y, $0.z + offset.z)
        }
        frame.pose.altitudeEllipsoidMeters = frame.pose.altitudeEllipsoidMeters.map { $0 + offset.z }
        frame.pose.altitudeMeanSeaMeters = frame.pose.altitudeMeanSeaMeters.map { $0 + offset.z }
        guard headingOffset != 0 else { return frame }
        frame.pose.headingTrueRadians = frame.pose.headingTrueRadians.map { Self.turned($0, headingOffset) }
        frame.pose.headingMagneticRadians = frame.pose.headingMagneticRadians.map { Self.turned($0, headingOffset) }
        frame.pose.bodyToENU = frame.pose.bodyToENU.map { q in
            // A rotation about the up axis, counter-clockwise positive, applied in the world frame: (cos, 0, 0, sin)
            // times q.
            let (c, s) = (cos(-headingOffset / 2), sin(-headingOffset / 2))
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
