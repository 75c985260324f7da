import Glibc
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which pairs of velocities the search for the heading in motion takes, and how sure it is of what it finds.
@Suite struct AlignmentSigmaTests {
    /// A motion whose accelerations swing on both axes, seen by a receiver and, turned by half a radian, by the IMU.
    private struct Swing {
        /// Largest acceleration on each axis, m/s2.
        var acceleration = 2.0
        /// Age of the receiver's velocity, seconds.
        var lag = 0.1
        /// How fast the force of a wrong level grows, m/s3, and whether the level was found at rest.
        var drift = 0.0
        var isLevelKnown = true
        /// Number of fixes, and seconds from each to the next.
        var fixes = 31
        var spacing = 1.0
        var profile = MotionProfile.vehicle
        /// 1-sigma of the level, radians, and age of the velocities as means, seconds.
        var tiltSigma = 0.0
        var age = 0.0
        /// Lag that was found before, and its 1-sigma, seconds.
        var prior: (seconds: Double, sigma: Double)?
        /// End of a gap in the samples, seconds; `nil` without one.
        var gapEnd: Double?
        /// Speed at the beginning, m/s, number of fixes in a rest before it, and error of the velocities after it, m/s.
        var firstSpeed = 10.0
        var restFixes = 0
        var noise = 0.0

        func velocity(_ seconds: Double) -> Vector3 {
            let rate = 0.5
            let (along, across) = (sin(rate * seconds), (1 - cos(0.7 * rate * seconds)) / 0.7)
            return seconds < 0 && restFixes > 0
                ? .zero : Vector3(firstSpeed + acceleration / rate * along, acceleration / rate * across, 0)
        }

        /// The integral of what the IMU feels, level frame, m/s.
        func inertialVelocity(_ seconds: Double) -> Vector3 {
            let gained = 0.5 * drift * seconds * seconds
            return Quaternion(rotationVector: Vector3(0, 0, -0.5)).rotate(velocity(seconds)) + Vector3(gained, 0, 0)
        }

        /// The search after the last fix.
        var aligner: InMotionAligner {
            var aligner = InMotionAligner(profile: profile)
            if let prior { aligner.restart(prior: prior) }
            if let gapEnd {
                let end = MonotonicTime(nanoseconds: Int64((gapEnd * 1e9).rounded()))
                aligner.noteGap(from: end.advanced(bySeconds: -3), until: end)
            }
            for k in -restFixes..<fixes {
                let seconds = Double(k) * spacing
                let errors = Vector3(k & 1 == 0 ? noise : -noise, k & 2 == 0 ? noise : -noise, 0)
                let seen = velocity(seconds - lag) + (k < 0 ? .zero : errors)
                aligner.add(
                    HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.05,
                    isLevelKnown: isLevelKnown, tiltSigma: tiltSigma,
                    at: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), age: age
                ) { time, _ in inertialVelocity(time.seconds) }
            }
            return aligner
        }

        /// Whether a heading is found.
        var isFound: Bool { aligner.found != nil }
    }

    /// What is found, with 1 % of the sigmas.
    private func check(
        _ swing: Swing, radians: Double = 0.5, sigma: Double, lag: Double = 0.1, lagSigma: Double
    ) throws {
        let found = try #require(swing.aligner.found)
        #expect(abs(found.radians - radians) < 0.002 && abs(found.sigma - sigma) < 0.01 * sigma, "\(found)")
        #expect(abs(found.lagSeconds - lag) < 0.002 && abs(found.lagSigma - lagSigma) < 0.01 * lagSigma, "\(found)")
    }

    @Test func howSureTheAngleIsWithAKnownLevel() throws {
        // GIVEN a level found at rest, which may be wrong by 0.15 m/s2 WHEN a vehicle swings by 0.4 m/s2 for half a
        // minute THEN angle and lag are this sure AND by 2 m/s2 after six seconds
        try check(Swing(acceleration: 0.4), radians: 0.499_4, sigma: 0.053_86, lag: 0.105_1, lagSigma: 0.087_83)
        try check(Swing(fixes: 7), radians: 0.505_9, sigma: 0.043_50, lag: 0.121_9, lagSigma: 0.114_9)
        // AND a level that tilts by more than was assumed shifts them
        try check(
            Swing(acceleration: 1, drift: 0.02), radians: 0.484_2, sigma: 0.027_34, lag: 0.087_44, lagSigma: 0.064_93)
    }

    @Test func howSureTheAngleIsWithALevelFoundInMotion() throws {
        // GIVEN a level found in motion that tilts on by 0.1 m/s2 each second THEN a part of that is taken for a turn
        try check(
            Swing(drift: 0.1, isLevelKnown: false, fixes: 16), radians: 0.442_9, sigma: 0.059_77, lag: 0.121_3,
            lagSigma: 0.062_52)
    }

    @Test func theErrorOfAVelocityCountsOnce() {
        // GIVEN velocities known to 0.2 m/s whose changes the accelerometer tells to 0.1 m/s THEN the second one is
        // unsure by both and by what it leaves of the first, and the third has what it left of the second (eq. 7.3)
        var predictor = InMotionAligner.VelocityPredictor(variance: 0.04)
        let second = predictor.add(variance: 0.04, change: 0.01)
        #expect(second.left == 0 && abs(second.variance - 0.09) < 1e-12)
        let third = predictor.add(variance: 0.04, change: 0.01)
        #expect(abs(third.left - 4.0 / 9) < 1e-12 && abs(third.variance - (0.05 * 4 / 9 + 0.05)) < 1e-12)
        // AND one that is exact leaves nothing to the next
        _ = predictor.add(variance: 0, change: 0.01)
        #expect(predictor.add(variance: 0.04, change: 0.01).left == 0)
    }

    @Test func whatMakesTheAngleLessSure() throws {
        // GIVEN a swing WHEN the velocities are means over twice the time between them, or the level is known to 0.1
        // rad THEN the angle is less sure: a little, as if they were known to 0.07 m/s, because in the six seconds of a
        // swing the accelerometer errs by more, and much, as if its force changed by 0.25 m/s2 from one to the next
        func sigma(_ swing: Swing) throws -> Double { try #require(swing.aligner.found?.sigma) }
        let own = try sigma(Swing())
        let overlapping = try sigma(Swing(age: 1)) / own
        let tilted = try sigma(Swing(tiltSigma: 0.1)) / own
        #expect(overlapping > 1.005 && overlapping < 1.42, "\(overlapping)")
        #expect(tilted > 1.3 && tilted < 2.7, "\(tilted)")
        // AND means that touch do not overlap: the frame turns by little in half a second
        let touching = try sigma(Swing(age: 0.5)) / own
        #expect(abs(touching - 1) < 0.01, "\(touching)")
    }

    @Test func onAPersonARestTellsNothingOfTheNoiseInMotion() throws {
        // GIVEN velocities that are wrong by 0.3 m/s in motion, where 0.05 are stated, and right at rest WHEN half a
        // minute of motion follows a minute of rest THEN the angle of a person is as sure as without the rest, to 1 %:
        // the rest shows a little of the level (0.1 %)
        func ratio(_ profile: MotionProfile) throws -> Double {
            func sigma(restFixes: Int) throws -> Double {
                let swing = Swing(profile: profile, firstSpeed: 0, restFixes: restFixes, noise: 0.3)
                return try #require(swing.aligner.found?.sigma)
            }
            return try sigma(restFixes: 60) / sigma(restFixes: 0)
        }
        let (person, vehicle) = (try ratio(.wearable), try ratio(.vehicle))
        #expect(abs(person - 1) < 0.01, "\(person)")
        // AND that of a vehicle is surer: its engine shakes it at rest as well
        #expect(vehicle < 0.8, "\(vehicle)")
    }

    @Test func howSureALongLagIs() throws {
        // GIVEN a receiver that is late by a second, and by 2.4 s THEN each is found AND it is surer where an earlier
        // search has found it
        try check(Swing(acceleration: 0.4, lag: 1), radians: 0.500_2, sigma: 0.054_65, lag: 0.999_9, lagSigma: 0.124_96)
        try check(Swing(lag: 2.4), sigma: 0.010_91, lag: 2.4, lagSigma: 0.029_08)
        try check(
            Swing(acceleration: 0.3, lag: 1, prior: (seconds: 1, sigma: 0.1)), radians: 0.500_1, sigma: 0.071_14,
            lag: 1, lagSigma: 0.090_38)
    }

    @Test func onAPersonASmallLagIsTheAssumedOne() throws {
        // GIVEN a person THEN the lag is the assumed one, to its step, and the angle less sure for what that may be off
        try check(Swing(profile: .wearable), sigma: 0.012_39, lagSigma: 0.028_87)
        try check(
            Swing(drift: 0.01, isLevelKnown: false, fixes: 16, profile: .wearable), radians: 0.474_2, sigma: 0.038_27,
            lagSigma: 0.028_87)
    }

    @Test(arguments: [0.7, 1.2, 2.1]) func onAPersonALateReceiverIsFoundWhereTheLevelIsKnown(lag: Double) throws {
        // GIVEN a person with a receiver that filters for long THEN its lag is found, to its step
        let found = try #require(Swing(lag: lag, profile: .wearable).aligner.found)
        #expect(abs(found.lagSeconds - lag) < 0.05 && abs(found.radians - 0.5) < 0.02, "\(found)")
        // AND where level and gyro bias were not found at rest, nothing is, whatever the level is
        for drift in [0, 0.01] {
            let moving = Swing(lag: lag, drift: drift, isLevelKnown: false, profile: .wearable)
            #expect(!moving.isFound, "\(drift)")
        }
    }

    @Test(
        arguments: [
            (0.066, MotionProfile.vehicle, nil, false), (0.074, .vehicle, nil, true), (0.100, .wearable, nil, false),
            (0.111, .wearable, nil, true), (0.077, .vehicle, 1.0, false), (0.086, .vehicle, 1.0, true),
        ] as [(Double, MotionProfile, Double?, Bool)])
    func aWeakMotionTellsNothing(acceleration: Double, profile: MotionProfile, lag: Double?, isFound: Bool) {
        // GIVEN motions just too weak to be told from noise, and a little stronger THEN only in the latter a heading is
        // found: it takes 0.07 m/s2 in a vehicle, 0.1 on a person, and more for an unusual lag, which was known before
        let swing = Swing(
            acceleration: acceleration, lag: lag ?? 0.1, profile: profile, prior: lag.map { (seconds: $0, sigma: 0.1) })
        #expect(swing.isFound == isFound)
    }

    @Test func aPairIsFromHalfASecondToTwelveSecondsLong() {
        // GIVEN two fixes THEN they are a pair from 0.45 s on, and below twelve seconds
        let pairs = [0.44, 0.46, 3, 11.99, 12].map { Swing(acceleration: 3, fixes: 2, spacing: $0).isFound }
        #expect(pairs == [false, true, true, true, false])
        #expect(!Swing(acceleration: 3, fixes: 40, spacing: 12).isFound)
    }

    @Test func pairsWaitForTheSamplesOfTheLongestLag() {
        // GIVEN samples that are missing until 2.45 or 2.55 s WHEN a fix comes each second THEN the first pair is that
        // which begins 2.5 s later
        for (gapEnd, first) in [(2.45, 6), (2.55, 7)] {
            #expect(!Swing(acceleration: 3, fixes: first, gapEnd: gapEnd).isFound, "\(gapEnd)")
            #expect(Swing(acceleration: 3, fixes: first + 1, gapEnd: gapEnd).isFound, "\(gapEnd)")
        }
    }

    @Test func aHiddenTurnIsPartOfTheSigma() throws {
        // GIVEN a heading that was found WHEN a gap hides a turn of 0.2 rad, 1-sigma THEN that is added to its own
        var aligner = Swing(acceleration: 0.4).aligner
        aligner.noteUnseenTurn(variance: 0.04)
        let found = try #require(aligner.found)
        #expect(abs(found.sigma - hypot(0.053_86, 0.2)) < 0.002)
        // AND a gap that hides none changes nothing
        aligner.noteUnseenTurn(variance: 0)
        let same = try #require(aligner.found)
        #expect(abs(same.sigma - found.sigma) < 1e-9)
    }

    @Test func aTurnBeyondTheRangeIsPartOfTheSigma() throws {
        // GIVEN a heading that was found WHEN a gyro that rises by 200 rad/s2 is at its end for 0.06 s and comes back
        var vehicle = RestingVehicle()
        vehicle.align(radians: 0.3)
        let before = try #require(vehicle.estimator.aligner.found)
        for (k, rate) in [0.0, 2, 4, 4, 4, 4, 4, 4, 2, 0].enumerated() {
            // A sensor that repeats a reading counts as stuck.
            let new = 1e-4 * sin(12.9898 * Double(k))
            _ = vehicle.estimator.ingest(
                InertialSample(
                    time: RestingVehicle.now.advanced(bySeconds: 0.01 * Double(k + 1)),
                    angularRateRadiansPerSecond: Vector3(new, -new, rate),
                    specificForceMetersPerSecondSquared: Vector3(new, new, 9.806_65 + new)))
        }
        // THEN six tenths of the 0.12 rad that this hides (eq. 12.14) are added to its sigma
        let after = try #require(vehicle.estimator.aligner.found)
        #expect(abs(after.sigma * after.sigma - before.sigma * before.sigma - 0.072 * 0.072) < 1e-4, "\(after)")
    }

    @Test func aSearchBeginsWithoutTheTurnsFromBefore() {
        // GIVEN samples that fail for a tenth of a second again and again, as with a filter that runs WHEN the search
        // begins anew THEN what they have hidden is no turn of its own
        var estimator = PoseEstimator()
        for k in 0...20 {
            let sample = InertialSample(
                time: MonotonicTime(nanoseconds: Int64(k) * 100_000_000), angularRateRadiansPerSecond: .zero,
                specificForceMetersPerSecondSquared: Vector3(0, 0, 9.806_65))
            estimator.attitude.update(sample, still: false, meanAngularRate: .zero)
        }
        estimator.forgetAlignment()
        let turn = estimator.attitude.takeUnseenTurn()
        #expect(turn == 0)
    }

    @Test(arguments: [(1.39, 1.39, 0.7), (1.41, 1.0, nil)] as [(Double, Double, Double?)])
    func aLagFromBeforeHoldsWhereTheMotionAgrees(carried: Double, velocity: Double, position: Double?) {
        // GIVEN lags of the receiver that an earlier filter has found, and a search that finds 1 s, which is known
        // better than a tenth of a second WHEN they differ by less than four tenths, or by more THEN only the former
        // are those of before
        var estimator = PoseEstimator()
        estimator.carriedLags = ReceiverLags(
            velocity: carried, velocitySigma: 0.1, position: 0.7, positionSigma: 0.01, difference: carried - 0.7)
        estimator.aligner = Swing(lag: 1).aligner
        let lags = estimator.receiverLags
        #expect(abs(lags.velocity - velocity) < 0.002 && abs(lags.velocitySigma - 0.1) < 1e-9, "\(lags)")
        #expect((lags.position == 0.7) == (position != nil))
        #expect((lags.slopeOfMotion == nil) == (position != nil))
    }

    @Test(arguments: [(1.0, 1.0, 0.029_1), (0.1, 0.0, 0.1)])
    func theLagOfVelocitiesBetweenPositionsIsTheirs(lag: Double, position: Double, sigma: Double) {
        // GIVEN a receiver without velocities, which lie between its positions WHEN the search finds 1 s THEN that is
        // the lag of the positions AND up to 0.2 s it may be the clocks', which are off by 0.1 s
        var estimator = PoseEstimator()
        estimator.velocityAge = 0.5
        estimator.aligner = Swing(lag: lag).aligner
        let lags = estimator.receiverLags
        #expect(abs(lags.position - position) < 0.002 && abs(lags.positionSigma - sigma) < 0.001, "\(lags)")
        #expect(lags.difference == 0)
    }

    @Test(arguments: [(0.0, true), (0.02, true), (0.05, false)])
    func aFrameThatTurnsFasterThanAKnownBiasShowsNoHeading(rate: Double, isFound: Bool) {
        // GIVEN a level found at rest, with which the gyro bias is known to 0.002 rad/s WHEN the level frame turns all
        // the same, and a vehicle swings for half a minute
        let swing = Swing()
        var (felt, aligner) = ([Vector3.zero], InMotionAligner(profile: .vehicle))
        for k in 0..<3300 {
            let middle = 0.01 * Double(k) - 2.995
            let gained = swing.velocity(middle + 0.005) - swing.velocity(middle - 0.005)
            let turn = Quaternion(rotationVector: Vector3(0, 0, -0.5 - rate * (middle - 30)))
            felt.append(felt[k] + turn.rotate(gained))
        }
        let history = felt
        for k in 0...30 {
            let seen = swing.velocity(Double(k) - 0.1)
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.05,
                isLevelKnown: true, at: MonotonicTime(nanoseconds: Int64(k) * 1_000_000_000)
            ) { time, _ in history[Int(((time.seconds + 3) * 100).rounded())] }
        }
        // THEN a turn of 0.02 rad/s is taken for a lag, and one of 0.05 rad/s, which nothing that is likely explains,
        // shows no heading at all
        let found = aligner.found
        #expect((found != nil) == isFound, "\(String(describing: found))")
    }

    @Test(
        arguments: [(0.05, 1.5, 0), (-0.05, 1.5, 0), (0.08, 1.5, 0), (0.05, 0.5, 1.25)] as [(Double, Double, Double)])
    func theAngleIsThatOfTheFix(rate: Double, lag: Double, age: Double) throws {
        // GIVEN a level frame that a gyro bias turns on, and a receiver that is late, whose velocity is stated, or the
        // mean of 2.5 s, so that its middle is 1.25 s older
        let swing = Swing()
        var (felt, ways) = ([Vector3.zero], [Vector3.zero])
        for k in 0..<3300 {
            let middle = 0.01 * Double(k) - 2.995
            let gained = swing.velocity(middle + 0.005) - swing.velocity(middle - 0.005)
            felt.append(felt[k] + Quaternion(rotationVector: Vector3(0, 0, -0.5 - rate * (middle - 30))).rotate(gained))
            ways.append(ways[k] + (felt[k] + felt[k + 1]) * 0.005)
        }
        let (velocities, places) = (felt, ways)
        func index(_ seconds: Double) -> Int { Int(((seconds + 3) * 100).rounded()) }
        /// The way of the motion by an instant, metres.
        func way(_ s: Double) -> Vector3 {
            Vector3(10 * s - 8 * cos(0.5 * s), 4 / 0.7 * (s - sin(0.35 * s) / 0.35), 0)
        }
        var aligner = InMotionAligner(profile: .vehicle)
        for k in (age > 0 ? 3 : 0)...30 {
            let seconds = Double(k) - age
            let then = seconds - lag
            let seen = age > 0 ? (way(then + age) - way(then - age)) / (2 * age) : swing.velocity(then)
            aligner.add(
                HorizontalVelocity(eastMetersPerSecond: seen.x, northMetersPerSecond: seen.y), speedSigma: 0.05,
                isLevelKnown: false, at: MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())), age: age
            ) { time, _ in
                let at = time.seconds
                return age > 0
                    ? (places[index(at + age)] - places[index(at - age)]) / (2 * age) : velocities[index(at)]
            }
        }
        // THEN the angle is that at the last fix: what the receiver has seen by then is older by its lag and half of
        // the mean's time, in which the frame has turned by 0.075 to 0.12 rad, to a third of the least
        let found = try #require(aligner.found)
        #expect(abs(found.rate - rate) < 0.002 && abs(found.radians - 0.5) < 0.025, "\(found)")
    }

    @Test func aTurnOfTheFrameIsOneForEachSecondOfAPair() throws {
        // GIVEN a level found in motion that tilts on by 0.1 m/s2 each second WHEN a fix comes twice a second THEN a
        // part of the tilt is taken for a turn of the frame, by half of its rate for each pair
        let found = try #require(Swing(drift: 0.1, isLevelKnown: false, spacing: 0.5).aligner.found)
        #expect(abs(found.radians - 0.413_2) < 0.002 && abs(found.sigma - 0.074_5) < 0.001, "\(found)")
        #expect(abs(found.rate + 0.009_50) < 1e-4 && abs(found.lagSeconds - 0.128_9) < 0.002, "\(found)")
    }
}
