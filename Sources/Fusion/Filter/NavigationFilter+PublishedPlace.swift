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
        var lagDifference = ObservationRow()
        lagDifference.add(.velocityLag, 1)
        lagDifference.add(.positionLag, -1)
        let mixture = PlaceMixture(
            known: PlaceCovariance(of: &covariance), antenna: antennaGains(),
            armAndLag: Vector3(state.antennaArmMeters.x, state.antennaArmMeters.y, state.positionLagSeconds),
            acceleration: state.meanAccelerationENU, velocityLag: state.velocityLagSeconds,
            lagDifferenceVariance: covariance.variance(of: lagDifference), isLagTold: isLagTold)
        let place = mixture.mean(besideProbability: isAntennaTold ? nil : antennaArm.probabilityOfBeside)
        let turned = state.turnedBack(seconds: place.setBackSeconds)
        return PublishedPlace(
            position: state.position.moved(byENU: place.offset), velocityENU: turned.velocityENU,
            sensorToENU: turned.sensorToENU, variance: place.variance,
            antennaVariance: mixture.known.place(gains: mixture.antenna).variance)
    }

    /// What the place of the antenna, as the receiver sees it a lag later, gains with arm and lag. It is `mutating`,
    /// because the filter would be copied otherwise.
    mutating func antennaGains() -> PlaceColumns {
        let axes = state.vehicleToENU
        return PlaceColumns(forward: axes.rotate(.unitX), left: axes.rotate(.unitY), lag: -state.velocityENU)
    }
}
