import Fusion
import PoseMath

/// When the mount is written: it is well known, it is another one than on the disk or known much better, and the last
/// writing is a while ago.
struct MountSaving: Sendable {
    /// Between two writings, seconds.
    private static let pauseSeconds = 60.0
    /// Turn from which it is another one, radians: a quarter of a degree.
    private static let newTurn = 0.004_4
    /// Share of the sigma on the disk below which it is known much better.
    private static let betterShare = 0.7
    /// A turn over the sigmas from which what is on the disk is wrong, not just worse known.
    private static let gate = 3.0

    /// What is on the disk, as far as it is known to be good.
    private(set) var onDisk: MountEstimate?
    private var lastTime: MonotonicTime?

    /// What was read is on the disk, or what was written.
    mutating func note(onDisk mount: MountEstimate) { onDisk = mount }

    /// Whether a mount is worth writing now; an answer of yes counts as a writing.
    ///
    /// - Parameters:
    ///   - isLast: the daemon ends: the pause does not count.
    mutating func wantsWriting(
        _ mount: MountEstimate?, state isAligned: Bool, at now: MonotonicTime, isLast: Bool = false
    ) -> Bool {
        guard let mount, mount.origin == .found, mount.isWellKnown, mount.isValid, isAligned else { return false }
        guard isLast || (lastTime.map { now.seconds(since: $0) >= Self.pauseSeconds } ?? true), isNews(mount) else {
            return false
        }
        lastTime = now
        return true
    }

    private func isNews(_ mount: MountEstimate) -> Bool {
        guard let onDisk else { return true }
        let turn = (mount.sensorToBody * onDisk.sensorToBody.inverse).rotationVector.length
        let (new, old) = (mount.sigmaBodyRadians, onDisk.sigmaBodyRadians)
        if turn > Self.gate * (new.lengthSquared + old.lengthSquared).squareRoot() { return true }
        // The same mount as far as can be told: a worse known one does not displace a better known one.
        return new.length < Self.betterShare * old.length || (turn > Self.newTurn && new.length <= old.length)
    }
}
