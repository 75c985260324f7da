import Geodesy
import Glibc
import Measurements
import PoseMath

/// Fault detection of the receiver, before a fix is fused.
extension NavigationFilter {
    /// Which parts of a fix may be fused. Compares it with the one before and with the filter, and updates the fault
    /// detection.
    mutating func usableParts(of fix: GnssFix, forceHistory: VectorHistory) -> (position: Bool, velocity: Bool) {
        gnssIntegrity.note(isInterfered: fix.isInterfered)
        guard !fix.isInterfered else { return (false, false) }
        let isStuck = gnssIntegrity.isStuck(fix)
        defer { lastComparedFix = fix }
        compareWithFixBefore(fix)
        if let velocity = fix.horizontalVelocity, !isStuck {
            compareSpeed(velocity, of: fix, forceHistory: forceHistory)
        }
        gnssIntegrity.endDrift(at: fix.validityTime)
        if gnssIntegrity.refutesFilter(sigma: GnssAccuracy(of: fix).horizontalBias, at: fix.validityTime) {
            isRefuted = true
        }
        switch gnssIntegrity.verdict {
        case .trusted, .falseVelocity: return (true, true)
        case .drifting: return (false, true)
        case .stuck, .contradicted, .interference: return (false, false)
        }
    }

    /// Compares the way from the fix before with the integral of both velocities.
    /// docs/math.md, eq. 12.3.
    private mutating func compareWithFixBefore(_ fix: GnssFix) {
        guard let last = lastComparedFix, let v0 = last.horizontalVelocity, let v1 = fix.horizontalVelocity,
            let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians,
            let lastLatitude = last.latitudeRadians, let lastLongitude = last.longitudeRadians
        else {
            strayedSinceUse = nil
            return
        }
        let seconds = fix.validityTime.seconds(since: last.validityTime)
        let altitude = state.position.altitudeEllipsoidMeters
        let from = GeodeticPosition(
            latitudeRadians: lastLatitude, longitudeRadians: lastLongitude, altitudeEllipsoidMeters: altitude)
        let to = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: altitude)
        let moved = from.surfaceOffsetMeters(to: to)
        let way =
            SIMD2(v0.eastMetersPerSecond + v1.eastMetersPerSecond, v0.northMetersPerSecond + v1.northMetersPerSecond)
            * (0.5 * seconds)
            + SIMD2(v1.eastMetersPerSecond - v0.eastMetersPerSecond, v1.northMetersPerSecond - v0.northMetersPerSecond)
            * (state.velocityLagSeconds - state.positionLagSeconds)
        let strayed = SIMD2(moved.east, moved.north) - way
        strayedSinceUse = seconds <= Tuning.GNSSIntegrity.longestGap ? strayedSinceUse.map { $0 + strayed } : nil
        gnssIntegrity.compare(
            moved: SIMD2(moved.east, moved.north), expected: way, seconds: seconds,
            sigma: driftSigma(of: fix), factor: noiseScaling.factor, at: fix.validityTime)
    }

    /// 1-sigma of positions against the integral of their velocity, metres. A receiver that states no accuracy of its
    /// speed may be wrong by the assumed one over the whole window.
    /// docs/math.md, eq. 12.3.
    private mutating func driftSigma(of fix: GnssFix) -> Double {
        let own = GnssAccuracy(of: fix).horizontalBias
        guard fix.speedSigmaMetersPerSecond == nil else { return own }
        return hypot(own, Tuning.GNSS.unstatedSpeedSigma * Double(Tuning.GNSSIntegrity.longWindow))
    }

    /// docs/math.md, eq. 12.4.
    private mutating func compareSpeed(_ velocity: HorizontalVelocity, of fix: GnssFix, forceHistory: VectorHistory) {
        guard let begun = beganAt, fix.validityTime.seconds(since: begun) > Tuning.GNSSIntegrity.judgingAfterSeconds
        else { return }
        let seen = self.velocity(lagSeconds: state.velocityLagSeconds - fixAge, forceHistory: forceHistory).seen
        let swing = antennaSwingENU
        let own = Vector3(seen.x + swing.x, seen.y + swing.y, 0)
        let sigma = speedSigma(of: fix)
        let slack = (Tuning.GNSSIntegrity.unmodeledLag + lagShapeSeconds) * state.accelerationENU.length
        var row = ObservationRow()
        if let ahead = own.normalized {
            row.add(.velocity, ahead)
        } else {
            row.add(.velocity, Vector3(1, 0, 0))
        }
        let spread = (covariance.variance(of: row) + sigma * sigma).squareRoot()
        let difference = abs(velocity.speedMetersPerSecond - own.length)
        let across = Vector3(velocity.eastMetersPerSecond - own.x, velocity.northMetersPerSecond - own.y, 0).length
        let limit = Tuning.GNSSIntegrity.speedGate * spread
        let isSpeedOff = difference > max(limit, Tuning.GNSSIntegrity.leastSpeedDifference) + slack
        let isVelocityOff =
            across > max(limit, Tuning.GNSSIntegrity.leastVelocityDifference) + slack + heldCourseSigma(of: velocity)
            && turnedSinceFix < Tuning.GNSSIntegrity.leastTurn
        turnedSinceFix = 0
        let silence = max(
            Tuning.GNSSIntegrity.longestGap, Tuning.PositionFilter.silentIntervals * usualVelocityInterval.seconds)
        gnssIntegrity.note(
            agrees: across < Tuning.GNSSIntegrity.speedGate * spread + slack,
            speedContradicts: (isSpeedOff || isVelocityOff) && !imuFaults.isGrowing
                && !imuFaults.isFaultActive(at: state.time),
            speed: velocity.speedMetersPerSecond,
            wheelsTurn: aids[Int(AidSource.wheelSpeed.rawValue)].acceptedCount
                > Tuning.GNSSIntegrity.provingWheelSpeeds,
            isAfterSilence: fixInterval > silence, at: fix.validityTime)
    }

    /// Records the veto of a fix in the status of its aiding sources.
    mutating func veto(_ fix: GnssFix, position: Bool, velocity: Bool) {
        let reason: AidRejection =
            switch gnssIntegrity.verdict {
            case .stuck: .stuck
            case .drifting: .drifting
            case .interference: .interference
            case .trusted, .contradicted, .falseVelocity: .contradicted
            }
        // Innovation and test ratio stay those of the last fix that was compared.
        func enter(_ source: AidSource) { aids[Int(source.rawValue)].reject(because: reason) }
        if position {
            enter(.gnssPosition)
            if fix.altitudeEllipsoidMeters != nil { enter(.gnssHeight) }
            if gnssIntegrity.verdict == .contradicted { noteRejection(of: fix) }
        }
        if velocity {
            if fix.horizontalVelocity != nil { enter(.gnssVelocity) }
            if fix.climbMetersPerSecond != nil { enter(.gnssClimb) }
        }
    }
}
