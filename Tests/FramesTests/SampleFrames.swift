import Frames

/// Frames shared by the tests.
enum SampleFrames {
    /// Every member is known and every number is different, so that swapped members are detected.
    static var full: Frame {
        var frame = Frame()
        frame.sequence = 4_294_967_301
        frame.timeNanoseconds = 12_345_678_901_234
        frame.utcNanoseconds = 1_785_000_000_250_000_000
        frame.measuredNanoseconds = 12_345_676_801_234
        frame.publishedNanoseconds = 12_345_678_905_678
        frame.pose = pose
        frame.guidance = guidance
        frame.speed.speedMetersPerSecond = 15.25
        frame.speed.limitMetersPerSecond = 13.888_888_889
        frame.speed.ratio = 1.098
        frame.speed.colour = .orange
        frame.speed.limitSource = .route
        frame.speed.nextLimitMetersPerSecond = 8.333_333_333
        frame.speed.distanceToNextLimitMeters = 420.5
        frame.speed.nextLimitSource = .road
        frame.speed.curveSpeedMetersPerSecond = 11.25
        frame.speed.indicatedMetersPerSecond = 16.5
        frame.speed.distanceToCurveMeters = 95.75
        frame.speed.hasCondition = true
        (frame.speed.limitReason, frame.speed.nextLimitReason) = (.season, .several)
        frame.sources.gps = .streaming
        frame.sources.imu = .stale
        frame.sources.magnetometer = .absent
        frame.sources.barometer = .lost
        frame.sources.wheels = .waiting
        frame.speed.ageSeconds = 0.5
        frame.sources.gpsAgeSeconds = 0.625
        frame.sources.imuAgeSeconds = 1.25
        frame.sources.magnetometerAgeSeconds = 2.5
        frame.sources.barometerAgeSeconds = 3.75
        frame.sources.wheelsAgeSeconds = 4.125
        return frame
    }

    private static var pose: Frame.Pose {
        let degree = Double.pi / 180
        var pose = Frame.Pose()
        pose.state = .aligned
        pose.latitudeRadians = 48.137_154_321 * degree
        pose.longitudeRadians = -11.576_123_456 * degree
        pose.altitudeEllipsoidMeters = 565.125
        pose.altitudeMeanSeaMeters = 519.5
        pose.positionSigmaENUMeters = .init(0.11, 0.12, 0.25)
        pose.positionENUMeters = .init(101.5, -202.25, 3.125)
        pose.originLatitudeRadians = 48.1 * degree
        pose.originLongitudeRadians = -11.5 * degree
        pose.originAltitudeEllipsoidMeters = 560
        pose.originEpoch = 7
        pose.velocityENUMetersPerSecond = .init(9.5, -12, 0.125)
        pose.velocitySigmaENUMetersPerSecond = .init(0.01, 0.02, 0.03)
        pose.bodyToENU = .init(0.5, -0.5, 0.5, -0.5)
        pose.rollRadians = 1.5 * degree
        pose.pitchRadians = -2.5 * degree
        pose.headingTrueRadians = 141.75 * degree
        pose.headingMagneticRadians = 138.25 * degree
        pose.courseOverGroundRadians = 142.5 * degree
        pose.tiltSigmaRadians = 0.2 * degree
        pose.headingSigmaRadians = 0.7 * degree
        pose.headingMagneticSigmaRadians = 1.25 * degree
        pose.angularRateBodyRadiansPerSecond = .init(0.001, -0.002, 0.3)
        pose.linearAccelerationBodyMetersPerSecondSquared = .init(1.5, 0.25, -0.75)
        pose.gravityDirectionBody = .init(0.1, 0.2, -0.97)
        pose.slipMetersPerSecondSquared = -0.25
        pose.headingTrimRadians = 2 * degree
        pose.isStandingStill = true
        pose.isBlending = true
        pose.fixAgeSeconds = 0.125
        pose.satellitesUsed = 14
        pose.fixMode = 3
        pose.resetCount = 5
        pose.resetDeltaENUMeters = .init(0.5, -0.25, 0.125)
        pose.resetDeltaHeadingRadians = -3 * degree
        pose.accelerationENUMetersPerSecondSquared = .init(-0.625, 1.375, 0.0625)
        pose.turnRateRadiansPerSecond = 17.5 * degree
        pose.glideENUMeters = .init(0.375, -0.1875, 0.09375)
        pose.glideHeadingRadians = -2.25 * degree
        return pose
    }

    private static var guidance: Frame.Guidance {
        let degree = Double.pi / 180
        var guidance = Frame.Guidance()
        guidance.state = .onRoute
        guidance.routeVersion = 3
        guidance.progressMeters = 1234.5
        guidance.crossTrackMeters = -1.75
        guidance.segmentBearingRadians = 141 * degree
        guidance.nextManeuver = 4
        guidance.distanceToTurnMeters = 250.25
        guidance.straightDistanceToTurnMeters = 240.5
        guidance.turnAngleRadians = -90 * degree
        guidance.distanceLeftMeters = 5000.125
        guidance.timeLeftSeconds = 360.5
        guidance.jumpCount = 2
        guidance.jumpDeltaMeters = 312.75
        guidance.isInTunnel = true
        guidance.distanceToThenMeters = 410.5
        guidance.ageSeconds = 0.375
        return guidance
    }

    /// Every optional number has a value that must never be written.
    static func poisoned(_ poison: Double) -> Frame {
        var frame = full
        frame.pose.latitudeRadians = poison
        frame.pose.longitudeRadians = poison
        frame.pose.altitudeEllipsoidMeters = poison
        frame.pose.altitudeMeanSeaMeters = poison
        frame.pose.positionSigmaENUMeters = .init(0, poison, 0)
        frame.pose.positionENUMeters = .init(poison, 0, 0)
        frame.pose.originLatitudeRadians = poison
        frame.pose.originLongitudeRadians = poison
        frame.pose.originAltitudeEllipsoidMeters = poison
        frame.pose.velocityENUMetersPerSecond = .init(0, 0, poison)
        frame.pose.velocitySigmaENUMetersPerSecond = .init(poison, poison, poison)
        frame.pose.bodyToENU = .init(0, 0, poison, 0)
        frame.pose.rollRadians = poison
        frame.pose.pitchRadians = poison
        frame.pose.headingTrueRadians = poison
        frame.pose.headingMagneticRadians = poison
        frame.pose.courseOverGroundRadians = poison
        frame.pose.tiltSigmaRadians = poison
        frame.pose.headingSigmaRadians = poison
        frame.pose.headingMagneticSigmaRadians = poison
        frame.pose.angularRateBodyRadiansPerSecond = .init(poison, 0, 0)
        frame.pose.linearAccelerationBodyMetersPerSecondSquared = .init(poison, 0, 0)
        frame.pose.gravityDirectionBody = .init(poison, 0, 0)
        frame.pose.slipMetersPerSecondSquared = poison
        frame.pose.headingTrimRadians = poison
        frame.pose.fixAgeSeconds = poison
        frame.pose.resetDeltaENUMeters = .init(poison, 0, 0)
        frame.pose.resetDeltaHeadingRadians = poison
        frame.pose.accelerationENUMetersPerSecondSquared = .init(0, poison, 0)
        frame.pose.turnRateRadiansPerSecond = poison
        frame.pose.glideENUMeters = .init(0, 0, poison)
        frame.pose.glideHeadingRadians = poison
        spoil(&frame.guidance, poison)
        spoil(&frame.speed, poison)
        poisonAges(&frame, poison)
        return frame
    }

    private static func poisonAges(_ frame: inout Frame, _ poison: Double) {
        (frame.guidance.distanceToThenMeters, frame.guidance.ageSeconds) = (poison, poison)
        frame.speed.ageSeconds = poison
        (frame.sources.gpsAgeSeconds, frame.sources.imuAgeSeconds) = (poison, poison)
        (frame.sources.magnetometerAgeSeconds, frame.sources.barometerAgeSeconds) = (poison, poison)
        frame.sources.wheelsAgeSeconds = poison
    }

    private static func spoil(_ speed: inout Frame.Speed, _ poison: Double) {
        speed.speedMetersPerSecond = poison
        speed.limitMetersPerSecond = poison
        speed.ratio = poison
        speed.nextLimitMetersPerSecond = poison
        speed.distanceToNextLimitMeters = poison
        speed.curveSpeedMetersPerSecond = poison
        speed.distanceToCurveMeters = poison
        speed.indicatedMetersPerSecond = poison
    }

    private static func spoil(_ guidance: inout Frame.Guidance, _ poison: Double) {
        guidance.progressMeters = poison
        guidance.crossTrackMeters = poison
        guidance.segmentBearingRadians = poison
        guidance.distanceToTurnMeters = poison
        guidance.straightDistanceToTurnMeters = poison
        guidance.turnAngleRadians = poison
        guidance.distanceLeftMeters = poison
        guidance.timeLeftSeconds = poison
        guidance.jumpDeltaMeters = poison
    }
}
