import Glibc
import PoseMath

/// The attitude by gravity and the Earth's magnetic field, whose turn about the vertical shows the heading.
struct MagneticHeading: Sendable {
    /// Time of validity.
    var time: MonotonicTime
    /// Sensor axes to east-north-up, north the true one.
    var sensorToENU: Quaternion
    /// Variance of its heading, that of the declination in it, rad2.
    var variance: Double
    /// Tangent of the dip: what a wrong level turns the heading by.
    var dipTangent: Double
}

/// The magnetic heading in the running filter.
///
/// Starts where the profile uses it, with a magnetometer that has been calibrated by turns, and a known declination.
/// Used as far as the filter's own heading is known worse. Stops while the field is disturbed.
extension NavigationFilter {
    /// Fuses a magnetic heading; the state has been predicted to its time.
    /// docs/math.md, eq. 5.30.
    mutating func fuseMagneticHeading(_ heading: MagneticHeading) {
        var component = magneticHeadingComponent(heading)
        let known = covariance.variance(of: component.row)
        let lasting = component.variance
        let white = Tuning.MagneticHeading.whiteSigma * Tuning.MagneticHeading.whiteSigma
        let gate = Tuning.MagneticHeading.gate
        guard component.innovation * component.innovation < gate * gate * (known + lasting + white) else {
            reject(.magneticHeading, component, gate: gate, because: .innovation)
            return
        }
        // The iron that is left turns with the boat and lasts: however many headings come, its error counts once.
        component.variance = max(white, known * lasting / max(known - lasting, 1e-6 * lasting))
        fuse(.magneticHeading, component, gate: .infinity)
    }

    /// Observation of the turn about the vertical from the filter's attitude to the magnetic one, radians, with the
    /// variance of one heading.
    /// docs/math.md, eq. 5.30.
    mutating func magneticHeadingComponent(_ heading: MagneticHeading) -> Component {
        let turn = heading.sensorToENU * state.sensorToENU.inverse
        var row = ObservationRow()
        row.add(.attitude.z, 1)
        // The level of both differs while the boat is accelerated; the field then leans out of its plane.
        let tilt = 2 * (turn.x * turn.x + turn.y * turn.y).squareRoot() * heading.dipTangent
        return Component(
            row: row, innovation: Angle.wrappedToPi(2 * atan2(turn.z, turn.w)),
            variance: heading.variance + tilt * tilt)
    }
}

extension PoseEstimator {
    /// The heading by the magnetometer where its calibration is known and the declination, too; `nil` otherwise, and
    /// where the readings have ended: the gyro alone would hold it. `mutating` so that the call does not copy the
    /// estimator.
    var magneticHeading: MagneticHeading? {
        mutating get {
            guard traits.usesMagneticHeading, let sample = lastSample, !attitude.magnetometer.isDisturbed,
                lastMagneticTime.map({ sample.time.seconds(since: $0) < Tuning.MagneticHeading.freshSeconds }) ?? false,
                let toMagnetic = attitude.findings.sensorToMagneticENU,
                let variation = declination?.radians ?? statedDeclination
            else { return nil }
            let own = declination?.sigmaRadians ?? Tuning.Output.declinationSigma
            let sigma = attitude.findings.magneticHeadingSigma
            guard sigma < Tuning.MagneticHeading.largestSigma else { return nil }
            let field = attitude.magnetometer.field
            return MagneticHeading(
                time: sample.time,
                sensorToENU: Quaternion(rotationVector: Vector3(0, 0, -variation)) * toMagnetic,
                variance: sigma * sigma + own * own,
                dipTangent: abs(field.z) / max(field.horizontalLength, 1e-9))
        }
    }

    /// Gives the running filter a magnetic heading where one is due.
    mutating func aidWithMagneticHeading() {
        guard traits.usesMagneticHeading, let now = lastSample?.time,
            lastMagneticHeadingTime.map({ now.seconds(since: $0) >= Tuning.MagneticHeading.intervalSeconds }) ?? true,
            let heading = magneticHeading
        else { return }
        lastMagneticHeadingTime = now
        _ = delayedMeasurements.insert(.magneticHeading(heading), into: &filter)
    }

    /// The heading of the level frame by the magnetometer, with which the filter starts; `nil` without one.
    /// docs/math.md, eq. 5.30.
    mutating func magneticStartHeading(sensorToLevel: Quaternion) -> StartHeading? {
        guard let heading = magneticHeading else { return nil }
        let turn = heading.sensorToENU * sensorToLevel.inverse
        return StartHeading(levelToENURadians: 2 * atan2(turn.z, turn.w), sigma: heading.variance.squareRoot())
    }
}
