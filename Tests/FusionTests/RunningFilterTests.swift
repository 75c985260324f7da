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

    @Test(arguments: [(0.0, true), (0.33, true), (0.35, false), (2.9, false)])
    func aLateFixTellsLessOfTheMotion(age: Double, isMoving: Bool) {
        // GIVEN a velocity of 3 m/s, known to 0.1 m/s, and a level that may be wrong by 0.3 rad, as before the first
        // sample: 2.94 m/s2 WHEN it comes late THEN three of its sigmas have reached it at an age of 0.34 s
        var estimator = PoseEstimator()
        estimator.lastFix = Self.fix(50 - age, arriving: 50, north: 3)
        let found = estimator.isReceiverMoving(at: Self.time(50))
        #expect(found == isMoving)
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
}
