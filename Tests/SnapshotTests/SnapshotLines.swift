import Foundation
import Frames
import PoseMath

/// The lines of a snapshot: one for each period of the frames' own time.
///
/// A line shows the first frame of its period, rounded for readers, and four digests over the exact bits of **every**
/// frame since the line before: of pose, sigmas and guidance, and of the whole message that a client gets. A last bit
/// that changed anywhere in what is published changes the last one; the others tell where. What changed visibly changes
/// a column, too.
struct SnapshotLines {
    /// The names of the columns.
    static let header =
        "# t_s state lat_deg lon_deg alt_m speed_m_s roll_deg pitch_deg heading_deg sigma_east_m sigma_north_m "
        + "sigma_up_m sigma_speed_m_s sigma_tilt_deg sigma_heading_deg resets guidance progress_m cross_track_m "
        + "to_turn_m limit_m_s pose_digest sigma_digest guidance_digest message_digest"
    /// The last columns, which hold digests.
    static let digestColumns = 4

    /// The lines so far.
    private(set) var lines: [String] = []
    private let periodNanoseconds: Int64
    private var nextDue: Int64?
    private var (pose, sigmas, guidance, message) = (Digest(), Digest(), Digest(), Digest())
    private let encoded = EncodedFrame()

    /// No lines yet, one for each period of so many whole seconds.
    init(periodSeconds: Int) { periodNanoseconds = Int64(periodSeconds) * 1_000_000_000 }

    /// Takes the next frame.
    mutating func note(_ frame: Frame) {
        add(frame)
        let time = frame.timeNanoseconds
        if let nextDue, time < nextDue { return }
        nextDue = (time / periodNanoseconds + 1) * periodNanoseconds
        lines.append(columns(frame).joined(separator: " "))
        (pose, sigmas, guidance, message) = (Digest(), Digest(), Digest(), Digest())
    }

    private mutating func add(_ frame: Frame) {
        pose.add(bits: UInt64(bitPattern: frame.timeNanoseconds))
        pose.add(frame.pose)
        sigmas.add(frame.pose.positionSigmaENUMeters)
        sigmas.add(frame.pose.velocitySigmaENUMetersPerSecond)
        sigmas.add(frame.pose.tiltSigmaRadians)
        sigmas.add(frame.pose.headingSigmaRadians)
        guidance.add(frame.guidance)
        guidance.add(frame.speed)
        encoded.add(frame, to: &message)
    }

    private func columns(_ frame: Frame) -> [String] {
        let (p, g) = (frame.pose, frame.guidance)
        let (position, velocity) = (p.positionSigmaENUMeters, p.velocityENUMetersPerSecond)
        let sigma = p.velocitySigmaENUMetersPerSecond
        func degrees(_ radians: Double?, _ decimals: Int) -> String { text(radians?.radiansInDegrees, decimals) }
        return [
            text(Double(frame.timeNanoseconds) * 1e-9, 2), "\(p.state)", degrees(p.latitudeRadians, 8),
            degrees(p.longitudeRadians, 8), text(p.altitudeEllipsoidMeters, 3),
            text(velocity.map { ($0.x * $0.x + $0.y * $0.y).squareRoot() }, 3), degrees(p.rollRadians, 3),
            degrees(p.pitchRadians, 3), degrees(p.headingTrueRadians, 3), text(position?.x, 3), text(position?.y, 3),
            text(position?.z, 3), text(sigma.map { (($0.x * $0.x + $0.y * $0.y) / 2).squareRoot() }, 3),
            degrees(p.tiltSigmaRadians, 3), degrees(p.headingSigmaRadians, 3), "\(p.resetCount)", "\(g.state)",
            text(g.progressMeters, 2), text(g.crossTrackMeters, 2), text(g.distanceToTurnMeters, 1),
            text(frame.speed.limitMetersPerSecond, 2), pose.text, sigmas.text, guidance.text, message.text,
        ]
    }

    private func text(_ value: Double?, _ decimals: Int) -> String {
        value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
    }
}

/// The binary message of a frame. A class, as the encoder cannot be copied with the lines.
private final class EncodedFrame {
    private var encoder = BinaryFrameEncoder()

    func add(_ frame: Frame, to digest: inout Digest) {
        encoder.encode(frame)
        encoder.withPacket(topics: .inFrames, sequence: 0, dropped: 0) { digest.add(bytes: $0) }
    }
}

extension Digest {
    fileprivate mutating func add(_ triple: Frame.Triple?) {
        add(triple?.x)
        add(triple?.y)
        add(triple?.z)
    }

    /// Position, velocity, attitude and motion of the body, and the announced jumps.
    fileprivate mutating func add(_ pose: Frame.Pose) {
        add(bits: UInt64(pose.state.rawValue))
        add(pose.latitudeRadians)
        add(pose.longitudeRadians)
        add(pose.altitudeEllipsoidMeters)
        add(pose.altitudeMeanSeaMeters)
        add(pose.positionENUMeters)
        add(pose.velocityENUMetersPerSecond)
        add(pose.bodyToENU?.w)
        add(pose.bodyToENU?.x)
        add(pose.bodyToENU?.y)
        add(pose.bodyToENU?.z)
        add(pose.headingTrueRadians)
        add(pose.headingMagneticRadians)
        add(pose.courseOverGroundRadians)
        add(pose.angularRateBodyRadiansPerSecond)
        add(pose.linearAccelerationBodyMetersPerSecondSquared)
        add(pose.accelerationENUMetersPerSecondSquared)
        add(pose.turnRateRadiansPerSecond)
        add(pose.slipMetersPerSecondSquared)
        add(bits: pose.isStandingStill ? 1 : 0)
        add(pose.fixAgeSeconds)
        add(bits: UInt64(pose.resetCount))
        add(pose.resetDeltaENUMeters)
        add(pose.resetDeltaHeadingRadians)
    }

    /// Place on the route, and what comes next.
    fileprivate mutating func add(_ guidance: Frame.Guidance) {
        add(bits: UInt64(guidance.state.rawValue))
        add(guidance.progressMeters)
        add(guidance.crossTrackMeters)
        add(guidance.segmentBearingRadians)
        add(bits: guidance.nextManeuver.map { UInt64($0) } ?? .max)
        add(guidance.distanceToTurnMeters)
        add(guidance.straightDistanceToTurnMeters)
        add(guidance.turnAngleRadians)
        add(guidance.distanceLeftMeters)
        add(guidance.timeLeftSeconds)
        add(bits: UInt64(guidance.jumpCount))
        add(guidance.jumpDeltaMeters)
    }

    /// Speed and limits.
    fileprivate mutating func add(_ speed: Frame.Speed) {
        add(speed.speedMetersPerSecond)
        add(speed.limitMetersPerSecond)
        add(bits: UInt64(speed.limitSource.rawValue))
        add(bits: UInt64(speed.colour.rawValue))
        add(speed.nextLimitMetersPerSecond)
        add(speed.distanceToNextLimitMeters)
    }
}
