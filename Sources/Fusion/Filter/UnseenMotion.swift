import Geodesy
import Measurements
import PoseMath

/// What gaps in the samples have hidden of a vehicle's motion. The random walks of ``GapBridge`` are those of most
/// gaps; in a rare one it has stopped, or gone around a corner.
///
/// Starts with a gap. Counts once the receiver's velocities contradict what was assumed. Ends with the first velocity
/// that agrees, or once it has counted.
struct UnseenMotion: Sendable {
    /// The end of the last gap.
    var end: MonotonicTime
    /// Time of the gaps, seconds.
    var seconds = 0.0
    /// The sharpest turn of that time, radians.
    var turn = 0.0
    /// Whether the last velocity contradicted what was assumed.
    var isDoubted = false

    /// The part that a velocity of an instant has not seen; `nil` where it has seen all.
    func after(_ time: MonotonicTime) -> UnseenMotion? {
        let left = min(end.seconds(since: time), seconds)
        guard left > 0 else { return nil }
        return UnseenMotion(end: end, seconds: left, turn: turn * left / seconds)
    }
}

extension NavigationFilter {
    /// Adds a step inside a gap to what was not seen.
    ///
    /// - Parameters:
    ///   - turn: the largest one, radians.
    ///   - seconds: its length.
    mutating func noteUnseenMotion(turn: Double, seconds: Double) {
        let end = state.time.advanced(bySeconds: seconds)
        var unseen = unseenMotion ?? UnseenMotion(end: end)
        unseen.end = end
        unseen.seconds += seconds
        unseen.turn += turn
        unseenMotion = unseen
    }

    /// Compares a velocity of the receiver with what was assumed in the gaps before it. Two in a row that contradict it
    /// open the covariance for all that they may have hidden: one alone may be false itself.
    /// docs/math.md, eq. 4.20.
    ///
    /// - Parameters:
    ///   - isBeyondGate: whether it contradicts the predicted velocity.
    ///   - time: when the receiver has seen it.
    mutating func checkUnseenMotion(_ isBeyondGate: Bool, seenAt time: MonotonicTime) {
        guard let unseen = unseenMotion else { return }
        let left = unseen.after(time)
        guard left.map({ $0.seconds < unseen.seconds }) ?? true else { return }
        guard !isBeyondGate || unseen.isDoubted else {
            unseenMotion?.isDoubted = true
            return
        }
        unseenMotion = left
        guard isBeyondGate else { return }
        let seconds = unseen.seconds - (left?.seconds ?? 0)
        // Uniform up to the largest. Beyond a radian no linear update holds.
        let turn = min(unseen.turn - (left?.turn ?? 0), 1) / 3.0.squareRoot()
        let speed = Tuning.PositionFilter.largestAcceleration * seconds / 3.0.squareRoot()
        // It has gone wrong since the middle of the gap.
        let since = max(state.time.seconds(since: min(unseen.end, time)), 0) + 0.5 * seconds
        let velocity = state.velocityENU
        let across = Vector3(-velocity.y, velocity.x, 0)
        var turned = ObservationRow()
        turned.add(.attitude.z, 1)
        turned.add(.velocity, across)
        turned.add(.position, across * since)
        covariance.addNoise(turn * turn, along: turned)
        let forward = state.vehicleToENU.rotate(.unitX)
        var braked = ObservationRow()
        braked.add(.velocity, forward)
        braked.add(.position, forward * since)
        covariance.addNoise(speed * speed, along: braked)
    }
}
