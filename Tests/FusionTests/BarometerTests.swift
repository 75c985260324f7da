import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Barometric height with its drift.
@Suite struct BarometerTests {
    private struct Outcome {
        /// RMS and largest height error, outages of the receiver included, metres.
        var rms = 0.0
        var largest = 0.0
        /// Errors of the height when the receiver falls silent and when it is back, metres.
        var (before, after) = (0.0, 0.0)
        /// Share of the instants whose error is within the stated 1-sigma.
        var within = 0.0
        var record = AidSourceStatus()
    }

    /// A hilly drive with a receiver of several metres in height that falls silent for a minute; `disturb` changes the
    /// pressure.
    private func run(seed: UInt64, barometer: Bool, disturb: (Double) -> Double = { _ in 0 }) throws -> Outcome {
        var plan = DrivePlan.random(seed: seed, edges: 14)
        plan.hillHeightMeters = 20
        let drive = try Drive(plan)
        var suite = SensorSuite()
        suite.satellite?.outages = [100...160]
        suite.barometer = barometer ? SensorSuite.Barometer() : nil
        let simulated = SimulatedDrive(drive: drive, sensors: suite, seed: seed)
        var estimator = PoseEstimator()
        var outcome = Outcome()
        var (sum, inside, count) = (0.0, 0.0, 0.0)
        for event in simulated {
            var event = event
            if case .pressure(var sample) = event {
                sample.pressurePascal += disturb(sample.time.seconds)
                event = .pressure(sample)
            }
            guard estimator.ingest(event), estimator.estimate.time.seconds > 60,
                let place = estimator.estimate.position,
                let sigma = estimator.estimate.positionSigmaENUMeters
            else { continue }
            let error =
                place.altitudeEllipsoidMeters
                - simulated.truth(at: estimator.estimate.time).position.altitudeEllipsoidMeters
            let wrong = abs(error)
            if estimator.estimate.time.seconds < 100 { outcome.before = error }
            if estimator.estimate.time.seconds < 160 { outcome.after = error }
            sum += wrong * wrong
            inside += wrong < sigma.z ? 1 : 0
            outcome.largest = max(outcome.largest, wrong)
            count += 1
        }
        outcome.rms = (sum / count).squareRoot()
        outcome.within = inside / count
        outcome.record = estimator.aid(.barometer) ?? AidSourceStatus()
        return outcome
    }

    @Test func standardHeights() {
        // ICAO Doc 7488, table: 1000 m is 898.746 hPa, 5000 m is 540.199 hPa (geopotential); the formula is exact to
        // its rounded constants.
        #expect(abs(Barometer.standardHeightMeters(pressurePascal: 101_325)) < 1e-9)
        #expect(abs(Barometer.standardHeightMeters(pressurePascal: 89_874.6) - 1_000) < 0.5)
        #expect(abs(Barometer.standardHeightMeters(pressurePascal: 54_019.9) - 5_000) < 1.5)
    }

    @Test func aBarometerHoldsTheHeight() throws {
        // GIVEN the same drives with and without a barometer WHEN the receiver is silent for a minute
        var (squares, squaresWithout, changes, changesWithout) = (0.0, 0.0, 0.0, 0.0)
        for seed in UInt64(1)...16 {
            let without = try run(seed: seed, barometer: false)
            let with = try run(seed: seed, barometer: true)
            squares += with.rms * with.rms
            squaresWithout += without.rms * without.rms
            changes += (with.after - with.before) * (with.after - with.before)
            changesWithout += (without.after - without.before) * (without.after - without.before)
            // THEN its readings were taken
            #expect(with.record.acceptedCount > 500)
            #expect(with.record.rejectedCount < with.record.acceptedCount / 50)
        }
        // AND in the silence the error changes by the 0.15 m of the weather (eq. 5.13) and a twentieth of the climbs
        // between hills of 20 m at most, less than what wheels that do not leave the road make of it
        #expect((changes / 16).squareRoot() < 0.6)
        #expect(changes < 0.8 * changesWithout)
        // AND the height is no worse: what the receiver's own wander leaves, either way
        #expect(squares < squaresWithout)
    }

    @Test(arguments: [UInt64(3), 8]) func aJumpOfThePressureIsNoClimb(seed: UInt64) throws {
        // GIVEN a ventilator that takes 100 Pa (8 m) away from 120 s on, in the middle of the outage
        let without = try run(seed: seed, barometer: false)
        let jump = try run(seed: seed, barometer: true) { $0 > 120 ? -100 : 0 }
        // THEN the readings are refused until the offset is found anew, and the height does not follow: no worse than
        // without one and half of the jump
        #expect(jump.record.rejectedCount > 5)
        #expect(jump.largest < without.largest + 4)
    }

    @Test func broken() throws {
        // GIVEN a barometer that reports nonsense WHEN the drive goes on THEN it is counted and changes nothing
        var estimator = PoseEstimator()
        for pascal in [Double.nan, .infinity, -1, 0, 1e9] {
            let isNew = estimator.ingest(
                .pressure(PressureSample(time: MonotonicTime(nanoseconds: 0), pressurePascal: pascal)))
            #expect(!isNew)
        }
        #expect(estimator.rejections.pressureOutOfRange == 5)
    }

    @Test func aMeanIsOfAFifthOfASecond() {
        // GIVEN readings at 20 Hz that grow by 1 Pa each WHEN their means are asked for THEN the first reading passes,
        // and then each four of them
        var mean = PressureMean()
        func add(_ milliseconds: Int64, _ pascal: Double) -> Double? {
            mean.add(
                PressureSample(time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), pressurePascal: pascal))
        }
        let means = (Int64(0)...8).compactMap { add($0 * 50, 100_000 + Double($0)) }
        #expect(means == [100_000, 100_002.5, 100_006.5])
        // WHEN one is waiting, and the next comes 1.9 or 2.1 s later THEN the waiting one counts only in the former
        let (waiting, early) = (add(450, 100_000), add(2350, 100_010))
        #expect(waiting == nil && early == 100_005)
        let (again, late) = (add(2400, 100_000), add(4500, 100_010))
        #expect(again == nil && late == 100_010)
    }

    /// A filter at a height of 40 m, known to a 1-sigma.
    private func filter(heightSigma: Double) -> NavigationFilter {
        let state = NavigationState(
            time: MonotonicTime(nanoseconds: 0),
            position: GeodeticPosition(latitudeDegrees: 47, longitudeDegrees: 9, altitudeEllipsoidMeters: 40),
            velocityENU: .zero, sensorToENU: .identity)
        var filter = NavigationFilter(at: state, leverArm: .zero)
        filter.covariance.restart(.position, variance: heightSigma * heightSigma)
        return filter
    }

    @Test(arguments: [(19.9, true), (20.1, false)]) func theOffsetIsFoundWhereTheHeightIsKnown(
        sigma: Double, isFound: Bool
    ) {
        // GIVEN a height that is known just better than to 20 m, or just worse WHEN a reading comes THEN its offset is
        // taken from the former alone
        var filter = filter(heightSigma: sigma)
        let canUse = filter.canUseBarometer
        filter.fuseBarometricHeight(450)
        let isUsed = filter.isBarometerUsed
        #expect(canUse == isFound && isUsed == isFound)
        #expect(filter.state[.barometerOffset] == (isFound ? 410 : 0))
        // AND it is as sure as that and a reading of 0.4 m
        let variance = filter.covariance[.barometerOffset, .barometerOffset]
        #expect(abs(variance - (isFound ? sigma * sigma + 0.16 : 0)) < 1e-6)
    }

    @Test func readingsThatAreRefusedForFiveSecondsShowAnotherOffset() {
        // GIVEN an offset of 410 m WHEN the readings jump by 100 m, two a second
        var filter = filter(heightSigma: 0.5)
        filter.fuseBarometricHeight(450)
        func jump(_ readings: ClosedRange<Int>) {
            for k in readings {
                filter.state.time = MonotonicTime(nanoseconds: Int64(k) * 500_000_000)
                filter.fuseBarometricHeight(550)
            }
        }
        // THEN they are refused for five seconds, and then the offset is another one
        jump(1...9)
        #expect(filter.state[.barometerOffset] == 410)
        jump(10...10)
        #expect(filter.state[.barometerOffset] == 510)
        #expect(filter.aids[Int(AidSource.barometer.rawValue)].rejectedCount == 10)
    }

    @Test func theOffsetDriftsWithTimeAndClimb() {
        // GIVEN 100 s on the level, and 10 s of a climb by 2 m/s THEN the variance of the offset has grown by 4 cm2 a
        // second, and by a twentieth of the climb over each 20 m
        #expect(abs(Barometer.driftVariance(seconds: 100, climb: 0, climbed: 100) - 0.04) < 1e-12)
        #expect(abs(Barometer.driftVariance(seconds: 10, climb: 2, climbed: 9) - 1.004) < 1e-12)
        #expect(abs(Barometer.driftVariance(seconds: 10, climb: -2, climbed: 9) - 1.004) < 1e-12)
        // AND where 100 m have been climbed before by that over 200 m
        #expect(abs(Barometer.driftVariance(seconds: 10, climb: 2, climbed: 100) - 10.004) < 1e-12)
    }

    @Test func aTwentiethOfALongClimbIsUncertain() {
        // GIVEN 1500 steps of a climb of 150 m, and of five hills of 15 m up and down WHEN the variances are summed
        func sigma(_ height: (Int) -> Double) -> Double {
            var barometer = Barometer()
            let variances = (1...1500).map { step in
                let climb = height(step) - height(step - 1)
                return Barometer.driftVariance(
                    seconds: 1, climb: climb, climbed: barometer.climbedMeters(at: height(step)))
            }
            return (variances.reduce(0, +) - 1500 * 4e-4).squareRoot()
        }
        // THEN the offset is uncertain by a twentieth of the climb; over the hills by hardly more than over 20 m each
        #expect(abs(sigma { 0.1 * Double($0) } - 7.5) < 0.1)
        let hills = sigma { 0.1 * abs(Double(($0 + 150) % 300) - 150) }
        #expect(hills > 2.7 && hills < 3.1)
    }

    @Test func theClimbIsTheWayFromAHeightThatFollowsAt150Meters() {
        // GIVEN a climb that counts from 100 m WHEN the height changes THEN it is the way up or down from there
        var barometer = Barometer()
        barometer.restartClimb(at: 100)
        for (height, climbed) in [(130.0, 30.0), (70, 30), (100, 0), (250, 150), (-50, 150)] {
            #expect(barometer.climbedMeters(at: height) == climbed, "\(height)")
        }
        // AND it is 150 m at most: from 300 m on the height from which it counts is 150 m, and from -10 m on 140 m
        for (height, climbed) in [(300.0, 150.0), (250, 100), (-10, 150), (140, 0), (190, 50)] {
            #expect(barometer.climbedMeters(at: height) == climbed, "\(height)")
        }
        // AND without a beginning it counts from the first height
        var fresh = Barometer()
        let (first, second) = (fresh.climbedMeters(at: 420), fresh.climbedMeters(at: 400))
        #expect(first == 0 && second == 20)
    }

    @Test func aReadingIsTakenAtItsTimeButNotBeforeTheLastSample() throws {
        // GIVEN a running filter that knows its height
        var estimator = try ReceiverAttack.shared(seed: 2).before
        estimator.filter.covariance.restart(.position.z, variance: 25)
        let sample = try #require(estimator.lastSample)
        func at(_ milliseconds: Int64) -> MonotonicTime {
            MonotonicTime(nanoseconds: sample.time.nanoseconds + milliseconds * 1_000_000)
        }
        func read(at milliseconds: Int64) {
            _ = estimator.ingest(.pressure(PressureSample(time: at(milliseconds), pressurePascal: 101_000)))
        }
        // A sensor that repeats a reading counts as stuck.
        func goOn(_ steps: ClosedRange<Int64>) {
            for step in steps {
                _ = estimator.ingest(
                    InertialSample(
                        time: at(10 * step),
                        angularRateRadiansPerSecond: sample.angularRate + Vector3(repeating: 1e-6 * Double(step)),
                        specificForceMetersPerSecondSquared: sample.specificForce
                            + Vector3(repeating: 1e-5 * Double(step))))
            }
        }
        // WHEN a reading comes that is 50 ms older than the last sample THEN it is taken a nanosecond after that
        read(at: -50)
        goOn(1...1)
        let first = estimator.filter.barometer.lastTime
        #expect(first == MonotonicTime(nanoseconds: sample.time.nanoseconds + 1))
        // AND one of 240 ms after the last sample is taken then
        read(at: 250)
        goOn(2...26)
        let second = estimator.filter.barometer.lastTime
        #expect(second == at(250))
    }
}
