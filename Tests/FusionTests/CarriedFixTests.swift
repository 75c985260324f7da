import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What is published after the fixes of a receiver without the navigation filter: for how long, how far, how sure.
@Suite struct CarriedFixTests {
    private static let place = GeodeticPosition(
        latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 300)

    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(((100 + seconds) * 1e9).rounded()))
    }

    /// A fix at a second, at the place, with a speed to the east, m/s.
    private static func fix(_ seconds: Double, speed: Double?) -> GnssFix {
        var fix = GnssFix(validityTime: time(seconds), arrivalTime: time(seconds), mode: .threeDimensional)
        (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
        (fix.altitudeEllipsoidMeters, fix.horizontalSigmaMeters) = (300, 2)
        fix.horizontalVelocity = speed.map { HorizontalVelocity(eastMetersPerSecond: $0, northMetersPerSecond: 0) }
        fix.speedSigmaMetersPerSecond = speed.map { _ in 0.1 }
        return fix
    }

    private static func estimator(_ profile: MotionProfile) -> PoseEstimator {
        var settings = FusionSettings()
        settings.profile = profile
        return PoseEstimator(settings: settings)
    }

    /// The estimate some time after the last of fixes that come once a second, the last at 0 s.
    private func estimate(after seconds: Double, speeds: [Double?]) -> PoseEstimate {
        var estimator = Self.estimator(.vehicle)
        for (index, speed) in speeds.enumerated() {
            _ = estimator.ingest(.gnss(Self.fix(Double(index - speeds.count + 1), speed: speed)))
        }
        _ = estimator.carryOn(to: Self.time(seconds))
        return estimator.estimate
    }

    private func east(_ estimate: PoseEstimate) -> Double? {
        estimate.position.map { Self.place.surfaceOffsetMeters(to: $0).east }
    }

    @Test(arguments: [(10, 1.5, 15), (10, 1.9, 19), (10, 2.5, 20), (0.25, 1, 0.25), (0.15, 1, 0)])
    func aFixIsCarriedOnForTwoSeconds(speed: Double, seconds: Double, expected: Double) throws {
        // GIVEN a fix with a speed WHEN time passes THEN the place goes on with it for 2 s, and stays where the speed
        // is below 0.2 m/s
        let moved = try #require(east(estimate(after: seconds, speeds: [speed])))
        #expect(abs(moved - expected) < 0.001)
    }

    @Test func aFixWithoutAVelocityIsUnsureByFiveMetersASecond() throws {
        // GIVEN a fix that states no velocity WHEN one and two seconds pass THEN the variance has grown by 25 m2/s2
        // times the squared time
        let sigmas = try [1.0, 2].map { try #require(estimate(after: $0, speeds: [nil]).positionSigmaENUMeters).x }
        #expect(abs(sigmas[1] * sigmas[1] - sigmas[0] * sigmas[0] - 75) < 1e-6)
        #expect(estimate(after: 1, speeds: [nil]).velocityENUMetersPerSecond == nil)
    }

    @Test(arguments: [(MotionProfile.vehicle, 0.050_99), (.wearable, 0.500_1)])
    func theCourseIsTheHeadingAsSureAsTheBodyFollowsIt(profile: MotionProfile, sigma: Double) throws {
        // GIVEN a fix at 10 m/s, known to 0.1 m/s THEN the heading is east, with 0.05 rad of a vehicle, or 0.5 of a
        // person, beside the 0.01 rad of the velocity
        var estimator = Self.estimator(profile)
        _ = estimator.ingest(.gnss(Self.fix(0, speed: 10)))
        let attitude = try #require(estimator.estimate.bodyToENU)
        #expect(abs(EulerAngles(bodyToENU: attitude).headingTrueRadians - .pi / 2) < 1e-9)
        #expect(abs(try #require(estimator.estimate.headingSigmaRadians) - sigma) < 1e-4)
    }

    @Test func aCourseCountsFromTwoMetersASecondAndForThreeSeconds() throws {
        // GIVEN a fix just below 2 m/s, and one just above THEN only the latter has a course, until it is 3 s old
        #expect(estimate(after: 0.5, speeds: [1.9]).headingSigmaRadians == nil)
        #expect(estimate(after: 0.5, speeds: [2.1]).headingSigmaRadians != nil)
        #expect(estimate(after: 2.9, speeds: [10]).headingSigmaRadians != nil)
        #expect(estimate(after: 3.1, speeds: [10]).headingSigmaRadians == nil)
        // AND the course from before is shown while the vehicle is slow, with the 0.2 rad by which it may have turned
        // before, and the 0.3 rad of the 1.5 m since
        let slow = try #require(estimate(after: 0.5, speeds: [10, 1]).headingSigmaRadians)
        #expect(abs(slow - 0.364_01) < 1e-4)
    }

    @Test func aStatedDeclinationIsKnownToAHundredth() {
        // GIVEN a receiver that states a declination THEN its sigma is 0.01 rad; its model may be some years old
        var fix = Self.fix(0, speed: 10)
        fix.magneticVariationRadians = 0.05
        var estimator = PoseEstimator()
        _ = estimator.ingest(.gnss(fix))
        #expect(estimator.estimate.magneticVariationRadians == 0.05)
        #expect(estimator.estimate.magneticVariationSigmaRadians == 0.01)
    }

    /// An estimator after samples at rest until a second.
    private func resting(until end: Double, profile: MotionProfile = .wearable) -> PoseEstimator {
        var estimator = Self.estimator(profile)
        for k in 0...Int((end * 100).rounded()) {
            // A sensor that repeats a reading counts as stuck.
            let noise = 0.002 * Vector3(Double(k % 7) - 3, Double(k % 5) - 2, Double(k % 3) - 1)
            _ = estimator.ingest(
                InertialSample(
                    time: Self.time(Double(k) * 0.01), angularRateRadiansPerSecond: noise * 0.1,
                    specificForceMetersPerSecondSquared: Vector3(0, 0, 9.80665) + noise))
        }
        return estimator
    }

    @Test(arguments: [(4.9, PoseState.aligning), (5.1, .attitudeOnly)])
    func theAttitudeIsAllThereIsAfterFiveSecondsWithoutAFix(seconds: Double, state: PoseState) {
        // GIVEN samples of a body at rest and no fix THEN a fix is waited for during the first 5 s
        #expect(resting(until: seconds).estimate.state == state)
    }

    @Test func aPoseIsPublishedWithoutASampleAfterATenthOfASecondAndTheAttitudeForOne() {
        // GIVEN samples that end WHEN an estimate is asked for 0.09, 0.11, 0.95 and 1.05 s later THEN there is none as
        // long as the next sample may come, and no attitude from a second on
        var (published, known): ([Bool], [Bool]) = ([], [])
        for seconds in [0.09, 0.11, 0.95, 1.05] {
            var estimator = resting(until: 2)
            published.append(estimator.carryOn(to: Self.time(2 + seconds)))
            known.append(estimator.estimate.bodyToENU != nil)
        }
        #expect(published == [false, true, true, true])
        #expect(known == [true, true, true, false])
    }

    @Test(arguments: [(2.9, true), (3.1, false)]) func aHeadingOfTheAntennasIsShownForThreeSeconds(
        seconds: Double, isShown: Bool
    ) throws {
        // GIVEN a receiver at rest that states a heading of 1 rad to a degree THEN that is shown for 3 s, with the
        // 3 degrees of the told angle of its antennas, and 0.3 degrees that last
        var fix = Self.fix(0, speed: 0)
        (fix.headingTrueRadians, fix.headingSigmaRadians) = (1, 1.degreesInRadians)
        var settings = FusionSettings()
        settings.headingBaselineRadians = 0
        var estimator = PoseEstimator(settings: settings)
        _ = estimator.ingest(.gnss(fix))
        _ = estimator.carryOn(to: Self.time(seconds))
        let estimate = estimator.estimate
        #expect((estimate.headingSigmaRadians != nil) == isShown)
        guard isShown else { return }
        let attitude = try #require(estimate.bodyToENU)
        #expect(abs(EulerAngles(bodyToENU: attitude).headingTrueRadians - 1) < 1e-9)
        #expect(abs((estimate.headingSigmaRadians ?? 0).radiansInDegrees - 10.09.squareRoot()) < 1e-6)
    }

    @Test(arguments: [(29, PoseState.coarse), (31, .lost)]) func fixesThatAreRefusedForHalfAMinuteAreNoPlace(
        seconds: Int, state: PoseState
    ) {
        // GIVEN two fixes, and then one a second, each some kilometres from all others THEN the place of the first ones
        // is published for 30 s
        var estimator = PoseEstimator()
        for second in [-0.5, 0] { _ = estimator.ingest(.gnss(Self.fix(second, speed: nil))) }
        for second in 1...seconds {
            var fix = Self.fix(Double(second), speed: nil)
            fix.longitudeRadians = 0.2 + (second % 2 == 0 ? 0.001 : -0.001) * Double(second)
            _ = estimator.ingest(.gnss(fix))
        }
        #expect(estimator.estimate.state == state)
    }

    @Test func aCourseInATurnIsUnsureByItsLag() throws {
        // GIVEN a receiver whose velocity of 10 m/s turns by 0.1 rad a second
        var estimator = PoseEstimator()
        var (place, seen) = (Self.place, Vector3.zero)
        for second in 0...6 {
            let turn = Quaternion(rotationVector: Vector3(0, 0, 0.1 * Double(second)))
            seen = turn.rotate(Vector3(10, 0, 0))
            place = place.moved(byENU: seen)
            var fix = Self.fix(Double(second), speed: 10)
            (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            fix.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y)
            _ = estimator.ingest(.gnss(fix))
        }
        // THEN beside the 0.05 rad of a vehicle, and the velocity's own, the course is unsure by 0.6 s of the turn
        let acceleration = try #require(estimator.positionFilter?.acceleration)
        let sigma = try #require(estimator.estimate.headingSigmaRadians)
        let own = acceleration.sigma(after: 0).velocity / 10
        let turn = acceleration.turnRate(at: seen)
        #expect(turn > 0.05)
        #expect(abs((sigma * sigma - 0.0025 - own * own).squareRoot() - 0.6 * turn) < 1e-6)
    }

    @Test(arguments: [(2.5, 0.29, true), (2.5, 0.31, false), (10, 0.85, true), (10, 1.1, false)])
    func aReceiverThatMovesRevokesARestOfJustNow(speed: Double, seconds: Double, isRevoked: Bool) {
        // GIVEN samples at rest WHEN a fix states a speed a moment later THEN what the rest has taught is forgotten
        // where it ended less than 0.3 s before, or where no tyre can have gained that speed since
        var estimator = resting(until: 2, profile: .vehicle)
        _ = estimator.ingest(.gnss(Self.fix(2 + seconds, speed: speed)))
        let learned = estimator.attitude.runSeconds
        #expect((learned == 0) == isRevoked)
    }

    @Test(arguments: [(MotionProfile.vehicle, true), (.wearable, true), (.boat, false)])
    func onlyABoatThatFeelsNothingMayDrift(profile: MotionProfile, stands: Bool) {
        // GIVEN a sensor that feels nothing for two seconds THEN it stands, but for a boat on calm water
        #expect(resting(until: 2, profile: profile).estimate.isStandingStill == stands)
    }

    @Test(arguments: [(0.9, true), (1.1, false)]) func anIMUThatHasFailedShowsNoRest(seconds: Double, stands: Bool) {
        // GIVEN a vehicle at rest WHEN its IMU sends no more THEN a second later nothing shows that it stands
        var estimator = resting(until: 2, profile: .vehicle)
        let isNew = estimator.carryOn(to: estimator.estimate.time.advanced(bySeconds: seconds))
        #expect(isNew && estimator.estimate.isStandingStill == stands)
    }

    @Test func aBodyAtRestHasGainedNoSpeedSinceItsFix() throws {
        // GIVEN samples at rest, and a fix that states a speed of zero to 0.1 m/s WHEN that is published THEN the
        // velocity is known to the 0.03 m/s of a rest
        var estimator = resting(until: 2)
        _ = estimator.ingest(.gnss(Self.fix(2, speed: 0)))
        estimator.describe(at: Self.time(2))
        #expect(!estimator.isNavigating)
        let sigma = try #require(estimator.estimate.velocitySigmaENUMetersPerSecond)
        #expect((sigma - Vector3(repeating: 0.03)).length < 1e-12, "\(sigma)")
    }

    @Test func aVehicleThatHasBrakedToAStopHasGoneItsWay() throws {
        // GIVEN a receiver whose velocity to the east has fallen by 2 m/s from second to second, to 1.5 m/s WHEN 1.9 s
        // pass, after the first of which the brakes have stopped it
        var (estimator, place) = (PoseEstimator(), Self.place)
        for (second, speed) in [9.5, 7.5, 5.5, 3.5, 1.5].enumerated() {
            place = place.moved(byENU: Vector3(second > 0 ? speed + 1 : 0, 0, 0))
            var fix = Self.fix(Double(second) - 4, speed: speed)
            (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            _ = estimator.ingest(.gnss(fix))
        }
        let filter = try #require(estimator.positionFilter)
        let braked = try #require(filter.acceleration).carry(Vector3(1.5, 0, 0), over: 1.9)
        #expect(braked.velocity.length < 1e-6 && braked.way.x > 0.5, "\(braked)")
        _ = estimator.carryOn(to: Self.time(1.9))
        // THEN it is where they have stopped it, and not where the last fix was
        let moved = filter.position.surfaceOffsetMeters(to: try #require(estimator.estimate.position)).east
        #expect(abs(moved - braked.way.x) < 1e-3, "\(moved)")
    }
}
