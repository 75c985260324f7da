import Glibc
import Measurements
import PoseMath

/// How late the receiver is: what the start of the filter takes for it, and what the next filter begins with.
extension PoseEstimator {
    /// Lags of the receiver: found, or assumed.
    ///
    /// That of the velocity is found against the IMU (7.3), the difference of both from the fixes alone (7.19). A
    /// filter that delays the velocity may delay the position by any share of that, and a difference of the clocks of
    /// IMU and receiver shifts both: that is the prior.
    /// docs/math.md, eq. 7.18.
    /// Reading is `mutating` so that it does not copy the estimator.
    var receiverLags: ReceiverLags {
        mutating get {
            let found = foundLag
            if let carriedLags {
                let gate = Tuning.Mount.gate * max(found?.lagSigma ?? 0, carriedLags.velocitySigma)
                if abs((found?.lagSeconds ?? carriedLags.velocity) - carriedLags.velocity) < gate { return carriedLags }
            }
            var lags = ReceiverLags(
                velocity: Tuning.GNSS.assumedVelocityLag, velocitySigma: Tuning.GNSS.assumedVelocityLagSigma,
                difference: Tuning.GNSS.assumedVelocityLag)
            if let found {
                (lags.velocity, lags.velocitySigma) = (found.lagSeconds, max(found.lagSigma, lags.velocitySigma))
                lags.slopeOfMotion = 0
                lags.difference = lags.velocity
            }
            if let told = toldPositionLag {
                lags.position = told
                if found != nil { lags.difference = lags.velocity - told }
                return lags
            }
            guard velocityAge == 0 else { return lagsOfPositions(found) }
            guard showsLags else {
                (lags.velocitySigma, lags.positionSigma) = Self.hiddenLagSigmas
                return lags
            }
            if found == nil, let apart = lagDifference.found, apart.isDelay { return Self.lagsOfDelay(apart) }
            var mixed = mix(lags, velocitySigma: found?.lagSigma ?? lags.velocitySigma)
            mixed.slopeOfMotion = found.map { mixed.covariance / ($0.lagSigma * $0.lagSigma) }
            return mixed
        }
    }

    /// Lags with that of the position, where the velocity's is a normal distribution: the mean over three values of it.
    /// docs/math.md, eq. 7.18.
    func mix(_ known: ReceiverLags, velocitySigma: Double) -> ReceiverLags {
        var lags = known
        var (mean, square, product) = (0.0, 0.0, 0.0)
        for point in GaussHermite.threePoints {
            let (offset, weight) = (point.sigmas * velocitySigma, point.weight)
            let lag = positionLag(ofVelocityLag: known.velocity + offset)
            mean += weight * lag.mean
            square += weight * (lag.mean * lag.mean + lag.variance)
            product += weight * lag.mean * offset
        }
        lags.position = mean
        lags.positionSigma = (square - mean * mean).squareRoot()
        lags.covariance = product
        lags.difference = lags.velocity - mean
        return lags
    }

    /// Lag of the position, seconds, and its variance, of a receiver whose velocity has a lag.
    /// docs/math.md, eq. 7.18.
    private func positionLag(ofVelocityLag velocityLag: Double) -> (mean: Double, variance: Double) {
        let delay = velocityLag - Tuning.GNSS.longestSmoothingSeconds
        let longest = delay > 0 ? min(2 * delay, velocityLag) : 0
        let clock = Tuning.GNSS.clockSigma * Tuning.GNSS.clockSigma
        let prior = (mean: longest / 2, variance: longest * longest / 12 + clock)
        guard let difference = lagDifference(isUsual: delay <= 0) else { return prior }
        let gain = prior.variance / (prior.variance + difference.variance)
        return (
            prior.mean + gain * (velocityLag - difference.seconds - prior.mean), prior.variance * (1 - gain)
        )
    }

    /// Lag of the position of the receiver in use as the settings tell it, seconds; `nil` where they do not.
    var toldPositionLag: Double? { settings.toldPositionLag(of: lastFix?.receiver ?? 0) }

    /// Whether the motion shows the lags: on a person those of a receiver that is so late that it shows no gait.
    /// `mutating` so that the call does not copy the estimator.
    var showsLags: Bool {
        mutating get {
            traits.showsLags
                || (carriedLags.map { max($0.position, $0.velocity) } ?? 0) > Tuning.GNSS.longestSmoothingSeconds
                || (foundLag?.lagSeconds ?? 0) > Tuning.GNSS.longestSmoothingSeconds
        }
    }

    /// What the search has found, where its lag is known.
    private var foundLag: InMotionAligner.Alignment? {
        aligner.found.flatMap { $0.lagSigma < Tuning.Start.largestLagSigma ? $0 : nil }
    }

    /// Whether the lags are told, or have been found against the IMU: in this search or by an earlier filter.
    /// `mutating` so that the call does not copy the estimator.
    var areLagsFound: Bool {
        mutating get {
            carriedLags != nil || toldPositionLag != nil
                || (aligner.found?.lagSigma ?? .infinity) < Tuning.Start.largestLagSigma
        }
    }

    /// By how much the velocity is older than the position, seconds, and its variance, s2: what usual receivers have,
    /// and what the fixes tell; `nil` where neither is known.
    private func lagDifference(isUsual: Bool) -> (seconds: Double, variance: Double)? {
        let sigma = Tuning.GNSS.assumedVelocityLagSigma
        let usual = isUsual ? (seconds: Tuning.GNSS.assumedVelocityLag, variance: sigma * sigma) : nil
        guard let found = lagDifference.found else { return usual }
        let own = found.sigma * found.sigma
        guard let usual else { return (found.seconds, own) }
        let gain = usual.variance / (usual.variance + own)
        return (usual.seconds + gain * (found.seconds - usual.seconds), usual.variance * (1 - gain))
    }

    /// Lags of a receiver that delays its velocity against its position, where the IMU does not tell them: it may delay
    /// the position as well, by up to twice as much. The position stays where the receiver has it.
    /// docs/math.md, eq. 7.18.
    private static func lagsOfDelay(_ apart: LagDifferenceEstimator.Difference) -> ReceiverLags {
        // Root mean square about 0 of a uniform distribution between 0 and twice the difference.
        let sigma = 2 * apart.seconds / 3.0.squareRoot()
        return ReceiverLags(
            velocity: apart.seconds, velocitySigma: hypot(sigma, apart.sigma), position: 0, positionSigma: sigma,
            covariance: sigma * sigma, difference: apart.seconds)
    }

    /// Lags of a receiver without velocity: what was found is that of its positions.
    private func lagsOfPositions(_ found: InMotionAligner.Alignment?) -> ReceiverLags {
        var lags = ReceiverLags(
            velocity: Tuning.GNSS.assumedVelocityLag, velocitySigma: Tuning.GNSS.assumedVelocityLagSigma,
            difference: 0)
        if let found, found.lagSeconds > Tuning.GNSS.longestSmoothingSeconds {
            (lags.position, lags.positionSigma) = (found.lagSeconds, found.lagSigma)
        } else if traits.showsLags {
            lags.positionSigma = Tuning.GNSS.clockSigma
        } else {
            (lags.velocitySigma, lags.positionSigma) = Self.hiddenLagSigmas
        }
        return lags
    }

    /// 1-sigma of the lags of velocity and position where the start does not show them, seconds.
    private static var hiddenLagSigmas: (Double, Double) {
        (Tuning.GNSS.hiddenVelocityLagSigma, Tuning.GNSS.hiddenPositionLagSigma)
    }

    /// Whether the lag of the position is known well enough to start: as that of the velocity, or to less than the
    /// position's own error. Where the start does not show it, the filter finds it.
    mutating func isPositionLagKnown(for fix: GnssFix, speed: Double) -> Bool {
        guard showsLags else { return true }
        let sigma = receiverLags.positionSigma
        return sigma <= Tuning.Start.largestLagSigma || sigma * speed < GnssAccuracy(of: fix).horizontalBias
    }

    /// Carries the lags that a filter has found over to the next one.
    mutating func carryLagsOver() {
        // The filter may not have seen the last fix, one of another receiver.
        guard filter.showsLags, filter.receiver == lastFix?.receiver ?? 0 else { return }
        let (position, velocity) = (
            filter.covariance[.positionLag, .positionLag],
            filter.covariance[.velocityLag, .velocityLag]
        )
        let known = Tuning.Start.knownLagSigma * Tuning.Start.knownLagSigma
        guard filter.isPositionLagEstimated, max(position, velocity) < known else { return }
        let state = filter.state
        carriedLags = ReceiverLags(
            velocity: state.velocityLagSeconds, velocitySigma: Tuning.GNSS.assumedVelocityLagSigma,
            position: state.positionLagSeconds, positionSigma: max(position, 0).squareRoot(),
            isOfClocks: filter.isLagOfClocks,
            difference: state.velocityLagSeconds - state.positionLagSeconds)
    }
}
