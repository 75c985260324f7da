import Geodesy
import PoseMath

/// The place that is published, with its variance before the innovations scale it.
struct PublishedPlace: Sendable {
    var position: GeodeticPosition
    /// East, north, up, m/s.
    var velocityENU: Vector3
    var sensorToENU: Quaternion
    /// Variance of the place, east, north, up, m2.
    var variance: Vector3
    /// Variance of the time at which velocity and attitude are those, s2.
    var timeVariance: Double
    /// Variance of the antenna's place in the filter, east, north, up, m2.
    var antennaVariance: Vector3
}

extension NavigationFilter {
    /// The published place.
    /// docs/math.md, eq. 5.22.
    ///
    /// - Parameters:
    ///   - isAntennaTold: whether the settings state the place of the antenna.
    ///   - isLagTold: whether they state the receiver's lag: then every other one is the clock's.
    mutating func publishedPlace(isAntennaTold: Bool, isLagTold: Bool) -> PublishedPlace {
        let untold = profile.traits.antennaSigma ?? Tuning.Antenna.unknownSigma
        let mixture = PlaceMixture(
            known: PlaceCovariance(of: &covariance), antenna: antennaGains(),
            armAndLag: Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, state.positionLagSeconds),
            acceleration: state.meanAccelerationENU, velocityLag: state.velocityLagSeconds,
            lagDifferenceVariance: lagDifferenceVariance, isLagOfClocks: isLagOfClocks, isLagTold: isLagTold,
            doesVelocityTellClocks: showsLags, untoldAntennaSigma: untold, fixTimeSigma: fixTimeSigma)
        let place = mixture.mean(
            besideProbability: isAntennaTold ? nil : antennaArm.probabilityOfBeside(untoldSigma: untold))
        let turned = state.turnedBack(seconds: place.setBack.seconds)
        return PublishedPlace(
            position: state.position.moved(byENU: place.offset), velocityENU: turned.velocityENU,
            sensorToENU: turned.sensorToENU, variance: place.variance, timeVariance: place.setBack.variance,
            antennaVariance: mixture.known.place(gains: mixture.antenna).variance)
    }

    /// Variance of the velocity's lag less that of the position, s2. It is `mutating`, because the filter would be
    /// copied otherwise.
    private var lagDifferenceVariance: Double {
        mutating get {
            var difference = ObservationRow()
            difference.add(.velocityLag, 1)
            difference.add(.positionLag, -1)
            return covariance.variance(of: difference)
        }
    }

    /// Notes with a fix whether the lag of the position is surely one of the clocks.
    /// docs/math.md, eq. 5.23.
    mutating func noteLagOfClocks() {
        guard isPositionLagEstimated, !isLagOfClocks, fixTimeSigma == 0, showsLags else { return }
        let lag = state.positionLagSeconds
        let probability = PlaceMixture.clockProbability(
            lag: lag, variance: covariance[.positionLag, .positionLag], difference: state.velocityLagSeconds - lag,
            differenceVariance: lagDifferenceVariance)
        isLagOfClocks = probability > Tuning.GNSS.sureClockProbability
    }

    /// What the place of the antenna, as the receiver sees it a lag later, gains with arm and lag. It is `mutating`,
    /// because the filter would be copied otherwise.
    mutating func antennaGains() -> PlaceColumns {
        let axes = antennaAxesToENU
        return PlaceColumns(forward: axes.rotate(.unitX), left: axes.rotate(.unitY), lag: -state.velocityENU)
    }
}
