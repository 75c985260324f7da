import Geodesy
import PoseMath

extension NavigationFilter {
    /// Gates in sigmas: position and velocity (the numbers PX4's filter uses).
    private static let positionGate = 5.0
    private static let velocityGate = 5.0

    /// Takes a fix whose time of validity the state has been carried to.
    ///
    /// - Parameters:
    ///   - fix: the epoch; unknown parts are left out.
    ///   - track: velocities up to now.
    /// - Returns: whether its position was taken.
    @discardableResult
    mutating func take(_ fix: GnssFix, track: VelocityTrack) -> Bool {
        var taken = false
        if let latitude = fix.latitudeRadians, let longitude = fix.longitudeRadians {
            taken = takePosition(of: fix, latitude: latitude, longitude: longitude, track: track)
        }
        if let velocity = fix.horizontalVelocity { takeVelocity(velocity, of: fix, track: track) }
        return taken
    }

    private mutating func takePosition(of fix: GnssFix, latitude: Double, longitude: Double, track: VelocityTrack) -> Bool {
        let sigma = GnssAccuracy(of: fix)
        gnssBiasSigma = (sigma.horizontalSlow, sigma.verticalSlow)
        noteQuality(fix.quality)
        let lag = state.positionLagSeconds
        let velocity = track.velocity(at: state.time.advanced(bySeconds: -0.5 * lag), fallback: state.velocityENU)
        let lever = state.vehicleToENU.rotate(leverArmBody)
        let altitude = fix.altitudeEllipsoidMeters ?? state.position.altitudeEllipsoidMeters
        let observed = GeodeticPosition(latitudeRadians: latitude, longitudeRadians: longitude, altitudeEllipsoidMeters: altitude)
        let offset = state.position.surfaceOffsetMeters(to: observed)
        let predicted = lever + state.gnssBiasENU - velocity * lag
        let innovation = Vector3(offset.east, offset.north, altitude - state.position.altitudeEllipsoidMeters) - predicted

        func component(_ axis: Int, _ sigma: Double) -> Component {
            var row = ObservationRow()
            row.add(ErrorIndex.position + axis, 1)
            // d(Exp(a) C l)/da = -[C l]x
            if leverArmBody != .zero { row.add(ErrorIndex.attitude, -lever.skew.row(axis)) }
            row.add(ErrorIndex.positionLag, -velocity[axis])
            row.add(ErrorIndex.gnssBias + axis, 1)
            return Component(row: row, innovation: innovation[axis], variance: sigma * sigma)
        }
        let taken = take(
            .gnssPosition, component(0, sigma.horizontalFast), component(1, sigma.horizontalFast), gate: Self.positionGate)
        if taken, fix.altitudeEllipsoidMeters != nil {
            take(.gnssHeight, component(2, sigma.verticalFast), gate: Self.positionGate)
        }
        if taken {
            lastFixTime = state.time
            refusals = nil
        } else {
            refuse(fix, at: observed)
        }
        return taken
    }

    /// Another kind of solution has another slow error, of which nothing is known yet.
    private mutating func noteQuality(_ quality: FixQuality) {
        defer { lastQuality = quality }
        guard let lastQuality, lastQuality != quality else { return }
        let range = ErrorIndex.gnssBias..<ErrorIndex.gnssBias + 3
        covariance.restart(range, variance: gnssBiasSigma.horizontal * gnssBiasSigma.horizontal)
        covariance[23, 23] = gnssBiasSigma.vertical * gnssBiasSigma.vertical
        state.gnssBiasENU = .zero
    }

    private mutating func takeVelocity(_ velocity: HorizontalVelocity, of fix: GnssFix, track: VelocityTrack) {
        let lag = state.velocityLagSeconds
        let seen = track.velocity(at: state.time.advanced(bySeconds: -lag), fallback: state.velocityENU)
        let slope = abs(lag) > 0.02 ? (state.velocityENU - seen) / lag : state.accelerationENU
        // A receiver filters its velocity, so its error grows with the acceleration.
        let sigma = max(fix.speedSigmaMetersPerSecond ?? 0.3, 0.05) + 0.05 * slope.length
        let bodyRate = state.sensorToENU.rotate(state.angularRateSensor)
        let leverVelocity = bodyRate.cross(state.vehicleToENU.rotate(leverArmBody))
        func component(_ axis: Int, _ observed: Double, _ sigma: Double) -> Component {
            var row = ObservationRow()
            row.add(ErrorIndex.velocity + axis, 1)
            row.add(ErrorIndex.velocityLag, -slope[axis])
            return Component(row: row, innovation: observed - seen[axis] - leverVelocity[axis], variance: sigma * sigma)
        }
        let taken = take(
            .gnssVelocity, component(0, velocity.eastMetersPerSecond, sigma), component(1, velocity.northMetersPerSecond, sigma),
            gate: Self.velocityGate)
        watchHeading(against: velocity, velocityTaken: taken)
        if let climb = fix.climbMetersPerSecond {
            // Receivers filter the climb two to three times longer than the horizontal velocity.
            let climbSigma = max(fix.climbSigmaMetersPerSecond ?? 0.5, 0.3)
            take(.gnssClimb, component(2, climb, climbSigma), gate: Self.velocityGate)
        }
    }
}

/// A stated accuracy, divided into what is new with every fix and what stays for a minute.
///
/// Most of a receiver's error is common to many epochs (atmosphere, multipath, its own filter); treated as new each time it
/// would be averaged away and the filter would believe itself far too good.
struct GnssAccuracy {
    /// New with each fix, each horizontal axis, metres.
    var horizontalFast: Double
    /// Common to the fixes of a minute, each horizontal axis, metres.
    var horizontalSlow: Double
    /// New with each fix, height, metres.
    var verticalFast: Double
    /// Common to the fixes of a minute, height, metres.
    var verticalSlow: Double

    /// The share of the stated sigma that is new with each fix.
    private static let fastShare = 0.25

    /// What a carrier-phase solution with unresolved ambiguities is wrong by, whatever it states, metres.
    private static let floatSigma = 0.15

    /// The division of a fix's stated sigmas; 5 m and 10 m where nothing is stated (an autonomous receiver under open sky).
    init(of fix: GnssFix) {
        let least = fix.quality == .rtkFloat ? Self.floatSigma : 0.005
        let h = max(fix.horizontalSigmaMeters ?? 5, least)
        let v = max(fix.verticalSigmaMeters ?? 2 * h, 2 * least)
        horizontalFast = max(Self.fastShare * h, 0.01)
        horizontalSlow = h
        verticalFast = max(Self.fastShare * v, 0.02)
        verticalSlow = v
    }
}
