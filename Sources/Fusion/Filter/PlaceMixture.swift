import Glibc
import PoseMath

/// What the published place is the place of, and at which time.
///
/// Where: an arm of a few centimetres is not found as accurately as the receiver measures. So there are two hypotheses:
/// the antenna is anywhere on the car, and the place is that of the IMU, or it is beside the IMU, as in one housing,
/// and the place is that of the antenna. When: the clocks of IMU and receiver agree, or one of them is early, or the
/// receiver is late. A clock shifts position and velocity alike, a receiver that is late filters the velocity more.
/// Each hypothesis has a place and a variance, and what is published is their mean.
struct PlaceMixture: Sendable {
    /// What the filter knows about place, arm and lag.
    let known: PlaceCovariance
    /// What the place of the antenna, as the receiver sees it a lag later, gains with arm and lag.
    let antenna: PlaceColumns
    /// Estimates of arm, forward and left, metres, and of the position's lag, seconds.
    let armAndLag: Vector3
    /// The mean acceleration of the last moments, east, north, up, m/s2.
    let acceleration: Vector3
    /// Lag of the velocity, seconds.
    let velocityLag: Double
    /// Variance of the velocity's lag less that of the position, s2.
    let lagDifferenceVariance: Double
    /// Whether the lag is surely one of the clocks.
    let isLagOfClocks: Bool
    /// Whether the settings state the receiver's lag: then every other one is the clock's.
    let isLagTold: Bool
    /// Whether the lag of the velocity tells a clock from a receiver that is late. On a person it does not, and hardly
    /// any clock of an IMU is early.
    var doesVelocityTellClocks = true
    /// 1-sigma of the place of an antenna that is elsewhere, forward and left, metres.
    var untoldAntennaSigma = Tuning.Antenna.unknownSigma
    /// 1-sigma of the common error of the fixes' times of validity, seconds.
    var fixTimeSigma = 0.0

    /// The mean over all hypotheses.
    /// docs/math.md, eq. 5.22.
    ///
    /// - Parameter besideProbability: that the antenna is beside the IMU; `nil` where its place is told.
    func mean(besideProbability: Double?) -> HypotheticalPlace {
        guard let besideProbability else { return place(isBeside: false) }
        var imu = place(isBeside: false)
        // Level turns do not show how far above the IMU an antenna is. As long as it is more probably beside the IMU,
        // most heights are as sure as that.
        if besideProbability < 0.5 {
            imu.variance.z += Tuning.Antenna.unknownUpSigma * Tuning.Antenna.unknownUpSigma
        }
        return imu.mean(with: place(isBeside: true), share: besideProbability)
    }

    /// The place of the IMU, or of an antenna beside it.
    private func place(isBeside: Bool) -> HypotheticalPlace {
        let arm = ArmPlace(known, isBeside ? antenna : PlaceColumns(), lag: antenna.lag)
        func hypothesis(doClocksAgree: Bool) -> PlaceHypothesis {
            PlaceHypothesis(
                known, estimate: armAndLag, untoldSigma: untoldAntennaSigma, isBeside: isBeside,
                doClocksAgree: doClocksAgree)
        }
        let free = hypothesis(doClocksAgree: false)
        let lag = armAndLag.z + free.lag.change
        let variance = max(free.lag.variance, 0)
        let shifted = place(arm, under: free, lag: lag)
        let clock =
            ownClockProbability(lag: lag, variance: variance) * imuClockProbability(lag: lag, variance: variance)
        let other = clock == 1 ? shifted : lateReceiver(arm, under: free).mean(with: shifted, share: clock)
        guard !isLagTold else { return other }
        let agreed = hypothesis(doClocksAgree: true)
        let near = armAndLag.z + agreed.lag.change
        var together = place(arm, under: agreed, lag: isBeside ? near : 0)
        together.setBack = (0, max(agreed.lag.variance, 0) + near * near)
        if !isBeside {
            // A forward arm and a lag move the fixes alike. The little lag of clocks that agree is the other side of
            // the arm's error, and both together leave the place right; or it is a lag, and the place is so much off.
            let way = antenna.lag * near
            together.variance += way * way
        }
        return other.mean(with: together, share: Self.agreementProbability(lag: lag, variance: variance))
    }

    /// The probability that the lag is a difference of the clocks, and not a receiver that is late.
    /// docs/math.md, eq. 5.23.
    private func ownClockProbability(lag: Double, variance: Double) -> Double {
        // A receiver cannot be early.
        if isLagOfClocks || isLagTold || lag <= 0 { return 1 }
        guard doesVelocityTellClocks else { return 0 }
        return Self.clockProbability(
            lag: lag, variance: variance, difference: velocityLag - lag, differenceVariance: lagDifferenceVariance)
    }

    /// The probability that a lag that is one of the clocks is in the stamps of the IMU, and not in the times of
    /// validity of the fixes, which a wrong system clock has made wrong.
    /// docs/math.md, eq. 5.23.
    private func imuClockProbability(lag: Double, variance: Double) -> Double {
        guard fixTimeSigma > 0 else { return 1 }
        let (imu, fixes) = (Tuning.GNSS.clockSigma, fixTimeSigma)
        let (imuVariance, fixVariance) = (imu * imu + variance, fixes * fixes + variance)
        let odds =
            (1 - Tuning.GNSS.agreementProbability) * (fixVariance / imuVariance).squareRoot()
            * exp(-0.5 * lag * lag * (1 / imuVariance - 1 / fixVariance))
        return odds / (1 + odds)
    }

    /// The place where the receiver is late, or the times of its fixes are wrong. The stamps of the IMU may be wrong as
    /// well, by less than the lag and without a trace: both shift the fixes alike.
    /// docs/math.md, eq. 5.22.
    private func lateReceiver(_ arm: ArmPlace, under hypothesis: PlaceHypothesis) -> HypotheticalPlace {
        var place = place(arm, under: hypothesis, lag: 0)
        let way = antenna.lag * Tuning.GNSS.clockSigma
        place.variance += way * way * (1 - Tuning.GNSS.agreementProbability)
        place.setBack.variance = 0
        return place
    }

    /// The place of the IMU, or of an antenna beside it, at the time of the filter's state and at a receiver's stamp.
    private struct ArmPlace {
        let gains: PlaceColumns
        let now: GainedPlace
        let atStamp: GainedPlace

        init(_ known: PlaceCovariance, _ gains: PlaceColumns, lag: Vector3) {
            var (still, moving) = (gains, gains)
            (still.lag, moving.lag) = (.zero, lag)
            (self.gains, now, atStamp) = (still, known.place(gains: still), known.place(gains: moving))
        }
    }

    /// The place at a receiver's stamp under a hypothesis.
    ///
    /// - Parameter lag: difference of the clocks, seconds.
    private func place(_ arm: ArmPlace, under hypothesis: PlaceHypothesis, lag: Double) -> HypotheticalPlace {
        var place = HypotheticalPlace(offset: hypothesis.change(of: arm.now))
        place.offset += arm.gains.forward * armAndLag.x + arm.gains.left * armAndLag.y
        // The lag is the one that the hypothesis leaves.
        place.offset += NavigationState.stampOffset(lag: lag, velocity: -antenna.lag, acceleration: acceleration)
        place.variance =
            pointwiseMax(hypothesis.variance(of: lag == 0 ? arm.now : arm.atStamp), .zero)
            + Vector3(repeating: Self.unseenVariance(overLag: lag))
        let lagVariance = max(hypothesis.lag.variance, 0)
        place.setBack.seconds = Self.surelyLate(by: lag, sigma: lagVariance.squareRoot())
        let left = lag - place.setBack.seconds
        place.setBack.variance = lagVariance + left * left
        return place
    }

    /// By how much velocity and attitude are surely late, seconds: what is left of the lag beyond its sigma and beyond
    /// what any receiver has. Unlike the position, they are not more accurate at the receiver's stamp.
    /// docs/math.md, eq. 3.4.
    private static func surelyLate(by lag: Double, sigma: Double) -> Double {
        lag > 0 ? max(lag - sigma - Tuning.GNSS.usualLag, 0) : min(lag + sigma, 0)
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
    ///
    /// - Parameters:
    ///   - lag: of the position, seconds, and its variance, s2.
    ///   - difference: of the velocity's lag from that, seconds, and its variance, s2.
    static func clockProbability(
        lag: Double, variance: Double, difference: Double, differenceVariance: Double
    ) -> Double {
        func below(_ limit: Double, _ value: Double, variance: Double) -> Double {
            0.5 * erfc((value - limit) / max(2 * variance, 1e-12).squareRoot())
        }
        return below(Tuning.GNSS.largestClockLag, lag, variance: variance)
            * below(Tuning.GNSS.largestUnfilteredLag, difference, variance: differenceVariance)
    }
}

/// The place under a hypothesis, as the way from the place of the filter's state.
struct HypotheticalPlace: Sendable {
    /// From the place of the state, east, north, up, metres.
    var offset = Vector3.zero
    /// Time by which velocity and attitude are to be set back, seconds, and its variance, s2.
    var setBack = (seconds: 0.0, variance: 0.0)
    /// Variance, east, north, up, m2.
    var variance = Vector3.zero

    /// The mean with another place, which has the probability `share`. Velocity and attitude are those of the more
    /// probable one: only one of both may be turned back.
    /// docs/math.md, eq. 5.22.
    func mean(with other: HypotheticalPlace, share: Double) -> HypotheticalPlace {
        let apart = other.offset - offset
        return HypotheticalPlace(
            offset: offset + apart * share, setBack: share < 0.5 ? setBack : other.setBack,
            variance: variance * (1 - share) + other.variance * share + apart * apart * (share * (1 - share)))
    }
}
