import Geodesy
import Glibc
import Measurements
import PoseMath

/// The published attitude while the navigation filter does not run.
extension PoseEstimator {
    /// Level from the attitude filter; heading from the magnetometer, else from the course in motion (a vehicle goes
    /// where it points).
    mutating func describeAttitude(_ next: inout PoseEstimate) {
        guard hasFreshSample(at: next.time), let toLevel = attitude.findings.sensorToLevel else {
            guard let sigma = traits.courseHeadingSigma, let course = freshCourse(at: next.time) else { return }
            next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, .pi / 2 - course.radians))
            next.headingSigmaRadians = hypot(sigma, course.sigma)
            return
        }
        if traits.rollsOnWheels, knownMount == nil {
            return describeUnmounted(&next, toLevel: toLevel)
        }
        let mount = knownMount ?? .identity
        let bias = attitude.gyroBias
        next.angularRateBodyRadiansPerSecond = lastSample.map { mount.rotate($0.angularRate - bias) }
        let mountTilt = traits.rollsOnWheels ? mounts.prior?.tiltSigmaRadians ?? 0 : toldMountSigma
        next.tiltSigmaRadians = tiltSigma(with: mountTilt)
        next.bodyToENU = toLevel * mount.inverse
        if let toMagnetic = attitude.findings.sensorToMagneticENU {
            describeMagneticHeading(&next, bodyToMagneticENU: toMagnetic * mount.inverse)
        }
        if canReckon(at: next.time), let heading = reckonedHeading,
            heading.sigma < next.headingSigmaRadians ?? .infinity
        {
            describeReckonedHeading(&next, heading, toLevel: toLevel)
            next.forgetMagneticHeading()
        }
    }

    /// Attitude of a vehicle while the mount is unknown: nothing tells where its nose points but the way that it goes,
    /// and a magnetometer shows the heading of the sensor alone. A vehicle stands on its wheels: its lean is that
    /// against the last rest, unless the sensor was turned since, and where it moves along its course it is level.
    /// docs/math.md, eq. 7.28.
    private mutating func describeUnmounted(_ next: inout PoseEstimate, toLevel: Quaternion) {
        let up = toLevel.inverse.rotate(.unitZ)
        let rested = restingUp(near: up)
        let standing = Quaternion(from: rested ?? up, to: .unitZ)
        let slope = Tuning.Mount.restingSlope
        let unrested = rested == nil ? Tuning.Start.movingMountTiltSigma : 0
        next.tiltSigmaRadians = tiltSigma(with: (slope * slope + unrested * unrested).squareRoot())
        // Roll and pitch rates need the direction of the nose.
        next.angularRateBodyRadiansPerSecond = lastSample.map {
            Vector3(0, 0, up.dot($0.angularRate - attitude.gyroBias))
        }
        if canReckon(at: next.time), let heading = reckonedHeading {
            describeReckonedHeading(&next, heading, toLevel: toLevel)
        } else if let course = freshCourse(at: next.time) {
            next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, .pi / 2 - course.radians))
            next.headingSigmaRadians = hypot(Tuning.Output.courseSigmaVehicle, course.sigma)
        } else {
            next.bodyToENU = toLevel * standing.inverse
        }
    }

    /// 1-sigma of roll and pitch with that of the mount, radians. `mutating` so that the call does not copy the
    /// estimator.
    private mutating func tiltSigma(with mountTilt: Double) -> Double {
        (attitude.findings.tiltSigma * attitude.findings.tiltSigma + mountTilt * mountTilt).squareRoot()
    }

    /// 1-sigma of the mount about the vertical, radians: what a magnetometer shows is the heading of the sensor.
    /// `mutating` so that the call does not copy the estimator.
    private var mountHeadingSigma: Double {
        mutating get { traits.rollsOnWheels ? mounts.prior?.sigmaBodyRadians.z ?? 0 : toldMountSigma }
    }

    /// Magnetic heading from the magnetometer; the true heading where the declination is known.
    /// docs/math.md, eq. 4.19, eq. 8.15.
    private mutating func describeMagneticHeading(_ next: inout PoseEstimate, bodyToMagneticENU: Quaternion) {
        let angles = EulerAngles(bodyToENU: bodyToMagneticENU)
        next.headingMagneticRadians = angles.headingTrueRadians
        var sigma = hypot(attitude.findings.magneticHeadingSigma, mountHeadingSigma)
        if !traits.rollsOnWheels, let tilt = next.tiltSigmaRadians {
            sigma = min(hypot(sigma, tan(angles.pitchRadians) * tilt), .pi)
        }
        next.headingMagneticSigmaRadians = sigma
        guard let variation = next.magneticVariationRadians, let own = next.magneticVariationSigmaRadians else {
            next.bodyToENU = bodyToMagneticENU
            return
        }
        // Declination is east positive: true north lies that far to the left of magnetic north.
        next.bodyToENU = Quaternion(rotationVector: Vector3(0, 0, -variation)) * bodyToMagneticENU
        next.headingSigmaRadians = hypot(sigma, own)
    }

    /// The declination: by the magnetic model, else as the receiver states it, or has stated it.
    mutating func describeDeclination(_ next: inout PoseEstimate) {
        if let declination {
            next.magneticVariationRadians = declination.radians
            next.magneticVariationSigmaRadians = declination.sigmaRadians
            return
        }
        next.magneticVariationRadians = statedDeclination
        next.magneticVariationSigmaRadians = statedDeclination.map { _ in Tuning.Output.declinationSigma }
    }

    /// Keeps the course of a fix or, where it shows none, adds to the way since the last one, on which a vehicle turns.
    /// docs/math.md, eq. 7.37.
    mutating func noteCourse(of fix: GnssFix) {
        let seconds = lastFix.map { max(fix.validityTime.seconds(since: $0.validityTime), 0) } ?? 0
        let isSilenceInMotion =
            seconds > Tuning.Output.courseSeconds && lastFix.flatMap(Self.courseVelocity(of:)) != nil
        if seconds > lostSeconds || isSilenceInMotion { courseWay = .infinity }
        if let velocity = Self.courseVelocity(of: fix) {
            (courseRadians, courseTime, courseWay) = (Self.course(of: velocity), fix.validityTime, 0)
        } else {
            courseWay += Self.movingSpeed(of: fix) * seconds
        }
    }

    /// The velocity of a fix where its course is the body's; `nil` where it is too slow, or too little known.
    private static func courseVelocity(of fix: GnssFix) -> HorizontalVelocity? {
        guard let velocity = fix.horizontalVelocity, velocity.speedMetersPerSecond > Tuning.Output.courseSpeed,
            GnssAccuracy.isMotion(velocity.speedMetersPerSecond, sigma: fix.assumedSpeedSigma)
        else { return nil }
        return velocity
    }

    /// Speed of a fix, m/s; zero where it may be the noise of a body at rest.
    private static func movingSpeed(of fix: GnssFix) -> Double {
        let speed = fix.horizontalVelocity?.speedMetersPerSecond ?? 0
        let isMotion = GnssAccuracy.isMotion(speed, sigma: fix.assumedSpeedSigma)
        return isMotion || speed > Tuning.Output.courseSpeed ? speed : 0
    }

    /// The last course of the receiver, radians, carried on by its acceleration, and what is unsure of it, 1-sigma, if
    /// it is recent.
    /// docs/math.md, eq. 7.37.
    private mutating func freshCourse(at time: MonotonicTime) -> (radians: Double, sigma: Double)? {
        guard let fix = lastFix else { return nil }
        let age = max(time.seconds(since: fix.validityTime), 0)
        guard age < Tuning.Output.courseSeconds else { return nil }
        guard let velocity = Self.courseVelocity(of: fix) else {
            return courseBeforeSlow(at: time, unseenWay: Self.movingSpeed(of: fix) * age)
        }
        guard velocityAge == 0, let acceleration = positionFilter?.acceleration else {
            // The mean between two places is that of their middle.
            let unseen = derivedAccelerationSigma * (velocityAge + age)
            let sigma = hypot(fix.assumedSpeedSigma, unseen) / velocity.speedMetersPerSecond
            return sigma < Tuning.Output.largestHeadingSigma ? (Self.course(of: velocity), sigma) : nil
        }
        let seen = Vector3(velocity.eastMetersPerSecond, velocity.northMetersPerSecond, 0)
        let now = acceleration.carry(seen, over: age, slowest: Tuning.Output.courseSpeed).velocity
        let speed = max(now.horizontalLength, Tuning.Output.courseSpeed)
        let unseen = acceleration.sigma(after: age).velocity / speed
        let late = acceleration.turnRate(at: seen) * Tuning.Output.courseLagSigma
        return (Angle.wrappedToTwoPi(atan2(now.x, now.y)), hypot(unseen, late))
    }

    /// The course from before the body became too slow for one, and what it may have turned since: a person turns at
    /// once, a vehicle on its way. `nil` where that is too much.
    /// docs/math.md, eq. 7.37.
    ///
    /// - Parameter unseenWay: since the last fix, metres.
    private mutating func courseBeforeSlow(
        at time: MonotonicTime, unseenWay: Double
    ) -> (radians: Double, sigma: Double)? {
        guard let courseRadians else { return nil }
        guard traits.rollsOnWheels else {
            let isRecent = time.seconds(since: courseTime) < Tuning.Output.courseSeconds
            return isRecent ? (courseRadians, Tuning.Output.slowCourseSigma) : nil
        }
        let turned = (courseWay + unseenWay) / Tuning.Output.tightestTurnMeters
        let sigma = hypot(Tuning.Output.slowCourseSigma, turned)
        return sigma < Tuning.Output.largestHeadingSigma ? (courseRadians, sigma) : nil
    }
}
