import Foundation
import Geodesy
import Measurements
import PoseMath
import Simulation
import Testing

@testable import Fusion

/// Receivers that are worse than they say, and those that are not.
@Suite struct GNSSNoiseScalingTests {
    /// How long a receiver's errors last, seconds, and the share of them that is new with each fix: as the filter takes
    /// them, in numbers of their own.
    private static let (wanderingSeconds, whiteShare) = (40.0, 0.15)
    private static let statedSigma = 3.0
    private static let runs = 24

    private struct Trial {
        /// Mean normalised square of the horizontal error from a minute after the start on: 2 for two axes.
        var meanSquare = 0.0
        /// Longest time from one position taken to the next, seconds, by their times of validity.
        var longestLockOut = 0.0
        /// The factor at the end.
        var factor = 1.0
    }

    /// A drive with a receiver whose errors have a 95 % radius, and a stated sigma.
    private func trial(seed: UInt64, radius: Double) throws -> Trial {
        var plan = DrivePlan.random(seed: seed, edges: 14)
        plan.standingSecondsBefore = 5
        var suite = SensorSuite()
        // The errors are those the filter takes a receiver to have, but larger.
        let sigma = radius / (-2 * log(0.05)).squareRoot()
        suite.satellite?.wanderingMeters = sigma
        suite.satellite?.whiteMeters = Self.whiteShare * sigma
        suite.satellite?.wanderingSeconds = Self.wanderingSeconds
        suite.satellite?.statedSigmaScale =
            Self.statedSigma / (sigma * (1 + Self.whiteShare * Self.whiteShare).squareRoot())
        let simulated = SimulatedDrive(drive: try Drive(plan), sensors: suite, seed: seed)
        var (estimator, trial) = (PoseEstimator(), Trial())
        var (sum, count, begun, due, taken) = (0.0, 0.0, Double?.none, 0.0, Double?.none)
        for event in simulated {
            var event = event
            if case .gnss(var fix) = event {
                // Only the position's accuracy is a lie.
                fix.speedSigmaMetersPerSecond = 0.1
                event = .gnss(fix)
            }
            // Ten times a second: a debug build copies the estimator to read of it.
            guard estimator.ingest(event), event.validityTime.seconds >= due else { continue }
            due = event.validityTime.seconds + 0.1
            guard estimator.isNavigating else { continue }
            let seconds = estimator.estimate.time.seconds
            let since = begun ?? seconds
            begun = since
            if let age = estimator.estimate.fixAgeSeconds {
                trial.longestLockOut = max(trial.longestLockOut, seconds - age - (taken ?? seconds - age))
                taken = seconds - age
            }
            trial.factor = estimator.filter.noiseScaling.factor
            guard seconds > since + 60 else { continue }
            sum += Self.normalisedSquare(estimator, simulated.truth(at: estimator.estimate.time).position)
            count += 1
        }
        // One that lasts to the end counts too.
        trial.longestLockOut = max(trial.longestLockOut, estimator.estimate.fixAgeSeconds ?? .infinity)
        trial.meanSquare = sum / max(count, 1)
        return trial
    }

    private static func normalisedSquare(_ estimator: PoseEstimator, _ truth: GeodeticPosition) -> Double {
        guard let place = estimator.estimate.position else { return .infinity }
        let offset = truth.surfaceOffsetMeters(to: place)
        var covariance = estimator.filter.covariance
        let a = covariance[.position.x, .position.x]
        let b = covariance[.position.x, .position.y]
        let c = covariance[.position.y, .position.y]
        return (offset.east * offset.east * c - 2 * offset.east * offset.north * b + offset.north * offset.north * a)
            / (a * c - b * b)
    }

    @Test(arguments: [(0.125, 1.15...3), (0.25, 1.0...1.3)]) func aNoisyVelocityIsTheReceiversFault(
        stated: Double, factors: ClosedRange<Double>
    ) throws {
        for seed in UInt64(1)...4 {
            // GIVEN a drive with a velocity a second that is wrong by 0.25 m/s, and states half of it or all
            var suite = SensorSuite()
            suite.satellite?.rateHertz = 1
            suite.satellite?.velocityMetersPerSecond = 0.25
            let drive = try Drive(.random(seed: seed, edges: 14))
            // WHEN it is driven
            var estimator = PoseEstimator()
            for event in SimulatedDrive(drive: drive, sensors: suite, seed: seed) {
                var event = event
                if case .gnss(var fix) = event {
                    fix.speedSigmaMetersPerSecond = stated
                    event = .gnss(fix)
                }
                _ = estimator.ingest(event)
            }
            // THEN the factor rises, up to where the mean square is within its threshold of 1.25 again, and neither the
            // IMU nor a lag is blamed
            #expect(estimator.isNavigating && factors.contains(estimator.filter.velocityScaling.factor))
            #expect(estimator.filter.imuFaultCount == 0 && abs(estimator.filter.state.velocityLagSeconds) < 0.4)
        }
    }

    @Test(arguments: [20.0, 53]) func aReceiverThatIsWorseThanItSaysIsFoundOut(radius: Double) throws {
        // GIVEN drives with receivers that state 3 m and are wrong by so much in 95 % of the fixes
        let trials = try (1...UInt64(Self.runs)).map { try trial(seed: $0, radius: radius) }
        // THEN the mean normalised square lies within the 95 % band of as many chi-square variables of two degrees of
        // freedom (one for each drive: the errors of a minute are one), and no drive is without a position for more
        // than 10 s
        let mean = trials.reduce(0) { $0 + $1.meanSquare } / Double(Self.runs)
        let half = 1.96 * (4 / Double(Self.runs)).squareRoot()
        print(
            String(
                format:
                    "stated 3 m, true 95 %% radius %.0f m: mean NEES %.2f (band %.2f to %.2f), longest lock-out %.1f "
                    + "s, factor %.1f",
                radius,
                mean, 2 - half, 2 + half, trials.map(\.longestLockOut).max() ?? 0,
                trials.reduce(0) { $0 + $1.factor } / Double(Self.runs)))
        #expect(mean > 2 - half && mean < 2 + half)
        // A nanosecond for the difference of two times in seconds.
        #expect(trials.allSatisfy { $0.longestLockOut <= 10 + 1e-9 }, "\(trials.map(\.longestLockOut).sorted())")
    }

    @Test func anHonestReceiverKeepsItsWord() throws {
        // GIVEN receivers that are as good as they say (7.3 m is the 95 % radius of 3 m on each axis), and better; THEN
        // the factor has risen by one step of 1.14 at most
        for radius in [7.3, 2] {
            for seed in 1...UInt64(8) {
                let factor = try trial(seed: seed, radius: radius).factor
                #expect(factor < 1.15, "seed \(seed), \(radius) m")
            }
        }
    }

    @Test func theFactorRisesAtOnceAndFallsOverMinutes() {
        // GIVEN fixes that fit WHEN some do not THEN the factor rises within seconds
        var noiseScaling = GNSSNoiseScaling()
        var second = Int64(0)
        func learn(_ square: Double, _ fixes: Int) {
            for _ in 0..<fixes {
                second += 1
                _ = noiseScaling.learn(normalisedSquare: square, at: MonotonicTime(nanoseconds: second * 1_000_000_000))
            }
        }
        learn(0.7, 60)
        #expect(noiseScaling.factor == 1)
        learn(9, 6)
        let risen = noiseScaling.factor
        #expect(risen > 1.5)
        // WHEN they fit again THEN it falls, slowly, and ends at 1
        learn(0.3, 20)
        #expect(noiseScaling.factor < risen && noiseScaling.factor > 0.9 * risen)
        learn(0.3, 900)
        #expect(noiseScaling.factor == 1)
        // What is no number teaches nothing.
        learn(.nan, 10)
        #expect(noiseScaling.factor == 1)
    }

    /// A scaling after normalised squares at seconds, and the largest factor on the way.
    private func scaling(_ squares: [(seconds: Int64, square: Double)]) -> (now: Double, largest: Double) {
        var (scaling, largest) = (GNSSNoiseScaling(), 1.0)
        for (seconds, square) in squares {
            let time = MonotonicTime(nanoseconds: seconds * 1_000_000_000)
            _ = scaling.learn(normalisedSquare: square, at: time)
            largest = max(largest, scaling.factor)
        }
        return (scaling.factor, largest)
    }

    /// The same square once a second.
    private func steady(_ square: Double, fixes: Int64) -> [(seconds: Int64, square: Double)] {
        (1...fixes).map { (seconds: $0, square: square) }
    }

    @Test func theFirstFixesThatDoNotFitRaiseTheFactorByWhatTheyShow() {
        // GIVEN a square of 100, which counts as three sigmas THEN the mean of 6 s is 2.17 after it, and the factor
        // rises by sqrt(1.3 2.17 / 2); the next one that fits takes a three-hundredth from it
        #expect(abs(scaling([(1, 100)]).now - 1.186_732) < 1e-6)
        #expect(abs(scaling([(1, 9)]).now - 1.186_732) < 1e-6)
        #expect(abs(scaling([(1, 100), (2, 0.8)]).now - 1.182_776) < 1e-6)
        // AND one after ten seconds is a quarter of both means, of which that of 40 s has the lower threshold
        #expect(abs(scaling([(0, 0.8), (10, 9)]).now - 1.721_627) < 1e-6)
    }

    @Test func squaresJustAboveOneRaiseItWithinHalfAMinute() {
        // GIVEN squares of 1.9 THEN the mean of 40 s is above 1.25 with the 21st; squares of 1.2 are no surprise
        #expect(scaling(steady(1.9, fixes: 20)).largest == 1)
        #expect(abs(scaling(steady(1.9, fixes: 21)).now - 1.141_824) < 1e-6)
        #expect(scaling(steady(1.2, fixes: 600)).largest == 1)
    }

    @Test func theFactorIsTwelveAtMostAndASilenceTakesHalfOfIt() {
        // GIVEN fixes that never fit THEN the factor is twelve after fifteen of them, and no more
        let rising = steady(9, fixes: 15)
        #expect(scaling(rising).now == 12)
        #expect(scaling(steady(9, fixes: 99)).largest == 12)
        // WHEN the next one comes after 400 s, and fits THEN half of it is left
        #expect(scaling(rising + [(seconds: 415, square: 0.8)]).now == 6)
    }

    @Test func aVelocityWithoutAnAccuracyHasThatOfAConsumerReceiver() {
        // GIVEN a velocity with its accuracy, and one without WHEN they are weighed THEN the first has its own, the
        // second that of Doppler measurements under open sky; and none is better than a receiver can be
        let time = MonotonicTime(nanoseconds: 0)
        var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
        #expect(fix.assumedSpeedSigma == 0.3)
        fix.speedSigmaMetersPerSecond = 1.25
        #expect(fix.assumedSpeedSigma == 1.25)
        fix.speedSigmaMetersPerSecond = 1e-6
        var filter = NavigationFilter(idleWith: FusionSettings())
        let least = filter.speedSigma(of: fix)
        #expect(least == 0.05)
    }

    @Test func aMeanAtItsThresholdIsNoSurprise() {
        // GIVEN a square that brings the mean of 6 s to 2 within a second and a half, or just beyond THEN the factor
        // stays, or rises by the root of 1.3
        func factor(_ square: Double) -> Double {
            var scaling = GNSSNoiseScaling()
            _ = scaling.learn(normalisedSquare: 0.8, at: MonotonicTime(nanoseconds: 0))
            _ = scaling.learn(normalisedSquare: square, at: MonotonicTime(nanoseconds: 1_500_000_000))
            return scaling.factor
        }
        #expect(factor(5.6) == 1)
        #expect(abs(factor(5.600_01) - 1.140_18) < 1e-5)
    }

    /// An observation of one element of the state.
    private func component(_ state: FilterState, innovation: Double, variance: Double) -> NavigationFilter.Component {
        var row = ObservationRow()
        row.add(state, 1)
        return NavigationFilter.Component(row: row, innovation: innovation, variance: variance)
    }

    @Test func theSquareOfAPlaceIsThatOfAllItsVariances() {
        // GIVEN a place that is known to a variance of 3 m2, and a fix with 1 m2 that is new
        func learn(east: Double, north: Double) -> NavigationFilter {
            var filter = NavigationFilter(idleWith: FusionSettings())
            filter.covariance.restart(.position.horizontal, variance: 3)
            filter.covariance.restart(.gnssBias.horizontal, variance: 2)
            filter.updateNoiseScaling(
                east: component(.position.x, innovation: east, variance: 1),
                north: component(.position.y, innovation: north, variance: 1))
            return filter
        }
        // WHEN it lies 3 m to the east and 1 m to the north THEN the mean square is that over 4 m2 and 0.3 m of what
        // is not the receiver's, of which the mean of 6 s has a sixth after a second: 0.8 + (5/4.09 - 0.8)/6
        for var filter in [learn(east: 3, north: 1), learn(east: -1, north: 3)] {
            #expect(abs(filter.noiseScaling.meanSquare.short - 0.870_415_65) < 1e-8)
            let place = filter.covariance[.position.x, .position.x]
            let bias = filter.covariance[.gnssBias.y, .gnssBias.y]
            #expect(filter.noiseScaling.factor == 1 && place == 3 && bias == 2)
        }
        // AND WHEN it lies far off THEN the factor rises by 1.187, and place and bias are as much less sure
        var far = learn(east: 30, north: 0)
        let (place, bias) = (far.covariance[.position.y, .position.y], far.covariance[.gnssBias.x, .gnssBias.x])
        #expect(abs(place / 3 - 1.186_732 * 1.186_732) < 1e-5)
        #expect(abs(bias / 2 - 1.186_732 * 1.186_732) < 1e-5)
    }

    @Test(arguments: [(1, 0.833_333_333), (2.9, 0.833_333_333), (3.1, 0.8)] as [(Double, Double)])
    func theSquareOfAVelocityIsThatOfItsChange(seconds: Double, mean: Double) {
        // GIVEN a velocity that is known to a variance of 0.04, and receiver velocities of 0.05 m2/s2 WHEN their
        // innovation changes by 0.6 and 0.2 m/s within three seconds THEN the mean square is that over both variances,
        // with 0.1 m/s of vibration 0.1 m2/s2 each, 1: the first such square counts a sixth, and one after a longer
        // time nothing
        for turned in [false, true] {
            var filter = NavigationFilter(idleWith: FusionSettings())
            filter.covariance.restart(.velocity.horizontal, variance: 0.04)
            func take(east: Double, north: Double) {
                filter.updateVelocityScaling(
                    east: component(.velocity.x, innovation: turned ? north : east, variance: 0.05),
                    north: component(.velocity.y, innovation: turned ? east : north, variance: 0.05),
                    at: filter.state.time)
            }
            take(east: 0.3, north: -0.1)
            #expect(filter.velocityScaling.meanSquare.short == 0.8)
            filter.state.time = filter.state.time.advanced(bySeconds: seconds)
            take(east: 0.9, north: 0.1)
            #expect(abs(filter.velocityScaling.meanSquare.short - mean) < 1e-8)
        }
    }
}
