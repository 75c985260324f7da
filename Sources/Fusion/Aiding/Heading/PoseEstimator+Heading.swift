import Measurements
import PoseMath

/// The receiver's own heading while the filter does not run: a vehicle that stands has a true heading by it.
struct ReceiverHeading: Sendable {
    /// Time of validity.
    var time: MonotonicTime
    /// Heading of the vehicle, clockwise from north, radians.
    var radians: Double
    /// 1-sigma, radians.
    var sigma: Double
    /// Level of the attitude filter then; `nil` without one.
    var sensorToLevel: Quaternion?
}

extension PoseEstimator {
    /// Keeps the heading of a fix, to be published while the filter does not run.
    mutating func noteHeading(of fix: GnssFix) {
        guard traits.isFastened, let stated = fix.headingTrueRadians, carriedBaseline.givenUpAt == nil,
            !fix.isInterfered
        else { return }
        let variance =
            carriedBaseline.whiteVariance(statedSigma: fix.headingSigmaRadians) + carriedBaseline.lastingVariance
        // Since the time of a late fix the body may have turned.
        let sample = delayedMeasurements.beginning(before: fix.validityTime)
        let then = sample.flatMap { delayedMeasurements[$0].sensorToLevel }
        receiverHeading = ReceiverHeading(
            time: fix.validityTime, radians: Angle.wrappedToTwoPi(stated - carriedBaseline.angle),
            sigma: variance.squareRoot(), sensorToLevel: then ?? attitude.findings.sensorToLevel)
    }

    /// Publishes the receiver's heading, turned on by the gyro, where the angle of the baseline is told or confirmed;
    /// in motion the course is surer than an angle that nothing has confirmed.
    mutating func describeReceiverHeading(_ next: inout PoseEstimate) {
        guard let heading = receiverHeading,
            next.time.seconds(since: heading.time) < Tuning.Heading.freshSeconds,
            carriedBaseline.isUsable || (carriedBaseline.isTold && !isReceiverMoving(at: next.time))
        else { return }
        let level = hasFreshSample(at: next.time) ? attitude.findings.sensorToLevel : nil
        var yaw = .pi / 2 - heading.radians
        if let level, let then = heading.sensorToLevel { yaw += (level * then.inverse).rotationVector.z }
        // Without wheels the mount is known from the start: where none is told, the sensor's axes are the body's.
        if let level, let mount = knownMount ?? (traits.rollsOnWheels ? nil : Quaternion.identity) {
            let body = level * mount.inverse
            let turn = yaw - (.pi / 2 - EulerAngles(bodyToENU: body).headingTrueRadians)
            next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, Angle.wrappedToPi(turn))) * body
        } else {
            next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, Angle.wrappedToPi(yaw)))
        }
        next.headingSigmaRadians = heading.sigma
        next.forgetMagneticHeading()
    }

    /// The heading of the receiver's antennas as the course has shown it; `nil` without one.
    var headingCalibration: HeadingCalibration? {
        mutating get {
            guard lastFix?.headingTrueRadians != nil else { return nil }
            let baseline = isNavigating ? filter.baseline : carriedBaseline
            return HeadingCalibration(
                baselineRadians: baseline.angle, baselineSigmaRadians: max(baseline.variance, 0).squareRoot(),
                scatterFactor: max(baseline.meanSquare, 1).squareRoot(), isUsed: isNavigating && baseline.isUsable,
                isGivenUp: baseline.givenUpAt != nil)
        }
    }
}

extension PoseEstimate {
    /// Forgets the heading of the magnetometer, because that of another source is published: where the declination is
    /// known, the magnetic heading and its sigma follow from the true one.
    mutating func forgetMagneticHeading() {
        guard magneticVariationRadians != nil else { return }
        (headingMagneticRadians, headingMagneticSigmaRadians) = (nil, nil)
    }
}
