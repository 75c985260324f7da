import Measurements
import PoseMath

/// Wheel speed: the forward speed of the vehicle, late by an estimated lag and wrong by an estimated scale.
///
/// Starts on a vehicle when readings and the filter's speed above 3 m/s, while fixes came, have shown scale and lag,
/// after 5 s at the earliest. Only compared, and not fused, where more than a fifth of the readings of the last 20 s
/// was refused, with fixes or without, until fixes agree again; calibrated anew where half of them was refused while
/// fixes came. What is refused at a crawl does not count. Stops with the filter.
extension NavigationFilter {
    /// Calibration and agreement of the wheels beside their scale and lag.
    struct Wheels: Sendable {
        /// Time of the last reading.
        var lastTime: MonotonicTime?
        /// Search for scale and lag.
        var search = WheelLagSearch()
        /// Whether both have been found.
        var isCalibrated = false
        /// Resolution of the readings.
        var resolution = WheelResolution()
        /// Readings in motion that repeat while the vehicle changes its speed: a bridge that sends its last one again.
        private(set) var repetition = RepetitionRun()
        private var lastReading: Float = 0
        /// Share of recent readings that were accepted; those accepted without fixes do not count.
        var agreement = 1.0
        /// Mean normalised square of the innovations while fixes came.
        var meanSquare = 1.0
        /// -1 where the readings are negative while the vehicle goes ahead.
        var sign = 1.0
        /// Whether that is known: an earlier drive does not tell it.
        var isSignKnown = true
        /// Sum of the signs of the readings during the search, those of going back turned, over their time, seconds.
        var signSeconds = 0.0
        /// Whether a reading that goes back has been taken: then none is turned at a crawl.
        var statesDirection = false

        /// Counts a reading that repeats the one before.
        ///
        /// - Parameter isContradicted: whether the motion says that it should have changed: a rounded speed repeats for
        ///   as long as the vehicle keeps its speed.
        mutating func noteRepetition(_ reading: Double, isContradicted: Bool) {
            // As fine as any speed: a mean of equal ones differs from them in its last bits.
            let reading = Float(reading)
            repetition.count(reading == lastReading && reading != 0, isContradicted: isContradicted)
            lastReading = reading
        }

        /// Forgets scale and lag.
        mutating func restartSearch() {
            (search, isCalibrated, agreement, meanSquare) = (WheelLagSearch(), false, 1, 1)
            (signSeconds, statesDirection) = (0, false)
        }
    }

    /// The velocity that the wheels state now.
    struct WheelView {
        /// The velocity then, turned with the vehicle to its present heading, east, north, up, m/s.
        var velocity: Vector3
        /// The turn about up since then, radians.
        var turn = 0.0
        /// Change of that velocity for each second of lag, m/s2.
        var slope = Vector3.zero
        /// Change of the slope for each second of lag, m/s3.
        var bend = Vector3.zero
        /// What the specific force has made of the velocity since then, east, north, up, m/s.
        var force = Vector3.zero
        /// Variance of the lag, s2.
        var lagVariance = 0.0
    }

    /// Whether the wheels are calibrated and have agreed with the fixes.
    var isWheelSpeedTrusted: Bool { wheels.isCalibrated && wheels.agreement > Tuning.Wheels.leastAgreement }

    /// Fuses a wheel speed that is stamped now.
    ///
    /// - Parameter forceHistory: history of ``forceIntegral``, up to the last sample.
    mutating func fuseWheelSpeed(_ speed: Double, forceHistory: VectorHistory) {
        guard profile.traits.rollsOnWheels else { return }
        let seconds = min(
            wheels.lastTime.map { state.time.seconds(since: $0) } ?? Tuning.Wheels.correlationSeconds,
            Tuning.Wheels.longestIntervalSeconds)
        wheels.lastTime = state.time
        wheels.resolution.update(abs(speed), seconds: seconds)
        guard wheels.isCalibrated else {
            wheels.noteRepetition(speed, isContradicted: false)
            if hasRecentFix { calibrateWheels(speed, seconds: seconds, forceHistory: forceHistory) }
            return
        }
        noteSign(of: speed)
        let component = wheelSpeedComponent(wheels.sign * speed, seen: velocitySeenByWheels(forceHistory))
        let step = state.wheelScale * wheels.resolution.step
        wheels.noteRepetition(speed, isContradicted: step > 0 && abs(component.innovation) > step)
        let isTaken = fuse(component, seconds: seconds)
        if isTaken, wheels.sign * speed < 0 { wheels.statesDirection = true }
        // Without fixes the filter soon is too unsure to refuse: what it takes then proves nothing.
        guard hasRecentFix || !isTaken else { return }
        // At a crawl good wheels may be refused: those that state no direction, or nothing below some speed.
        let fastest = max(abs(state.velocityVehicle.x), state.wheelScale * abs(speed))
        guard isTaken || fastest > Tuning.Wheels.calibrationSpeed else { return }
        wheels.agreement +=
            ((isTaken ? 1 : 0) - wheels.agreement) * min(seconds / Tuning.Wheels.agreementSeconds, 1)
        guard hasRecentFix else { return }
        if wheels.agreement < Tuning.Wheels.lostAgreement { wheels.restartSearch() }
    }

    /// Finds the sign of wheels that an earlier drive has calibrated, as soon as the vehicle surely goes ahead.
    /// docs/math.md, eq. 5.17.
    private mutating func noteSign(of speed: Double) {
        let least = Tuning.Wheels.calibrationSpeed
        guard !wheels.isSignKnown, hasRecentFix, state.velocityVehicle.x > least,
            state.wheelScale * abs(speed) > least
        else { return }
        (wheels.sign, wheels.isSignKnown) = (speed < 0 ? -1 : 1, true)
    }

    /// Fuses the observation of a reading if it passes the gate and the wheels are trusted; whether it passes.
    /// docs/math.md, eq. 5.19.
    private mutating func fuse(_ component: Component, seconds: Double) -> Bool {
        let scaleSquare = state.wheelScale * state.wheelScale
        let known = covariance.variance(of: component.row)
        let single = known + component.variance + scaleSquare * wheels.resolution.ownVariance
        let square = component.innovation * component.innovation / single
        if hasRecentFix {
            let limited = min(square, Tuning.Wheels.largestSquare)
            wheels.meanSquare += (limited - wheels.meanSquare) * min(seconds / Tuning.Wheels.agreementSeconds, 1)
        }
        var correlated = component
        // Slip, tread and wandering delays are correlated in time: readings that follow faster count together as one.
        correlated.variance *=
            max(Tuning.Wheels.slipSeconds / max(seconds, Tuning.Wheels.leastIntervalSeconds), 1)
            * max(wheels.meanSquare, 1)
        correlated.variance += scaleSquare * wheels.resolution.variance(afterSeconds: seconds)
        guard !wheels.repetition.isFault else {
            reject(.wheelSpeed, component, gate: Tuning.Wheels.gate, because: .stuck)
            return false
        }
        guard square < Tuning.Wheels.gate * Tuning.Wheels.gate else {
            reject(.wheelSpeed, component, gate: Tuning.Wheels.gate, because: .innovation)
            return false
        }
        guard wheels.agreement > Tuning.Wheels.leastAgreement else {
            // Wheels that contradicted the fixes are compared and not used (a driven wheel on ice).
            reject(.wheelSpeed, correlated, gate: Tuning.Wheels.gate, because: .contradicted)
            return true
        }
        return fuse(.wheelSpeed, correlated, gate: Tuning.Wheels.gate)
    }

    /// Compares the readings with the filter's speeds of the past, until scale and lag are known well enough to start.
    /// docs/math.md, eq. 5.17.
    private mutating func calibrateWheels(_ reading: Double, seconds: Double, forceHistory: VectorHistory) {
        guard let beganAt, state.time.seconds(since: beganAt) > Tuning.Wheels.longestLagSeconds,
            let direction = state.velocityENU.normalized,
            state.velocityENU.length > Tuning.Wheels.calibrationSpeed,
            abs(reading) > Tuning.Wheels.calibrationSpeed * Tuning.Wheels.leastScale
        else { return }
        var row = ObservationRow()
        row.add(.velocity, direction)
        let sigma = Tuning.Wheels.speedSigma + Tuning.Wheels.speedSigmaShare * state.velocityENU.length
        var speeds = InlineArray<31, Double>(repeating: 0)
        for k in 0..<speeds.count {
            speeds[k] =
                velocity(delayedBySeconds: Double(k) * Tuning.Wheels.lagStepSeconds, forceHistory: forceHistory)
                .length
        }
        let ahead = state.velocityVehicle.x
        wheels.signSeconds += (reading < 0) == (ahead < 0) ? seconds : -seconds
        wheels.search.add(
            abs(reading), seconds: seconds, variance: sigma * sigma + covariance.variance(of: row), speeds: speeds)
        switch wheels.search.outcome {
        case .searching: return
        case .misfit: wheels.restartSearch()
        case .found(let result):
            (wheels.sign, wheels.isSignKnown) = (wheels.signSeconds < 0 ? -1 : 1, true)
            startWheels(result)
        }
    }

    /// Starts scale and lag with what an earlier drive, or the filter before, has found.
    /// docs/math.md, eq. 7.33.
    ///
    /// - Parameter sign: of the readings ahead, 1 or -1; `nil` where it is unknown.
    mutating func startWheels(_ prior: SensorPrior.Wheels, sign: Double? = nil) {
        (wheels.sign, wheels.isSignKnown) = (sign ?? 1, sign != nil)
        startWheels(
            WheelLagSearch.Result(
                scale: prior.scale, scaleVariance: prior.scaleSigma * prior.scaleSigma, lagSeconds: prior.lagSeconds,
                lagVariance: prior.lagSigmaSeconds * prior.lagSigmaSeconds, covariance: 0))
    }

    /// Starts scale and lag with what the search has found.
    private mutating func startWheels(_ result: WheelLagSearch.Result) {
        wheels.isCalibrated = true
        state.wheelScale = result.scale
        state.wheelLagSeconds = result.lagSeconds
        restart(.wheelScale, variance: result.scaleVariance)
        restart(.wheelLag, variance: result.lagVariance)
        covariance[.wheelScale, .wheelLag] = result.covariance
        covariance[.wheelLag, .wheelScale] = result.covariance
    }

    /// The velocity as late wheels state it. A lag below zero is one of the IMU.
    /// docs/math.md, eq. 5.18.
    mutating func velocitySeenByWheels(_ forceHistory: VectorHistory) -> WheelView {
        let lag = state.wheelLagSeconds
        let variance = covariance[.wheelLag, .wheelLag]
        let delay = max(lag, 0)
        let step = max(variance.squareRoot(), Tuning.Wheels.slopeSeconds)
        let now = velocity(delayedBySeconds: delay, forceHistory: forceHistory)
        let before = velocity(delayedBySeconds: delay + step, forceHistory: forceHistory)
        let first = velocity(delayedBySeconds: delay + 2 * step, forceHistory: forceHistory)
        let slope = (before - now) / step
        let then = now + slope * (lag - delay)
        let turn = state.meanYawRate * lag
        let turned = Quaternion(rotationVector: Vector3(0, 0, turn))
        let velocity = turned.rotate(then)
        return WheelView(
            velocity: velocity, turn: turn,
            slope: turned.rotate(slope) + Vector3(0, 0, state.meanYawRate).cross(velocity),
            bend: turned.rotate((first - before) / step - slope) / step,
            force: state.velocityENU - then + Vector3(0, 0, InertialSample.standardGravity * lag), lagVariance: variance
        )
    }

    /// Whether a speed without a direction is one backwards. A slow vehicle must surely go back, about as fast as that:
    /// one that just pulls away is not.
    /// docs/math.md, eq. 5.9.
    ///
    /// - Parameters:
    ///   - forward: velocity of the vehicle along its axis, m/s.
    ///   - axis: that axis, east, north, up.
    private mutating func isBackward(_ speed: Double, forward: Double, along axis: Vector3) -> Bool {
        guard speed > 0, forward < 0 else { return false }
        guard forward >= -Tuning.Wheels.reversingSpeed else { return true }
        guard !wheels.statesDirection else { return false }
        var row = ObservationRow()
        row.add(.velocity, axis)
        let surely = Tuning.Wheels.gate * Tuning.Wheels.gate * covariance.variance(of: row)
        return forward * forward > surely && state.wheelScale * speed < -2 * forward
    }

    /// Observation of the wheel speed, m/s: the forward velocity over the scale, some time ago.
    /// docs/math.md, eq. 5.9.
    ///
    /// - Parameters:
    ///   - speed: as stated.
    ///   - seen: what the wheels state; `nil`: the present velocity.
    mutating func wheelSpeedComponent(_ speed: Double, seen: WheelView? = nil) -> Component {
        let seen = seen ?? WheelView(velocity: state.velocityENU)
        let toVehicle = (state.sensorToVehicle * state.sensorToENU.inverse).matrix
        let v = toVehicle * seen.velocity
        let slope = (toVehicle * seen.slope).x
        let signed = isBackward(speed, forward: v.x, along: toVehicle.row(0)) ? -speed : speed
        var row = ObservationRow()
        let ahead = Quaternion(rotationVector: Vector3(0, 0, -seen.turn)).rotate(toVehicle.row(0))
        row.add(.velocity, ahead)
        row.add(.attitude, (toVehicle * seen.velocity.skew).row(0) + ahead.cross(seen.force))
        row.add(.mount, -v.skew.row(0))
        row.add(.wheelScale, -signed)
        row.add(.wheelLag, slope)
        let sigma = Tuning.Wheels.speedSigma + Tuning.Wheels.speedSigmaShare * abs(state.wheelScale * signed)
        let jitter = Tuning.Wheels.lagJitterSigma * slope
        // The second order of an error of the lag.
        let bend = (toVehicle * seen.bend).x * seen.lagVariance
        return Component(
            row: row, innovation: state.wheelScale * signed - v.x,
            variance: sigma * sigma + jitter * jitter + 0.5 * bend * bend, observation: speed)
    }
}
