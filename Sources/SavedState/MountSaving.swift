import Fusion
import PoseMath

/// Decides when the mount is saved: it is well known, it or the antenna differs from the saved one or is known much
/// better, and the last save was long enough ago.
struct MountSaving: Sendable {
    /// Shortest time between two saves, seconds.
    private static let intervalSeconds = 60.0
    /// Rotation from which the mount counts as different, radians: a quarter of a degree.
    private static let differentAngle = 0.004_4
    /// Ratio to the saved sigma below which the mount counts as known much better.
    private static let betterRatio = 0.7
    /// Ratio of the rotation to the sigmas from which the saved mount counts as wrong.
    private static let gate = 3.0

    /// The mount in the file, if it is valid.
    private(set) var saved: MountEstimate?
    private var lastTime: MonotonicTime?

    /// Records the mount that was read from the file or written to it.
    mutating func recordSaved(_ mount: MountEstimate) { saved = mount }

    /// Whether to save the mount now; `true` counts as a save.
    ///
    /// - Parameters:
    /// - isLast: whether the daemon stops, so that the interval does not apply.
    mutating func shouldSave(
        _ mount: MountEstimate?, state isAligned: Bool, at now: MonotonicTime, isLast: Bool = false
    ) -> Bool {
        guard let mount, mount.origin == .found, mount.isWellKnown, mount.isValid, isAligned else { return false }
        guard isLast || (lastTime.map { now.seconds(since: $0) >= Self.intervalSeconds } ?? true),
            isBetter(mount) || Self.isBetter(mount.antenna, than: saved?.antenna)
        else {
            return false
        }
        lastTime = now
        return true
    }

    /// What to write of a mount that is to be saved: where only its antenna is known better, the saved rotation stays.
    func content(of mount: MountEstimate) -> MountEstimate {
        guard var kept = saved, !isBetter(mount) else { return mount }
        kept.antenna = mount.antenna
        return kept
    }

    /// Whether the place of an antenna, which is found later than the mount, replaces the saved one.
    private static func isBetter(_ antenna: AntennaArm?, than saved: AntennaArm?) -> Bool {
        guard let antenna, antenna.isWellKnown else { return false }
        guard let saved, saved.isWellKnown else { return true }
        func length(_ vector: SIMD2<Double>) -> Double { (vector * vector).sum().squareRoot() }
        let (new, old) = (length(antenna.sigmaMeters), length(saved.sigmaMeters))
        let distance = length(antenna.meters - saved.meters)
        return distance > gate * (new * new + old * old).squareRoot() || new < betterRatio * old
    }

    /// Whether the rotation replaces the saved one.
    private func isBetter(_ mount: MountEstimate) -> Bool {
        guard let saved else { return true }
        let angle = (mount.sensorToBody * saved.sensorToBody.inverse).rotationVector.length
        let (new, old) = (mount.sigmaBodyRadians, saved.sigmaBodyRadians)
        if angle > Self.gate * (new.lengthSquared + old.lengthSquared).squareRoot() { return true }
        // The rotations agree within their sigmas: a mount with a larger sigma does not replace one with a smaller
        // sigma.
        return new.length < Self.betterRatio * old.length || (angle > Self.differentAngle && new.length <= old.length)
    }
}
