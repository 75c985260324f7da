import Measurements

/// The velocity of a receiver that states none.
extension PoseEstimator {
    /// A fix without the velocity that is not that of its positions, and whether this fix is the one that shows it.
    mutating func withoutFalseVelocity(_ stated: GnssFix) -> (fix: GnssFix, isNewlyRefuted: Bool) {
        let wasRefuted = velocityProof.isRefuted
        let isStanding = lastFix.map { hasStood(since: $0.validityTime, until: stated.validityTime) } ?? false
        // A hand moves while the body stands, and a boat never rests.
        let isMotionShown = traits.rollsOnWheels && hasFreshSample(at: stated.arrivalTime)
        velocityProof.note(stated, isStanding: isMotionShown || isStanding ? isStanding : nil)
        guard velocityProof.isRefuted else { return (stated, false) }
        var fix = stated
        (fix.horizontalVelocity, fix.climbMetersPerSecond) = (nil, nil)
        (fix.speedSigmaMetersPerSecond, fix.climbSigmaMetersPerSecond) = (nil, nil)
        return (fix, !wasRefuted)
    }

    /// A fix with the velocity from its positions: where it states none, and on a person, whose gait shows no lags,
    /// where it states no accuracy of it and the positions give a better one.
    /// docs/math.md, eq. 7.20.
    mutating func withVelocity(_ fix: GnssFix) -> GnssFix {
        isVelocityStated = fix.horizontalVelocity != nil
        (velocityAge, derivedAccelerationSigma) = (0, Tuning.ReceiverAcceleration.sigma)
        guard !isVelocityStated || (fix.speedSigmaMetersPerSecond == nil && !traits.showsLags) else {
            derivedVelocity.restart()
            return fix
        }
        let isStanding = lastFix.map { hasStood(since: $0.validityTime, until: fix.validityTime) } ?? false
        var mean = derivedVelocity.add(fix, isStanding: isStanding)
        if isNavigating, derivedVelocity.meanBeforeStray != nil {
            // It is the filter that tells whether that place is true.
            derivedVelocity.restart()
            mean = derivedVelocity.add(fix, isStanding: isStanding)
        }
        guard let mean, !isVelocityStated || mean.sigma < fix.assumedSpeedSigma else { return fix }
        return complete(fix, with: mean)
    }

    /// A fix with a velocity between places.
    private mutating func complete(_ fix: GnssFix, with mean: PositionDerivedVelocity.Mean) -> GnssFix {
        var completed = fix
        (completed.horizontalVelocity, completed.speedSigmaMetersPerSecond) = (mean.velocity, mean.sigma)
        (velocityAge, derivedAccelerationSigma) = (mean.age, mean.accelerationSigma)
        return completed
    }

    /// Goes on with the velocity before a fix that was refused. A false position must not make one with the next true
    /// one.
    mutating func carryOn(after fix: GnssFix) {
        guard let mean = derivedVelocity.meanBeforeStray else { return derivedVelocity.restart() }
        if !isVelocityStated { lastFix = complete(fix, with: mean) }
    }
}
