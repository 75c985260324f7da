import Glibc
import Measurements
import PoseMath

/// The receiver's height. Fixes whose heights are refused while their places are taken would leave a wrong height as it
/// is: nothing else tells it.
extension NavigationFilter {
    /// Heights that are refused one after the other.
    struct RefusedHeights: Sendable {
        /// When the first and the newest of them held.
        let since: MonotonicTime
        private(set) var newest: MonotonicTime
        /// For how long they have been refused, seconds. A gap counts little: no fix tells of it.
        private(set) var seconds = 0.0

        /// The first one.
        init(since: MonotonicTime) { (self.since, newest) = (since, since) }

        /// Takes a height.
        /// docs/math.md, eq. 6.10.
        mutating func add(at time: MonotonicTime) {
            seconds += min(max(time.seconds(since: newest), 0), Tuning.Reset.receiverJumpSeconds / 3)
            newest = time
        }
    }

    /// Fuses the height of a fix whose place was taken, which has changed the filter's height as well.
    /// docs/math.md, eq. 5.1.
    ///
    /// - Returns: whether there was one that was fused.
    mutating func fuseHeight(of fix: GnssFix, _ accuracy: GnssAccuracy, forceHistory: VectorHistory) -> Bool {
        guard let altitude = fix.altitudeEllipsoidMeters else { return false }
        let offset = Vector3(0, 0, altitude - state.position.altitudeEllipsoidMeters)
        let since = motion(overLag: heightLagSeconds - fixAge, forceHistory: forceHistory)
        let white = hypot(hypot(accuracy.verticalWhite, heightLagSigma), heldCourse.strayedMeters)
        let height = positionComponent(2, offset: offset, since: since, sigma: white, tellsLag: false)
        return fuseHeight(height, at: fix.validityTime)
    }

    /// Fuses the height of a fix whose place was taken. Where heights have been refused for seconds, the filter's own
    /// is wrong: the height moves to that of the fix, and the move is announced.
    /// docs/math.md, eq. 6.10.
    ///
    /// - Returns: whether it was fused.
    @discardableResult
    mutating func fuseHeight(_ height: Component, at time: MonotonicTime) -> Bool {
        guard !fuse(.gnssHeight, height, gate: Tuning.GNSS.positionGate) else {
            refusedHeights = nil
            return true
        }
        var refused = refusedHeights ?? RefusedHeights(since: time)
        refused.add(at: time)
        refusedHeights = refused
        guard refused.seconds >= Tuning.Reset.receiverJumpSeconds else { return false }
        let before = state.position
        addVariance(height.innovation * height.innovation, to: .position.z)
        stopBarometer()
        guard fuse(.gnssHeight, height, gate: Tuning.GNSS.positionGate) else { return false }
        refusedHeights = nil
        announceJump(from: before)
        return true
    }

    /// Lag of the heights, seconds. They are as late as the places where the clocks differ. A receiver that filters
    /// filters them by themselves: they may be not late at all.
    /// docs/math.md, eq. 5.1.
    var heightLagSeconds: Double { Tuning.GNSS.heightLagShare * state.positionLagSeconds }

    /// 1-sigma of the height from not knowing that lag, metres.
    /// docs/math.md, eq. 5.1.
    var heightLagSigma: Double {
        Tuning.GNSS.heightLagSigmaShare * abs(state.positionLagSeconds * state.velocityENU.z)
    }

    /// Part of the sigma of the height from heights that are refused, metres. Where none comes any more, it does not
    /// grow.
    /// docs/math.md, eq. 12.12.
    var refusedHeightSigma: Double {
        guard let refused = refusedHeights else { return 0 }
        let grown = Tuning.PositionSigma.vetoGrowth * max(refused.newest.seconds(since: refused.since), 0)
        let away = aids[Int(AidSource.gnssHeight.rawValue)].innovation.magnitude
        return grown + Tuning.PositionSigma.contradictedShare * away
    }
}
