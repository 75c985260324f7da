import Geodesy
import Glibc
import Measurements
import PoseMath

/// The receiver's position, height, velocity and climb.
///
/// Starts with the filter, which starts with a fix. A fix must pass the integrity check, and a distant one must be
/// confirmed by others. The GNSS bias restarts where the kind of solution changes. Stops with the filter.
extension NavigationFilter {
    /// Fuses a fix; the state has been predicted to its time of validity.
    ///
    /// - Parameters:
    ///   - fix: the epoch; unknown parts are `nil`.
    ///   - age: by how much the state's time is earlier than the time stamp, seconds.
    ///   - forceHistory: history of ``forceIntegral``, up to the last sample.
    /// - Returns: whether its position was fused.
    @discardableResult
    mutating func fuse(_ fix: GnssFix, age: Double = 0, forceHistory: VectorHistory) -> Bool {
        if fix.receiver != receiver { change(toReceiverOf: fix) }
        fixAge = age
        fixTimeSigma = fix.timeSigmaSeconds ?? 0
        fixInterval = lastComparedFix.map { fix.validityTime.seconds(since: $0.validityTime) } ?? 0
        if fix.latitudeRadians != nil { usualFixInterval.note(fix.validityTime) }
        if fix.horizontalVelocity != nil { usualVelocityInterval.note(fix.validityTime) }
        var taken = false
        noteCourse(of: fix)
        let use = usableParts(of: fix, forceHistory: forceHistory)
        if use.velocity, let velocity = fix.horizontalVelocity {
            if unseenMotion != nil {
                checkUnseenMotion(
                    contradiction(by: velocity, of: fix, forceHistory: forceHistory) != nil,
                    seenAt: fix.validityTime.advanced(bySeconds: -state.velocityLagSeconds))
            }
            revokeFalseRest(velocity, of: fix, forceHistory: forceHistory)
        }
        if !use.position || !use.velocity { veto(fix, position: !use.position, velocity: !use.velocity) }
        if use.position, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians {
            taken = fusePosition(of: fix, latitude: latitude, longitude: longitude, forceHistory: forceHistory)
        }
        if use.velocity, let velocity = fix.horizontalVelocity {
            checkLag(against: velocity, of: fix, forceHistory: forceHistory)
            let before = state.position
            fuseVelocity(velocity, of: fix, forceHistory: forceHistory)
            // The first velocity after a long outage tells how the place was lost.
            let moved = before.surfaceOffsetMeters(to: state.position)
            if hypot(moved.east, moved.north) >= Tuning.Reset.jumpMeters { announceJump(from: before) }
        }
        if fix.altitudeEllipsoidMeters == nil, fix.climbMetersPerSecond == nil { fuseLevelMotion() }
        if use.position { fuseHeading(of: fix) }
        refuteAntennaArm()
        if taken { noteLagOfClocks() }
        return taken
    }

    /// Fuses the position of a fix: tests the distance, then the gate; follows a confirmed run of distant fixes.
    private mutating func fusePosition(
        of fix: GnssFix, latitude: Double, longitude: Double, forceHistory: VectorHistory
    ) -> Bool {
        var sigma = GnssAccuracy(of: fix)
        sigma.scale(by: noiseScaling.factor)
        restateGNSSBias(sigma, of: fix.quality)
        updateQuality(fix.quality)
        let since = motion(overLag: state.positionLagSeconds - fixAge, forceHistory: forceHistory)
        let altitude = fix.altitudeEllipsoidMeters ?? state.position.altitudeEllipsoidMeters
        let observed = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: altitude)
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let seen = Vector3(offset.east, offset.north, 0)
        func component(_ axis: Int, _ sigma: Double) -> Component {
            positionComponent(axis, offset: seen, since: since, sigma: hypot(sigma, heldCourse.strayedMeters))
        }
        var (east, north) = (component(0, sigma.horizontalWhite), component(1, sigma.horizontalWhite))
        comparePredictions(of: fix, at: observed, ownError: SIMD2(east.innovation, north.innovation))
        // A run of rejected fixes that agree with each other is one event, however many they are.
        if !continuesRejectedRun(fix, at: observed) { updateNoiseScaling(east: east, north: north) }
        let isNear = isNear(east: east.innovation, north: north.innovation, gnssBiasSigma: sigma.horizontalBias)
        let before = state.position
        let isDistantConfirmed = !isNear && isConfirmed(fix, at: observed)
        if isDistantConfirmed, restoreGNSSBias() {
            (east, north) = (component(0, sigma.horizontalWhite), component(1, sigma.horizontalWhite))
        }
        let lost = lossSinceFix()
        guard fuseHorizontal(east, north, mayFuse: isNear || isDistantConfirmed) else {
            reject(fix, at: observed, since: since)
            return false
        }
        let hasHeight = fuseHeight(of: fix, sigma, forceHistory: forceHistory)
        if !isNear { announceJump(from: before) }
        noteDriftShare(lost: lost, sigma, hasHeight: hasHeight)
        noteUse(of: fix, hasHeight: hasHeight)
        return true
    }

    /// Stores what later fixes are compared with.
    private mutating func noteUse(of fix: GnssFix, hasHeight: Bool) {
        if isAfterLongOutage { unprovenSince = state.time }
        lastFixTime = fix.validityTime
        storeVariancesAtFix(hasHeight: hasHeight)
        rejectedRun = nil
        strayedSinceUse = .zero
    }

    /// Fuses the horizontal position; records it as unconfirmed where it may not be fused. Whether it was fused.
    private mutating func fuseHorizontal(_ east: Component, _ north: Component, mayFuse: Bool) -> Bool {
        let gate = Tuning.GNSS.positionGate
        if mayFuse { return fuse(.gnssPosition, east, north, gate: gate) }
        reject(.gnssPosition, east, north, gate: gate, because: .unconfirmed)
        return false
    }

    /// Observation of one axis of the receiver's position.
    /// docs/math.md, eq. 5.1.
    ///
    /// - Parameters:
    ///   - offset: from the estimated place of the IMU to the fix, east, north, up, metres.
    ///   - since: the motion over the receiver's lag.
    ///   - sigma: of the error that is new with each fix, metres.
    ///   - tellsLag: whether its lag is that of the state.
    mutating func positionComponent(
        _ axis: Int, offset: Vector3, since: LagMotion, sigma: Double, tellsLag: Bool = true
    ) -> Component {
        // The error of the velocity lasts as long as a lag that the motion shows, else it changes with every step.
        let isLong =
            showsLags && max(state.positionLagSeconds, abs(since.seconds)) > Tuning.GNSS.leastKnownAgeSeconds
        let predicted = antennaENU + state.gnssBiasENU - since.way
        var row = ObservationRow()
        row.add(.position[axis], 1)
        if isLong {
            row.add(.velocity[axis], -since.seconds)
            addAntenna(axis, attitude: -since.force.way.skew.row(axis), to: &row)
            let biased = -0.5 * since.force.seconds * since.force.seconds
            row.add(.accelerometerBias, state.sensorToENU.matrix.row(axis) * biased)
        } else {
            addAntenna(axis, to: &row)
        }
        if tellsLag { row.add(.positionLag, -since.firstVelocity[axis]) }
        row.add(.gnssBias[axis], 1)
        // The second order of an error of the lag, alone and with one of the velocity.
        let lagVariance = isLong && tellsLag ? covariance[.positionLag, .positionLag] : 0
        let bend = state.accelerationENU[axis] * lagVariance
        let bilinear = lagVariance * covariance[.velocity[axis], .velocity[axis]]
        let sigma = hypot(hypot(sigma, looseArm), Tuning.Antenna.swingSmearSeconds * antennaSwingENU.horizontalLength)
        var variance =
            sigma * sigma + 0.5 * bend * bend + bilinear + secondOrderSquares(ofTurned: antennaENU)[axis]
        if axis == 2 {
            let up = antennaAxesToENU.matrix.row(2)
            variance += armVariance(forward: up.x, left: up.y)
        }
        return Component(
            row: row, innovation: offset[axis] - predicted[axis], variance: variance, observation: offset[axis])
    }

    /// 1-sigma of the way by which an antenna on a person moves against the IMU, on each axis, metres.
    /// docs/math.md, eq. 5.37.
    private var looseArm: Double {
        mutating get {
            guard profile.traits.findsAntenna, !profile.traits.isFastened else { return 0 }
            return Tuning.Antenna.looseShare * antennaArm.spread
        }
    }

    /// Takes the 1-sigma of the GNSS bias, and what the receiver does not state.
    mutating func setGNSSBias(_ stated: GnssAccuracy) {
        gnssBiasSigma = (stated.horizontalBias, stated.verticalBias)
        unstatedError = stated.unstated
    }

    /// Takes the stated 1-sigma of the GNSS bias. Where it has grown, the bias may have become as large in the time
    /// since the last fix that was taken: a receiver that is unsure after an outage is not as good as it was before.
    /// docs/math.md, eq. 4.3.
    private mutating func restateGNSSBias(_ stated: GnssAccuracy, of quality: FixQuality) {
        defer { setGNSSBias(stated) }
        // Another kind of solution has a bias of its own.
        guard quality == lastQuality, let lastFixTime else { return }
        let seconds = max(state.time.seconds(since: lastFixTime), 0)
        let changed = 1 - exp(-2 * seconds / FilterState.gnssBiasSeconds)
        func grown(_ now: Double, since before: Double) -> Double { changed * max(now * now - before * before, 0) }
        addVariance(grown(stated.horizontalBias, since: gnssBiasSigma.horizontal), to: .gnssBias.horizontal)
        addVariance(grown(stated.verticalBias, since: gnssBiasSigma.vertical), to: .gnssBias.z)
    }

    /// Restarts the GNSS bias where the kind of solution changes: its error is unknown. With and without corrections
    /// for the code the satellites and reflections are the same: the error may change, but is no new one, however often
    /// a receiver goes from one to the other. So it is where a receiver goes back to the solution of before; but a
    /// carrier phase with resolved ambiguities decides at once.
    /// docs/math.md, eq. 5.35.
    private mutating func updateQuality(_ quality: FixQuality) {
        defer { lastQuality = quality }
        guard let lastQuality, lastQuality != quality else { return }
        guard !(quality.isOfCode && lastQuality.isOfCode) else {
            addVariance(gnssBiasSigma.horizontal * gnssBiasSigma.horizontal, to: .gnssBias.horizontal)
            addVariance(gnssBiasSigma.vertical * gnssBiasSigma.vertical, to: .gnssBias.z)
            return
        }
        let before = biasBefore
        let isFixed = quality == .rtkFixed || lastQuality == .rtkFixed
        biasBefore = isFixed ? nil : SolutionBias(of: &self, with: lastQuality)
        restart(.gnssBias, variance: gnssBiasSigma.horizontal * gnssBiasSigma.horizontal)
        covariance[.gnssBias.z, .gnssBias.z] = gnssBiasSigma.vertical * gnssBiasSigma.vertical
        state.gnssBiasENU = .zero
        if !isFixed, let before, before.quality.isSameSolution(as: quality) { resume(before) }
    }

    /// Takes what is left of the bias that the solution had when it was last used, beside its stated variance: the
    /// error may have changed, but is no new one.
    /// docs/math.md, eq. 5.35.
    private mutating func resume(_ bias: SolutionBias) {
        let left = exp(-max(state.time.seconds(since: bias.time), 0) / FilterState.gnssBiasSeconds)
        state.gnssBiasENU = bias.value * left
        for axis in 0..<3 {
            let now = covariance[.position[axis], .position[axis]]
            // What the place has lost since then is not shared, and what it has gained is shared no more.
            let place = max(bias.placeVariance[axis], now)
            guard place > 0 else { continue }
            let share = left * bias.shared[axis] / place
            let own = left * left * bias.variance[axis] - share * share * now
            covariance.addVariance(max(own, 0), to: .gnssBias[axis])
            covariance.carry(from: .position[axis], to: .gnssBias[axis], by: share)
        }
    }

    /// Observation of both axes of the receiver's horizontal velocity, and the velocity as it is seen late, m/s.
    private mutating func velocityComponents(
        _ velocity: HorizontalVelocity, of fix: GnssFix, forceHistory: VectorHistory
    ) -> (
        east: Component, north: Component, seen: Vector3
    ) {
        let lag = state.velocityLagSeconds - fixAge
        let (seen, slope) = self.velocity(lagSeconds: lag, forceHistory: forceHistory)
        let left =
            profile.traits.isFastened
            ? Tuning.GNSS.velocityErrorSecondsVehicle : Tuning.GNSS.velocityErrorSecondsWearable
        let own =
            hypot(speedSigma(of: fix), (left + lagShapeSeconds) * slope.length)
            * velocityCorrelation(afterSeconds: secondsSinceVelocity(before: fix))
        let sigma = hypot(hypot(own, heldCourseSigma(of: velocity)), unknownSwing)
        let force = self.force(overLag: lag, from: seen)
        func component(_ axis: Int, _ observed: Double) -> Component {
            velocityComponent(
                axis, observed: observed, seen: seen[axis], slope: slope[axis], sigma: sigma, force: force)
        }
        return (component(0, velocity.eastMetersPerSecond), component(1, velocity.northMetersPerSecond), seen)
    }

    /// Time since the velocity before that of a fix, seconds; zero without one.
    private mutating func secondsSinceVelocity(before fix: GnssFix) -> Double {
        lastVelocityInnovation.map { fix.validityTime.seconds(since: $0.time) } ?? 0
    }

    /// 1-sigma of the velocity of an antenna over that of the IMU where its place is unknown and waves swing it, m/s.
    /// docs/math.md, eq. 5.31.
    private var unknownSwing: Double {
        mutating get {
            guard !profile.traits.findsAntenna, receiver != 0 || !receiverPrior.isAntennaTold else { return 0 }
            return Tuning.Antenna.unknownSwingMeters * state.meanAngularRateSensor.length
        }
    }

    /// The square of the horizontal innovation of a velocity where that is beyond the gate, m2/s2; `nil` where it
    /// agrees.
    private mutating func contradiction(
        by velocity: HorizontalVelocity, of fix: GnssFix, forceHistory: VectorHistory
    ) -> Double? {
        let (east, north, _) = velocityComponents(velocity, of: fix, forceHistory: forceHistory)
        func square(_ c: Component) -> Double {
            c.innovation * c.innovation / (covariance.variance(of: c.row) + c.variance)
        }
        let gate = Tuning.GNSS.velocityGate * Tuning.GNSS.velocityGate
        guard max(square(east), square(north)) > gate else { return nil }
        return east.innovation * east.innovation + north.innovation * north.innovation
    }

    /// Inflates what a false rest has fixed. A vehicle that starts smoothly may look at rest: the constraint then holds
    /// its velocity at zero, and takes the acceleration for a tilt.
    /// docs/math.md, eq. 5.20.
    private mutating func revokeFalseRest(
        _ velocity: HorizontalVelocity, of fix: GnssFix, forceHistory: VectorHistory
    ) {
        // Two velocities in a row, however far apart they usually are: one alone may be false itself.
        let usual = usualVelocityInterval.seconds
        let longest = max(Tuning.Constraints.doubtedRestSeconds, Tuning.PositionFilter.silentIntervals * usual)
        let doubted = restDoubtedAt.map { state.time.seconds(since: $0) < longest } ?? false
        restDoubtedAt = nil
        guard let rest = lastRestTime,
            doubted || state.time.seconds(since: rest) < Tuning.Constraints.falseRestSeconds,
            velocity.speedMetersPerSecond > Tuning.Mount.standingSpeed
        else { return }
        guard let speed = contradiction(by: velocity, of: fix, forceHistory: forceHistory) else { return }
        guard doubted else {
            restDoubtedAt = state.time
            return
        }
        lastRestTime = nil
        let seconds = max(Tuning.Constraints.falseRestSeconds, usual)
        addVariance(speed, to: .velocity.horizontal)
        addVariance(speed * seconds * seconds, to: .position.horizontal)
        let tilt = Tuning.Constraints.falseRestTilt
        addVariance(tilt * tilt, to: .attitude.horizontal)
    }

    /// Fuses velocity and climb of a fix.
    private mutating func fuseVelocity(_ velocity: HorizontalVelocity, of fix: GnssFix, forceHistory: VectorHistory) {
        let (east, north, seen) = velocityComponents(velocity, of: fix, forceHistory: forceHistory)
        updateVelocityScaling(east: east, north: north, at: fix.validityTime)
        checkVelocityInnovation(east: east, north: north)
        let taken = fuse(.gnssVelocity, east, north, gate: Tuning.GNSS.velocityGate)
        checkHeading(against: velocity, seen: seen, velocityTaken: taken)
        if let climb = fix.climbMetersPerSecond {
            // The climb has a time constant of its own, which says nothing about that of the horizontal velocity.
            let lag = state.velocityLagSeconds - fixAge
            let (seen, slope) = self.velocity(
                lagSeconds: lag, smoothingRatio: Tuning.GNSS.climbTimeConstantRatio, forceHistory: forceHistory)
            let sigma = hypot(
                max(fix.climbSigmaMetersPerSecond ?? Tuning.GNSS.unstatedClimbSigma, Tuning.GNSS.leastClimbSigma),
                Tuning.GNSS.climbErrorSeconds * slope.z)
            fuse(
                .gnssClimb, velocityComponent(2, observed: climb, seen: seen.z, slope: 0, sigma: sigma),
                gate: Tuning.GNSS.velocityGate)
        }
    }

    /// Observation of one axis of the receiver's velocity, m/s.
    /// docs/math.md, eq. 5.3.
    ///
    /// - Parameters:
    ///   - seen: predicted velocity, smoothed as the receiver smooths it.
    ///   - slope: decrease of that for each second of time constant, m/s2.
    ///   - force: what has changed the velocity since then.
    mutating func velocityComponent(
        _ axis: Int, observed: Double, seen: Double, slope: Double, sigma: Double, force: LagForce = LagForce()
    ) -> Component {
        var row = ObservationRow()
        row.add(.velocity[axis], 1)
        row.add(.velocityLag, -slope)
        var (predicted, attitude, variance) = (seen, force.velocity.skew.row(axis), sigma * sigma)
        if force.seconds != 0 {
            row.add(.accelerometerBias, state.sensorToENU.matrix.row(axis) * force.seconds)
            // The second order of an error of the lag together with one of the attitude.
            var leaning = ObservationRow()
            let mean = force.velocity * (1 / max(abs(force.seconds), Tuning.Delay.leastSmoothingSeconds))
            leaning.add(.attitude, mean.skew.row(axis))
            variance += covariance[.velocityLag, .velocityLag] * covariance.variance(of: leaning)
        }
        if profile.traits.findsAntenna || antennaBody != .zero {
            let rate = state.sensorToENU.rotate(state.meanAngularRateSensor)
            let axes = state.vehicleToENU.matrix
            let lever = antennaENU
            let turning = antennaSwingENU
            predicted += turning[axis]
            let smeared = hypot(
                Tuning.Antenna.swingSmearShare * turning.horizontalLength, looseArm * abs(rate.z))
            variance += secondOrderSquares(ofTurned: turning)[axis] + smeared * smeared
            // Rate and lever arm turn with the attitude. An error of the gyro bias is one of the rate, one of the mount
            // is one of the arm.
            attitude -= turning.skew.row(axis)
            row.add(.gyroBias, (lever.skew * state.sensorToENU.matrix).row(axis))
            row.add(.mount, (rate.skew * (axes * antennaBody.skew)).row(axis))
            let turned = rate.skew * antennaAxesToENU.matrix
            if axis < 2 {
                row.add(.antennaArm.x, turned[axis, 0])
                row.add(.antennaArm.y, turned[axis, 1])
            } else {
                variance += armVariance(forward: turned[2, 0], left: turned[2, 1])
            }
        }
        if attitude != .zero { row.add(.attitude, attitude) }
        return Component(row: row, innovation: observed - predicted, variance: variance, observation: observed)
    }
}
