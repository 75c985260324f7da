import Geodesy
import Glibc
import Measurements
import PoseMath

extension NavigationFilter {
    /// Takes a fix whose time of validity the state has been carried to.
    ///
    /// - Parameters:
    ///   - fix: the epoch; unknown parts are left out.
    ///   - track: what the IMU alone has gained, up to the last sample.
    /// - Returns: whether its position was taken.
    @discardableResult
    mutating func fuse(_ fix: GnssFix, track: VectorHistory) -> Bool {
        var taken = false
        let use = watch(fix, track: track)
        if !use.position || !use.velocity { veto(fix, position: !use.position, velocity: !use.velocity) }
        if use.position, let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians {
            taken = fusePosition(of: fix, latitude: latitude, longitude: longitude, track: track)
        }
        if use.velocity, let velocity = fix.horizontalVelocity { fuseVelocity(velocity, of: fix, track: track) }
        return taken
    }

    private mutating func fusePosition(of fix: GnssFix, latitude: Double, longitude: Double, track: VectorHistory)
        -> Bool
    {
        var sigma = GnssAccuracy(of: fix)
        sigma.scale(by: trust.factor)
        gnssBiasSigma = (sigma.horizontalSlow, sigma.verticalSlow)
        noteQuality(fix.quality)
        let velocity = self.velocity(delayedBySeconds: 0.5 * state.positionLagSeconds, track: track)
        let altitude = fix.altitudeEllipsoidMeters ?? state.position.altitudeEllipsoidMeters
        let observed = GeodeticPosition(
            latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: altitude)
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let seen = Vector3(offset.east, offset.north, altitude - state.position.altitudeEllipsoidMeters)
        func component(_ axis: Int, _ sigma: Double) -> Component {
            positionComponent(axis, offset: seen, velocity: velocity, sigma: sigma)
        }
        var (east, north) = (component(0, sigma.horizontalFast), component(1, sigma.horizontalFast))
        // Refused fixes that agree with each other are one event, however many they are.
        if !continuesRefusals(fix, at: observed) { learnTrust(east: east, north: north) }
        let isNear = isNear(east: east.innovation, north: north.innovation, slowSigma: sigma.horizontalSlow)
        let before = state.position
        let insists = !isNear && isConfirmed(fix, at: observed)
        if insists, closeReceiverError() {
            (east, north) = (component(0, sigma.horizontalFast), component(1, sigma.horizontalFast))
        }
        let taken = (isNear || insists) && fuse(.gnssPosition, east, north, gate: Tuning.GNSS.positionGate)
        if !isNear { noteFar(from: before, wasTaken: taken) }
        if taken, fix.altitudeEllipsoidMeters != nil {
            fuse(.gnssHeight, component(2, sigma.verticalFast), gate: Tuning.GNSS.positionGate)
        }
        if taken {
            lastFixTime = state.time
            noteVariances()
            refusals = nil
        } else {
            refuse(fix, at: observed)
        }
        return taken
    }

    /// One axis of the receiver's position.
    /// docs/math.md, eq. 5.1.
    ///
    /// - Parameters:
    ///   - offset: from the estimated place of the IMU to the fix, east, north, up, metres.
    ///   - velocity: the mean over the receiver's lag, east, north, up, m/s.
    ///   - sigma: of what is new with each fix, metres.
    func positionComponent(_ axis: Int, offset: Vector3, velocity: Vector3, sigma: Double) -> Component {
        let lever = state.vehicleToENU.rotate(leverArmBody)
        let predicted = lever + state.gnssBiasENU - velocity * state.positionLagSeconds
        var row = ObservationRow()
        row.add(.position[axis], 1)
        if leverArmBody != .zero {
            // d(Exp(a) C l)/da = -[C l]x, and the mount turns the arm the other way: d(C Exp(-m) l)/dm = C [l]x.
            row.add(.attitude, -lever.skew.row(axis))
            row.add(.mount, (state.vehicleToENU.matrix * leverArmBody.skew).row(axis))
        }
        row.add(.positionLag, -velocity[axis])
        row.add(.gnssBias[axis], 1)
        return Component(
            row: row, innovation: offset[axis] - predicted[axis], variance: sigma * sigma, observation: offset[axis])
    }

    /// Another kind of solution has another GNSS bias, of which nothing is known yet.
    private mutating func noteQuality(_ quality: FixQuality) {
        defer { lastQuality = quality }
        guard let lastQuality, lastQuality != quality else { return }
        covariance.restart(.gnssBias, variance: gnssBiasSigma.horizontal * gnssBiasSigma.horizontal)
        covariance[.gnssBias.z, .gnssBias.z] = gnssBiasSigma.vertical * gnssBiasSigma.vertical
        state.gnssBiasENU = .zero
    }

    private mutating func fuseVelocity(_ velocity: HorizontalVelocity, of fix: GnssFix, track: VectorHistory) {
        let lag = state.velocityTimeConstantSeconds
        let (seen, slope) = self.velocity(smoothedOverSeconds: lag, track: track)
        let left =
            profile == .wearable ? Tuning.GNSS.velocityErrorSecondsWearable : Tuning.GNSS.velocityErrorSecondsVehicle
        let sigma = hypot(
            max(fix.speedSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.horizontal, Tuning.GNSS.leastSpeedSigma),
            left * slope.length)
        func component(_ axis: Int, _ observed: Double, _ sigma: Double) -> Component {
            velocityComponent(axis, observed: observed, seen: seen[axis], slope: slope[axis], sigma: sigma)
        }
        let (east, north) = (
            component(0, velocity.eastMetersPerSecond, sigma), component(1, velocity.northMetersPerSecond, sigma)
        )
        doubtInertial(east: east, north: north)
        let taken = fuse(.gnssVelocity, east, north, gate: Tuning.GNSS.velocityGate)
        watchHeading(against: velocity, velocityTaken: taken)
        if let climb = fix.climbMetersPerSecond {
            // What it is late by is its own, and tells nothing of the other's.
            let (seen, slope) = self.velocity(
                smoothedOverSeconds: lag > 0 ? Tuning.GNSS.climbTimeConstantRatio * lag : lag, track: track)
            let sigma = hypot(
                max(fix.climbSigmaMetersPerSecond ?? Tuning.UnstatedVelocitySigma.climb, Tuning.GNSS.leastClimbSigma),
                Tuning.GNSS.climbErrorSeconds * slope.z)
            fuse(
                .gnssClimb, velocityComponent(2, observed: climb, seen: seen.z, slope: 0, sigma: sigma),
                gate: Tuning.GNSS.velocityGate)
        }
    }

    /// One axis of the receiver's velocity, m/s.
    /// docs/math.md, eq. 5.3.
    ///
    /// - Parameters:
    ///   - seen: the IMU's velocity as the receiver smooths it.
    ///   - slope: by how much that falls for each second of lag, m/s2.
    func velocityComponent(_ axis: Int, observed: Double, seen: Double, slope: Double, sigma: Double) -> Component {
        var row = ObservationRow()
        row.add(.velocity[axis], 1)
        row.add(.velocityTimeConstant, -slope)
        var predicted = seen
        if leverArmBody != .zero {
            let rate = state.sensorToENU.rotate(state.angularRateSensor)
            let lever = state.vehicleToENU.rotate(leverArmBody)
            let turning = rate.cross(lever)
            predicted += turning[axis]
            // Rate and arm turn together with the attitude; an error of the bias is one of the rate, one of the mount
            // one of the arm.
            row.add(.attitude, -turning.skew.row(axis))
            row.add(.gyroBias, (lever.skew * state.sensorToENU.matrix).row(axis))
            row.add(.mount, (rate.skew * (state.vehicleToENU.matrix * leverArmBody.skew)).row(axis))
        }
        return Component(row: row, innovation: observed - predicted, variance: sigma * sigma, observation: observed)
    }
}

/// A stated accuracy, divided into what is new with every fix and what stays for a minute.
///
/// Most of a receiver's error is common to many epochs (atmosphere, multipath, its own filter); treated as new each
/// time it would be averaged away and the filter would believe itself far too good.
struct GnssAccuracy {
    /// New with each fix, each horizontal axis, metres.
    var horizontalFast: Double
    /// Common to the fixes of most of a minute, each horizontal axis, metres.
    var horizontalSlow: Double
    /// New with each fix, height, metres.
    var verticalFast: Double
    /// Common to the fixes of most of a minute, height, metres.
    var verticalSlow: Double

    /// The division of a fix's stated sigmas; 5 m and 10 m where nothing is stated (an autonomous receiver under open
    /// sky).
    /// docs/math.md, eq. 5.2.
    init(of fix: GnssFix) {
        let least = fix.quality == .rtkFloat ? Tuning.GNSS.floatSolutionSigma : Tuning.GNSS.leastStatedSigma
        let h = max(fix.horizontalSigmaMeters ?? Tuning.GNSS.unstatedHorizontalSigma, least)
        let v = max(fix.verticalSigmaMeters ?? Tuning.GNSS.verticalRatio * h, Tuning.GNSS.verticalRatio * least)
        horizontalFast = max(Tuning.GNSS.whiteShare * h, Tuning.GNSS.leastHorizontalWhiteSigma)
        // Both parts together are what is stated, as far as the least new part leaves room for that.
        horizontalSlow = max(h * h - horizontalFast * horizontalFast, Tuning.GNSS.leastBiasVarianceShare * h * h)
            .squareRoot()
        verticalFast = max(Tuning.GNSS.whiteShare * v, Tuning.GNSS.leastVerticalWhiteSigma)
        // The least new part of the height is the body's bounce, which no receiver states: it leaves the other as it
        // is.
        verticalSlow = v
    }
}
