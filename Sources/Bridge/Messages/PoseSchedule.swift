import Configuration
import Frames
import Glibc
import PoseMath

/// Decides which frames are sent: at a regular rate, and at once after a movement, a turn or a change of state.
package struct PoseSchedule: Sendable {
    private let intervalNanoseconds: Int64?
    private let changeMeters: Double?
    private let changeRadians: Double?
    private var dueNanoseconds: Int64 = 0
    /// How much earlier than its time a frame may come.
    private static let jitterNanoseconds: Int64 = 20_000_000
    private var sent: Frame.Pose?

    /// Creates the schedule of the settings.
    package init(_ settings: BridgeSettings) {
        intervalNanoseconds = settings.rateHertz > 0 ? Int64(1e9 / max(settings.rateHertz, 1e-4)) : nil
        changeMeters = settings.changeMeters
        changeRadians = settings.changeDegrees.map { $0 * .pi / 180 }
    }

    /// The rate at which frames are needed from the daemon, per 1000 s: 10 Hz where changes are looked for.
    package static func frameRate(_ settings: BridgeSettings) -> UInt32 {
        let watches = settings.changeMeters != nil || settings.changeDegrees != nil
        return UInt32((watches ? 10 : min(max(settings.rateHertz, 1), 10)) * 1000)
    }

    /// Whether to send the pose of a frame received at that time; notes it as sent.
    package mutating func isDue(_ pose: Frame.Pose, nowNanoseconds: Int64) -> Bool {
        // A little earlier: the daemon's frames come at the same rate, with some jitter.
        let isRegular =
            intervalNanoseconds.map { nowNanoseconds >= dueNanoseconds &- min($0 / 20, Self.jitterNanoseconds) }
            ?? false
        guard isRegular || hasChanged(pose) else { return false }
        sent = pose
        if let intervalNanoseconds {
            // The rhythm is kept where a frame was a little late.
            let next = dueNanoseconds &+ intervalNanoseconds
            dueNanoseconds = isRegular && next > nowNanoseconds ? next : nowNanoseconds &+ intervalNanoseconds
        }
        return true
    }

    private func hasChanged(_ pose: Frame.Pose) -> Bool {
        guard intervalNanoseconds != nil || changeMeters != nil || changeRadians != nil else { return false }
        guard let sent else { return true }
        guard sent.state == pose.state else { return true }
        if let changeMeters, let moved = Self.distance(sent, pose), !(moved < changeMeters) { return true }
        guard let changeRadians, let old = Self.direction(sent), let new = Self.direction(pose) else { return false }
        let turned = abs(remainder(new - old, 2 * .pi))
        return !(turned < changeRadians)
    }

    /// The distance of two places, metres, on a sphere: it decides only when to send.
    private static func distance(_ a: Frame.Pose, _ b: Frame.Pose) -> Double? {
        guard let latitude = a.latitudeRadians, let longitude = a.longitudeRadians, let newLatitude = b.latitudeRadians,
            let newLongitude = b.longitudeRadians
        else { return nil }
        let east = remainder(newLongitude - longitude, 2 * .pi) * cos(latitude)
        return hypot(east, newLatitude - latitude) * 6_371_000
    }

    private static func direction(_ pose: Frame.Pose) -> Double? {
        pose.headingTrueRadians ?? pose.courseOverGroundRadians
    }
}
