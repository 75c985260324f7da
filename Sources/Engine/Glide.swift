import Frames
import PoseMath

/// Blends corrections of a displayed pose: when a fix or an announced reset moves the pose, the shown pose goes on as
/// it moved before, and takes the correction over within half a second.
///
/// A correction is the difference of a frame from the previous one, predicted by velocity and angular rate, when a fix
/// was taken between them or the pose was reset, or when it is larger than a motion can change the rates between two
/// frames: constraints such as standing still correct the pose too. What remains is motion and shown at once. The
/// remaining offset is in the frame (`glideENUMeters`, `glideHeadingRadians`), so that a reader also knows the best
/// pose. Speed, guidance, sigma and velocity are never changed. A pure function of the frames: no clock.
public struct Glide: Sendable {
    /// A correction is taken over in equal steps within this time, seconds.
    public static let blendSeconds = 0.5
    /// A longer correction is not blended, metres: the old position was wrong, and the display would show the vehicle
    /// where there are no roads.
    public static let longestMeters = 100.0
    /// A larger correction is flagged while it is blended, metres and radians: at 60 Hz its steps are larger than 3 cm
    /// or 0.05 degrees.
    public static let (largeMeters, largeRadians) = (0.8, 1.2 * .pi / 180)

    /// The least correction without a fix, metres and radians: a head shaken at 5 Hz by 200 degrees per second differs
    /// by 0.016 degrees from a constant change of its rate over 10 ms.
    private static let (leastMeters, leastRadians) = (0.01, 0.025 * .pi / 180)

    /// A correction on its way.
    private struct Correction {
        var meters: Vector3
        /// Rotation vector in east, north, up.
        var rotation: Vector3
        /// For a pose without attitude: of the course, clockwise.
        var course: Double
        var begin: MonotonicTime
        var isLarge: Bool {
            meters.length > largeMeters || rotation.length > largeRadians || abs(course) > largeRadians
        }

        /// Share that is not taken over yet, 0 to 1.
        func share(at time: MonotonicTime) -> Double {
            min(max(1 - time.seconds(since: begin) / blendSeconds, 0), 1)
        }
    }

    private var corrections: [Correction] = []
    private var last: Frame?

    /// Maximum number of corrections at a time: those of fixes at 25 Hz, constraints at 5 Hz, and some resets.
    private static let mostCorrections = 24

    /// Creates a glide without an offset.
    public init() { corrections.reserveCapacity(Self.mostCorrections) }

    /// The frame for a gliding display. Must be called with every frame in order.
    public mutating func smooth(_ frame: Frame) -> Frame {
        let time = MonotonicTime(nanoseconds: frame.timeNanoseconds)
        corrections.removeAll { $0.share(at: time) == 0 }
        if let last { add(correctionOf: frame, since: last, at: time) }
        last = frame
        guard !corrections.isEmpty else { return frame }
        return moved(frame, at: time)
    }

    /// Whether a fix was taken or the pose was reset between two poses.
    private static func hasNewData(_ pose: Frame.Pose, since last: Frame.Pose) -> Bool {
        if pose.resetCount != last.resetCount { return true }
        guard let age = pose.fixAgeSeconds else { return false }
        return age < last.fixAgeSeconds ?? .infinity
    }

    private mutating func add(correctionOf frame: Frame, since last: Frame, at time: MonotonicTime) {
        guard frame.pose.originEpoch == last.pose.originEpoch, let new = frame.pose.positionENUMeters,
            let old = last.pose.positionENUMeters
        else { return corrections.removeAll(keepingCapacity: true) }
        let span = max(time.seconds(since: MonotonicTime(nanoseconds: last.timeNanoseconds)), 0)
        let isShort = span < Frame.longestPredictionSeconds
        let (before, after) = (last.pose.velocityENUMetersPerSecond, frame.pose.velocityENUMetersPerSecond)
        let way = before.map { Vector3($0) * span } ?? .zero
        let velocityChange = (after.map { Vector3($0) } ?? .zero) - (before.map { Vector3($0) } ?? .zero)
        // The mean of both velocities; over a longer time one of them is from before the correction.
        let turning = isShort ? velocityChange * (span / 2) : .zero
        let correction = Correction(
            meters: Vector3(new) - Vector3(old) - way - turning,
            rotation: Self.rotation(of: frame.pose, since: last.pose, span: span),
            course: Self.courseChange(of: frame.pose, since: last.pose), begin: time)
        // A receiver alone turns the pose by what it foresees, and tells no rates.
        let rates = frame.pose.angularRateBodyRadiansPerSecond ?? last.pose.angularRateBodyRadiansPerSecond
        let hasTurned = rates != nil && correction.rotation.length >= Self.leastRadians
        let isMotion = !isShort || correction.meters.length < Self.leastMeters && !hasTurned
        guard !isMotion || Self.hasNewData(frame.pose, since: last.pose) else { return }
        guard correction.meters.length < Self.longestMeters else {
            return corrections.removeAll(keepingCapacity: true)
        }
        if corrections.count == Self.mostCorrections { corrections.removeFirst() }
        corrections.append(correction)
    }

    /// The rotation from the attitude that the last pose and the rates foretell to that of the pose, east, north, up.
    private static func rotation(of pose: Frame.Pose, since last: Frame.Pose, span: Double) -> Vector3 {
        guard let new = pose.bodyToENU, let old = last.bodyToENU else { return .zero }
        let (before, after) = (last.angularRateBodyRadiansPerSecond, pose.angularRateBodyRadiansPerSecond)
        let first = (before ?? after).map { Vector3($0) } ?? .zero
        let second = (after ?? before).map { Vector3($0) } ?? .zero
        let foretold = Quaternion(old) * Quaternion(rotationVector: (first + second) * (span / 2))
        return (Quaternion(new) * foretold.inverse).rotationVector
    }

    /// Change of the course of a pose without attitude, clockwise, radians.
    private static func courseChange(of pose: Frame.Pose, since last: Frame.Pose) -> Double {
        guard pose.bodyToENU == nil, let new = pose.courseOverGroundRadians, let old = last.courseOverGroundRadians
        else { return 0 }
        return Angle.wrappedToPi(new - old)
    }

    /// The frame moved back by what is not taken over yet.
    private func moved(_ frame: Frame, at time: MonotonicTime) -> Frame {
        var frame = frame
        var (meters, rotation, course) = (Vector3.zero, Vector3.zero, 0.0)
        for correction in corrections {
            let share = correction.share(at: time)
            meters -= correction.meters * share
            rotation -= correction.rotation * share
            course -= correction.course * share
            frame.pose.isBlending = frame.pose.isBlending || correction.isLarge
        }
        frame.pose.move(byENU: meters)
        frame.pose.glideENUMeters = Frame.Triple(meters)
        if frame.pose.bodyToENU != nil {
            let heading = frame.pose.headingTrueRadians ?? frame.pose.headingMagneticRadians
            frame.pose.turn(byENU: rotation)
            let shown = frame.pose.headingTrueRadians ?? frame.pose.headingMagneticRadians
            frame.pose.glideHeadingRadians = Angle.wrappedToPi((shown ?? 0) - (heading ?? 0))
        } else if course != 0 {
            frame.pose.courseOverGroundRadians = frame.pose.courseOverGroundRadians.map {
                Angle.wrappedToTwoPi($0 + course)
            }
            frame.pose.glideHeadingRadians = course
        }
        return frame
    }
}
