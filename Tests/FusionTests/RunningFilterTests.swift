import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// How a running filter is stopped, what it counts, and what it leaves to the next one.
@Suite struct RunningFilterTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// A fix that was valid at an instant and came at another one, seconds.
    private static func fix(_ valid: Double, arriving: Double, north: Double = 0) -> GnssFix {
        let place = GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400)
        var fix = GnssFix(validityTime: time(valid), arrivalTime: time(arriving), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (400, 2)
        fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: north)
        fix.speedSigmaMetersPerSecond = 0.1
        return fix
    }

    /// A sample at rest.
    private static func sample(_ seconds: Double) -> InertialSample {
        InertialSample(
            time: time(seconds), angularRateRadiansPerSecond: .zero,
            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
    }

    /// An estimator whose filter began with a sample at 100 s, and has found its mount to half a degree.
    private static func begun() -> PoseEstimator {
        var estimator = PoseEstimator()
        let state = NavigationState(
            time: time(100),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 8, altitudeEllipsoidMeters: 400),
            velocityENU: .zero, sensorToENU: .identity)
        estimator.filter = NavigationFilter(at: state, leverArm: .zero)
        estimator.lifeCycle = .navigating
        estimator.lastSample = DelayedMeasurementBuffer.Sample(
            time: time(100), angularRate: .zero, specificForce: Vector3(0, 0, 9.806_65), meanAngularRate: .zero,
            isStill: false, noise: IMUNoiseEstimator.Density())
        estimator.estimate.time = time(100)
        estimator.estimate.mount = MountEstimate(
            sensorToBody: Quaternion(rotationVector: Vector3(0, 0, 0.5)), sigmaBodyRadians: Vector3(repeating: 0.01),
            origin: .found)
        return estimator
    }

    @Test func aRestartIsOneJump() {
        // GIVEN an estimator WHEN it is restarted THEN each restart is announced as one jump
        var estimator = PoseEstimator()
        for count in 1...3 {
            estimator.restart()
            #expect(estimator.estimate.resetCount == UInt32(count))
        }
    }

    @Test func aRestartIsAJumpOfUnknownSize() {
        // GIVEN an estimator that has jumped by 50 m, and turned WHEN it is restarted, alone or after its past THEN
        // that is one jump more, and the size of the one before is not told for it
        var estimator = PoseEstimator()
        (estimator.pastResets.count, estimator.pastResets.deltaENU, estimator.pastResets.deltaHeading) = (
            3, Vector3(30, 40, 0), 0.5
        )
        var (alone, after) = (estimator, estimator)
        alone.restart()
        after.restart(after: estimator.past)
        for var restarted in [alone, after] {
            restarted.describe(at: Self.time(1))
            let next = restarted.estimate
            #expect(next.resetCount == 4 && next.resetDeltaENUMeters == .zero && next.resetDeltaHeadingRadians == 0)
        }
    }

    @Test func theNextFilterBeginsWithTheWheelsOfTheOneBefore() throws {
        // GIVEN an earlier drive with wheels of a scale of 0.9, and a filter of this one that has found 0.95, readings
        // of the other sign, and a lag of 0.2 s
        let kept = SensorPrior.Wheels(scale: 0.9, scaleSigma: 0.01, lagSeconds: 0, lagSigmaSeconds: 0.02)
        let own = SensorPrior.Wheels(scale: 0.95, scaleSigma: 0.005, lagSeconds: 0.2, lagSigmaSeconds: 0.02)
        var estimator = Self.begun()
        estimator.wheelPrior = kept
        estimator.filter.startWheels(own, sign: -1)
        // WHEN it stops THEN the next one begins with these
        var stopped = estimator
        stopped.stopFilter()
        let next = try #require(stopped.wheelPrior)
        #expect(abs(next.scale - 0.95) < 1e-12 && abs(next.lagSeconds - 0.2) < 1e-12 && stopped.wheelSign == -1)
        // AND where it was wrong itself, with those of the earlier drive, whose sign has to be found
        var wrong = estimator
        wrong.stopFilter(mountHolds: false)
        #expect(wrong.wheelPrior == kept && wrong.wheelSign == nil)
        // AND where it has refuted them, with none
        estimator.filter.wheels.restartSearch()
        estimator.stopFilter()
        #expect(estimator.wheelPrior == nil && estimator.wheelSign == nil)
    }

    @Test func aStopIsOneJumpBesideThoseOfTheFilter() {
        // GIVEN a running filter that has jumped three times WHEN it is stopped THEN that is one jump more, and the
        // mount that it has found outlasts it
        var estimator = Self.begun()
        estimator.filter.reset.count = 3
        let found = estimator.estimate.mount
        estimator.stopFilter()
        let (count, mount, isNavigating) = (
            estimator.pastResets.count, estimator.mounts.prior, estimator.isNavigating
        )
        #expect(count == 4 && mount == found && !isNavigating)
    }

    @Test func aFixFromBeforeTheFilterIsCounted() {
        // GIVEN a filter that has just begun WHEN a fix comes that is 0.1 s older, from before its first sample THEN it
        // is counted as too late, though the receiver is not, and the filter goes on
        var estimator = Self.begun()
        let isNew = estimator.ingest(.gnss(Self.fix(99.9, arriving: 100)))
        #expect(!isNew && estimator.isNavigating && !estimator.isReceiverTooLate)
        #expect(estimator.rejections.fixTooLate == 1 && estimator.rejections.total == 1)
    }

    @Test func aLostHeadingTakesItsMountAlong() {
        // GIVEN a filter whose velocities are refused after a second jump WHEN the next fix comes THEN the filter is
        // stopped, which is counted, and its mount, which may be as wrong as its heading, does not outlast it
        var estimator = Self.begun()
        (estimator.filter.hasJumpedAgain, estimator.filter.refusedVelocities) = (true, 2)
        _ = estimator.ingest(.gnss(Self.fix(99.9, arriving: 100)))
        let (prior, count) = (estimator.mounts.prior, estimator.pastResets.count)
        #expect(!estimator.isNavigating && estimator.rejections.headingLost == 1)
        #expect(prior == nil && count == 1)
    }

    @Test func whatWasMeasuredBeforeASuspensionIsCounted() {
        // GIVEN an estimator that is restarted after a suspension that has ended at 10 s
        var (estimator, past) = (PoseEstimator(), EstimatorPast())
        past.measuredFrom = Self.time(10)
        estimator.restart(after: past)
        // WHEN a fix and a sample come that were measured before THEN neither is used, and both are counted
        let isNew = estimator.ingest(.gnss(Self.fix(9.999_999, arriving: 10.5)))
        #expect(!isNew && estimator.rejections.beforeSuspension == 1 && estimator.lastFix == nil)
        let isNext = estimator.ingest(.inertial(Self.sample(9.999_999)))
        #expect(!isNext && estimator.rejections.beforeSuspension == 2 && estimator.lastSample == nil)
        // AND those from its end on are used
        _ = estimator.ingest(.gnss(Self.fix(10, arriving: 10.5)))
        _ = estimator.ingest(.inertial(Self.sample(10)))
        #expect(estimator.lastFix != nil && estimator.lastSample != nil && estimator.rejections.total == 2)
    }

    @Test(arguments: [0.0, 0.33, 0.35, 2.9, 5.8]) func aLateFixCountsWhereTheSamplesCannotTellTheEnd(age: Double) {
        // GIVEN a velocity of 3 m/s, known to 0.1 m/s, and a level that may be wrong by 0.3 rad, as before the first
        // sample: from an age of 0.34 s on three sigmas of that are as much WHEN it comes late THEN the samples cannot
        // have shown that it has ended: a smooth ride is no rest
        var estimator = PoseEstimator()
        estimator.lastFix = Self.fix(50 - age, arriving: 50, north: 3)
        let isMoving = estimator.isReceiverMoving(at: Self.time(50))
        #expect(isMoving)
        // AND a receiver that states no more than its error does not move
        estimator.lastFix = Self.fix(50 - age, arriving: 50, north: 0.4)
        let mayStand = !estimator.isReceiverMoving(at: Self.time(50))
        #expect(mayStand)
    }

    @Test(arguments: [(0.4, true), (0.55, false)]) func aFilterCrossesAGapOnlyWithAKnownHeading(
        sigma: Double, goesOn: Bool
    ) throws {
        // GIVEN a vehicle under way whose heading is known just better than to half a radian, or just worse
        var estimator = try ReceiverAttack.shared(seed: 2).before
        estimator.filter.covariance.restart(.attitude.z, variance: sigma * sigma)
        let last = try #require(estimator.lastSample)
        // WHEN no sample comes for half a second THEN the filter goes on only with the former
        _ = estimator.ingest(
            .inertial(
                InertialSample(
                    time: last.time.advanced(bySeconds: 0.5), angularRateRadiansPerSecond: last.angularRate,
                    specificForceMetersPerSecondSquared: last.specificForce)))
        #expect(estimator.isNavigating == goesOn)
    }

    @Test func copiesOfTheFilterLieATwentiethAndAQuarterOfASecondApart() throws {
        // GIVEN a filter that has run for minutes, with samples at 100 Hz
        let buffer = try ReceiverAttack.shared(seed: 2).before.delayedMeasurements
        // WHEN its last copies are looked up THEN those of the last second are a twentieth of a second apart, or the
        // interval of a sample more, and those of the time before a quarter
        for (ring, seconds) in [(buffer.recent, 0.05), (buffer.older, 0.25)] {
            var before = Self.time(1e6)
            var times: [MonotonicTime] = []
            for _ in 0..<5 {
                before = try #require(ring.last(before: before)).time
                times.append(before)
            }
            for (later, earlier) in zip(times, times.dropFirst()) {
                let apart = later.seconds(since: earlier)
                #expect(apart > seconds - 1e-6 && apart < seconds + 0.03, "\(apart) s")
            }
        }
    }

    @Test(arguments: [(2.0, 7.0), (7.5, 7.5), (nil, 8)] as [(Double?, Double)])
    func theFixesGoOnFromTheFiltersPlaceAndAreNoSurer(stated: Double?, sigma: Double) throws {
        // GIVEN a running filter at 10 m/s to the north that has refused the last fix, of half a second ago, and whose
        // place lies 30 m to the east of it, known to 7 m and 5 m
        var estimator = Self.begun()
        var fix = Self.fix(99.5, arriving: 99.6, north: 10)
        fix.horizontalSigmaMeters = stated
        estimator.lastFix = fix
        estimator.filter.aids[Int(AidSource.gnssPosition.rawValue)].reject(because: .innovation)
        let place = estimator.filter.state.position
        estimator.estimate.position = place.moved(byENU: Vector3(30, 0, 0))
        estimator.estimate.positionSigmaENUMeters = Vector3(7, 5, 9)
        // WHEN the filter is stopped THEN the fixes go on from its place at the time of that fix, known to the larger
        // sigma of both axes and of the fix, 8 m where it states none
        estimator.stopFilter()
        let next = try #require(estimator.positionFilter)
        let offset = place.surfaceOffsetMeters(to: next.position)
        #expect(abs(offset.east - 30) < 0.01 && abs(offset.north + 5) < 0.01, "\(offset)")
        #expect(abs(next.horizontalSigma - sigma) < 1e-9, "\(next.horizontalSigma)")
    }

    @Test func aRestartKeepsTheMountOfTheSettingsUnlessItWasRefused() {
        // GIVEN settings with a mount WHEN the estimator is restarted after a past without measurements THEN that mount
        // is the prior; it is none where gravity or the drive had contradicted it
        var settings = FusionSettings()
        settings.sensorToBody = .identity
        for isRefused in [false, true] {
            var (estimator, past) = (PoseEstimator(settings: settings), EstimatorPast())
            if isRefused { past.isConfiguredMountRefused = true }
            estimator.restart(after: past)
            let (prior, wasRefused) = (estimator.mounts.prior, estimator.mounts.isConfiguredRefused)
            #expect((prior?.origin == .configured) == !isRefused && wasRefused == isRefused)
        }
    }

    @Test(arguments: [(0.7, true), (0.85, false)]) func theHeadingOfAPersonMayBeUnsureByEightTenthsAfterAGap(
        sigma: Double, goesOn: Bool
    ) {
        // GIVEN a person whose heading is known better than to 0.8 rad, what half a second hides included, or worse
        var settings = FusionSettings()
        settings.profile = .wearable
        var estimator = PoseEstimator(settings: settings)
        func add(_ seconds: Double) {
            // A sensor that repeats a reading counts as stuck.
            let new = 1e-4 * seconds
            _ = estimator.ingest(
                .inertial(
                    InertialSample(
                        time: Self.time(seconds), angularRateRadiansPerSecond: Vector3(new, -new, new),
                        specificForceMetersPerSecondSquared: Vector3(new, -new, 9.806_65 + new))))
        }
        for k in 0...20 { add(99.8 + 0.01 * Double(k)) }
        var filter = NavigationFilter(at: Self.begun().filter.state, leverArm: .zero, profile: .wearable)
        let last = estimator.delayedMeasurements.sampleCount - 1
        estimator.beginNavigating(with: &filter, at: last, mountIsPrior: false, levelToENU: .identity)
        estimator.filter.covariance.restart(.attitude.z, variance: sigma * sigma)
        // WHEN no sample comes for that time THEN the filter goes on only with the former
        add(100.5)
        #expect(estimator.isNavigating == goesOn)
    }

    @Test func aRestartDoesNotEndASuspension() {
        // GIVEN an estimator that is restarted after a suspension that has ended at 10 s WHEN it is restarted again, as
        // by a user THEN what was measured before is not used either
        var (estimator, past) = (PoseEstimator(), EstimatorPast())
        past.measuredFrom = Self.time(10)
        estimator.restart(after: past)
        estimator.restart(after: estimator.past)
        _ = estimator.ingest(.gnss(Self.fix(9.9, arriving: 10.5)))
        #expect(estimator.lastFix == nil && estimator.rejections.beforeSuspension == 1)
    }

    @Test func theHeightOfAFixIsKnownWhereItIsTaken() {
        // GIVEN a filter that has begun without a height WHEN a fix with one is too old to be used THEN the published
        // height is still unknown
        var estimator = Self.begun()
        _ = estimator.ingest(.gnss(Self.fix(99.9, arriving: 100)))
        estimator.describe(at: Self.time(100))
        #expect(estimator.rejections.fixTooLate == 1 && !estimator.estimate.isAltitudeKnown)
        // AND it is known from the first one on that is taken
        let isTaken = estimator.filter.fuse(Self.fix(100, arriving: 100), forceHistory: VectorHistory())
        estimator.describe(at: Self.time(100))
        #expect(isTaken && estimator.estimate.isAltitudeKnown)
    }
}
