import Geodesy
import Glibc
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// By how much a receiver's velocity is older than its position, from its fixes alone.
@Suite struct LagDifferenceTests {
    /// The estimate at the end of a simulated drive.
    private func found(
        seed: UInt64, _ receiver: SatelliteReceiver, change: (inout GnssFix) -> Void = { _ in }
    ) throws -> LagDifferenceEstimator.Difference? {
        var plan = DrivePlan.random(seed: seed, edges: 6)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        suite.satellite = receiver
        var estimator = LagDifferenceEstimator()
        for event in SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed) {
            guard case .gnss(var fix) = event else { continue }
            change(&fix)
            estimator.add(fix)
        }
        return estimator.found
    }

    private func receiver(rtk: Bool, rate: Double, position: Double, velocity: Double) -> SatelliteReceiver {
        var receiver = rtk ? SatelliteReceiver.rtk : SatelliteReceiver()
        receiver.rateHertz = rate
        receiver.positionLagSeconds = position
        receiver.velocityLagSeconds = velocity
        return receiver
    }

    @Test(arguments: [(0.0, 0.0), (0.0, 1.2), (0.4, 0.9), (1.0, 1.8), (0.7, 0.4)], [UInt64(1), 2, 3])
    func theDifferenceOfPreciseFixesIsFound(lags: (position: Double, velocity: Double), seed: UInt64) throws {
        for rate in [1.0, 4, 10] {
            // GIVEN positions good to a centimetre, whose velocity is older than they are WHEN the vehicle has driven
            // for some minutes
            let fixes = receiver(rtk: true, rate: rate, position: lags.position, velocity: lags.velocity)
            let found = try #require(try found(seed: seed, fixes))
            // THEN the difference is found to a tenth of a second, the step of the bank
            #expect(abs(found.seconds - (lags.velocity - lags.position)) < 0.1)
            #expect(found.sigma < 0.1)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func theSigmaOfConsumerFixesHolds(seed: UInt64) throws {
        // GIVEN positions that wander by metres THEN the difference is within three sigmas, which are honest
        let found = try #require(try found(seed: seed, receiver(rtk: false, rate: 1, position: 0.6, velocity: 1.4)))
        #expect(abs(found.seconds - 0.8) < 3 * found.sigma)
        #expect(found.sigma < 0.5)
    }

    @Test func aPositionThatJumpsSaysNothing() throws {
        // GIVEN a receiver that is 40 m to the east for ten seconds WHEN the rest fits a difference THEN that is found
        var begin: MonotonicTime?
        let precise = receiver(rtk: true, rate: 1, position: 0, velocity: 0.8)
        let found = try #require(
            try found(seed: 2, precise) { fix in
                begin = begin ?? fix.validityTime
                let age = fix.validityTime.seconds(since: begin ?? fix.validityTime)
                if age > 60, age < 70 { fix.longitudeRadians = fix.longitudeRadians.map { $0 + 40 / 4.3e6 } }
            })
        #expect(abs(found.seconds - 0.8) < 0.1)
    }

    @Test func fixesWithoutVelocityOrMotionFindNothing() throws {
        // GIVEN fixes without a velocity THEN nothing is found
        let fixes = receiver(rtk: true, rate: 1, position: 0, velocity: 0)
        #expect(try found(seed: 1, fixes) { $0.horizontalVelocity = nil }?.seconds == nil)
        // AND none at rest
        var estimator = LagDifferenceEstimator()
        for k in 0..<100 {
            let time = MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            (fix.latitudeRadians, fix.longitudeRadians) = (0.8, 0.2)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0.1, northMetersPerSecond: 0)
            estimator.add(fix)
        }
        #expect(estimator.found?.seconds == nil)
    }

    @Test(arguments: [(0.45, 0.06, true), (0.43, 0.06, false), (0.21, 0, true), (0.19, 0, false)])
    func aDelayIsMoreThanASmoothing(seconds: Double, sigma: Double, isDelay: Bool) {
        // GIVEN a velocity that is later than the position THEN it is delayed where that is more than the 0.2 s of a
        // smoothing by four sigmas
        #expect(LagDifferenceEstimator.Difference(seconds: seconds, sigma: sigma).isDelay == isDelay)
    }

    /// The estimate after fixes of a receiver on a way to the east.
    ///
    /// - Parameters:
    ///   - count: of the fixes, and seconds from each to the next.
    ///   - speed: mean speed, and how far it swings to either side every 16 s, m/s.
    ///   - difference: by how much the velocity is older than the position, seconds.
    ///   - sigma: of the position as it is stated, metres.
    ///   - zigzag: by how much every other position is too far east, metres.
    private func found(
        count: Int, spacing: Double = 1, speed: Double = 5, swing: Double = 0, difference: Double = 0,
        sigma: Double = 1, zigzag: Double = 0
    ) -> LagDifferenceEstimator.Difference? {
        let rate = 0.4
        var estimator = LagDifferenceEstimator()
        for k in 0..<count {
            let (now, old) = (Double(k) * spacing, Double(k) * spacing - difference)
            let time = MonotonicTime(nanoseconds: Int64((now * 1e9).rounded()))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            let place = GeodeticPosition(latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 0)
                .moved(byENU: Vector3(speed * now - swing / rate * cos(rate * now) + Double(k % 2) * zigzag, 0, 0))
            (fix.latitudeRadians, fix.longitudeRadians) = (place.latitudeRadians, place.longitudeRadians)
            (fix.horizontalSigmaMeters, fix.speedSigmaMetersPerSecond) = (sigma, 0.1)
            fix.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: speed + swing * sin(rate * old), northMetersPerSecond: 0)
            estimator.add(fix)
        }
        return estimator.found
    }

    @Test func aSteadySpeedLeavesAllDifferencesAlike() throws {
        // GIVEN a steady speed THEN every difference from -0.5 to 2.5 s is as likely: 1 s, with the sigma of that range
        let told = try #require(found(count: 20))
        #expect(abs(told.seconds - 1) < 1e-6 && abs(told.sigma - 0.894_9) < 1e-4)
    }

    @Test(arguments: [(1.0, 6), (0.46, 10), (0.44, 11)]) func aPairNeedsTheFixesBesideIt(spacing: Double, count: Int) {
        // GIVEN fixes at a steady speed THEN the first pair is compared when 0.5 s before it and 2.5 s after it are
        // known AND fixes of less than 0.45 s are joined to one of twice that
        let (before, after) = (found(count: count - 1, spacing: spacing), found(count: count, spacing: spacing))
        #expect(before?.seconds == nil && after?.seconds != nil)
    }

    @Test func aGapOfThreeSecondsBeginsAnew() {
        // GIVEN fixes three seconds apart THEN they are pairs, and with a longer gap they are not
        #expect(found(count: 20, spacing: 3)?.seconds != nil)
        #expect(found(count: 20, spacing: 3.01)?.seconds == nil)
    }

    @Test func aSpeedOfLessThanAMeterASecondTellsNothing() {
        // GIVEN a steady speed of a metre a second THEN it tells nothing, and a little more does
        for (speed, tells) in [(0.9, false), (1, false), (1.1, true)] {
            #expect((found(count: 20, speed: speed) != nil) == tells, "\(speed)")
        }
    }

    @Test(arguments: [(1.0, 61, 0.192_4), (1.0, 601, 0.152_4), (0.02, 601, 0.056_9)])
    func whatIsKnownIsThatOfAMinute(sigma: Double, count: Int, expected: Double) throws {
        // GIVEN a speed that swings by a metre a second about 10 m/s, and a velocity that is 0.8 s older than the
        // position WHEN a minute, and ten, have passed THEN the difference is found, hardly better after ten: pairs are
        // forgotten with 60 s AND of positions to 2 cm, what a velocity does not tell of the time until the next, 5 cm
        // a second, and its own error are left
        let told = try #require(found(count: count, speed: 10, swing: 1, difference: 0.8, sigma: sigma))
        #expect(abs(told.seconds - 0.8) < 0.005)
        #expect(abs(told.sigma - expected) < 0.03 * expected, "\(told)")
    }

    @Test(arguments: [(0.5, 121, 0.050_79), (2, 31, 0.103_99)])
    func aPairIsAsUnsureAsItIsLong(spacing: Double, count: Int, expected: Double) throws {
        // GIVEN positions to 2 cm, and velocities that are 0.8 s older, twice a second or every other second WHEN a
        // minute has passed THEN the way between two fixes is as unsure as the velocity, 0.1 m/s, for that time, and
        // for what it does not tell, 0.05 m/s for that time
        let told = try #require(
            found(count: count, spacing: spacing, speed: 10, swing: 1, difference: 0.8, sigma: 0.02))
        #expect(abs(told.seconds - 0.8) < 0.02)
        #expect(abs(told.sigma - expected) < 0.02 * expected, "\(told)")
    }

    @Test func theWayBetweenTwoFixesIsCurvedByTheirVelocities() throws {
        // GIVEN a fix every three seconds, and a velocity that is 2.3 s older than the position, which swings THEN that
        // is found with the fix after the next, though the way is known at its ends alone
        let told = try #require(found(count: 31, spacing: 3, speed: 10, swing: 1, difference: 2.3))
        #expect(abs(told.seconds - 2.277_5) < 0.005 && abs(told.sigma - 0.160_4) < 0.003, "\(told)")
    }

    @Test func positionsThatAreWorseThanStatedCountLess() throws {
        // GIVEN positions that are stated to 10 cm, of which every other one is a metre too far east THEN each counts
        // as much as it has proved, none is dropped as a jump, and the sigma is that of the scatter
        let told = try #require(found(count: 61, speed: 10, swing: 3, difference: 0.8, sigma: 0.1, zigzag: 1))
        #expect(abs(told.seconds - 0.776_3) < 0.005 && abs(told.sigma - 0.142_2) < 0.002, "\(told)")
        // AND without the scatter it is that of a step of what is tried
        let clean = try #require(found(count: 61, speed: 10, swing: 3, difference: 0.8, sigma: 0.1))
        #expect(abs(clean.sigma - 0.028_9) < 0.000_5, "\(clean)")
    }

    @Test func onePairFitsOneOfItsTwoNumbers() throws {
        // GIVEN positions that are stated to 10 cm, the first pair of which is 0.8 m too short THEN the squares that
        // the best difference leaves, 7.5, are the noise of one number: two of the pair, less the fitted one
        let told = try #require(
            found(count: 6, speed: 10, swing: 1, difference: 0.8, sigma: 0.1, zigzag: 0.8))
        #expect(abs(told.seconds + 0.0707) < 0.005 && abs(told.sigma - 0.4303) < 0.005, "\(told)")
    }
}
