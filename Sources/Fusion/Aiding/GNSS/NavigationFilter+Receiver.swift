import Measurements
import PoseMath

/// What is assumed of a receiver of which nothing was measured.
struct ReceiverPrior: Sendable {
    /// Place of the antenna from the IMU, of the first receiver and of others: the settings describe the first one.
    var antenna: (first: AntennaArm, others: AntennaArm)
    /// Whether the settings state the place of the first receiver's antenna.
    var isAntennaTold = false
    /// Lag of the position, seconds, and its 1-sigma, of the first receiver and of others.
    var positionLag = (first: 0.0, others: 0.0)
    var positionLagSigma = (first: 0.0, others: 0.0)
    /// Baseline of the antennas of a receiver that states a heading.
    var baseline: HeadingBaseline

    /// What the settings tell.
    /// docs/math.md, eq. 7.18.
    init(settings: FusionSettings) {
        baseline = HeadingBaseline(settings: settings)
        let untold = AntennaArm(untoldOn: settings.profile)
        antenna = (untold, untold)
        if let told = settings.toldAntenna {
            isAntennaTold = true
            antenna.first = told
        }
        // The clock's share of the difference between the lag of the velocity and what usual receivers have.
        let clock = Tuning.GNSS.clockSigma * Tuning.GNSS.clockSigma
        let usual = 2 * Tuning.GNSS.assumedVelocityLagSigma * Tuning.GNSS.assumedVelocityLagSigma
        let unknown =
            settings.profile.traits.showsLags
            ? (clock * usual / (clock + usual)).squareRoot() : Tuning.GNSS.hiddenPositionLagSigma
        positionLag.first = settings.gnssPositionLagSeconds
        positionLagSigma = (settings.gnssPositionLagSeconds == 0 ? unknown : 0, unknown)
    }
}

/// The change to another receiver: another antenna, other lags, another accuracy. What was learned of the receiver
/// before must not be taken for that of the next one.
extension NavigationFilter {
    /// Restarts everything that was learned of a receiver. Position, velocity and attitude stay: they are those of the
    /// body.
    /// docs/math.md, eq. 7.30.
    mutating func change(toReceiverOf fix: GnssFix) {
        let isFirst = fix.receiver == 0
        receiver = fix.receiver
        restartLags(
            position: isFirst ? receiverPrior.positionLag.first : receiverPrior.positionLag.others,
            sigma: isFirst ? receiverPrior.positionLagSigma.first : receiverPrior.positionLagSigma.others)
        let antenna = isFirst ? receiverPrior.antenna.first : receiverPrior.antenna.others
        // Where no turns show it, the arm is what it is told to be.
        if profile.traits.findsAntenna {
            restartAntennaArm(antenna)
        } else {
            state.antennaArmMeters = antenna.meters
        }
        let accuracy = GnssAccuracy(of: fix)
        setGNSSBias(accuracy)
        restart(.gnssBias.horizontal, variance: accuracy.horizontalBias * accuracy.horizontalBias)
        restart(.gnssBias.z, variance: accuracy.verticalBias * accuracy.verticalBias)
        state.gnssBiasENU = .zero
        (noiseScaling, velocityScaling) = (GNSSNoiseScaling(), GNSSNoiseScaling())
        for source in [AidSource.gnssPosition, .gnssHeight, .gnssVelocity, .gnssClimb] {
            aids[Int(source.rawValue)].varianceFactor = 1
        }
        lastVelocityInnovation = nil
        (usualFixInterval, usualVelocityInterval, biasBefore) = (FixInterval(), FixInterval(), nil)
        gnssIntegrity = GNSSIntegrityMonitor()
        (contest, lagMonitor) = (PredictionContest(), ReceiverLagMonitor())
        baseline = receiverPrior.baseline
        (lastQuality, lastComparedFix) = (fix.quality, nil)
        (rejectedRun, strayedSinceUse, refusedHeights) = (nil, nil, nil)
        (refusedVelocities, velocitiesRefusedSince, contradictedSeconds, lastCourseTime) = (0, nil, 0, nil)
    }

    private mutating func restartLags(position: Double, sigma: Double) {
        showsLags = profile.traits.showsLags
        state.positionLagSeconds = position
        state.velocityLagSeconds = Tuning.GNSS.assumedVelocityLag
        let settled = isPositionLagEstimated ? Tuning.Start.settledPositionLagSigma : 0
        var own = 0.0
        if case .constant(let least, _)? = StateTable.entry(.positionLag)?.initialSigma { own = least * least }
        restart(.positionLag, variance: sigma * sigma + settled * settled + own)
        let unknown = showsLags ? Tuning.GNSS.assumedVelocityLagSigma : Tuning.GNSS.hiddenVelocityLagSigma
        restart(.velocityLag, variance: unknown * unknown)
        isLagOfClocks = false
    }
}

extension PoseEstimator {
    /// Forgets what was learned of a receiver outside the filter, where a fix comes from another one.
    mutating func noteReceiver(of fix: GnssFix) {
        guard let last = lastFix, last.receiver != fix.receiver else { return }
        carriedLags = nil
        carriedBaseline = HeadingBaseline(settings: settings)
        lagDifference = LagDifferenceEstimator()
        derivedVelocity.restart()
        velocityProof = VelocityProof()
        fixInterval = FixInterval()
        receiverHeading = nil
        if !isNavigating { forgetAlignment() }
    }
}
