import Geodesy
import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Where what is published changes: at the ends of ages, speeds and sigmas.
@Suite struct PublishedLimitTests {
    private static func time(nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    /// A fix at an instant of a receiver that goes north at a speed, m/s; `nil`: it states none.
    private static func fix(at time: MonotonicTime, speed: Double?, sigma: Double = 0.1) -> GnssFix {
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)
            .moved(byENU: Vector3(0, (speed ?? 0) * time.seconds, 0))
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters, fix.verticalSigmaMeters) = (400, 2, 3)
        fix.horizontalVelocity = speed.map { HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: $0) }
        fix.speedSigmaMetersPerSecond = speed.map { _ in sigma }
        return fix
    }

    /// An estimator whose filter runs, at an instant of 100 s, at a velocity, east, m/s.
    private static func running(_ profile: MotionProfile = .vehicle, speed: Double = 0) -> PoseEstimator {
        var settings = FusionSettings()
        settings.profile = profile
        settings.antennaLeverArmBodyMeters = .zero
        var estimator = PoseEstimator(settings: settings)
        let state = NavigationState(
            time: time(nanoseconds: 100_000_000_000),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400),
            velocityENU: Vector3(speed, 0, 0), sensorToENU: .identity)
        estimator.filter = NavigationFilter(at: state, leverArm: .zero, profile: profile)
        estimator.lifeCycle = .navigating
        return estimator
    }

    @Test func nothingIsKnownBeforeTheFirstMeasurement() {
        // GIVEN an estimate that knows nothing but its time THEN neither a height nor a rest was observed
        let estimate = PoseEstimate(time: Self.time(nanoseconds: 5))
        #expect(!estimate.isAltitudeKnown && !estimate.isStandingStill)
        // AND nothing is said against a receiver of which no fix has come
        #expect(PoseEstimator().receiverVerdict == .trusted)
    }

    @Test(arguments: [(990.0, false), (1010, true)]) func aPlaceThatMayBeAKilometerOffIsLost(
        sigma: Double, isLost: Bool
    ) {
        // GIVEN a running filter whose place is known just better than to a kilometre, or just worse
        var estimator = Self.running()
        estimator.filter.covariance.restart(.position, variance: sigma * sigma)
        // WHEN it is published THEN the latter is lost
        estimator.describe(at: estimator.filter.state.time)
        #expect((estimator.estimate.state == .lost) == isLost, "\(estimator.estimate.state)")
    }

    @Test(arguments: [(0.25, 0.5), (1, nil)] as [(Double, Double?)]) func aHeadingThatMayBeOffByARadianIsNotPublished(
        variance: Double, sigma: Double?
    ) {
        // GIVEN a person whose heading is known to half a radian, or to a whole one THEN only the former is published
        var estimator = Self.running(.wearable)
        estimator.filter.covariance.restart(.attitude, variance: variance)
        estimator.describe(at: estimator.filter.state.time)
        #expect(estimator.estimate.headingSigmaRadians == sigma)
    }

    @Test func anAlignedEstimateStaysSoWhileASigmaWavers() {
        // GIVEN a filter with a fix, known lags and a known mount WHEN the heading's sigma falls below 0.1 rad THEN the
        // estimate is aligned, until it has risen beyond 0.15
        var estimator = Self.running()
        estimator.filter.lastFixTime = estimator.filter.state.time
        estimator.filter.covariance.restart(.positionLag, variance: 1e-4)
        estimator.filter.covariance.restart(.mount, variance: 1e-6)
        // AND that of a lag below 0.15 s and beyond 0.225
        for (heading, lag, state) in [
            (0.11, 0.01, PoseState.coarse), (0.09, 0.01, .aligned), (0.149, 0.01, .aligned), (0.151, 0.01, .coarse),
            (0.11, 0.01, .coarse), (0.01, 0.16, .coarse), (0.01, 0.14, .aligned), (0.01, 0.224, .aligned),
            (0.01, 0.226, .coarse), (0.01, 0.16, .coarse),
        ] {
            estimator.filter.covariance.restart(.attitude, variance: heading * heading)
            estimator.filter.covariance.restart(.velocityLag, variance: lag * lag)
            estimator.describe(at: estimator.filter.state.time)
            #expect(estimator.estimate.state == state, "\(heading) \(lag)")
        }
    }

    @Test func whatTheTimeMayBeWrongIsInTheSigmas() throws {
        // GIVEN a filter that knows its lag to 0.05 s WHEN the body turns and is accelerated THEN the variances of the
        // heading, the tilt and the velocity grow by what it turns and gains in the 1-sigma of the published time
        func published(turning: Bool) throws -> (heading: Double, tilt: Double, velocity: Vector3, time: Double) {
            var estimator = Self.running(speed: 10)
            estimator.filter.covariance.restart(.positionLag, variance: 0.05 * 0.05)
            if turning {
                estimator.filter.state.angularRateSensor = Vector3(0.1, 0.2, 0.5)
                estimator.filter.state.meanAccelerationENU = Vector3(1, 2, 0)
            }
            estimator.describe(at: estimator.filter.state.time)
            let (heading, tilt) = (estimator.estimate.headingSigmaRadians, estimator.estimate.tiltSigmaRadians)
            let velocity = try #require(estimator.estimate.velocitySigmaENUMetersPerSecond)
            let time = estimator.filter.publishedPlace(isAntennaTold: true, isLagTold: false).timeVariance
            return (pow(try #require(heading), 2), pow(try #require(tilt), 2), velocity * velocity, time)
        }
        let (still, turning) = (try published(turning: false), try published(turning: true))
        #expect(turning.time > 1e-5 && turning.time < 0.05 * 0.05)
        #expect(abs(turning.heading - still.heading - 0.25 * turning.time) < 1e-12)
        #expect(abs(turning.tilt - still.tilt - 0.025 * turning.time) < 1e-12)
        #expect((turning.velocity - still.velocity - Vector3(1, 4, 0) * turning.time).length < 1e-12)
    }

    @Test(arguments: [(1.0, 0.1, true), (0.1, 1, true), (0.1, 0.1, false)])
    func theLargerSigmaOfTheVelocityTellsWhetherABodyMoves(east: Double, north: Double, isRest: Bool) {
        // GIVEN a body whose samples are as quiet as rest, and whose filter has a velocity of 2 m/s
        var estimator = Self.running(speed: 2)
        for k in 0..<200 {
            estimator.stillness.update(
                InertialSample(
                    time: Self.time(nanoseconds: Int64(k) * 10_000_000), angularRateRadiansPerSecond: .zero,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65)))
        }
        // WHEN three sigmas of one axis are more than that, or those of none are THEN the former may be rest
        estimator.filter.covariance.restart(.velocity, variance: 0.01)
        estimator.filter.covariance[.velocity.x, .velocity.x] = east * east
        estimator.filter.covariance[.velocity.y, .velocity.y] = north * north
        estimator.describe(at: estimator.filter.state.time)
        #expect(estimator.estimate.isStandingStill == isRest)
    }

    @Test func theStateChangesBehindTwoSecondsAndAtTen() {
        // GIVEN a receiver alone with a fix a second WHEN it stops sending
        var estimator = PoseEstimator()
        for second in 0...5 {
            let now = Self.time(nanoseconds: Int64(second) * 1_000_000_000)
            _ = estimator.ingest(.gnss(Self.fix(at: now, speed: 10)))
        }
        // THEN its fix is not overdue at 2 s, but a nanosecond later, and the place is lost at 10 s, not a nanosecond
        // before
        let states: [(Int64, PoseState)] = [
            (2_000_000_000, .coarse), (2_000_000_001, .deadReckoning), (9_999_999_999, .deadReckoning),
            (10_000_000_000, .lost),
        ]
        for (age, state) in states {
            _ = estimator.carryOn(to: Self.time(nanoseconds: 5_000_000_000 + age))
            #expect(estimator.estimate.state == state, "\(age) ns")
        }
    }

    @Test(arguments: [(2.0, false), (2.001, true)]) func aCourseIsAHeadingAboveTwoMetersASecond(
        speed: Double, isHeading: Bool
    ) {
        // GIVEN the first fix of a vehicle without an IMU, at 2 m/s or just more THEN only the course of the latter is
        // its heading
        var estimator = PoseEstimator()
        _ = estimator.ingest(.gnss(Self.fix(at: Self.time(nanoseconds: 0), speed: speed)))
        #expect((estimator.estimate.headingSigmaRadians != nil) == isHeading)
        #expect((estimator.estimate.bodyToENU != nil) == isHeading)
    }

    @Test(arguments: [(1_990_000_000, true), (2_000_000_000, false)] as [(Int64, Bool)])
    func aCourseThatMayBeOffByARadianIsNoHeading(age: Int64, isHeading: Bool) {
        // GIVEN a velocity of 3.125 m/s, known to 0.875 m/s, of which nothing tells the acceleration WHEN it is 2 s
        // old, so that it may have changed by 3 m/s, and both sigmas together are as much as the speed THEN its course
        // is no heading any more
        var estimator = PoseEstimator()
        estimator.lastFix = Self.fix(at: Self.time(nanoseconds: 0), speed: 3.125, sigma: 0.875)
        estimator.describe(at: Self.time(nanoseconds: age))
        #expect((estimator.estimate.headingSigmaRadians != nil) == isHeading)
    }

    @Test func withoutAVelocityABodyMayGoFiveMetersASecond() throws {
        // GIVEN the first fix of a receiver that states no velocity WHEN a second passes THEN the variance of the place
        // has grown by 25 m2 on each axis
        var estimator = PoseEstimator()
        _ = estimator.ingest(.gnss(Self.fix(at: Self.time(nanoseconds: 0), speed: nil)))
        let first = try #require(estimator.estimate.positionSigmaENUMeters)
        _ = estimator.carryOn(to: Self.time(nanoseconds: 1_000_000_000))
        let later = try #require(estimator.estimate.positionSigmaENUMeters)
        for axis in 0..<3 {
            let grown = later[axis] * later[axis] - first[axis] * first[axis]
            #expect(abs(grown - 25) < 1e-9, "\(axis): \(grown)")
        }
        #expect(estimator.estimate.velocityENUMetersPerSecond == nil)
    }

    @Test func theSpeedIsKnownUpToThreeSeconds() {
        // GIVEN a receiver alone with a fix a second WHEN it stops sending THEN its speed is known at 3 s, and not a
        // nanosecond later
        var estimator = PoseEstimator()
        for second in 0...5 {
            let now = Self.time(nanoseconds: Int64(second) * 1_000_000_000)
            _ = estimator.ingest(.gnss(Self.fix(at: now, speed: 10)))
        }
        for (age, isKnown) in [(3_000_000_000, true), (3_000_000_001, false)] as [(Int64, Bool)] {
            _ = estimator.carryOn(to: Self.time(nanoseconds: 5_000_000_000 + age))
            #expect((estimator.estimate.velocityENUMetersPerSecond != nil) == isKnown, "\(age) ns")
        }
    }

    @Test(arguments: [(0.99, 2.4, false), (0.99, 2.6, true), (1.01, 1.9, false), (1.01, 2.1, true)])
    func aPoseIsReckonedWhereFixesAreOverdue(sampleAge: Double, fixAge: Double, isReckoned: Bool) {
        // GIVEN a running filter whose receiver has a fix a second, and whose last sample is not yet a second old, or
        // older WHEN its last fix was some time ago THEN the pose is dead reckoning after 2.5 s with samples, and
        // without after 2 s, where the next fix is overdue
        var estimator = Self.running()
        let now = estimator.filter.state.time
        estimator.lastSample = DelayedMeasurementBuffer.Sample(
            time: now.advanced(bySeconds: -sampleAge), angularRate: .zero, specificForce: Vector3(0, 0, 9.806_65),
            meanAngularRate: .zero, isStill: false, noise: IMUNoiseEstimator.Density())
        estimator.filter.lastFixTime = now.advanced(bySeconds: -fixAge)
        estimator.describe(at: now)
        #expect((estimator.estimate.state == .deadReckoning) == isReckoned, "\(estimator.estimate.state)")
        // AND the rates of an IMU that does not run are unknown
        #expect((estimator.estimate.angularRateBodyRadiansPerSecond != nil) == (sampleAge < 1))
    }

    @Test(arguments: [(0.4, 0.0, 4.0), (-0.2, 0, 0), (0.4, 0.2, 2), (0.4, -0.3, -3)])
    func aLateFixIsCarriedOnByTheLagOfItsReceiver(found: Double, told: Double, meters: Double) {
        // GIVEN a vehicle with an IMU that goes east at 10 m/s WHEN an earlier filter has found the lag of its
        // receiver, to 0.05 s, and the settings may tell another one THEN its place is carried on by the way over the
        // told lag, or else over the found one where that is not below zero, and is as unsure as that of 0.05 s
        // (eq. 7.29)
        var settings = FusionSettings()
        settings.gnssPositionLagSeconds = told
        var estimator = PoseEstimator(settings: settings)
        estimator.lastSample = RestingVehicle.sample()
        estimator.carriedLags = ReceiverLags(
            velocity: 0.5, velocitySigma: 0.1, position: found, positionSigma: 0.05, difference: 0.5 - found)
        let (stamp, east) = (RestingVehicle.now, Vector3(10, 0, 0))
        let way = estimator.lagWay(before: stamp, velocity: east, at: stamp.advanced(bySeconds: 0.99))
        #expect((way.meters - Vector3(meters, 0, 0)).length < 1e-12 && abs(way.sigma - 0.5) < 1e-12, "\(way)")
        // AND without samples for a second nothing would show a lag
        let silent = estimator.lagWay(before: stamp, velocity: east, at: stamp.advanced(bySeconds: 1.01))
        #expect(silent.meters == .zero && silent.sigma == 0)
    }

    @Test func aPlaceIsPredictedForTwoSeconds() throws {
        // GIVEN a receiver alone, at 10 m/s to the north, with a fix a second WHEN it stops sending THEN the place goes
        // on by 10 m a second up to 2 s after the last fix, and stays there
        var estimator = PoseEstimator()
        for second in 0...5 {
            let now = Self.time(nanoseconds: Int64(second) * 1_000_000_000)
            _ = estimator.ingest(.gnss(Self.fix(at: now, speed: 10)))
        }
        var places = [try #require(estimator.estimate.position)]
        for second in 6...9 {
            _ = estimator.carryOn(to: Self.time(nanoseconds: Int64(second) * 1_000_000_000))
            places.append(try #require(estimator.estimate.position))
        }
        let ways = zip(places, places.dropFirst()).map { $0.surfaceOffsetMeters(to: $1).north }
        for (way, expected) in zip(ways, [10.0, 10, 0, 0]) { #expect(abs(way - expected) < 0.1, "\(ways)") }
    }

    @Test func aPlaceOfWhichNoFixWasTakenForHalfAMinuteIsLost() {
        // GIVEN a receiver alone, at 10 m/s to the north, with a fix a second WHEN those after 5 s lie 2 km to the east
        // and to the west in turn, so that none is taken THEN the place is lost 30 s later
        var estimator = PoseEstimator()
        for second in 0...35 {
            let now = Self.time(nanoseconds: Int64(second) * 1_000_000_000)
            var fix = Self.fix(at: now, speed: 10)
            let aside = second > 5 ? (second.isMultiple(of: 2) ? 2000.0 : -2000) : 0
            // Two kilometres on the parallel of 47 degrees north.
            fix.longitudeRadians = fix.longitudeRadians.map { $0 + aside / 4.357e6 }
            _ = estimator.ingest(.gnss(fix))
            guard second > 32 else { continue }
            let expected: PoseState = second < 35 ? .coarse : .lost
            #expect(estimator.estimate.state == expected, "\(second) s")
        }
        #expect(estimator.rejections.fixUnconfirmed == 30)
    }
}
