import Measurements
import PoseMath
import Testing

@testable import Fusion

/// What one step of the attitude filter makes of noise, of rest and of a velocity; and when it begins.
@Suite struct AttitudeStepTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    private func isNear(_ value: Double, _ expected: Double, share: Double = 1e-3) -> Bool {
        abs(value - expected) <= share * abs(expected)
    }

    /// A step of a tenth of a second of a level sensor.
    private func step(
        _ filter: inout AttitudeFilter, rate: Vector3 = .zero, still: Bool = false, meanRate: Vector3 = .zero,
        restNoise: Vector3 = .zero
    ) {
        filter.interval.add(
            axes: SensorAxes(.identity), force: Vector3(0, 0, 9.806_65), rate: rate, seconds: 0.1)
        filter.step(still: still, meanAngularRate: meanRate, restNoise: restNoise)
    }

    /// A sample of a level body.
    private func add(
        _ filter: inout AttitudeFilter, at seconds: Double, rate: Vector3 = .zero, still: Bool = false,
        meanRate: Vector3 = .zero, hidden: SaturatedMotion = SaturatedMotion()
    ) {
        let sample = InertialSample(
            time: Self.time(seconds), angularRateRadiansPerSecond: rate,
            specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
        filter.update(sample, still: still, meanAngularRate: meanRate, saturated: hidden)
    }

    /// A filter after a number of samples at 100 Hz.
    private func started(
        after samples: Int, profile: MotionProfile = .wearable, still: Bool = true, meanRate: Vector3 = .zero
    ) -> AttitudeFilter {
        var filter = AttitudeFilter(profile: profile)
        for k in 0...samples { add(&filter, at: 0.01 * Double(k), still: still, meanRate: meanRate) }
        return filter
    }

    @Test func aTenthOfASecondAddsItsNoise() {
        // GIVEN a filter that knows all exactly WHEN a tenth of a second passes with a turn of 2 rad/s THEN the angle
        // has walked by 0.002 rad/sqrt(s) and a thousandth of the turn, and the others by their own
        var filter = AttitudeFilter()
        step(&filter, rate: Vector3(0, 0, 2))
        let expected = [(0, 8e-7), (1, 8e-7), (2, 8e-7), (3, 4e-5), (5, 4e-5), (6, 1e-11), (8, 1e-11), (9, 1e-9)]
        for (index, variance) in expected {
            let found = filter.covariance[index, index]
            #expect(isNear(found, variance), "\(index): \(found)")
        }
        // AND scale, gravity and cross terms stay as they are
        for index in [12, 15, 16] { #expect(filter.covariance[index, index] == 0) }
    }

    @Test(arguments: [(MotionProfile.wearable, 1.25), (.vehicle, 5000)])
    func theVelocityIsZeroInTheLongRun(profile: MotionProfile, variance: Double) {
        // GIVEN a velocity that is known as well as the one of a hand, 0.5 m/s for 0.5 s, or of a vehicle, 10 m/s for
        // 5 s, shows it in a tenth of a second THEN half of it stays
        var filter = AttitudeFilter(profile: profile)
        for axis in 3..<6 { filter.covariance[axis, axis] = variance }
        filter.velocity = Vector3(0.1, 0, 0)
        step(&filter)
        #expect(abs(filter.velocity.x - 0.05) < 1e-5)
        #expect(isNear(filter.covariance[3, 3], variance / 2))
    }

    @Test func aFastBodyIsHeldLess() {
        // GIVEN a hand that moves by 6 m/s, eight times the squared velocity that is expected THEN zero counts by the
        // power of 1.5 less, and the mean of ten seconds begins to follow
        var filter = AttitudeFilter()
        for axis in 3..<6 { filter.covariance[axis, axis] = 1.25 }
        filter.velocity = Vector3(6, 0, 0)
        step(&filter)
        #expect(abs(filter.velocity.x - 5.746) < 0.001)
        #expect(abs(filter.velocityRatio - 1.07) < 1e-4)
        // AND it is forgotten with that time constant
        filter.velocityRatio = 3
        filter.velocity = Vector3(0.1, 0, 0)
        step(&filter)
        #expect(abs(filter.velocityRatio - 2.97) < 0.001)
    }

    @Test func restIsBelievedUpToTwoSigmasOfTheVelocity() {
        // GIVEN a velocity just within two sigmas of all that it may be at rest, 0.041 m/s, and just beyond THEN the
        // former is that of 0.01 m/s about zero, and the latter of a smooth ride
        for (velocity, left) in [(0.0405, 0.028_93), (0.0415, 0.0415)] {
            var filter = AttitudeFilter()
            filter.velocity = Vector3(velocity, 0, 0)
            step(&filter, still: true)
            #expect(abs(filter.velocity.x - left) < 1e-5, "\(filter.velocity)")
        }
    }

    @Test func restShowsTheBiasOfTheGyro() {
        // GIVEN a bias that is known as well as a tenth of a second of rest shows it, 0.002 rad/s over half a second
        // THEN half of the mean rate is taken for it, and a third where the mean has as much noise again
        for (noise, share) in [(0.0, 0.5), (2e-6, 1.0 / 3)] {
            var filter = AttitudeFilter()
            for axis in 6..<9 { filter.covariance[axis, axis] = 2e-5 }
            step(
                &filter, still: true, meanRate: Vector3(0.01, -0.01, 0.02), restNoise: Vector3(repeating: noise))
            let expected = Vector3(0.01, -0.01, 0.02) * share
            #expect((filter.gyroBias - expected).length < 1e-6, "\(filter.gyroBias)")
        }
    }

    @Test(arguments: [(0.149, true), (0.151, false)]) func aRateBeyondEveryBiasIsNoRest(rate: Double, isBias: Bool) {
        // GIVEN a body that seems to rest while it turns about the vertical THEN the rate is a bias up to 0.15 rad/s
        let filter = started(after: 60, meanRate: Vector3(0, 0, rate))
        #expect((filter.gyroBias.z > 0.1) == isBias)
        #expect(isBias || filter.gyroBias.length < 1e-9)
    }

    @Test(arguments: [(0.2, true), (0.4, false)]) func aKnownBiasIsNoTurn(rate: Double, isRest: Bool) {
        // GIVEN a gyro whose bias is known to be 0.2 rad/s WHEN it measures that at rest THEN the body rests; where it
        // measures 0.2 rad/s more, the body turns
        var filter = AttitudeFilter(profile: .wearable)
        var prior = SensorPrior()
        prior.gyroBias = .init(
            radiansPerSecond: Vector3(0.2, 0, 0), sigmaRadiansPerSecond: Vector3(repeating: 1e-3))
        filter.offer(prior)
        for k in 0...100 { add(&filter, at: 0.01 * Double(k), still: true, meanRate: Vector3(rate, 0, 0)) }
        // A bias that is measured at rest is known better from then on.
        #expect((filter.findings.gyroBiasSigmas.x < 0.9e-3) == isRest, "\(filter.findings.gyroBiasSigmas.x)")
    }

    @Test func aStepIsOfATenthOfASecond() throws {
        // GIVEN a body at rest at 100 Hz THEN the bias is first learned ten samples after the filter has begun to run
        var filter = AttitudeFilter()
        var (begun, learned): (Int?, Int?) = (nil, nil)
        for k in 0..<100 {
            add(&filter, at: 0.01 * Double(k), still: true, meanRate: Vector3(0.01, 0, 0))
            if begun == nil, filter.isRunning { begun = k }
            if learned == nil, filter.gyroBias.x != 0 { learned = k }
        }
        let (first, start) = (try #require(learned), try #require(begun))
        #expect(first - start == 10)
    }

    @Test func itBeginsAfterAMomentOfRestOrThreeSecondsOfMotion() {
        // GIVEN a body at rest, or in motion THEN the level is a mean over 0.3 s, or over 3 s
        for (samples, still, runs) in [(29, true, false), (31, true, true), (299, false, false), (301, false, true)] {
            let isRunning = started(after: samples, still: still).isRunning
            #expect(isRunning == runs, "\(samples)")
        }
    }

    @Test(arguments: [
        (MotionProfile.wearable, true, 0.05, 0.5), (.wearable, false, 0.15, 0.5), (.vehicle, true, 0.05, 10),
        (.vehicle, false, 0.15, 10),
    ]) func whatItDoesNotKnowAtTheBegin(profile: MotionProfile, still: Bool, tilt: Double, velocity: Double) {
        // GIVEN a filter that has just begun THEN it knows its level to 3 degrees from a rest, and to 9 from a motion,
        // and of the sensor what data sheets say
        let filter = started(after: still ? 31 : 301, profile: profile, still: still)
        let sigmas = [
            (0, tilt), (1, tilt), (2, 1), (3, velocity), (6, 0.06), (9, 0.05), (12, 0.01), (15, 0.1), (16, 0),
        ]
        for (index, sigma) in sigmas {
            let found = filter.covariance[index, index].squareRoot()
            #expect(abs(found - sigma) < 1e-9, "\(index): \(found)")
        }
    }

    @Test func aMagneticFieldMayShowTheAxesOfAGyroInAHand() {
        // GIVEN a sensor at rest WHEN the first magnetic readings come THEN scale and cross terms of a gyro in a hand
        // are open, to 1.4 % and 0.7 %, and the turn is that since then; those of a vehicle's are not
        for (profile, scale, cross) in [(MotionProfile.wearable, 2e-4, 4.9e-5), (.vehicle, 1e-4, 0)] {
            var filter = started(after: 31, profile: profile)
            for k in 32..<43 {
                filter.update(magneticField: Vector3(0, 20e-6, -43e-6))
                add(&filter, at: 0.01 * Double(k), still: true)
            }
            for axis in 0..<3 { #expect(abs(filter.covariance[12 + axis, 12 + axis] - scale) < 1e-9) }
            for term in 16..<22 { #expect(abs(filter.covariance[term, term] - cross) < 1e-9) }
            #expect((filter.covariance[2, 2] == 0) == (profile == .wearable))
        }
    }

    @Test(arguments: [(0.01, 1, 0.005), (0.04, 1, 0.005_3), (0.5, 1, 0.005_4), (0.04, 50, 0.014_537)])
    func theAttitudeIsMovedOnByHalfAnInterval(interval: Double, samples: Int, lead: Double) {
        // GIVEN a turn of 1 rad/s WHEN samples come at an interval THEN the attitude is moved on by half of the usual
        // one, which was 0.01 s, follows by a fiftieth of each, and counts 0.05 s at most
        var filter = AttitudeFilter()
        for k in 0...samples { add(&filter, at: interval * Double(k), rate: Vector3(0, 0, 1)) }
        let moved = filter.sensorToLevel.map { (filter.attitude.inverse * $0).rotationVector.z } ?? 0
        #expect(abs(moved - lead) < 1e-6, "\(moved)")
    }

    @Test(arguments: [(0.059, 0.0), (0.061, 0.000_334_89), (1, 0.09)])
    func aGapHidesATurnOfAThirdOfARadianASecond(interval: Double, variance: Double) {
        // GIVEN two samples THEN from 0.06 s on the turn between them may be 0.3 rad/s more
        var filter = AttitudeFilter()
        add(&filter, at: 0)
        add(&filter, at: interval)
        #expect(abs(filter.unseen.tiltVariance - variance) < 1e-9)
        let turn = filter.takeUnseenTurn()
        #expect(abs(turn - variance) < 1e-9)
    }

    @Test func aVehicleNeitherRollsNorPitchesInALongGap() {
        // GIVEN a vehicle at rest WHEN samples fail for just less than 0.2 s, or just more THEN the latter is a gap
        // that a vehicle crosses, in which it hardly begins to turn
        for (seconds, variance) in [(0.19, 0.003_249), (0.21, 8.5e-8)] {
            var filter = started(after: 31, profile: .vehicle)
            add(&filter, at: 0.31 + seconds, still: true)
            let turn = filter.takeUnseenTurn()
            #expect(isNear(turn, variance, share: 0.01), "\(turn)")
        }
        // AND in 2 s it may have leaned by 0.006 rad/sqrt(s), and changed its velocity by 0.6 m/s2/sqrt(s)
        var filter = started(after: 31, profile: .vehicle)
        add(&filter, at: 2.31, still: true)
        #expect(isNear(filter.unseen.tiltVariance, 7.2e-5) && isNear(filter.unseen.velocityVariance, 0.96))
    }

    @Test func whatARangeHasHiddenIsKnownToSixTenths() {
        // GIVEN a turn of 0.1 rad and a velocity of 2 m/s that the ends of the ranges have hidden THEN both are added,
        // and may be wrong by 0.6 of that
        var (about, aside, pushed) = (SaturatedMotion(), SaturatedMotion(), SaturatedMotion())
        (about.turn, aside.turn, pushed.velocity) = (Vector3(0, 0, 0.1), Vector3(0.1, 0, 0), Vector3(2, 0, 0))
        func unseen(_ hidden: SaturatedMotion) -> (AttitudeFilter.UnseenMotion, turn: Double, speed: Double) {
            var filter = AttitudeFilter()
            add(&filter, at: 0)
            add(&filter, at: 0.01, hidden: hidden)
            return (filter.unseen, filter.takeUnseenTurn(), filter.velocity.length)
        }
        let (turned, leaned, moved) = (unseen(about), unseen(aside), unseen(pushed))
        #expect(isNear(turned.0.turnVariance, 0.0036) && isNear(turned.turn, 0.0036) && turned.0.tiltVariance < 1e-12)
        #expect(isNear(leaned.0.tiltVariance, 0.0018) && leaned.turn < 1e-12)
        #expect(isNear(moved.0.velocityVariance, 1.44) && isNear(moved.speed, 2))
        // AND what is still open is a part of the level's sigma at once, and no longer when it has come back
        var filter = started(after: 31)
        var open = SaturatedMotion()
        open.openTurnSigma = Vector3(0.1, 0, 0)
        add(&filter, at: 0.32, still: true, hidden: open)
        #expect(abs(filter.findings.tiltSigma - 0.086_60) < 1e-4)
        add(&filter, at: 0.33, still: true)
        #expect(abs(filter.findings.tiltSigma - 0.05) < 1e-4)
    }

    @Test func aVelocityThatNoBodyHasBeginsTheSearchAnew() {
        // GIVEN a velocity, and what each axis of it may be wrong by THEN beyond 70 m/s and three of their sigmas the
        // level is searched anew
        for (velocity, variance, restarts) in [(69.9, 0.0, 0), (70.1, 0, 1), (78.9, 3, 0), (79.2, 3, 1)] {
            var filter = AttitudeFilter()
            for axis in 3..<6 { filter.covariance[axis, axis] = variance }
            filter.velocity = Vector3(velocity, 0, 0)
            step(&filter)
            #expect(filter.restartCount == restarts, "\(velocity)")
        }
    }

    @Test func theSpeedOfTheReceiverIsALimitForThreeSeconds() {
        // GIVEN a receiver that states 10 m/s to 1 m/s THEN the body is no faster than that, three sigmas and 5 m/s,
        // until three seconds have passed
        var filter = AttitudeFilter()
        #expect(filter.largestSpeed == 70)
        filter.note(speed: 10, sigma: 1, at: Self.time(0))
        add(&filter, at: 2.9)
        #expect(abs(filter.largestSpeed - 18) < 1e-9)
        add(&filter, at: 2.999_999_999)
        #expect(abs(filter.largestSpeed - 18) < 1e-9)
        add(&filter, at: 3)
        #expect(filter.largestSpeed == 70)
        add(&filter, at: 3.1)
        #expect(filter.largestSpeed == 70)
        // AND never more than 70 m/s
        filter.note(speed: 100, sigma: 1, at: Self.time(3.1))
        #expect(filter.largestSpeed == 70)
    }

    @Test func theBiasIsKnownBelowFiveThousandths() {
        // GIVEN the sigma of the gyro's bias on each axis THEN it is known where the worst is below 0.005 rad/s
        for axis in 0..<3 {
            for (sigma, isKnown) in [(0.0049, true), (0.0051, false)] {
                var findings = AttitudeFilter.Findings()
                findings.gyroBiasSigmas = Vector3(repeating: 0.001)
                findings.gyroBiasSigmas[axis] = sigma
                #expect(findings.isBiasKnown == isKnown, "\(axis) \(sigma)")
            }
        }
        // AND where the level is, as far as that is asked for
        var findings = AttitudeFilter.Findings()
        (findings.gyroBiasSigmas, findings.largestTiltSigma) = (.zero, 0.1)
        for (sigma, isKnown) in [(0.099, true), (0.101, false)] {
            findings.tiltSigma = sigma
            #expect(findings.isBiasKnown == isKnown)
        }
    }

    @Test func beforeTheFirstSampleNothingIsKnown() {
        let estimator = OrientationEstimator(profile: .wearable)
        #expect(estimator.sensorToENU == nil && estimator.magneticHeadingSigmaRadians == nil)
        #expect(estimator.tiltSigmaRadians == 0.3)
    }

    @Test(arguments: [(0.2, 0.2, 4.175_208e-4), (0.4, 0.3, 1.642_521e-3)])
    func aVehicleTurnsOnThroughALongGap(rate: Double, turned: Double, variance: Double) {
        // GIVEN a vehicle that turns by 0.2 rad/s WHEN samples fail for a second, and the next one shows a rate
        var filter = AttitudeFilter(profile: .vehicle)
        for k in 0...400 { add(&filter, at: 0.01 * Double(k), rate: Vector3(0, 0, 0.2)) }
        let before = filter.attitude
        add(&filter, at: 5, rate: Vector3(0, 0, rate))
        // THEN it has turned by the mean of both rates, and a third of the larger one may have come and gone meanwhile
        let change = (filter.attitude * before.inverse).rotationVector
        #expect((change - Vector3(0, 0, turned)).length < 1e-6, "\(change)")
        #expect(isNear(filter.unseen.turnVariance, variance), "\(filter.unseen.turnVariance)")
        let turn = filter.takeUnseenTurn()
        #expect(turn == filter.unseen.turnVariance)
    }

    @Test func aShortGapHidesATurnAboutEveryAxis() {
        // GIVEN two samples 0.1 s apart THEN the turn between them may be 0.03 rad more, about the vertical as well
        var filter = AttitudeFilter()
        add(&filter, at: 0)
        add(&filter, at: 0.1)
        #expect(isNear(filter.unseen.tiltVariance, 9e-4) && isNear(filter.unseen.turnVariance, 9e-4))
        let turn = filter.takeUnseenTurn()
        #expect(isNear(turn, 9e-4))
        // AND it is told once
        let again = filter.takeUnseenTurn()
        #expect(again == 0)
    }

    @Test(arguments: [Vector3(0.1, 0, 0), Vector3(0, 0.1, 0), Vector3(0.06, -0.08, 0)])
    func aHiddenTurnLeansAboutAnyLevelAxis(turn: Vector3) {
        // GIVEN a turn of 0.1 rad about a level axis that the end of a range has hidden THEN six tenths of it are
        // shared by roll and pitch
        var (filter, hidden) = (AttitudeFilter(), SaturatedMotion())
        hidden.turn = turn
        add(&filter, at: 0)
        add(&filter, at: 0.01, hidden: hidden)
        #expect(isNear(filter.unseen.tiltVariance, 0.0018) && filter.unseen.turnVariance < 1e-12)
        // AND so is one that is still open, beside the 0.05 rad of the begin
        var resting = started(after: 31)
        var open = SaturatedMotion()
        open.openTurnSigma = turn
        add(&resting, at: 0.32, still: true, hidden: open)
        #expect(abs(resting.findings.tiltSigma - 0.086_60) < 1e-4, "\(resting.findings.tiltSigma)")
    }

    @Test func aKeptGyroBiasIsTakenUpToFiveSigmas() {
        // GIVEN a filter that knows its gyro bias to 0.06 rad/s WHEN an earlier drive tells one to 0.08 rad/s, both
        // together 0.1 rad/s THEN on each axis up to 0.5 rad/s are taken, by 0.36; beyond that none of the three
        for axis in 0..<3 {
            for (bias, taken) in [(0.49, 0.1764), (-0.49, -0.1764), (0.51, 0), (-0.51, 0)] {
                var (filter, prior) = (started(after: 31), SensorPrior())
                var kept = Vector3(repeating: 0.1)
                kept[axis] = bias
                prior.gyroBias = .init(radiansPerSecond: kept, sigmaRadiansPerSecond: Vector3(repeating: 0.08))
                filter.offer(prior)
                var expected = Vector3(repeating: taken == 0 ? 0 : 0.036)
                expected[axis] = taken
                #expect((filter.gyroBias - expected).length < 1e-9, "\(axis) \(bias): \(filter.gyroBias)")
            }
        }
    }

    @Test func aKeptAccelerometerBiasIsTakenUpToFiveSigmas() {
        // GIVEN a filter whose first guess of the bias gives way to one of any sensor, 0.5 m/s2 WHEN an earlier drive
        // tells one to 1.2 m/s2, both together 1.3 m/s2 THEN up to 6.5 m/s2 are taken, by 25 / 169
        for axis in 0..<3 {
            for (bias, taken) in [(6.4, 6.4 * 25 / 169), (6.6, 0)] {
                var (filter, prior) = (started(after: 31), SensorPrior())
                var (kept, expected) = (Vector3.zero, Vector3.zero)
                (kept[axis], expected[axis]) = (bias, taken)
                prior.accelerometerBias = .init(
                    metersPerSecondSquared: kept, sigmaMetersPerSecondSquared: Vector3(repeating: 1.2))
                filter.offer(prior)
                #expect((filter.accelerometerBias - expected).length < 1e-9, "\(filter.accelerometerBias)")
                // AND where it is not taken, the first guess of 0.05 m/s2 stays
                let sigma = filter.covariance[9 + axis, 9 + axis].squareRoot()
                #expect(abs(sigma - (taken == 0 ? 0.05 : 0.6 / 1.3)) < 1e-9, "\(axis): \(sigma)")
                #expect(filter.hasKeptAccelerometerBias == (taken != 0))
            }
        }
    }

    @Test func theRateBeforeAGapIsAMeanOfThreeTwentiethsOfASecond() {
        // GIVEN a vehicle that goes straight on WHEN it turns by 0.2 rad/s for 0.15 s, samples fail for a second, and
        // the next one shows that turn
        var filter = AttitudeFilter(profile: .vehicle)
        for k in 0...415 { add(&filter, at: 0.01 * Double(k), rate: Vector3(0, 0, k > 400 ? 0.2 : 0)) }
        let before = filter.attitude
        add(&filter, at: 5.15, rate: Vector3(0, 0, 0.2))
        // THEN the mean before has followed in 15 steps of a fifteenth, to 0.128947 rad/s, and the vehicle has turned
        // by the mean of that and 0.2 rad/s
        let change = (filter.attitude * before.inverse).rotationVector
        #expect((change - Vector3(0, 0, 0.164_473_6)).length < 1e-6, "\(change)")
    }

    @Test func whatIsHiddenWidensTiltAndTurnByTheirOwn() {
        // GIVEN a tilt hidden to 0.2 rad and a turn to 0.3 rad WHEN a tenth of a second passes THEN each is in the
        // variance of its own axes, beside the angle's walk of 4e-7 rad2, and nothing else has changed with them
        var filter = AttitudeFilter()
        (filter.unseen.tiltVariance, filter.unseen.turnVariance) = (0.04, 0.09)
        step(&filter)
        for (axis, variance) in [0.040_000_4, 0.040_000_4, 0.090_000_4].enumerated() {
            let found = filter.covariance[axis, axis]
            #expect(abs(found - variance) < 1e-9, "\(axis): \(found)")
            for other in 0..<22 where other != axis {
                #expect(abs(filter.covariance[axis, other]) < 1e-12, "\(axis) \(other)")
            }
        }
        #expect(filter.unseen.turnVariance == 0 && filter.unseen.tiltVariance == 0)
    }

    @Test func restShowsGravity() {
        // GIVEN gravity that is known to 0.1 m/s2, and 0.05 m/s2 more of it WHEN a tenth of a second of rest shows that
        // the velocity of 5 mm/s is none, to 1 cm/s THEN the variance of the velocity, 1e-4 of gravity and 4e-5 of
        // noise, and its covariance with gravity, -1e-3, tell how much is gravity's
        var filter = AttitudeFilter()
        filter.covariance[15, 15] = 0.01
        filter.interval.add(
            axes: SensorAxes(.identity), force: Vector3(0, 0, 9.856_65), rate: .zero, seconds: 0.1)
        filter.step(still: true, meanAngularRate: .zero, restNoise: .zero)
        #expect(abs(filter.gravityExcess - 5e-6 / 2.4e-4) < 1e-9, "\(filter.gravityExcess)")
        #expect(abs(filter.velocity.z - 5e-3 * 1e-4 / 2.4e-4) < 1e-9, "\(filter.velocity)")
        let variance = filter.covariance[15, 15]
        #expect(abs(variance - (0.01 - 1e-6 / 2.4e-4)) < 1e-9, "\(variance)")
    }

    @Test func theSearchForTheHeadingBeginsWithTheSecondSample() {
        // GIVEN samples THEN the first one begins an interval, and from the second one on there is an attitude
        var filter = AttitudeFilter()
        var isKnown = [filter.sensorToStartLevel != nil]
        for k in 0..<2 {
            add(&filter, at: 0.01 * Double(k))
            isKnown.append(filter.sensorToStartLevel != nil)
        }
        #expect(isKnown == [false, false, true])
    }
}
