import Geodesy
import Measurements
import PoseMath
import Testing

@testable import Fusion

/// Which of filter and receiver predicts the next fix better.
@Suite struct PredictionContestTests {
    private static let home = GeodeticPosition(
        latitudeRadians: 0.8, longitudeRadians: 0.2, altitudeEllipsoidMeters: 100)

    /// Fixes of a receiver that goes north at 10 m/s, each beside its way by `jitter` metres.
    private func contest(
        fixes: Int, every seconds: Double = 1, jitter: (Int) -> Double, filterError: (Int) -> Double,
        sigma: Double = 0.01
    ) -> PredictionContest {
        var contest = PredictionContest()
        for k in 0..<fixes {
            let time = MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds * Double(k))
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
            contest.add(
                fix, at: Self.home.moved(byENU: Vector3(jitter(k), 10 * seconds * Double(k), 0)),
                ownError: SIMD2(filterError(k), 0), sigma: sigma)
        }
        return contest
    }

    @Test(arguments: [1.0, 3, 10]) func aFilterThatPredictsWorseForSecondsHasLost(meters: Double) {
        // GIVEN fixes that follow their velocity WHEN a filter misses each of them THEN it has lost, but not before
        // four seconds, in which a filter that has just started settles
        #expect(contest(fixes: 8, jitter: { _ in 0 }, filterError: { _ in meters }).isLost)
        #expect(!contest(fixes: 5, jitter: { _ in 0 }, filterError: { _ in meters }).isLost)
    }

    @Test func oneJumpOfTheReceiverIsNotTheFilter() {
        // GIVEN a receiver that jumps by 8 m once, which both miss WHEN the filter then follows THEN it has not lost
        let jump = contest(fixes: 20, jitter: { $0 < 10 ? 0 : 8 }, filterError: { $0 == 10 ? 8 : 0.1 })
        #expect(!jump.isLost)
    }

    @Test func aFilterAsGoodAsTheReceiverStays() {
        // GIVEN fixes beside their way by 2 m to and fro WHEN the filter misses them by as much THEN it stays
        #expect(
            !contest(fixes: 60, jitter: { $0.isMultiple(of: 2) ? 0 : 2 }, filterError: { _ in 2 }).isLost)
    }

    @Test func theStatedSigmaIsAllowed() {
        // GIVEN a receiver that states 3 m WHEN its fixes follow their velocity, and the filter is 2.5 m beside them,
        // as its bias may be THEN it stays; with a stated 1 m it does not
        #expect(!contest(fixes: 60, jitter: { _ in 0 }, filterError: { _ in 2.5 }, sigma: 3).isLost)
        #expect(contest(fixes: 60, jitter: { _ in 0 }, filterError: { _ in 2.5 }, sigma: 1).isLost)
    }

    @Test(arguments: [(0.49, 0.01, false), (0.51, 0.01, true), (3.03, 3, false), (3.05, 3, true)])
    func halfAMetreIsAllowedBesideTheStatedSigma(meters: Double, sigma: Double, isLost: Bool) {
        // GIVEN fixes that follow their velocity WHEN the filter misses each of them by so much, for long THEN it has
        // lost from half a metre on, and the stated sigma adds to that as a square
        let contest = contest(fixes: 90, jitter: { _ in 0 }, filterError: { _ in meters }, sigma: sigma)
        #expect(contest.isLost == isLost)
    }

    @Test(arguments: [(2.85, false), (2.9, true)])
    func twiceTheMeanSquareOfTheReceiverIsAllowed(meters: Double, isLost: Bool) {
        // GIVEN fixes that are beside their way by 2 m in turn, so that the receiver misses each by 2 m THEN the filter
        // has lost from sqrt(2 2^2 + 0.5^2) m on, 2.87
        let contest = contest(
            fixes: 90, jitter: { $0.isMultiple(of: 2) ? 0 : 2 }, filterError: { _ in meters })
        #expect(contest.isLost == isLost)
    }

    @Test func theMeansFollowInFiveSeconds() {
        // GIVEN a filter that misses each fix by 0.6 m THEN the mean square, 0.36 (1 - 0.8^n) m2, is above 0.25 with
        // the sixth comparison
        #expect(!contest(fixes: 6, jitter: { _ in 0 }, filterError: { _ in 0.6 }).isLost)
        #expect(contest(fixes: 7, jitter: { _ in 0 }, filterError: { _ in 0.6 }).isLost)
    }

    /// A contest of fixes that lie where the velocity of the one before leads, and a filter that misses each by 0.6 m.
    private func contest(velocities: [Vector3], every seconds: Int64 = 1) -> PredictionContest {
        var (contest, way) = (PredictionContest(), Vector3.zero)
        for (count, velocity) in velocities.enumerated() {
            let time = MonotonicTime(nanoseconds: Int64(count) * seconds * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            fix.horizontalVelocity = HorizontalVelocity(
                eastMetersPerSecond: velocity.x, northMetersPerSecond: velocity.y)
            contest.add(fix, at: Self.home.moved(byENU: way), ownError: SIMD2(0.6, 0), sigma: 0.01)
            way += velocity * Double(seconds)
        }
        return contest
    }

    @Test(arguments: [Vector3.unitX, .unitY]) func theReceiverPredictsByTheVelocityBefore(direction: Vector3) {
        // GIVEN a receiver that goes by 10 m/s and stands in turn, a second each WHEN each fix is where the velocity of
        // the one before leads THEN the receiver predicts them all, and the filter has lost
        let velocities = (0..<8).map { direction * ($0.isMultiple(of: 2) ? 10.0 : 0.0) }
        #expect(contest(velocities: velocities).isLost)
    }

    @Test func oneFixOfASlowReceiverCountsByAHalf() {
        // GIVEN a receiver with a fix in 5 s, and a filter that misses each by 0.6 m THEN the mean square, 0.18 m2
        // after one comparison and 0.27 m2 after two, is above 0.25 with the second
        let velocity = Vector3(0, 10, 0)
        #expect(!contest(velocities: [velocity, velocity], every: 5).isLost)
        #expect(contest(velocities: [velocity, velocity, velocity], every: 5).isLost)
    }

    @Test(arguments: [3, 4, 5]) func someFalseFixesAreNotEnough(fixes: Int) {
        // GIVEN a receiver that is off by 15 m for some fixes, a second each, and a filter that does not follow THEN it
        // has lost only with the fourth, three seconds after the first
        func hasLost(after good: Int, every seconds: Double, fixes: Int) -> Bool {
            let error = { (k: Int) in k >= good && k < good + fixes ? 15.0 : 0 }
            let contests = (good...(good + fixes + 60)).map {
                contest(fixes: $0, every: seconds, jitter: error, filterError: error)
            }
            return contests.contains { $0.isLost }
        }
        #expect(hasLost(after: 10, every: 1, fixes: fixes) == (fixes >= 4))
        // AND of a fast receiver so many seconds less two of them are not enough, only more than three
        #expect(!hasLost(after: 100, every: 0.1, fixes: 10 * (fixes - 2)))
        #expect(hasLost(after: 100, every: 0.1, fixes: 40))
    }

    @Test(arguments: [
        (MotionProfile.wearable, 19.9, true), (.wearable, 20.1, false), (.vehicle, 3, false), (.boat, 3, false),
    ])
    func onlyTheFilterOfAPersonIsRefutedByNearFixes(profile: MotionProfile, meters: Double, isRefuted: Bool) {
        // GIVEN a receiver whose fixes follow their velocity, one a second WHEN a filter misses each of ten by as much
        // THEN it is refuted on a person, and up to the 20 m beyond which others decide that (eq. 12.16)
        var filter = NavigationFilter(
            at: NavigationState(
                time: MonotonicTime(nanoseconds: 0), position: Self.home, velocityENU: Vector3(0, 10, 0),
                sensorToENU: .identity),
            leverArm: .zero, profile: profile)
        for second in 0..<10 {
            let time = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
            var fix = GnssFix(validityTime: time, arrivalTime: time, mode: .threeDimensional)
            fix.horizontalVelocity = HorizontalVelocity(eastMetersPerSecond: 0, northMetersPerSecond: 10)
            fix.horizontalSigmaMeters = 0.5
            filter.comparePredictions(
                of: fix, at: Self.home.moved(byENU: Vector3(0, 10 * Double(second), 0)), ownError: SIMD2(0, meters))
        }
        #expect(filter.isRefuted == isRefuted)
    }
}
