import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// When a filter may start, and what the course of a vehicle with a known mount tells then.
@Suite struct StartLimitTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// Settings that tell that the sensor's axes are those of the vehicle, to 0.05 rad.
    private static var settings: FusionSettings {
        var settings = FusionSettings()
        settings.sensorToBody = .identity
        settings.sensorToBodySigmaRadians = 0.05
        return settings
    }

    /// A level sample that turns about up, rad/s.
    private static func moment(turnRate: Double) -> PoseEstimator.Moment {
        PoseEstimator.Moment(
            sample: DelayedMeasurementBuffer.Sample(
                time: time(20), angularRate: Vector3(0, 0, turnRate), specificForce: Vector3(0, 0, 9.806_65),
                meanAngularRate: .zero, isStill: false, noise: IMUNoiseEstimator.Density()),
            number: 0, sensorToLevel: .identity, runSeconds: 20)
    }

    private static func east(_ speed: Double) -> HorizontalVelocity {
        HorizontalVelocity(eastMetersPerSecond: speed, northMetersPerSecond: 0)
    }

    @Test(arguments: [(0.95, false), (1.05, true)]) func aKnownMountStartsAfterASecond(
        seconds: Double, starts: Bool
    ) {
        // GIVEN a vehicle with a told mount, whose level sensor is shaken, so that it does not look at rest
        var estimator = PoseEstimator(settings: Self.settings)
        for k in 0...Int((seconds * 100).rounded()) {
            // A sensor that repeats a reading counts as stuck.
            let (side, new) = (k.isMultiple(of: 2) ? 1.0 : -1.0, 0.005 * sin(12.9898 * Double(k)))
            _ = estimator.ingest(
                InertialSample(
                    time: Self.time(0.01 * Double(k)),
                    angularRateRadiansPerSecond: Vector3(0.1 * new, 0.05 * side, 0.1 * new),
                    specificForceMetersPerSecondSquared: Vector3(side + new, new, 9.806_65 + new)))
        }
        // WHEN its first fix comes, at 8 m/s THEN the filter starts after a second of samples, and not before
        var fix = GnssFix(validityTime: Self.time(seconds), arrivalTime: Self.time(seconds), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond, fix.horizontalSigmaMeters) = (Self.east(8), 0.1, 2)
        _ = estimator.ingest(.gnss(fix))
        #expect(estimator.isNavigating == starts)
    }

    @Test(
        arguments: [
            (0, 0.2, 0.063_442_9), (0.3, 0.2, 0.079_569_2), (-0.3, 0.2, 0.079_569_2), (0, nil, 0.069_327_1),
        ] as [(Double, Double?, Double)])
    func aCourseIsAHeadingToTheSlipOfATurn(turnRate: Double, speedSigma: Double?, sigma: Double) throws {
        // GIVEN a vehicle with a told mount, known to 0.05 rad, at 8 m/s, its velocity known to 0.2 m/s, or to 0.3 m/s
        // where the receiver states nothing
        var estimator = PoseEstimator(settings: Self.settings)
        // WHEN it goes straight on, or turns by 0.3 rad/s THEN its heading has the sigmas of mount, course, 0.03 rad,
        // and velocity, and in the turn those of a tenth of a second of it and of a metre on its way
        let found = estimator.headingFromMount(
            at: Self.moment(turnRate: turnRate), velocity: Self.east(8), speedSigma: speedSigma)
        let heading = try #require(found)
        #expect(abs(heading.sigma - sigma) < 1e-6, "\(heading.sigma)")
        // The level frame is that of east, north and up, where the vehicle goes east.
        #expect(heading.followsMount && abs(heading.levelToENURadians) < 1e-9)
    }

    @Test(arguments: [(5.99, false), (6.01, true)]) func aCourseAloneIsAHeadingWhereNoVehicleBacksUp(
        speed: Double, isHeading: Bool
    ) {
        // GIVEN a vehicle with a told mount, and no heading from accelerations THEN its course is its heading only
        // where it is too fast to back up
        var estimator = PoseEstimator(settings: Self.settings)
        let heading = estimator.headingFromMount(
            at: Self.moment(turnRate: 0), velocity: Self.east(speed), speedSigma: 0.1)
        #expect((heading != nil) == isHeading)
    }

    /// An estimator that knows its gyro, and has found from velocities how its level frame is turned.
    private func aligned() -> PoseEstimator {
        var estimator = PoseEstimator(settings: Self.settings)
        var prior = SensorPrior()
        prior.gyroBias = .init(radiansPerSecond: .zero, sigmaRadiansPerSecond: Vector3(repeating: 1e-3))
        estimator.attitude.offer(prior)
        for k in 0...200 {
            let sample = InertialSample(
                time: Self.time(0.01 * Double(k)), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
            estimator.attitude.update(sample, still: true, meanAngularRate: .zero)
        }
        func velocity(_ time: MonotonicTime) -> Vector3 {
            Vector3(10 + 6 * sin(0.8 * time.seconds), 6 * cos(0.5 * time.seconds), 0)
        }
        let toLevel = Quaternion(rotationVector: Vector3(0, 0, -1.2))
        for second in 10...40 {
            let seen = velocity(Self.time(Double(second)))
            estimator.aligner.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.05,
                isLevelKnown: true, at: Self.time(Double(second)),
                inertialVelocity: { time, _ in toLevel.rotate(velocity(time)) })
        }
        return estimator
    }

    @Test func aMountIsNotContradictedWhereTheVehicleMayBackUp() throws {
        // GIVEN a vehicle with a told mount whose accelerations show a heading
        let estimator = aligned()
        try #require(estimator.attitude.isBiasKnown)
        let found = try #require(estimator.aligner.found).radians
        #expect(abs(Angle.wrappedToPi(found - 1.2)) < 0.05, "\(found)")
        // WHEN its course differs from that by less than half a turn and a radian, or by more THEN it may back up in
        // the latter case, as long as it is slow
        let cases: [(Double, Double, Bool)] = [
            (2.1, 5, false), (-2.1, 5, false), (2.2, 5, true), (-2.2, 5, true), (3.1, 6, true), (3.1, 6.01, false),
        ]
        for (difference, speed, mayBe) in cases {
            let course = Angle.wrappedToTwoPi(.pi / 2 - found + difference)
            let isReversing = estimator.mayBeReversing(at: Self.moment(turnRate: 0), speed: speed, course: course)
            #expect(isReversing == mayBe, "\(difference) rad at \(speed) m/s")
        }
    }

    /// A level vehicle without a known mount whose filter has been started by a velocity of 10 m/s to the east.
    ///
    /// - Parameters:
    ///   - restingUp: up, sensor axes, as the vehicle stood; `nil`: it was not seen at rest.
    ///   - bias: what an earlier drive has told of the accelerometer, 1-sigma, m/s2; `nil` without.
    private func started(restingUp: Vector3?, bias: Vector3?) throws -> PoseEstimator {
        var vehicle = RestingVehicle()
        vehicle.align(radians: 0.3)
        var estimator = vehicle.estimator
        estimator.mounts = MountPrior(settings: FusionSettings())
        estimator.restingUp = restingUp
        estimator.accelerometerPrior = bias.map {
            SensorPrior.AccelerometerBias(metersPerSecondSquared: .zero, sigmaMetersPerSecondSquared: $0)
        }
        var sample = RestingVehicle.sample()
        sample.sensorToLevel = .identity
        estimator.delayedMeasurements.note(sample)
        var fix = GnssFix(validityTime: RestingVehicle.now, arrivalTime: RestingVehicle.now, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians, fix.altitudeEllipsoidMeters) = (0.8, 0.2, 300)
        (fix.horizontalVelocity, fix.speedSigmaMetersPerSecond, fix.horizontalSigmaMeters) = (Self.east(10), 0.1, 2)
        estimator.lastFix = fix
        estimator.lifeCycle = .findingHeading(try #require(GNSSPositionFilter(fix: fix)))
        estimator.tryToStart(with: fix)
        try #require(estimator.isNavigating)
        return estimator
    }

    @Test func aMountIsAsLevelAsTheVehicleWasSeen() throws {
        // GIVEN a vehicle whose heading is found from accelerations WHEN its filter starts THEN its mount leans to 0.03
        // rad where it was seen at rest, and to 0.06 rad otherwise
        for (up, sigma) in [(Vector3.unitZ, 0.03), (nil, 0.06)] as [(Vector3?, Double)] {
            var estimator = try started(restingUp: up, bias: nil)
            let mount = estimator.filter.covariance.sigma(of: .mount)
            #expect(abs(mount.x - sigma) < 1e-9 && abs(mount.y - sigma) < 1e-9, "\(mount)")
            // AND its level is known to 0.02 rad
            let tilt = estimator.filter.covariance.sigma(of: .attitude)
            #expect(abs(tilt.x - 0.02) < 1e-9 && abs(tilt.y - 0.02) < 1e-9, "\(tilt)")
        }
    }

    @Test func aLevelIsAsSureAsTheWorstAxisOfAKnownAccelerometer() throws {
        // GIVEN an accelerometer whose bias an earlier drive has found WHEN the filter starts THEN its level is as sure
        // as the rest has found it beside what the worst axis makes of gravity, 0.1 m/s2 of 9.806 65
        let bias = Vector3(0.05, 0.1, 0.02)
        var estimator = try started(restingUp: .unitZ, bias: bias)
        let (own, tilt) = (estimator.attitude.findings.tiltSigma, estimator.filter.covariance.sigma(of: .attitude))
        #expect(own < 0.017 && abs(tilt.x - hypot(own, 0.010_197_162)) < 1e-8, "\(own) \(tilt)")
        // AND no worse than without, to 0.02 rad
        var unsure = try started(restingUp: .unitZ, bias: Vector3(0.05, 0.5, 0.02))
        let largest = unsure.filter.covariance.sigma(of: .attitude)
        #expect(abs(largest.x - 0.02) < 1e-9, "\(largest)")
    }

    @Test func aMountIsAsSureAsTheCourseThatItIsDerivedFrom() throws {
        // GIVEN a velocity of 10 m/s, known to 0.1 m/s WHEN the filter starts with a mount that follows from it THEN
        // that is known about the vertical to 0.15 rad and to the course's 0.010_2 rad, of which 0.02 m/s are what a
        // level known to 0.02 rad makes of a velocity that is 0.1 s old, beside the error that it shares
        // with the heading (eq. 7.5, eq. 4.8)
        var estimator = try started(restingUp: .unitZ, bias: nil)
        let own = estimator.filter.covariance[.mount.z, .mount.z]
        let shared = estimator.filter.covariance[.attitude.z, .mount.z]
        #expect(shared > 0 && abs(own - shared - 0.022_603_8) < 1e-6, "\(own) \(shared)")
    }
}
