import Glibc
import PoseMath

/// The place that is published, with its variance before the innovations scale it.
struct PublishedPlace: Sendable {
    /// The state at that place.
    var state: NavigationState
    /// Variance of the place, east, north, up, m2.
    var variance: Vector3
}

/// What the published place is the place of, and at which time.
///
/// Where: an arm of a few centimetres is not found as accurately as the receiver measures. So there are two hypotheses:
/// the antenna is anywhere on the car, and the place is that of the IMU, or it is beside the IMU, as in one housing,
/// and the place is that of the antenna. When: the clocks of IMU and receiver agree, or one of them is early, or the
/// receiver is late. A clock shifts position and velocity alike, a receiver that is late filters the velocity more.
/// Each hypothesis has a place and a variance, and what is published is their mean.
extension NavigationFilter {
    /// The published place.
    /// docs/math.md, eq. 5.22.
    ///
    /// - Parameters:
    ///   - isAntennaTold: whether the settings state the place of the antenna.
    ///   - isLagTold: whether they state the receiver's lag: then every other one is the clock's.
    mutating func publishedPlace(isAntennaTold: Bool, isLagTold: Bool) -> PublishedPlace {
        let place = place(isAntennaTold: isAntennaTold, isLagTold: isLagTold)
        var published = PublishedPlace(state: state, variance: place.variance)
        published.state.move(byENU: place.offset)
        published.state.turnBack(seconds: place.setBackSeconds)
        return published
    }

    private mutating func place(isAntennaTold: Bool, isLagTold: Bool) -> HypotheticalPlace {
        let known = PlaceCovariance(of: &covariance)
        guard !isAntennaTold else { return place(known, isBeside: false, swingLag: 0, isLagTold: isLagTold) }
        let arm = (state.antennaArmMeters * state.antennaArmMeters).sum().squareRoot()
        let imu = place(
            known, isBeside: false, swingLag: Tuning.Antenna.swingLagPerMeter * arm, isLagTold: isLagTold)
        let antenna = place(known, isBeside: true, swingLag: 0, isLagTold: isLagTold)
        return imu.mean(with: antenna, share: antennaArm.probabilityOfBeside)
    }

    /// The place of the IMU, or of an antenna beside it.
    ///
    /// - Parameter swingLag: a lag up to this, either way, may come from an error of the arm and is left out; seconds.
    private mutating func place(
        _ known: PlaceCovariance, isBeside: Bool, swingLag: Double, isLagTold: Bool
    ) -> HypotheticalPlace {
        let free = PlaceHypothesis(known, state: state, isBeside: isBeside, doClocksAgree: false)
        func beyondSwing(_ lag: Double) -> Double { lag - min(max(lag, -swingLag), swingLag) }
        let lag = beyondSwing(state.positionLagSeconds + free.lag.change)
        let variance = max(free.lag.variance, 0)
        let shifted = place(under: free, isBeside: isBeside, lag: lag, sigma: variance.squareRoot())
        guard !isLagTold else { return shifted }
        let late = place(under: free, isBeside: isBeside, lag: 0, sigma: 0)
        let agreed = PlaceHypothesis(known, state: state, isBeside: isBeside, doClocksAgree: true)
        let near = beyondSwing(state.positionLagSeconds + agreed.lag.change)
        let together = place(under: agreed, isBeside: isBeside, lag: near, sigma: Tuning.GNSS.usualLag)
        let other = late.mean(with: shifted, share: clockProbability(lag: lag, variance: variance))
        return other.mean(with: together, share: Self.agreementProbability(lag: lag, variance: variance))
    }

    /// The place at a receiver's stamp under a hypothesis. It is `mutating`, because the filter would be copied
    /// otherwise.
    ///
    /// - Parameters:
    ///   - lag: difference of the clocks, seconds, and its 1-sigma.
    private mutating func place(
        under hypothesis: PlaceHypothesis, isBeside: Bool, lag: Double, sigma: Double
    ) -> HypotheticalPlace {
        var place = HypotheticalPlace()
        let axes = state.vehicleToENU.matrix
        let velocity = state.velocityENU
        for axis in 0..<3 {
            // What the place gains with the arm, forward and left, and with the lag.
            var gains = isBeside ? Vector3(axes[axis, 0], axes[axis, 1], 0) : .zero
            place.offset[axis] = hypothesis.change(ofPosition: axis, gains: gains)
            if lag != 0 { gains.z = -velocity[axis] }
            place.variance[axis] =
                max(hypothesis.variance(ofPosition: axis, gains: gains), 0) + Self.unseenVariance(overLag: lag)
        }
        if isBeside { place.offset += axes * Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, 0) }
        place.offset += state.stampOffset(lag: lag)
        place.setBackSeconds = NavigationState.stampSeconds(lag: lag, sigma: sigma)
        return place
    }

    /// Variance of what a vehicle may have moved since the last samples of an IMU whose clock is late, on each axis,
    /// m2: its acceleration is a random walk.
    /// docs/math.md, eq. 3.4.
    static func unseenVariance(overLag lag: Double) -> Double {
        let seconds = max(-lag, 0)
        let squared = seconds * seconds * Tuning.GNSS.unseenAccelerationWalk
        return 0.25 * squared * squared * (Tuning.Delay.accelerationSeconds / 2 + seconds / 5)
    }

    /// The probability that the clocks agree and the receiver has the lag of any other.
    /// docs/math.md, eq. 5.23.
    private static func agreementProbability(lag: Double, variance: Double) -> Double {
        let wide = Tuning.GNSS.clockSigma * Tuning.GNSS.clockSigma + variance
        let near = Tuning.GNSS.agreeingClockSigma * Tuning.GNSS.agreeingClockSigma + variance
        let odds =
            Tuning.GNSS.agreementProbability / (1 - Tuning.GNSS.agreementProbability) * (wide / near).squareRoot()
            * exp(-0.5 * lag * lag * (1 / near - 1 / wide))
        return odds / (1 + odds)
    }

    /// The probability that a lag of the position is a difference of the clocks, and not a receiver that is late.
    /// docs/math.md, eq. 5.23.
    private mutating func clockProbability(lag: Double, variance: Double) -> Double {
        // A receiver cannot be early.
        guard lag > 0 else { return 1 }
        func below(_ limit: Double, _ value: Double, variance: Double) -> Double {
            0.5 * erfc((value - limit) / max(2 * variance, 1e-12).squareRoot())
        }
        var difference = ObservationRow()
        difference.add(.velocityTimeConstant, 1)
        difference.add(.positionLag, -1)
        return below(Tuning.GNSS.largestClockLag, lag, variance: variance)
            * below(
                Tuning.GNSS.largestUnfilteredLag, state.velocityTimeConstantSeconds - lag,
                variance: covariance.variance(of: difference))
    }
}

/// The place under a hypothesis, as the way from the place of the filter's state.
private struct HypotheticalPlace {
    /// From the place of the state, east, north, up, metres.
    var offset = Vector3.zero
    /// Time by which velocity and attitude are to be set back, seconds.
    var setBackSeconds = 0.0
    /// Variance, east, north, up, m2.
    var variance = Vector3.zero

    /// The mean with another place, which has the probability `share`. Velocity and attitude are those of the more
    /// probable one.
    /// docs/math.md, eq. 5.22.
    func mean(with other: HypotheticalPlace, share: Double) -> HypotheticalPlace {
        let apart = other.offset - offset
        return HypotheticalPlace(
            offset: offset + apart * share, setBackSeconds: share < 0.5 ? setBackSeconds : other.setBackSeconds,
            variance: variance * (1 - share) + other.variance * share + apart * apart * (share * (1 - share)))
    }
}
