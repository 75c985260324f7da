import Frames
import Fusion
import Geodesy
import Glibc
import PoseMath

extension Frame.Triple {
    /// The three components.
    init(_ v: Vector3) { self.init(v.x, v.y, v.z) }
}

extension Vector3 {
    /// The three components.
    init(_ v: Frame.Triple) { self.init(v.x, v.y, v.z) }
}

extension Quaternion {
    /// The attitude of a frame.
    init(_ q: Frame.Quadruple) { self.init(w: q.w, x: q.x, y: q.y, z: q.z) }
}

extension Frame.PoseState {
    /// The estimator's state in the form of the frame.
    init(_ state: PoseState) {
        self =
            switch state {
            case .starting: .starting
            case .aligning: .aligning
            case .coarse: .coarse
            case .aligned: .aligned
            case .deadReckoning: .deadReckoning
            case .lost: .lost
            case .attitudeOnly: .attitudeOnly
            }
    }
}

extension Frame.Pose {
    /// Writes an estimate into the frame. The engine sets fix mode, satellites and the origin's number.
    mutating func describe(
        _ estimate: PoseEstimate, origin: LocalFrame?, trimRadians: Double, courseMinimumSpeed: Double
    ) {
        state = Frame.PoseState(estimate.state)
        describePlace(estimate, origin: origin)
        describeMotion(estimate, courseMinimumSpeed: courseMinimumSpeed)
        describeAttitude(estimate, trimRadians: trimRadians)
        isStandingStill = estimate.isStandingStill
        fixAgeSeconds = estimate.fixAgeSeconds
        resetCount = estimate.resetCount
        resetDeltaENUMeters = Frame.Triple(estimate.resetDeltaENUMeters)
        resetDeltaHeadingRadians = estimate.resetDeltaHeadingRadians
    }

    private mutating func describePlace(_ estimate: PoseEstimate, origin: LocalFrame?) {
        latitudeRadians = estimate.position?.latitudeRadians
        longitudeRadians = estimate.position?.longitudeRadians
        altitudeEllipsoidMeters = estimate.isAltitudeKnown ? estimate.position?.altitudeEllipsoidMeters : nil
        altitudeMeanSeaMeters = estimate.geoidSeparationMeters.flatMap { separation in
            altitudeEllipsoidMeters.map { $0 - separation }
        }
        positionSigmaENUMeters = estimate.positionSigmaENUMeters.map { Frame.Triple($0) }
        positionENUMeters = estimate.position.flatMap { place in origin.map { Frame.Triple($0.enuMeters(of: place)) } }
        originLatitudeRadians = origin?.origin.latitudeRadians
        originLongitudeRadians = origin?.origin.longitudeRadians
        originAltitudeEllipsoidMeters = origin?.origin.altitudeEllipsoidMeters
    }

    private mutating func describeMotion(_ estimate: PoseEstimate, courseMinimumSpeed: Double) {
        velocityENUMetersPerSecond = estimate.velocityENUMetersPerSecond.map { Frame.Triple($0) }
        velocitySigmaENUMetersPerSecond = estimate.velocitySigmaENUMetersPerSecond.map { Frame.Triple($0) }
        courseOverGroundRadians = estimate.velocityENUMetersPerSecond.flatMap { v in
            v.horizontalLength >= courseMinimumSpeed ? Angle.wrappedToTwoPi(atan2(v.x, v.y)) : nil
        }
        angularRateBodyRadiansPerSecond = estimate.angularRateBodyRadiansPerSecond.map { Frame.Triple($0) }
        linearAccelerationBodyMetersPerSecondSquared = estimate.linearAccelerationBodyMetersPerSecondSquared.map {
            Frame.Triple($0)
        }
    }

    /// The true heading minus the declination; without a true heading, the magnetometer's own.
    private func magneticHeading(_ estimate: PoseEstimate, trimRadians: Double) -> Double? {
        if let headingTrueRadians, let variation = estimate.magneticVariationRadians {
            return Angle.wrappedToTwoPi(headingTrueRadians - variation)
        }
        return estimate.headingMagneticRadians.map { Angle.wrappedToTwoPi($0 + trimRadians) }
    }

    /// 1-sigma of that heading.
    private func magneticHeadingSigma(_ estimate: PoseEstimate) -> Double? {
        guard headingMagneticRadians != nil else { return nil }
        if let own = estimate.headingMagneticSigmaRadians { return own }
        guard let heading = estimate.headingSigmaRadians, let variation = estimate.magneticVariationSigmaRadians else {
            return nil
        }
        return (heading * heading + variation * variation).squareRoot()
    }

    private mutating func describeAttitude(_ estimate: PoseEstimate, trimRadians: Double) {
        headingTrimRadians = trimRadians
        headingSigmaRadians = estimate.headingSigmaRadians
        tiltSigmaRadians = estimate.tiltSigmaRadians
        guard let untrimmed = estimate.bodyToENU else {
            (bodyToENU, rollRadians, pitchRadians, headingTrueRadians) = (nil, nil, nil, nil)
            (headingMagneticRadians, headingMagneticSigmaRadians) = (nil, nil)
            (gravityDirectionBody, slipMetersPerSecondSquared) = (nil, nil)
            (accelerationENUMetersPerSecondSquared, turnRateRadiansPerSecond) = (nil, nil)
            return
        }
        let attitude =
            trimRadians == 0 ? untrimmed : Quaternion(rotationVector: Vector3(0, 0, -trimRadians)) * untrimmed
        let angles = EulerAngles(bodyToENU: attitude)
        accelerationENUMetersPerSecondSquared = estimate.linearAccelerationBodyMetersPerSecondSquared.map {
            Frame.Triple(untrimmed.rotate($0))
        }
        turnRateRadiansPerSecond =
            estimate.headingSigmaRadians == nil
            ? nil : estimate.angularRateBodyRadiansPerSecond.flatMap { angles.headingRate(bodyRate: $0) }
        let down = attitude.inverse.rotate(-Vector3.unitZ)
        bodyToENU = Frame.Quadruple(attitude.w, attitude.x, attitude.y, attitude.z)
        rollRadians = angles.rollRadians
        pitchRadians = angles.pitchRadians
        headingTrueRadians = estimate.headingSigmaRadians == nil ? nil : angles.headingTrueRadians
        headingMagneticRadians = magneticHeading(estimate, trimRadians: trimRadians)
        headingMagneticSigmaRadians = magneticHeadingSigma(estimate)
        gravityDirectionBody = Frame.Triple(down)
        // The deflection of an inclinometer ball: acceleration to the left minus the lateral component of gravity moves
        // it to the right.
        slipMetersPerSecondSquared = estimate.linearAccelerationBodyMetersPerSecondSquared.map {
            $0.y - 9.806_65 * down.y
        }
    }
}

extension EulerAngles {
    /// Heading rate, clockwise positive, from the body rate (x forward, y left, z up); `nil` if the nose points so
    /// steeply that the heading is undefined (Groves 2013 eq. 2.58).
    fileprivate func headingRate(bodyRate: Vector3) -> Double? {
        let level = cos(pitchRadians)
        guard level > 0.05 else { return nil }
        return (-bodyRate.y * sin(rollRadians) - bodyRate.z * cos(rollRadians)) / level
    }
}
